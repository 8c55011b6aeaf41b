"""What a query file answers about tables of a few rows, in an engine of its own: no job, no files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
from shared_engine import insert, shared
from sqlglot import exp

from kanon_sql.sql.template import Fill, Statement, holes, parse, render

Row = tuple[Any, ...]
Rows = Sequence[Row]


def table(connection: duckdb.DuckDBPyConnection, name: str, columns: str, rows: Rows) -> None:
    """Makes a table of `columns` (as `a BIGINT, b VARCHAR`)."""
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} ({columns})")
    insert(connection, name, rows)


def answers(
    name: Statement,
    tables: Mapping[str, Any],
    *,
    names: Mapping[str, Any] | None = None,
    lists: Mapping[str, Any] | None = None,
    values: Mapping[str, Any] | None = None,
    then: str | None = None,
    listed: Mapping[str, Any] | None = None,
) -> list[Row]:
    """The rows that the query file gives of `tables`, each (columns with their types, rows) by its name in the file.

    Tables and values that the file does not mention are left out; `listed` tables are those that `lists` name. Of a
    file that makes or changes a table, the rows of the statement `then`.
    """
    with shared() as connection:
        mentioned = {key: rows for key, rows in tables.items() if key in holes(name).mentioned}
        for key, (columns, rows) in {**mentioned, **(listed or {})}.items():
            table(connection, key, columns, rows)
        tables_there: dict[str, Fill] = {key: key for key in mentioned}
        statement = render(name, {**tables_there, **(names or {})}, lists)
        parameters = set(re.findall(r"\$(\w+)", statement))
        connection.execute(statement, {key: value for key, value in (values or {}).items() if key in parameters})
        return (connection if then is None else connection.execute(then)).fetchall()


def differing_classes(
    aggregate: str, rows: tuple[str, list[Row]], rounded: float, missing: str, of_shown: Mapping[str, Fill]
) -> int:
    """How many classes a recount of an aggregate says to show something else than their rows have.

    `rows` are the columns k, shown, shown_number, number, said and the rows; `of_shown` what the query reads of the
    column `shown`, as expressions.
    """
    name = f"release/aggregates/{aggregate}"
    column: dict[str, Fill] = {
        **{key: key for key in ("shown", "number", "least", "most", "again", "different")},
        "shown_number": parse("TRY_CAST(shown AS DOUBLE)"),
        "missing": exp.Literal.string(missing),
        "rounded": exp.Literal.number(rounded),
        **of_shown,
    }
    mentioned = holes(name).mentioned
    taken = {key: value for key, value in column.items() if f"column_{key}" in mentioned}
    lists = {"key": [{"value": "k"}], **({"column": [taken]} if taken else {})}
    (answer,) = answers(name, {"shown_rows": rows}, lists=lists, values={"rounded": rounded, "missing": missing})
    return int(answer[0])


def rows_of_table(
    folder: str, name: str, tables: Mapping[str, Any], table: str, columns: str = "*", **options: Any
) -> list[Row]:
    """The rows of the table that a query file of a folder makes, in order; `options` are those of `answers`."""
    names = {table: table, **options.pop("names", {})}
    then = f"SELECT {columns} FROM {table} ORDER BY ALL"
    return answers(f"{folder}/{name}", tables, names=names, then=then, **options)
