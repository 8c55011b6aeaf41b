"""Full-domain generalization: one level for each quasi-identifier, searched on the lattice, released by mappings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.deadline import Deadline
from kanon_sql.engine.connection import Engine
from kanon_sql.errors import NoReleaseError, OutOfTimeError
from kanon_sql.frequency import Frequency
from kanon_sql.prepared import Prepared
from kanon_sql.progress import Progress
from kanon_sql.release.compiled import compiled_release
from kanon_sql.release.statement import Suppression, release_select, starred_rows, suppress_classes
from kanon_sql.search.checker import NodeChecker
from kanon_sql.search.dispatch import search
from kanon_sql.search.lattice import Lattice, Node
from kanon_sql.search.measures import NodeMeasures
from kanon_sql.search.result import SearchResult
from kanon_sql.solution import Json, Request, Solution, Writing
from kanon_sql.source.model import Source
from kanon_sql.verify import ClassCounts, verify_levels

FULL_DOMAIN = ("optimal", "samarati", "minimal")


@dataclass(frozen=True)
class FullDomain(Prepared):
    """A source whose frequency table and lattice are ready to be searched."""

    frequency: Frequency
    lattice: Lattice

    def solve(
        self, engine: Engine, algorithm: AlgorithmConfig, request: Request, deadline: Deadline, progress: Progress
    ) -> FullDomainSolution:
        checker = NodeChecker(engine, self.frequency, request.k, request.limit, progress)
        found = search(algorithm, self.lattice, checker, request.weights, deadline)
        if found.winner is not None:
            found = replace(found, winner=checker.with_entropy_of(found.winner.levels))
        out_of_time = deadline.passed() and checker.known(self.lattice.highs) is not False
        left = None
        if found.winner is None and not out_of_time and self.n >= request.k:
            left = checker.suppressed(self.lattice.highs)
        return FullDomainSolution(engine, self, request, found, out_of_time, left)


class FullDomainSolution(Solution):
    """The chosen node of the lattice."""

    def __init__(
        self,
        engine: Engine,
        prepared: FullDomain,
        request: Request,
        found: SearchResult,
        out_of_time: bool,
        left_at_top: int | None,
    ) -> None:
        self.engine = engine
        self.prepared = prepared
        self.request = request
        self.found = found
        self.notes = found.notes if not found.proven else ()
        self.suppressed = found.winner.suppressed if found.winner else 0
        self._out_of_time = out_of_time
        self._left_at_top = left_at_top

    @property
    def winner(self) -> NodeMeasures:
        """The chosen node; only where there is one."""
        assert self.found.winner is not None
        return self.found.winner

    def require(self) -> None:
        if self.found.winner is not None:
            return
        n, k, limit = self.prepared.n, self.request.k, self.request.limit
        if self._out_of_time:
            raise OutOfTimeError(
                f"time ran out after {self.found.checked} of {self.found.lattice_nodes} nodes, before any that "
                "satisfies; raise --time-limit or max_level, or suppression.limit"
            )
        if self._left_at_top is None:
            raise NoReleaseError(f"no release satisfies k = {k}: only {n} row{'s' * (n != 1)} take part")
        raise NoReleaseError(
            f"no node satisfies: even at the highest levels {self._left_at_top} of {n} rows lie in classes of fewer "
            f"than {k}, the limit is {limit}; raise suppression.limit or max_level, or lower k"
        )

    def describe(self) -> Json:
        return {"levels": self._levels(self.winner.levels), "height": self.winner.height}

    def describe_search(self) -> Json:
        found = self.found
        answer: Json = {
            "lattice_nodes": found.lattice_nodes,
            "checked": found.checked,
            "proven": found.proven,
            "bound": found.bound,
            "notes": list(found.notes),
        }
        if found.minimal:
            answer["minimal"] = [node_json(node, self.prepared.names) for node in found.minimal]
        if found.ties:
            answer["ties"] = [self._levels(node) for node in found.ties]
        return answer

    def describe_loss(self) -> Json:
        winner, n = self.winner, self.prepared.n
        average = winner.average_class_size(n)
        return {
            "lm": winner.lm,
            "ncp": 100 * winner.lm / len(winner.losses),
            "geometric_mean": winner.geometric_mean,
            "objective": self.found.objective,
            "c_avg": average / self.request.k,
            "average_class_size": average,
            "discernibility": winner.discernibility(n),
            "precision": 1 - winner.precision_cost,
            "entropy": winner.entropy,
            "attributes": dict(zip(self.prepared.names, winner.losses, strict=True)),
        }

    def class_count(self) -> int:
        return self.winner.classes

    def starred_rows(self) -> int:
        return starred_rows(self.engine, self.prepared.frequency.mappings, self.winner.levels, self.request.k)

    def columns(self) -> list[str]:
        return [item.name for item in self.prepared.roles.released]

    def select(self, writing: Writing) -> exp.Expr:
        mappings, levels = self.prepared.frequency.mappings, self.winner.levels
        if self.suppressed:
            suppress_classes(self.engine, mappings, levels, self.request.k)
        return release_select(
            self.engine,
            self.prepared.rows,
            self.prepared.roles,
            mappings,
            levels,
            Suppression(self.suppressed, writing.masked),
            writing,
        )

    def verify(self, engine: Engine, written: Source, masked: int) -> ClassCounts:
        return verify_levels(
            engine,
            written,
            self.columns(),
            self.prepared.names,
            self.prepared.frequency.mappings,
            self.winner.levels,
            self.request.k,
            rows=self.prepared.n - self.suppressed + masked,
            masked=masked,
        )

    def compiled(self, order: str, masked: bool) -> tuple[Sequence[str], exp.Expr]:
        k, n = self.request.k, self.prepared.n
        masks = masked and self.suppressed >= k
        levels = ", ".join(f"{name} {level}" for name, level in self._levels(self.winner.levels).items())
        lines = (
            f"Levels: {levels}.",
            f"{self.suppressed} of {n} rows lie in classes of fewer than {k} rows and are "
            f"{'masked' if masks else 'left out'}.",
        )
        statement = compiled_release(
            self.engine,
            self.prepared.rows,
            self.prepared.roles,
            self.prepared.frequency.mappings,
            self.winner.levels,
            order=order,
            k=k,
            masks=masks,
        )
        return lines, statement

    def _levels(self, node: Node) -> dict[str, int]:
        return dict(zip(self.prepared.names, node, strict=True))


def node_json(node: NodeMeasures, names: tuple[str, ...]) -> Json:
    """A lattice node as the report and `lattice` show it."""
    return {
        "levels": dict(zip(names, node.levels, strict=True)),
        "height": node.height,
        "suppressed": node.suppressed,
        "classes": node.classes,
        "lm": node.lm,
    }
