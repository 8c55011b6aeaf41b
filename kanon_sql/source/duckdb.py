"""DuckDB as the engine that holds the rows, and what it reads: tables of databases, and results of one SELECT.

Functions that read other things than rows are refused before any row is read. The text of a statement, settings,
variables, secrets, logs and catalogs are no data of a table: whatever shows them could bring what the program or its
user keeps secret into a release. A query is kept as a view, whose text the engine writes anew from what it understood,
so that no way of writing hides a call. From there every view, macro and table whose name is mentioned is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import duckdb
from sqlglot import TokenType, exp, tokenize
from sqlglot.errors import SqlglotError

from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.algorithms import ENGINES
from kanon_sql.settings.formats import read_by_engine
from kanon_sql.source.lake import is_catalog, is_lake, reopen_as_lake, version_of
from kanon_sql.source.model import Backend, Column, Source, UniqueValues, refuse_repeated, select_keys
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row, literal
from kanon_sql.sql.dialects import Dialect, find_dialect
from kanon_sql.sql.tables import drop
from kanon_sql.sql.template import column, state
from kanon_sql.sql.template import text as written
from kanon_sql.sql.writing import Listing

_REFUSED = {
    *("current_query", "current_query_id", "current_connection_id", "current_transaction_id", "txid_current"),
    *("current_setting", "getvariable", "getenv", "which_secret", "query", "query_table", "sql_auto_complete"),
    *("json_execute_serialized_sql", "from_substrait", "from_substrait_json", "write_log", "parse_duckdb_log_message"),
    *(
        "sniff_csv",
        "truncate_duckdb_logs",
        "setseed",
        "sleep_ms",
        "nextval",
        "currval",
        "setval",
        "checkpoint",
        "force_checkpoint",
    ),
    *("copy_database", "import_database", "database_list", "database_size", "extension_versions", "functions", "show"),
    *("show_databases", "show_tables", "show_tables_expanded", "storage_info", "table_info", "metadata_info"),
    # Of a lake only rows are read, those of earlier snapshots too (ducklake_table_changes and its like).
    *(f"ducklake_{name}" for name in ("add_data_files", "cleanup_old_files", "commit", "delete_orphaned_files")),
    *(f"ducklake_{name}" for name in ("expire_snapshots", "flush_inlined_data", "merge_adjacent_files", "options")),
    *(f"ducklake_{name}" for name in ("rewrite_data_files", "set_commit_message", "set_option", "settings")),
    *("platform", "user_agent", "create_external_resource", "destroy_external_resource", "add_parquet_key"),
    *("register_external_resource", "register_external_resource_type", "deregister_external_resource"),
}
_REFUSED_GROUPS = ("duckdb_", "pragma_", "enable_", "disable_", "verify_")
_PROCESS = re.compile(r"'.*\bproc/+(self|thread-self|[0-9*?\[])")  # what the system tells of a process: its environment
_NAME = re.compile(r'"((?:[^"]|"")*)"|([^\W\d][\w$]*)')
_QUALIFIED_ONLY = "information_schema"  # a schema that is never searched for a name alone
_Kind = Literal["view", "table", "macro"]
_WHERE = {"view": "view {}", "table": "a generated column of table {}", "macro": "macro {}"}
_TOGETHER = 50  # columns that are counted by one statement, which keeps them in memory or the spill folder
_RESERVED = {"memory", "system", "temp", "main"}
_READS = re.compile(r"(read_\w+|\w+_scan|glob|parquet_\w+|sniff_csv)", re.IGNORECASE)


@dataclass(frozen=True)
class _Object:
    """A view, table or macro of a database, with the text that is run where it is read."""

    kind: _Kind
    database: str
    schema: str
    name: str
    text: str


@dataclass(frozen=True)
class _Token:
    """A token of SQL; `name` is the name that it means, in lower case, None for other tokens."""

    text: str
    name: str | None


class DuckDB(Backend):
    """The connection of DuckDB that does the search, too."""

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

    def alone(self, source: Source, rows: exp.Select, n: int, most: Mapping[Column, float]) -> list[UniqueValues]:
        keys = {"out": [{"key": col.key} for col in most]}
        estimates = self.query("source/distinct_estimates", names={"source": rows}, lists=keys)[0]
        # An estimate errs by a few percent; where it is well below the share no count is needed.
        near = [col for col, estimate in zip(most, estimates, strict=True) if estimate > most[col] * n * 0.8]
        counted = zip(near, self._values_of_their_own(rows, near, columnar=source.columnar), strict=True)
        return [UniqueValues(col, alone, n) for col, alone in counted if alone > most[col] * n]

    def _values_of_their_own(self, source_rows: exp.Select, columns: Sequence[Column], *, columnar: bool) -> list[int]:
        """For each column the number of rows whose value no other row has, counted for many columns in one statement.

        The columns of a source that is not `columnar` are materialized, so that it is read once for all of them.
        """
        counted: list[int] = []
        rows = state("released_rows")
        for start in range(0, len(columns), _TOGETHER):
            together = columns[start : start + _TOGETHER]
            read = exp.select(*(column(col.key) for col in together)).from_(source_rows.subquery(state("rows")))
            counts = [
                exp.Subquery(
                    this=template.fill(
                        "source/values_of_their_own", names={"source": rows}, lists={"out": [{"key": col.key}]}
                    ),
                    alias=exp.TableAlias(this=template.quoted(col.key)),
                )
                for col in together
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
        statement_text = f"CREATE OR REPLACE TEMP TABLE {table.sql('duckdb')} AS {template.text(statement)}"
        self.engine.run(statement_text, secrets)
        return table

    def listed(self, listing: Listing) -> exp.CTE:
        return listing.inline(self.dialect)


def open_table(engine: Engine, path: Path, table: str, missing: tuple[str, ...], place: str) -> Source:
    """Opens a table of a database file. Raises ConfigurationError for an invalid name, EngineError without it."""
    catalog = attach(engine, path)
    schema, name = split_name(table, place)
    relation = exp.Table(this=template.quoted(name), db=template.quoted(schema), catalog=template.quoted(catalog))
    subject, label = f"{path}: table {table}", f"{table} in {path.name}"
    refuse_calls(engine, relation, subject)
    source = opened(
        engine, relation, subject, label, missing, database=_file_of(engine, catalog, path), table=(schema, name)
    )
    version = version_of(engine, catalog, schema, name) if is_lake(engine, catalog) else None
    return source if version is None else replace(source, version=version, snapshot=f"snapshot {version.snapshot}")


def open_query(
    engine: Engine, query: str, database: Path | None, base: Path, missing: tuple[str, ...], place: str
) -> Source:
    """Opens the result of one SELECT; paths inside it are relative to `base`.

    Raises ConfigurationError for anything but one SELECT, EngineError where it cannot be bound.
    """
    text = query.strip().rstrip(";").rstrip()
    refuse_other_than_select(engine, text, place)
    if database is not None:
        catalog = attach(engine, database)
        refuse_shadowing(engine, place)
        engine.run(f"USE {template.quoted(catalog).sql('duckdb')}")
        database = _file_of(engine, catalog, database)
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


def refuse_calls(engine: Engine, relation: exp.Table, subject: str, own: str | None = None) -> None:
    """Raises ConfigurationError for a table or view that calls, directly or not, what reads other things than rows.

    `own` is the name of the program's view of a query: messages about it speak of the query.
    """
    objects = _by_name(_objects(engine, "view", "table"))
    texts = [_tokens(written(relation))]
    visited: set[_Object] = set()
    while texts:
        for entry in _mentioned(texts.pop(), objects):
            if entry in visited:
                continue
            if not visited:  # a plain table calls none
                objects = _by_name(_objects(engine, "view", "table", "macro"))
            visited.add(entry)
            tokens = _run_text(entry)
            call = _refused(tokens)
            if call is not None:
                name = f"{entry.schema}.{entry.name}"
                caller = "the query" if entry.name == own else _WHERE[entry.kind].format(name)
                raise ConfigurationError(
                    f"{subject}: {caller} calls {call}, which tells of statements, settings or the state of the engine "
                    "and not of rows; expected rows of tables and files alone: leave it out"
                )
            texts.append(tokens)


def refuse_shadowing(engine: Engine, subject: str) -> None:
    """Raises ConfigurationError for macros of users that have the name of a function of the engine.

    Where they are found before it, the program's own statements would call them, and hand them its keys.
    """
    functions = engine.query("source/functions")
    own = {str(name).casefold() for _, _, name, internal in functions if internal}
    macros = [entry for *entry, internal in functions if not internal and str(entry[2]).casefold() in own]
    if macros:
        listed = ", ".join(sorted(".".join(map(str, macro)) for macro in macros))
        raise ConfigurationError(
            f"{subject}: {listed} {'takes' if len(macros) == 1 else 'take'} the place of a function of the engine; "
            "expected macros under names of their own: rename or drop it"
        )


def opened(
    engine: Engine,
    named: exp.Table,
    subject: str,
    label: str,
    missing: tuple[str, ...],
    kind: str = "table",
    **more: Any,
) -> Source:
    """A table or view as a source; errors speak of it as `subject`. Raises what describe_relation raises."""
    columns, names = describe_relation(engine, named, subject)
    relation = select_keys(named.copy(), names)
    return Source(kind, relation, columns, missing, kind == "table", label, DuckDB(engine), **more)


def describe_relation(
    engine: Engine, relation: exp.Table | exp.Subquery, subject: str
) -> tuple[tuple[Column, ...], list[str]]:
    """(columns, names) of a table, view or subquery. Raises EngineError, ConfigurationError for names that repeat."""
    try:
        rows = engine.run(exp.Describe(this=exp.select("*").from_(relation.copy())))
    except EngineError as error:
        raise EngineError(f"{subject}: {error}") from error
    names = [str(row[0]) for row in rows]
    refuse_repeated(names, subject)
    return tuple(
        Column(name, f"c{i}", str(row[1])) for i, (name, row) in enumerate(zip(names, rows, strict=True))
    ), names


def _file_of(engine: Engine, catalog: str, path: Path) -> Path | None:
    """The file that holds the tables of an attached database; None for a lake, whose rows are in files of their own."""
    return None if is_lake(engine, catalog) else path


def attach(
    engine: Engine, path: Path, *, read_only: bool = True, name: str | None = None, options: str = "", lake: bool = True
) -> str:
    """Attaches a database file and gives its name; `options` are for a file that is created.

    The catalog of a lake is opened as the lake, for reading, unless `lake` is False. Raises EngineError, and
    ConfigurationError for a lake whose rows are elsewhere.
    """
    if read_only and not path.is_file():
        raise EngineError(f"{path}: no such database file; expected a DuckDB file")
    attached = attached_as(engine, path)
    if attached is not None:
        return attached
    alias = name or re.sub(r"\W", "_", path.stem)
    if alias.lower() in _RESERVED:
        alias = f"{alias}_database"
    mode = "READ_ONLY" if read_only else options
    try:
        engine.run(
            f"ATTACH {literal(str(path)).sql('duckdb')} AS {template.quoted(alias).sql('duckdb')}"
            + (f" ({mode})" if mode else "")
        )
        if read_only and lake and is_catalog(engine, alias):
            reopen_as_lake(engine, alias, path)
    except EngineError as error:
        raise EngineError(f"{path}: {error}") from error
    return alias


def attached_as(engine: Engine, path: Path) -> str | None:
    """The name under which a database file is attached; None where it is not."""
    attached = _attached(engine, path)
    return None if attached is None else attached[0]


def is_written(engine: Engine, path: Path) -> bool:
    """Whether a database file is attached so that this connection may write it."""
    attached = _attached(engine, path)
    return attached is not None and not attached[1]


def _attached(engine: Engine, path: Path) -> tuple[str, bool] | None:
    """(the name under which a database file is attached, whether it is read-only)."""
    for attached, file, readonly, _ in engine.query("source/attached_databases"):
        if file is not None and Path(file).exists() and path.exists() and Path(file).samefile(path):
            return str(attached), bool(readonly)
    return None


def split_name(table: str, place: str) -> tuple[str, str]:
    """`schema.table` or `table` as (schema, table); quoted parts may hold dots."""
    try:
        parsed = exp.to_table(table, dialect="duckdb")
    except SqlglotError:
        parsed = exp.Table()
    if not parsed.name or parsed.catalog or not isinstance(parsed.this, exp.Identifier):
        raise ConfigurationError(f"{place}: {table!r} is no table name; expected table or schema.table")
    return parsed.db or "main", parsed.name


def refuse_other_than_select(engine: Engine, text: str, place: str) -> None:
    """Raises ConfigurationError for anything but one SELECT."""
    try:
        statements = engine.connection.extract_statements(text)
    except duckdb.Error as error:
        raise ConfigurationError(f"{place}: the query cannot be parsed: {engine.say(error)}") from None
    kinds = [statement.type for statement in statements]
    if kinds != [duckdb.StatementType.SELECT]:
        listed = ", ".join(kind.name for kind in kinds) or "nothing"
        raise ConfigurationError(f"{place}: expected one SELECT, found {listed}")


def with_absolute_paths(query: str, base: Path) -> str:
    """The query with the relative paths that it reads (FROM 'a.csv', read_csv('a.csv')) made absolute from `base`.

    A locked connection checks a path as it is written, before it looks for the file.
    """
    pieces, end, calls = [], 0, [False]
    previous = None
    for token in tokenize(query, read="duckdb"):
        if token.token_type is TokenType.L_PAREN:
            calls.append(calls[-1] or bool(previous is not None and _READS.fullmatch(previous.text)))
        elif token.token_type is TokenType.R_PAREN and len(calls) > 1:
            calls.pop()
        named = previous is not None and previous.token_type in (TokenType.FROM, TokenType.JOIN)
        if token.token_type is TokenType.STRING and (calls[-1] or named) and _is_relative_file(token.text, base):
            pieces += [query[end : token.start], literal(str(base.absolute() / token.text)).sql("duckdb")]
            end = token.end + 1
        previous = token
    return "".join([*pieces, query[end:]])


def _is_relative_file(text: str, base: Path) -> bool:
    if not text or Path(text).is_absolute() or "://" in text:
        return False
    return bool(glob(str(base / text), recursive=True))  # noqa: PTH207 - as the engine's own globs


def _by_name(objects: Iterable[_Object]) -> dict[str, list[_Object]]:
    by_name: dict[str, list[_Object]] = {}
    for entry in objects:
        by_name.setdefault(entry.name.casefold(), []).append(entry)
    return by_name


def _objects(engine: Engine, *kinds: _Kind) -> Iterator[_Object]:
    for kind in kinds:
        for database, schema, name, text in engine.query(f"source/called_by_{kind}s"):
            yield _Object(kind, str(database), str(schema), str(name), str(text))


def _tokens(text: str) -> list[_Token]:
    """The tokens of a text that the engine wrote, as it splits them."""
    whole = text.encode()
    starts = duckdb.tokenize(text)
    ends = [offset for offset, _ in starts[1:]] + [len(whole)]
    tokens = []
    for (start, kind), end in zip(starts, ends, strict=True):
        part = whole[start:end].decode(errors="replace").strip()
        match = _NAME.match(part) if kind in (duckdb.token_type.identifier, duckdb.token_type.keyword) else None
        name = None if match is None else (match[2] or match[1].replace('""', '"')).casefold()
        tokens.append(_Token(part, name))
    return tokens


def _run_text(entry: _Object) -> list[_Token]:
    """The tokens that run where the object is read; for a table those of its generated columns."""
    tokens = _tokens(entry.text)
    if entry.kind != "table":
        return tokens
    generated: list[_Token] = []
    for i in range(3, len(tokens)):
        before = [token.text.upper() for token in tokens[i - 3 : i]]
        if tokens[i].text == "(" and before == ["GENERATED", "ALWAYS", "AS"]:
            depth = 0
            for token in tokens[i:]:
                depth += (token.text == "(") - (token.text == ")")
                generated.append(token)
                if depth == 0:
                    break
    return generated


def _mentioned(tokens: Sequence[_Token], objects: dict[str, list[_Object]]) -> Iterator[_Object]:
    """The objects whose names are in a text, of whatever schema; macros where they are called."""
    for i, token in enumerate(tokens):
        for entry in objects.get(token.name or "", ()):
            called = i + 1 < len(tokens) and tokens[i + 1].text == "("
            before = tokens[i - 2].name if i > 1 and tokens[i - 1].text == "." else None
            if entry.kind == "macro" and not called:
                continue
            if entry.schema == _QUALIFIED_ONLY and before != _QUALIFIED_ONLY:
                continue
            yield entry


def _refused(tokens: Sequence[_Token]) -> str | None:
    """The first call in a text that is refused."""
    for token, after in pairwise(tokens):
        name = token.name or ""
        if after.text == "(" and (name in _REFUSED or name.startswith(_REFUSED_GROUPS)):
            return f"{name}()"
        if name == "describe" and after.text != "(" and token.text.upper() == "DESCRIBE":
            return "SHOW"
        if _PROCESS.match(after.text):
            return "a reader of /proc"
    return None
