"""Full-domain generalization beside the sweep: each dimension at one level for all rows.

The sweep almost always loses less, but not always: where k is near a third of the rows its first classes may leave the
others a bad rest. What the sweep loses bounds this search from the start, and the cheapest node is known from counts of
single values; so on real data often no node at all has to be checked.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.local.queries import Queries
from kanon_sql.search.local.trees import SearchTree
from kanon_sql.sql.template import Fill, Item

SLACK = 1e-9  # of a loss: sums in another order differ by less


class _Level(NamedTuple):
    """A level of a tree: what all rows lose there, the rows of its smallest node, and a position under that."""

    cost: float
    smallest: int
    position: int


class WholeDomain:
    """The nodes of the lattice whose levels are those of the search's trees; the table cells has all tuples."""

    def __init__(self, queries: Queries, trees: Sequence[SearchTree], k: int) -> None:
        self.queries = queries
        self.trees = trees
        self.k = k
        found = [_level_costs(queries, tree) for tree in trees]
        self._costs = [{level: one.cost for level, one in levels.items()} for levels in found]
        self._levels = found
        tops = tuple(len(tree.shifts) - 1 for tree in trees)
        # A level with a smaller node fails alone already. The top has all rows in one.
        lows = [min(level for level, one in levels.items() if one.smallest >= k) for levels in found]
        self._lattice = Lattice(tuple(lows), tops, tops)
        self._failing: list[Node] = []

    def cheaper_than(self, loss: float) -> Node | None:
        """The levels of the cheapest node whose classes all hold k rows, if it loses less in all than `loss`.

        What fails is widened to a greatest node that fails, and nothing below that is looked at again.
        """
        start = self._lattice.lows
        queue, queued = [(self.loss(start), start)], {start}
        while queue and queue[0][0] < loss * (1 - SLACK):
            _, node = heapq.heappop(queue)
            failing = self._failing_above(node)
            if failing is None:
                return node
            for higher in self._lattice.beyond(node, failing):
                if higher not in queued:
                    queued.add(higher)
                    heapq.heappush(queue, (self.loss(higher), higher))
        return None

    def classify(self, node: Node) -> None:
        """Makes the table members of the classes of a node."""
        self.queries.run("whole_domain_classes", lists={"this": self._items(node)})

    def loss(self, node: Node) -> float:
        """What all rows lose together at a node, weighted."""
        return sum(costs[level] for costs, level in zip(self._costs, node, strict=True))

    def _failing_above(self, node: Node) -> Node | None:
        """A node that fails at or above this one; None where this one satisfies."""
        for failing in self._failing:
            if all(level <= other for level, other in zip(node, failing, strict=True)):
                return failing
        if self._satisfies(node):
            return None
        for i, top in enumerate(self._lattice.highs):
            higher = (*node[:i], top, *node[i + 1 :])
            if higher != node and not self._satisfies(higher):
                node = higher
        self._failing.append(node)
        return node

    def _satisfies(self, node: Node) -> bool:
        lists = {"this": self._items(node)}
        # What fails mostly does so among the classes of the rarest value already, which are soon counted.
        rarest = [
            (levels[level], tree, level) for levels, tree, level in zip(self._levels, self.trees, node, strict=True)
        ]
        one, tree, level = min(rarest, key=lambda found: found[0].smallest)
        names: dict[str, Fill] = {"node_position": tree.dimension.position, "node_shift": tree.shifts[level]}
        below = self.queries.run("smallest_class_of_node", {"position": one.position}, names, lists)[0][0]
        return int(below) >= self.k and int(self.queries.run("smallest_class", lists=lists)[0][0]) >= self.k

    def _items(self, node: Node) -> list[Item]:
        return [
            {"position": tree.dimension.position, "shift": tree.shifts[level]}
            for tree, level in zip(self.trees, node, strict=True)
        ]


def _level_costs(queries: Queries, tree: SearchTree) -> dict[int, _Level]:
    """What each level of a tree is as a whole."""
    names = {"ancestors": tree.ancestors, "this_position": tree.dimension.position}
    found = queries.run("level_costs", names=names)
    return {int(level): _Level(float(cost), int(rows), int(position)) for level, cost, rows, position in found}
