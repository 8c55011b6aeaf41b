"""The passes over a source: totals of every column, then the distinct values of every column with their rows.

Values of a column that has more of them than are kept are drawn by their hash, so that a value comes with all of its
rows or not at all: what is alone in the sample is alone in the table, in the same share.

A sample of the distinct values of every column, and the marks that its values have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
_DRAWN = 100_000  # about so many are drawn where there are more
_TOGETHER = 200  # columns of one statement
_LONGEST = 1_000  # bytes of a text that are kept; of longer ones the beginning and a digest
_ORDERED = (*WHOLE, "FLOAT", "DOUBLE", "DECIMAL", "DATE", "TIMESTAMP")


@dataclass(frozen=True)
class Total:
    """What the first pass tells of a column: rows with a value, about how many are distinct, bytes, ends."""

    given: int
    distinct: int
    longest: int = 0
    lowest: Any = None
    highest: Any = None


@dataclass(frozen=True)
class Counted:
    """The rows of a source, the totals of its columns, and `step`: one in so many values of a column was kept."""

    rows: int
    totals: tuple[Total, ...]
    steps: tuple[int, ...]


def values_table() -> str:
    """The table of the distinct values: position, value, row_count."""
    return state("profile_values")


def drop_tables(engine: Engine) -> None:
    """What a profile made is no longer needed."""
    for name in ("profile_values", "profile_sample", "profile_words"):
        engine.run(tables.drop(state(name)))


def is_ordered(item: Column) -> bool:
    """Whether a column holds numbers or dates by its type."""
    return item.type.startswith(_ORDERED) and not item.type.endswith("]")


def text_of(item: Column) -> exp.Expr:
    """The value of a column as text."""
    return column(item.key) if item.is_text else exp.cast(column(item.key), "VARCHAR")


def count_source(engine: Engine, source: Source) -> Counted:
    """Makes the table of the distinct values, in two passes over the source. Raises EngineError."""
    if source.weighted or source.backend.weighted:
        return _count_weighted(engine, source)
    rows, totals = _totals(engine, source.relation, source.columns)
    steps = _steps([one.distinct for one in totals])
    keep_values(engine, source.relation, source.columns, steps, [one.longest for one in totals])
    return Counted(rows, totals, steps)


def look_at(engine: Engine, rows: exp.Select, columns: Sequence[Column]) -> None:
    """Makes the table of the distinct values of columns of few rows. Raises EngineError.

    A row that stands for several counts once.
    """
    names: dict[str, template.Fill] = {"source": rows, "profile_values": values_table()}
    names |= {"longest": _LONGEST, "column_count": len(columns)}
    engine.query("source/profile/look_at", names=names, lists={"item": [{"text": text_of(one)} for one in columns]})


def keep_values(
    engine: Engine, rows: exp.Select, columns: Sequence[Column], steps: Sequence[int], longest: Sequence[int]
) -> None:
    """Makes the table of the distinct values of columns, of one in `step` of them. Raises EngineError."""
    engine.run(tables.empty(values_table(), {"position": "INTEGER", "value": "VARCHAR", "row_count": "BIGINT"}))
    items: list[Item] = [
        {
            "key": item.key,
            "position": position,
            "value": exp.alias_(_kept(item, step, long), item.key, quoted=True),
            "text": text_of(item),
        }
        for position, (item, step, long) in enumerate(zip(columns, steps, longest, strict=True))
    ]
    for start in range(0, len(items), _TOGETHER):
        names: dict[str, template.Fill] = {"source": rows, "profile_values": values_table()}
        engine.query("source/profile/values", names=names, lists={"item": items[start : start + _TOGETHER]})


def _kept(item: Column, step: int, longest: int) -> exp.Expr:
    value: exp.Expr = column(item.key)
    if item.is_text and longest > _LONGEST:
        shortened = exp.func("concat", exp.func("left", value.copy(), literal(_LONGEST)), exp.func("md5", value.copy()))
        is_long = exp.GT(this=exp.Anonymous(this="strlen", expressions=[value.copy()]), expression=literal(_LONGEST))
        value = exp.Case(ifs=[exp.If(this=is_long, true=shortened)], default=value)
    if step == 1:
        return value
    drawn: exp.Expr = exp.EQ(
        this=exp.Mod(this=exp.Anonymous(this="hash", expressions=[column(item.key)]), expression=literal(step)),
        expression=literal(0),
    )
    if item.is_text:
        drawn = exp.or_(drawn, exp.In(this=column(item.key), expressions=[literal(text) for text in SPELLINGS]))
    return exp.Case(ifs=[exp.If(this=drawn, true=value)])


def _totals(engine: Engine, rows: exp.Select, columns: Sequence[Column]) -> tuple[int, tuple[Total, ...]]:
    count, totals = 0, list[Total]()
    for start in range(0, len(columns), _TOGETHER):
        some = columns[start : start + _TOGETHER]
        texts = [item for item in some if item.is_text]
        ordered = [item for item in some if is_ordered(item)]
        lists = {
            "item": [{"key": one.key, "given": f"{one.key}_given", "distinct": f"{one.key}_distinct"} for one in some],
            "text": [{"key": one.key, "longest": f"{one.key}_longest"} for one in texts],
            "ranged": [{"key": one.key, "lowest": f"{one.key}_low", "highest": f"{one.key}_high"} for one in ordered],
        }
        found = list(engine.query("source/profile/totals", names={"source": rows}, lists=lists)[0])
        count = int(found.pop(0))
        given, distinct = found[: len(some)], found[len(some) : 2 * len(some)]
        rest = iter(found[2 * len(some) :])
        longest = {item: next(rest) or 0 for item in texts}
        lowest = {item: next(rest) for item in ordered}
        highest = {item: next(rest) for item in ordered}
        totals += [
            Total(present, about, longest.get(item, 0), lowest.get(item), highest.get(item))
            for item, present, about in zip(some, given, distinct, strict=True)
        ]
    return count, tuple(totals)


def _steps(distinct: Sequence[int]) -> tuple[int, ...]:
    """One in how many values of each column is kept."""
    kept = {position: about for position, about in enumerate(distinct) if about <= MOST_VALUES}
    while sum(kept.values()) > _MOST_IN_ALL:
        del kept[max(kept, key=lambda position: kept[position])]
    return tuple(1 if position in kept else max(2, about // _DRAWN) for position, about in enumerate(distinct))


def _count_weighted(engine: Engine, source: Source) -> Counted:
    """Of rows that stand for several, or that another engine holds: the values of one column after the other."""
    engine.run(tables.empty(values_table(), {"position": "INTEGER", "value": "VARCHAR", "row_count": "BIGINT"}))
    count, totals = 0, list[Total]()
    for position, item in enumerate(source.columns):
        rows = source.relation if source.weighted else source.backend.given(engine, source.relation, [item])
        names: dict[str, template.Fill] = {"source": rows, "item_key": item.key, "item_position": position}
        names["profile_values"] = values_table()
        engine.query("source/profile/weighted_values", names={**names, "item_text": text_of(item)})
        names = {"source": rows, "item_key": item.key, "item_length": exp.func("length", text_of(item))}
        total, given, distinct, longest, lowest, highest = engine.query("source/profile/weighted", names=names)[0]
        ends = (lowest, highest) if is_ordered(item) else (None, None)
        totals.append(Total(given, distinct, longest or 0, *ends))
        count = int(total)
    return Counted(count, tuple(totals), (1,) * len(totals))


# A group of marks stands in a file of its own, since a statement of all of them takes far longer to plan than to run.
GROUPS = ("numerals", "mails", "codes", "telephones", "addresses", "digits", "letters_and_digits", "words")


# What names somebody in a text of several words.
HELD = ("holds_email", "holds_telephone", "holds_name")


def take_sample(engine: Engine, most: int, wanted: Sequence[int]) -> None:
    """Makes the table of a sample of the distinct values of each column that is wanted. Raises EngineError."""
    names: dict[str, template.Fill] = {"profile_values": values_table(), "profile_sample": state("profile_sample")}
    values = {"most": most, "spellings": list(SPELLINGS), "positions": list(wanted)}
    engine.query("source/profile/sample", names=names, values=values)


def look(engine: Engine) -> dict[int, Shares]:
    """Of each column of the sample what is found at first. Raises EngineError."""
    names = named_columns("source/profile/look")[4:]
    looks = positions(engine.query("source/profile/look", names={"profile_sample": state("profile_sample")}))
    return {
        position: Shares(count, length, words, dict(zip(names, marks, strict=True)))
        for position, (count, length, words, *marks) in looks.items()
    }


def marked(engine: Engine, found: Mapping[int, Shares]) -> dict[int, Shares]:
    """What is known of these columns of the sample, with the marks that one of them may have. Raises EngineError."""
    marks = {position: dict(shares.marks) for position, shares in found.items()}
    groups = [group for group in GROUPS if any(one[group] for one in marks.values())]
    tables: dict[str, template.Fill] = {"profile_sample": state("profile_sample")}
    for group in groups:
        name = f"source/profile/marks_{group}"
        if group == "words":
            load_words(engine)
        words: dict[str, template.Fill] = {"profile_words": state("profile_words")} if group == "words" else {}
        values = template.fill(name, {**tables, **words})
        counts = engine.query("source/profile/shares", names={"marked": values})
        for position, row in positions(counts).items():
            if position in marks:
                marks[position] |= zip(named_columns(name)[1:], row, strict=True)
    return {position: Shares(one.looked_at, one.length, one.words, marks[position]) for position, one in found.items()}


def shapes_of(engine: Engine) -> dict[int, dict[str, int]]:
    """Of each column of the sample the shapes of its values, with how many have each. Raises EngineError."""
    shapes: dict[int, dict[str, int]] = {}
    names: dict[str, template.Fill] = {"profile_sample": state("profile_sample")}
    for position, shape, count in engine.query("source/profile/shapes", names=names):
        shapes.setdefault(position, {})[shape] = count
    return shapes


def held_by_rows(engine: Engine, found: Mapping[int, Shares], rows: int) -> dict[int, dict[str, float]]:
    """Of each of these columns that may be free text the shares of all `rows` by what their text holds.

    Raises EngineError.
    """
    wanted = [position for position, shares in found.items() if shares.of(*HELD)]
    if not wanted:
        return {}
    names: dict[str, template.Fill] = {"profile_values": values_table()}
    counts = positions(engine.query("source/profile/held", names=names, values={"positions": wanted}))
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
