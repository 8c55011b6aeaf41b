"""PostgreSQL executes the job, in one transaction that sees the table as it was when it began.

Connections, their errors in words without values, and the copying of results to DuckDB.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import TargetConfig
from kanon_sql.engines.postgres.rights import Rights
from kanon_sql.engines.remote import Remote, looked_at_columns
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.algorithms import ENGINES
from kanon_sql.source.formats.csv_reading import read_csv
from kanon_sql.source.model import Column, CsvDialect, Kind, Source, refuse_repeated, select_keys
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, EngineOptions, Row
from kanon_sql.sql.dialects import find_dialect, own
from kanon_sql.sql.disk import spill_folder
from kanon_sql.sql.writing import Listing, cell_type, table_name

if TYPE_CHECKING:
    import psycopg

# The names, types, precisions and scales of the columns of a table.
_Columns = tuple[tuple[str, int, int | None, int | None], ...]
# How values are written when they are copied, whatever the role or the database has set; and a search may take long.
_OWN_SETTINGS = (
    "datestyle = ISO",
    "intervalstyle = postgres",
    "timezone = 'UTC'",
    "bytea_output = hex",
    "extra_float_digits = 1",
    "standard_conforming_strings = on",
    "idle_in_transaction_session_timeout = 0",
)
_NO_URL = (
    "engine.postgres: this is no connection URL; expected postgresql://user:password@host:port/database, with %40 for "
    "@, %2F for /, %3F for ?, %23 for # and %3A for : in a user or password"
)
# Classes of SQLSTATE: transactions, authorization, rollback, resources, state of objects, operators, system errors ...
_OF_SERVER = ("25", "28", "40", "53", "55", "57")
# ... and names and syntax.
_OF_NAMES = ("0A", "3D", "3F", "42")
# Files of PostgreSQL whose messages of rights and of what depends on what hold names alone; functions of users may
# raise errors of the same SQLSTATE, with values in their words.
_OF_RIGHTS = ("aclchk.c", "rls.c", "namespace.c", "dependency.c", "pg_shdepend.c")
# What lifts a limit that ended a statement.
_LIMITS = {
    "57014": "where a limit of the role or the database such as statement_timeout ended it, "
    "?options=-cstatement_timeout%3D0 in the URL lifts it for this run",
    "55P03": "another session holds a lock on the table: run again when it ended, or raise lock_timeout by "
    "?options=-clock_timeout%3D60000 in the URL",
    "25P04": "transaction_timeout ends transactions, and a run is one: ?options=-ctransaction_timeout%3D0 in the URL",
    "53400": "a limit such as temp_file_limit of the role or the database was reached; nothing was changed",
}
_TYPES = {  # of PostgreSQL, as DuckDB describes them
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
# Types that DuckDB casts the texts of COPY to.
_HELD = {*_TYPES.values(), "UUID", "TIME", "INTERVAL", "JSON", "JSONB"} - {"VARCHAR"}
# Types of which equal values are written alike and hash alike; not a numeric without scale, with 1.0 and 1.00.
_HASHED = {*_TYPES.values(), "UUID", "TIME"}
_STORED = {bool: "BOOLEAN", int: "BIGINT", str: "TEXT"}  # types of the cells of a listing
_NEEDS_TABLES = "for search_in: engine, for apply, and for treatments with a key, temporary tables are made"
_COPIED = CsvDialect(",", '"', '"', False, "utf-8")


def open_connection(url: str) -> psycopg.Connection[Any]:
    """A connection whose transaction sees one state of the database. Raises ConfigurationError or EngineError."""
    if _is_ambiguous(url):
        raise ConfigurationError(_NO_URL)
    try:
        import psycopg
    except ImportError:
        raise ConfigurationError("engine.postgres needs psycopg; install kanon-sql[postgres]") from None
    try:
        connection = psycopg.connect(url, application_name="kanon-sql", client_encoding="utf8")
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        for setting in _OWN_SETTINGS:
            connection.execute(encoded(f"SET {setting}"))
        connection.execute(_catalogue_statement("more_memory"))
    except psycopg.ProgrammingError:
        # What libpq says of a URL that it cannot read quotes it, perhaps the password.
        raise ConfigurationError(_NO_URL) from None
    except psycopg.Error as error:
        raise EngineError(f"engine.postgres: no connection: {_one_line(str(error))}") from None
    return connection


@contextmanager
def open_server(url: str, options: EngineOptions) -> Iterator[Postgres]:
    """A server with a private folder for what is copied, for the block; what was not committed is gone at its end.

    Raises ConfigurationError and EngineError where it cannot be reached.
    """
    with spill_folder(options.temp_directory) as folder, closing(open_connection(url)) as connection:
        yield Postgres(connection, folder, show_values=options.show_values)


def _is_ambiguous(url: str) -> bool:
    """Whether a password that is not encoded would be taken for a host or port, which messages name."""
    before, at, _ = url.partition("://")[2].rpartition("@")
    return bool(at) and any(mark in before for mark in "@/?#")


_TWICE = "23505"  # of an index, of that of names where two make a table at once


def describe(error: psycopg.Error, *, show_values: bool) -> str:
    """One line for an error of PostgreSQL: its own words only where they hold no values, unless `show_values`.

    They hold none where they point into a statement, which was then not executed, and where they are about the server.
    """
    state = error.sqlstate or ""
    if is_lost(error):
        return "the connection to PostgreSQL was lost; nothing was changed"
    if state == _TWICE and error.diag.schema_name == "pg_catalog":
        return "somebody else made a table of that name meanwhile; run again"
    if state.startswith(("22", "23", "P0")) and not show_values:
        return f"PostgreSQL refused a value (SQLSTATE {state}); --show-values shows which"
    speaks = (
        state.startswith(_OF_SERVER)
        or (state.startswith(_OF_NAMES) and error.diag.statement_position)
        or (state in ("42501", "2BP01") and error.diag.source_file in _OF_RIGHTS)
    )
    if not speaks and not show_values:
        return f"PostgreSQL failed (SQLSTATE {state}, {type(error).__name__}); --show-values shows its words"
    advice = f"; {_LIMITS[state]}" if state in _LIMITS else ""
    return f"PostgreSQL failed (SQLSTATE {state}): {_one_line(str(error))}{advice}"


def is_lost(error: psycopg.Error) -> bool:
    """Whether the connection ended, so that the fate of the last statement is unknown."""
    state = error.sqlstate or ""
    return not state or state.startswith(("57P", "08")) or state == "40003"


def _one_line(text: str) -> str:
    text = re.sub(r"(password\s*=\s*)('[^']*'|\S+)", r"\1***", text)
    return " ".join(re.sub(r"://([^:/@\s]+):[^@\s]+@", r"://\1@", text).split())[:500]


@cache
def _catalogue_statement(name: str) -> bytes:
    """A statement in the words of PostgreSQL, as the driver takes it: its parameters are $table in the file."""
    text = template.read(f"engines/postgres/{name}").replace("%", "%%")
    return re.sub(r"\$(\w+)", r"%(\1)s", text).encode()


def encoded(sql: str) -> bytes:
    """A statement as the driver takes one that is no literal of the program."""
    return sql.encode()


class Postgres(Remote):
    """A connection to PostgreSQL; results are copied to DuckDB through files in a private folder."""

    abilities = ENGINES["postgres"]
    dialect = find_dialect("postgres")

    def __init__(self, connection: psycopg.Connection[Any], folder: Path, *, show_values: bool) -> None:
        super().__init__(show_values=show_values)
        self.connection = connection
        self.folders = (folder,)
        self.mark = f"kanon_sql_{secrets.token_hex(4)}"
        self.rights = Rights(self)
        self._own_types: dict[str, bool] = {}  # types of users by their names, and whether they are ENUMs
        self._settled: dict[str, _Columns] = {}  # the columns of tables of rounds, by their names
        self._emptied: dict[_Columns, list[exp.Table]] = {}  # those of them that are used again, by their columns

    @property
    def takes_tables(self) -> bool:
        return self.rights.without_tables() is None

    def open_source(self, loaded: LoadedConfig) -> Source:
        config, place = loaded.config.source, loaded.place("source")
        missing = tuple(config.missing or ())
        if config.table is not None:
            table = table_name(config.table, self.dialect, place)
            self.rights.refuse_unreadable(table, place)
            source = self.opened(table, "table", config.table, missing, place)
            return replace(self._with_texts(source, loaded), warnings=self.rights.hiding(table, place))
        self._refuse_temporary(place, "for a query a temporary view is made (a table or view that is there needs none)")
        view = exp.Table(this=template.quoted(f"{self.mark}_source"))
        text = (config.query or "").strip().rstrip(";")
        # The text is the user's own statement, run as the user; the line break ends a comment at its end.
        # A prepared statement is one statement: what follows a semicolon in the text is refused.
        self.execute(f"CREATE TEMP VIEW {view.sql('postgres')} AS\n{text}\n", place, prepare=True)
        source = self.opened(view, "query", "the query", missing, place)
        return replace(self._with_texts(source, loaded), warnings=self.rights.hiding(view, place))

    def _with_texts(self, source: Source, loaded: LoadedConfig) -> Source:
        """The source with columns of ENUM types and UUIDs as texts, where more is done with them than passed on."""
        looked_at = looked_at_columns(loaded)
        texts = {
            col.key
            for col in source.columns
            if col.name in looked_at and (col.type == "UUID" or self._own_types.get(col.type, False))
        }
        if not texts:
            return source
        relation = source.relation.copy()
        for entry in relation.expressions:
            if entry.alias_or_name in texts:
                text = exp.cast(entry.unalias().copy(), "VARCHAR")
                entry.replace(exp.alias_(text, entry.alias_or_name, quoted=True))
        columns = tuple(
            replace(col, type="VARCHAR", as_text=True) if col.key in texts else col for col in source.columns
        )
        return replace(source, relation=relation, columns=columns)

    def opened(self, table: exp.Table, kind: Kind, label: str, missing: tuple[str, ...], place: str) -> Source:
        """A table or view as a source of this engine."""
        with self.speaking(place):
            nothing = exp.select("*").from_(table.copy()).limit(0)
            cursor = self.connection.execute(encoded(nothing.sql("postgres")))
            described = cursor.description or []
            names = [col.name for col in described]
            kinds = [self._type(col.type_code, col.precision, col.scale) for col in described]
        refuse_repeated(names, place)
        folding = self._folding(table)
        columns = tuple(
            Column(name, f"c{i}", f"{kind} COLLATE" if name in folding else kind)
            for i, (name, kind) in enumerate(zip(names, kinds, strict=True))
        )
        return Source(kind, select_keys(table, names), columns, missing, True, label, self)

    def tables_read(self, source: Source) -> list[tuple[str, str]]:
        read = source.relation.find(exp.Table)
        return [] if read is None else self.rights.read_with(read)

    def holds(self, target: TargetConfig) -> bool:
        return target.table is not None

    def open_release(self, engine: Engine, loaded: LoadedConfig, missing: tuple[str, ...]) -> Source | None:
        target, place = loaded.config.target, loaded.place("target")
        assert target is not None
        table = table_name(str(target.table), self.dialect, place)
        self.rights.refuse_unreadable(table, place)
        if self.find(table) is None:
            return None
        return self.opened(table, "table", f"{target.table} in PostgreSQL", missing, place)

    def unified(self, value: exp.Expr, kind: str) -> exp.Expr:
        return own("trim_scale", value) if kind == "NUMERIC" else value  # 1.0 and 1.00

    def _folding(self, table: exp.Table) -> set[str]:
        """The columns whose collation takes different texts for equal."""
        return {row[0] for row in self.catalogue("folding_columns", name=table.sql("postgres"))}

    def find(self, table: exp.Table) -> tuple[str, str, int] | None:
        """(schema, kind, object number) of the table or view of a name, as in pg_class; None where there is none."""
        for schema, kind, number in self.catalogue("relation", name=table.sql("postgres")):
            return schema, kind, number
        return None

    def catalogue(self, name: str, place: str | None = None, /, **values: object) -> list[Row]:
        """The rows of `queries/engines/postgres/{name}.sql`: what the server says of tables, roles and itself."""
        with self.speaking(place):
            return list(self.connection.execute(_catalogue_statement(name), values).fetchall())

    def rows(self, sql: str) -> list[Row]:
        self.statements += 1
        with self.speaking():
            return list(self.connection.execute(encoded(sql)).fetchall())

    def fingerprint(self, sql: str, *, missing: str | None) -> Row:
        with self.speaking():
            nothing = exp.select("*").from_(exp.Table(this=template.quoted("given_rows"))).limit(0)
            cursor = self.connection.execute(encoded(f"WITH given_rows AS (\n{sql}\n)\n{nothing.sql('postgres')}"))
            kinds = {self._type(col.type_code, col.precision, col.scale) for col in cursor.description or []}
        # A hash of the values is cheaper than one of the row as text, which every type has. Either tells NULL from an
        # empty text, and a value in one column from the same in the next.
        hashed = all(kind in _HASHED or kind.startswith("DECIMAL(") for kind in kinds)
        row = "given_rows" if hashed else "CAST(given_rows AS TEXT)"
        digest = f"{'hash_record_extended' if hashed else 'hashtextextended'}({row}, 0)"
        return self.rows(f"SELECT count(*), CAST(sum({digest}) AS TEXT) FROM (\n{sql}\n) AS given_rows")[0]  # noqa: S608

    def execute(self, sql: str, place: str | None = None, *, prepare: bool | None = None) -> None:
        """Runs a statement without rows."""
        self.statements += 1
        with self.speaking(place):
            self.connection.execute(encoded(sql), prepare=prepare)

    def copy_to(self, engine: Engine, sql: str, columns: Sequence[tuple[str, str]], table: str) -> None:
        self.copy_into(engine, sql, columns, exp.Table(this=template.quoted(table)), temporary=True)

    def copy_into(
        self, engine: Engine, sql: str, columns: Sequence[tuple[str, str]], table: exp.Table, *, temporary: bool
    ) -> None:
        """Copies a statement's result into a table of DuckDB, a temporary one or one of a database file."""
        file = self.folders[0] / f"{self.mark}.csv"
        self.copy_out(sql, file)
        try:
            target = f"{'TEMP ' if temporary else ''}TABLE {table.sql('duckdb')}"
            engine.run(f"CREATE OR REPLACE {target} AS {template.text(copied(file, columns))}")
        except EngineError as error:
            raise EngineError(
                "values were copied from PostgreSQL that DuckDB cannot hold, as NaN in a numeric; cast or leave them "
                "out in source.query"
            ) from error
        finally:
            file.unlink(missing_ok=True)

    def listed(self, listing: Listing) -> exp.CTE:
        # Where no table can be made the values stand in the statement, as in a compiled one.
        return super().listed(listing) if self.takes_tables else listing.inline(self.dialect)

    def _refuse_temporary(self, place: str, what: str) -> None:
        reason = self.rights.without_tables()
        if reason is not None:
            raise ConfigurationError(f"{place}: {what}: {reason}")

    def load(self, name: str, listing: Listing) -> exp.Table:
        self._refuse_temporary("engine.postgres", _NEEDS_TABLES)
        # A temporary table hides others of its name, also the source: this name is of this run alone.
        name = f"{self.mark}_{name}"
        table = exp.Table(this=template.quoted(name), db=template.quoted("pg_temp"))
        columns, rows = listing.stored()
        values = list(rows)
        definitions = []
        for column, described in columns:
            definitions.append(f"{template.quoted(column).sql('postgres')} {_STORED[cell_type(described)]}")
        self.execute(f"DROP TABLE IF EXISTS {table.sql('postgres')}")
        self.execute(
            f"CREATE TEMP TABLE {exp.to_identifier(name, quoted=True).sql('postgres')} ({', '.join(definitions)})"
        )
        copying = encoded(f"COPY {table.sql('postgres')} FROM STDIN")
        with self.speaking(), self.connection.cursor() as cursor, cursor.copy(copying) as copy:
            for row in values:
                copy.write_row(row)
        # Without counts of its rows the planner takes the table for a large one.
        self.execute(f"ANALYZE {table.sql('postgres')}")
        return table

    def make(self, statement: exp.Expr, name: str) -> exp.Table:
        self._refuse_temporary("engine.postgres", _NEEDS_TABLES)
        table = exp.Table(this=template.quoted(f"{self.mark}_{name}"), db=template.quoted("pg_temp"))
        self.execute(f"CREATE TEMP TABLE {table.this.sql('postgres')} AS\n{self.written(statement)}")
        self.execute(f"ANALYZE {table.sql('postgres')}")
        return table

    def keep_settled(self, statement: exp.Expr, name: str) -> exp.Table:
        # Whatever is dropped keeps its locks, of which the server has some thousand for all, and its place on disk
        # until the run's transaction ends: rounds take the tables of those before, emptied.
        sql = self.written(statement)
        with self.speaking():
            nothing = exp.select("*").from_(exp.Table(this=template.quoted("settled_rows"))).limit(0)
            cursor = self.connection.execute(encoded(f"WITH settled_rows AS (\n{sql}\n)\n{nothing.sql('postgres')}"))
            described = cursor.description or []
        columns: _Columns = tuple((col.name, col.type_code, col.precision, col.scale) for col in described)
        if emptied := self._emptied.get(columns):
            table = emptied.pop()
            self.execute(f"INSERT INTO {table.sql('postgres')}\n{sql}")
            self.execute(f"ANALYZE {table.sql('postgres')}")
        else:
            table = self.make(statement, name)
        self._settled[table.name] = columns
        return table.copy()

    def forget(self, kept: exp.Table) -> None:
        columns = self._settled.pop(kept.name, None)
        if columns is None:
            self.execute(f"DROP TABLE {kept.sql('postgres')}")
        else:
            self.execute(f"TRUNCATE {kept.sql('postgres')}")
            self._emptied.setdefault(columns, []).append(kept)

    @contextmanager
    def speaking(self, place: str | None = None) -> Iterator[None]:
        """Turns an error of the driver into an EngineError of one line without values of the data."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            message = describe(error, show_values=self.show_values)
            raise EngineError(f"{place}: {message}" if place else message) from (error if self.show_values else None)

    def copy_out(self, sql: str, file: Path) -> None:
        self.statements += 1
        statement = f"COPY (\n{sql}\n) TO STDOUT (FORMAT csv, FORCE_QUOTE *)"
        try:
            with (
                self.speaking(),
                self.connection.cursor() as cursor,
                file.open("wb") as out,
                cursor.copy(encoded(statement)) as copy,
            ):
                for data in copy:
                    out.write(data)
        except OSError as error:
            raise EngineError(f"{file.parent}: values cannot be copied there ({error.strerror})") from error

    def _type(self, code: int, precision: int | None, scale: int | None) -> str:
        info = self.connection.adapters.types.get(code)
        if info is None:
            return self._own_type(code)
        name = str(info.name)
        if code != info.oid:  # an array is known by the type of its items
            return f"{name.upper()}[]"
        if name == "numeric":
            if precision is None or precision > 38 or scale is None or not 0 <= scale <= precision:
                return "NUMERIC"
            return f"DECIMAL({precision},{scale})"
        return _TYPES.get(name, name.upper())

    def _own_type(self, code: int) -> str:
        """A type that the driver does not know, as that of a user, as PostgreSQL writes it: in lower case or quotes."""
        name, is_enum = next(iter(self.catalogue("own_type", code=code)), (f"type {code}", False))
        self._own_types[name] = is_enum
        return str(name)


def copied(file: Path, columns: Sequence[tuple[str, str]]) -> exp.Select:
    """SELECT in DuckDB of a file that COPY wrote: NULL is empty, an empty text is in quotes."""
    keys = [f"v{position}" for position in range(len(columns))]
    reader = read_csv((file,), _COPIED, keys, ("",), allow_quoted_nulls=False)
    values = [
        exp.alias_(_held(template.column(key), kind), name, quoted=True)
        for key, (name, kind) in zip(keys, columns, strict=True)
    ]
    return exp.select(*values).from_(reader)


def _held(value: exp.Expr, kind: str) -> exp.Expr:
    """A value that COPY wrote, as DuckDB holds it: text where DuckDB does not have the type."""
    if kind == "BYTEA":
        return exp.Unhex(this=exp.Substring(this=value, start=exp.Literal.number(3)))  # after \x
    if kind.startswith(("DATE", "TIMESTAMP")):
        # DuckDB does not see the BC that PostgreSQL puts at the end: it has (BC) after the date.
        before_christ = exp.Literal.string(r"^(\S+)(.*) BC$")
        value = exp.RegexpReplace(this=value, expression=before_christ, replacement=exp.Literal.string(r"\1 (BC)\2"))
    if kind.startswith("DECIMAL(") or kind in _HELD:
        return exp.cast(value, "JSON" if kind == "JSONB" else kind)
    return value
