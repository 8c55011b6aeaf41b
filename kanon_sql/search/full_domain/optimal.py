"""The proven optimum of the whole lattice under an objective, with few checks.

Nodes are taken by rising lower bound of the objective. The bound costs nothing (for the loss, the marginals of the
frequency table; suppression only adds to it), so the search may stop as soon as the least bound left is above the best
value found: nothing that could be better was skipped. Two things keep the checks few. From the node taken a path climbs
greedily through unsettled nodes, and one node of it is probed where the model is expected to turn from failing to
satisfying; a failing node settles everything below it. And nodes below a failing one are never visited one by one: the
search goes on with the lowest nodes above the failing ones (a minimal hitting set of the failing border), so that its
work does not grow with the lattice.

If models are not monotone, probes and what they settle are about the rows that no node below can release (see
Models.screen). Every node that passes by these, and whose bound could win, is then judged by itself, in order of the
bounds.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.lattice import Lattice, Node, Tags
from kanon_sql.search.full_domain.measures import TOLERANCE, NodeChoice, NodeMeasures
from kanon_sql.search.full_domain.objectives import CountedObjective, Objective
from kanon_sql.sql.deadline import Deadline, TimeUpError

_MOST_COUNTED = 100_000
_NODES_A_CHECK = 20  # that can be taken from the queue in the time of a check
_MOST_PROBES = 32  # in one statement: more gained nothing
# Tuples times probes of a statement, of which some are needless: with more tuples these cost more than statements.
_MOST_PROBED = 4_000_000
_FIRST_JUDGED = 8  # nodes judged in the first statement; then twice as many, and so on
_LOOK_AHEAD = 200  # queued nodes that are considered for a statement


class OptimalSearch:
    """The search of one lattice; `run` gives its result."""

    def __init__(self, lattice: Lattice, checker: NodeChecker, objective: Objective, deadline: Deadline) -> None:
        self.lattice = lattice
        self.checker = checker
        self.objective = objective
        self.deadline = deadline
        self._best: NodeMeasures | None = None
        self.best_value = math.inf
        self._evaluated: set[Node] = set()
        self._queue: list[tuple[float, int, Node]] = []
        self._queued: set[Node] = set()
        self._turn = _TurningPoint(checker)
        # Probes do not count class sizes if models are not monotone.
        counted = isinstance(objective, CountedObjective)
        self._asks_many = checker.batch > 1 and (checker.prunes or not counted)
        self._judges_many = self._asks_many and (counted or not checker.prunes)
        self._counted: set[Node] = set()
        self._judged_at_once = _FIRST_JUDGED
        self._most_probes = min(_MOST_PROBES, _MOST_PROBED // max(checker.frequency.tuples, 1))

    def run(self) -> NodeChoice:
        """The optimum; if time runs out, the best node so far, with the lower bound so far."""
        finished = False
        try:
            with self.checker.engine.until(self.deadline):
                if self.begin():
                    self.search()
            finished = True
        except TimeUpError:
            pass
        bound = self.best_value if finished else self.bound()
        return NodeChoice(
            winner=self._best,
            objective=self.best_value if self._best else None,
            proven=finished and self._best is not None,
            bound=bound if math.isfinite(bound) else None,
            lattice_nodes=self.lattice.size,
            checked=self.checker.checked,
            left_by_bound=None if self.checker.prunes or not finished else self._left_by_bound(),
        )

    def begin(self) -> bool:
        """Evaluates the top, which bounds all others, and queues the lowest node; whether the top satisfies.

        If it does not, there is nothing to search.
        """
        if not self.evaluate(self.lattice.highs):
            return False
        if not self.checker.prunes:
            self._halve(self._climb(self.lattice.lows))
        self._push(self.lattice.lows, self.objective.bound(self.lattice.lows))
        return True

    def bound(self) -> float:
        """A proven lower bound of all satisfying nodes; infinite before the search has begun."""
        return min(self._queue[0][0] if self._queue else math.inf, self.best_value)

    def _left_by_bound(self) -> int | None:
        """How many nodes could not win by their bound alone; None if the lattice is too large to count them."""
        if self.lattice.size > _MOST_COUNTED:
            return None
        limit = self.best_value + self._slack()
        return sum(self.objective.bound(node) > limit for node in self.lattice.nodes())

    def search(self) -> None:
        """Searches to the end. Raises TimeUpError."""
        self.go_on()

    def go_on(self, checks: float = math.inf) -> bool:
        """Searches to the end, or for about so many checks; whether it came to the end."""
        effort = _NODES_A_CHECK * (checks + self.checker.checked)
        while self._queue:
            bound, _, node = self._queue[0]
            if bound > self.best_value + self._slack():
                return True
            if _NODES_A_CHECK * self.checker.checked > effort:
                return False
            effort -= 1
            self.deadline.check()
            heapq.heappop(self._queue)
            if self._only_ties(node, bound):
                continue
            raised = self.objective.bound(node)
            if raised > bound:  # checks since it was queued raised it
                self._queued.discard(node)
                self._push(node, raised)
                continue
            self._settle(node, bound)
        return True

    def _slack(self) -> float:
        return TOLERANCE * max(1.0, abs(self.best_value)) if self._best else 0.0

    def _only_ties(self, node: Node, bound: float) -> bool:
        """Whether neither the node nor any above can win: at best they tie with a winner that is not higher."""
        if self._best is None or bound < self.best_value - self._slack():
            return False
        return (sum(node), node) >= (self._best.height, self._best.levels)

    def _settle(self, node: Node, bound: float) -> None:
        """Determines whether a node satisfies, and queues its followers."""
        try:
            while self.checker.known(node) is None:
                self._probe(node)
            failing = self.checker.tags.fails(node)
            if failing is None:
                if self._judges_many and self.checker.known_suppressed(node) is None:
                    self._judge(self._next_judged(node))
                self.evaluate(node)
        except TimeUpError:
            heapq.heappush(self._queue, (bound, sum(node), node))
            raise
        after = self.lattice.successors(node) if failing is None else self.lattice.beyond(node, failing)
        for successor in after:
            self._push(successor, max(bound, self.objective.bound(successor)))

    def _push(self, node: Node, bound: float) -> None:
        if node in self._queued or bound > self.best_value + self._slack() or self._only_ties(node, bound):
            return
        self._queued.add(node)
        heapq.heappush(self._queue, (bound, sum(node), node))

    def evaluate(self, node: Node) -> bool:
        """Measures a node and keeps it if it is the best; whether it passes the monotone conditions."""
        if node in self._evaluated:
            return True
        if isinstance(self.objective, CountedObjective):
            self._learn([node])
        if not self.checker.passes(node):
            return False
        if not self.checker.prunes:
            if self.objective.bound(node) > self.best_value + self._slack():
                return True
            if not self.checker.satisfies(node):
                self._evaluated.add(node)
                return True
        self._evaluated.add(node)
        if self.objective.least(node, self.checker.suppressed(node)) > self.best_value + self._slack():
            return True  # without the statement that its losses take
        measures = self.checker.losses(node)
        value = self.objective.value(measures)
        slack = TOLERANCE * max(1.0, abs(value))
        tied = self._best is not None and abs(value - self.best_value) <= slack
        if self._best is None or (
            (measures.height, node) < (self._best.height, self._best.levels) if tied else value < self.best_value
        ):
            self._best, self.best_value = measures, value
        return True

    def _learn(self, nodes: Sequence[Node]) -> None:
        """Checks many nodes in few statements; counts raise the bounds of the nodes above."""
        if not isinstance(self.objective, CountedObjective):
            self.checker.learn(nodes)
            return
        if len(nodes) > 1:
            self.checker.learn(nodes, counted=True)
        for node in nodes:
            if node not in self._counted:
                self._counted.add(node)
                self.objective.learn(node, self.checker.counts(node))

    def _judge(self, nodes: Sequence[Node]) -> None:
        """Checks many nodes, and computes the losses of those that could win by what they suppress."""
        self._learn(nodes)
        if self.checker.with_entropy:  # a statement for each node, which some of them are spared
            return
        most, limit = self.best_value + self._slack(), self.checker.limit
        suppressed = {node: self.checker.suppressed(node) for node in nodes}
        self.checker.learn_losses(
            node for node, rows in suppressed.items() if rows <= limit and self.objective.least(node, rows) <= most
        )

    def _probe(self, node: Node) -> None:
        """Checks one node of a path that climbs from `node`; bisects the first path to where it turns."""
        path = self._climb(node)
        if not self._turn.known:
            first, last = 0, len(path)
            while first < last:
                middle = (first + last) // 2
                first, last = (first, middle) if self.evaluate(path[middle]) else (middle + 1, last)
            self._turn.start(path[min(first, len(path) - 1)])
            return
        chosen = self._turn.choose(path)
        if self._asks_many and self.checker.known(chosen) is None:
            probes = self._likely_probes(node, chosen)
            if isinstance(self.objective, CountedObjective):
                self._learn(probes)
            else:
                self.checker.learn_passing(probes)
        # Nodes that are judged by themselves are so when it is their turn, in one statement with others: _next_judged.
        later = self._asks_many and not self.checker.prunes
        self._turn.learn(satisfies=self.checker.passes(chosen) if later else self.evaluate(chosen))

    def _likely_probes(self, node: Node, chosen: Node) -> list[Node]:
        """The probe of a node, and the next probes of the search if all of them fail, for one statement.

        If one satisfies, some of the others were needless; they are few.
        """
        probes, failing = [chosen], Tags(len(node))
        failing.add(chosen, satisfying=False)
        waiting = heapq.nsmallest(_LOOK_AHEAD, self._queue)
        self._add_beyond(waiting, node, chosen)
        seen = set[Node]()
        while waiting and len(probes) < self._most_probes and len(seen) < _LOOK_AHEAD:
            bound, _, other = heapq.heappop(waiting)
            if bound > self.best_value + self._slack():
                break
            if other in seen:
                continue
            seen.add(other)
            above = self.checker.tags.fails(other) or failing.fails(other)
            if above is None:
                if self.checker.known(other):
                    continue
                above = self._turn.choose(self._climb(other))
                failing.add(above, satisfying=False)
                if self.checker.known(above) is None:
                    probes.append(above)
            self._add_beyond(waiting, other, above)
        return probes

    def _halve(self, path: list[Node]) -> None:
        """Evaluates nodes on a path to the top, by bisection, until it has the lowest that satisfies."""
        first, last = 0, len(path) - 1
        while first < last:
            middle = (first + last) // 2
            satisfies = self.evaluate(path[middle]) and self.checker.satisfies(path[middle])
            first, last = (first, middle) if satisfies else (middle + 1, last)

    def _next_judged(self, node: Node) -> list[Node]:
        """A node to judge by itself, and those that follow unless a better node is found before."""
        judged, waiting, seen = list[Node](), [(0.0, 0, node), *heapq.nsmallest(_LOOK_AHEAD, self._queue)], set[Node]()
        while waiting and len(judged) < min(self._judged_at_once, self.checker.batch):
            bound, _, other = heapq.heappop(waiting)
            if bound > self.best_value + self._slack():
                break
            if other in seen or not self.checker.known(other):
                continue
            seen.add(other)
            if self.checker.known_suppressed(other) is None:
                judged.append(other)
            for after in self.lattice.successors(other):
                heapq.heappush(waiting, (self.objective.bound(after), sum(after), after))
        # With counts, the first nodes judged may raise the bounds of the others.
        if not isinstance(self.objective, CountedObjective):
            self._judged_at_once *= 2
        return judged

    def _add_beyond(self, waiting: list[tuple[float, int, Node]], node: Node, failing: Node) -> None:
        """Adds to a heap the followers of `node` if `failing`, at or above it, fails."""
        for after in self.lattice.beyond(node, failing):
            heapq.heappush(waiting, (self.objective.bound(after), sum(after), after))

    def _climb(self, node: Node) -> list[Node]:
        """A path upwards from `node` by least bound, up to nodes that are known to satisfy."""
        path = [node]
        while True:
            after = self.lattice.successors(path[-1])
            if not after:
                return path
            following = min(after, key=self.objective.guide)
            if self.checker.tags.satisfies(following):
                return path
            path.append(following)


class _TurningPoint:
    """Where on a path the nodes are expected to turn from failing to satisfying.

    Detail (the entropy of the released values, added over the quasi-identifiers) falls along a path; nodes of about the
    same detail tend to suppress about the same rows, so that the detail at which the last probes turned predicts the
    next turn. The steps were chosen by counting checks on real tables: after a failing probe the next may be a little
    higher, after a satisfying one it must be clearly lower, because a failing probe settles more.
    """

    _HIGHER = 0.1
    _LOWER = 0.3

    def __init__(self, checker: NodeChecker) -> None:
        self._costs = checker.costs
        self._detail_at_turn: float | None = None

    @property
    def known(self) -> bool:
        """Whether a path has turned already."""
        return self._detail_at_turn is not None

    def start(self, node: Node) -> None:
        """Sets the first turn."""
        self._detail_at_turn = self._detail(node)

    def choose(self, path: list[Node]) -> Node:
        """The node of the path to probe."""
        assert self._detail_at_turn is not None
        chosen = path[0]
        for node in path[1:]:
            if self._detail(node) < self._detail_at_turn:
                break
            chosen = node
        return chosen

    def learn(self, *, satisfies: bool) -> None:
        """Moves the expected turn by the result of a probe."""
        assert self._detail_at_turn is not None
        self._detail_at_turn += self._LOWER if satisfies else -self._HIGHER

    def _detail(self, node: Node) -> float:
        return math.fsum(self._costs.detail(i, level) for i, level in enumerate(node))
