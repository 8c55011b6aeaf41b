"""A source that was read: the tables that a search works on are in the engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.privacy.model import Models
from kanon_sql.progress import Progress
from kanon_sql.recount.counting import comparable
from kanon_sql.recount.statement import Question, Table
from kanon_sql.search.solution import Json, Request, Solution
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles
from kanon_sql.source.values import normalized
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline


@dataclass(frozen=True)
class Prepared(ABC):
    """An opened source: `rows` selects the `n` rows that take part of its `source_rows`; `models` judge its classes.

    Where another engine holds the rows, `rows` selects their distinct tuples, with the rows of each as row_count.
    """

    source: Source
    roles: Roles
    rows: exp.Select
    models: Models
    n: int
    source_rows: int
    warnings: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the configuration's order."""
        return tuple(item.name for item in self.roles.quasi_identifiers)

    def describe_engine(self) -> Json:
        """The report's entry `engine`: which holds the rows, and where the distinct tuples are searched."""
        home = self.source.home
        return {"name": "duckdb" if home is None else home.name, "search_in": "duckdb"}

    def question(self, k: int, written: Source, populations: Sequence[exp.Expr] = ()) -> Question:
        """What is asked of the classes of a written release; its models compare with the rows that take part."""
        models = self.models
        # A text file does not tell an empty text from a missing value of a table.
        missing = (*self.source.missing, *(("",) if written.kind == "csv" != self.source.kind else ()))
        sensitive = {name: comparable(one.column, one.column, missing) for name, one in models.columns.items()}
        reference = Table(self.rows, (), sensitive, self.entity(), weighted=self.source.home is not None)
        return Question(k, models.models, models.columns, reference, populations, missing)

    def entity(self) -> exp.Expr | None:
        """The entity of a row, where k counts entities."""
        entity = self.models.entity
        return None if entity is None else normalized(entity, self.source.missing)

    @abstractmethod
    def solve(
        self, engine: Engine, algorithm: AlgorithmConfig, request: Request, deadline: Deadline, progress: Progress
    ) -> Solution:
        """Searches; may be called again for another request. Never raises for want of a release or of time."""
