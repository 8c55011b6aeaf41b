"""The generalization lattice, and what is known of its nodes without asking the data again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

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
        """All nodes, levels in order."""
        return product(*(range(low, high + 1) for low, high in zip(self.lows, self.highs, strict=True)))

    def nodes_at(self, height: int) -> Iterator[Node]:
        """The nodes of a height (sum of levels), levels in order."""
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
        """The least nodes above `node` that do not lie at or below `failing`."""
        return [(*node[:i], failing[i] + 1, *node[i + 1 :]) for i in range(len(node)) if failing[i] < self.highs[i]]


def packed(node: Sequence[int]) -> int:
    """The levels in one integer."""
    value = 0
    for level in reversed(node):
        value = value << _BITS | level
    return value


def guards(attributes: int) -> int:
    """A bit above each level of a packed node: `(guards | high) - low` keeps them all where low lies below high."""
    return sum(_GUARD << (_BITS * i) for i in range(attributes))


class Tags:
    """Failing and satisfying nodes of a model that is monotone on the lattice.

    What lies at or below a failing node fails, what lies at or above a satisfying one satisfies; only the border
    of either set is kept. Nodes are packed into one integer, so that comparing two takes one subtraction.
    """

    def __init__(self, attributes: int) -> None:
        self._guards = guards(attributes)
        self._failing: list[tuple[int, Node]] = []
        self._satisfying: list[int] = []

    def fails(self, node: Node) -> Node | None:
        """A failing node at or above `node`, else None."""
        value = packed(node)
        for position, (guarded, failing) in enumerate(self._failing):
            if (guarded - value) & self._guards == self._guards:
                if position > 4:  # recent hits first: neighbours are asked for next
                    self._failing.insert(0, self._failing.pop(position))
                return failing
        return None

    def satisfies(self, node: Node) -> bool:
        """Whether a satisfying node lies at or below `node`."""
        guarded = packed(node) | self._guards
        return any((guarded - other) & self._guards == self._guards for other in self._satisfying)

    def add(self, node: Node, *, satisfying: bool) -> None:
        """Records what a check found."""
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
