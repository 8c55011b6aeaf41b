"""Checks of many lattice nodes in one statement: a check then costs what its data cost, not what a statement costs.

Every combination is repeated for each node of the batch, with the number of the node and one number that packs the
codes of its class there. The statements that judge classes take these two as the key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, reduce
from operator import getitem

from sqlglot import exp

from kanon_sql.frequency.judged import Models, source_tables
from kanon_sql.frequency.table import Frequency, code_name
from kanon_sql.privacy.statement import Tables
from kanon_sql.search.full_domain.coarser import CoarserTables, Query
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.sql.connection import Row
from kanon_sql.sql.template import Composed, Fill, Item, column, compose, mentions, state

_MOST_NODES = 64
_MOST_FROM_TABLES = 256  # nodes of a batch that is counted from tables at levels below them
_LEAST_TALLIED = 64  # nodes for which tables with tallies are made: to make them costs as much as that many checks
_MOST_ROWS = 3_000_000  # combinations times nodes, each of which may be a class of its own: about 150 MB
_KEY: list[Item] = [{"code": "node"}, {"code": "word"}]
_WORDS = ((63, "BIGINT"), (127, "HUGEINT"))  # types of the number that packs codes, by their bits


@dataclass(frozen=True)
class _Filled:
    """What fills the holes of a statement."""

    names: dict[str, Fill]
    lists: dict[str, Sequence[Item]]


class Batches:
    """The statements about many nodes of a lattice.

    `size` is the most nodes of a batch, 0 if nodes are checked one by one where there are no tables at levels below.
    """

    def __init__(self, frequency: Frequency, models: Models, *, screening: bool) -> None:
        self._frequency = frequency
        widths = [mapping.codes.bit_length() for mapping in frequency.mappings]
        self._word = next((name for bits, name in _WORDS if sum(widths) < bits), None)
        self._codes = _fields(widths)
        self._factors = [1 << shift for shift, _ in self._codes]
        self._levels = _fields([mapping.height.bit_length() for mapping in frequency.mappings])
        # Where models count values, a combination has a row for each of them.
        rows = frequency.tuples if not models.columns else frequency.n
        single = (
            models.by_entity or models.in_rounds or bool(models.refusing_absent)
        )  # where nodes are asked one by one
        possible = self._word is not None and not single
        self.size = min(_MOST_NODES, _MOST_ROWS // max(rows, 1)) if possible else 0
        bits = sum(mapping.height.bit_length() for mapping in frequency.mappings)
        self.units_size = self.size if bits < 63 else 0  # nodes that a statement may give the units of loss of
        self.statements = models.once(_Statements, screening=screening)
        self._models = models
        self._screening = screening
        self._tallies = models.tallies if possible else None
        self._from_coarser = possible and (models.only_k or self._tallies is not None)
        self._coarser: CoarserTables | None = None
        marginals = frequency.marginals
        self._by_detail = sorted(range(len(marginals)), key=lambda i: marginals[i][0].spread)
        self._cells: list[Item] = [
            {"code": code_name(i, level), "factor": self._factor(i)}
            for i, mapping in enumerate(frequency.mappings)
            for level in range(mapping.height + 1)
        ]
        self._costs: list[Item] = [
            {
                "costs": state(f"costs_{i}"),
                "cost": f"cost_{i}",
                "place": level_shift,
                "levels": level_bits,
                "shift": shift,
                "codes": codes,
            }
            for i, ((level_shift, level_bits), (shift, codes)) in enumerate(zip(self._levels, self._codes, strict=True))
        ]

    def roll(self, lattice: Lattice) -> bool:
        """Counts nodes of this lattice from tables at levels below them, until `unroll`; whether that pays."""
        frequency, tallies = self._frequency, self._tallies
        if self._from_coarser and self._coarser is None and CoarserTables.pay(frequency, lattice, tallies):
            sensitive = next(iter(self._models.columns.values())).table if tallies else ""
            factors = [self._factor(i) for i in range(len(self._codes))]
            self._coarser = CoarserTables(lattice, frequency, factors, tallies, sensitive)
            return True
        return False

    @property
    def most(self) -> int:
        """The most nodes that are asked about together."""
        return self.size if self._coarser is None else _MOST_FROM_TABLES

    def unroll(self, query: Query) -> None:
        """Drops the tables that `roll` led to."""
        if self._coarser is not None:
            self._coarser.drop(query)
            self._coarser = None

    def ask(self, query: Query, part: str, nodes: Sequence[Node], k: int) -> Iterator[tuple[Sequence[Node], list[Row]]]:
        """The nodes in batches, each with the rows that the statement `part` about it gives.

        `part` is check, classes, units, measured or screen; the nodes of a batch are numbered in their order.
        """
        filled = self._rolled(query, part, nodes) if self._reads_tables(len(nodes)) else self._plain(part, nodes)
        for batch, statement, holes in filled:
            if part in ("units", "measured"):
                packed = [sum(at << place for at, (place, _) in zip(node, self._levels, strict=True)) for node in batch]
                holes.names["node_levels"] = exp.Array(expressions=[exp.Literal.number(number) for number in packed])
                holes.lists["cost"] = self._costs
            yield batch, query(statement, values={"k": k}, names=holes.names, lists=holes.lists)

    def _reads_tables(self, nodes: int) -> bool:
        """Whether so many nodes are counted from tables at levels below them: those with tallies are made for many."""
        if self._coarser is None:
            return False
        return self._tallies is None or self._coarser.are_made or nodes >= _LEAST_TALLIED or not self.size

    def _plain(self, part: str, nodes: Sequence[Node]) -> Iterator[tuple[Sequence[Node], Composed, _Filled]]:
        """The nodes in batches of at most `size`, counted from all combinations.

        Those of a batch have similar levels in the columns that distinguish most rows, so that few combinations remain
        at the lowest of their levels.
        """
        if len(nodes) > self.size:
            nodes = sorted(nodes, key=self._similar)
        for start in range(0, len(nodes), self.size):
            batch = nodes[start : start + self.size]
            least = [min(levels) for levels in zip(*batch, strict=True)]
            words = exp.Array(expressions=[self._word_of(node) for node in batch])
            names: dict[str, Fill] = {"node_words": words, "node_count": exp.Literal.number(len(batch))}
            meet: list[Item] = [
                {"code": code_name(i, level)} for i, level in enumerate(least) if self._divides(i, level)
            ]
            filled = _Filled(names, {"cell": self._cells, "key": _KEY, "meet": meet})
            yield batch, getattr(self.statements, part), filled

    def _rolled(
        self, query: Query, part: str, nodes: Sequence[Node]
    ) -> Iterator[tuple[Sequence[Node], Composed, _Filled]]:
        """The nodes in batches, each counted from the table at levels below it; a batch may read several."""
        assert self._coarser is not None
        batch: list[Node] = []
        below: list[Node] = []
        rows = 0
        most_rows = _MOST_ROWS // (1 + len(self._coarser.tally_columns))
        for node in sorted(nodes, key=self._similar):
            levels = self._coarser.below(query, node)
            rows += self._coarser.size(levels)
            if batch and (rows > most_rows or len(batch) == _MOST_FROM_TABLES):
                yield batch, *self._from_tables(part, batch, below)
                batch, below, rows = [], [], self._coarser.size(levels)
            batch.append(node)
            below.append(levels)
        if batch:
            yield batch, *self._from_tables(part, batch, below)

    def _from_tables(self, part: str, batch: Sequence[Node], below: Sequence[Node]) -> tuple[Composed, _Filled]:
        """The statement about nodes, each of which is counted from the table at the levels `below` it."""
        assert self._coarser is not None
        names: dict[str, Fill] = {}
        tables = list(dict.fromkeys(below))
        # A statement about another number of tables is another, to be rendered anew: the smallest fills up powers of 2.
        tables += [min(tables, key=self._coarser.size)] * ((1 << (len(tables) - 1).bit_length()) - len(tables))
        for number, levels in enumerate(tables):
            places = [place for place, other in enumerate(below) if other == levels and number == tables.index(levels)]
            names[f"coarser{number}"] = self._coarser.name(levels)
            names[f"numbers{number}"] = exp.Array(expressions=[exp.Literal.number(place) for place in places])
            names[f"words{number}"] = exp.Array(expressions=[self._word_of(batch[place]) for place in places])
        statements = self._models.once(_from_tables(len(tables)), screening=self._screening)
        statement: Composed = getattr(statements, part)
        lists = {"key": _KEY, "tally": self._coarser.tally_columns}
        if self._tallies and mentions(statement, "slot"):
            lists["slot"] = self._tallies.slots
        return statement, _Filled(names, lists)

    def _similar(self, node: Node) -> list[int]:
        return [node[i] for i in self._by_detail]

    def _divides(self, attribute: int, level: int) -> bool:
        """Whether a level distinguishes rows: at the top of a hierarchy all values are one."""
        mapping = self._frequency.mappings[attribute]
        return level < mapping.height or mapping.splits_top

    def _word_of(self, node: Node) -> exp.Expr:
        """The sum of the columns at a node's levels."""
        columns = [name for name in map(getitem, self._columns, node) if name is not None]
        if not columns:
            return exp.Literal.number(0)
        return exp.Paren(this=reduce(lambda left, right: exp.Add(this=left, expression=right), columns))

    @cached_property
    def _columns(self) -> list[list[exp.Expr | None]]:
        """The column of each level of each quasi-identifier, None of those that distinguish no rows."""
        return [
            [column(code_name(i, level)) if self._divides(i, level) else None for level in range(mapping.height + 1)]
            for i, mapping in enumerate(self._frequency.mappings)
        ]

    def _factor(self, attribute: int) -> Fill:
        value = self._factors[attribute]
        return value if self._word == "BIGINT" else exp.cast(exp.Literal.number(value), "HUGEINT", dialect="duckdb")


