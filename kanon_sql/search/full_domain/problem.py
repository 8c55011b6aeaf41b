"""Full-domain generalization: one level for each quasi-identifier, searched on the lattice, released by mappings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.commands.run.betraying import Finer
from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.engines.searching import NodesThere
from kanon_sql.errors import NoReleaseError, OutOfTimeError
from kanon_sql.frequency.judged import source_tables
from kanon_sql.frequency.population import Population
from kanon_sql.frequency.table import Frequency
from kanon_sql.privacy.model import Tables
from kanon_sql.progress import Progress
from kanon_sql.recount.counting import ClassCounts, comparable
from kanon_sql.recount.statement import Table
from kanon_sql.release.body import Asked, Body
from kanon_sql.release.compiled import compiled_release
from kanon_sql.release.statement import Suppression, grouping, release_select, starred_condition
from kanon_sql.release.verify import Judgement, verify_levels
from kanon_sql.search.full_domain.checker import NodeChecker, grouping_codes
from kanon_sql.search.full_domain.dispatch import search
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.full_domain.measures import NodeMeasures
from kanon_sql.search.full_domain.result import SearchResult, nothing
from kanon_sql.search.impossible import impossible
from kanon_sql.search.problem import Prepared
from kanon_sql.search.solution import Json, Request, Solution, Writing
from kanon_sql.source.model import Column, Source
from kanon_sql.source.values import normalized
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Composed, Fill, Item, compose, state


@dataclass(frozen=True)
class FullDomain(Prepared):
    """A source whose frequency table and lattice are ready to be searched."""

    frequency: Frequency
    lattice: Lattice
    populations: tuple[Population, ...] = ()
    nodes: NodesThere | None = None  # where another engine is asked about nodes

    def describe_engine(self) -> Json:
        return {**super().describe_engine(), "search_in": "duckdb" if self.nodes is None else "engine"}

    def solve(
        self, engine: Engine, algorithm: AlgorithmConfig, request: Request, deadline: Deadline, progress: Progress
    ) -> FullDomainSolution:
        checker = NodeChecker(self.nodes or engine, self.frequency, self.models, request.k, request.limit, progress)
        refused = impossible(engine, self.models, request.limit)
        if refused:
            return FullDomainSolution(engine, self, request, nothing(self.lattice), checker, False, None, refused)
        found = search(algorithm, self.lattice, checker, request.weights, deadline)
        if found.winner is not None:
            found = replace(found, winner=checker.with_entropy_of(found.winner.levels))
        out_of_time = deadline.passed() and checker.known(self.lattice.highs) is not False
        left = None
        if found.winner is None and not out_of_time and self.n >= request.k:
            left = checker.suppressed(self.lattice.highs)
        return FullDomainSolution(engine, self, request, found, checker, out_of_time, left)


class FullDomainSolution(Solution):
    """The chosen node of the lattice."""

    def __init__(
        self,
        engine: Engine,
        prepared: FullDomain,
        request: Request,
        found: SearchResult,
        checker: NodeChecker,
        out_of_time: bool,
        left_at_top: int | None,
        impossible: Sequence[str] = (),
    ) -> None:
        self.engine = engine
        self.prepared = prepared
        self.request = request
        self.found = found
        self.notes = found.notes if not found.proven else ()
        self.suppressed = found.winner.suppressed if found.winner else 0
        self._checker = checker
        self._out_of_time = out_of_time
        self._left_at_top = left_at_top
        self._impossible = impossible

    @property
    def winner(self) -> NodeMeasures:
        """The chosen node; only where there is one."""
        assert self.found.winner is not None
        return self.found.winner

    def require(self) -> None:
        if self.found.winner is not None:
            return
        if self._impossible:
            raise NoReleaseError(self._impossible)
        n, k, limit = self.prepared.n, self.request.k, self.request.limit
        if self._out_of_time:
            raise OutOfTimeError(
                f"time ran out after {self.found.checked} of {self.found.lattice_nodes} nodes, before any that "
                "satisfies; raise --time-limit or max_level, or suppression.limit"
            )
        if self._left_at_top is None:
            raise NoReleaseError(f"no release satisfies k = {k}: only {n} row{'s' * (n != 1)} take part")
        if not self.prepared.models.only_k:
            raise NoReleaseError(
                f"no node satisfies: at the highest levels {self._left_at_top} of {n} rows lie in classes that violate "
                f"k or a model, the limit is {limit}; raise suppression.limit or max_level, or ask for less"
            )
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
        if found.left_by_bound is not None:
            answer["left_by_bound"] = found.left_by_bound
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

    def can_mask(self) -> bool:
        if self.prepared.populations:  # which have no class of masked rows
            return False
        self._suppress()
        mappings, levels = self.prepared.frequency.mappings, self.winner.levels
        starred = starred_condition(self.engine, mappings, levels)
        keys = grouping_codes(self.prepared.frequency, levels)
        names: dict[str, Fill] = {"suppressed_classes": state("suppressed_classes"), "starred": starred}

        def masked(table: str | Composed) -> Composed:
            return Composed(
                template.fill("search/full_domain/masked_rows", {**names, "judged_rows": str(table)}, {"key": keys})
            )

        tables = source_tables(self.prepared.models)
        statement = self.prepared.models.classes(
            Tables(
                masked(tables.tuples),
                masked(tables.holders) if self.prepared.models.by_entity and tables.holders else None,
                {name: masked(table) for name, table in tables.sensitive.items()},
            ),
            [model for model in self.prepared.models.models if model.column is not None],
        )
        lists: dict[str, list[Item]] = {"key": []}
        found = self.engine.query(
            compose("search/full_domain/node_check", {"classes": statement}), values={"k": self.request.k}, lists=lists
        )
        return not found[0][0]

    def finer(self) -> list[Finer]:
        mappings, quasi = self.prepared.frequency.mappings, self.prepared.roles.quasi_identifiers
        return [
            Finer(item, mapping.table, f"level_{level - 1}", f"level_{level}")
            for item, mapping, level in zip(quasi, mappings, self.winner.levels, strict=True)
            if level
        ]

    def columns(self) -> list[str]:
        return [item.name for item in self.prepared.roles.released]

    def select(self, writing: Writing) -> exp.Expr:
        mappings, levels = self.prepared.frequency.mappings, self.winner.levels
        if self.suppressed:
            self._suppress()
        return release_select(
            self.engine,
            self.prepared.rows,
            self.prepared.roles,
            mappings,
            levels,
            Suppression(self.suppressed, writing.masked),
            writing,
        )

    def _suppress(self) -> None:
        """Lists the violating classes in the table suppressed_classes."""
        keys = grouping_codes(self.prepared.frequency, self.winner.levels)
        statement = self._checker.statements.suppressed
        if self.prepared.nodes is not None:
            self.prepared.nodes.bring_suppressed(self.engine, statement, self.request.k, keys)
            return
        self.engine.query(statement, values={"k": self.request.k}, lists={"key": keys})

    def verify(self, engine: Engine, written: Source, masked: int) -> ClassCounts:
        persons = [population.persons(self.winner.levels) for population in self.prepared.populations]
        question = self.prepared.question(self.request.k, written, persons)
        return verify_levels(
            engine,
            written,
            self.columns(),
            self.prepared.names,
            self.prepared.frequency.mappings,
            self.winner.levels,
            Judgement(question, self._recounted(masked)),
            rows=self.prepared.n - self.suppressed + masked,
            masked=masked,
        )

    def _recounted(self, masked: int) -> Table | None:
        """The released rows of the source, generalized, with their entities; None where k counts rows."""
        prepared = self.prepared
        if prepared.models.entity is None:
            return None
        writing = Writing(order="none", seed=None, plain_text=True, as_text=True, masked=masked > 0)
        entity, quasi, spoken = prepared.models.entity, prepared.roles.quasi_identifiers, prepared.models.columns
        # Under their keys, which are told apart whatever columns are called; no others: of another engine's rows they
        # are not even here.
        counted = [*quasi, *(one.column for one in spoken.values() if one.column not in quasi), entity]
        weighted = prepared.source.home is not None
        if weighted:
            counted.append(Column("row_count", "row_count", "BIGINT"))
        roles = replace(prepared.roles, released=tuple(replace(item, name=item.key) for item in counted))
        mappings, levels = prepared.frequency.mappings, self.winner.levels
        suppression = Suppression(self.suppressed, masked > 0)
        rows = release_select(self.engine, prepared.rows, roles, mappings, levels, suppression, writing)
        assert isinstance(rows, exp.Select)
        values = [template.column(item.key) for item in quasi]
        missing = prepared.source.missing
        sensitive = {name: comparable(one.column, one.column, missing) for name, one in spoken.items()}
        return Table(rows, values, sensitive, normalized(entity, missing), weighted=weighted)

    def compiled(self, asked: Asked) -> Body:
        k, n = self.request.k, self.prepared.n
        only_k = self.prepared.models.only_k
        masks = asked.masks and self.suppressed > 0 and self.can_mask()
        groups = grouping(self.prepared.frequency.mappings, self.winner.levels)
        listed = groups if groups and self.suppressed and (asked.executed or not only_k) else None
        if listed is not None:
            self._suppress()
        levels = ", ".join(f"{name} {level}" for name, level in self._levels(self.winner.levels).items())
        lines = (
            f"Levels: {levels}.",
            f"{self.suppressed} of {n} rows lie in classes "
            f"{f'of fewer than {k} rows' if only_k else 'that violate k or a model'} and are "
            f"{'masked' if masks else 'left out'}.",
        )
        return compiled_release(
            self.engine,
            replace(asked, masks=masks),
            self.prepared.roles,
            self.prepared.frequency.mappings,
            self.winner.levels,
            k=k,
            lines=lines,
            masked=self.suppressed if masks else 0,
            listed=listed,
        )

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
