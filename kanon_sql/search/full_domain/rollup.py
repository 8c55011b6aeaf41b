"""All nodes of a lattice measured, the classes of each rolled up from those of a node below.

Quasi-identifiers are raised from their leaves one after the other, those with the most levels first, in all nodes of
those raised before. A class is a packed key of its node's levels and its codes, beside its units of loss and its rows,
so that raising a quasi-identifier is a join with the few values that it has and a grouping (Lakshmanan, Pei and Han,
Quotient cube, VLDB 2002, section 2, roll classes up in such a tree). Classes that stay below k even with all remaining
quasi-identifiers at their tops are released nowhere above: they are left out, as in iceberg cubes (Beyer and
Ramakrishnan, Bottom-up computation of sparse and iceberg cubes, SIGMOD 1999).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from sqlglot import exp

from kanon_sql.frequency.table import code_name
from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.full_domain.measures import NodeMeasures, ReleasedClasses
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Fill, Item, compose, state

# Classes that one statement rolls up, more if one node has more: groups stay in the processor's cache.
_MOST_CLASSES = 200_000
_NODES_ABOVE = range(4, 33)  # for so many nodes above, leaving out the classes that none of them releases pays
_BITS = 63


def measure_all(lattice: Lattice, checker: NodeChecker, deadline: Deadline) -> list[NodeMeasures]:
    """Every node of the lattice with its losses and released classes, which the checker stores.

    With models beyond k, entities, the entropy, other engines, or classes that do not fit into 63 bits, the nodes are
    checked in batches instead (see NodeChecker.measure).
    """
    layout = _Layout(lattice, checker)
    if not layout.fits or checker.with_entropy or not checker.rolls_up:
        with checker.rolling(lattice):
            return checker.measure(list(lattice.nodes()))
    released_by_node = dict(_RollUp(lattice, checker, layout, deadline).run())
    return checker.remember(lattice, released_by_node)


@dataclass(frozen=True)
class _Field:
    """Where the level, the code and the units of loss of a quasi-identifier are in the packed numbers."""

    attribute: int
    level_shift: int
    shift: int
    bits: int
    cost_shift: int
    cost_bits: int


class _Layout:
    """How classes are packed: the levels first, then the codes, in the order in which quasi-identifiers are raised."""

    def __init__(self, lattice: Lattice, checker: NodeChecker) -> None:
        frequency, costs = checker.frequency, checker.costs
        order = sorted(
            range(len(lattice.lows)),
            key=lambda i: (lattice.lows[i] - lattice.highs[i], -costs.detail(i, lattice.lows[i]), i),
        )
        codes = [frequency.mappings[i].codes.bit_length() for i in order]
        levels = [lattice.highs[i].bit_length() for i in order]
        units = [max(level.most_units for level in frequency.marginals[i]).bit_length() for i in order]
        self.code_bits = sum(codes)
        self.fits = self.code_bits + sum(levels) < _BITS and sum(units) < _BITS
        self.fields = [
            _Field(
                attribute=i,
                level_shift=self.code_bits + sum(levels[position + 1 :]),
                shift=sum(codes[position + 1 :]),
                bits=(1 << codes[position]) - 1,
                cost_shift=sum(units[:position]),
                cost_bits=(1 << units[position]) - 1,
            )
            for position, i in enumerate(order)
        ]

    def packed(self, node: Node) -> int:
        """The levels of a node as the statements give them."""
        return sum(node[field.attribute] << (field.level_shift - self.code_bits) for field in self.fields)


class _RollUp:
    """One roll-up; `run` gives the sums over the released classes of each node."""

    def __init__(self, lattice: Lattice, checker: NodeChecker, layout: _Layout, deadline: Deadline) -> None:
        self._lattice = lattice
        self._checker = checker
        self._layout = layout
        self._deadline = deadline
        self._fields = layout.fields
        classes = "search/full_domain/rolled_classes"
        self._up = [
            compose("search/full_domain/roll_up", {"classes": compose(classes, self._tables(position))})
            for position in range(len(self._fields) - 1)
        ]
        last = compose(classes, self._tables(len(self._fields) - 1))
        self._measures = compose("search/full_domain/roll_measures", {"classes": last})
        self._names = {layout.packed(node): node for node in lattice.nodes()}

    def run(self) -> Iterator[tuple[Node, tuple[ReleasedClasses, list[int]]]]:
        """The nodes that release a class, each with its classes and the units of loss of its released rows."""
        self._start()
        yield from self._raise(0)

    def _tables(self, position: int) -> dict[str, str]:
        return {"rolled": state(f"rolled_{position}"), "steps": state(f"steps_{position}")}

    def _start(self) -> None:
        mappings, query = self._checker.frequency.mappings, self._checker.engine.query
        items: list[Item] = [
            {"code": code_name(field.attribute, 0), "factor": 1 << field.shift} for field in self._layout.fields
        ]
        names = {"rolled": state("rolled_0")}
        query("search/full_domain/roll_start", names=names, lists={"qi": items})
        for position, field in enumerate(self._layout.fields):
            self._make_steps(position, field, mappings[field.attribute])

    def _make_steps(self, position: int, field: _Field, mapping: MappingTable) -> None:
        low, high = self._lattice.lows[field.attribute], self._lattice.highs[field.attribute]
        levels: list[Item] = [{"code": f"level_{level}", "number": level} for level in range(max(low, 1), high + 1)]
        names: dict[str, Fill] = {
            "codes": state(f"codes_{mapping.index}"),
            "costs": state(f"costs_{mapping.index}"),
            "steps": state(f"steps_{position}"),
            "place": 1 << field.level_shift,
            "factor": 1 << field.shift,
            "cost_factor": 1 << field.cost_shift,
        }
        self._checker.engine.query("search/full_domain/roll_steps", names=names, lists={"step": levels})

    def _raise(self, position: int) -> Iterator[tuple[Node, tuple[ReleasedClasses, list[int]]]]:
        """Raises the quasi-identifier at a position of the order, then those after it, a chunk of nodes at a time."""
        field, query = self._fields[position], self._checker.engine.query
        for first, end in self._chunks(position):
            self._deadline.check()
            holes: dict[str, Fill] = {
                "first_key": first,
                "end_key": end,
                "shift": field.shift,
                "code_bits": field.bits,
                "has_leaves": exp.true() if not self._lattice.lows[field.attribute] else exp.false(),
            }
            if position == len(self._fields) - 1:
                yield from self._measure(holes)
                continue
            pruned = self._prunes(position + 1)
            raised = state("raised" if pruned else f"rolled_{position + 1}")
            query(self._up[position], names={**holes, "raised": raised})
            if pruned:
                names: dict[str, Fill] = {
                    "raised": raised,
                    "rolled": state(f"rolled_{position + 1}"),
                    "shift": field.shift,
                }
                query("search/full_domain/roll_prune", names=names, values={"k": self._checker.k})
            yield from self._raise(position + 1)

    def _chunks(self, position: int) -> Iterator[tuple[int, int]]:
        """The ranges of keys in which the table before a position is read."""
        code_bits = self._layout.code_bits
        names: dict[str, Fill] = {"rolled": state(f"rolled_{position}"), "places": code_bits}
        first: int | None = None
        classes = last = 0
        for levels, count in self._checker.engine.query("search/full_domain/roll_sizes", names=names):
            if first is not None and classes + count > _MOST_CLASSES:
                yield first << code_bits, int(levels) << code_bits
                first, classes = None, 0
            first = int(levels) if first is None else first
            classes, last = classes + int(count), int(levels)
        if first is not None:
            yield first << code_bits, (last + 1) << code_bits

    def _prunes(self, position: int) -> bool:
        """Whether to leave out classes that stay below k with the quasi-identifiers from a position on at their tops.

        That takes no other codes if the highest node of the lattice has them all in one class.
        """
        left = [field.attribute for field in self._fields[position:]]
        lows, highs, mappings = self._lattice.lows, self._lattice.highs, self._checker.frequency.mappings
        one_class = all(highs[i] == mappings[i].height and not mappings[i].splits_top for i in left)
        return one_class and prod(highs[i] - lows[i] + 1 for i in left) in _NODES_ABOVE

    def _measure(self, holes: dict[str, Fill]) -> Iterator[tuple[Node, tuple[ReleasedClasses, list[int]]]]:
        items: list[Item] = [
            {"name": f"units_{field.attribute}", "shift": field.cost_shift, "bits": field.cost_bits}
            for field in sorted(self._fields, key=lambda field: field.attribute)
        ]
        names = {**holes, "places": self._layout.code_bits}
        rows = self._checker.engine.query(
            self._measures, names=names, lists={"unit": items}, values={"k": self._checker.k}
        )
        n = self._checker.frequency.n
        for levels, classes, smallest, largest, squares, released, *units in rows:
            counts = ReleasedClasses(n - int(released), int(classes), int(smallest), int(largest), int(squares))
            yield self._names[int(levels)], (counts, [int(value) for value in units])
