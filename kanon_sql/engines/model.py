"""What an engine beside DuckDB is to the rest of the program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import EngineError
from kanon_sql.source.model import Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row, literal
from kanon_sql.sql.dialects.dialect import Dialect
from kanon_sql.sql.dialects.inline_table import Listing
from kanon_sql.sql.dialects.write import write


class Warehouse(ABC):
    """An engine that holds the rows. It is asked in the portable core of SQL only (kanon_sql.sql.dialects.core).

    What leaves it are counts: distinct combinations of values with their rows. `statements` counts what it was asked,
    `folders` of this machine hold what DuckDB reads of it.
    """

    name: str
    dialect: Dialect
    folders: tuple[Path, ...] = ()

    def __init__(self, *, show_values: bool) -> None:
        self.show_values = show_values
        self.statements = 0

    def query(
        self,
        name: template.Statement,
        *,
        names: Mapping[str, template.Fill] | None = None,
        lists: Mapping[str, Sequence[template.Item]] | None = None,
        values: Mapping[str, Any] | None = None,
    ) -> list[Row]:
        """Runs a query file of few rows with its holes and parameters filled. Raises EngineError."""
        return self.rows(self.written(template.fill(name, names, lists), values))

    def written(self, tree: exp.Expr, values: Mapping[str, Any] | None = None) -> str:
        """The text of a statement, its parameters as literals."""
        for node in list(tree.find_all(exp.Parameter, exp.Placeholder)):
            node.replace(literal((values or {})[node.name]))
        return write(tree, self.dialect)

    @abstractmethod
    def open_source(self, loaded: LoadedConfig) -> Source:
        """The source of a configuration. Raises ConfigurationError or EngineError."""

    @abstractmethod
    def rows(self, sql: str) -> list[Row]:
        """Runs a statement of few rows."""

    @abstractmethod
    def fingerprint(self, sql: str, *, missing: str | None) -> Row:
        """(rows that a statement gives, the sum of a hash of each), equal for the same rows in whatever order.

        A NULL is its own value, or the text `missing` where what was written has only that.
        """

    @abstractmethod
    def bring(self, engine: Engine, sql: str, columns: Sequence[tuple[str, str]], table: str) -> None:
        """Makes the temporary table of DuckDB of a statement's result; `columns` are its (names, types) in order."""

    @abstractmethod
    def keep(self, sql: str, name: str) -> exp.Table:
        """Keeps a statement's result in the engine, for this run only; what statements call it."""

    def fetched(self, sql: str, columns: Sequence[tuple[str, str]]) -> exp.Select:
        """SELECT in DuckDB of a statement's result, for targets that the engine does not write itself."""
        raise EngineError(f"{self.name} writes its targets itself")

    @abstractmethod
    def load(self, name: str, listing: Listing) -> exp.Table:
        """Loads a table of values under a name, for this run only; what statements call it."""

    def listed(self, listing: Listing) -> exp.CTE:
        """A table of values, loaded, as statements name it."""
        return listing.named(self.dialect, self.load(template.state(listing.name), listing))

    def close(self) -> None:  # noqa: B027 - a session that was handed in stays open
        """Ends the session."""
