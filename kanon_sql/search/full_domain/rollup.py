"""All nodes of a lattice counted, each from the classes of a node below it: what one asks for who wants to see all.

Quasi-identifiers are raised from their leaves one after the other, those with the most levels first, in all nodes of
those raised before. A class is a packed key of its node's levels and its codes, beside its units of loss and its rows,
so that raising a quasi-identifier is a join with the few values that it has and a grouping (Lakshmanan, Pei and Han,
Quotient cube, VLDB 2002, section 2, roll classes up in such a tree). Classes that stay below k even with all that is
left at its top are released nowhere above: they are left out, as in iceberg cubes (Beyer and Ramakrishnan, Bottom-up
computation of sparse and iceberg cubes, SIGMOD 1999).
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
from kanon_sql.search.full_domain.measures import NodeMeasures, Released
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Fill, Item, compose, state

_MOST_CLASSES = (
    200_000  # that are rolled up at once, more where one node has more: groups stay in the processor's cache
)
_LEFT = range(4, 33)  # nodes that classes have above them where it pays to leave out those that none releases
_BITS = 63


def measure_all(lattice: Lattice, checker: NodeChecker, deadline: Deadline) -> list[NodeMeasures]:
    """Every node of the lattice with its losses and released classes, which the checker knows afterwards.

    Of models beside k, of entities, with the entropy, in other engines and where a class does not fit into 63 bits,
    they are asked about many at once (see NodeChecker.measure).
    """
    layout = _Layout(lattice, checker)
    if not layout.fits or checker.with_entropy or not checker.rolls_up:
        return checker.measure(list(lattice.nodes()))
    found = dict(_RollUp(lattice, checker, layout, deadline).run())
    return checker.remember(lattice, found)


@dataclass(frozen=True)
class _Field:
    """Where the level, the code and the units of loss of a quasi-identifier stand in the packed numbers."""

    attribute: int
    level_shift: int
    shift: int
    bits: int
    cost_shift: int
    cost_bits: int


class _Layout:
    """How classes are packed: first the levels, then the codes of quasi-identifiers in the order of their raising."""

    def __init__(self, lattice: Lattice, checker: NodeChecker) -> None:
        frequency, costs = checker.frequency, checker.costs
        order = sorted(
            range(len(lattice.lows)),
            key=lambda i: (lattice.lows[i] - lattice.highs[i], -costs.detail(i, lattice.lows[i]), i),
        )
        codes = [frequency.mappings[i].codes.bit_length() for i in order]
        levels = [lattice.highs[i].bit_length() for i in order]
        units = [max(level.most_units for level in frequency.marginals[i]).bit_length() for i in order]
        self.places = sum(codes)  # the bits of the codes
        self.fits = self.places + sum(levels) < _BITS and sum(units) < _BITS
        self.fields = [
            _Field(
                attribute=i,
                level_shift=self.places + sum(levels[place + 1 :]),
                shift=sum(codes[place + 1 :]),
                bits=(1 << codes[place]) - 1,
                cost_shift=sum(units[:place]),
                cost_bits=(1 << units[place]) - 1,
            )
            for place, i in enumerate(order)
        ]

    def packed(self, node: Node) -> int:
        """The levels of a node as the statements give them."""
        return sum(node[one.attribute] << (one.level_shift - self.places) for one in self.fields)


class _RollUp:
    """One roll-up; `run` gives what the released classes of each node add up to."""

    def __init__(self, lattice: Lattice, checker: NodeChecker, layout: _Layout, deadline: Deadline) -> None:
        self._lattice = lattice
        self._checker = checker
        self._layout = layout
        self._deadline = deadline
        self._fields = layout.fields
        classes = "search/full_domain/rolled_classes"
        self._up = [
            compose("search/full_domain/roll_up", {"classes": compose(classes, self._tables(place))})
            for place in range(len(self._fields) - 1)
        ]
        last = compose(classes, self._tables(len(self._fields) - 1))
        self._measures = compose("search/full_domain/roll_measures", {"classes": last})
        self._names = {layout.packed(node): node for node in lattice.nodes()}

    def run(self) -> Iterator[tuple[Node, tuple[Released, list[int]]]]:
        """The nodes that release a class: it, and of each quasi-identifier the units of loss of released rows."""
        self._start()
        yield from self._raise(0)

    def _tables(self, place: int) -> dict[str, str]:
        return {"rolled": state(f"rolled_{place}"), "steps": state(f"steps_{place}")}

    def _start(self) -> None:
        mappings, query = self._checker.frequency.mappings, self._checker.engine.query
        items: list[Item] = [
            {"code": code_name(one.attribute, 0), "factor": 1 << one.shift} for one in self._layout.fields
        ]
        names = {"tuples": state("tuples"), "rolled": state("rolled_0")}
        query("search/full_domain/roll_start", names=names, lists={"qi": items})
        for place, one in enumerate(self._layout.fields):
            self._make_steps(place, one, mappings[one.attribute])

    def _make_steps(self, place: int, one: _Field, mapping: MappingTable) -> None:
        low, high = self._lattice.lows[one.attribute], self._lattice.highs[one.attribute]
        levels: list[Item] = [{"code": f"level_{level}", "number": level} for level in range(max(low, 1), high + 1)]
        names: dict[str, Fill] = {
            "codes": state(f"codes_{mapping.index}"),
            "costs": state(f"costs_{mapping.index}"),
            "steps": state(f"steps_{place}"),
            "place": 1 << one.level_shift,
            "factor": 1 << one.shift,
            "cost_factor": 1 << one.cost_shift,
        }
        self._checker.engine.query("search/full_domain/roll_steps", names=names, lists={"step": levels})

    def _raise(self, place: int) -> Iterator[tuple[Node, tuple[Released, list[int]]]]:
        """Raises the quasi-identifier at a place, and then those after it, some nodes of the table at a time."""
        one, query = self._fields[place], self._checker.engine.query
        for first, end in self._chunks(place):
            self._deadline.check()
            holes: dict[str, Fill] = {
                "first_key": first,
                "end_key": end,
                "shift": one.shift,
                "code_bits": one.bits,
                "has_leaves": exp.true() if not self._lattice.lows[one.attribute] else exp.false(),
            }
            if place == len(self._fields) - 1:
                yield from self._measure(holes)
                continue
            pruned = self._prunes(place + 1)
            raised = state("raised" if pruned else f"rolled_{place + 1}")
            query(self._up[place], names={**holes, "raised": raised})
            if pruned:
                names: dict[str, Fill] = {
                    "raised": raised,
                    "rolled": state(f"rolled_{place + 1}"),
                    "shift": one.shift,
                }
                query("search/full_domain/roll_prune", names=names, values={"k": self._checker.k})
            yield from self._raise(place + 1)

    def _chunks(self, place: int) -> Iterator[tuple[int, int]]:
        """The keys between which the table before a place is read at once."""
        places = self._layout.places
        names: dict[str, Fill] = {"rolled": state(f"rolled_{place}"), "places": places}
        first: int | None = None
        classes = last = 0
        for levels, count in self._checker.engine.query("search/full_domain/roll_sizes", names=names):
            if first is not None and classes + count > _MOST_CLASSES:
                yield first << places, int(levels) << places
                first, classes = None, 0
            first = int(levels) if first is None else first
            classes, last = classes + int(count), int(levels)
        if first is not None:
            yield first << places, (last + 1) << places

    def _prunes(self, place: int) -> bool:
        """Whether to look for classes that nothing releases, even with quasi-identifiers from a place on at their tops.

        That needs no other codes where the highest node that is asked for has one class of these.
        """
        left = [one.attribute for one in self._fields[place:]]
        lows, highs, mappings = self._lattice.lows, self._lattice.highs, self._checker.frequency.mappings
        one_class = all(highs[i] == mappings[i].height and not mappings[i].splits_top for i in left)
        return one_class and prod(highs[i] - lows[i] + 1 for i in left) in _LEFT

    def _measure(self, holes: dict[str, Fill]) -> Iterator[tuple[Node, tuple[Released, list[int]]]]:
        items: list[Item] = [
            {"name": f"units_{one.attribute}", "shift": one.cost_shift, "bits": one.cost_bits}
            for one in sorted(self._fields, key=lambda one: one.attribute)
        ]
        names = {**holes, "places": self._layout.places}
        rows = self._checker.engine.query(
            self._measures, names=names, lists={"unit": items}, values={"k": self._checker.k}
        )
        n = self._checker.frequency.n
        for levels, classes, smallest, largest, squares, released, *units in rows:
            found = Released(n - int(released), int(classes), int(smallest), int(largest), int(squares))
            yield self._names[int(levels)], (found, [int(value) for value in units])
