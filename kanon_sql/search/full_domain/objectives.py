"""What the optimal search minimizes, and a lower bound for each node that needs no check or few."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import insort

from kanon_sql.search.full_domain.lattice import Node, guards, packed
from kanon_sql.search.full_domain.measures import CostModel, NodeMeasures, geometric_mean


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
        """What a path climbs by: the bound, and what breaks ties."""
        return self.bound(node), 0.0

    @abstractmethod
    def value(self, measures: NodeMeasures) -> float:
        """The value of an evaluated node."""


class Loss(Objective):
    """Sum of weight * loss."""

    def __init__(self, costs: CostModel, weights: tuple[float, ...]) -> None:
        super().__init__(costs, weights)
        self._losses = [
            [costs.loss(i, level) for level in range(len(marginals))]
            for i, marginals in enumerate(costs.frequency.marginals)
        ]
        self._bounds: dict[Node, float] = {}  # a path asks for the same nodes as its neighbours

    def bound(self, node: Node) -> float:
        found = self._bounds.get(node)
        if found is None:
            losses = [of_levels[level] for of_levels, level in zip(self._losses, node, strict=True)]
            found = self._bounds[node] = self._total(losses)
        return found

    def value(self, measures: NodeMeasures) -> float:
        return self._total(list(measures.losses))

    def _total(self, losses: list[float]) -> float:
        return math.fsum(weight * loss for weight, loss in zip(self.weights, losses, strict=True))


class GeometricMeanLoss(Loss):
    """prod(weight * loss + 1)^(1/d) - 1."""

    def _total(self, losses: list[float]) -> float:
        return geometric_mean(tuple(weight * loss for weight, loss in zip(self.weights, losses, strict=True)))


class Precision(Objective):
    """1 - precision."""

    def bound(self, node: Node) -> float:
        return self.costs.precision_cost(node)

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
    """Objectives of class sizes: what was counted at a node bounds all nodes above it, whose classes are unions."""

    def __init__(self, costs: CostModel, weights: tuple[float, ...], k: int, limit: int) -> None:
        super().__init__(costs, weights)
        self.k = k
        self.limit = limit
        self._known: list[tuple[float, int]] = []  # greatest first
        self._guards = guards(len(weights))

    def bound(self, node: Node) -> float:
        bits = self._guards
        guarded = packed(node) | bits
        for value, other in self._known:
            if (guarded - other) & bits == bits:
                return value
        return self._least()

    def guide(self, node: Node) -> tuple[float, float]:
        return self.bound(node), -math.fsum(self.costs.detail(i, level) for i, level in enumerate(node))

    def learn(self, node: Node, all_classes: int, all_squares: int) -> None:
        """Takes in what a check counted, classes below k included."""
        value = max(self._least(), self._raw(all_classes, all_squares))
        insort(self._known, (value, packed(node)), key=lambda entry: -entry[0])

    @abstractmethod
    def _least(self) -> float:
        """What no release goes below."""

    @abstractmethod
    def _raw(self, all_classes: int, all_squares: int) -> float:
        """What no release goes below whose classes are unions of the classes counted."""


class Discernibility(CountedObjective):
    """Sum of squared class sizes, n for each suppressed row.

    A suppressed class costs size * n, at least its square; squares only grow when classes are joined.
    """

    def _least(self) -> float:
        return float(min(self.k, self.costs.n) * self.costs.n)

    def _raw(self, all_classes: int, all_squares: int) -> float:
        return float(all_squares)

    def value(self, measures: NodeMeasures) -> float:
        return float(measures.discernibility(self.costs.n))


class AverageClassSize(CountedObjective):
    """Released rows for each class: at least n - limit rows are released, in no more classes than were counted."""

    def _least(self) -> float:
        return float(self.k)

    def _raw(self, all_classes: int, all_squares: int) -> float:
        return max(self.costs.n - self.limit, 0) / all_classes

    def value(self, measures: NodeMeasures) -> float:
        return measures.average_class_size(self.costs.n)


def make_objective(name: str, costs: CostModel, weights: tuple[float, ...], k: int, limit: int) -> Objective:
    """The objective of that name."""
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