def _fields(widths: Sequence[int]) -> list[tuple[int, int]]:
    """Where numbers of so many bits are in one number: (the bits by which each is shifted, a mask of its bits)."""
    return [(sum(widths[:i]), (1 << width) - 1) for i, width in enumerate(widths)]


class _Statements:
    """The statements on the classes of a batch, keyed by the number of the node and the word that packs its codes.

    With `screening`, `screen` counts the rows that no node below can release (see Models.screen).
    """

    def __init__(self, models: Models, *, screening: bool) -> None:
        tables = source_tables(models)
        packed = replace(
            tables,
            tuples=_packed("tuples", tables.tuples),
            sensitive={name: _packed("values", table) for name, table in tables.sensitive.items()},
            populations=[_packed("tuples", table) for table in tables.populations],
        )
        self._take(models, packed, screening=screening)

    def _take(self, models: Models, tables: Tables, *, screening: bool) -> None:
        self._judged = models.classes(tables)
        self.screen: Composed | None = None
        if screening:
            self.screen = compose("search/full_domain/batch_check", {"classes": models.screen(tables)})

    # Composed where they are asked for, as many a search needs one of them alone.

    @cached_property
    def check(self) -> Composed:
        """The rows of each node in classes that violate."""
        return compose("search/full_domain/batch_check", {"classes": self._judged})

    @cached_property
    def classes(self) -> Composed:
        """The classes of each node, those that are released and those that violate."""
        return compose("search/full_domain/batch_classes", {"classes": self._judged})

    @cached_property
    def units(self) -> Composed:
        """The units of loss that the suppressed rows of each node would have had."""
        return compose("search/full_domain/batch_suppressed_units", {"classes": self._judged})

    @cached_property
    def measured(self) -> Composed:
        """The classes of each node and those units, of classes that are made once."""
        counted = compose("search/full_domain/batch_classes", {"classes": "judged"})
        lost = compose("search/full_domain/batch_suppressed_units", {"classes": "judged"})
        return compose("search/full_domain/batch_measured", {"classes": self._judged, "counted": counted, "lost": lost})


def _packed(file: str, table: str | Composed) -> Composed:
    return compose(f"search/full_domain/batch_{file}", {"tuples" if file == "tuples" else "sensitive": table})


class _StatementsFromTables(_Statements):
    """The same with the combinations, and tallies of values, read from so many tables at levels below the nodes."""

    def __init__(self, models: Models, tables: int, *, screening: bool) -> None:
        members = [
            compose(
                "search/full_domain/coarser_words",
                {"coarser": f"coarser{number}", "node_numbers": f"numbers{number}", "node_words": f"words{number}"},
            ).tree
            for number in range(tables)
        ]
        union = reduce(lambda left, right: exp.Union(this=left, expression=right, distinct=False), members)
        self._take(models, replace(source_tables(models), tuples=Composed(union), tallied=True), screening=screening)


@cache
def _from_tables(tables: int) -> Callable[..., _StatementsFromTables]:
    """What composes the statements that read so many tables; the same each time, as Models.once remembers by it."""

    def statements(models: Models, *, screening: bool) -> _StatementsFromTables:
        return _StatementsFromTables(models, tables, screening=screening)

    return statements
