"""The generalization lattice, and which of its nodes checks have settled.

`NodeSets` are sets of nodes as integers, a bit a node: a check then takes one AND, however many nodes it settles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import product
from math import prod
from operator import and_, or_

Node = tuple[int, ...]

_BITS = 16  # levels below 32,768
_GUARD = 1 << (_BITS - 1)


@dataclass(frozen=True)
class Lattice:
    """The nodes between a lowest and a highest level for each quasi-identifier; `tops` are the hierarchies' heights."""

    lows: Node
    highs: Node
    tops: Node

    @property
    def size(self) -> int:
        """The number of nodes."""
        return prod(high - low + 1 for low, high in zip(self.lows, self.highs, strict=True))

    def nodes(self) -> Iterator[Node]:
        """All nodes, sorted by their levels."""
        return product(*(range(low, high + 1) for low, high in zip(self.lows, self.highs, strict=True)))

    def nodes_at(self, height: int) -> Iterator[Node]:
        """The nodes of a height (sum of levels), sorted by their levels."""
        yield from self._at(0, height)

    def _at(self, position: int, height: int) -> Iterator[Node]:
        if position == len(self.lows):
            if height == 0:
                yield ()
            return
        rest_low, rest_high = sum(self.lows[position + 1 :]), sum(self.highs[position + 1 :])
        first = max(self.lows[position], height - rest_high)
        last = min(self.highs[position], height - rest_low)
        for level in range(first, last + 1):
            for rest in self._at(position + 1, height - level):
                yield (level, *rest)

    def successors(self, node: Node) -> list[Node]:
        """The nodes one level higher in one quasi-identifier."""
        return [(*node[:i], level + 1, *node[i + 1 :]) for i, level in enumerate(node) if level < self.highs[i]]

    def predecessors(self, node: Node) -> list[Node]:
        """The nodes one level lower in one quasi-identifier."""
        return [(*node[:i], level - 1, *node[i + 1 :]) for i, level in enumerate(node) if level > self.lows[i]]

    def beyond(self, node: Node, failing: Node) -> list[Node]:
        """The lowest nodes above `node` that are not at or below `failing`."""
        return [(*node[:i], failing[i] + 1, *node[i + 1 :]) for i in range(len(node)) if failing[i] < self.highs[i]]


def packed(node: Sequence[int]) -> int:
    """The levels of a node in one integer."""
    value = 0
    for level in reversed(node):
        value = value << _BITS | level
    return value


def guards(attributes: int) -> int:
    """A bit above each level of a packed node: `(guards | high) - low` keeps all of them if low is at or below high."""
    return sum(_GUARD << (_BITS * i) for i in range(attributes))


