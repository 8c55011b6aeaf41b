"""Values that a hierarchy does not cover: how many, what most of them look like, and where one of them stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.errors import EngineError, UnfittingSourceError
from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.source.formats.registry import find_place
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item

# What source.columns can say of a column by the kind of its values; _MEANT goes with built-ins alone.
_MEANT = {
    "numbers with a decimal comma": '{type: number, decimal: ","}',
    "dates written as dd.mm.yyyy": '{type: date, format: "%d.%m.%Y"}',
    "dates written with slashes": '{type: date, format: "%d/%m/%Y"}, or "%m/%d/%Y"',
}
_READ = {
    "values of the hierarchy but for spaces around them": "{trim: true}",
    "texts with spaces around them": "{trim: true}",
    "values of the hierarchy but for upper and lower case": "{case: lower}, or upper, or {recode: {written: meant}}",
}


@dataclass(frozen=True)
class Uncovered:
    """Values of a quasi-identifier that its hierarchy does not cover.

    `rows` are those of the source, `hole` is the quasi-identifier as an item of the list hole `qi`. `values` is the
    number of distinct values, `description` says what they look like, `kind` is the kind of most of them.
    """

    place: str
    column: Column
    mapping: MappingTable
    rows: exp.Select
    hole: Item
    values: int
    description: str
    kind: str
    shows: bool

    def problem(self, where: str = "") -> str:
        """The problem as a line; `where` says where one of the values is."""
        expected = (
            f"values that fit builtin: {self.mapping.builtin}"
            if self.mapping.builtin
            else "a row of the hierarchy for every value of the source"
        )
        return (
            f"{self.place}: {self.values:,} distinct {'value' if self.values == 1 else 'values'} of column "
            f"{self.column.name!r} {'is' if self.values == 1 else 'are'} not covered {self.description}{where}; "
            f"expected {expected}{self._remedy()}{'' if self.shows else '; --show-values shows some'}"
        )

    def _remedy(self) -> str:
        """How source.columns can read such texts, as a part of the message; empty where it cannot."""
        if not self.column.is_text or self.column.reading is not None:
            return ""
        read = (_READ | _MEANT if self.mapping.builtin else _READ).get(self.kind)
        return f"; say how the column is written in source.columns: {self.column.name}: {read}" if read else ""


class UncoveredError(UnfittingSourceError):
    """Hierarchies do not cover values of the source."""

    def __init__(self, uncovered: Sequence[Uncovered]) -> None:
        self._uncovered = uncovered
        super().__init__([values.problem() for values in uncovered])

    def locate(self, place_of: Callable[[Uncovered], str]) -> None:
        """Adds to the message where one of the values of each column is."""
        self.problems = [values.problem(place_of(values)) for values in self._uncovered]
        self.args = ("\n".join(self.problems),)


def refuse_uncovered(
    engine: Engine,
    rows: exp.Select,
    columns: Sequence[Column],
    mappings: Sequence[MappingTable],
    places: Sequence[str],
    items: list[Item],
) -> None:
    """Raises UncoveredError where the frequency table lacks codes, as hierarchies do not cover the values."""
    counted = engine.query("hierarchy/uncovered_count", lists={"qi": items})[0]
    uncovered = []
    for column, mapping, place, tuples, hole in zip(columns, mappings, places, counted, items, strict=True):
        if not tuples:
            continue
        values, examples = engine.query("hierarchy/uncovered_values", names={"source": rows}, lists={"qi": [hole]})[0]
        shown = f" ({', '.join(map(repr, examples))} ...)" if engine.show_values else ""
        kind, alike = engine.query(
            "hierarchy/uncovered_kinds", names={"source": rows, "mapping": mapping.table}, lists={"qi": [hole]}
        )[0]
        most = "" if values == 1 else "all: " if alike == values else f"{alike:,} of them: "
        description, shows = f"({most}{kind}){shown}", engine.show_values
        uncovered.append(Uncovered(place, column, mapping, rows, hole, int(values), description, kind, shows=shows))
    if uncovered:
        raise UncoveredError(uncovered)


@contextmanager
def locating_uncovered(engine: Engine, source: Source) -> Iterator[None]:
    """Adds to the block's UncoveredError where the values are; the source is read once more for it."""
    try:
        yield
    except UncoveredError as error:
        # That it cannot be read again says no more than the error.
        with suppress(EngineError):
            error.locate(lambda uncovered: _standing(engine, source, uncovered))
        raise


def _standing(engine: Engine, source: Source, uncovered: Uncovered) -> str:
    place = find_place(engine, source, uncovered.column, lambda located: _first(engine, uncovered, located))
    return f", one of them in {place}" if place and uncovered.values > 1 else f", as in {place}" if place else ""


def _first(engine: Engine, uncovered: Uncovered, located: exp.Select) -> tuple[str, int] | None:
    """(file, position) of the first of the values among rows of value, file and position."""
    names = {"source": uncovered.rows, "located": located}
    rows = engine.query("hierarchy/uncovered_place", names=names, lists={"qi": [uncovered.hole]})
    return (str(rows[0][0]), int(rows[0][1])) if rows else None
