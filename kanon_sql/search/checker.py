"""Checks of lattice nodes: each is a GROUP BY/HAVING query over the frequency table, run once and remembered."""

from __future__ import annotations

from dataclasses import replace

from kanon_sql.engine.connection import Engine, Row
from kanon_sql.engine.template import Item, state
from kanon_sql.frequency import Frequency, code_name
from kanon_sql.progress import Progress
from kanon_sql.search.lattice import Node, Tags
from kanon_sql.search.measures import CostModel, Counts, NodeMeasures


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
        self.with_entropy = False  # whether losses come with the entropy, at a further query each
        splits = any(mapping.splits_top for mapping in frequency.mappings)
        self._one_class_node = None if splits else frequency.heights
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
        if node not in self._suppressed and node == self._one_class_node:
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
        if node not in self._counts and node == self._one_class_node:
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
        """The node with all measures but the entropy, which a search asks for where it needs it."""
        measures = self.losses(node)
        if measures.counts is None:
            measures = self._measures[node] = replace(measures, counts=self.counts(node))
        return measures

    def losses(self, node: Node) -> NodeMeasures:
        """The node with its losses; its classes where they have been counted."""
        if node not in self._measures:
            suppressed = self.suppressed(node)
            units = self._suppressed_units(node, suppressed)
            self._measures[node] = NodeMeasures(
                levels=node,
                suppressed=suppressed,
                losses=tuple(self.costs.loss(i, level, suppressed, units[i]) for i, level in enumerate(node)),
                precision_cost=self.costs.precision_cost(node, suppressed),
                entropy=self._entropy(node, suppressed) if self.with_entropy else None,
                counts=self._counts.get(node),
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
            for i, (level, mapping) in enumerate(zip(node, self.frequency.mappings, strict=True))
            if level < mapping.height or mapping.splits_top
        ]

    def with_entropy_of(self, node: Node) -> NodeMeasures:
        """The node with all measures."""
        measures = self.measures(node)
        if measures.entropy is None:
            measures = self._measures[node] = replace(measures, entropy=self._entropy(node, measures.suppressed))
        return measures

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
            if level < self.frequency.heights[i] or self.frequency.mappings[i].splits_top or i in attributes
        ]
        lists = {"cost": items, "class": grouped}
        return self.engine.query(query, values={"k": self.k}, names=names, lists=lists)[0]