class Tags:
    """Failing and satisfying nodes of a model that is monotone on the lattice.

    Nodes at or below a failing node fail, nodes at or above a satisfying one satisfy; only the border of each set is
    kept. Nodes are packed into one integer, so that comparing two takes one subtraction.
    """

    def __init__(self, attributes: int) -> None:
        self._guards = guards(attributes)
        self._failing: list[tuple[int, Node]] = []
        self._satisfying: list[int] = []
        self._waiting: list[tuple[Node, bool]] = []  # results that no question was about yet

    def fails(self, node: Node) -> Node | None:
        """A failing node at or above `node`, else None."""
        self._take_in()
        value = packed(node)
        for position, (guarded, failing) in enumerate(self._failing):
            if (guarded - value) & self._guards == self._guards:
                if position > 4:  # recent hits first: the next nodes are their neighbours
                    self._failing.insert(0, self._failing.pop(position))
                return failing
        return None

    def satisfies(self, node: Node) -> bool:
        """Whether a satisfying node lies at or below `node`."""
        self._take_in()
        guarded = packed(node) | self._guards
        return any((guarded - other) & self._guards == self._guards for other in self._satisfying)

    def add(self, node: Node, *, satisfying: bool) -> None:
        """Records the result of a check."""
        self._waiting.append((node, satisfying))

    def _take_in(self) -> None:
        """Adds the results that wait to the borders: a search with sets of its own asks nothing of them."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            for node, is_satisfying in waiting:
                self._add(node, satisfying=is_satisfying)

    def _add(self, node: Node, *, satisfying: bool) -> None:
        value, bits = packed(node), self._guards
        if satisfying:
            self._satisfying = [other for other in self._satisfying if ((other | bits) - value) & bits != bits]
            self._satisfying.append(value)
        else:
            guarded = value | bits
            self._failing = [
                (other, failing) for other, failing in self._failing if (guarded - (other & ~bits)) & bits != bits
            ]
            self._failing.insert(0, (guarded, node))


_DIGITS = b"01" + bytes(254)  # what bytes of 0 and 1 are written as
_MOST_HALVES = 1_000  # sets that are kept
MOST_NODES = 200_000  # of a lattice with NodeSets: 25 KB each


class NodeSets:
    """Sets of nodes of a lattice, as integers; the bit of a node is its position in `Lattice.nodes()`."""

    def __init__(self, lattice: Lattice) -> None:
        self._lattice = lattice
        self.every = (1 << lattice.size) - 1
        counts = [high - low + 1 for low, high in zip(lattice.lows, lattice.highs, strict=True)]
        self._strides = [1] * len(counts)
        for i in range(len(counts) - 2, -1, -1):
            self._strides[i] = self._strides[i + 1] * counts[i + 1]
        self.nodes = list(lattice.nodes())
        # Many nodes share half of their levels.
        self._below = lru_cache(_MOST_HALVES)(self._at_most)
        self._above = lru_cache(_MOST_HALVES)(self._at_least)
        # For each quasi-identifier and level, counted from the lowest: the nodes of at most that level.
        self._up_to = [
            [self._repeated(stride * (level + 1), stride * count) for level in range(count)]
            for stride, count in zip(self._strides, counts, strict=True)
        ]

    def _repeated(self, count: int, period: int) -> int:
        """`count` ones at the start of each period."""
        return ((1 << count) - 1) * (self.every // ((1 << period) - 1))

    def place(self, node: Node) -> int:
        """The bit of a node."""
        return sum((level - low) * s for level, low, s in zip(node, self._lattice.lows, self._strides, strict=True))

    def below(self, node: Node) -> int:
        """The set of the nodes at or below one."""
        half = len(node) // 2
        return self._below(0, node[:half]) & self._below(half, node[half:])

    def above(self, node: Node) -> int:
        """The set of the nodes at or above one."""
        half = len(node) // 2
        return self._above(0, node[:half]) & self._above(half, node[half:])

    def _at_most(self, start: int, levels: Node) -> int:
        """The nodes of at most these levels of the quasi-identifiers from one on."""
        lows = self._lattice.lows
        return reduce(and_, (self._up_to[i][at - lows[i]] for i, at in enumerate(levels, start)), self.every)

    def _at_least(self, start: int, levels: Node) -> int:
        """The nodes of at least these levels of the quasi-identifiers from one on."""
        lows = self._lattice.lows
        lower = (self._up_to[i][at - lows[i] - 1] for i, at in enumerate(levels, start) if at > lows[i])
        return self.every & ~reduce(or_, lower, 0)

    def at_height(self, height: int) -> int:
        """The nodes of a height."""
        return self.where(sum(node) == height for node in self.nodes)

    def before(self, nodes: int) -> int:
        """The nodes before the first of a set, in the order of `Lattice.nodes()`."""
        return (nodes & -nodes) - 1 if nodes else self.every

    def minimal(self, nodes: int) -> int:
        """The nodes of a set without a predecessor in it."""
        after = 0
        for stride, masks in zip(self._strides, self._up_to, strict=True):
            after |= (nodes << stride) & ~masks[0]
        return nodes & ~after

    def maximal(self, nodes: int) -> int:
        """The nodes of a set without a successor in it."""
        before = 0
        for stride, masks in zip(self._strides, self._up_to, strict=True):
            if len(masks) > 1:
                before |= (nodes >> stride) & masks[-2]
        return nodes & ~before

    def listed(self, nodes: int) -> Iterator[Node]:
        """The nodes of a set, sorted by their levels."""
        bit = -1
        digits = bin(nodes)[:1:-1]
        while (bit := digits.find("1", bit + 1)) >= 0:
            yield self.nodes[bit]

    def where(self, chosen: Iterable[bool]) -> int:
        """The set of the nodes for which a list, in the order of `Lattice.nodes()`, is true."""
        return int(bytes(chosen)[::-1].translate(_DIGITS), 2)
