"""Full-domain generalization: one level for each quasi-identifier, searched on the lattice."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.errors import NoReleaseError, OutOfTimeError
from kanon_sql.frequency.aggregated import Aggregated
from kanon_sql.frequency.population import Population
from kanon_sql.frequency.table import Frequency
from kanon_sql.progress import Progress
from kanon_sql.search.full_domain.checker import NodeChecker, Nodes
from kanon_sql.search.full_domain.closure import Closure
from kanon_sql.search.full_domain.dispatch import search
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.full_domain.measures import BlindChoice, NodeChoice, NodeMeasures, nothing
from kanon_sql.search.full_domain.thresholds import make_checker
from kanon_sql.search.problem import Request, SearchProblem, SearchResult, gap, impossible
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline

if TYPE_CHECKING:
    from kanon_sql.results.run import EngineUsed, Loss, NodeFigures, SearchEffort, Solution


@dataclass(frozen=True)
class FullDomain(SearchProblem):
    """A source whose frequency table and lattice are ready for the search."""

    frequency: Frequency
    lattice: Lattice
    nodes: Nodes
    populations: tuple[Population, ...] = ()
    aggregated: tuple[Aggregated, ...] = ()

    def describe_engine(self) -> EngineUsed:
        return {**super().describe_engine(), "search_in": self.nodes.searched_in}

    def close(self, k: int, node: Node) -> None:
        """Makes the tables that the statements on the classes of a node read (see closure.judged_classes)."""
        if self.models.in_rounds:
            Closure(self.nodes, self.frequency, self.models, k).close(node)

    def solve(
        self, engine: Engine, algorithm: AlgorithmConfig, request: Request, deadline: Deadline, progress: Progress
    ) -> FullDomainResult:
        reasons = impossible(engine, self.models, request.limit)
        if reasons:
            return FullDomainResult(self, request, nothing(self.lattice), impossible=reasons)
        checker = make_checker(self.nodes, self.frequency, self.models, request.k, request.limit, progress)
        choice = search(algorithm, self.lattice, checker, request.weights, deadline)
        if choice.winner is not None:
            choice = replace(choice, winner=checker.with_entropy_of(choice.winner.levels))
        out_of_time = deadline.passed() and checker.known(self.lattice.highs) is not False
        left = None
        if choice.winner is None and choice.blind is None and not out_of_time and self.n >= request.k:
            left = checker.suppressed(self.lattice.highs)
        return FullDomainResult(self, request, choice, out_of_time, left, checker=checker)


@dataclass(frozen=True)
class FullDomainResult(SearchResult):
    """The chosen node of the lattice; without one, the rows that violate at the highest levels, `left_at_top`.

    `checker` has the results of all checks.
    """

    problem: FullDomain
    request: Request
    choice: NodeChoice
    out_of_time: bool = False
    left_at_top: int | None = None
    impossible: Sequence[str] = ()
    checker: NodeChecker | None = field(default=None, compare=False, repr=False)

    @property
    def winner(self) -> NodeMeasures:
        """The chosen node; there must be one."""
        assert self.choice.winner is not None
        return self.choice.winner

    @property
    def suppressed(self) -> int:
        return self.choice.winner.suppressed if self.choice.winner else 0

    @property
    def least(self) -> int:
        """The rows of the smallest class that may be released: k, or more if a threshold requires it."""
        return self.request.k if self.checker is None else self.checker.least(self.winner.levels)

    @property
    def notes(self) -> tuple[str, ...]:
        return self.choice.notes if not self.choice.proven else ()

    def require(self) -> None:
        if self.choice.winner is not None:
            return
        if self.impossible:
            raise NoReleaseError(self.impossible)
        n, k, limit = self.problem.n, self.request.k, self.request.limit
        if self.out_of_time:
            raise OutOfTimeError(
                f"time ran out after {self.choice.checked:,} of {self.choice.lattice_nodes:,} nodes, before any that "
                "satisfies; raise --time-limit or max_level, or suppression.limit"
            )
        if self.choice.blind is not None:
            raise NoReleaseError(self._refused(self.choice.blind))
        if self.left_at_top is None:
            raise NoReleaseError(f"no release satisfies k = {k}: only {n:,} row{'s' * (n != 1)} take part")
        only_k, known_columns = self.problem.models.only_k, self.problem.models.known_columns
        why = f"of fewer than {k}" if only_k else "that violate k or a model"
        if known_columns is not None:
            why = f"of fewer than {k} by some {known_columns} column{'s' * (known_columns != 1)}"
        raise NoReleaseError(
            f"no node satisfies: {'even ' * only_k}at the highest levels {self.left_at_top:,} of {n:,} rows lie in "
            f"classes {why}, the limit is {limit:,}; {self._way_out()}"
        )

    def _refused(self, chosen: BlindChoice) -> str:
        """Why the node that a blind search chose is not released."""
        left = self.request.limit - chosen.reserve
        if chosen.suppressed > left:
            return (
                f"even at the highest levels {chosen.suppressed:,} of {self.problem.n:,} rows lie in classes of fewer "
                f"than {self.request.k}; algorithm.reserve leaves {max(left, 0):,} rows of the limit for these: make "
                "it less"
            )
        return (
            f"algorithm.blind: at the levels chosen without a look at sensitive values {chosen.in_all:,} of "
            f"{self.problem.n:,} rows lie in classes that violate k or a model, {chosen.suppressed:,} of them by k, "
            f"the limit is {self.request.limit:,}; ask for a greater k, a greater suppression.limit with as much more "
            "algorithm.reserve, or less of the models (that there is no release says something of the values, too)"
        )

    @cached_property
    def enough(self) -> dict[str, int]:
        """By their keys, the limit and the k that the highest levels satisfy, if nothing else is changed.

        With k alone, and with monotone models, no lower limit and no greater k would be enough.
        """
        problem, left = self.problem, None if self.choice.blind else self.left_at_top
        enough: dict[str, int] = {}
        if left is None:
            return enough
        if left < problem.n and not problem.models.refusing_absent:
            enough["suppression.limit"] = left
        k = bisect_left(range(1, self.request.k), True, key=lambda k: not self._top_satisfies(k))
        if k > 1:
            enough["privacy.k"] = k
        return enough

    def _top_satisfies(self, k: int) -> bool:
        problem = self.problem
        checker = make_checker(problem.nodes, problem.frequency, problem.models, k, self.request.limit, Progress())
        return checker.suppressed(problem.lattice.highs) <= checker.limit

    def _way_out(self) -> str:
        """The changes that would be enough, and others that may be."""
        enough = [f"{key}: {value}" for key, value in self.enough.items()]
        lattice = self.problem.lattice
        others = ["raise max_level"] * (lattice.highs != lattice.tops)
        others += [] if enough else ["ask for less"]
        sure = [f"{' or '.join(enough)} would be enough"] * bool(enough)
        return "; ".join([*sure, *([f"{'or ' * bool(enough)}{' or '.join(others)}"] if others else [])])

    def levels(self) -> dict[str, int]:
        """The level of each quasi-identifier."""
        return self._levels(self.winner.levels)

    def describe(self) -> Solution:
        return {"levels": self.levels(), "height": self.winner.height}

    def least_levels(self) -> dict[str, int]:
        return self.levels()

    def describe_search(self) -> SearchEffort:
        choice = self.choice
        entry: SearchEffort = {
            "lattice_nodes": choice.lattice_nodes,
            "checked": choice.checked,
            "proven": choice.proven,
            "bound": choice.bound,
            "gap": 0.0 if choice.proven else gap(choice.objective, choice.bound),
            "notes": list(choice.notes),
        }
        if choice.left_by_bound is not None:
            entry["left_by_bound"] = choice.left_by_bound
        if choice.blind is not None:
            entry["blind"] = choice.blind.describe()
        if choice.minimal:
            entry["minimal"] = [node_json(node, self.problem.names) for node in choice.minimal]
        if choice.ties:
            entry["ties"] = [self._levels(node) for node in choice.ties]
        return entry

    def describe_loss(self) -> Loss:
        winner, n, objective = self.winner, self.problem.n, self.choice.objective
        assert objective is not None  # where there is a winner
        average = winner.average_class_size(n)
        return {
            "lm": winner.lm,
            "ncp": 100 * winner.lm / len(winner.losses),
            "geometric_mean": winner.geometric_mean,
            "objective": objective,
            "c_avg": average / self.request.k,
            "average_class_size": average,
            "discernibility": winner.discernibility(n),
            "precision": 1 - winner.precision_cost,
            "entropy": winner.entropy,
            "attributes": dict(zip(self.problem.names, winner.losses, strict=True)),
        }

    def class_count(self) -> int:
        return self.winner.classes

    def _levels(self, node: Node) -> dict[str, int]:
        return dict(zip(self.problem.names, node, strict=True))


def node_json(node: NodeMeasures, names: tuple[str, ...]) -> NodeFigures:
    """A lattice node as the report and `lattice` show it."""
    return {
        "levels": dict(zip(names, node.levels, strict=True)),
        "height": node.height,
        "suppressed": node.suppressed,
        "classes": node.classes,
        "lm": node.lm,
    }
