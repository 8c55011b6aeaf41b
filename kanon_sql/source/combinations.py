"""Distinct combinations of values where the rows are: counted there, and brought into DuckDB with their rows."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.source.model import Backend, Column
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects.types import column_type
from kanon_sql.sql.template import Item, column


def counted_statement(backend: Backend, rows: exp.Select, columns: Sequence[Column]) -> exp.Expr:
    """The statement of the distinct combinations of columns and their rows, c0 ... and row_count.

    Raises ConfigurationError for columns of types that engines do not compare alike.
    """
    for item in columns:
        column_type(backend.dialect, item.type, f"column {item.name!r}")
    items: list[Item] = [{"key": item.key, "value": _as_read(item)} for item in columns]
    return template.fill("source/counted", {"source": rows}, {"qi": items})


def bring_counted(
    engine: Engine, backend: Backend, rows: exp.Select, columns: Sequence[Column], table: str
) -> exp.Select:
    """SELECT in DuckDB of the distinct combinations of columns, with the number of rows as row_count."""
    return backend.bring(engine, counted_statement(backend, rows, columns), counted_columns(columns), table)


def counted_columns(columns: Sequence[Column]) -> list[tuple[str, str]]:
    """(names, types) of combinations: the columns under their keys, and row_count."""
    return [*((item.key, item.type) for item in columns), ("row_count", "BIGINT")]


def _as_read(item: Column) -> exp.Expr:
    """A value as it is counted: a text is one whatever its length is bounded by."""
    value = column(item.key)
    return exp.cast(value, "VARCHAR") if item.is_text else value
