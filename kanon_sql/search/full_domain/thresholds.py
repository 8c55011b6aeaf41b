"""Checks of nodes under thresholds of the released table as a whole: see kanon_sql.privacy.thresholds."""

from __future__ import annotations

from kanon_sql.frequency.judged import Models, source_tables
from kanon_sql.frequency.table import Frequency
from kanon_sql.privacy.thresholds import least_size
from kanon_sql.privacy.uniqueness import ClassSizes
from kanon_sql.progress import Progress
from kanon_sql.search.full_domain.checker import NodeChecker, Nodes, grouping_codes
from kanon_sql.search.full_domain.lattice import Node
from kanon_sql.search.full_domain.measures import Counts
from kanon_sql.sql.template import compose


def make_checker(
    engine: Nodes, frequency: Frequency, models: Models, k: int, limit: int, progress: Progress
) -> NodeChecker:
    """The checker of nodes for the models."""
    kind = ThresholdChecker if models.thresholds else NodeChecker
    return kind(engine, frequency, models, k, limit, progress)


class ThresholdChecker(NodeChecker):
    """A node releases its satisfying classes of at least k' rows; the thresholds determine k' at each node.

    One statement gives the sizes of a node's classes, and everything but the losses follows from them. Suppressed rows
    are not monotone: k' may grow upwards. Lost for sure are the rows of classes below k, and those that a threshold
    loses whatever else is suppressed (`Threshold.least_lost`).
    """

    def __init__(
        self, engine: Nodes, frequency: Frequency, models: Models, k: int, limit: int, progress: Progress
    ) -> None:
        super().__init__(engine, frequency, models, k, limit, progress)
        self._sizes_of = models.once(_SizesStatement, screening=False).sizes
        self._sizes: dict[Node, tuple[ClassSizes, ClassSizes]] = {}
        self._least: dict[Node, int] = {}

    @property
    def batch(self) -> int:
        """One: what a node releases depends on its own classes."""
        return 1

    def least(self, node: Node) -> int:
        if node not in self._least:
            self._least[node] = least_size(self._classes(node)[0], self.k, self.models.thresholds)
        return self._least[node]

    def _values_at(self, node: Node) -> dict[str, int]:
        return {"k": self.least(node)}

    def passes(self, node: Node) -> bool:
        passes = self.known(node)
        if passes is None:
            passes = self._lost(node) <= self.limit
            self._tag(node, passing=passes)
        return passes

    def suppressed(self, node: Node) -> int:
        if node not in self._suppressed:
            self._record(node, self.counts(node).suppressed)
        return self._suppressed[node]

    def counts(self, node: Node) -> Counts:
        if node not in self._counts:
            satisfying, violating = self._classes(node)
            released = satisfying.at_least(self.least(node))
            both = (satisfying, violating)
            self._counts[node] = Counts(
                self.frequency.n - released.rows,
                released.classes,
                min(released.classes_of, default=0),
                max((size for sizes in both for size in sizes.classes_of), default=0),
                sum(size * size * count for size, count in released),
                sum(sizes.classes for sizes in both),
                sum(size * size * count for sizes in both for size, count in sizes),
            )
            if node not in self._suppressed:
                self._record(node, self._counts[node].suppressed)
        return self._counts[node]

    def _lost(self, node: Node) -> int:
        """The rows that neither this node nor any below can release."""
        if self.models.models:
            screen = self.statements.screen
            return 0 if screen is None else self._ask(screen, node)
        satisfying, violating = self._classes(node)
        return violating.rows + max(threshold.least_lost(satisfying) for threshold in self.models.thresholds)

    def _classes(self, node: Node) -> tuple[ClassSizes, ClassSizes]:
        """The sizes of the classes that satisfy the models of classes, and those of the others."""
        if node not in self._sizes:
            self._checked.add(node)
            lists = {"key": grouping_codes(self.frequency, node)}
            sizes = self.engine.query(self._sizes_of, values={"k": self.k}, lists=lists)
            satisfying, violating = (
                ClassSizes.of(
                    [(int(size), int(count)) for size, violates, count in sizes if bool(violates) is violating_ones]
                )
                for violating_ones in (False, True)
            )
            self._sizes[node] = satisfying, violating
        return self._sizes[node]


class _SizesStatement:
    """The statement of the sizes of a node's classes."""

    def __init__(self, models: Models, *, screening: bool) -> None:
        classes = models.classes(source_tables(models))
        self.sizes = compose("search/full_domain/node_sizes", {"classes": classes})
