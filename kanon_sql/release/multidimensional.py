"""The release of classes (Mondrian, local recoding, microaggregation): rows under the labels of their tuple's class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.aggregated import Aggregated
from kanon_sql.frequency.dimensions import Dimension
from kanon_sql.release.classes import Output, dealing_order, outputs, select_partitions
from kanon_sql.release.compiled import CompiledRelease, CompileRequest
from kanon_sql.release.compiled_classes import classes_share, compiled_classes
from kanon_sql.release.release import Finer, Labels, Release, Writing
from kanon_sql.release.statement import listed_rows
from kanon_sql.release.verify import Expected, ExpectedClasses, question_of
from kanon_sql.search.classes import label_name
from kanon_sql.search.multidimensional import Multidimensional, MultidimensionalResult
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.template import Item, column

_HOW = {"local": "Local recoding", "microaggregation": "Microaggregation"}


@dataclass(frozen=True)
class MultidimensionalRelease(Release):
    """Every row of a class, under the class's labels. It reads the tables of the last search."""

    result: MultidimensionalResult

    @property
    def problem(self) -> Multidimensional:
        return self.result.problem

    @property
    def dimensions(self) -> Sequence[Dimension]:
        return self.problem.tuples.dimensions

    @cached_property
    def outputs(self) -> list[Output]:
        shown = {aggregated.index for aggregated in self.problem.aggregated}
        return outputs(self.problem.roles, self.dimensions, shown if self.problem.bounds else None)

    def columns(self) -> list[str]:
        return [output.name for output in self.outputs]

    def can_mask(self) -> bool:
        return False

    def finer(self) -> list[Finer]:
        lost = zip(self.dimensions, self.result.classes.units, strict=True)
        return [Finer(d.column, d.domain, "position") for d, units in lost if units]

    def labels(self) -> Labels:
        items: list[Item] = [{"name": label_name(d), "only": f"only_{d.index}"} for d in self.dimensions]
        row = self.engine.query("release/labels_of_classes", lists={"this": items})[0]
        largest, only = row[: len(items)], row[len(items) :]
        lost = zip(self.problem.names, only, self.result.classes.units, strict=True)
        return Labels(
            dict(zip(self.problem.names, largest, strict=True)),
            tuple(name for name, has_one_label, units in lost if has_one_label and units),
        )

    def select(self, writing: Writing) -> exp.Expr:
        # Rows that classes share are dealt out by all of their values.
        rows = self.problem.rows if self._shares else listed_rows(self.engine, self.problem, writing)
        return self._select(rows, self.outputs, writing, shares=self._shares)

    def compiled(self, request: CompileRequest) -> CompiledRelease:
        algorithm = self.result.algorithm
        entity = self.problem.models.entity
        if request.executed and entity is not None and classes_share(self.engine, self.dimensions):
            raise ConfigurationError(
                "classes share rows of the same values, and which entities each gets cannot be counted from here; with "
                "entity expected engine: duckdb, or a full-domain search"
            )
        partitions = self.result.classes.partitions
        how = _HOW.get(algorithm.name, f"Mondrian, cut: {algorithm.cut or 'strict'}")
        compiled = compiled_classes(
            self.engine,
            request,
            self.problem.roles,
            self.dimensions,
            self.outputs,
            division=self.result.division,
            rounds=self.problem.rounds,
        )
        suppressed = self.result.suppressed
        left = f"{suppressed:,} of {self.problem.n:,} rows are" if suppressed else "no row is"
        return replace(compiled, lines=(f"{how}: {partitions} partitions; {left} left out.",))

    def expected(self, written: Source, masked: int) -> Expected:
        return ExpectedClasses(
            columns=self.columns(),
            rows=self.problem.n - self.result.suppressed,
            masked=masked,
            question=question_of(self.problem, self.result.request.k, written),
            recounted=self._recounted(masked),
            again=self._again(self.problem.aggregated),
            labels={output.name: output.label for output in self.outputs if output.label},
        )

    def _generalized(self, others: Sequence[Column], writing: Writing) -> tuple[exp.Select, list[exp.Expr]]:
        # Under names that are told apart whatever columns are called.
        labels = [Output(output.label, label=output.label) for output in self.outputs if output.label]
        keys = dict.fromkeys(col.key for col in others)
        counted = [*labels, *(Output(key, key=key) for key in keys)]
        rows = self._select(self.problem.rows, counted, writing, shares=self._shares and not self.problem.weighted)
        assert isinstance(rows, exp.Select)
        return rows, [column(output.name) for output in labels]

    def _label_of(self, aggregated: Aggregated) -> exp.Expr:
        return column(f"label_{aggregated.index}")

    @property
    def _shares(self) -> bool:
        """Whether classes may share the rows of a tuple."""
        return self.result.algorithm.name == "local" or self.result.algorithm.cut == "relaxed"

    def _select(self, rows: exp.Select, released: Sequence[Output], writing: Writing, *, shares: bool) -> exp.Expr:
        dealt_by = self._dealing("numbered") if shares else None
        return select_partitions(self.engine, rows, self.dimensions, released, writing, dealt_by=dealt_by)

    def _dealing(self, table: str) -> list[exp.Expr]:
        """The order in which the rows of a shared tuple are dealt out, from a table with what is released as it is."""
        roles = self.problem.roles
        quasi = {col.key for col in roles.quasi_identifiers}
        values = [(column(col.key, table), col.type) for col in roles.released if col.key not in quasi]
        return dealing_order(values, self.result.division.seed)
