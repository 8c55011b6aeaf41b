"""The optimal search of large lattices: it finds good nodes early, and works with nearer bounds.

After a few checks, which settle what is easy, it dives for good nodes and works on the losses of groups of columns,
each in turn with the proof and for as many checks.

The dive starts at the top, whose checks are cheap as few columns are grouped by. It descends a level at a time: the
next node is the one of least value among those one level lower that satisfy. Where no step down is better, a column is
raised and another lowered, until no such exchange is better either; then some columns are raised at random, and the
descent starts again from there (iterated local search: Lourenço, Martin and Stützle, Handbook of Metaheuristics, 2003).
The random choices are the same in each run, and the result does not depend on time.

Lower bounds of the loss come from groups of columns, whose lattices are small enough to be searched completely. A node
suppresses at least the rows that it would if all columns outside a group were at their tops: classes there are unions
of its own. So its loss in the columns of a group is at least the least loss of the group alone, at or above its levels
there and within the limit; and the least losses of groups that share no column add up (additive pattern databases: Korf
and Felner, Artificial Intelligence 134, 2002). Each group has a table of them; the least loss of several groups
together, which is more than their sum, is searched for as that of the whole lattice is, with the tables as its bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import prod
from random import Random

from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.full_domain.measures import TOLERANCE, NodeMeasures
from kanon_sql.search.full_domain.objectives import Loss, Objective
from kanon_sql.search.full_domain.optimal import OptimalSearch
from kanon_sql.sql.deadline import Deadline

_FIRST_CHECKS = 30  # enough where little has to be generalized
_ROUNDS_WITHOUT_GAIN = 40
_RAISED = (1, 2, 3)  # columns that are raised at random
_MOST_NODES = 800  # of a group's lattice: about as many checks, of few columns each
_CHECKS = 50  # of a search of several groups, before the next search takes its turn


class LargeSearch(OptimalSearch):
    """The optimal search of a large lattice; `run` gives its result."""

    def search(self) -> None:
        if self.go_on(_FIRST_CHECKS):
            return
        dive = Dive(self.lattice, self.checker, self.objective, self.evaluate).rounds()
        next(dive, None)
        turns: list[Iterator[object]] = [dive]
        if isinstance(self.objective, Loss):
            floors = Floors(self.lattice, self.checker, self.objective, self.deadline)
            floors.make_tables()
            self.objective = FlooredLoss(self.objective, floors)
            turns.append(floors.rounds())
        while turns:
            for turn in list(turns):
                before = self.checker.checked
                if next(turn, turns) is turns:
                    turns.remove(turn)
                if self.go_on(self.checker.checked - before):
                    return
        self.go_on()

    def bound(self) -> float:
        return max(super().bound(), min(self.objective.bound(self.lattice.lows), self.best_value))


class Dive:
    """Descents and exchanges; `evaluate` is called with each satisfying node, `best` is the best of them."""

    def __init__(
        self, lattice: Lattice, checker: NodeChecker, objective: Objective, evaluate: Callable[[Node], bool]
    ) -> None:
        self.lattice = lattice
        self.checker = checker
        self.objective = objective
        self.evaluate = evaluate
        self.best = lattice.highs
        self.value = math.inf
        self._values: dict[Node, float] = {}
        self._random = Random(0)

    def rounds(self) -> Iterator[Node]:
        """The best node after the first descent and after each further one, until many in a row find no better node.

        If the highest node does not satisfy, no node does, and there is no round. Raises TimeUpError.
        """
        self._take(self.lattice.highs)
        if not math.isfinite(self.value):
            return
        self._improve(self.best, ())
        yield self.best
        without_gain = 0
        while without_gain < _ROUNDS_WITHOUT_GAIN:
            before = self.value
            raised = self._raised()
            if raised is None:
                return
            self._improve(*raised)
            without_gain = without_gain + 1 if self._no_better(self.value, before) else 0
            yield self.best

    def _raised(self) -> tuple[Node, Node] | None:
        """The best node with some columns at their highest level, and these columns; None if all columns are."""
        lowered = [i for i, level in enumerate(self.best) if level < self.lattice.highs[i]]
        if not lowered:
            return None
        chosen = self._random.sample(lowered, min(self._random.choice(_RAISED), len(lowered)))
        raised = tuple(self.lattice.highs[i] if i in chosen else level for i, level in enumerate(self.best))
        return raised, tuple(chosen)

    def _improve(self, node: Node, not_first: Node) -> None:
        """Descends from a satisfying node, first only in columns outside `not_first`, and exchanges levels."""
        value = self._take(node)
        while True:
            lower = [other for other in self.lattice.predecessors(node) if all(other[i] == node[i] for i in not_first)]
            following = self._least(lower, value) or self._exchanged(node, value)
            if following is None:
                if not not_first:
                    return
                not_first = ()
                continue
            node, value = following, self._values[following]

    def _least(self, nodes: list[Node], below: float) -> Node | None:
        """The node of least value, if that is below a value."""
        best: Node | None = None
        for bound, node in sorted((self.objective.bound(node), node) for node in nodes):
            if self._no_better(bound, below):
                break
            value = self._take(node)
            if not self._no_better(value, below):
                best, below = node, value
        return best

    def _exchanged(self, node: Node, value: float) -> Node | None:
        """The first better node with one column raised and another lowered, by falling bound."""
        tried = []
        for raised in self.lattice.successors(node):
            for other in self.lattice.predecessors(raised):
                bound = self.objective.bound(other)
                if other != node and not self._no_better(bound, value):
                    tried.append((-bound, other))
        for _, other in sorted(tried):
            if not self._no_better(self._take(other), value):
                return other
        return None

    def _take(self, node: Node) -> float:
        """The value of a node, infinite if it does not satisfy; keeps the best node."""
        if node in self._values:
            return self._values[node]
        value = math.inf
        if self.checker.satisfies(node):
            self.evaluate(node)
            value = self.objective.value(self.checker.losses(node))
        self._values[node] = value
        if not self._no_better(value, self.value):
            self.best, self.value = node, value
        return value

    @staticmethod
    def _no_better(value: float, than: float) -> bool:
        return value >= than - TOLERANCE * max(1.0, abs(than)) if math.isfinite(than) else value >= than


@dataclass
class _Union:
    """Groups `first` to `last` - 1, with a lower bound of their loss in all nodes of the lattice."""

    first: int
    last: int
    floor: float = -math.inf


class Floors:
    """Lower bounds of the loss of nodes, in parts of the objective (see Loss.part); `rounds` raises them."""

    def __init__(self, lattice: Lattice, checker: NodeChecker, objective: Loss, deadline: Deadline) -> None:
        self.lattice = lattice
        self.checker = checker
        self.objective = objective
        self.deadline = deadline
        self.groups = grouped(lattice, self._detail)
        self._tables: list[dict[Node, float]] = []
        self._partitions: list[list[_Union]] = []

    def total(self, node: Node, first: int = 0, last: int | None = None) -> float:
        """A lower bound of the parts of groups `first` to `last` - 1, at or above a node.

        -inf before the tables are made.
        """
        last = len(self.groups) if last is None else last
        if len(self._tables) < last:
            return -math.inf
        parts = [self._tables[g][tuple([node[i] for i in self.groups[g]])] for g in range(first, last)]
        best = math.fsum(parts)
        for partition in self._partitions:
            value = 0.0
            covered = first
            for union in partition:
                if union.first >= first and union.last <= last:
                    value += max(union.floor, math.fsum(parts[union.first - first : union.last - first]))
                    covered = union.last
            best = max(best, value + math.fsum(parts[covered - first :]))
        return best

    def make_tables(self) -> None:
        """Determines the least losses of each group, from which all bounds are made. Raises TimeUpError."""
        for group in self.groups:
            self._tables.append(self._table_of(group))

    def rounds(self) -> Iterator[None]:
        """Searches unions of two groups, of three, and so on; yields after some checks each. Raises TimeUpError.

        If models are not monotone a node may satisfy them although it would not with some columns at their tops: then
        only the tables hold, which are about the monotone conditions.
        """
        for size in range(2, len(self.groups) if self.checker.prunes else 0):
            partition = [
                _Union(first, min(first + size, len(self.groups))) for first in range(0, len(self.groups), size)
            ]
            self._partitions.append(partition)
            searches = [(union, self._search_of(union)) for union in partition if union.last - union.first > 1]
            while searches:
                for union, search in list(searches):
                    if search.go_on(_CHECKS):
                        searches.remove((union, search))
                    union.floor = max(union.floor, search.bound())
                    yield

    def _detail(self, attribute: int) -> float:
        return self.checker.costs.detail(attribute, self.lattice.lows[attribute])

    def _table_of(self, group: tuple[int, ...]) -> dict[Node, float]:
        """The least sum of parts at or above each choice of levels of a group."""
        checker, small = self.checker.apart(), _within(self.lattice, group)
        table: dict[Node, float] = {}
        failing: set[Node] = set()
        for height in range(sum(small.highs), sum(small.lows) - 1, -1):
            level = list(small.nodes_at(height))
            failing.update(levels for levels in level if any(above in failing for above in small.successors(levels)))
            unsettled = iter([levels for levels in level if levels not in failing])
            while batch := list(islice(unsettled, checker.batch)):
                self.deadline.check()
                self._learn(checker, group, batch, table, failing)
            for levels in level:
                least = min((table[above] for above in small.successors(levels)), default=math.inf)
                table[levels] = min(table.get(levels, math.inf), least)
        return table

    def _learn(
        self,
        checker: NodeChecker,
        group: tuple[int, ...],
        batch: list[Node],
        table: dict[Node, float],
        failing: set[Node],
    ) -> None:
        nodes = [self._elsewhere_at_top(group, levels) for levels in batch]
        if checker.prunes:
            checker.learn(nodes)
        else:
            checker.learn_passing(nodes)
        for levels, node in zip(batch, nodes, strict=True):
            if not checker.passes(node):
                failing.add(levels)
                continue
            suppressed = (checker.known_suppressed(node) or 0) if checker.prunes else 0
            table[levels] = math.fsum(
                self.objective.part(i, checker.costs.least_loss(i, level, suppressed))
                for i, level in zip(group, levels, strict=True)
            )

    def _elsewhere_at_top(self, columns: tuple[int, ...], levels: Node) -> Node:
        node = list(self.lattice.tops)
        for i, level in zip(columns, levels, strict=True):
            node[i] = level
        return tuple(node)

    def _search_of(self, union: _Union) -> OptimalSearch:
        columns = tuple(sorted(i for group in self.groups[union.first : union.last] for i in group))
        lattice = Lattice(
            self._elsewhere_at_top(columns, tuple(self.lattice.lows[i] for i in columns)),
            self._elsewhere_at_top(columns, tuple(self.lattice.highs[i] for i in columns)),
            self.lattice.tops,
        )
        objective = _LossWithin(self, columns, union)
        search = OptimalSearch(lattice, self.checker.apart(), objective, self.deadline)
        search.begin()
        return search


class _LossWithin(Loss):
    """The loss in some groups of columns, in parts."""

    def __init__(self, floors: Floors, columns: tuple[int, ...], union: _Union) -> None:
        super().__init__(floors.objective.costs, floors.objective.weights)
        self._floors = floors
        self._columns = columns
        self._union = union

    def bound(self, node: Node) -> float:
        return self._floors.total(node, self._union.first, self._union.last)

    def least(self, node: Node, suppressed: int) -> float:
        costs, part = self.costs, self._floors.objective.part
        return math.fsum(part(i, costs.least_loss(i, node[i], suppressed)) for i in self._columns)

    def guide(self, node: Node) -> tuple[float, float]:
        parts = self._floors.objective.parts
        return math.fsum([parts[i][node[i]] for i in self._columns]), 0.0

    def value(self, measures: NodeMeasures) -> float:
        return math.fsum(self._floors.objective.part(i, measures.losses[i]) for i in self._columns)


class FlooredLoss(Loss):
    """An objective of losses whose bound is raised by the least losses of groups of columns."""

    def __init__(self, objective: Loss, floors: Floors) -> None:
        super().__init__(objective.costs, objective.weights)
        self._objective = objective
        self._floors = floors

    def bound(self, node: Node) -> float:
        return max(self._objective.bound(node), self._objective.join(self._floors.total(node)))

    def guide(self, node: Node) -> tuple[float, float]:
        return self._objective.guide(node)

    def part(self, attribute: int, loss: float) -> float:
        return self._objective.part(attribute, loss)

    def join(self, total: float) -> float:
        return self._objective.join(total)


def grouped(lattice: Lattice, detail: Callable[[int], float]) -> list[tuple[int, ...]]:
    """The columns in groups of few nodes each, with as many columns in each; those of most detail are together.

    These leave the smallest classes, so that their group has the highest least loss.
    """
    columns = sorted(
        (i for i, (low, high) in enumerate(zip(lattice.lows, lattice.highs, strict=True)) if low < high),
        key=lambda i: (-detail(i), i),
    )
    fixed = [i for i in range(len(lattice.lows)) if i not in columns]
    sizes = {i: lattice.highs[i] - lattice.lows[i] + 1 for i in columns}
    count = max(math.ceil(math.log(prod(sizes.values())) / math.log(_MOST_NODES)), 1)
    while True:
        groups = [columns[len(columns) * g // count : len(columns) * (g + 1) // count] for g in range(count)]
        if count >= len(columns) or all(prod(sizes[i] for i in group) <= _MOST_NODES for group in groups):
            groups[0] += fixed
            return [tuple(group) for group in groups]
        count += 1


def _within(lattice: Lattice, columns: tuple[int, ...]) -> Lattice:
    """The lattice of some of the columns."""
    lows, highs, tops = (tuple(levels[i] for i in columns) for levels in (lattice.lows, lattice.highs, lattice.tops))
    return Lattice(lows, highs, tops)
