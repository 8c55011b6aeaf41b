"""Good nodes of a large lattice early, before anything is proven.

From the top, whose checks are cheap as few columns are grouped by, one level at a time is given back: of all nodes one
level lower that satisfy, the one of least value is next. Where no step down is better, a column is raised and another
lowered, until no such exchange is better either; then some columns are raised at random, and the descent starts
again from there (iterated local search: Lourenço, Martin and Stützle, Handbook of Metaheuristics, 2003).

The random choices are the same in each run, and what is found depends on no time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from random import Random

from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.choice import TOLERANCE
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.full_domain.objectives import Objective

_ROUNDS_WITHOUT_GAIN = 40
_RAISED = (1, 2, 3)  # columns that are raised at random


class Dive:
    """Descents and exchanges; `evaluate` is told of each node that satisfies, the best of them is in `best`."""

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
        """The best node after the first descent, then after each further one, until many in turn find none better.

        Where the highest node does not satisfy, no node does, and there is no round. Raises TimeUpError.
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
        """The best node with some columns at their highest level, and these columns; None where all are."""
        lowered = [i for i, level in enumerate(self.best) if level < self.lattice.highs[i]]
        if not lowered:
            return None
        chosen = self._random.sample(lowered, min(self._random.choice(_RAISED), len(lowered)))
        return tuple(self.lattice.highs[i] if i in chosen else level for i, level in enumerate(self.best)), tuple(
            chosen
        )

    def _improve(self, node: Node, not_first: Node) -> None:
        """Descends from a satisfying node, at first in other columns than `not_first`, and exchanges levels."""
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
        """The node of least value, where it is less than `below`."""
        found: Node | None = None
        for bound, node in sorted((self.objective.bound(node), node) for node in nodes):
            if self._no_better(bound, below):
                break
            value = self._take(node)
            if not self._no_better(value, below):
                found, below = node, value
        return found

    def _exchanged(self, node: Node, value: float) -> Node | None:
        """The first better node with one column raised and another lowered, those that give up most first."""
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
        """The value of a node, infinite where it does not satisfy; the least is kept."""
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
