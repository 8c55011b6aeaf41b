"""Values of a column as statements read them, as texts, and their distinct combinations.

Texts are compared between tables of different formats as a release writes them: numbers of a typed column without zeros
at the end of their decimals, zero without a sign, midnights as dates, timestamps with a time zone in UTC; missing
values are NULL.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.source.model import Backend, Column
from kanon_sql.source.reading import fits, understood
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects.types import column_type
from kanon_sql.sql.template import Item, column, state


def normalized(item: Column, missing: Sequence[str]) -> exp.Expr:
    """The value that the models read: texts that mean missing are NULL."""
    return null_for(column(item.key), missing if item.is_text else ())


def person(item: Column, missing: Sequence[str]) -> exp.Expr:
    """The value by which persons are told apart: two texts of one number are one person."""
    return understood(normalized(item, missing), item.reading)


def null_for(value: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    """A text, NULL where it is one of these."""
    if not texts:
        return value
    return exp.Case(ifs=[exp.If(this=_is_one_of(value, texts), true=exp.null())], default=value)


def means_missing(value: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    """Whether a value is NULL or one of the texts."""
    is_null = exp.Is(this=value.copy(), expression=exp.null())
    return exp.or_(is_null, _is_one_of(value, texts)) if texts else is_null


def _is_one_of(value: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    return exp.In(this=value.copy(), expressions=[exp.Literal.string(text) for text in texts])


def distinct_values(rows: exp.Select, item: Column) -> exp.Select:
    """SELECT of the distinct raw values of one column as `value`.

    By GROUP BY, before which DuckDB leaves out joins that the column does not need; before DISTINCT it does not.
    """
    value = exp.alias_(column(item.key), "value", quoted=True)
    return exp.select(value).from_(rows.copy().subquery(state("rows"))).group_by(column(item.key))


def counted_values(rows: exp.Select, item: Column, *, weighted: bool) -> exp.Select:
    """SELECT of the distinct raw values of one column as `value` with their rows, which `weighted` ones count, as
    `row_count`.
    """
    total: exp.Expr = exp.Sum(this=column("row_count")) if weighted else exp.Count(this=exp.Star())
    counted = exp.alias_(exp.cast(total, "BIGINT"), "row_count", quoted=True)
    value = exp.alias_(column(item.key), "value", quoted=True)
    return exp.select(value, counted).from_(rows.copy().subquery(state("rows"))).group_by(column(item.key))


def or_missing(key: exp.Expr, found: exp.Expr, absent: exp.Expr | None) -> exp.Expr:
    """What a value becomes; a missing one finds no partner in a join and is given by itself."""
    if absent is None:
        return found
    is_missing = exp.Is(this=key, expression=exp.null())
    return exp.Case(ifs=[exp.If(this=is_missing, true=absent)], default=found)


_FRACTIONAL = ("DOUBLE", "FLOAT", "DECIMAL")


def text_of(item: Column, missing: Sequence[str]) -> exp.Expr:
    """The text that a cell is compared by, NULL where it is missing."""
    value = normalized(item, missing)
    reading = item.reading
    if reading is not None and reading.is_typed:
        # Beside values there are labels and texts of other tables, which stay as they are.
        value = exp.Case(ifs=[exp.If(this=fits(value, reading), true=understood(value, reading))], default=value.copy())
    return as_written(value, item.type)


def as_written(value: exp.Expr, kind: str) -> exp.Expr:
    """A value of a type (as DuckDB names it) as text."""
    if kind == "VARCHAR":
        return value
    if kind == "TIMESTAMP WITH TIME ZONE":
        value = exp.AtTimeZone(this=value, zone=exp.Literal.string("UTC"))
    text: exp.Expr = exp.cast(value, "VARCHAR")
    if kind.startswith(_FRACTIONAL):
        text = _replaced(text, r"([.][0-9]*?)0+$", r"\1")
        text = _replaced(text, "[.]$", "")
        return text if kind.startswith("DECIMAL") else _replaced(text, "^-0$", "0")
    return _replaced(text, " 00:00:00$", "") if kind.startswith("TIMESTAMP") else text


def _replaced(text: exp.Expr, pattern: str, by: str) -> exp.Expr:
    return exp.Anonymous(this="regexp_replace", expressions=[text, exp.Literal.string(pattern), exp.Literal.string(by)])


def counted_statement(backend: Backend, rows: exp.Select, columns: Sequence[Column]) -> exp.Expr:
    """The statement of the distinct combinations of columns and their rows, c0 ... and row_count.

    Raises ConfigurationError for columns of types that engines do not compare alike.
    """
    items: list[Item] = []
    for item in columns:
        column_type(backend.dialect, item.type, f"column {item.name!r}")
        value = column(item.key)
        # A text is one whatever its length is bounded by.
        items.append({"key": item.key, "value": exp.cast(value, "VARCHAR") if item.is_text else value})
    return template.fill("source/counted", {"source": rows}, {"qi": items})


def bring_counted(
    engine: Engine, backend: Backend, rows: exp.Select, columns: Sequence[Column], table: str
) -> exp.Select:
    """SELECT in DuckDB of the distinct combinations of columns, with the number of rows as row_count."""
    return backend.bring(engine, counted_statement(backend, rows, columns), counted_columns(columns), table)


def counted_columns(columns: Sequence[Column]) -> list[tuple[str, str]]:
    """(names, types) of combinations: the columns under their keys, and row_count."""
    return [*((item.key, item.type) for item in columns), ("row_count", "BIGINT")]
