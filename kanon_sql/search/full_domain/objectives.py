"""What the optimal search minimizes, with a lower bound for each node that takes no check or few."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import insort
from collections.abc import Sequence
from functools import cached_property
from operator import getitem

from kanon_sql.search.full_domain.lattice import Node, guards, packed
from kanon_sql.search.full_domain.measures import CostModel, Counts, NodeMeasures


class Objective(ABC):
    """A measure to minimize.

    `bound(node)` is at most the value of every node at or above `node`, and never falls along a path upwards.
    """

    def __init__(self, costs: CostModel, weights: tuple[float, ...]) -> None:
        self.costs = costs
        self.weights = weights

    @abstractmethod
    def bound(self, node: Node) -> float:
        """A lower bound on the value of `node` and of all nodes above it."""

    def guide(self, node: Node) -> tuple[float, float]:
        """The order in which a path climbs: the bound, then a value that breaks ties."""
        return self.bound(node), 0.0

    def least(self, node: Node, suppressed: int) -> float:
        """A lower bound on the value of a node that suppresses at least so many rows."""
        return self.bound(node)

    @abstractmethod
    def value(self, measures: NodeMeasures) -> float:
        """The value of an evaluated node."""


class Loss(Objective):
    """Sum of weight * loss."""

    @cached_property
    def parts(self) -> list[list[float]]:
        """What each level of each quasi-identifier adds to the sum that `join` takes, if no row is suppressed."""
        heights = self.costs.frequency.heights
        return [
            [self.part(i, self.costs.loss(i, level)) for level in range(height + 1)] for i, height in enumerate(heights)
        ]

    def bound(self, node: Node) -> float:
        return self.join(math.fsum(map(getitem, self.parts, node)))

    def least(self, node: Node, suppressed: int) -> float:
        return self._total([self.costs.least_loss(i, level, suppressed) for i, level in enumerate(node)])

    def value(self, measures: NodeMeasures) -> float:
        return self._total(measures.losses)

    def part(self, attribute: int, loss: float) -> float:
        """What the loss of one quasi-identifier adds to the sum that `join` takes."""
        return self.weights[attribute] * loss

    def join(self, total: float) -> float:
        """The value for the sum of the parts of all quasi-identifiers; it rises with the sum."""
        return total

    def _total(self, losses: Sequence[float]) -> float:
        return self.join(math.fsum(self.part(i, loss) for i, loss in enumerate(losses)))


class GeometricMeanLoss(Loss):
    """prod(weight * loss + 1)^(1/d) - 1."""

    def part(self, attribute: int, loss: float) -> float:
        return math.log1p(self.weights[attribute] * loss)

    def join(self, total: float) -> float:
        return math.exp(total / len(self.weights)) - 1


class Precision(Objective):
    """1 - precision."""

    def bound(self, node: Node) -> float:
        return self.costs.precision_cost(node)

    def least(self, node: Node, suppressed: int) -> float:
        return self.costs.precision_cost(node, suppressed)

    def value(self, measures: NodeMeasures) -> float:
        return measures.precision_cost


class Entropy(Objective):
    """Non-uniform entropy in bits."""

    def bound(self, node: Node) -> float:
        return self.costs.entropy(node)

    def value(self, measures: NodeMeasures) -> float:
        assert measures.entropy is not None
        return measures.entropy


class CountedObjective(Objective):
    """An objective of class sizes: counts at a node bound all nodes above, whose classes are unions."""

    def __init__(self, costs: CostModel, weights: tuple[float, ...], k: int, limit: int) -> None:
        super().__init__(costs, weights)
        self.k = k
        self.limit = limit
        self._learnt: list[tuple[float, int]] = []  # (bound, packed node), in the order of the checks
        self._by_bound: list[tuple[float, int]] = []  # the same, greatest bound first
        self._bounds: dict[Node, tuple[float, int]] = {}  # the bound of a node, and how many checks it considers
        self._guards = guards(len(weights))

    def bound(self, node: Node) -> float:
        value, seen = self._bounds.get(node, (self._least(), 0))
        if seen == len(self._learnt):
            return value
        bits = self._guards
        guarded = packed(node) | bits
        for bound, other in self._learnt[seen:] if seen else self._by_bound:
            if bound > value and (guarded - other) & bits == bits:
                value = bound
                if not seen:
                    break
        self._bounds[node] = value, len(self._learnt)
        return value

    def guide(self, node: Node) -> tuple[float, float]:
        return self.bound(node), -math.fsum(map(getitem, self._details, node))

    @cached_property
    def _details(self) -> list[list[float]]:
        """How finely each level of each quasi-identifier distinguishes rows."""
        heights = self.costs.frequency.heights
        return [[self.costs.detail(i, level) for level in range(height + 1)] for i, height in enumerate(heights)]

    def learn(self, node: Node, counts: Counts) -> None:
        """Adds the counts of a check."""
        entry = max(self._least(), self._raw(counts)), packed(node)
        self._learnt.append(entry)
        insort(self._by_bound, entry, key=lambda entry: -entry[0])

    @abstractmethod
    def _least(self) -> float:
        """A lower bound of all releases."""

    @abstractmethod
    def _raw(self, counts: Counts) -> float:
        """A lower bound of all releases whose classes are unions of the counted classes."""


class Discernibility(CountedObjective):
    """Sum of squared class sizes, n for each suppressed row.

    A suppressed class costs size * n, at least its square; squares only grow when classes are joined. A row of a
    violating class is suppressed above, or released in a class of at least k rows: it costs at least k.
    """

    def _least(self) -> float:
        return float(self._least_row() * self.costs.n)

    def _raw(self, counts: Counts) -> float:
        return float(max(counts.all_squares, counts.released_squares + self._least_row() * counts.suppressed))

    def _least_row(self) -> int:
        return min(self.k, self.costs.n)

    def value(self, measures: NodeMeasures) -> float:
        return float(measures.discernibility(self.costs.n))


class AverageClassSize(CountedObjective):
    """Released rows for each class: at least n - limit rows are released, in no more classes than were counted.

    A class above contains a released one, or at least k rows of those that were not released.
    """

    def _least(self) -> float:
        return float(self.k)

    def _raw(self, counts: Counts) -> float:
        most = min(counts.all_classes, counts.released_classes + counts.suppressed // self.k)
        return max(self.costs.n - self.limit, 0) / max(most, 1)

    def value(self, measures: NodeMeasures) -> float:
        return measures.average_class_size(self.costs.n)


def make_objective(name: str, costs: CostModel, weights: tuple[float, ...], k: int, limit: int) -> Objective:
    """The objective by its name in the configuration."""
    if name == "discernibility":
        return Discernibility(costs, weights, k, limit)
    if name == "average-class-size":
        return AverageClassSize(costs, weights, k, limit)
    kinds: dict[str, type[Loss | Precision | Entropy]] = {
        "loss": Loss,
        "geometric-mean-loss": GeometricMeanLoss,
        "precision": Precision,
        "entropy": Entropy,
    }
    return kinds[name](costs, weights)
