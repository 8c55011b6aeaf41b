"""Sensitive columns in the engine: their values as codes, and how often each occurs in the rows that take part."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.frequency.dimensions import Kind
from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.source.model import Column
from kanon_sql.source.reading import understood
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Composed, Item, column, compose, state

_FIRST = 1000  # the tables of sensitive columns are numbered from here, those of quasi-identifiers from 0


@dataclass(frozen=True)
class Sensitive:
    """A sensitive column that models read.

    Its codes in the table domain(value, position) number its values from 1 in their order; 0 is missing. The table
    reference(value, row_count, rank, cumulative, prefix, share) counts the codes in all rows that take part. With
    `by_entity` each pair of entity and value counts once. `kind` is how its values are ordered.

    Where a row holds `several` values, the domain numbers its lists of values, and what is counted are pairs of a row
    and a value, numbered in the table `listed`. As a row is in one class, the pairs of a union of classes are those of
    its classes.
    """

    index: int
    column: Column
    by_entity: bool
    kind: Kind
    mapping: MappingTable | None = None
    several: bool = False

    @property
    def domain(self) -> str:
        """The table of raw values and their codes."""
        return state(f"domain_{domain_index(self.index)}")

    @property
    def code(self) -> str:
        """The column of the codes in the table of records."""
        return f"s{self.index}"

    @property
    def text(self) -> exp.Expr:
        """The text by which a raw `value` is told from others."""
        return understood(exp.cast(column("value"), "VARCHAR"), self.column.reading)

    @property
    def table(self) -> str:
        """The codes with those of the quasi-identifiers: value, row_count, and entity if k counts entities."""
        return state(f"sensitive_{self.index}")

    @property
    def lists(self) -> str:
        """Where rows hold several values, the table of the codes of their lists, made as `table` is of others."""
        return state(f"lists_{self.index}")

    @property
    def listed(self) -> str:
        """Where rows hold several values, the table of the values of each list: list, value, is_held,
        is_of_source."""
        return state(f"listed_{self.index}")

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
        """The statement that counts the values of each class, in the table `table` or another with its columns."""
        file = "frequency/class_counts_entities" if self.by_entity else "frequency/class_counts"
        return compose(file, {"sensitive": sensitive or self.table})


@dataclass(frozen=True)
class Totals:
    """What the models' statements take as parameters about a sensitive column in all rows.

    `total` rows (or pairs of entity and value), `values` distinct values; `whole` is the sum of the cumulated counts.
    """

    total: int
    values: int
    whole: int


def domain_index(index: int) -> int:
    """The number of the domain table of sensitive column `index`."""
    return _FIRST + index


def count_reference(engine: Engine, attribute: Sensitive) -> Totals:
    """Makes the reference table of a sensitive column from `table`, and the tables of its hierarchy."""
    counted = compose("frequency/reference", {"class_counts": attribute.counts(), "reference": attribute.reference})
    engine.query(counted, lists={"key": []})
    totals = engine.query("frequency/totals", names={"reference": attribute.reference})[0]
    if attribute.mapping is not None:
        _count_nodes(engine, attribute, attribute.mapping)
    return Totals(*(int(value) for value in totals))


def _count_nodes(engine: Engine, attribute: Sensitive, mapping: MappingTable) -> None:
    steps: list[Item] = [{"number": level, "code": f"level_{level}"} for level in range(mapping.height)]
    names = {"domain": attribute.domain, "mapping": mapping.table, "nodes": attribute.nodes}
    lists, values = {"step": steps}, {"height": mapping.height}
    engine.query("frequency/nodes", names={**names, "reference": attribute.reference}, lists=lists, values=values)
    engine.query("frequency/ancestors", names={**names, "ancestors": attribute.ancestors}, lists=lists)
