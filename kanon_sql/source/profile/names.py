"""Whether columns that are to be released look like direct identifiers or free text: a quick look at a few rows.

Whether the names of columns are perhaps no names, but the values of a first row that has no names above it.

A name is held against the values of its own column: it fits where it is written as they are or is one of them, and
does not where they are all numbers, dates or few words, and it is none. Names that fit in as many columns as do not are
taken for values.
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
    values_table,
)
from kanon_sql.source.profile.kinds import DIRECT, MOST, ColumnProfile, Finding, Shares, kind_of, positions
from kanon_sql.source.profile.recognition import Facts, named, recognize
from kanon_sql.source.profile.spellings import SPELLINGS
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine

WANTED = DIRECT | {"free text"}
_ROWS_LOOKED_AT = 4_000
_SAMPLE = 150
_SURE = 0.65  # what is less sure raises no alarm
_RARE = 20  # values of an identifier stand in fewer rows than this, on average


@dataclass(frozen=True)
class _Glance:
    """What the first look at a column tells."""

    distinct: int
    rows: int
    alone: int
    length: float
    with_at: int
    numbers: int
    lowest: int | None
    highest: int | None


def identifying(engine: Engine, source: Source, rows: exp.Select, columns: Sequence[Column]) -> dict[str, Finding]:
    """Of these columns of `rows` those that look like a direct identifier or free text, by name.

    Some thousand rows are looked at, whichever the engine reads first, and the values only of columns that may be
    identifiers at all. Raises EngineError.
    """
    looked_at = [item for item in columns if item.is_text or (_is_number(item) and DIRECT & named(item.name).keys())]
    if not looked_at:
        return {}
    try:
        # Another engine was asked for few rows already, in the SQL that all have in common.
        some = source.backend.given(engine, rows if source.backend.weighted else rows.limit(_ROWS_LOOKED_AT), looked_at)
        look_at(engine, some, looked_at)
        glances = {
            position: _Glance(*row)
            for position, row in positions(
                engine.query(
                    "source/profile/gate",
                    names={"profile_values": values_table()},
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
        looks = look(engine)
        # Dates identify nobody.
        shares = marked(engine, {position: one for position, one in looks.items() if one.of("dated") < MOST})
        held = _held(engine, some, shares)
    finally:
        drop_tables(engine)
    found = {}
    for position, glance in doubtful.items():
        item = looked_at[position]
        one = _recognized(item, glance, shares[position], held.get(position, {})) if position in shares else None
        if one is not None and one.name in WANTED and one.sure >= _SURE:
            found[item.name] = one
    return found


def _is_doubtful(name: str, glance: _Glance) -> bool:
    """Whether a column is worth a closer look: few values that repeat, or plain numbers, identify nobody."""
    if WANTED & named(name).keys() or 2 * glance.with_at >= glance.distinct:
        return True
    if glance.numbers >= 0.9 * glance.distinct:
        return glance.length >= 9 and glance.distinct * _RARE > glance.rows
    return glance.distinct >= 3 and glance.distinct * _RARE > glance.rows


def _held(engine: Engine, rows: exp.Select, shares: Mapping[int, Shares]) -> dict[int, dict[str, float]]:
    """Of columns that may be free text the shares of the rows looked at by what their text holds."""
    if not any(one.of(*HELD) for one in shares.values()):
        return {}
    (total,) = engine.query("source/profile/row_total", names={"source": rows})[0]
    return held_by_rows(engine, shares, int(total))


def _recognized(item: Column, glance: _Glance, shares: Shares, held: Mapping[str, float]) -> Finding | None:
    kind = kind_of(item, shares, {}, glance.distinct, glance.rows).kind
    return recognize(
        Facts(
            name=item.name,
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


def _is_number(item: Column) -> bool:
    return is_ordered(item) and item.type.endswith(("INT", "INTEGER"))


_MANY = 0.7  # of the values that are written in a way which a name has as well
_WORDS = 0.4  # of the values that stand in a list of words, as the name does
_REPEATED = 0.02  # of the rows at most that are alone: the value of another row would be among them nearly always
_ROWS = 20
_INITIALS = 3  # letters that all codes of a kind begin with, at most
_NUMBERS = (
    *("number_point", "number_comma", "number_point_comma", "number_comma_point", "number_point_blank"),
    *("number_comma_blank", "number_point_apostrophe"),
)
# What no word for a column is written like.
_WRITTEN = (
    *("dated", "email", "handle", "url", "ip_4", "ip_6", "uuid", "hardware", "hexadecimal", "coordinate_pair", "iban"),
    *("telephone", "street", "number_first", "postal_uk", "postal_ca", "postal_nl", "postal_parted", "icd_dotted"),
    *("us_ssn", "credit_card", "de_pension", "de_health", "fr_nir", "es_dni", "it_fiscal", "uk_nino", "ch_ahv"),
)
_LISTED = (
    *("first_is_first_name", "last_is_first_name", "first_is_surname", "last_is_surname"),
    *("city", "country_name", "country_two", "country_three", "sex_word"),
)


class Verdict(Enum):
    """What a column's values say of its name."""

    SURELY_A_VALUE = 2
    LIKE_A_VALUE = 1
    UNCLEAR = 0
    A_NAME = -1


