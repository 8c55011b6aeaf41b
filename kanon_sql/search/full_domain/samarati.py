"""Samarati's search: the least height at which a node satisfies (IEEE TKDE 13(6), 2001, section 5)."""

from __future__ import annotations

import math
from itertools import islice, takewhile

from kanon_sql.search.full_domain.border import Border
from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.choice import TOLERANCE, NodeChoice, least
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.full_domain.measures import NodeMeasures
from kanon_sql.search.full_domain.minimal import satisfying
from kanon_sql.search.full_domain.node_sets import MOST_NODES
from kanon_sql.sql.deadline import Deadline, TimeUpError

_MOST_TARGETS = 200  # nodes of a height that are looked at together, those of least loss first


def search_samarati(lattice: Lattice, checker: NodeChecker, prefer: str, deadline: Deadline) -> NodeChoice:
    """The first satisfying node of the least height in level order, or the one of least loss among all of that height.

    In lattices that are too large for sets of nodes it is found by halving. Where models are not monotone, a height at
    which no node satisfies may lie above one at which one does, and the heights are gone through from the lowest. Where
    time runs out, the best node so far, not proven.
    """
    high = sum(lattice.highs)
    found: list[Node] = []  # each of less height than the one before
    best: NodeMeasures | None = None
    ties: tuple[Node, ...] = ()
    proven = False
    try:
        with checker.engine.until(deadline):
            if checker.prunes and lattice.size <= MOST_NODES:
                best, ties = _by_border(lattice, checker, prefer, deadline, found)
            else:
                (_by_halving if checker.prunes else _upwards)(lattice, checker, deadline, found)
                if found and prefer == "first":
                    best = checker.measures(found[-1])
                elif found:
                    best, ties = _least_loss(lattice, checker, sum(found[-1]), deadline)
            high = best.height if best else high
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


def _by_border(
    lattice: Lattice, checker: NodeChecker, prefer: str, deadline: Deadline, found: list[Node]
) -> tuple[NodeMeasures | None, tuple[Node, ...]]:
    """The node that is preferred at the least height, asked many nodes at once; adds a satisfying one to `found`.

    A height is the least when every node of the height below is known to fail.
    """
    border = Border(lattice, checker, deadline)
    sets = border.sets
    heights = [sets.at_height(height) for height in range(sum(lattice.lows), sum(lattice.highs) + 1)]

    def lowest() -> int:
        return next((place for place, nodes in enumerate(heights) if nodes & border.satisfying), 0)

    try:
        if not border.start():
            return None, ()
        border.settle(lambda: heights[lowest() - 1] if lowest() else 0)
        level = heights[lowest()]
        if prefer == "first":
            border.settle(lambda: level & sets.before(level & border.satisfying))
            return checker.measures(next(sets.listed(level & border.satisfying))), ()
        return _least_loss_of(border, level)
    finally:
        found += list(sets.listed(heights[lowest()] & border.satisfying))[:1]


def _least_loss_of(border: Border, level: int) -> tuple[NodeMeasures, tuple[Node, ...]]:
    """The node of least loss among those of a height; nodes whose bound alone is above it are not asked about."""
    sets, costs, checker = border.sets, border.checker.costs, border.checker
    bounds = {node: math.fsum(costs.loss(i, at) for i, at in enumerate(node)) for node in sets.listed(level)}
    rising = sorted(bounds, key=lambda node: bounds[node])
    measured: dict[Node, NodeMeasures] = {}

    def promising() -> list[Node]:
        """The nodes that may still be the one, by rising bound."""
        best = min((one.lm for one in measured.values()), default=math.inf)
        most = best + TOLERANCE * max(1.0, best)
        return list(takewhile(lambda node: bounds[node] <= most, rising))

    def targets() -> int:
        for node in promising():
            if node not in measured and border.satisfying >> sets.place(node) & 1:
                measured[node] = checker.measures(node)
        left = (node for node in promising() if border.unknown >> sets.place(node) & 1)
        return sum(1 << sets.place(node) for node in islice(left, _MOST_TARGETS))

    border.settle(targets)
    return least(list(measured.values()), lambda measures: measures.lm)


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
    return next(satisfying(checker, lattice.nodes_at(height), deadline), None)


def _least_loss(
    lattice: Lattice, checker: NodeChecker, height: int, deadline: Deadline
) -> tuple[NodeMeasures, tuple[Node, ...]]:
    found = list(satisfying(checker, lattice.nodes_at(height), deadline))
    return least(checker.measure(found), lambda measures: measures.lm)
