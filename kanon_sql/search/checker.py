"""Checks of lattice nodes: each is a GROUP BY/HAVING query over the frequency table, run once and remembered."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.engine.connection import Engine, Row
from kanon_sql.engine.template import Item, state
from kanon_sql.frequency import Frequency, code_name
from kanon_sql.progress import Progress
from kanon_sql.search.lattice import Node, Tags
from kanon_sql.search.measures import CostModel, NodeMeasures


@dataclass(frozen=True)
class Counts:
    """What one grouping counted: released classes (at least k rows), and all classes."""

    suppressed: int
    released_classes: int
    smallest: int
    largest: int
    released_squares: int
    all_classes: int
    all_squares: int


class NodeChecker:
    """Asks the engine about nodes, and tags what follows for others.

    Suppression of whole classes below k is monotone on the lattice: a class of a node is a union of classes of every
    node below, so that suppressed rows never increase upwards (Samarati, TKDE 2001).
    """

    def __init__(self, engine: Engine, frequency: Frequency, k: int, limit: int, progress: Progress) -> None:
        self.engine = engine
        self.frequency = frequency
        self.k = k
        self.limit = min(limit, frequency.n - 1)  # a node that suppresses every row is no release
        self.costs = CostModel(frequency)
        self.tags = Tags(len(frequency.mappings))
        self.progress = progress
        self.with_entropy = False  # whether measures take in the entropy, at a further query each
        self.checked = 0  # nodes whose suppressed rows were computed from data
        self._suppressed: dict[Node, int] = {}
        self._counts: dict[Node, Counts] = {}
        self._measures: dict[Node, NodeMeasures] = {}

    def known(self, node: Node) -> bool | None:
        """Whether the node satisfies as far as tags tell; None when they do not."""
        if node in self._suppressed:
            return self._suppressed[node] <= self.limit
        if self.tags.fails(node) is not None:
            return False
        return True if self.tags.satisfies(node) else None

    def satisfies(self, node: Node) -> bool:
        """Whether the node satisfies, by tags or else by a check."""
        known = self.known(node)
        return self.suppressed(node) <= self.limit if known is None else known

    def suppressed(self, node: Node) -> int:
        """The rows of the node's classes below k, counted."""
        if node not in self._suppressed and node == self.frequency.heights:
            self.counts(node)
        if node not in self._suppressed:
            found = self.engine.query(
                "node_check",
                values={"k": self.k},
                names={"tuples": state("tuples")},
                lists={"qi": self._codes(node)},
            )
            self._record(node, int(found[0][1]), asked=True)
        return self._suppressed[node]

    def counts(self, node: Node) -> Counts:
        """The node's classes, counted."""
        if node not in self._counts and node == self.frequency.heights:
            self._counts[node] = self._one_class()
            self._record(node, self._counts[node].suppressed, asked=False)
        if node not in self._counts:
            found = self.engine.query(
                "node_classes",
                values={"k": self.k},
                names={"tuples": state("tuples")},
                lists={"qi": self._codes(node)},
            )
            self._counts[node] = Counts(*(int(value) for value in found[0]))
            if node not in self._suppressed:
                self._record(node, self._counts[node].suppressed, asked=True)
        return self._counts[node]

    def measures(self, node: Node) -> NodeMeasures:
        """The node with all measures."""
        if node not in self._measures:
            counts = self.counts(node)
            units = self._suppressed_units(node, counts.suppressed)
            losses = tuple(self.costs.loss(i, level, counts.suppressed, units[i]) for i, level in enumerate(node))
            self._measures[node] = NodeMeasures(
                levels=node,
                suppressed=counts.suppressed,
                classes=counts.released_classes,
                smallest=counts.smallest,
                largest=counts.largest,
                squares=counts.released_squares,
                losses=losses,
                precision_cost=self.costs.precision_cost(node, counts.suppressed),
                entropy=self._entropy(node, counts.suppressed) if self.with_entropy else None,
            )
        return self._measures[node]

    def _record(self, node: Node, suppressed: int, *, asked: bool) -> None:
        self._suppressed[node] = suppressed
        self.tags.add(node, satisfying=suppressed <= self.limit)
        self.checked += asked
        self.progress.advance()

    def _one_class(self) -> Counts:
        """The top of all hierarchies: one class of all rows, known without asking."""
        n = self.frequency.n
        released = n if n >= self.k else 0
        return Counts(n - released, int(released > 0), released, n, released**2, 1, n**2)

    def _codes(self, node: Node) -> list[Item]:
        """The grouping columns: at the top of a hierarchy all values are one, which needs no grouping."""
        return [
            {"code": code_name(i, level)}
            for i, (level, top) in enumerate(zip(node, self.frequency.heights, strict=True))
            if level < top or not top
        ]

    def with_all_measures(self, measures: NodeMeasures) -> NodeMeasures:
        """The same with the entropy, which the search leaves out where it does not ask for it."""
        if measures.entropy is not None:
            return measures
        return replace(measures, entropy=self._entropy(measures.levels, measures.suppressed))

    def _suppressed_units(self, node: Node, suppressed: int) -> list[int]:
        """Units of loss that the suppressed rows would have in each quasi-identifier.

        At the leaves they have none, at the top each row has all of them: only the levels between are asked for.
        """
        mappings = self.frequency.mappings
        units = [
            suppressed * (mapping.leaves - 1) if level == mapping.height else 0
            for level, mapping in zip(node, mappings, strict=True)
        ]
        between = [
            i for i, (level, top) in enumerate(zip(node, self.frequency.heights, strict=True)) if 0 < level < top
        ]
        if suppressed and between:
            found = self._suppressed_cost("node_suppressed_units", node, between)
            for attribute, value in zip(between, found, strict=True):
                units[attribute] = int(value)
        return units

    def _entropy(self, node: Node, suppressed: int) -> float:
        spread = (
            sum(self._suppressed_cost("node_suppressed_spread", node, list(range(len(node))))) if suppressed else 0.0
        )
        return self.costs.entropy(node, suppressed, float(spread))

    def _suppressed_cost(self, query: str, node: Node, attributes: list[int]) -> Row:
        """What the suppressed classes of a node add up to in the given quasi-identifiers."""
        items: list[Item] = [
            {
                "code": code_name(i, node[i]),
                "costs": state(f"costs_{i}"),
                "level": node[i],
                "cost": f"cost_{i}",
            }
            for i in attributes
        ]
        names = {"tuples": state("tuples")}
        grouped = [
            {"code": code_name(i, level)}
            for i, level in enumerate(node)
            if level < self.frequency.heights[i] or i in attributes
        ]
        lists = {"cost": items, "class": grouped}
        return self.engine.query(query, values={"k": self.k}, names=names, lists=lists)[0]
