"""Counting where the rows are: the distinct combinations of values are brought into DuckDB, with their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from kanon_sql.engines.model import Warehouse
from kanon_sql.source.model import Column, Source
from kanon_sql.source.roles import Roles
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects.types import column_type
from kanon_sql.sql.template import Item, column

_LOOKED_AT = 100_000


def bring_tuples(
    engine: Engine, home: Warehouse, rows: exp.Select, columns: Sequence[Column], table: str
) -> exp.Select:
    """SELECT of the distinct combinations of columns in DuckDB, with the number of rows as row_count.

    Raises ConfigurationError for columns of types that engines do not compare alike.
    """
    return brought(engine, home, counted_statement(home, rows, columns), columns, table)


def bring_kept(engine: Engine, home: Warehouse, kept: exp.Table, columns: Sequence[Column], table: str) -> exp.Select:
    """The same of combinations that the engine keeps in a table."""
    names = [*(item.key for item in columns), "row_count"]
    return brought(engine, home, home.written(exp.select(*map(column, names)).from_(kept)), columns, table)


def brought(engine: Engine, home: Warehouse, sql: str, columns: Sequence[Column], table: str) -> exp.Select:
    """SELECT in DuckDB of a statement's result: the columns under their keys, and row_count."""
    types = [(item.key, item.type) for item in columns]
    home.bring(engine, sql, [*types, ("row_count", "BIGINT")], table)
    return exp.select("*").from_(exp.Table(this=template.quoted(table)))


def counted_statement(home: Warehouse, rows: exp.Select, columns: Sequence[Column]) -> str:
    """The statement of the distinct combinations of columns and their rows, c0 ... and row_count.

    Raises ConfigurationError for columns of types that engines do not compare alike.
    """
    for item in columns:
        column_type(home.dialect, item.type, f"column {item.name!r}")
    items: list[Item] = [{"key": item.key, "value": _as_read(item)} for item in columns]
    return home.written(template.fill("engines/counted", names={"source": rows}, lists={"qi": items}))


def _as_read(item: Column) -> exp.Expr:
    """A value as it is counted: a text is one whatever its length is bounded by."""
    value = column(item.key)
    return exp.cast(value, "VARCHAR") if item.is_text else value


def counted_source(engine: Engine, source: Source, names: Sequence[str], table: str) -> Source:
    """A source of another engine as DuckDB has it: the combinations of some columns, each weighted by its rows."""
    assert source.home is not None
    read = [source.column(name) for name in dict.fromkeys(names)]
    relation = bring_tuples(engine, source.home, source.relation, read, table)
    return replace(source, relation=relation, home=None, weighted=True)


def columns_of_their_own(source: Source, n: int, columns: Mapping[Column, float], roles: Roles) -> list[str]:
    """A warning for each column in which more than a share of the rows drawn at random hold a value of their own.

    A value that is alone in the table is alone in every share of it, so that few in the share are few in the table.
    """
    home = source.home
    assert home is not None
    share = min(1.0, _LOOKED_AT / n)
    warnings = []
    for item, most in columns.items():
        for part in dict.fromkeys((share, min(1.0, 10 * share), 1.0)):
            drawn = exp.Literal.number(part if part < 1 else 1)
            names: dict[str, template.Fill] = {"source": source.relation, "share": drawn, "out_key": item.key}
            looked_at, alone = (int(value or 0) for value in home.query("engines/alone", names=names)[0])
            if alone <= most * looked_at:
                break
        else:
            warnings.append(alone_warning(f"{roles.of(item)} column {item.name!r}", alone, looked_at))
    return warnings


def alone_warning(what: str, alone: int, rows: int) -> str:
    """What is said of a column of values that tell rows apart."""
    return f"{what} holds a value of its own in {alone} of {rows} rows: is it a quasi-identifier or an identifier?"
