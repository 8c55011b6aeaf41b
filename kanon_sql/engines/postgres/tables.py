"""All tables of a whole database in a schema of PostgreSQL: made in one transaction, read again, committed at once.

The tables are made beside those that they replace, which go when all are there; until the commit nobody sees either.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlglot import exp

from kanon_sql.config.database import LoadedDatabase
from kanon_sql.engines.postgres.carrying import Carried, carry_over, read_carried, refuse_dependent
from kanon_sql.engines.postgres.engine import Postgres, encoded
from kanon_sql.engines.postgres.schema import PostgresSchema, SchemaTable
from kanon_sql.engines.postgres.target import commit_run
from kanon_sql.errors import ConfigurationError
from kanon_sql.source.duckdb import opened
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects import refuse_column_names
from kanon_sql.sql.template import column, quoted, state
from kanon_sql.targets.tables import TablesTarget
from kanon_sql.targets.target import LocalSink

_TYPES = {  # of DuckDB, as PostgreSQL has them; others are written as texts
    "BOOLEAN": "BOOLEAN",
    "TINYINT": "SMALLINT",
    "UTINYINT": "SMALLINT",
    "SMALLINT": "SMALLINT",
    "USMALLINT": "INTEGER",
    "INTEGER": "INTEGER",
    "UINTEGER": "BIGINT",
    "BIGINT": "BIGINT",
    "UBIGINT": "NUMERIC(20, 0)",
    "HUGEINT": "NUMERIC(39, 0)",
    "FLOAT": "REAL",
    "DOUBLE": "DOUBLE PRECISION",
    "DATE": "DATE",
    "TIME": "TIME",
    "TIMESTAMP": "TIMESTAMP",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP WITH TIME ZONE",
    "UUID": "UUID",
    "BLOB": "BYTEA",
    "INTERVAL": "INTERVAL",
    "JSON": "JSON",
}


class PostgresTableOf(LocalSink):
    """One of the tables, made under a name of the run's own; columns that are released as they are keep their types."""

    plain_text = True

    def __init__(self, schema: PostgresSchema, name: str, temporary: str, types: dict[str, str]) -> None:
        self.schema, self.name, self.temporary, self.types = schema, name, temporary, types

    def describe(self) -> str:
        return f"{self.name} in schema {self.schema.name} of PostgreSQL"

    def paths(self) -> tuple[list[Path], list[Path]]:
        return [], list(self.schema.postgres.folders)

    def write(self, engine: Engine, release: exp.Expr, source: Source, columns: list[str]) -> None:
        assert isinstance(release, exp.Select)
        described = [(str(row[0]), str(row[1])) for row in engine.run(exp.Describe(this=release.copy()))]
        postgres = self.schema.postgres
        place = f"{self.schema.place}: table {self.name!r}"
        refuse_column_names(postgres.dialect, columns, place)
        file = postgres.folders[0] / "release.csv"
        try:
            self._to_file(engine, release, described, file)
            definitions = [
                f"{quoted(name).sql('postgres')} {self.types.get(name) or _type_of(kind)}" for name, kind in described
            ]
            table = self.schema.table(self.temporary).sql("postgres")
            postgres.execute(f"CREATE TABLE {table} ({', '.join(definitions)})", place)
            self._copy_in(file, table, place)
        finally:
            file.unlink(missing_ok=True)

    def _to_file(self, engine: Engine, release: exp.Select, described: Sequence[tuple[str, str]], file: Path) -> None:
        """Writes the rows as COPY reads them: NULL is empty, every text is in quotes."""
        written = release.copy()
        for output, (_, kind) in zip(written.expressions, described, strict=True):
            output.set("this", _as_text(output.this, kind))
        options = "FORMAT csv, HEADER false, FORCE_QUOTE *, NULL ''"
        engine.run(f"COPY (\n{written.sql('duckdb')}\n) TO {exp.Literal.string(str(file)).sql('duckdb')} ({options})")

    def _copy_in(self, file: Path, table: str, place: str) -> None:
        postgres = self.schema.postgres
        statement = encoded(f"COPY {table} FROM STDIN (FORMAT csv)")
        with (
            postgres.speaking(place),
            file.open("rb") as rows,
            postgres.connection.cursor() as cursor,
            cursor.copy(statement) as copy,
        ):
            while data := rows.read(1 << 20):
                copy.write(data)

    def written(self, engine: Engine) -> Source:
        postgres = self.schema.postgres
        source = postgres.opened(self.schema.table(self.name), "table", self.name, (), self.schema.place)
        rows = state(f"written_{self.temporary}")
        named = exp.select(*(column(col.name) for col in source.columns)).from_(self.schema.table(self.name))
        postgres.copy_to(engine, named.sql("postgres"), [(col.name, col.type) for col in source.columns], rows)
        return opened(engine, exp.Table(this=quoted(rows)), self.describe(), self.describe(), ())

    def commit(self, engine: Engine) -> None:
        """Nothing: all tables are committed together."""


