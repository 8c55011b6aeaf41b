"""What other settings would lose, beside the run that was asked for: at most three, searched in the tables at hand.

They are looked for with a tenth of the work of a run, about: as much as its rows, columns and distinct combinations
say, whatever the clock does. A search that comes to its end gives the figures that a run with that setting has; one
that does not, and the estimate for local recoding, give figures that such a run need not reach: it loses no more (of
local recoding: hardly ever more).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.progress import Progress
from kanon_sql.search.full_domain.problem import FullDomain, FullDomainResult
from kanon_sql.search.full_domain.soft_deadline import UninterruptedNodes, price_of
from kanon_sql.search.local.estimate import estimated_losses, work_of_estimate
from kanon_sql.search.problem import Json, Request, SearchResult
from kanon_sql.sql import signals
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, Work

if TYPE_CHECKING:
    from kanon_sql.results.run import Advice
    from kanon_sql.search.multidimensional import MultidimensionalResult

_SHARE = 0.1  # of the work of a run
_MOST_WORK = 10.0
_OF_A_RUN, _OF_A_VALUE = 1.0, 2.5e-7  # the work of a run to begin with, and for each value in a quasi-identifier
_OF_CUTS = 0.3, 7e-6  # of cutting partitions to begin with, and for each value of a distinct tuple
_OF_LABELS = 1.0, 1.5e-4  # of local recoding
_MOST = 3  # alternatives
_PAYS = 0.9  # of the loss: a tenth less is worth telling
_POINTS = 0.5  # of NCP, which are worth telling
_LIMIT = "1%"
_SHARE_OF_TWO = 0.7  # of the work that is left: what the limit and local recoding may each take
_USUAL_KS = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_LOSSES = ("loss",)  # objectives whose least value bounds the loss of a search that did not end


@dataclass(frozen=True)
class Alternative:
    """A change of the configuration, what it would lose (NCP, in percent) and the rows that it would suppress.

    With `exact` a run has these figures. `without` is the quasi-identifier that is given up; `instead_of` is what the
    present release loses in the same columns, None where there is none.
    """

    change: Json
    ncp: float
    suppressed: int
    exact: bool
    instead_of: float | None
    without: str | None = None

    @property
    def pays(self) -> bool:
        """Whether it loses so much less that it is worth telling."""
        before = self.instead_of
        return before is None or (self.ncp <= before * _PAYS and self.ncp <= before - _POINTS)

    def describe(self) -> Advice:
        """An entry of the report's `advice`."""
        advice: Advice = {
            "change": self.change,
            "loss": {"ncp": self.ncp},
            "suppressed": self.suppressed,
            "exact": self.exact,
            "instead_of": None if self.instead_of is None else {"ncp": self.instead_of},
        }
        return advice if self.without is None else {**advice, "without": self.without}


def advise(engine: Engine, loaded: LoadedConfig, result: SearchResult, *, released: bool) -> list[Advice]:
    """The alternatives to what was searched; `released` says that there is a release.

    The tables of a multidimensional search are then those of another one.
    """
    problem = result.problem
    of_the_run = _OF_A_RUN + _OF_A_VALUE * problem.n * len(problem.names)
    work = Work(min(_SHARE * of_the_run, _MOST_WORK), signals.ending())
    if isinstance(result, FullDomainResult):
        given = _FullDomainAdvice(engine, loaded, result, work, released=released).alternatives()
    else:
        from kanon_sql.search.multidimensional import MultidimensionalResult

        if not released or not isinstance(result, MultidimensionalResult):
            return []
        given = _searched(engine, loaded, result, work)
    paying = sorted(
        (alternative for alternative in given if alternative.pays),
        key=lambda alternative: alternative.ncp / (alternative.instead_of or 100.0),
    )
    return [alternative.describe() for alternative in paying[:_MOST]]


