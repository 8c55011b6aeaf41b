"""What a lattice node costs, and the node that a search chose.

The costs are the loss, discernibility, precision and entropy of the release that the node stands for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kanon_sql.frequency.table import Frequency
from kanon_sql.search.full_domain.lattice import Lattice, Node

if TYPE_CHECKING:
    from kanon_sql.results.run import BlindSearch


@dataclass(frozen=True)
class ReleasedClasses:
    """The released classes of a node, those of at least k rows; `largest` may be among the others."""

    suppressed: int
    released_classes: int
    smallest: int
    largest: int
    released_squares: int


@dataclass(frozen=True)
class Counts(ReleasedClasses):
    """The released classes of a node, and all of its classes."""

    all_classes: int
    all_squares: int


@dataclass(frozen=True)
class NodeMeasures:
    """A node of the full-domain lattice, with the classes below k suppressed.

    `losses[i]` is the loss of quasi-identifier i in 0..1: the mean over the n rows of (M-1)/(|A|-1), M leaves of
    the hierarchy below the released value of |A| in all, 1 for a suppressed row (Iyengar, KDD 2002, section 2).
    """

    levels: Node
    suppressed: int
    losses: tuple[float, ...]
    precision_cost: float
    entropy: float | None
    counts: ReleasedClasses | None

    @property
    def height(self) -> int:
        """Sum of the levels."""
        return sum(self.levels)

    @property
    def sizes(self) -> ReleasedClasses:
        """The classes of a node; they must have been counted."""
        assert self.counts is not None
        return self.counts

    @property
    def classes(self) -> int:
        """Released classes."""
        return self.sizes.released_classes

    @property
    def lm(self) -> float:
        """The loss metric: the sum over the quasi-identifiers, never weighted."""
        return math.fsum(self.losses)

    @property
    def geometric_mean(self) -> float:
        """prod(loss + 1)^(1/d) - 1."""
        return geometric_mean(self.losses)

    def discernibility(self, n: int) -> int:
        """Sum of squared class sizes, n for each suppressed row (Bayardo and Agrawal, ICDE 2005)."""
        return self.sizes.released_squares + self.suppressed * n

    def average_class_size(self, n: int) -> float:
        """Released rows for each class; infinite without a class."""
        return (n - self.suppressed) / self.classes if self.classes else math.inf


def geometric_mean(losses: MappingOf[int, float] | tuple[float, ...]) -> float:
    """prod(loss + 1)^(1/d) - 1 of d losses."""
    values = tuple(losses)
    return math.exp(math.fsum(math.log1p(loss) for loss in values) / len(values)) - 1


class CostModel:
    """Turns counts of a node into measures, in integers until the last division, so that ties stay ties."""

    def __init__(self, frequency: Frequency) -> None:
        self.frequency = frequency
        self.n = frequency.n
        self.spans = [max(mapping.leaves - 1, 1) for mapping in frequency.mappings]

    def loss(self, attribute: int, level: int, suppressed: int = 0, suppressed_units: int = 0) -> float:
        """The loss of a quasi-identifier at a level, if `suppressed` rows, of `suppressed_units`, are suppressed."""
        span = self.spans[attribute]
        units = self.frequency.marginals[attribute][level].units - suppressed_units + suppressed * span
        return units / (span * self.n)

    def least_loss(self, attribute: int, level: int, suppressed: int) -> float:
        """The least loss at a level if `suppressed` rows are suppressed: each of them had the most units."""
        return self.loss(
            attribute, level, suppressed, suppressed * self.frequency.marginals[attribute][level].most_units
        )

    def precision_cost(self, levels: Node, suppressed: int = 0) -> float:
        """1 - precision: the mean over cells of level / top level, suppressed cells at the top (Sweeney 2002)."""
        total = 0.0
        for level, top in zip(levels, self.frequency.heights, strict=True):
            if top:
                total += ((self.n - suppressed) * level + suppressed * top) / (top * self.n)
        return total / len(levels)

    def entropy(self, levels: Node, suppressed: int = 0, suppressed_spread: float = 0.0) -> float:
        """Sum over cells of -log2(rows with the source value / rows with the released value), in bits.

        Non-uniform entropy (Gionis and Tassa, TKDE 2009); suppressed cells count as if at the top.
        """
        total = -suppressed_spread + len(levels) * suppressed * math.log2(self.n)
        for attribute, level in enumerate(levels):
            marginal = self.frequency.marginals[attribute]
            total += marginal[level].spread - marginal[0].spread
        return max(total, 0.0)

    def detail(self, attribute: int, level: int) -> float:
        """The entropy of the released values of a quasi-identifier in bits: how finely a level distinguishes rows."""
        return math.log2(self.n) - self.frequency.marginals[attribute][level].spread / self.n


TOLERANCE = 1e-12  # relative; values that differ by less are ties, up to rounding


@dataclass(frozen=True)
class BlindChoice:
    """The node that a blind search chose: its suppressed rows without reading sensitive values, and in all.

    `proven` says that it is the best of the nodes that leave `reserve` rows of the limit.
    """

    suppressed: int
    in_all: int
    reserve: int
    proven: bool

    def describe(self) -> BlindSearch:
        """The report's entry `blind`."""
        return {
            "suppressed": self.suppressed,
            "in_all": self.in_all,
            "reserve": self.reserve,
            "proven": self.proven,
        }


@dataclass(frozen=True)
class NodeChoice:
    """The chosen node, or None if no node satisfies or none was found in time.

    `bound` is a lower bound on the objective over all satisfying nodes: the value of the winner if `proven`.
    `left_by_bound` counts the nodes whose bound alone excluded them, if models are not monotone.
    """

    winner: NodeMeasures | None
    objective: float | None
    proven: bool
    bound: float | None
    lattice_nodes: int
    checked: int
    minimal: tuple[NodeMeasures, ...] = ()
    ties: tuple[Node, ...] = ()
    notes: tuple[str, ...] = field(default=())
    left_by_bound: int | None = None
    blind: BlindChoice | None = None


def nothing(lattice: Lattice) -> NodeChoice:
    """The result of a search that did not begin, because no node satisfies."""
    return NodeChoice(winner=None, objective=None, proven=False, bound=None, lattice_nodes=lattice.size, checked=0)


def least(nodes: Sequence[NodeMeasures], key: Callable[[NodeMeasures], float]) -> tuple[NodeMeasures, tuple[Node, ...]]:
    """The node of least key, ties broken by loss, then height, then levels in order; and all nodes that tied."""
    smallest = min(key(node) for node in nodes)
    tied = [node for node in nodes if key(node) <= smallest + TOLERANCE * max(1.0, abs(smallest))]
    lowest = min(node.lm for node in tied)
    equal = [node for node in tied if node.lm <= lowest + TOLERANCE * max(1.0, lowest)]
    winner = min(equal, key=lambda node: (node.height, node.levels))
    return winner, tuple(node.levels for node in tied) if len(tied) > 1 else ()
