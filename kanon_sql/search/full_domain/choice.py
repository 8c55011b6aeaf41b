"""The node that a search of the lattice chose, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.full_domain.measures import NodeMeasures

TOLERANCE = 1e-12  # values this near (relative) are ties: they differ by rounding only


@dataclass(frozen=True)
class Blinded:
    """The node that a blind search chose: rows that it suppresses by what reads no sensitive value, and in all.

    `proven` says that it is the one to choose among the nodes that leave `reserve` rows of the limit.
    """

    suppressed: int
    in_all: int
    reserve: int
    proven: bool


@dataclass(frozen=True)
class NodeChoice:
    """The chosen node, or None when no node satisfies or none was found in time.

    `bound` is a lower bound on the objective over all satisfying nodes: equal to the winner's value when `proven`.
    `left_by_bound` are the nodes whose bound alone said that they are no better, where models are not monotone.
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
    blind: Blinded | None = None


def nothing(lattice: Lattice) -> NodeChoice:
    """What a search finds that is not begun, as no node satisfies."""
    return NodeChoice(winner=None, objective=None, proven=False, bound=None, lattice_nodes=lattice.size, checked=0)


def least(nodes: Sequence[NodeMeasures], key: Callable[[NodeMeasures], float]) -> tuple[NodeMeasures, tuple[Node, ...]]:
    """The node of least key, ties broken by loss, then height, then levels in order; and all nodes that tied."""
    smallest = min(key(node) for node in nodes)
    tied = [node for node in nodes if key(node) <= smallest + TOLERANCE * max(1.0, abs(smallest))]
    lowest = min(node.lm for node in tied)
    equal = [node for node in tied if node.lm <= lowest + TOLERANCE * max(1.0, lowest)]
    winner = min(equal, key=lambda node: (node.height, node.levels))
    return winner, tuple(node.levels for node in tied) if len(tied) > 1 else ()