class SchemaOfTables(TablesTarget):
    """The tables of a schema, which is made where there is none.

    In place all tables of the schema are replaced, those that are dropped too; else those of the released names, where
    they may be overwritten. Raises ConfigurationError for what this role may not do, and for what would be lost.
    """

    def __init__(self, schema: PostgresSchema, loaded: LoadedDatabase, source: PostgresSchema | None) -> None:
        super().__init__(Path())
        self.schema, self.loaded, self.source = schema, loaded, source
        self.postgres: Postgres = schema.postgres
        self.there = schema.tables()
        self.replaced = self._replaced()
        self.carried: dict[str, Carried] = {
            table.name: read_carried(self.postgres, table.number, schema.place) for table in self.replaced
        }
        said = f"no table of schema {schema.name!r} can be replaced"
        refuse_dependent(self.postgres, [table.number for table in self.replaced], said, schema.place)
        tables = [] if source is None else source.tables()
        types = {} if source is None else {table.name: source.types(table) for table in tables}
        self._types = {name: kinds for name, (kinds, _) in types.items()}
        self._listing = {name: listing for name, (_, listing) in types.items()}

    def describe(self) -> str:
        return f"schema {self.schema.name} of PostgreSQL"

    def folder(self) -> Path:
        return self.postgres.folders[0]

    def _replaced(self) -> list[SchemaTable]:
        target = self.loaded.config.target
        assert target is not None
        place, name = self.schema.place, self.schema.name
        self.postgres.rights.refuse_read_only(place)
        views = {table.name for table in self.there if table.is_view}
        problems = [
            f"{place}: {view!r} is a view of schema {name!r}, which no release replaces; name another schema"
            for view in sorted(views & self.loaded.tables.keys())
        ]
        tables = [table for table in self.there if not table.is_view]
        if not target.in_place:
            others = [table.name for table in tables if table.name not in self.loaded.tables]
            if others:
                problems.append(
                    f"{place}: schema {name!r} holds {len(others):,} other tables, first {others[0]!r}; name another "
                    "schema"
                )
            elif tables and not target.overwrite:
                problems.append(f"{place}: schema {name!r} holds tables already; name another or set overwrite: true")
        problems += self.schema.unowned(tables)
        problems += [
            f"{place}: row-level security hides rows of table {table.name!r}, or this role may not read it: they would "
            "be lost unseen; expected a role that sees all rows"
            for table in tables
            if table.owned and not table.readable
        ]
        if self.schema.exists and not self.schema.may_create:
            problems.append(
                f"{place}: this role may not make tables in schema {name!r}; expected GRANT CREATE ON SCHEMA to it"
            )
        if not self.schema.exists and not self.postgres.rights.may_make_schemas(place):
            problems.append(
                f"{place}: this role may not make schema {name!r}; expected GRANT CREATE ON DATABASE to it, or "
                "a schema that is there"
            )
        longest = self.postgres.dialect.longest_name
        problems += [
            f"{place}: PostgreSQL would cut the name of table {table!r}; expected at most {longest} bytes"
            for table in [name, *self.loaded.tables]
            if len(table.encode()) > longest
        ]
        if problems:
            raise ConfigurationError(problems)
        return tables

    def sink(self, engine: Engine, name: str) -> PostgresTableOf:
        if not self.schema.exists:
            self.postgres.execute(f"CREATE SCHEMA {quoted(self.schema.name).sql('postgres')}", self.schema.place)
            self.schema.exists = True
        types = {
            column: kind
            for column, kind in self._types.get(name, {}).items()
            if is_unchanged(self.loaded, name, column)
        }
        # What is about nobody is copied with all values that its types list.
        is_copied = self.loaded.tables[name].loaded is None
        listing = [] if is_copied else sorted(self._listing.get(name, set()) & types.keys())
        if listing:
            self.warnings += (
                f"table {name!r}: columns {', '.join(map(repr, listing))} lose their types, which list values or have "
                "conditions, whatever is released; the types themselves stay in the source",
            )
            types = {column: kind for column, kind in types.items() if column not in listing}
        return PostgresTableOf(self.schema, name, f"{self.postgres.mark}_{len(self.sinks)}", types)

    def written(self, engine: Engine, names: list[str]) -> dict[str, Source]:
        place = self.schema.place
        if self.replaced:
            # One statement, as tables may refer to each other.
            old = ", ".join(self.schema.table(table.name).sql("postgres") for table in self.replaced)
            self.postgres.execute(f"DROP TABLE {old}", place)
        for name, sink in self.sinks.items():
            assert isinstance(sink, PostgresTableOf)
            temporary = self.schema.table(sink.temporary).sql("postgres")
            self.postgres.execute(f"ALTER TABLE {temporary} RENAME TO {quoted(name).sql('postgres')}", place)
        kept = {name: carried for name, carried in self.carried.items() if name in self.sinks}
        self.warnings += carry_over(self.schema, kept)
        for name in names:
            self.postgres.execute(f"ANALYZE {self.schema.table(name).sql('postgres')}", place)
        return {name: self.sinks[name].written(engine) for name in names}

    def commit(self, engine: Engine) -> None:
        commit_run(self.postgres, self.describe(), self.schema.place)


