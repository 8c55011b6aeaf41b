"""Engines beside DuckDB: the rows stay there, and what leaves them are distinct combinations with their rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.model import Alone, Backend, Column, Source
from kanon_sql.source.values import bring_counted
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row, literal
from kanon_sql.sql.dialects.dialect import Dialect
from kanon_sql.sql.dialects.inline_table import Listing
from kanon_sql.sql.dialects.write import write
from kanon_sql.sql.template import state

_LOOKED_AT = 100_000


class Remote(Backend):
    """An engine that is asked in the portable core of SQL only (kanon_sql.sql.dialects.core)."""

    weighted = True
    statements = 0

    def __init__(self, *, show_values: bool) -> None:
        self.show_values = show_values

    def query(self, name: template.Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        return self.rows(self.written(template.fill(name, **holes), values))

    def written(self, tree: exp.Expr, values: Mapping[str, Any] | None = None) -> str:
        """The text of a statement, its parameters as literals."""
        for node in list(tree.find_all(exp.Parameter, exp.Placeholder)):
            node.replace(literal((values or {})[node.name]))
        return write(tree, self.dialect)

    def given(self, engine: Engine, rows: exp.Select, columns: Sequence[Column]) -> exp.Select:
        return bring_counted(engine, self, rows, columns, state("raw_frequency"))

    def counted(self, engine: Engine, source: Source, names: Sequence[str], table: str) -> Source:
        """A source of this engine as DuckDB has it: the combinations of some columns, each weighted by its rows."""
        read = [source.column(name) for name in dict.fromkeys(names)]
        relation = bring_counted(engine, self, source.relation, read, table)
        return replace(source, relation=relation, backend=DuckDB(engine), weighted=True)

    def alone(self, source: Source, rows: exp.Select, n: int, most: Mapping[Column, float]) -> list[Alone]:
        """The columns in which more than a share of the rows drawn at random hold a value of their own.

        A value that is alone in the table is alone in every share of it, so that few in the share are few in the table.
        """
        share = min(1.0, _LOOKED_AT / n)
        found = []
        for item, limit in most.items():
            for part in dict.fromkeys((share, min(1.0, 10 * share), 1.0)):
                drawn = exp.Literal.number(part if part < 1 else 1)
                names: dict[str, template.Fill] = {"source": source.relation, "share": drawn, "out_key": item.key}
                looked_at, alone = (int(value or 0) for value in self.query("engines/alone", names=names)[0])
                if alone <= limit * looked_at:
                    break
            else:
                found.append(Alone(item, alone, looked_at))
        return found

    def reads_itself(self, source: Source, dialect: Dialect) -> bool:
        return dialect is self.dialect and source.kind == "table"

    def bring(self, engine: Engine, statement: exp.Expr, columns: Sequence[tuple[str, str]], table: str) -> exp.Select:
        self.copy_to(engine, self.written(statement), columns, table)
        return exp.select("*").from_(exp.Table(this=template.quoted(table)))

    def listed(self, listing: Listing) -> exp.CTE:
        return listing.named(self.dialect, self.load(state(listing.name), listing))

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
    def copy_to(self, engine: Engine, sql: str, columns: Sequence[tuple[str, str]], table: str) -> None:
        """Makes the temporary table of DuckDB of a statement's result; `columns` are its (names, types) in order."""

    def keep(self, statement: exp.Expr, name: str, secrets: Mapping[str, str] | None = None) -> exp.Table:
        if not secrets:
            return self.make(statement, name)
        # What makes a table takes no parameters everywhere, and logs have those of statements that take them. Rows that
        # are loaded stand in no statement, and in no log of them.
        columns = tuple((one, "VARCHAR") for one in secrets)
        bound = self.load(f"bound_of_{name}", Listing(name, name, columns, (tuple(secrets.values()),)))
        made = statement.copy()
        for node in list(made.find_all(exp.Parameter)):
            node.replace(exp.select(template.column(node.name)).from_(bound.copy()).subquery())
        kept = self.make(made, name)
        self.forget(bound)
        return kept

    @abstractmethod
    def make(self, statement: exp.Expr, name: str) -> exp.Table:
        """Makes a table of a statement's result, for this run only; what statements call it."""

    @abstractmethod
    def load(self, name: str, listing: Listing) -> exp.Table:
        """Loads a table of values under a name, for this run only; what statements call it."""