_VALUES = (Verdict.SURELY_A_VALUE, Verdict.LIKE_A_VALUE)


@dataclass(frozen=True)
class Compared:
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
    """The positions of the columns whose names are like their values, where that says that none are names; else none.

    `shares` and `shapes` are those of the values. The tables of a profile hold names afterwards. Raises EngineError.
    """
    if not source.named_by_first_row:
        return ()
    named = [i for i, one in enumerate(columns) if one.name.strip() and one.name not in source.partitions]
    values = {"positions": named, "names": [columns[position].name for position in named]}
    compared = {
        position: Compared(same > 0, alike > 0, initials)
        for position, (same, alike, initials) in positions(
            engine.query(
                "source/profile/names_among_values",
                names={"profile_values": values_table()},
                values={**values, "spellings": list(SPELLINGS)},
            )
        ).items()
    }
    names: dict[str, template.Fill] = {"profile_values": values_table()}
    engine.query("source/profile/names_as_values", names=names, values=values)
    take_sample(engine, 1, named)
    written, outlines = marked(engine, look(engine)), shapes_of(engine)
    verdicts = {
        position: verdict(
            columns[position],
            (shares.get(position, Shares()), shapes.get(position, {})),
            (written[position], next(iter(outlines.get(position, {})), "")),
            compared.get(position, Compared()),
        )
        for position in named
        if position in written
    }
    repeated = all(position in compared and compared[position].same for position in named)
    if not are_values(verdicts.values(), repeated=repeated):
        return ()
    return tuple(position for position, one in verdicts.items() if one in _VALUES)


def are_values(verdicts: Iterable[Verdict], *, repeated: bool) -> bool:
    """Whether a first row holds values, by what each of its columns says.

    One that is `repeated` below and holds a name is a header, as files have that were put together.
    """
    found = list(verdicts)
    names = found.count(Verdict.A_NAME)
    if Verdict.SURELY_A_VALUE in found:
        return True
    return not (repeated and names) and 0 < sum(one in _VALUES for one in found) >= names


def verdict(
    column: ColumnProfile,
    values: tuple[Shares, Mapping[str, int]],
    name: tuple[Shares, str],
    compared: Compared,
) -> Verdict:
    """What the values of a column (their marks, their shapes) say of its name (its marks, its shape)."""
    shares, shapes = values
    own, outline = name
    if not shares.looked_at:
        return Verdict.UNCLEAR
    if any(own.of(mark) and shares.of(mark) >= _MANY for mark in _WRITTEN):
        return Verdict.SURELY_A_VALUE
    if shares.of(*_NUMBERS) >= MOST:
        return _of_number(shares, own)
    if shares.of(*_WRITTEN) >= MOST:
        return Verdict.A_NAME
    if compared.same:
        return Verdict.LIKE_A_VALUE
    if shares.of("codes") >= MOST and not own.of("codes"):
        return Verdict.A_NAME
    if column.alone <= _REPEATED and column.rows - column.missing >= _ROWS:
        return Verdict.A_NAME
    if any(own.of(mark) and shares.of(mark) >= _WORDS for mark in _LISTED) and not own.of("no_name"):
        return Verdict.LIKE_A_VALUE
    if any(shares.of(mark) >= MOST for mark in _LISTED):
        return Verdict.A_NAME
    return Verdict.LIKE_A_VALUE if _has_their_shape(outline, shapes, shares, compared) else Verdict.UNCLEAR


def _of_number(shares: Shares, own: Shares) -> Verdict:
    """A number above numbers is a value, but for a year above what are none: tables have a column a year."""
    if not own.of(*_NUMBERS):
        return Verdict.A_NAME
    is_year_of_a_table = own.of("year_alone") and shares.of("year_alone") < 0.5
    return Verdict.UNCLEAR if is_year_of_a_table else Verdict.LIKE_A_VALUE


def _has_their_shape(outline: str, shapes: Mapping[str, int], shares: Shares, compared: Compared) -> bool:
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
