"""A source that was read: the tables that a search works on are in the engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.deadline import Deadline
from kanon_sql.engine.connection import Engine
from kanon_sql.progress import Progress
from kanon_sql.solution import Request, Solution
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles


@dataclass(frozen=True)
class Prepared(ABC):
    """An opened source: `rows` selects the `n` rows that take part of its `source_rows`."""

    source: Source
    roles: Roles
    rows: exp.Select
    n: int
    source_rows: int
    warnings: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the configuration's order."""
        return tuple(item.name for item in self.roles.quasi_identifiers)

    @abstractmethod
    def solve(
        self, engine: Engine, algorithm: AlgorithmConfig, request: Request, deadline: Deadline, progress: Progress
    ) -> Solution:
        """Searches; may be called again for another request. Never raises for want of a release or of time."""