class _FullDomainAdvice:
    """The alternatives to a search of the lattice."""

    def __init__(
        self,
        engine: Engine,
        loaded: LoadedConfig,
        result: FullDomainResult,
        work: Work,
        *,
        released: bool,
    ) -> None:
        self.engine = engine
        self.loaded = loaded
        self.result = result
        self.work = work
        self.released = released
        self.problem = result.problem
        self.price = price_of(result.problem.frequency)
        self.algorithm = loaded.config.algorithm
        self.ncp = result.describe_loss()["ncp"] if self.released else None

    def alternatives(self) -> Iterator[Alternative]:
        """Each that can be found with its part of the work; to decide again by what came out would not be blind."""
        if self.algorithm.blind:
            return
        # The limit first: it helps most as a rule, and its search is not much longer than that of the run.
        others = ((self._without_a_column, 0.5), (self._k, 1.0))
        less = ((self._limit, _SHARE_OF_TWO), (self._local, _SHARE_OF_TWO), *others)
        for way, share in less if self.released else ((self._local, _SHARE_OF_TWO), (self._enough, 1.0)):
            if self.work.remaining():  # What one does not use is there for those after it.
                yield from way(self.work.share(share))

    def _limit(self, work: Work) -> Iterator[Alternative]:
        limit = self.problem.n // 100
        if limit > self.result.request.limit and self.algorithm.declared.suppresses:
            request = replace(self.result.request, limit=limit)
            yield from self._solved({"suppression.limit": _LIMIT}, request, work)

    def _k(self, work: Work) -> Iterator[Alternative]:
        less = max((k for k in _USUAL_KS if k < self.result.request.k), default=None)
        if less is not None:
            yield from self._solved({"privacy.k": less}, replace(self.result.request, k=less), work)

    def _enough(self, work: Work) -> Iterator[Alternative]:
        """What would be enough where there is no release."""
        enough = self.result.enough
        for place, (key, value) in enumerate(enough.items()):
            request = self.result.request
            request = replace(request, limit=value) if key == "suppression.limit" else replace(request, k=value)
            yield from self._solved({key: value}, request, work.share(1 / (len(enough) - place)))

    def _solved(self, change: Json, request: Request, work: Work) -> Iterator[Alternative]:
        below = self.released and self.price * self.result.choice.checked > work.remaining()
        losses = self._solve(self._below_winner() if below else self.problem, request, work)
        if losses is not None:
            result, exact = losses
            ncp = result.describe_loss()["ncp"]
            yield Alternative(change, ncp, result.suppressed, exact and not below, self.ncp)

    def _below_winner(self) -> FullDomain:
        """The nodes below that of the release, which satisfies what asks for less, too: what is found is better."""
        lattice = self.problem.lattice
        return replace(self.problem, lattice=replace(lattice, highs=self.result.winner.levels))

    def _solve(self, problem: FullDomain, request: Request, work: Work) -> tuple[FullDomainResult, bool] | None:
        """(what a search finds, whether it came to its end); None for what says nothing of the loss."""
        patient = replace(problem, nodes=UninterruptedNodes(problem.nodes, self.price))
        result = patient.solve(self.engine, self.algorithm, request, work, Progress())
        proven = result.choice.proven
        bounded = self.algorithm.options().get("objective") in _LOSSES and set(request.weights) == {1.0}
        return (result, proven) if result.choice.winner is not None and (proven or bounded) else None

    def _local(self, work: Work) -> Iterator[Alternative]:
        """Local recoding satisfies k whatever the table; what it loses is estimated."""
        problem, k = self.problem, self.result.request.k
        at_hand = problem.nodes.searched_in == "duckdb" and problem.models.only_k and not problem.populations
        if at_hand and problem.n >= k and work_of_estimate(problem.frequency) < work.remaining():
            work.spend(work_of_estimate(problem.frequency))
            losses = estimated_losses(self.engine, problem.frequency, k)
            if losses is not None:
                yield Alternative({"algorithm": "local"}, _ncp(losses), 0, False, self.ncp)

    def _without_a_column(self, work: Work) -> Iterator[Alternative]:
        """The column that tells most rows apart as it is released, given up: what the others lose then."""
        problem, winner = self.problem, self.result.winner
        mappings = problem.frequency.mappings
        may = [
            i
            for i, (mapping, level) in enumerate(zip(mappings, winner.levels, strict=True))
            # Of a single value only suppressed rows cost anything: its top costs not what they do.
            if level < mapping.height and mapping.leaves > 1 and not mapping.splits_top
        ]
        same_rows = self.loaded.config.missing != "drop" or problem.n == problem.source_rows
        if len(mappings) < 2 or not may or not same_rows or problem.populations:
            return
        marginals = problem.frequency.marginals
        given_up = min(may, key=lambda i: marginals[i][winner.levels[i]].spread)
        top = mappings[given_up].height
        lattice = replace(
            problem.lattice,
            lows=_put(problem.lattice.lows, given_up, top),
            highs=_put(problem.lattice.highs, given_up, top),
        )
        solved = self._solve(replace(problem, lattice=lattice), self.result.request, work)
        if solved is not None:
            result, exact = solved
            change = _without(self.loaded, mappings[given_up].column)
            before, after = (_ncp(_others(solution.winner.losses, given_up)) for solution in (self.result, result))
            yield Alternative(change, after, result.suppressed, exact, before, mappings[given_up].column)


