"""DuckDB as the engine that holds the rows, and what it reads: tables of databases, and results of one SELECT."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from glob import glob
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import TokenType, exp, tokenize
from sqlglot.errors import SqlglotError

from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.abilities import ENGINES
from kanon_sql.settings.formats import read_by_engine
from kanon_sql.source.calls import refuse_calls
from kanon_sql.source.model import Alone, Backend, Column, Source, refuse_repeated, select_keys
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row, literal
from kanon_sql.sql.dialects.dialect import Dialect, find_dialect
from kanon_sql.sql.dialects.inline_table import Listing
from kanon_sql.sql.tables import drop
from kanon_sql.sql.template import column, state

_TOGETHER = 50  # columns that are counted by one statement, which keeps them in memory or the spill folder


class DuckDB(Backend):
    """A connection, which also does the search."""

    abilities = ENGINES["duckdb"]
    dialect = find_dialect("duckdb")

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def statements(self) -> int:
        return self.engine.statements

    def query(self, name: template.Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        return self.engine.query(name, values=values, **holes)

    def given(self, engine: Engine, rows: exp.Select, columns: Sequence[Column]) -> exp.Select:
        return rows

    def alone(self, source: Source, rows: exp.Select, n: int, most: Mapping[Column, float]) -> list[Alone]:
        items = {"out": [{"key": item.key} for item in most]}
        estimates = self.query("source/distinct_estimates", names={"source": rows}, lists=items)[0]
        # An estimate errs by a few percent; where it is well below the share no count is needed.
        near = [item for item, estimate in zip(most, estimates, strict=True) if estimate > most[item] * n * 0.8]
        counted = zip(near, self._values_of_their_own(rows, near, columnar=source.columnar), strict=True)
        return [Alone(item, alone, n) for item, alone in counted if alone > most[item] * n]

    def _values_of_their_own(self, given: exp.Select, columns: Sequence[Column], *, columnar: bool) -> list[int]:
        """For each column how many rows are alone with their value, many columns in one statement.

        Of a source that is dear to read the columns are kept while they are counted, so that it is read once for all.
        """
        counted: list[int] = []
        rows = state("released_rows")
        for start in range(0, len(columns), _TOGETHER):
            some = columns[start : start + _TOGETHER]
            read = exp.select(*(column(item.key) for item in some)).from_(given.subquery(state("rows")))
            counts = [
                exp.Subquery(
                    this=template.fill(
                        "source/values_of_their_own", names={"source": rows}, lists={"out": [{"key": item.key}]}
                    ),
                    alias=exp.TableAlias(this=template.quoted(item.key)),
                )
                for item in some
            ]
            statement = exp.select(*counts).with_(template.quoted(rows), as_=read, materialized=not columnar)
            counted += map(int, self.engine.run(statement)[0])
        return counted

    def reads_itself(self, source: Source, dialect: Dialect) -> bool:
        return dialect is self.dialect and read_by_engine(source.kind) and not source.is_copied

    def bring(self, engine: Engine, statement: exp.Expr, columns: Sequence[tuple[str, str]], table: str) -> exp.Select:
        return exp.select(*(column(name) for name, _ in columns)).from_(self._made(statement, table))

    def keep(self, statement: exp.Expr, name: str, secrets: Mapping[str, str] | None = None) -> exp.Table:
        return self._made(statement, state(name), secrets)

    def forget(self, kept: exp.Table) -> None:
        self.engine.run(drop(kept.name))

    def _made(self, statement: exp.Expr, name: str, secrets: Mapping[str, str] | None = None) -> exp.Table:
        table = exp.Table(this=template.quoted(name))
        made = f"CREATE OR REPLACE TEMP TABLE {table.sql('duckdb')} AS {template.text(statement)}"
        self.engine.run(made, secrets)
        return table

    def listed(self, listing: Listing) -> exp.CTE:
        return listing.inline(self.dialect)


_RESERVED = {"memory", "system", "temp", "main"}


def attach(engine: Engine, path: Path, *, read_only: bool = True, name: str | None = None, options: str = "") -> str:
    """Attaches a database file; the name it goes by. `options` are for one that is made. Raises EngineError."""
    if read_only and not path.is_file():
        raise EngineError(f"{path}: no such database file; expected a DuckDB file")
    attached = attached_as(engine, path)
    if attached is not None:
        return attached
    alias = name or re.sub(r"\W", "_", path.stem)
    if alias.lower() in _RESERVED:
        alias = f"{alias}_database"
    given = "READ_ONLY" if read_only else options
    try:
        engine.run(
            f"ATTACH {literal(str(path)).sql('duckdb')} AS {template.quoted(alias).sql('duckdb')}"
            + (f" ({given})" if given else "")
        )
    except EngineError as error:
        raise EngineError(f"{path}: {error}") from error
    return alias


def attached_as(engine: Engine, path: Path) -> str | None:
    """The name by which a database file is attached, None where it is not."""
    found = _attached(engine, path)
    return None if found is None else found[0]


def is_written(engine: Engine, path: Path) -> bool:
    """Whether a database file is attached so that this connection may write it."""
    found = _attached(engine, path)
    return found is not None and not found[1]


def _attached(engine: Engine, path: Path) -> tuple[str, bool] | None:
    """(the name by which a database file is attached, whether for reading only)."""
    for attached, file, readonly in engine.query("source/attached_databases"):
        if file is not None and Path(file).exists() and path.exists() and Path(file).samefile(path):
            return str(attached), bool(readonly)
    return None


def open_table(engine: Engine, path: Path, table: str, missing: tuple[str, ...], place: str) -> Source:
    """A table of a database file. Raises ConfigurationError for a name that is none, EngineError without it."""
    catalog = attach(engine, path)
    schema, name = split_name(table, place)
    relation = exp.Table(this=template.quoted(name), db=template.quoted(schema), catalog=template.quoted(catalog))
    what, label = f"{path}: table {table}", f"{table} in {path.name}"
    refuse_calls(engine, relation, what)
    return opened(engine, relation, what, label, missing, database=path, table=(schema, name))


def split_name(table: str, place: str) -> tuple[str, str]:
    """`schema.table` or `table` as (schema, table); quoted parts may hold dots."""
    try:
        parsed = exp.to_table(table, dialect="duckdb")
    except SqlglotError:
        parsed = exp.Table()
    if not parsed.name or parsed.catalog or not isinstance(parsed.this, exp.Identifier):
        raise ConfigurationError(f"{place}: {table!r} is no table name; expected table or schema.table")
    return parsed.db or "main", parsed.name


def open_query(
    engine: Engine, query: str, database: Path | None, base: Path, missing: tuple[str, ...], place: str
) -> Source:
    """The result of one SELECT; paths inside it are relative to `base`.

    Raises ConfigurationError for anything but one SELECT, EngineError when it cannot be bound.
    """
    text = query.strip().rstrip(";").rstrip()
    refuse_other_than_select(engine, text, place)
    if database is not None:
        catalog = attach(engine, database)
        engine.run(f"USE {template.quoted(catalog).sql('duckdb')}")
    text = with_absolute_paths(text, base)
    view = template.state("source_query")
    try:
        # The text was parsed as one SELECT; the line break ends a comment at its end.
        engine.run(f"CREATE TEMP VIEW {template.quoted(view).sql('duckdb')} AS\n{text}\n")
    except EngineError as error:
        raise EngineError(f"{place}: the query does not run: {error}") from error
    relation = exp.Table(this=template.quoted(view))
    refuse_calls(engine, relation, place, own=view)
    return opened(engine, relation, place, "the query", missing, kind="query", database=database)


def opened(
    engine: Engine, named: exp.Table, what: str, label: str, missing: tuple[str, ...], kind: str = "table", **more: Any
) -> Source:
    """A table or view as a source, of which errors speak as `what`. Raises as describe_relation does."""
    columns, names = describe_relation(engine, named, what)
    relation = select_keys(named.copy(), names)
    return Source(kind, relation, columns, missing, kind == "table", label, DuckDB(engine), **more)


_READS = re.compile(r"(read_\w+|\w+_scan|glob|parquet_\w+|sniff_csv)", re.IGNORECASE)


def with_absolute_paths(query: str, base: Path) -> str:
    """The query with the relative paths that it reads (FROM 'a.csv', read_csv('a.csv')) taken from `base`.

    Once the connection is locked down the engine looks at a path before it looks for it, so it must be whole.
    """
    made, end, calls = [], 0, [False]
    previous = None
    for token in tokenize(query, read="duckdb"):
        if token.token_type is TokenType.L_PAREN:
            calls.append(calls[-1] or bool(previous is not None and _READS.fullmatch(previous.text)))
        elif token.token_type is TokenType.R_PAREN and len(calls) > 1:
            calls.pop()
        named = previous is not None and previous.token_type in (TokenType.FROM, TokenType.JOIN)
        if token.token_type is TokenType.STRING and (calls[-1] or named) and _is_relative_file(token.text, base):
            made += [query[end : token.start], literal(str(base.absolute() / token.text)).sql("duckdb")]
            end = token.end + 1
        previous = token
    return "".join([*made, query[end:]])


def _is_relative_file(text: str, base: Path) -> bool:
    if not text or Path(text).is_absolute() or "://" in text:
        return False
    return bool(glob(str(base / text), recursive=True))  # noqa: PTH207 - as the engine's own globs


def refuse_other_than_select(engine: Engine, text: str, place: str) -> None:
    """Raises ConfigurationError for anything but one SELECT."""
    try:
        statements = engine.connection.extract_statements(text)
    except duckdb.Error as error:
        raise ConfigurationError(f"{place}: the query cannot be parsed: {engine.say(error)}") from None
    kinds = [statement.type for statement in statements]
    if kinds != [duckdb.StatementType.SELECT]:
        found = ", ".join(kind.name for kind in kinds) or "nothing"
        raise ConfigurationError(f"{place}: expected one SELECT, found {found}")


def describe_relation(
    engine: Engine, relation: exp.Table | exp.Subquery, what: str
) -> tuple[tuple[Column, ...], list[str]]:
    """(columns, names) of a table, view or subquery. Raises EngineError, ConfigurationError for names that repeat."""
    try:
        rows = engine.run(exp.Describe(this=exp.select("*").from_(relation.copy())))
    except EngineError as error:
        raise EngineError(f"{what}: {error}") from error
    names = [str(row[0]) for row in rows]
    refuse_repeated(names, what)
    return tuple(
        Column(name, f"c{i}", str(row[1])) for i, (name, row) in enumerate(zip(names, rows, strict=True))
    ), names
