"""Multidimensional recoding: distinct tuples are partitioned into classes, each with labels of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.errors import NoReleaseError
from kanon_sql.frequency.aggregated import Aggregated
from kanon_sql.frequency.dimensions import Grid
from kanon_sql.frequency.table import Tuples
from kanon_sql.progress import Progress
from kanon_sql.search.classes import Classes, build_classes, rows_by_level
from kanon_sql.search.full_domain.measures import geometric_mean
from kanon_sql.search.local.search import LocalSearch
from kanon_sql.search.microaggregation import Microaggregation
from kanon_sql.search.mondrian import Mondrian, Partitioning, violates_as_a_whole
from kanon_sql.search.problem import Request, SearchProblem, SearchResult, gap, impossible
from kanon_sql.search.rounds import RemoteRounds
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline

if TYPE_CHECKING:
    from kanon_sql.results.run import EngineUsed, Loss, SearchEffort, Solution


@dataclass(frozen=True)
class Multidimensional(SearchProblem):
    """A source whose distinct tuples are ready to be partitioned into classes.

    Ranges are released as two columns (`bounds`), or widened to the ends of `grids`, by the numbers of the dimensions;
    columns that are `aggregated` show one value for the class. The search does not depend on these. Where the tuples
    are not in DuckDB, `rounds` has the tables of the search.
    """

    tuples: Tuples
    bounds: bool
    grids: Mapping[int, Grid] = field(default_factory=dict)
    aggregated: tuple[Aggregated, ...] = ()
    rounds: RemoteRounds | None = None

    def describe_engine(self) -> EngineUsed:
        return {**super().describe_engine(), "search_in": self.rounds.searched_in if self.rounds else "duckdb"}

    @property
    def strata(self) -> list[str]:
        """The quasi-identifiers that are strata: each class has one value of them."""
        return [d.column.name for d in self.tuples.dimensions if d.apart]

    def solve(
        self, engine: Engine, algorithm: AlgorithmConfig, request: Request, deadline: Deadline, progress: Progress
    ) -> MultidimensionalResult:
        reasons = impossible(engine, self.models, request.limit)
        if reasons:
            return MultidimensionalResult(self, request, engine, algorithm, None, reasons)
        if self.n < request.k or (
            not self.models.only_k
            and not self.strata
            and violates_as_a_whole(engine, self.models, request.k, self.rounds)
        ):
            return MultidimensionalResult(self, request, engine, algorithm, None)
        partitioning = SEARCHES[algorithm.name](engine, self, algorithm, request.k, progress, deadline)
        return MultidimensionalResult(self, request, engine, algorithm, partitioning, ended=deadline.why())


@dataclass(frozen=True)
class MultidimensionalResult(SearchResult):
    """The classes of a search; without a `partitioning` there were too few rows for any.

    Their tables are those of the last search: describe and release a result before the next search.
    """

    problem: Multidimensional
    request: Request
    engine: Engine
    algorithm: AlgorithmConfig
    partitioning: Partitioning | None
    impossible: Sequence[str] = ()
    ended: str = ""  # what ended a search that did not finish

    @property
    def suppressed(self) -> int:
        return self.division.left_out

    @property
    def notes(self) -> tuple[str, ...]:
        if self.partitioning is None or self.partitioning.finished:
            return ()
        return (f"{self.ended} after {self.partitioning.rounds} rounds: more of them could have lost less",)

    @property
    def division(self) -> Partitioning:
        """How the classes were made; without classes, in no round."""
        return self.partitioning or Partitioning(rounds=0, cuts=0, finished=True, seed=0, boxes=True)

    @cached_property
    def classes(self) -> Classes:
        """The classes, labelled on first use."""
        problem, suppresses = self.problem, self.division.left_out > 0
        return build_classes(
            self.engine,
            problem.tuples,
            problem.grids,
            problem.aggregated,
            suppresses=suppresses,
            rounds=problem.rounds,
        )

    def require(self) -> None:
        if self.impossible:
            raise NoReleaseError(self.impossible)
        n, k = self.problem.n, self.request.k
        if self.partitioning is None and n >= k:
            raise NoReleaseError(
                f"{self.algorithm.name} starts with all rows as one class, which violates k or a model: ask for less"
            )
        if self.partitioning is None:
            raise NoReleaseError(f"no release satisfies k = {k}: only {n:,} row{'s' * (n != 1)} take part")
        self._require_strata()

    def _require_strata(self) -> None:
        """Raises NoReleaseError if strata that are too small hold all rows, or more than may be suppressed."""
        left_out, n, request = self.division.left_out, self.problem.n, self.request
        if left_out <= request.limit and left_out < n:
            return
        how = f"hold fewer than {request.k}" if self.problem.models.only_k else "violate k or a model"
        limit = f"the limit is {request.limit:,}: set suppression.limit: {left_out}, or name"
        names = ", ".join(map(repr, self.problem.strata))
        raise NoReleaseError(
            f"no release keeps the strata {names} apart: {self.division.strata_left_out:,} of them {how}, with "
            f"{left_out:,} of {n:,} rows; {limit if left_out < n else 'name'} fewer columns as strata"
        )

    def least_levels(self) -> dict[str, int]:
        dimensions = self.problem.tuples.dimensions if self.classes.count else ()
        levels = ([int(level) for level, _ in rows_by_level(self.engine, d)] for d in dimensions)
        return {name: min(shown) for name, shown in zip(self.problem.names, levels, strict=True)}

    def describe(self) -> Solution:
        partitions = self.classes.partitions
        if self.algorithm.name == "local":
            levels = [dict(rows_by_level(self.engine, d)) for d in self.problem.tuples.dimensions]
            return {"rows_by_level": dict(zip(self.problem.names, levels, strict=True))}
        if self.algorithm.name == "mondrian":
            return {"partitions": partitions, "depth": self.division.rounds}
        return {"partitions": partitions}

    def describe_search(self) -> SearchEffort:
        return {
            "tuples": self.problem.tuples.count,
            "rounds": self.division.rounds,
            "cuts": self.division.cuts,
            "finished": self.division.finished,
            "proven": False,
            "bound": self.division.bound,
            "gap": None if self.division.bound is None else gap(self.describe_loss()["objective"], self.division.bound),
            "notes": list(self.notes),
        }

    def describe_loss(self) -> Loss:
        n, classes, suppressed = self.problem.n, self.classes, self.suppressed
        losses = tuple((units + suppressed) / n for units in classes.units)
        lm = math.fsum(losses)
        weighted = [weight * loss for weight, loss in zip(self.request.weights, losses, strict=True)]
        loss: Loss = {
            "lm": lm,
            "ncp": 100 * lm / len(losses),
            "geometric_mean": geometric_mean(losses),
            "objective": math.fsum(weighted),
            "c_avg": (n - suppressed) / classes.count / self.request.k,
            "average_class_size": (n - suppressed) / classes.count,
            "discernibility": classes.squares + suppressed * n,
            "precision": None,
            "entropy": None,
            "attributes": dict(zip(self.problem.names, losses, strict=True)),
        }
        return loss if classes.sse is None else {**loss, "sse": classes.sse}

    def class_count(self) -> int:
        return self.classes.count


def _mondrian(
    engine: Engine,
    problem: Multidimensional,
    algorithm: AlgorithmConfig,
    k: int,
    progress: Progress,
    deadline: Deadline,
) -> Partitioning:
    return Mondrian(engine, problem.tuples, algorithm, k, progress, problem.models, problem.rounds).run(deadline)


def _local(
    engine: Engine,
    problem: Multidimensional,
    algorithm: AlgorithmConfig,
    k: int,
    progress: Progress,
    deadline: Deadline,
) -> Partitioning:
    effort = algorithm.options()["effort"]
    partitioning = LocalSearch(engine, problem.tuples, k, progress, problem.models, effort).run(deadline)
    return replace(partitioning, seed=algorithm.seed or 0)


def _microaggregation(
    engine: Engine,
    problem: Multidimensional,
    algorithm: AlgorithmConfig,
    k: int,
    progress: Progress,
    deadline: Deadline,
) -> Partitioning:
    return Microaggregation(engine, problem.tuples, k, progress, problem.models).run(deadline)


Search = Callable[[Engine, Multidimensional, AlgorithmConfig, int, Progress, Deadline], Partitioning]

# By the names of kanon_sql.settings.algorithms.
SEARCHES: dict[str, Search] = {"mondrian": _mondrian, "local": _local, "microaggregation": _microaggregation}
