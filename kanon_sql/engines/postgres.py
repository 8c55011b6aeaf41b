"""PostgreSQL executes the job, in one transaction that sees the table as it was when it began."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import TargetConfig
from kanon_sql.dialects.listing import Listing
from kanon_sql.dialects.model import find_dialect
from kanon_sql.dialects.write import table_name
from kanon_sql.engine import template
from kanon_sql.engine.connection import Engine, Row
from kanon_sql.engines.model import Warehouse
from kanon_sql.engines.sink import Release, WarehouseSink, there_already
from kanon_sql.errors import ConfigurationError, EngineError, InterruptedRunError
from kanon_sql.source.csv import read_csv
from kanon_sql.source.model import Column, CsvDialect, Kind, Source, select_keys

if TYPE_CHECKING:
    import psycopg

_TYPES = {
    "text": "VARCHAR",
    "varchar": "VARCHAR",
    "bpchar": "VARCHAR",
    "name": "VARCHAR",
    "bool": "BOOLEAN",
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
}
_COPIED = CsvDialect(",", '"', '"', False, "utf-8")


class Postgres(Warehouse):
    """A connection; what it copies to this machine goes through files in a private folder."""

    name = "postgres"
    dialect = find_dialect("postgres")

    def __init__(self, connection: psycopg.Connection[Any], folder: Path, *, show_values: bool) -> None:
        super().__init__(show_values=show_values)
        self.connection = connection
        self.folders = (folder,)
        self._mark = f"kanon_sql_{secrets.token_hex(4)}"

    def open_source(self, loaded: LoadedConfig) -> Source:
        config, place = loaded.config.source, loaded.place("source")
        missing = tuple(config.missing or ())
        if config.table is not None:
            table = table_name(config.table, self.dialect, place)
            return self.opened(table, "table", config.table, missing, place)
        view = exp.Table(this=template.quoted(f"{self._mark}_source"))
        text = (config.query or "").strip().rstrip(";")
        # The text is the user's own statement, run as the user; the line break ends a comment at its end.
        self.execute(f"CREATE TEMP VIEW {view.sql('postgres')} AS\n{text}\n", place)
        return self.opened(view, "query", "the query", missing, place)

    def opened(self, table: exp.Table, kind: Kind, label: str, missing: tuple[str, ...], place: str) -> Source:
        """A table or view as a source of this engine."""
        with self.speaking(place):
            nothing = exp.select("*").from_(table.copy()).limit(0)
            cursor = self.connection.execute(_bytes(nothing.sql("postgres")))
            described = cursor.description or []
            names = [one.name for one in described]
            kinds = [self._type(one.type_code, one.precision, one.scale) for one in described]
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise ConfigurationError(f"{place}: column {', '.join(map(repr, repeated))} is there twice; name it apart")
        folding = self._folding(table)
        columns = tuple(
            Column(name, f"c{i}", f"{kind} COLLATE" if name in folding else kind)
            for i, (name, kind) in enumerate(zip(names, kinds, strict=True))
        )
        return Source(kind, select_keys(table, names), columns, missing, True, label, home=self)

    def _folding(self, table: exp.Table) -> set[str]:
        """The columns of a collation that takes different texts for the same."""
        statement = """
            SELECT attribute.attname
            FROM pg_attribute AS attribute
            JOIN pg_collation AS compared ON compared.oid = attribute.attcollation
            WHERE attribute.attrelid = to_regclass(%s) AND NOT compared.collisdeterministic
        """
        with self.speaking():
            return {row[0] for row in self.connection.execute(statement, [table.sql("postgres")]).fetchall()}

    def rows(self, sql: str) -> list[Row]:
        self.statements += 1
        with self.speaking():
            return list(self.connection.execute(_bytes(sql)).fetchall())

    def execute(self, sql: str, place: str | None = None) -> None:
        """Runs a statement without rows."""
        self.statements += 1
        with self.speaking(place):
            self.connection.execute(_bytes(sql))

    def bring(self, engine: Engine, sql: str, columns: Sequence[tuple[str, str]], table: str) -> None:
        file = self.folders[0] / f"{table}.csv"
        self._copy_out(sql, file)
        try:
            made = exp.Table(this=template.quoted(table)).sql("duckdb")
            engine.run(f"CREATE OR REPLACE TEMP TABLE {made} AS {template.text(_copied(file, columns))}")
        finally:
            file.unlink(missing_ok=True)

    def fetched(self, sql: str, columns: Sequence[tuple[str, str]]) -> exp.Select:
        """SELECT in DuckDB of what a statement gives, from a private file of this machine."""
        file = self.folders[0] / "release.csv"
        self._copy_out(sql, file)
        return _copied(file, columns)

    def load(self, name: str, listing: Listing) -> exp.Table:
        table = exp.Table(this=template.quoted(name), db=template.quoted("pg_temp"))
        columns, rows = listing.stored()
        values = list(rows)
        made = []
        for position, (column, _) in enumerate(columns):
            kinds = {type(row[position]) for row in values}
            kind = "BOOLEAN" if kinds == {bool} else "BIGINT" if kinds == {int} else "TEXT"
            made.append(f"{template.quoted(column).sql('postgres')} {kind}")
        self.execute(f"DROP TABLE IF EXISTS {table.sql('postgres')}")
        self.execute(f"CREATE TEMP TABLE {exp.to_identifier(name, quoted=True).sql('postgres')} ({', '.join(made)})")
        copying = _bytes(f"COPY {table.sql('postgres')} FROM STDIN")
        with self.speaking(), self.connection.cursor() as cursor, cursor.copy(copying) as copy:
            for row in values:
                copy.write_row(row)
        # Without counts of its rows the planner takes the table for a large one.
        self.execute(f"ANALYZE {table.sql('postgres')}")
        return table

    def close(self) -> None:
        self.connection.close()

    @contextmanager
    def speaking(self, place: str | None = None) -> Iterator[None]:
        """Turns what the driver raises into errors of ours, one line without values of the data."""
        import psycopg

        try:
            yield
        except psycopg.errors.QueryCanceled as error:
            raise InterruptedRunError("interrupted: nothing was changed") from error
        except psycopg.Error as error:
            said = describe(error, show_values=self.show_values)
            raise EngineError(f"{place}: {said}" if place else said) from error

    def _copy_out(self, sql: str, file: Path) -> None:
        self.statements += 1
        statement = f"COPY (\n{sql}\n) TO STDOUT (FORMAT csv, FORCE_QUOTE *)"
        with (
            self.speaking(),
            self.connection.cursor() as cursor,
            file.open("wb") as out,
            cursor.copy(_bytes(statement)) as copy,
        ):
            for data in copy:
                out.write(data)

    def _type(self, code: int, precision: int | None, scale: int | None) -> str:
        known = self.connection.adapters.types.get(code)
        name = known.name if known is not None else ""
        if name == "numeric":
            if precision is None or precision > 38 or scale is None or not 0 <= scale <= precision:
                return "NUMERIC"
            return f"DECIMAL({precision},{scale})"
        return _TYPES.get(name, name.upper() or f"TYPE {code}")


class PostgresTable(WarehouseSink):
    """A table made in the run's transaction: nobody sees it before it is verified and committed."""

    def __init__(self, home: Postgres, target: TargetConfig, place: str) -> None:
        super().__init__(home)
        self.postgres = home
        self.target = target
        self.place = place
        self.table = table_name(str(target.table), home.dialect, place)
        there = home.rows(f"SELECT to_regclass({_text(self.table.sql('postgres'))}) IS NOT NULL")[0][0]
        if there and not target.overwrite:
            raise ConfigurationError(there_already(f"{place}: table {target.table}"))
        self._replaced = bool(there)

    def describe(self) -> str:
        return f"{self.target.table} in PostgreSQL"

    def _create(self, release: Release) -> None:
        name = self.table.sql("postgres")
        if self._replaced:
            # What others read goes on being the old table until the commit.
            self.postgres.execute(f"DROP TABLE {name}", self.place)
        self.postgres.execute(f"CREATE TABLE {name} AS\n{release.sql}", self.place)
        # Without statistics the count that verifies it is planned as a sort of all rows.
        self.postgres.execute(f"ANALYZE {name}", self.place)

    def _opened(self) -> Source:
        return self.postgres.opened(self.table, "table", str(self.target.table), (), self.place)

    def commit(self, engine: Engine) -> None:
        with self.postgres.speaking(self.place):
            self.postgres.connection.commit()


