"""Statements that make, copy and drop tables as a whole, whatever is in them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from sqlglot import exp

from kanon_sql.sql.template import parse, quoted, text


def drop(name: str) -> str:
    """A table that is no longer needed goes, if it is there."""
    tree = parse("DROP TABLE IF EXISTS dropped")
    for table in tree.find_all(exp.Table):
        table.set("this", quoted(name))
    return text(tree)


def copy(name: str, source: str | exp.Subquery) -> str:
    """A table of all rows of another table, or of a statement."""
    rows = _table(source) if isinstance(source, str) else source
    return _create(_table(name), exp.select("*").from_(rows, copy=False))


def empty(name: str, types: Mapping[str, str]) -> str:
    """A table without rows, its columns with their types in DuckDB's words."""
    columns = [exp.ColumnDef(this=quoted(one), kind=exp.DataType.build(of, "duckdb")) for one, of in types.items()]
    return _create(exp.Schema(this=_table(name), expressions=columns))


@cache
def empty_like(name: str, source: str, *columns: str) -> str:
    """A table without rows, with these columns of another table; its text is made once, since searches ask often."""
    rows = exp.select(*map(quoted, columns)).from_(_table(source), copy=False)
    return _create(_table(name), rows.where(exp.false(), copy=False))


def _table(name: str) -> exp.Table:
    return exp.Table(this=quoted(name))


def _create(made: exp.Expr, rows: exp.Select | None = None) -> str:
    temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
    return text(exp.Create(this=made, kind="TABLE", replace=True, properties=temporary, expression=rows))
