"""Linking columns: the text that each cell is compared by, and what such a text can stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.hierarchy.builtin import rare_word
from kanon_sql.hierarchy.codes import CODES
from kanon_sql.hierarchy.hierarchy import Hierarchy
from kanon_sql.source.model import Column, Source
from kanon_sql.source.values import as_written, text_of
from kanon_sql.sql.template import column


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
class Cell:
    """A linking column of one side: its value as text over the keys of its source, and the type that it has there."""

    name: str
    text: exp.Expr
    type: str


def find_cells(source: Source, names: Sequence[str], meanings: Sequence[Meaning]) -> tuple[list[Cell], list[str]]:
    """The linking columns of a source, and what is wrong with them; x_lower and x_upper stand for a released x."""
    present = {item.name: item for item in source.columns}
    cells: list[Cell] = []
    absent: list[str] = []
    for name, meaning in zip(names, meanings, strict=True):
        bounds = [present.get(f"{name}_{end}") for end in ("lower", "upper")]
        if name in present:
            cells.append(Cell(name, text_of(present[name], source.missing), present[name].type))
        elif meaning.ranges and bounds[0] is not None and bounds[1] is not None:
            cells.append(Cell(name, _bounds(bounds[0], bounds[1], source.missing), bounds[0].type))
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
