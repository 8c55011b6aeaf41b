"""The release of partitions: each row under the labels of the class that its tuple is in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.commands.run.betraying import Finer
from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.recount.counting import ClassCounts, comparable
from kanon_sql.recount.statement import Table
from kanon_sql.release.body import Asked, Body
from kanon_sql.release.compiled_partitions import classes_share, compiled_partitions
from kanon_sql.release.partitions import Output, outputs, select_partitions, verify_partitions
from kanon_sql.release.verify import Judgement
from kanon_sql.search.classes import Classes, build_classes, rows_by_level
from kanon_sql.search.full_domain.measures import geometric_mean
from kanon_sql.search.mondrian.mondrian import Partitioning
from kanon_sql.search.solution import Json, Request, Solution, Writing
from kanon_sql.source.model import Source
from kanon_sql.source.values import normalized
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

if TYPE_CHECKING:
    from kanon_sql.search.multidimensional import Multidimensional


class Partitions(Solution):
    """What Mondrian or local recoding ended with; without a partitioning there were too few rows for any.

    Its tables are those of the last search: describe and release it before the next.
    """

    suppressed = 0

    def __init__(
        self,
        engine: Engine,
        prepared: Multidimensional,
        algorithm: AlgorithmConfig,
        request: Request,
        found: Partitioning | None,
        impossible: Sequence[str] = (),
    ) -> None:
        self.engine = engine
        self.prepared = prepared
        self.algorithm = algorithm
        self.request = request
        self.has_release = found is not None
        self._impossible = impossible
        self.found = found or Partitioning(rounds=0, cuts=0, finished=True, seed=0, boxes=True)
        self._shares = algorithm.name == "local" or algorithm.cut == "relaxed"
        stopped = f"time ran out after {self.found.rounds} rounds: more of them could have lost less"
        self.notes = () if self.found.finished else (stopped,)

    @cached_property
    def classes(self) -> Classes:
        """The classes, labelled when they are first asked for."""
        return build_classes(self.engine, self.prepared.tuples, self.prepared.grids)

    def require(self) -> None:
        if self._impossible:
            raise NoReleaseError(self._impossible)
        n = self.prepared.n
        if not self.has_release:
            if n >= self.request.k:
                raise NoReleaseError(
                    f"{self.algorithm.name} starts with all rows as one class, which violates k or a model: "
                    "ask for less"
                )
            raise NoReleaseError(f"no release satisfies k = {self.request.k}: only {n} row{'s' * (n != 1)} take part")

    def describe(self) -> Json:
        partitions = self.classes.partitions
        if self.algorithm.name == "local":
            levels = [dict(rows_by_level(self.engine, d)) for d in self.prepared.tuples.dimensions]
            return {"rows_by_level": dict(zip(self.prepared.names, levels, strict=True))}
        return {"partitions": partitions, "depth": self.found.rounds}

    def describe_search(self) -> Json:
        return {
            "tuples": self.prepared.tuples.count,
            "rounds": self.found.rounds,
            "cuts": self.found.cuts,
            "finished": self.found.finished,
            "proven": False,
            "bound": None,
            "notes": list(self.notes),
        }

    def describe_loss(self) -> Json:
        n, classes = self.prepared.n, self.classes
        losses = tuple(units / n for units in classes.units)
        lm = math.fsum(losses)
        weighted = [weight * loss for weight, loss in zip(self.request.weights, losses, strict=True)]
        return {
            "lm": lm,
            "ncp": 100 * lm / len(losses),
            "geometric_mean": geometric_mean(losses),
            "objective": math.fsum(weighted),
            "c_avg": n / classes.count / self.request.k,
            "average_class_size": n / classes.count,
            "discernibility": classes.squares,
            "precision": None,
            "entropy": None,
            "attributes": dict(zip(self.prepared.names, losses, strict=True)),
        }

    def class_count(self) -> int:
        return self.classes.count

    def can_mask(self) -> bool:
        return False

    def finer(self) -> list[Finer]:
        lost = zip(self.prepared.tuples.dimensions, self.classes.units, strict=True)
        return [Finer(d.column, d.domain, "position") for d, units in lost if units]

    def columns(self) -> list[str]:
        return [output.name for output in self._outputs()]

    def select(self, writing: Writing) -> exp.Expr:
        return select_partitions(
            self.engine,
            self.prepared.rows,
            self.prepared.tuples.dimensions,
            self._outputs(),
            writing,
            share_seed=self.found.seed if self._shares else None,
        )

    def verify(self, engine: Engine, written: Source, masked: int) -> ClassCounts:
        judgement = Judgement(self.prepared.question(self.request.k, written), self._recounted())
        return verify_partitions(engine, written, self._outputs(), judgement, rows=self.prepared.n)

    def compiled(self, asked: Asked) -> Body:
        if (
            asked.executed
            and self.prepared.models.entity is not None
            and classes_share(self.engine, self.prepared.tuples.dimensions)
        ):
            raise ConfigurationError(
                "classes share rows of the same values, and which entities each gets cannot be counted from here; with "
                "entity expected engine: duckdb, or a full-domain search"
            )
        cut, partitions = self.algorithm.cut or "strict", self.classes.partitions
        how = "Local recoding" if self.algorithm.name == "local" else f"Mondrian, cut: {cut}"
        return compiled_partitions(
            self.engine,
            asked,
            self.prepared.roles,
            self.prepared.tuples.dimensions,
            self._outputs(),
            boxes=self.found.boxes,
            lines=(f"{how}: {partitions} partitions; no row is left out.",),
        )

    def _recounted(self) -> Table | None:
        """The released rows with their entities; None where k counts rows."""
        prepared, entity = self.prepared, self.prepared.models.entity
        if entity is None:
            return None
        writing = Writing(order="none", seed=None, plain_text=True, as_text=True)
        # Under names that are told apart whatever columns are called. Columns that no model speaks of are not counted:
        # of another engine's rows they are not even here.
        labels = [Output(one.label, label=one.label) for one in self._outputs() if one.label]
        spoken = prepared.models.columns
        keys = dict.fromkeys([*(one.column.key for one in spoken.values()), entity.key])
        weighted = prepared.source.home is not None
        if weighted:
            keys["row_count"] = None
        rows = select_partitions(
            self.engine,
            prepared.rows,
            prepared.tuples.dimensions,
            [*labels, *(Output(key, key=key) for key in keys)],
            writing,
            share_seed=self.found.seed if self._shares and not weighted else None,
        )
        assert isinstance(rows, exp.Select)
        missing = prepared.source.missing
        sensitive = {name: comparable(one.column, one.column, missing) for name, one in spoken.items()}
        values = [column(output.name) for output in labels]
        return Table(rows, values, sensitive, normalized(entity, missing), weighted=weighted)

    def _outputs(self) -> list[Output]:
        return outputs(self.prepared.roles, self.prepared.tuples.dimensions, bounds=self.prepared.bounds)
