"""A schema of PostgreSQL with all its tables: what this role may do with them, and their rows, copied to DuckDB.

The rows are copied within the run's transaction, so that all tables are of one moment.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from kanon_sql.engines.postgres.engine import Postgres
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.source.duckdb import attach
from kanon_sql.source.model import Source
from kanon_sql.source.tables import SourceTables
from kanon_sql.sql.connection import EngineOptions, open_engine
from kanon_sql.sql.template import quoted
from kanon_sql.targets.database_copy import table_of

_CATALOG = "kanon_sql_fetched"
_VIEWS = ("v", "m")


@dataclass(frozen=True)
class SchemaTable:
    """A table or view of a schema; `kind` as in pg_class. `readable` says that this role sees all its rows."""

    number: int
    name: str
    kind: str
    readable: bool
    owned: bool

    @property
    def is_view(self) -> bool:
        """Whether it is a view, which is not released."""
        return self.kind in _VIEWS


def is_schema(postgres: Postgres, name: str, place: str) -> bool:
    """Whether the database has a schema of that name, whoever may look into it."""
    return bool(postgres.catalogue("rights/schema", place, schema=name))


def list_schemas(postgres: Postgres, place: str) -> list[str]:
    """The schemas that this role may look into, without those of the server itself, which hold a table."""
    return [str(row[0]) for row in postgres.catalogue("schema/schemas", place)]


class PostgresSchema:
    """A schema of the connection's database. Raises ConfigurationError for one that this role cannot look into."""

    def __init__(self, postgres: Postgres, name: str, place: str) -> None:
        self.postgres, self.name, self.place = postgres, name, place
        rights = postgres.catalogue("rights/schema", place, schema=name)
        self.exists = bool(rights)
        self.may_create = any(makes_tables for _, _, makes_tables in rights)
        if not all(looks_into for _, looks_into, _ in rights):
            raise ConfigurationError(
                f"{place}: this role may not look into schema {name!r}; expected GRANT USAGE ON SCHEMA to it"
            )

    def tables(self) -> list[SchemaTable]:
        """The tables and views of the schema by their names."""
        return [SchemaTable(*row) for row in self.postgres.catalogue("schema/tables", self.place, schema=self.name)]

    def table(self, name: str) -> exp.Table:
        """A table as statements name it."""
        return exp.Table(this=quoted(name), db=quoted(self.name))

    def types(self, table: SchemaTable) -> tuple[dict[str, str], set[str]]:
        """The types of a table's columns, as PostgreSQL writes them; the columns whose types tell values: ENUMs,
        domains, and arrays of them.
        """
        types = self.postgres.catalogue("schema/types", self.place, table=table.number)
        return {name: kind for name, kind, _ in types}, {name for name, _, lists_values in types if lists_values}

    def unowned(self, tables: Sequence[SchemaTable]) -> list[str]:
        """What is wrong with replacing tables: only their owner can."""
        return [
            f"{self.place}: table {table.name!r} is not owned by this role, which cannot replace it; expected its owner"
            for table in tables
            if not table.owned
        ]

    def lock(self) -> None:
        """Keeps others from changing the tables until the end of the run, and sees these as they are from here on."""
        tables = [table for table in self.tables() if not table.is_view]
        problems = self.unowned(tables)
        if problems:
            raise ConfigurationError(problems)
        names = [self.table(table.name).sql("postgres") for table in tables]
        with self.postgres.speaking(self.place):
            # A transaction sees what was there at its first query: what others change until the lock must come before.
            self.postgres.connection.commit()
        if names:
            self.postgres.execute(f"LOCK TABLE {', '.join(names)} IN SHARE ROW EXCLUSIVE MODE", self.place)

    def opened(self, table: SchemaTable) -> Source:
        """A table as a source where it is."""
        source = self.postgres.opened(
            self.table(table.name), "table", table.name, (), f"{self.place}: table {table.name!r}"
        )
        if table.kind == "r":
            # Rows of tables that inherit are those of these tables; those of partitions are the table's own.
            for named in source.relation.find_all(exp.Table):
                named.set("only", True)
        return source

    def listed(self, file: Path) -> SourceTables:
        """The tables of the schema, which `fetch` will copy into a database file."""
        if not self.exists:
            raise EngineError(f"{self.place}: there is no schema {self.name!r} in this database; correct its name")
        listed = self.tables()
        tables = [table.name for table in listed if not table.is_view]
        if not tables:
            raise EngineError(f"{self.place}: schema {self.name!r} holds no table")
        self._refuse_alike(tables)
        places = {name: {"database": str(file), "table": exp.Table(this=quoted(name)).sql("duckdb")} for name in tables}
        return SourceTables(places, views=tuple(table.name for table in listed if table.is_view), database=file)

    def fetch(self, options: EngineOptions, source_tables: SourceTables, names: Collection[str]) -> None:
        """Copies the tables of these names into the private database file that `source_tables` name.

        Raises ConfigurationError for tables that this role may not read whole, EngineError where copying fails.
        """
        tables = [table for table in self.tables() if table.name in names and not table.is_view]
        problems = [
            f"{self.place}: this role may not read all rows of table {table.name!r}; expected GRANT SELECT to it, and "
            "no row-level security"
            for table in tables
            if not table.readable
        ]
        if problems:
            raise ConfigurationError(problems)
        assert source_tables.database is not None
        with open_engine(options) as engine:
            attach(engine, source_tables.database, read_only=False, name=_CATALOG)
            for table in tables:
                source = self.opened(table)
                columns = [(col.name, col.type) for col in source.columns]
                kept = table_of(_CATALOG, ("main", table.name))
                self.postgres.copy_into(engine, source.relation.sql("postgres"), columns, kept, temporary=False)
            engine.run(f"DETACH {quoted(_CATALOG).sql('duckdb')}")

    def _refuse_alike(self, names: Sequence[str]) -> None:
        """Raises ConfigurationError for tables that only PostgreSQL tells apart."""
        seen: dict[str, str] = {}
        for name in names:
            other = seen.setdefault(name.casefold(), name)
            if other != name:
                raise ConfigurationError(
                    f"{self.place}: tables {other!r} and {name!r} differ in case only; rename one of them"
                )
