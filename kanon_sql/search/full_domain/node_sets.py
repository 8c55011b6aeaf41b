"""Sets of lattice nodes as integers, a bit a node: what a check settles is one AND, however many nodes it settles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import and_, or_

from kanon_sql.search.full_domain.lattice import Lattice, Node

MOST_NODES = 200_000  # of a lattice whose sets are kept so: 25 KB each


class NodeSets:
    """The sets of a lattice's nodes; the bit of a node is its place among `Lattice.nodes()`."""

    def __init__(self, lattice: Lattice) -> None:
        self._lattice = lattice
        self.every = (1 << lattice.size) - 1
        counts = [high - low + 1 for low, high in zip(lattice.lows, lattice.highs, strict=True)]
        self._strides = [1] * len(counts)
        for i in range(len(counts) - 2, -1, -1):
            self._strides[i] = self._strides[i + 1] * counts[i + 1]
        self.nodes = list(lattice.nodes())
        # By quasi-identifier and level above the lowest: the nodes of at most that level.
        self._up_to = [
            [self._repeated(stride * (level + 1), stride * count) for level in range(count)]
            for stride, count in zip(self._strides, counts, strict=True)
        ]

    def _repeated(self, ones: int, period: int) -> int:
        """So many ones at the start of each period."""
        return ((1 << ones) - 1) * (self.every // ((1 << period) - 1))

    def place(self, node: Node) -> int:
        """The bit of a node."""
        return sum((level - low) * s for level, low, s in zip(node, self._lattice.lows, self._strides, strict=True))

    def below(self, node: Node) -> int:
        """The nodes at or below one."""
        lows = self._lattice.lows
        return reduce(and_, (self._up_to[i][level - lows[i]] for i, level in enumerate(node)), self.every)

    def above(self, node: Node) -> int:
        """The nodes at or above one."""
        lows = self._lattice.lows
        lower = [self._up_to[i][level - lows[i] - 1] for i, level in enumerate(node) if level > lows[i]]
        return self.every & ~reduce(or_, lower, 0)

    def at_height(self, height: int) -> int:
        """The nodes of a height."""
        return self.where(sum(node) == height for node in self.nodes)

    def before(self, nodes: int) -> int:
        """The nodes that come before the first of a set, levels in order."""
        return (nodes & -nodes) - 1 if nodes else self.every

    def minimal(self, nodes: int) -> int:
        """Those with no predecessor among them."""
        after = 0
        for stride, masks in zip(self._strides, self._up_to, strict=True):
            after |= (nodes << stride) & ~masks[0]
        return nodes & ~after

    def maximal(self, nodes: int) -> int:
        """Those with no successor among them."""
        before = 0
        for stride, masks in zip(self._strides, self._up_to, strict=True):
            if len(masks) > 1:
                before |= (nodes >> stride) & masks[-2]
        return nodes & ~before

    def listed(self, nodes: int) -> Iterator[Node]:
        """The nodes of a set, levels in order."""
        place = -1
        digits = bin(nodes)[:1:-1]
        while (place := digits.find("1", place + 1)) >= 0:
            yield self.nodes[place]

    def where(self, chosen: Iterable[bool]) -> int:
        """The set of the nodes that a list with an entry a node, levels in order, is true of."""
        digits = "".join("1" if one else "0" for one in chosen)
        return int(digits[::-1], 2)
