"""Samarati's search: the least height at which a node satisfies, by halving (IEEE TKDE 13(6), 2001, section 5)."""

from __future__ import annotations

from kanon_sql.config.model import Preference
from kanon_sql.deadline import Deadline, TimeUpError
from kanon_sql.search.checker import NodeChecker
from kanon_sql.search.lattice import Lattice, Node
from kanon_sql.search.measures import NodeMeasures
from kanon_sql.search.result import SearchResult, least


def search_samarati(lattice: Lattice, checker: NodeChecker, prefer: Preference, deadline: Deadline) -> SearchResult:
    """The first satisfying node of the least height in level order, or the one of least loss among all of that height.

    Where time runs out, the best node so far, not proven.
    """
    low, high = sum(lattice.lows), sum(lattice.highs)
    found: Node | None = None
    best: NodeMeasures | None = None
    ties: tuple[Node, ...] = ()
    proven = False
    try:
        with checker.engine.until(deadline):
            if checker.satisfies(lattice.highs):
                found = lattice.highs
                while low < high:
                    middle = (low + high) // 2
                    candidate = _first_at(lattice, checker, middle, deadline)
                    if candidate is None:
                        low = middle + 1
                    else:
                        found, high = candidate, middle
                if prefer == "first":
                    best = checker.measures(found)
                else:
                    best, ties = _least_loss(lattice, checker, high, deadline)
        proven = best is not None
    except TimeUpError:
        best = best or (checker.measures(found) if found is not None else None)
    return SearchResult(
        winner=best,
        objective=best.lm if best else None,
        proven=proven,
        bound=best.lm if best and proven else None,
        lattice_nodes=lattice.size,
        checked=checker.checked,
        ties=ties,
        notes=(f"the least height at which a node satisfies is {high}",) if proven else (),
    )


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
