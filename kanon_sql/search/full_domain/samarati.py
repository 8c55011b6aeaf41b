"""Samarati's search: the least height at which a node satisfies, by halving (IEEE TKDE 13(6), 2001, section 5)."""

from __future__ import annotations

from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.choice import NodeChoice, least
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.full_domain.measures import NodeMeasures
from kanon_sql.sql.deadline import Deadline, TimeUpError


def search_samarati(lattice: Lattice, checker: NodeChecker, prefer: str, deadline: Deadline) -> NodeChoice:
    """The first satisfying node of the least height in level order, or the one of least loss among all of that height.

    Halving goes by heights at which some node satisfies; where models are not monotone, a height at which none does may
    lie above one at which one does, and the heights are gone through from the lowest. Where time runs out, the best
    node so far, not proven.
    """
    high = sum(lattice.highs)
    found: list[Node] = []  # each of less height than the one before
    best: NodeMeasures | None = None
    ties: tuple[Node, ...] = ()
    proven = False
    try:
        with checker.engine.until(deadline):
            (_by_halving if checker.prunes else _upwards)(lattice, checker, deadline, found)
            if found:
                high = sum(found[-1])
                if prefer == "first":
                    best = checker.measures(found[-1])
                else:
                    best, ties = _least_loss(lattice, checker, high, deadline)
        proven = best is not None
    except TimeUpError:
        best = best or (checker.measures(found[-1]) if found else None)
    return NodeChoice(
        winner=best,
        objective=best.lm if best else None,
        proven=proven,
        bound=best.lm if best and proven else None,
        lattice_nodes=lattice.size,
        checked=checker.checked,
        ties=ties,
        notes=(f"the least height at which a node satisfies is {high}",) if proven else (),
    )


def _by_halving(lattice: Lattice, checker: NodeChecker, deadline: Deadline, found: list[Node]) -> None:
    """Adds satisfying nodes, at last one of the least height."""
    if checker.satisfies(lattice.highs):
        found.append(lattice.highs)
    low = sum(lattice.lows)
    while found and low < sum(found[-1]):
        middle = (low + sum(found[-1])) // 2
        candidate = _first_at(lattice, checker, middle, deadline)
        if candidate is None:
            low = middle + 1
        else:
            found.append(candidate)


def _upwards(lattice: Lattice, checker: NodeChecker, deadline: Deadline, found: list[Node]) -> None:
    """Adds a satisfying node of the least height."""
    for height in range(sum(lattice.lows), sum(lattice.highs) + 1):
        node = _first_at(lattice, checker, height, deadline)
        if node is not None:
            found.append(node)
            return


def _first_at(lattice: Lattice, checker: NodeChecker, height: int, deadline: Deadline) -> Node | None:
    for node in lattice.nodes_at(height):
        deadline.check()
        if checker.satisfies(node):
            return node
    return None


def _least_loss(
    lattice: Lattice, checker: NodeChecker, height: int, deadline: Deadline
) -> tuple[NodeMeasures, tuple[Node, ...]]:
    satisfying = []
    for node in lattice.nodes_at(height):
        deadline.check()
        if checker.satisfies(node):
            satisfying.append(checker.measures(node))
    return least(satisfying, lambda measures: measures.lm)
