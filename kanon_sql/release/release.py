"""The base class of releases: what each can do, whatever family of searches chose it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.frequency.aggregated import Aggregated
from kanon_sql.recount.counting import comparable
from kanon_sql.recount.statement import Table
from kanon_sql.release.aggregates import AggregateRecount
from kanon_sql.release.compiled import CompiledRelease, CompileRequest
from kanon_sql.release.verify import Expected, Groups
from kanon_sql.search.problem import SearchProblem, SearchResult
from kanon_sql.source.columns import normalized, person
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import understood
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

if TYPE_CHECKING:
    from kanon_sql.results.run import Loss


@dataclass(frozen=True)
class Writing:
    """How a release is written.

    With `plain_text` generalized values are VARCHAR; else they may be of an ENUM type, which is sorted faster and which
    files store as text. With `as_text` every quasi-identifier is VARCHAR, as where suppressed rows may be masked: with
    `masked` they stay, as `*`. `seed` is for tests: it makes the random order repeatable.
    """

    order: str
    seed: int | None
    plain_text: bool
    as_text: bool
    masked: bool = False


@dataclass(frozen=True)
class Finer:
    """A generalized quasi-identifier; `table` has for each `value` the code `finer` of what is below the released one.

    `coarser` is the code of the released value, None where rows of one value are released under several.
    """

    column: Column
    table: str
    finer: str
    coarser: str | None = None


@dataclass(frozen=True)
class Labels:
    """What the quasi-identifiers of a release are released as, by their names.

    `largest` are the labels of the class that most rows are released in, None for a missing value; `given_up` are the
    columns that were generalized to one label for all rows.
    """

    largest: dict[str, str | None]
    given_up: tuple[str, ...]


@dataclass(frozen=True)
class Release(ABC):
    """The rows of a source, generalized and suppressed as a search chose that `require` let pass."""

    engine: Engine
    result: SearchResult

    @property
    def problem(self) -> SearchProblem:
        """The problem that was searched; its source and roles are the release's."""
        return self.result.problem

    @abstractmethod
    def columns(self) -> list[str]:
        """The names of the released columns in order."""

    @abstractmethod
    def can_mask(self) -> bool:
        """Whether the suppressed rows, with released ones that are all * anyway, form a class that satisfies."""

    @abstractmethod
    def finer(self) -> list[Finer]:
        """The generalized quasi-identifiers, and where the values below the released ones are."""

    @abstractmethod
    def labels(self) -> Labels:
        """Examples of what is released, never a label of suppressed rows."""

    def describe_loss(self) -> Loss:
        """The report's entry `loss`."""
        return self.result.describe_loss()

    @abstractmethod
    def select(self, writing: Writing) -> exp.Expr:
        """SELECT of the released rows under their real names."""

    @abstractmethod
    def compiled(self, request: CompileRequest) -> CompiledRelease:
        """The release as one SELECT over the source, for others to execute."""

    @abstractmethod
    def expected(self, written: Source, masked: int) -> Expected:
        """What the written release must hold, where that many suppressed rows stay masked."""

    @abstractmethod
    def _generalized(self, others: Sequence[Column], writing: Writing) -> tuple[exp.Select, list[exp.Expr]]:
        """(SELECT of the released rows, `others` under their keys, the expressions of their quasi-identifiers)."""

    def _recounted(self, masked: int) -> Table | None:
        """The released rows of the source with their entities; None where k counts rows.

        Columns that no model names are left out: with another engine's rows they are not even here.
        """
        source, models = self.problem.source, self.problem.models
        if models.entity is None:
            return None
        weighted = self.problem.weighted
        columns = [*(attr.column for attr in models.columns.values()), models.entity]
        columns += [Column("row_count", "row_count", "BIGINT")] if weighted else []
        writing = Writing(order="none", seed=None, plain_text=True, as_text=True, masked=masked > 0)
        rows, values = self._generalized(columns, writing)
        sensitive = {
            name: comparable(attr.column, attr.column, source.missing) for name, attr in models.columns.items()
        }
        return Table(rows, values, sensitive, person(models.entity, source.missing), weighted=weighted)

    def _groups(self, masked: int) -> Groups | None:
        """The rows of the source with their groups; None where rows are suppressed one by one."""
        source, group = self.problem.source, self.problem.models.group
        if group is None:
            return None
        weighted, named = self.problem.weighted, person(group, source.missing)
        columns = [group, *([Column("row_count", "row_count", "BIGINT")] if weighted else [])]
        writing = Writing(order="none", seed=None, plain_text=True, as_text=True)
        tables = [
            Table(*self._generalized(columns, as_written), entity=named, weighted=weighted)
            for as_written in (writing, replace(writing, masked=masked > 0))
        ]
        return Groups(Table(self.problem.rows, (), entity=named, weighted=weighted), *tables)

    @abstractmethod
    def _label_of(self, aggregated: Aggregated) -> exp.Expr:
        """The column of the SELECT of `_generalized` that holds the label of an aggregated column."""

    def _again(self, shown: Sequence[Aggregated]) -> AggregateRecount | None:
        """The released rows with the values of aggregated columns; None without any, or with rows in another engine."""
        if not shown or self.problem.weighted:
            return None
        rows, keys = self._generalized([], Writing(order="none", seed=None, plain_text=True, as_text=True))
        columns = []
        for aggregated in shown:
            col, name = self.problem.roles.quasi_identifiers[aggregated.index], f"raw_{aggregated.index}"
            rows = rows.select(exp.alias_(column(col.key, "source"), name, quoted=True))
            value = normalized(replace(col, key=name), self.problem.source.missing)
            columns.append(
                (aggregated, self._label_of(aggregated), understood(value, col.reading if col.is_text else None))
            )
        return AggregateRecount(rows, keys, columns)
