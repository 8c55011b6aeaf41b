"""Tables of the combinations at some levels of a lattice, from which the nodes above are counted.

A class of a node is a union of the combinations at any levels below it, so that its rows are the sum of theirs. The
quasi-identifiers that distinguish the most rows have the most combinations to lose: a table is made for each choice of
their levels that is asked about, the others at their lowest levels, each from the smallest that is there already
(Harinarayan, Rajaraman and Ullman, Implementing data cubes efficiently, SIGMOD 1996). Nodes at the border between
failing and satisfying ones have few classes, and a table below them that is far smaller than all combinations. So do
nodes that models judge by the values of a sensitive column, which are then tallied in the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kanon_sql.frequency.table import Frequency, code_name
from kanon_sql.frequency.tallies import Tallies
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.sql.template import Fill, Item, state

_MOST_TABLES = 32
_LEAST_TUPLES = 5_000  # of a table with fewer combinations a check costs no more than its statement
_MOST_CELLS = 16_000_000  # of all tables together: about 130 MB

Query = Callable[..., list[Any]]


class CoarserTables:
    """The tables of one lattice; `below` gives the one for a node."""

    def __init__(
        self,
        lattice: Lattice,
        frequency: Frequency,
        factors: Sequence[Fill],
        tallies: Tallies | None = None,
        sensitive: str = "",
    ) -> None:
        """With `tallies` those of the values in the table `sensitive` are counted, too."""
        self._lattice = lattice
        self._frequency = frequency
        self._factors = factors
        self._tallies = tallies
        self._sensitive = sensitive
        self._chosen = self._columns()
        self._sizes: dict[Node, int] = {}  # combinations of the tables made, by their levels
        self._cells_left = _MOST_CELLS

    @staticmethod
    def pay(frequency: Frequency, lattice: Lattice, tallies: Tallies | None = None) -> bool:
        """Whether the combinations are many, and few enough for a copy of them with the codes of every level."""
        width = sum(high - low + 1 for low, high in zip(lattice.lows, lattice.highs, strict=True)) + 1
        width += tallies.number if tallies else 0
        return frequency.tuples >= _LEAST_TUPLES and frequency.tuples * width <= _MOST_CELLS

    def _columns(self) -> frozenset[int]:
        """The quasi-identifiers of which tables are made at every level: those that distinguish the most rows."""
        lows, highs, marginals = self._lattice.lows, self._lattice.highs, self._frequency.marginals
        chosen, tables = set[int](), 1
        for i in sorted(range(len(lows)), key=lambda i: (marginals[i][lows[i]].spread, i)):
            tables *= highs[i] - lows[i] + 1
            if tables > _MOST_TABLES:
                break
            chosen.add(i)
        return frozenset(chosen)

    @property
    def are_made(self) -> bool:
        """Whether there are tables already."""
        return bool(self._sizes)

    def size(self, levels: Node) -> int:
        """The combinations of a table."""
        return self._sizes[levels]

    def name(self, levels: Node) -> str:
        """The name of a table."""
        return state("coarser_" + "_".join(map(str, levels)))

    def below(self, query: Query, node: Node) -> Node:
        """The levels of the table from which a node is counted, which is made where it is not there yet."""
        lows = self._lattice.lows
        levels = tuple(level if i in self._chosen else lows[i] for i, level in enumerate(node))
        if levels in self._sizes:
            return levels
        if not self._sizes:
            self._make_first(query)
        if levels in self._sizes:
            return levels
        below = [other for other in self._sizes if all(low <= level for low, level in zip(other, levels, strict=True))]
        finer = min(below, key=lambda other: (self._sizes[other], other))
        if self._sizes[finer] * self._width(levels) > self._cells_left:
            return finer
        self._make(query, "search/full_domain/coarser", levels, {"finer": self.name(finer)}, self.tally_columns)
        return levels

    @property
    def tally_columns(self) -> Sequence[Item]:
        """The columns that tally values."""
        return self._tallies.columns if self._tallies else []

    def drop(self, query: Query) -> None:
        """Drops all tables."""
        for levels in list(self._sizes):
            query("search/full_domain/coarser_dropped", names={"coarser": self.name(levels)})
            del self._sizes[levels]

    def _make_first(self, query: Query) -> None:
        """Makes the table at the lowest levels."""
        lows = self._lattice.lows
        if self._tallies is None:
            self._make(query, "search/full_domain/coarser_packed", lows, {})
            return
        names: dict[str, Fill] = {
            "sensitive": self._sensitive,
            "tallied": self._tallies.each,
            "count_bits": self._tallies.bits,
        }
        self._make(query, "search/full_domain/coarser_tallied", lows, names, self.tally_columns)

    def _make(
        self, query: Query, file: str, levels: Node, tables: dict[str, Fill], tallies: Sequence[Item] = ()
    ) -> None:
        cells = self._cells(levels)
        meet: list[Item] = [{"code": code_name(i, level)} for i, level in enumerate(levels) if self.divides(i, level)]
        name = self.name(levels)
        query(file, names={**tables, "coarser": name}, lists={"cell": cells, "meet": meet, "tally": tallies})
        self._sizes[levels] = int(query("search/full_domain/coarser_rows", names={"coarser": name})[0][0])
        self._cells_left -= self._sizes[levels] * self._width(levels)

    def _width(self, levels: Node) -> int:
        """The columns of a table at some levels."""
        return len(self._cells(levels)) + 1 + len(self.tally_columns)

    def _cells(self, levels: Node) -> list[Item]:
        """The columns of a table at some levels: those of all levels from there on."""
        return [
            {"code": code_name(i, level), "factor": self._factors[i]}
            for i, (low, high) in enumerate(zip(levels, self._lattice.highs, strict=True))
            for level in range(low, high + 1)
            if self.divides(i, level)
        ]

    def divides(self, attribute: int, level: int) -> bool:
        """Whether a level distinguishes rows: at the top of a hierarchy all values are one."""
        mapping = self._frequency.mappings[attribute]
        return level < mapping.height or mapping.splits_top
