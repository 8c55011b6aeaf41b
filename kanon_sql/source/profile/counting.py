"""What is counted of a source: totals of every column, the distinct values with their rows, a sample with its marks.

Of a column with more distinct values than are kept some are drawn by their hash, so that a value comes with all of its
rows or not at all: the share of values of one row in the sample is that in the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sqlglot import exp

from kanon_sql.source.model import Column, Source
from kanon_sql.source.profile.kinds import Shares, positions
from kanon_sql.source.profile.spellings import SPELLINGS
from kanon_sql.source.profile.words import load_words
from kanon_sql.sql import tables, template
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.sql.tables import WHOLE
from kanon_sql.sql.template import Item, column, state

MOST_VALUES = 3_000_000  # distinct values of a column that are counted exactly
_MOST_IN_ALL = 8_000_000
_DRAWN = 100_000  # about so many values are drawn where there are more
_TOGETHER = 200  # columns of one statement
_LONGEST = 1_000  # bytes of a text that are kept; of longer texts the beginning and a digest
_ORDERED = (*WHOLE, "FLOAT", "DOUBLE", "DECIMAL", "DATE", "TIMESTAMP")
# Each group of marks has a file of its own: a statement of all of them takes far longer to plan than to run.
GROUPS = ("numerals", "mails", "codes", "telephones", "addresses", "digits", "letters_and_digits", "words")
_VALUES = {"position": "INTEGER", "value": "VARCHAR", "row_count": "BIGINT"}  # columns of the table of distinct values
# What identifies somebody within a text of several words.
HELD = ("holds_email", "holds_telephone", "holds_name")


@dataclass(frozen=True)
class Total:
    """The first pass over a column: rows with a value, estimated distinct values, bytes of the longest, ends."""

    filled: int
    distinct: int
    longest: int = 0
    lowest: Any = None
    highest: Any = None


@dataclass(frozen=True)
class ProfileCounts:
    """The number of rows of a source, and for each column its total and its step: one in so many values is kept."""

    rows: int
    totals: tuple[Total, ...]
    steps: tuple[int, ...]


def drop_tables(engine: Engine) -> None:
    """Drops the tables that a profile makes."""
    for name in ("profile_values", "profile_sample", "profile_words"):
        engine.run(tables.drop(state(name)))


def is_ordered(col: Column) -> bool:
    """Whether a column holds numbers or dates by its type."""
    return col.type.startswith(_ORDERED) and not col.type.endswith("]")


def text_of(col: Column) -> exp.Expr:
    """The value of a column cast to text."""
    return column(col.key) if col.is_text else exp.cast(column(col.key), "VARCHAR")


def count_source(engine: Engine, source: Source) -> ProfileCounts:
    """Makes the table of the distinct values, in two passes over the source. Raises EngineError."""
    if source.weighted or source.backend.weighted:
        return _count_weighted(engine, source)
    rows, totals = _totals(engine, source.relation, source.columns)
    steps = _steps([total.distinct for total in totals])
    keep_values(engine, source.relation, source.columns, steps, [total.longest for total in totals])
    return ProfileCounts(rows, totals, steps)


def look_at(engine: Engine, rows: exp.Select, columns: Sequence[Column], *, weighted: bool) -> None:
    """Makes the table of the distinct values of columns of few rows, which stand for others where they are weighted.

    Raises EngineError.
    """
    names: dict[str, template.Fill] = {"source": rows, "longest": _LONGEST, "column_count": len(columns)}
    names["row_weight"] = _weight(weighted=weighted)
    engine.query("source/profile/look_at", names=names, lists={"item": [{"text": text_of(col)} for col in columns]})


def total_of(engine: Engine, rows: exp.Select, *, weighted: bool) -> int:
    """How many rows there are, which stand for others where they are weighted. Raises EngineError."""
    names: dict[str, template.Fill] = {"source": rows, "row_weight": _weight(weighted=weighted)}
    return int(engine.query("source/profile/row_total", names=names)[0][0])


def _weight(*, weighted: bool) -> exp.Expr:
    return column("row_count") if weighted else literal(1)


def keep_values(
    engine: Engine, rows: exp.Select, columns: Sequence[Column], steps: Sequence[int], longest: Sequence[int]
) -> None:
    """Makes the table of the distinct values of columns, one in `steps` of each. Raises EngineError."""
    engine.run(tables.empty(state("profile_values"), _VALUES))
    columns_read: list[Item] = [
        {
            "key": col.key,
            "position": position,
            "value": exp.alias_(_kept(col, step, long), col.key, quoted=True),
            "text": text_of(col),
        }
        for position, (col, step, long) in enumerate(zip(columns, steps, longest, strict=True))
    ]
    for start in range(0, len(columns_read), _TOGETHER):
        names: dict[str, template.Fill] = {
            "source": rows,
        }
        engine.query("source/profile/values", names=names, lists={"item": columns_read[start : start + _TOGETHER]})


def _kept(col: Column, step: int, longest: int) -> exp.Expr:
    value: exp.Expr = column(col.key)
    if col.is_text and longest > _LONGEST:
        shortened = exp.func("concat", exp.func("left", value.copy(), literal(_LONGEST)), exp.func("md5", value.copy()))
        is_long = exp.GT(this=exp.Anonymous(this="strlen", expressions=[value.copy()]), expression=literal(_LONGEST))
        value = exp.Case(ifs=[exp.If(this=is_long, true=shortened)], default=value)
    if step == 1:
        return value
    drawn: exp.Expr = exp.EQ(
        this=exp.Mod(this=exp.Anonymous(this="hash", expressions=[column(col.key)]), expression=literal(step)),
        expression=literal(0),
    )
    if col.is_text:
        drawn = exp.or_(drawn, exp.In(this=column(col.key), expressions=[literal(text) for text in SPELLINGS]))
    return exp.Case(ifs=[exp.If(this=drawn, true=value)])


def _totals(engine: Engine, rows: exp.Select, columns: Sequence[Column]) -> tuple[int, tuple[Total, ...]]:
    count, totals = 0, list[Total]()
    for start in range(0, len(columns), _TOGETHER):
        batch = columns[start : start + _TOGETHER]
        texts = [col for col in batch if col.is_text]
        ordered = [col for col in batch if is_ordered(col)]
        lists = {
            "item": [{"key": col.key, "given": f"{col.key}_given", "distinct": f"{col.key}_distinct"} for col in batch],
            "text": [{"key": col.key, "longest": f"{col.key}_longest"} for col in texts],
            "ranged": [{"key": col.key, "lowest": f"{col.key}_low", "highest": f"{col.key}_high"} for col in ordered],
        }
        figures = list(engine.query("source/profile/totals", names={"source": rows}, lists=lists)[0])
        count = int(figures.pop(0))
        filled, distinct = figures[: len(batch)], figures[len(batch) : 2 * len(batch)]
        rest = iter(figures[2 * len(batch) :])
        longest = {col: next(rest) or 0 for col in texts}
        lowest = {col: next(rest) for col in ordered}
        highest = {col: next(rest) for col in ordered}
        totals += [
            Total(present, about, longest.get(col, 0), lowest.get(col), highest.get(col))
            for col, present, about in zip(batch, filled, distinct, strict=True)
        ]
    return count, tuple(totals)


def _steps(distinct: Sequence[int]) -> tuple[int, ...]:
    """For each column one in how many of its values is kept."""
    kept = {position: about for position, about in enumerate(distinct) if about <= MOST_VALUES}
    while sum(kept.values()) > _MOST_IN_ALL:
        del kept[max(kept, key=lambda position: kept[position])]
    return tuple(1 if position in kept else max(2, about // _DRAWN) for position, about in enumerate(distinct))


def _count_weighted(engine: Engine, source: Source) -> ProfileCounts:
    """Counts weighted rows, or those of another engine, one column after the other."""
    engine.run(tables.empty(state("profile_values"), _VALUES))
    count, totals = 0, list[Total]()
    for position, col in enumerate(source.columns):
        rows = source.relation if source.weighted else source.backend.given(engine, source.relation, [col])
        names: dict[str, template.Fill] = {"source": rows, "item_key": col.key, "item_position": position}
        engine.query("source/profile/weighted_values", names={**names, "item_text": text_of(col)})
        names = {"source": rows, "item_key": col.key, "item_length": exp.func("length", text_of(col))}
        total, filled, distinct, longest, lowest, highest = engine.query("source/profile/weighted", names=names)[0]
        ends = (lowest, highest) if is_ordered(col) else (None, None)
        totals.append(Total(filled, distinct, longest or 0, *ends))
        count = int(total)
    return ProfileCounts(count, tuple(totals), (1,) * len(totals))


def take_sample(engine: Engine, most: int, wanted: Sequence[int]) -> None:
    """Makes the table of a sample, at most `most` distinct values of each wanted column. Raises EngineError."""
    values = {"most": most, "spellings": list(SPELLINGS), "positions": list(wanted)}
    engine.query("source/profile/sample", values=values)


def look(engine: Engine) -> dict[int, Shares]:
    """For each column of the sample its first marks, by which groups of more marks are chosen. Raises EngineError."""
    names = named_columns("source/profile/look")[4:]
    looks = positions(engine.query("source/profile/look"))
    return {
        position: Shares(count, length, words, dict(zip(names, marks, strict=True)))
        for position, (count, length, words, *marks) in looks.items()
    }


def marked(engine: Engine, looks: Mapping[int, Shares]) -> dict[int, Shares]:
    """The columns with the marks of all groups that one of them may have. Raises EngineError."""
    marks = {position: dict(shares.marks) for position, shares in looks.items()}
    groups = [group for group in GROUPS if any(shares[group] for shares in marks.values())]
    for group in groups:
        name = f"source/profile/marks_{group}"
        if group == "words":
            load_words(engine)
        counts = engine.query("source/profile/shares", names={"marked": template.fill(name)})
        for position, row in positions(counts).items():
            if position in marks:
                marks[position] |= zip(named_columns(name)[1:], row, strict=True)
    return {position: replace(shares, marks=marks[position]) for position, shares in looks.items()}


def shapes_of(engine: Engine) -> dict[int, dict[str, int]]:
    """For each column of the sample the shapes of its values, with the number of each. Raises EngineError."""
    shapes: dict[int, dict[str, int]] = {}
    for position, shape, count in engine.query("source/profile/shapes"):
        shapes.setdefault(position, {})[shape] = count
    return shapes


def held_by_rows(engine: Engine, looks: Mapping[int, Shares], rows: int) -> dict[int, dict[str, float]]:
    """For each of these columns that may be free text the shares of `rows` whose text holds each of HELD.

    Raises EngineError.
    """
    wanted = [position for position, shares in looks.items() if shares.of(*HELD)]
    if not wanted:
        return {}
    counts = positions(engine.query("source/profile/held", values={"positions": wanted}))
    return {
        position: {mark: count / max(1, rows, total) for mark, count in zip(HELD, held, strict=True)}
        for position, (total, *held) in counts.items()
    }


@cache
def named_columns(name: str) -> list[str]:
    """The columns of a query file."""
    tree = template.load(name)
    assert isinstance(tree, exp.Select)
    return tree.named_selects
