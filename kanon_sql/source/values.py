"""Values of a column as statements read them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.source.model import Column
from kanon_sql.sql.template import column, state


def normalized(item: Column, missing: Sequence[str]) -> exp.Expr:
    """The value that the models read: texts that mean missing are NULL."""
    return null_for(column(item.key), missing if item.is_text else ())


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
    """SELECT of the distinct raw values of one column as `value`."""
    value = exp.alias_(column(item.key), "value", quoted=True)
    return exp.select(value).from_(rows.copy().subquery(state("rows"))).distinct()


def or_missing(key: exp.Expr, found: exp.Expr, absent: exp.Expr | None) -> exp.Expr:
    """What a value becomes; a missing one finds no partner in a join and is given by itself."""
    if absent is None:
        return found
    is_missing = exp.Is(this=key, expression=exp.null())
    return exp.Case(ifs=[exp.If(this=is_missing, true=absent)], default=found)
