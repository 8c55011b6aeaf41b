"""Whether columns that are to be released look like direct identifiers or free text: a quick look at a few rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.source.model import Column, Source
from kanon_sql.source.profile.counting import drop_tables, is_ordered, look_at, values_table
from kanon_sql.source.profile.kinds import MOST, Shares, kind_of, positions
from kanon_sql.source.profile.model import DIRECT, Finding
from kanon_sql.source.profile.recognition import Facts, named, recognize
from kanon_sql.source.profile.sampling import HELD, held_by_rows, look, marked, take_sample
from kanon_sql.source.profile.spellings import SPELLINGS
from kanon_sql.sql.connection import Engine

WANTED = DIRECT | {"free text"}
_ROWS = 4_000
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
        some = source.backend.given(engine, rows if source.backend.weighted else rows.limit(_ROWS), looked_at)
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
