"""The lattice of a search for the page: what is known of each node, and as much more as a bounded work allows.

The neighbours of the chosen node are counted. Then it is settled which nodes satisfy, those near the chosen one first:
one answer settles many. Then nodes are counted. Of a node that was not, the loss is that of its levels without
suppressed rows, a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from kanon_sql.errors import EngineError
from kanon_sql.measures.evidence.gathered import Gathered
from kanon_sql.progress import Progress
from kanon_sql.report.page.model import LatticeFacts, NodeFacts, PageFacts
from kanon_sql.report.page.withheld import left_out, tells_little
from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.full_domain.measures import CostModel
from kanon_sql.search.full_domain.problem import FullDomain, FullDomainResult
from kanon_sql.search.full_domain.soft_deadline import UninterruptedNodes, price_of
from kanon_sql.search.full_domain.thresholds import make_checker
from kanon_sql.sql.deadline import Deadline, TimeUpError, Work

MOST_NODES = 100_000  # more are not shown one by one
_WORK, _OF_A_VALUE, _MOST_WORK = 0.5, 2.5e-8, 20.0  # for each value in a quasi-identifier
_ALONE = 5.0  # where nothing was searched before


def measure(gathered: Gathered, facts: PageFacts) -> LatticeFacts | None:
    """The nodes of the lattice, all of them up to MOST_NODES, else those that the search counted.

    None where classes have levels of their own. Raises EngineError where the source is gone.
    """
    if not gathered.full_domain:
        return None
    problem, levels = gathered.problem, gathered.levels
    if not isinstance(problem, FullDomain) or levels is None:
        raise EngineError(gathered.alone)
    if tells_little(facts.report):
        return _untold(gathered, problem, facts)
    checker = _checker(gathered, problem)
    winner = tuple(levels[name] for name in problem.names)
    lattice = problem.lattice
    few = lattice.size <= MOST_NODES
    try:
        deadline = _work(gathered, problem)
        with checker.engine.until(deadline):
            near = [winner, *lattice.predecessors(winner), *lattice.successors(winner)]
            _look(checker, near, _nearest(lattice, winner) if few else iter(()), deadline)
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


def _untold(gathered: Gathered, problem: FullDomain, facts: PageFacts) -> LatticeFacts:
    """The lattice as whoever has the release knows it: the chosen node, and that those above it satisfy.

    What others would suppress follows from rows that were suppressed, or from who in a class has which sensitive value.
    """
    assert gathered.levels is not None
    costs, lattice, report = CostModel(problem.frequency), problem.lattice, facts.report
    winner = tuple(gathered.levels[name] for name in problem.names)
    grows = problem.models.prune(gathered.request.limit)
    loss = [
        [100 * costs.loss(i, level) / len(winner) for level in range(top + 1)] for i, top in enumerate(lattice.tops)
    ]
    reported = facts.loss if left_out(report) else report["loss"]

    def described(node: Node) -> NodeFacts:
        above = all(level >= chosen for level, chosen in zip(node, winner, strict=True))
        least = math.fsum(map(list.__getitem__, loss, node))
        if node != winner:
            return NodeFacts(node, least, None, None, satisfies=True if grows and above else None, exact=False)
        whole = None if reported is None else reported["ncp"]
        rows, classes = report["rows"]["suppressed"], report["classes"]
        count = None if classes is None else classes["count"]
        return NodeFacts(node, whole, rows, count, satisfies=True, winner=True)

    listed = lattice.nodes() if lattice.size <= MOST_NODES else [winner]
    return LatticeFacts(
        names=problem.names,
        highs=lattice.highs,
        labels=_words(facts, problem),
        size=lattice.size,
        k=gathered.request.k,
        limit=gathered.request.limit,
        nodes=tuple(map(described, listed)),
    )


def _checker(gathered: Gathered, problem: FullDomain) -> NodeChecker:
    """What the search knows, or one that knows nothing; it interrupts nothing that runs."""
    result, request = gathered.subject.result, gathered.request
    patient = UninterruptedNodes(problem.nodes, price_of(problem.frequency))
    if isinstance(result, FullDomainResult) and result.checker is not None:
        return result.checker.with_engine(patient)
    return make_checker(patient, problem.frequency, problem.models, request.k, request.limit, Progress())


def _work(gathered: Gathered, problem: FullDomain) -> Work:
    if gathered.subject.result is None:
        return Work(_ALONE)
    return Work(min(_WORK + _OF_A_VALUE * problem.n * len(problem.names), _MOST_WORK))


def _nearest(lattice: Lattice, winner: Node) -> Iterator[Node]:
    """The nodes by how far their height is from that of the winner, those above it first."""
    height = sum(winner)
    lowest, highest = sum(lattice.lows), sum(lattice.highs)
    for away in range(highest - lowest + 1):
        for at in dict.fromkeys((height + away, height - away)):
            if lowest <= at <= highest:
                yield from lattice.nodes_at(at)


def _look(checker: NodeChecker, near: Iterable[Node], nodes: Iterator[Node], deadline: Deadline) -> None:
    """Counts the nodes that are near, settles which others satisfy, then counts them, too. Raises TimeUpError."""
    for node in near:
        deadline.check()
        checker.measures(node)
    waiting = []
    for node in nodes:
        deadline.check()
        checker.satisfies(node)
        waiting.append(node)
    for node in waiting:
        deadline.check()
        checker.measures(node)


def _described(problem: FullDomain, checker: NodeChecker, nodes: Iterable[Node], winner: Node) -> Iterator[NodeFacts]:
    """What is known of each node; minimal ones satisfy, and all below them are known not to.

    `nodes` are all of the lattice in order, so that those below a node lie before it, or some of a lattice too large.
    """
    costs, lattice, width = checker.costs, problem.lattice, len(winner)
    loss = [[100 * costs.loss(i, level) / width for level in range(top + 1)] for i, top in enumerate(lattice.tops)]
    steps = _steps(lattice) if lattice.size <= MOST_NODES else None
    best: list[bool | None] = []  # whether a node or one below it satisfies, None where nobody knows
    for position, node in enumerate(nodes):
        under: bool | None = None
        if steps is not None:
            lows = zip(node, lattice.lows, steps, strict=True)
            below = [best[position - step] for level, low, step in lows if level > low]
            under = True if True in below else None if None in below else False
        satisfies = True if under and checker.prunes else checker.known_to_satisfy(node)
        best.append(True if satisfies or under else None if satisfies is None or under is None else False)
        measures, suppressed = checker.known_measures(node), checker.known_suppressed(node)
        yield NodeFacts(
            levels=node,
            loss=100 * measures.lm / width if measures else math.fsum(map(list.__getitem__, loss, node)),
            suppressed=suppressed,
            classes=measures.classes if measures and measures.counts else None,
            satisfies=satisfies,
            minimal=satisfies is True and under is False,
            winner=node == winner,
            exact=measures is not None or suppressed == 0,
        )


def _steps(lattice: Lattice) -> list[int]:
    """For each quasi-identifier, by how much a node lies behind the one a level below, in the order of all nodes."""
    steps = [1]
    for low, high in list(zip(lattice.lows, lattice.highs, strict=True))[:0:-1]:
        steps.append(steps[-1] * (high - low + 1))
    return steps[::-1]


def _words(facts: PageFacts, problem: FullDomain) -> tuple[tuple[str, ...], ...]:
    """A word for each level of each quasi-identifier: a label where one may be shown."""
    samples = {column.name: {step.level: step.labels for step in column.steps} for column in facts.columns}
    return tuple(
        tuple(next(iter(samples.get(name, {}).get(level, ())), f"level {level}") for level in range(high + 1))
        for name, high in zip(problem.names, problem.lattice.highs, strict=True)
    )
