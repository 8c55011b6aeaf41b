"""The searches `minimal` and `samarati`: all k-minimal nodes, and the least height at which a node satisfies.

The winner among the minimal nodes follows a preference policy (Samarati, IEEE TKDE 13(6), 2001, sections 4 and 5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, takewhile

from kanon_sql.search.full_domain.border import Border
from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.lattice import MOST_NODES, Lattice, Node
from kanon_sql.search.full_domain.measures import TOLERANCE, NodeChoice, NodeMeasures, least
from kanon_sql.sql.deadline import Deadline, TimeUpError

_MOST_TARGETS = 200  # nodes of a height that are settled together, those of least loss first


def search_minimal(lattice: Lattice, checker: NodeChecker, prefer: str, deadline: Deadline) -> NodeChoice:
    """The minimal nodes, which satisfy while none below them does, and the preferred one of these.

    If time runs out, the preferred one of those found so far, not proven.
    """
    with checker.rolling(lattice):
        return _preferred_minimal(lattice, checker, prefer, deadline)


def _preferred_minimal(lattice: Lattice, checker: NodeChecker, prefer: str, deadline: Deadline) -> NodeChoice:
    nodes: list[Node] = []
    lowest: list[Node] = []
    proven = False
    try:
        with checker.engine.until(deadline):
            _find(lattice, checker, deadline, nodes, lowest)
        proven = True
    except TimeUpError:
        pass
    nodes.sort(key=lambda node: (sum(node), node))
    minimal = checker.measure(nodes)
    measured = minimal or checker.measure(lowest)
    if not measured:
        return NodeChoice(None, None, False, None, lattice.size, checker.checked)
    key = preference_key(prefer, lattice.tops)
    winner, ties = least(measured, key)
    value = key(winner)
    note = f"{len(measured):,} minimal nodes; {len(ties):,} tie under {prefer}, the least loss wins"
    return NodeChoice(
        winner=winner,
        objective=value,
        proven=proven,
        bound=value if proven else None,
        lattice_nodes=lattice.size,
        checked=checker.checked,
        minimal=tuple(minimal),
        ties=ties,
        notes=(note,) if ties else (),
    )


def _find(lattice: Lattice, checker: NodeChecker, deadline: Deadline, minimal: list[Node], lowest: list[Node]) -> None:
    """Adds every minimal node to `minimal`; if time runs out, nodes that may be minimal to `lowest`."""
    if not checker.prunes:
        minimal_nodes_one_by_one(lattice, checker, deadline, minimal)
    elif lattice.size > MOST_NODES:
        minimal_nodes(lattice, checker, deadline, minimal)
    else:
        border = Border(lattice, checker, deadline)
        is_begun = False  # before, the highest node may be all that is known to satisfy
        try:
            is_begun = border.start()
            if is_begun:
                border.settle(lambda: border.unknown)
        finally:
            minimal += border.sets.listed(border.minimal())
            if is_begun:
                lowest += border.sets.listed(border.sets.minimal(border.satisfying))


def minimal_nodes(lattice: Lattice, checker: NodeChecker, deadline: Deadline, minima: list[Node]) -> None:
    """Adds every minimal node to `minima`.

    Each round takes a node that is neither at or above a known minimal node nor at or below a failing one, climbs from
    it to a satisfying node, and descends from there until every predecessor fails.
    """
    if not checker.satisfies(lattice.highs):
        return
    waiting, queued = [lattice.lows], {lattice.lows}
    while waiting:
        deadline.check()
        node = waiting.pop()
        if _above(minima, node):
            continue
        failing = checker.tags.fails(node)
        if failing is None:
            satisfying = _climb(lattice, checker, node, deadline)
            minimal = _descend(lattice, checker, satisfying, deadline)
            if minimal not in minima:
                minima.append(minimal)
            queued.discard(node)
            after = [node]
        else:
            after = lattice.beyond(node, failing)
        for successor in after:
            if successor not in queued:
                queued.add(successor)
                waiting.append(successor)


def minimal_nodes_one_by_one(lattice: Lattice, checker: NodeChecker, deadline: Deadline, minima: list[Node]) -> None:
    """Adds every minimal node to `minima`, if models are not monotone: a node may fail above one that satisfies.

    Only nodes above a minimal node, and nodes that fail the monotone conditions, need no check.
    """
    for height in range(sum(lattice.lows), sum(lattice.highs) + 1):
        unsettled = (node for node in lattice.nodes_at(height) if not _above(minima, node))
        minima += list(satisfying(checker, unsettled, deadline))


def satisfying(checker: NodeChecker, nodes: Iterable[Node], deadline: Deadline) -> Iterator[Node]:
    """The nodes that satisfy all models, in their order, checked in batches."""
    left, size = iter(nodes), checker.batch
    while batch := list(islice(left, size)):
        deadline.check()
        passing = [node for node in batch if checker.known(node) is not False]
        if size > 1:
            checker.learn(node for node in passing if checker.known_to_satisfy(node) is None)
            yield from (node for node in passing if checker.known_to_satisfy(node))
        else:
            yield from (node for node in passing if checker.satisfies(node))


def _above(minima: Sequence[Node], node: Node) -> bool:
    return any(all(low <= level for low, level in zip(minimum, node, strict=True)) for minimum in minima)


def _climb(lattice: Lattice, checker: NodeChecker, node: Node, deadline: Deadline) -> Node:
    """The lowest satisfying node of a path to the top, by bisection."""
    path = [node]
    while path[-1] != lattice.highs:
        after = lattice.successors(path[-1])
        path.append(max(after, key=lambda other: sum(checker.costs.detail(i, level) for i, level in enumerate(other))))
    first, last = 0, len(path) - 1
    while first < last:
        deadline.check()
        middle = (first + last) // 2
        first, last = (first, middle) if checker.satisfies(path[middle]) else (middle + 1, last)
    return path[last]


def _descend(lattice: Lattice, checker: NodeChecker, node: Node, deadline: Deadline) -> Node:
    """A minimal node at or below a satisfying one."""
    while True:
        deadline.check()
        below = next((other for other in lattice.predecessors(node) if checker.satisfies(other)), None)
        if below is None:
            return node
        node = below


def preference_key(prefer: str, tops: Node) -> Callable[[NodeMeasures], float]:
    """What a preference policy minimizes."""

    def relative(measures: NodeMeasures) -> float:
        return sum(level / top for level, top in zip(measures.levels, tops, strict=True) if top)

    keys: dict[str, Callable[[NodeMeasures], float]] = {
        "loss": lambda measures: measures.lm,
        "absolute-distance": lambda measures: measures.height,
        "relative-distance": relative,
        "distribution": lambda measures: -measures.classes,
        "suppression": lambda measures: measures.suppressed,
    }
    return keys[prefer]


def search_samarati(lattice: Lattice, checker: NodeChecker, prefer: str, deadline: Deadline) -> NodeChoice:
    """The first satisfying node of the least height in level order, or the one of least loss among all of that height.

    In lattices that are too large for sets of nodes the height is found by bisection. If models are not monotone, a
    height at which no node satisfies may be above one at which one does, and the heights are searched from the lowest.
    If time runs out, the best node so far, not proven.
    """
    with checker.rolling(lattice):
        return _lowest(lattice, checker, prefer, deadline)


def _lowest(lattice: Lattice, checker: NodeChecker, prefer: str, deadline: Deadline) -> NodeChoice:
    high = sum(lattice.highs)
    nodes: list[Node] = []  # satisfying ones, each of less height than the one before
    best: NodeMeasures | None = None
    ties: tuple[Node, ...] = ()
    proven = False
    try:
        with checker.engine.until(deadline):
            if checker.prunes and lattice.size <= MOST_NODES:
                best, ties = _by_border(lattice, checker, prefer, deadline, nodes)
            else:
                (_by_halving if checker.prunes else _upwards)(lattice, checker, deadline, nodes)
                if nodes and prefer == "first":
                    best = checker.measures(nodes[-1])
                elif nodes:
                    best, ties = _least_loss(lattice, checker, sum(nodes[-1]), deadline)
            high = best.height if best else high
        proven = best is not None
    except TimeUpError:
        best = best or (checker.measures(nodes[-1]) if nodes else None)
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
    lattice: Lattice, checker: NodeChecker, prefer: str, deadline: Deadline, nodes: list[Node]
) -> tuple[NodeMeasures | None, tuple[Node, ...]]:
    """The preferred node of the least height, found with many nodes in a statement; adds a satisfying one to `nodes`.

    A height is the least one if every node of the height below is known to fail.
    """
    border = Border(lattice, checker, deadline)
    sets = border.sets
    heights = [sets.at_height(height) for height in range(sum(lattice.lows), sum(lattice.highs) + 1)]

    def lowest() -> int:
        return next(
            (above_lowest for above_lowest, at_height in enumerate(heights) if at_height & border.satisfying), 0
        )

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
        nodes += list(sets.listed(heights[lowest()] & border.satisfying))[:1]


def _least_loss_of(border: Border, level: int) -> tuple[NodeMeasures, tuple[Node, ...]]:
    """The node of least loss of a height; nodes whose bound is already above it are not checked."""
    sets, costs, checker = border.sets, border.checker.costs, border.checker
    bounds = {node: math.fsum(costs.loss(i, at) for i, at in enumerate(node)) for node in sets.listed(level)}
    rising = sorted(bounds, key=lambda node: bounds[node])
    measured: dict[Node, NodeMeasures] = {}

    def promising() -> list[Node]:
        """The nodes that may still be the one, by rising bound."""
        best = min((candidate.lm for candidate in measured.values()), default=math.inf)
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


def _by_halving(lattice: Lattice, checker: NodeChecker, deadline: Deadline, nodes: list[Node]) -> None:
    """Adds satisfying nodes, the last one of the least height."""
    if checker.satisfies(lattice.highs):
        nodes.append(lattice.highs)
    low = sum(lattice.lows)
    while nodes and low < sum(nodes[-1]):
        middle = (low + sum(nodes[-1])) // 2
        candidate = _first_at(lattice, checker, middle, deadline)
        if candidate is None:
            low = middle + 1
        else:
            nodes.append(candidate)


def _upwards(lattice: Lattice, checker: NodeChecker, deadline: Deadline, nodes: list[Node]) -> None:
    """Adds a satisfying node of the least height."""
    for height in range(sum(lattice.lows), sum(lattice.highs) + 1):
        node = _first_at(lattice, checker, height, deadline)
        if node is not None:
            nodes.append(node)
            return


def _first_at(lattice: Lattice, checker: NodeChecker, height: int, deadline: Deadline) -> Node | None:
    return next(satisfying(checker, lattice.nodes_at(height), deadline), None)


def _least_loss(
    lattice: Lattice, checker: NodeChecker, height: int, deadline: Deadline
) -> tuple[NodeMeasures, tuple[Node, ...]]:
    nodes = list(satisfying(checker, lattice.nodes_at(height), deadline))
    return least(checker.measure(nodes), lambda measures: measures.lm)
