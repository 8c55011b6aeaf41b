"""Linking columns: the text that each cell is compared by, and what such a text can stand for.

Which rows of two tables match: both sides are grouped, values are matched column by column, groups by equality.

No row is compared with a row. The distinct values of each linking column are matched first; values of a side that match
the same values of the other share a *signature*. Both sides then go down their columns at once, most selective first:
the combinations of signatures are nodes, and only pairs of nodes that matched so far are looked at again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.hierarchy.builtin import CODES, build_leaves, drop_leaves, rare_word
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn, Hierarchy
from kanon_sql.source.columns import as_written, text_of
from kanon_sql.source.model import Column, Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, state


@dataclass(frozen=True)
class Meaning:
    """How the released values of a column are read; without anything only equal texts match, and * everything.

    `ranges` says that the column has no hierarchy and was released under ranges or sets (Mondrian, local recoding).
    `aggregated` says that a class shows one value made of those of its rows, or ends of them.
    `codes` names a built-in of codes. `rest` is the word for rare values; `beside` says that values which are written
    beside it may be rare as well.
    """

    hierarchy: Hierarchy | None = None
    keeps: tuple[int, ...] = ()
    numbers: bool = False
    dates: bool = False
    sets: bool = False
    ranges: bool = False
    codes: str | None = None
    rest: str | None = None
    beside: bool = False
    aggregated: bool = False


EQUAL = Meaning()


def meaning_of(spec: QuasiIdentifier, hierarchy: Hierarchy | None, *, levels: bool) -> Meaning:
    """How a quasi-identifier that is generalized so is read; `levels` says that all rows are at one level."""
    if spec.aggregate is not None:
        return Meaning(numbers=True, dates=True, ranges=True, aggregated=True)
    if hierarchy is not None:
        return Meaning(hierarchy=hierarchy)
    if spec.builtin is not None:
        return Meaning(
            keeps=tuple(spec.keep or ()) if spec.builtin == "prefix" else (),
            numbers=spec.builtin == "intervals",
            dates=spec.builtin == "date",
            codes=spec.builtin if spec.builtin in CODES else None,
            rest=rare_word(spec) if spec.builtin == "merge-rare" else None,
            beside=not levels,
        )
    return Meaning(
        numbers=spec.type in (None, "number"),
        dates=spec.type in (None, "date"),
        sets=spec.type in (None, "text"),
        ranges=True,
    )


@dataclass(frozen=True)
class LinkingColumn:
    """A linking column of one side: its value as text over the keys of its source, and the type that it has there."""

    name: str
    text: exp.Expr
    type: str


def find_cells(
    source: Source, names: Sequence[str], meanings: Sequence[Meaning]
) -> tuple[list[LinkingColumn], list[str]]:
    """The linking columns of a source, and what is wrong with them; x_lower and x_upper stand for a released x."""
    present = {source_column.name: source_column for source_column in source.columns}
    cells: list[LinkingColumn] = []
    absent: list[str] = []
    for name, meaning in zip(names, meanings, strict=True):
        bounds = [present.get(f"{name}_{end}") for end in ("lower", "upper")]
        if name in present:
            cells.append(LinkingColumn(name, text_of(present[name], source.missing), present[name].type))
        elif meaning.ranges and bounds[0] is not None and bounds[1] is not None:
            cells.append(LinkingColumn(name, _bounds(bounds[0], bounds[1], source.missing), bounds[0].type))
        else:
            absent.append(name)
    # Where no name is there, the first row is perhaps no header but data, which messages must not show.
    hint = f"expected some of {', '.join(map(repr, list(present)[:20]))}" if cells else "is its first row a header?"
    return cells, [f"{source.label}: there is no column {name!r}; {hint}" for name in absent]


def typed_leaf(kinds: Sequence[str]) -> exp.Expr:
    """The column `leaf` of a hierarchy file as columns of the given types write it."""
    leaf: exp.Expr = column("leaf")
    typed = next((kind for kind in kinds if kind != "VARCHAR"), None)
    if typed is None or typed.startswith("ENUM"):
        return leaf
    value = exp.TryCast(this=leaf.copy(), to=exp.DataType.build(typed, dialect="duckdb"))
    return exp.Coalesce(this=as_written(value, typed), expressions=[leaf])


def _bounds(lower: Column, upper: Column, missing: Sequence[str]) -> exp.Expr:
    """Two bounds as one text: `17 to 24`, without the lower one ` to 24`, NULL without either."""
    low, high = text_of(lower, missing), text_of(upper, missing)
    empty = exp.Literal.string("")
    written = exp.Concat(
        expressions=[
            exp.Coalesce(this=low.copy(), expressions=[empty]),
            exp.Literal.string(" to "),
            exp.Coalesce(this=high.copy(), expressions=[empty.copy()]),
        ],
        safe=True,
    )
    neither = exp.and_(exp.Is(this=low, expression=exp.null()), exp.Is(this=high, expression=exp.null()))
    return exp.Case(ifs=[exp.If(this=neither, true=exp.null())], default=written)


SIDES = ("left", "right")


@dataclass(frozen=True)
class ColumnMatch:
    """One linking column: distinct values of both sides, those without a match, and the rows that hold these."""

    left_values: int
    left_unmatched: int
    left_unmatched_rows: int
    right_values: int
    right_unmatched: int
    right_unmatched_rows: int


def text_name(index: int) -> str:
    """The column of a table of groups that holds linking column number `index`."""
    return f"v{index}"


def table(side: str, name: str, index: int | None = None) -> str:
    """A table of one side, of one linking column where `index` is given."""
    return state(f"{side}_{name}" if index is None else f"{side}_{name}_{index}")


def group_rows(engine: Engine, side: str, rows: exp.Select, cells: Sequence[LinkingColumn]) -> int:
    """Makes the table groups(number, node, row_count, v0 ...) of one side, the only pass over its rows; their count."""
    items: list[Item] = [{"value": cell.text, "text": text_name(i)} for i, cell in enumerate(cells)]
    names = {"groups": table(side, "groups"), "table_rows": rows}
    engine.query("measures/link/groups", names=names, lists={"cell": items})
    return int(engine.query("measures/link/total", names={"groups": names["groups"]})[0][0])


def match_groups(
    engine: Engine,
    left: Sequence[LinkingColumn],
    right: Sequence[LinkingColumn],
    meanings: Sequence[Meaning],
    *,
    meets: bool = False,
) -> list[ColumnMatch]:
    """Makes the table pairs(left_node, right_node) of the groups that match.

    The groups of each side then carry their node; those that match nothing in some column are gone. With `meets` a
    table meets_i(left_label, right_label, said) tells for each column what two values that match say together.
    """
    matches: list[ColumnMatch] = []
    shares: list[tuple[float, int]] = []
    for i, meaning in enumerate(meanings):
        _match_values(engine, i, meaning, (left[i].type, right[i].type), meets=meets)
        matches.append(_signatures(engine, i))
        names = {"signature_matches": table("both", "signature_matches", i)}
        shares.append((engine.query("measures/link/selectivity", names=names)[0][0], i))
    engine.query("measures/link/root")
    texts: list[Item] = [{"text": text_name(i)} for i in range(len(meanings))]
    for _, i in sorted(shares):
        _descend(engine, i, texts)
    return matches


def _match_values(engine: Engine, index: int, meaning: Meaning, kinds: Sequence[str], *, meets: bool) -> None:  # noqa: C901
    """Makes the table matches(left_code, right_code) of the distinct values of one linking column.

    `kinds` are the types that it has on both sides.
    """
    names = {"meets": table("both", "meets", index)}
    for side in SIDES:
        names[f"{side}_labels"] = table(side, "labels", index)
        names |= {f"{side}_{name}": table(side, name) for name in ("points", "inner", "spans", "prefixes")}
    if meaning.hierarchy is not None:
        _load_tree(engine, meaning, kinds)
    elif meaning.codes is not None:
        _load_codes(engine, index, meaning.codes)
    for side in SIDES:
        _read_points(engine, side, index, meaning)
    if meaning.rest is not None:
        _add_rest(engine, index, meaning)
    engine.query("measures/link/matches", scope=names)
    if meets:
        engine.query("measures/link/narrower", scope=names)
        engine.query("measures/link/narrower_points", scope=names)
    for reading in [name for name, is_allowed in (("number", meaning.numbers), ("date", meaning.dates)) if is_allowed]:
        for side in SIDES:
            spans = {"labels": names[f"{side}_labels"], "spans": names[f"{side}_spans"]}
            engine.query(f"measures/link/{reading}_spans", names=spans)
        engine.query("measures/link/span_matches", scope=names)
        if meets:
            engine.query("measures/link/narrower_spans", scope=names)
    if meaning.keeps:
        keeps: list[Item] = [{"keep": keep} for keep in meaning.keeps]
        for side in SIDES:
            prefixes = {"labels": names[f"{side}_labels"], "prefixes": names[f"{side}_prefixes"]}
            engine.query("measures/link/prefixes", names=prefixes, lists={"level": keeps})
        engine.query("measures/link/prefix_matches", scope=names)
        if meets:
            engine.query("measures/link/narrower_prefixes", scope=names)
    if meets:
        engine.query("measures/link/meets", scope=names)


def _read_points(engine: Engine, side: str, index: int, meaning: Meaning) -> None:
    """Makes the tables of the distinct values of one side, and of the exact texts that each stands for."""
    names: dict[str, str] = {
        "labels": table(side, "labels", index),
        "points": table(side, "points"),
        "inner_points": table(side, "inner"),
        "groups": table(side, "groups"),
        "this_text": text_name(index),
    }
    engine.query("measures/link/labels", scope=names, values={"ranges": meaning.ranges})
    engine.query("measures/link/own_points", scope=names)
    if meaning.hierarchy is not None or meaning.codes is not None:
        engine.query("measures/link/tree_points", scope=names)
    if meaning.sets:
        engine.query("measures/link/set_points", scope=names)
    engine.query("measures/link/inner_points", scope=names)


def _load_tree(engine: Engine, meaning: Meaning, kinds: Sequence[str]) -> None:
    assert meaning.hierarchy is not None
    above = meaning.hierarchy.levels[1:]
    engine.query(
        "measures/link/tree",
        names={"leaf_text": typed_leaf(kinds)},
        values={
            "labels": json.dumps(list(chain.from_iterable(above))),
            "leaves": json.dumps(list(meaning.hierarchy.leaves) * len(above)),
        },
    )


def _load_codes(engine: Engine, index: int, builtin: str) -> None:
    """Makes the tree of a built-in of codes, over the values of both sides."""
    groups = {f"{side}_groups": table(side, "groups") for side in SIDES}
    texts = template.fill("measures/link/texts", names={**groups, "this_text": text_name(index)})
    distinct = exp.select("value").from_(exp.Subquery(this=texts, alias=exp.to_identifier("texts")))
    value_column = Column("value", "value", "VARCHAR")
    height = build_leaves(engine, GeneralizedColumn(index, value_column, QuasiIdentifier(builtin=builtin), distinct))
    levels: list[Item] = [{"key": f"label_{level}"} for level in range(1, height)]
    engine.query("measures/link/code_tree", names={"leaves": state("leaf")}, lists={"level": levels})
    drop_leaves(engine)


def _add_rest(engine: Engine, index: int, meaning: Meaning) -> None:
    """Lets the word for rare values stand for those of the other side."""
    labels = {side: table(side, "labels", index) for side in SIDES}
    points = {side: table(side, "points") for side in SIDES}
    for side, other in zip(SIDES, reversed(SIDES), strict=True):
        names = {"labels": labels[side], "other_labels": labels[other], "points": points[side]}
        values = {"rest": meaning.rest, "beside": meaning.beside}
        engine.query("measures/link/rest_points", names=names, values=values)
        engine.query("measures/link/inner_points", scope={**names, "inner_points": table(side, "inner")})


def _signatures(engine: Engine, index: int) -> ColumnMatch:
    """Makes the tables of signatures of one column, and of their matches; what they leave unmatched."""
    counted: list[int] = []
    names = {"signature_matches": table("both", "signature_matches", index)}
    for side, other in (SIDES, SIDES[::-1]):
        outputs = {"labels": table(side, "labels", index), "signatures": table(side, "signatures", index)}
        sides = {"this_code": f"{side}_code", "other_code": f"{other}_code"}
        engine.query("measures/link/signatures", names={**outputs, **sides})
        counted += [int(count) for count in engine.query("measures/link/unmatched", names=outputs)[0]]
        names[f"{side}_signatures"] = outputs["signatures"]
    engine.query("measures/link/signature_matches", names=names)
    return ColumnMatch(*counted)


def _descend(engine: Engine, index: int, texts: Sequence[Item]) -> None:
    """Splits the nodes of both sides by one more column, and keeps the pairs that still match."""
    names = {
        "signature_matches": table("both", "signature_matches", index),
    }
    for side in SIDES:
        names[f"{side}_nodes"] = table(side, "nodes")
        own = {"groups": table(side, "groups"), "nodes": table(side, "nodes"), "this_text": text_name(index)}
        own["signatures"] = table(side, "signatures", index)
        engine.query("measures/link/nodes", names=own)
        engine.query("measures/link/descend", names=own, lists={"cell": texts})
    engine.query("measures/link/pairs", names=names)
    engine.query("measures/link/take_pairs")