def open_connection(url: str) -> psycopg.Connection[Any]:
    """A connection in a transaction that sees one state of the database. Raises ConfigurationError or EngineError."""
    try:
        import psycopg
    except ImportError:
        raise ConfigurationError("engine.postgres needs psycopg; install kanon-sql[postgres]") from None
    try:
        connection = psycopg.connect(url, application_name="kanon-sql")
    except psycopg.Error as error:
        raise EngineError(f"engine.postgres: no connection: {_one_line(str(error))}") from error
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    return connection


def describe(error: psycopg.Error, *, show_values: bool) -> str:
    """One line for an error of PostgreSQL; classes 22 and 23 (data, constraints) quote values."""
    state = error.sqlstate or ""
    if not state or state.startswith(("57P", "08")):
        return "the connection to PostgreSQL was lost; nothing was changed"
    if state.startswith(("22", "23")) and not show_values:
        return f"PostgreSQL refused a value (SQLSTATE {state}); --show-values shows which"
    return f"PostgreSQL failed (SQLSTATE {state}): {_one_line(str(error))}"


def _one_line(text: str) -> str:
    return " ".join(re.sub(r"password=\S+|://([^:/@\s]+):[^@\s]+@", r"://\1@", text).split())[:500]


def _copied(file: Path, columns: Sequence[tuple[str, str]]) -> exp.Select:
    """SELECT of a file that COPY wrote: NULL is empty, an empty text is in quotes."""
    keys = [f"v{position}" for position in range(len(columns))]
    reader = read_csv((file,), _COPIED, keys, ("",), allow_quoted_nulls=False)
    values = [
        exp.alias_(exp.cast(template.column(key), kind), name, quoted=True)
        for key, (name, kind) in zip(keys, columns, strict=True)
    ]
    return exp.select(*values).from_(reader)


def _text(value: str) -> str:
    return exp.Literal.string(value).sql("postgres")


def _bytes(sql: str) -> bytes:
    return sql.encode()