def is_unchanged(loaded: LoadedDatabase, table: str, name: str) -> bool:
    """Whether the values of a column are released as they are, so that they are still of the column's own type."""
    config = loaded.tables[table]
    key = loaded.key_names(config, [name]).get(name)
    if key is not None:
        return loaded.keys[key].how == "keep"
    if config.link is not None and config.link.column == name:
        return False
    if config.loaded is None:
        return True
    own = config.loaded.config
    changed = {*own.quasi_identifiers, *own.transform, *config.dates, *config.since, *config.facts, *config.joined}
    return name not in changed and name not in own.source.columns


def _type_of(kind: str) -> str:
    if kind.startswith("DECIMAL("):
        return f"NUMERIC{kind[len('DECIMAL') :]}"
    return _TYPES.get(kind, "TEXT")


def _as_text(value: exp.Expr, kind: str) -> exp.Expr:
    """A value of DuckDB as PostgreSQL reads it."""
    text = exp.cast(value.copy(), "VARCHAR")
    if kind == "BLOB":
        digits = exp.Anonymous(this="hex", expressions=[value.copy()])
        return exp.DPipe(this=exp.Literal.string("\\x"), expression=digits)
    if kind.startswith(("DATE", "TIMESTAMP")):
        # DuckDB has (BC) after the date, PostgreSQL BC at the end.
        before_christ = exp.Literal.string(r"^(\S+) \(BC\)(.*)$")
        return exp.RegexpReplace(this=text, expression=before_christ, replacement=exp.Literal.string(r"\1\2 BC"))
    return text