def _searched(
    engine: Engine, loaded: LoadedConfig, result: MultidimensionalResult, work: Work
) -> Iterator[Alternative]:
    """The alternatives to Mondrian and local recoding, where such a search is short beside the rest of the run."""
    tuples = result.problem.tuples
    values = tuples.count * len(tuples.dimensions)
    algorithm, request = loaded.config.algorithm, result.request
    before = result.describe_loss()["ncp"]
    ways: list[tuple[Json, AlgorithmConfig, Request]] = []
    less = max((k for k in _USUAL_KS if k < request.k), default=None)
    if less is not None and algorithm.options().get("dimension") != "random":
        ways.append(({"privacy.k": less}, algorithm, replace(request, k=less)))
    if algorithm.name != "local" and not algorithm.declared.numeric and result.problem.models.only_k:
        ways.append(({"algorithm": "local"}, AlgorithmConfig(name="local"), request))
    for change, chosen, other_request in ways:
        to_begin, for_a_value = _OF_LABELS if chosen.name == "local" else _OF_CUTS
        takes = to_begin + for_a_value * values
        # It would be interrupted, and a user's transaction with it: so it is begun only where there is work left.
        if not engine.owned or work.remaining() < takes:
            continue
        work.spend(takes)
        other_result = result.problem.solve(engine, chosen, other_request, Deadline(stop=signals.ending()), Progress())
        if other_result.partitioning is not None and other_result.division.finished:
            yield Alternative(change, other_result.describe_loss()["ncp"], other_result.suppressed, True, before)


def _without(loaded: LoadedConfig, name: str) -> Json:
    """The change that makes a quasi-identifier a column that is never released."""
    config = loaded.config.model_dump(include={"identifiers", "quasi_identifiers"}, exclude_unset=True)
    entries = {column: entry for column, entry in config["quasi_identifiers"].items() if column != name}
    changed: Json = _plain(
        {"quasi_identifiers": entries, "identifiers": [*config.get("identifiers", ()), name]}, loaded
    )
    return changed


def _plain(value: Any, loaded: LoadedConfig) -> Any:
    """A part of a configuration as JSON, without secrets of the environment."""
    if isinstance(value, dict):
        return {loaded.redact(str(key)): _plain(entry, loaded) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry, loaded) for entry in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return loaded.redact(value) if isinstance(value, str) else value


def _ncp(losses: Sequence[float]) -> float:
    return 100 * math.fsum(losses) / len(losses)


def _others(losses: Sequence[float], position: int) -> list[float]:
    return [loss for i, loss in enumerate(losses) if i != position]


def _put(levels: tuple[int, ...], position: int, level: int) -> tuple[int, ...]:
    return (*levels[:position], level, *levels[position + 1 :])
