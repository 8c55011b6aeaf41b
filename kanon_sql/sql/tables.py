"""Statements that create, copy, drop and join whole tables; ENUM types of the program's own; groups of DuckDB's types.

Texts of which there are few are sorted faster as ENUMs (small integers); files store them as texts again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, reduce
from typing import Any

import duckdb
from sqlglot import exp

from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import parse, quoted, text


@cache
def drop(name: str) -> str:
    """The statement that drops a table if it is there; asked for often."""
    tree = parse("DROP TABLE IF EXISTS dropped")
    for table in tree.find_all(exp.Table):
        table.set("this", quoted(name))
    return text(tree)


def copy(name: str, source: str | exp.Subquery) -> str:
    """The statement of a temporary table of all rows of another table, or of a statement."""
    rows = _table(source) if isinstance(source, str) else source
    return _create(_table(name), exp.select("*").from_(rows, copy=False))


def union_all(selects: Sequence[exp.Expr]) -> exp.Expr:
    """All rows of statements with the same columns, one after the other."""
    return reduce(lambda union, select: exp.Union(this=union, expression=select, distinct=False), selects)


def rows_of(selects: Sequence[exp.Expr], alias: str | None = None) -> exp.Subquery:
    """All rows of statements with the same columns, as a relation."""
    named = None if alias is None else exp.TableAlias(this=exp.to_identifier(alias))
    return exp.Subquery(this=union_all(selects), alias=named)


def empty(name: str, types: Mapping[str, str]) -> str:
    """The statement of a temporary table without rows, with these columns and their types in DuckDB."""
    columns = [exp.ColumnDef(this=quoted(key), kind=exp.DataType.build(kind, "duckdb")) for key, kind in types.items()]
    return _create(exp.Schema(this=_table(name), expressions=columns))


@cache
def empty_like(name: str, source: str, *columns: str) -> str:
    """The statement of a temporary table without rows, with these columns of another table; asked for often."""
    rows = exp.select(*map(quoted, columns)).from_(_table(source), copy=False)
    return _create(_table(name), rows.where(exp.false(), copy=False))


@cache
def append(name: str, source: str, *columns: str) -> str:
    """The statement that adds these columns of all rows of another table; asked for often."""
    rows = exp.select(*map(quoted, columns)).from_(_table(source), copy=False)
    into = exp.Schema(this=_table(name), expressions=[quoted(column) for column in columns])
    return text(exp.Insert(this=into, expression=rows))


def _table(name: str) -> exp.Table:
    return exp.Table(this=quoted(name))


def _create(target: exp.Expr, rows: exp.Select | None = None) -> str:
    temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
    return text(exp.Create(this=target, kind="TABLE", replace=True, properties=temporary, expression=rows))


# More labels than this are kept as VARCHAR: beyond 16 bits an ENUM gains nothing. Before 2.0 the engine wrote every
# label of an ENUM into a Parquet file's dictionary and statistics, those of suppressed rows among them.
MOST_LABELS = 60_000 if int(duckdb.__version__.split(".")[0]) >= 2 else 0


def enum_type(engine: Engine, name: str, labels: exp.Expr, values: Mapping[str, Any] | None = None) -> exp.DataType:
    """Makes the ENUM type of the texts that a SELECT gives (no NULL, each once); gives a reference to it."""
    created = exp.Create(
        this=exp.Table(this=quoted(name)),
        kind="TYPE",
        replace=True,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        expression=exp.Anonymous(this="ENUM", expressions=[labels]),
    )
    engine.run(created, values)
    return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=quoted(name))


def of_one_value(text: str) -> exp.Expr:
    """A constant, as of the ENUM type that lists it alone."""
    literal = exp.Literal.string(text)
    return exp.cast(literal, exp.DataType(this=exp.DataType.Type.ENUM, expressions=[literal.copy()]))


IN_BIGINT = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
"""Whole numbers, each of which a BIGINT holds."""

WHOLE = (*IN_BIGINT, "UBIGINT", "HUGEINT", "UHUGEINT")
"""Whole numbers of a fixed width."""

NUMERIC = (*WHOLE, "BIGNUM", "DECIMAL", "FLOAT", "DOUBLE")
"""How the names of all types of numbers begin."""
