"""What a source of DuckDB calls: functions that read other things than rows are refused before any row is read.

The text of a statement, settings, variables, secrets, logs and catalogs are no data of a table: whatever tells of them
could bring what the program or its user keeps secret into a release. A query is kept as a view for it, whose text the
engine writes anew from what it understood, so that no way of writing hides a call. From there every view, macro and
table whose name is mentioned is looked at in turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import duckdb
from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import text as written

_REFUSED = {
    *("current_query", "current_query_id", "current_connection_id", "current_transaction_id", "txid_current"),
    *("current_setting", "getvariable", "getenv", "which_secret", "query", "query_table", "sql_auto_complete"),
    *("json_execute_serialized_sql", "from_substrait", "from_substrait_json", "write_log", "parse_duckdb_log_message"),
    *("truncate_duckdb_logs", "setseed", "sleep_ms", "nextval", "currval", "setval", "checkpoint", "force_checkpoint"),
    *("copy_database", "import_database", "database_list", "database_size", "extension_versions", "functions", "show"),
    *("show_databases", "show_tables", "show_tables_expanded", "storage_info", "table_info", "metadata_info"),
    *("platform", "user_agent", "create_external_resource", "destroy_external_resource", "add_parquet_key"),
    *("register_external_resource", "register_external_resource_type", "deregister_external_resource"),
}
_REFUSED_GROUPS = ("duckdb_", "pragma_", "enable_", "disable_", "verify_")
_NAME = re.compile(r'"((?:[^"]|"")*)"|([^\W\d][\w$]*)')
_QUALIFIED_ONLY = "information_schema"  # a schema that is never searched for a name alone
_Kind = Literal["view", "table", "macro"]
_WHERE = {"view": "view {}", "table": "a generated column of table {}", "macro": "macro {}"}


@dataclass(frozen=True)
class _Object:
    """What a database has under a name, with the text that is run where it is read."""

    kind: _Kind
    database: str
    schema: str
    name: str
    text: str


@dataclass(frozen=True)
class _Token:
    """A token of SQL; of one that is a name `name` is what it means, in lower case."""

    text: str
    name: str | None


def refuse_calls(engine: Engine, relation: exp.Table, what: str, own: str | None = None) -> None:
    """Refuses a table or view of DuckDB that calls, itself or by another, what reads other things than rows.

    `own` is the name of a view of ours that stands for the query of which messages then speak. Raises
    ConfigurationError.
    """
    known = _by_name(_objects(engine, "view", "table"))
    asked = [_tokens(written(relation))]
    seen: set[_Object] = set()
    while asked:
        for entry in _mentioned(asked.pop(), known):
            if entry in seen:
                continue
            if not seen:  # a plain table calls none
                known = _by_name(_objects(engine, "view", "table", "macro"))
            seen.add(entry)
            tokens = _run_text(entry)
            call = _refused(tokens)
            if call is not None:
                place = "the query" if entry.name == own else _WHERE[entry.kind].format(f"{entry.schema}.{entry.name}")
                raise ConfigurationError(
                    f"{what}: {place} calls {call}, which tells of statements, settings or the state of the engine and "
                    "not of rows; expected rows of tables and files alone: leave it out"
                )
            asked.append(tokens)


def _by_name(objects: Iterable[_Object]) -> dict[str, list[_Object]]:
    known: dict[str, list[_Object]] = {}
    for entry in objects:
        known.setdefault(entry.name.casefold(), []).append(entry)
    return known


def _objects(engine: Engine, *kinds: _Kind) -> Iterator[_Object]:
    for kind in kinds:
        for database, schema, name, text in engine.query(f"source/called_by_{kind}s"):
            yield _Object(kind, str(database), str(schema), str(name), str(text))


def _tokens(text: str) -> list[_Token]:
    """The tokens of a text that the engine wrote, as the engine tells them apart."""
    whole = text.encode()
    starts = duckdb.tokenize(text)
    ends = [offset for offset, _ in starts[1:]] + [len(whole)]
    made = []
    for (start, kind), end in zip(starts, ends, strict=True):
        part = whole[start:end].decode(errors="replace").strip()
        found = _NAME.match(part) if kind in (duckdb.token_type.identifier, duckdb.token_type.keyword) else None
        name = None if found is None else (found[2] or found[1].replace('""', '"')).casefold()
        made.append(_Token(part, name))
    return made


def _run_text(entry: _Object) -> list[_Token]:
    """The tokens of what runs where the object is read: of a table those of its generated columns."""
    tokens = _tokens(entry.text)
    if entry.kind != "table":
        return tokens
    made: list[_Token] = []
    for i in range(3, len(tokens)):
        if tokens[i].text == "(" and [one.text.upper() for one in tokens[i - 3 : i]] == ["GENERATED", "ALWAYS", "AS"]:
            depth = 0
            for token in tokens[i:]:
                depth += (token.text == "(") - (token.text == ")")
                made.append(token)
                if depth == 0:
                    break
    return made


def _mentioned(tokens: Sequence[_Token], known: dict[str, list[_Object]]) -> Iterator[_Object]:
    """The objects whose names stand in a text, in whatever schema; macros where they are called."""
    for i, token in enumerate(tokens):
        for entry in known.get(token.name or "", ()):
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
    return None
