"""The lattice of a search for the page: what is known of each node, and as much more as a bounded time allows.

First it is settled which nodes satisfy, those near the chosen one first: one answer settles many. Then nodes are
counted. Of a node that was not, the loss is that of its levels without suppressed rows, a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from kanon_sql.commands.page.gathered import GONE, Gathered
from kanon_sql.errors import EngineError
from kanon_sql.progress import Progress
from kanon_sql.report.page.model import LatticeFacts, NodeFacts, PageFacts
from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.full_domain.problem import FullDomain, FullDomainResult
from kanon_sql.search.full_domain.unhurried import Unhurried
from kanon_sql.sql.deadline import Deadline, TimeUpError

MOST_NODES = 100_000  # more are not shown one by one
_SHARE = 0.1  # of the time that the run took
_LEAST_SECONDS, _MOST_SECONDS = 0.5, 20.0
_SECONDS_ALONE = 5.0  # where nothing was searched before


def measure(gathered: Gathered, facts: PageFacts) -> LatticeFacts | None:
    """The nodes of the lattice, all of them up to MOST_NODES, else those that the search counted.

    None where classes have levels of their own. Raises EngineError where the source is gone.
    """
    if not gathered.full_domain:
        return None
    problem, levels = gathered.problem, gathered.levels
    if not isinstance(problem, FullDomain) or levels is None:
        raise EngineError(GONE)
    checker = _checker(gathered, problem)
    winner = tuple(levels[name] for name in problem.names)
    lattice = problem.lattice
    few = lattice.size <= MOST_NODES
    try:
        deadline = Deadline(_seconds(gathered))
        with checker.engine.until(deadline):
            _look(checker, winner, _nearest(lattice, winner) if few else iter([winner]), deadline)
    except TimeUpError:
        pass
    listed = list(lattice.nodes()) if few else sorted({*checker.counted, winner})
    return LatticeFacts(
        names=problem.names,
        highs=lattice.highs,
        labels=_words(facts, problem),
        size=lattice.size,
        k=checker.k,
        limit=gathered.request.limit,
        nodes=tuple(_described(problem, checker, listed, winner)),
    )


def _checker(gathered: Gathered, problem: FullDomain) -> NodeChecker:
    """What the search knows, or one that knows nothing; it interrupts nothing that runs."""
    result, request = gathered.subject.result, gathered.request
    patient = Unhurried(problem.nodes)
    if isinstance(result, FullDomainResult) and result.checker is not None:
        return result.checker.asking(patient)
    return NodeChecker(patient, problem.frequency, problem.models, request.k, request.limit, Progress())


def _seconds(gathered: Gathered) -> float:
    if gathered.subject.result is None:
        return _SECONDS_ALONE
    taken: float = gathered.subject.call.watch.report()["total"]
    return min(max(_SHARE * taken, _LEAST_SECONDS), _MOST_SECONDS)


def _nearest(lattice: Lattice, winner: Node) -> Iterator[Node]:
    """The nodes by how far their height is from that of the winner, those above it first."""
    height = sum(winner)
    lowest, highest = sum(lattice.lows), sum(lattice.highs)
    for away in range(highest - lowest + 1):
        for at in dict.fromkeys((height + away, height - away)):
            if lowest <= at <= highest:
                yield from lattice.nodes_at(at)


def _look(checker: NodeChecker, winner: Node, nodes: Iterator[Node], deadline: Deadline) -> None:
    """Settles which nodes satisfy, then counts them. Raises TimeUpError."""
    checker.measures(winner)
    waiting = []
    for node in nodes:
        deadline.check()
        checker.satisfies(node)
        waiting.append(node)
    for node in waiting:
        deadline.check()
        checker.measures(node)


def _described(problem: FullDomain, checker: NodeChecker, nodes: Iterable[Node], winner: Node) -> Iterator[NodeFacts]:
    """What is known of each node; minimal ones satisfy, and all below them are known not to."""
    costs, width = checker.costs, len(winner)
    loss = [[costs.loss(i, level) for level in range(top + 1)] for i, top in enumerate(problem.lattice.tops)]
    best: dict[Node, bool | None] = {}  # whether a node or one below it satisfies, None where nobody knows
    whole = problem.lattice.size <= MOST_NODES
    for node in nodes:
        satisfies = checker.known_to_satisfy(node)
        below = [best[one] for one in problem.lattice.predecessors(node)] if whole else [None]
        under = True if True in below else None if None in below else False
        best[node] = True if satisfies or under else None if None in (satisfies, under) else False
        measures, suppressed = checker.known_measures(node), checker.known_suppressed(node)
        exact = measures is not None or suppressed == 0
        lm = measures.lm if measures else math.fsum(loss[i][level] for i, level in enumerate(node))
        yield NodeFacts(
            levels=node,
            loss=100 * lm / width,
            suppressed=suppressed,
            classes=measures.classes if measures and measures.counts else None,
            satisfies=satisfies,
            minimal=satisfies is True and under is False,
            winner=node == winner,
            exact=exact,
        )


def _words(facts: PageFacts, problem: FullDomain) -> tuple[tuple[str, ...], ...]:
    """A word for each level of each quasi-identifier: a label where one may be shown."""
    samples = {column.name: {step.level: step.labels for step in column.steps} for column in facts.columns}
    return tuple(
        tuple(next(iter(samples.get(name, {}).get(level, ())), f"level {level}") for level in range(high + 1))
        for name, high in zip(problem.names, problem.lattice.highs, strict=True)
    )
