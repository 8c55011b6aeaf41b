"""Sensitive columns in the engine: their values as codes, and how often each occurs in all rows that take part."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.frequency.dimensions import Kind
from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.source.model import Column
from kanon_sql.source.reading import understood
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Composed, Item, column, compose, state


@dataclass(frozen=True)
class Sensitive:
    """A sensitive column that models speak of.

    Its codes in the table domain(value, position) count its values from 1 in their order, 0 is missing. The table
    reference(value, row_count, rank, cumulative, prefix, share) holds the codes of all rows that take part. With
    `by_entity` each pair of entity and value counts once. `kind` is what its values are ordered as.
    """

    index: int
    column: Column
    by_entity: bool
    kind: Kind
    mapping: MappingTable | None = None

    @property
    def domain(self) -> str:
        """The table of raw values and their codes."""
        return state(f"domain_{_FIRST + self.index}")

    @property
    def code(self) -> str:
        """The column of the codes in the table of records."""
        return f"s{self.index}"

    @property
    def text(self) -> exp.Expr:
        """The text of a raw `value` by which it is told from others."""
        return understood(exp.cast(column("value"), "VARCHAR"), self.column.reading)

    @property
    def table(self) -> str:
        """The table of the codes with the quasi-identifiers' codes: value, row_count, and entity where that counts."""
        return state(f"sensitive_{self.index}")

    @property
    def reference(self) -> str:
        """The table of the codes of all rows."""
        return state(f"reference_{self.index}")

    @property
    def ancestors(self) -> str:
        """With a hierarchy, the table of the nodes above each code: value, level, node, parent, row_count."""
        return state(f"ancestors_{self.index}")

    @property
    def nodes(self) -> str:
        """With a hierarchy, the table of its nodes and their rows: level, node, row_count."""
        return state(f"sensitive_nodes_{self.index}")

    @property
    def height(self) -> int:
        """The height of its hierarchy, 0 without one."""
        return self.mapping.height if self.mapping else 0

    def counts(self, sensitive: str | Composed | None = None) -> Composed:
        """The statement that counts the values of classes, over this table or another of the same columns."""
        file = "frequency/class_counts_entities" if self.by_entity else "frequency/class_counts"
        return compose(file, {"sensitive": sensitive or self.table})


@dataclass(frozen=True)
class Totals:
    """A sensitive column in all rows: `total` rows (or pairs of entity and value), of `values` values.

    They are parameters of the models' statements. `whole` is the sum of the cumulated counts.
    """

    total: int
    values: int
    whole: int


_FIRST = 1000  # codes of sensitive columns stand in tables beside those of quasi-identifiers, numbered from here


def domain_index(index: int) -> int:
    """The number under which the codes of sensitive column `index` are made."""
    return _FIRST + index


def count_reference(engine: Engine, one: Sensitive) -> Totals:
    """Makes the reference table from the table of the column, and those of its hierarchy."""
    counted = compose("frequency/reference", {"class_counts": one.counts(), "reference": one.reference})
    engine.query(counted, lists={"key": []})
    found = engine.query("frequency/totals", names={"reference": one.reference})[0]
    if one.mapping is not None:
        _count_nodes(engine, one, one.mapping)
    return Totals(*(int(value) for value in found))


def _count_nodes(engine: Engine, one: Sensitive, mapping: MappingTable) -> None:
    steps: list[Item] = [{"number": level, "code": f"level_{level}"} for level in range(mapping.height)]
    names = {"domain": one.domain, "mapping": mapping.table, "nodes": one.nodes}
    lists, values = {"step": steps}, {"height": mapping.height}
    engine.query("frequency/nodes", names={**names, "reference": one.reference}, lists=lists, values=values)
    engine.query("frequency/ancestors", names={**names, "ancestors": one.ancestors}, lists=lists)
