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
from kanon_sql.sql.template import Item, state

# What source.columns can say of a column whose values are of a kind; what they mean bears on built-ins alone.
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
    """Values of a quasi-identifier without a place in its hierarchy.

    `rows` hold them, `hole` is the quasi-identifier as an item of the list hole `qi`, `what` says what they look like,
    `kind` most of them.
    """

    place: str
    column: Column
    mapping: MappingTable
    rows: exp.Select
    hole: Item
    values: int
    what: str
    kind: str
    shows: bool

    def problem(self, where: str = "") -> str:
        """The line that is said of them; `where` one of them stands."""
        expected = (
            f"values that fit builtin: {self.mapping.builtin}"
            if self.mapping.builtin
            else "a row of the hierarchy for every value of the source"
        )
        return (
            f"{self.place}: {self.values} distinct {'value' if self.values == 1 else 'values'} of column "
            f"{self.column.name!r} {'is' if self.values == 1 else 'are'} not covered {self.what}{where}; "
            f"expected {expected}{self._remedy()}{'' if self.shows else '; --show-values shows some'}"
        )

    def _remedy(self) -> str:
        """How the configuration can read such texts; nothing for others, and for what holds no texts."""
        if not self.column.is_text or self.column.reading is not None:
            return ""
        read = (_READ | _MEANT if self.mapping.builtin else _READ).get(self.kind)
        return f"; say how the column is written in source.columns: {self.column.name}: {read}" if read else ""


class UncoveredError(UnfittingSourceError):
    """Hierarchies leave values of the source uncovered."""

    def __init__(self, found: Sequence[Uncovered]) -> None:
        self._found = found
        super().__init__([one.problem() for one in found])

    def locate(self, place_of: Callable[[Uncovered], str]) -> None:
        """Says where one of the values of each column stands."""
        self.problems = [one.problem(place_of(one)) for one in self._found]
        self.args = ("\n".join(self.problems),)


def refuse_uncovered(
    engine: Engine,
    rows: exp.Select,
    columns: Sequence[Column],
    mappings: Sequence[MappingTable],
    places: Sequence[str],
    items: list[Item],
) -> None:
    """Raises UncoveredError where the frequency table lacks codes: values that hierarchies do not cover."""
    counted = engine.query("hierarchy/uncovered_count", names={"frequency": state("frequency")}, lists={"qi": items})[0]
    found = []
    for item, mapping, place, tuples, hole in zip(columns, mappings, places, counted, items, strict=True):
        if not tuples:
            continue
        values, examples = engine.query("hierarchy/uncovered_values", names={"source": rows}, lists={"qi": [hole]})[0]
        shown = f" ({', '.join(map(repr, examples))} ...)" if engine.show_values else ""
        kind, alike = engine.query(
            "hierarchy/uncovered_kinds", names={"source": rows, "mapping": mapping.table}, lists={"qi": [hole]}
        )[0]
        most = "" if values == 1 else "all: " if alike == values else f"{alike} of them: "
        what = f"({most}{kind}){shown}"
        found.append(Uncovered(place, item, mapping, rows, hole, int(values), what, kind, shows=engine.show_values))
    if found:
        raise UncoveredError(found)


@contextmanager
def locating_uncovered(engine: Engine, source: Source) -> Iterator[None]:
    """Adds to the block's UncoveredError where such values stand; the source is read once more for that."""
    try:
        yield
    except UncoveredError as error:
        # What cannot be read here is no news beside the error.
        with suppress(EngineError):
            error.locate(lambda one: _standing(engine, source, one))
        raise


def _standing(engine: Engine, source: Source, one: Uncovered) -> str:
    place = find_place(engine, source, one.column, lambda located: _first(engine, one, located))
    return f", one of them in {place}" if place and one.values > 1 else f", as in {place}" if place else ""


def _first(engine: Engine, one: Uncovered, located: exp.Select) -> tuple[str, int] | None:
    """(file, position) of the first of the values among rows of value, file and position."""
    names = {"source": one.rows, "located": located}
    found = engine.query("hierarchy/uncovered_place", names=names, lists={"qi": [one.hole]})
    return (str(found[0][0]), int(found[0][1])) if found else None
