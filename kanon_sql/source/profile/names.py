"""A quick look at a few rows for columns that look like direct identifiers, and at names that look like values.

`identifying` finds columns that should not be released as they are. `like_values` finds names of columns that are
perhaps values of a first row without a header. A name is compared with the values of its own column: it is like them
where it is written as they are or is one of them, and is not where they are all numbers, dates or few words and it is
none. If as many names are like their values as are not, all are taken for values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sqlglot import exp

from kanon_sql.source.model import Column, Source
from kanon_sql.source.profile.counting import (
    HELD,
    drop_tables,
    held_by_rows,
    is_ordered,
    look,
    look_at,
    marked,
    shapes_of,
    take_sample,
    total_of,
)
from kanon_sql.source.profile.kinds import DIRECT, MOST, ColumnProfile, Finding, Shares, kind_of, positions
from kanon_sql.source.profile.recognition import RecognitionFacts, named, recognize
from kanon_sql.source.profile.spellings import SPELLINGS
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

WANTED = DIRECT | {"free text"}
_ROWS_LOOKED_AT = 4_000
_SAMPLE = 150
_SURE = 0.65  # what is less sure raises no alarm
_RARE = 20  # values of an identifier stand in fewer rows than this, on average
_MANY = 0.3  # share of the values with a mark that the name has, too
_WORDS = 0.4  # share of the values in a list of words that has the name, too
_REPEATED = 0.02  # at most this share of rows has a unique value: any other row's value is nearly always among them
_ROWS = 20
_INITIALS = 3  # letters that all codes of a kind begin with, at most
_NUMBERS = (
    *("number_point", "number_comma", "number_point_comma", "number_comma_point", "number_point_blank"),
    *("number_comma_blank", "number_point_apostrophe"),
)
# Marks that no word for a column has.
_WRITTEN = (
    *("dated", "email", "handle", "url", "ip_4", "ip_6", "uuid", "hardware", "hexadecimal", "coordinate_pair", "iban"),
    *("telephone", "street", "number_first", "postal_uk", "postal_ca", "postal_nl", "postal_parted", "icd_dotted"),
    *("us_ssn", "credit_card", "de_pension", "de_health", "fr_nir", "es_dni", "it_fiscal", "uk_nino", "ch_ahv"),
)
_LISTED = (
    *("first_is_first_name", "last_is_first_name", "first_is_surname", "last_is_surname"),
    *("city", "country_name", "country_two", "country_three", "sex_word"),
)


@dataclass(frozen=True)
class _Glance:
    """The first look at a column: its distinct values, their rows, rows of unique values, mean length, marks, ends."""

    distinct: int
    rows: int
    alone: int
    length: float
    with_at: int
    numbers: int
    lowest: int | None
    highest: int | None


def identifying(engine: Engine, source: Source, rows: exp.Select, columns: Sequence[Column]) -> dict[str, Finding]:
    """The columns of `rows` that look like a direct identifier or free text, by name.

    A few thousand rows are looked at, drawn by what they hold, so that their order does not matter, and closer only
    columns that may be identifiers. Raises EngineError.
    """
    looked_at = [col for col in columns if col.is_text or (_is_number(col) and DIRECT & named(col.name).keys())]
    if not looked_at:
        return {}
    try:
        # Another engine gave only few rows already.
        limited = rows if source.backend.weighted else _drawn(rows, looked_at)
        few_rows = source.backend.given(engine, limited, looked_at)
        look_at(engine, few_rows, looked_at, weighted=source.backend.weighted)
        glances = {
            position: _Glance(*row)
            for position, row in positions(
                engine.query(
                    "source/profile/gate",
                    values={"spellings": list(SPELLINGS)},
                )
            ).items()
        }
        doubtful = {
            position: glance for position, glance in glances.items() if _is_doubtful(looked_at[position].name, glance)
        }
        if not doubtful:
            return {}
        take_sample(engine, _SAMPLE, list(doubtful))
        # Dates identify nobody.
        undated = {position: marks for position, marks in look(engine).items() if marks.of("dated") < MOST}
        shares = marked(engine, undated)
        held = _held(engine, few_rows, shares, weighted=source.backend.weighted)
    finally:
        drop_tables(engine)
    findings = {}
    for position, glance in doubtful.items():
        col = looked_at[position]
        finding = _recognized(col, glance, shares[position], held.get(position, {})) if position in shares else None
        if finding is not None and finding.name in WANTED and finding.sure >= _SURE:
            findings[col.name] = finding
    return findings


def _drawn(rows: exp.Select, columns: Sequence[Column]) -> exp.Select:
    """So many of the rows as are looked at, whatever their order: those of the least hash."""
    hashed = exp.Anonymous(this="hash", expressions=[column(looked_at.key) for looked_at in columns])
    return exp.select("*").from_(rows.subquery("read_rows")).order_by(hashed).limit(_ROWS_LOOKED_AT)


def _is_doubtful(name: str, glance: _Glance) -> bool:
    """Whether a column needs a closer look: few values that repeat, or plain numbers, identify nobody."""
    if WANTED & named(name).keys() or 2 * glance.with_at >= glance.distinct:
        return True
    if glance.numbers >= 0.9 * glance.distinct:
        return glance.length >= 9 and glance.distinct * _RARE > glance.rows
    return glance.distinct >= 3 and glance.distinct * _RARE > glance.rows


def _held(
    engine: Engine, rows: exp.Select, shares: Mapping[int, Shares], *, weighted: bool
) -> dict[int, dict[str, float]]:
    """For columns that may be free text the shares of these rows whose text holds each of HELD."""
    if not any(marks.of(*HELD) for marks in shares.values()):
        return {}
    return held_by_rows(engine, shares, total_of(engine, rows, weighted=weighted))


def _recognized(col: Column, glance: _Glance, shares: Shares, held: Mapping[str, float]) -> Finding | None:
    kind = kind_of(col, shares, {}, glance.distinct, glance.rows).kind
    return recognize(
        RecognitionFacts(
            name=col.name,
            kind=kind,
            shares=shares,
            distinct=glance.distinct,
            alone=glance.alone / max(1, glance.rows),
            repeats=glance.rows / max(1, glance.distinct),
            lowest=glance.lowest,
            highest=glance.highest,
            one_length=shares.length == int(shares.length),
            held=held,
        )
    )


def _is_number(col: Column) -> bool:
    return is_ordered(col) and col.type.endswith(("INT", "INTEGER"))


class NameVerdict(Enum):
    """What the values of a column say about its name."""

    SURELY_A_VALUE = 2
    LIKE_A_VALUE = 1
    UNCLEAR = 0
    A_NAME = -1


_VALUES = (NameVerdict.SURELY_A_VALUE, NameVerdict.LIKE_A_VALUE)


@dataclass(frozen=True)
class NameComparison:
    """How a name compares with the values of its column.

    It is the `same` as one of them; values begin with `initials` characters, and some are `alike` in their first one.
    """

    same: bool = False
    alike: bool = False
    initials: int = 0


def like_values(
    engine: Engine,
    source: Source,
    columns: Sequence[ColumnProfile],
    shares: Mapping[int, Shares],
    shapes: Mapping[int, Mapping[str, int]],
) -> tuple[int, ...]:
    """The positions of the columns whose names are like their values, if the names together look like a row of values.

    `shares` and `shapes` are those of the values. The tables of a profile hold names afterwards. Raises EngineError.
    """
    if not source.named_by_first_row:
        return ()
    named = [i for i, col in enumerate(columns) if col.name.strip() and col.name not in source.partitions]
    values = {"positions": named, "names": [columns[position].name for position in named]}
    compared = {
        position: NameComparison(same > 0, alike > 0, initials)
        for position, (same, alike, initials) in positions(
            engine.query(
                "source/profile/names_among_values",
                values={**values, "spellings": list(SPELLINGS)},
            )
        ).items()
    }
    engine.query("source/profile/names_as_values", values=values)
    take_sample(engine, 1, named)
    written, outlines = marked(engine, look(engine)), shapes_of(engine)
    verdicts = {
        position: verdict(
            columns[position],
            (shares.get(position, Shares()), shapes.get(position, {})),
            (written[position], next(iter(outlines.get(position, {})), "")),
            compared.get(position, NameComparison()),
        )
        for position in named
        if position in written
    }
    repeated = all(position in compared and compared[position].same for position in named)
    if not are_values(verdicts.values(), repeated=repeated):
        return ()
    return tuple(position for position, col in verdicts.items() if col in _VALUES)


def are_values(verdicts: Iterable[NameVerdict], *, repeated: bool) -> bool:
    """Whether a first row holds values, by the verdicts on its columns.

    A row that is `repeated` below and holds a name is a header, as in files that were put together.
    """
    listed = list(verdicts)
    names = listed.count(NameVerdict.A_NAME)
    if NameVerdict.SURELY_A_VALUE in listed:
        return True
    return not (repeated and names) and 0 < sum(verdict in _VALUES for verdict in listed) >= names


def verdict(
    column: ColumnProfile,
    values: tuple[Shares, Mapping[str, int]],
    name: tuple[Shares, str],
    compared: NameComparison,
) -> NameVerdict:
    """What the values of a column, by marks and shapes, say about its name, by its marks and shape."""
    shares, shapes = values
    own, outline = name
    if not shares.looked_at:
        return NameVerdict.UNCLEAR
    if any(own.of(mark) and shares.of(mark) >= _MANY for mark in _WRITTEN):
        return NameVerdict.SURELY_A_VALUE
    if shares.of(*_NUMBERS) >= MOST:
        return _of_number(shares, own)
    if shares.of(*_WRITTEN) >= MOST:
        return NameVerdict.A_NAME
    if compared.same:
        return NameVerdict.LIKE_A_VALUE
    if shares.of("codes") >= MOST and not own.of("codes"):
        return NameVerdict.A_NAME
    if any(own.of(mark) and shares.of(mark) >= _WORDS for mark in _LISTED) and not own.of("no_name"):
        return NameVerdict.LIKE_A_VALUE
    if any(shares.of(mark) >= MOST for mark in _LISTED):
        return NameVerdict.A_NAME
    if column.alone <= _REPEATED and column.rows - column.missing >= _ROWS:
        # Few values, none of them this one: a name, or the one person who has another value.
        return NameVerdict.A_NAME if own.of("no_name") else NameVerdict.UNCLEAR
    return NameVerdict.LIKE_A_VALUE if _has_their_shape(outline, shapes, shares, compared) else NameVerdict.UNCLEAR


def _of_number(shares: Shares, own: Shares) -> NameVerdict:
    """A number above numbers is a value, except a year above numbers that are none: tables have a column a year."""
    if not own.of(*_NUMBERS):
        return NameVerdict.A_NAME
    is_year_of_a_table = own.of("year_alone") and shares.of("year_alone") < 0.5
    return NameVerdict.UNCLEAR if is_year_of_a_table else NameVerdict.LIKE_A_VALUE


def _has_their_shape(outline: str, shapes: Mapping[str, int], shares: Shares, compared: NameComparison) -> bool:
    """Whether a name is written as nearly all values are, and not as any word is."""
    folded = _folded(outline)
    if re.fullmatch("[Aa]*", folded) or (not compared.alike and compared.initials <= _INITIALS):
        return False
    return sum(count for shape, count in shapes.items() if _folded(shape) == folded) >= MOST * shares.looked_at


def _folded(shape: str) -> str:
    """A shape without the lengths of its words and numbers.

    >>> _folded("Aaaa Aa-99")
    'Aa Aa-9'
    """
    return re.sub("9+", "9", re.sub("a+", "a", re.sub("A+", "A", shape)))
