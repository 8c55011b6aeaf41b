"""The border between failing and satisfying nodes of a lattice, found with few checks, many in one statement.

Suppression is monotone (see `NodeChecker`), so that a failing node settles all below it and a satisfying one all above
it. The result of a check is predicted by a linear model of the logarithm of the suppressed rows, with a coefficient for
each level of each quasi-identifier, fitted to all checks so far. Checked are the highest nodes that are expected to
fail and the lowest that are expected to satisfy, first those that settle most. A wrong prediction costs checks and
nothing else: each node is settled by a check of its own or of a node above or below it.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence

from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.lattice import Lattice, Node, NodeSets
from kanon_sql.sql.deadline import Deadline

_MOST_CHECKS = 64  # before the predictions are made again, or as many as are asked about together; in a small
# lattice the root of its size
_DOUBLED = math.log(2)


class Border:
    """The failing and the satisfying nodes of a lattice as two sets; only for models that are monotone."""

    def __init__(self, lattice: Lattice, checker: NodeChecker, deadline: Deadline) -> None:
        self.lattice = lattice
        self.checker = checker
        self.deadline = deadline
        self.sets = NodeSets(lattice)
        self.failing = 0
        self.satisfying = 0
        self._prediction = Prediction(lattice, checker)
        self._most_checks = min(math.isqrt(lattice.size), max(_MOST_CHECKS, checker.batch))
        self._settling: dict[tuple[Node, bool], int] = {}  # what nodes that may be checked would settle

    @property
    def unknown(self) -> int:
        """The nodes that are not settled yet."""
        return self.sets.every & ~(self.failing | self.satisfying)

    def minimal(self) -> int:
        """The satisfying nodes that are known to have no satisfying node below."""
        return self.sets.minimal(self.sets.every & ~self.failing) & self.satisfying

    def ask(self, nodes: Sequence[Node]) -> None:
        """Checks the nodes, except those that other checks settle in the meantime."""
        left = list(nodes)
        while left:
            self.deadline.check()
            unknown = self.unknown
            left = [node for node in left if unknown >> self.sets.place(node) & 1]
            batch, left = left[: self.checker.batch], left[self.checker.batch :]
            self.checker.learn(batch)
            for node in batch:
                self._settle(node)

    def _settle(self, node: Node) -> None:
        suppressed = self.checker.suppressed(node)
        if suppressed > self.checker.limit:
            self.failing |= self.sets.below(node)
        else:
            self.satisfying |= self.sets.above(node)
        self._prediction.learn(node, suppressed)

    def start(self) -> bool:
        """Bisects a path through the lattice to where it turns; whether the highest node satisfies."""
        self._settle(self.lattice.highs)  # may be known without a check, however short the time is
        if not self.satisfying:
            return False
        path = [self.lattice.lows]
        while path[-1] != self.lattice.highs:
            path.append(max(self.lattice.successors(path[-1]), key=self._prediction.detail))
        first, last = 0, len(path) - 1
        while first < last:
            middle = (first + last) // 2
            self.ask([path[middle]])
            satisfies = self.satisfying >> self.sets.place(path[middle]) & 1
            first, last = (first, middle) if satisfies else (middle + 1, last)
        self._prediction.start(path[last])
        return True

    def settle(self, targets: Callable[[], int]) -> None:
        """Checks nodes until all targets are settled; the targets may change with every check."""
        while wanted := targets() & self.unknown:
            self.ask(self._choose(wanted))

    def _choose(self, wanted: int) -> list[Node]:
        """The nodes to check next: if they are as predicted, they settle the most of the wanted nodes."""
        guesses = self._prediction.of_all()
        expected = self.sets.where(guess > 0 for guess in guesses)
        unknown, sets = self.unknown, self.sets
        high, low = sets.maximal(unknown & expected), sets.minimal(unknown & ~expected)
        before, kept = self._settling, dict[tuple[Node, bool], int]()
        for node in sets.listed(high):
            kept[node, True] = before.get((node, True)) or sets.below(node)
        for node in sets.listed(low):
            kept[node, False] = before.get((node, False)) or sets.above(node)
        self._settling = kept
        settled = [(node, those) for (node, _), those in kept.items()]
        queue = [(-(those & wanted).bit_count(), i) for i, (_, those) in enumerate(settled)]
        heapq.heapify(queue)
        chosen: list[Node] = []
        while queue and len(chosen) < self._most_checks:
            gain, i = heapq.heappop(queue)
            node, those = settled[i]
            now = -(those & wanted).bit_count()
            if now > gain:
                if now:
                    heapq.heappush(queue, (now, i))
            elif gain:
                chosen.append(node)
                wanted &= ~those
        return chosen


class Prediction:
    """Predicts the logarithm of the suppressed rows of a node, relative to the limit, as a sum over its levels.

    It is fitted by weighted least squares, and pulled towards a prior by which one bit more of detail (see
    CostModel.detail) doubles the suppressed rows.
    """

    _PULL = 1.0

    def __init__(self, lattice: Lattice, checker: NodeChecker) -> None:
        self._costs = checker.costs
        self._limit = checker.limit
        self._levels = [range(low, high + 1) for low, high in zip(lattice.lows, lattice.highs, strict=True)]
        self._lows = lattice.lows
        starts = [1]
        for levels in self._levels:
            starts.append(starts[-1] + len(levels) - 1)
        self._starts = starts  # the coefficients of each quasi-identifier begin after this one
        size = starts[-1]
        self._products = [[0.0] * size for _ in range(size)]
        self._sums = [0.0] * size
        self._offset = 0.0

    def detail(self, node: Node) -> float:
        """How finely a node distinguishes rows, in bits."""
        return math.fsum(self._costs.detail(i, level) for i, level in enumerate(node))

    def start(self, node: Node) -> None:
        """Sets the prior: the border is at the detail of this node."""
        self._offset = self.detail(node)

    def learn(self, node: Node, suppressed: int) -> None:
        """Adds the result of a check."""
        logarithm = math.log((suppressed + 0.5) / (self._limit + 1))
        value = logarithm - _DOUBLED * self.detail(node)
        weight = 1 / (1 + logarithm**2)  # nodes far from the border say little of it
        coefficients = [0, *(self._place(i, level) for i, level in enumerate(node) if level > self._lows[i])]
        for row in coefficients:
            self._sums[row] += weight * value
            for col in coefficients:
                self._products[row][col] += weight

    def of_all(self) -> list[float]:
        """The prediction of each node, in the order of `Lattice.nodes()`; above 0 if it is expected to fail."""
        coefficients = self._coefficients()
        guesses = [coefficients[0]]
        for i, levels in enumerate(self._levels):
            steps = [
                _DOUBLED * self._costs.detail(i, level)
                + (coefficients[self._place(i, level)] if level > self._lows[i] else 0.0)
                for level in levels
            ]
            guesses = [guess + step for guess in guesses for step in steps]
        return guesses

    def _place(self, attribute: int, level: int) -> int:
        return self._starts[attribute] + level - self._lows[attribute] - 1

    def _coefficients(self) -> list[float]:
        """The solution of the normal equations."""
        size = len(self._sums)
        base = -_DOUBLED * self._offset
        rows = [[*row, total] for row, total in zip(self._products, self._sums, strict=True)]
        for i, row in enumerate(rows):
            row[size] -= base * self._products[i][0]
            row[i] += self._PULL
        for i, row in enumerate(rows):
            pivot = row[i]
            for other in rows[i + 1 :]:
                factor = other[i] / pivot
                if factor:
                    other[i:] = [a - factor * b for a, b in zip(other[i:], row[i:], strict=True)]
        coefficients = [0.0] * size
        for i in range(size - 1, -1, -1):
            row = rows[i]
            coefficients[i] = (row[size] - sum(row[j] * coefficients[j] for j in range(i + 1, size))) / row[i]
        coefficients[0] += base
        return coefficients
