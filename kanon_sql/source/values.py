"""Values of a column as statements read them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.source.model import Column
from kanon_sql.sql.template import column, state


def normalized(item: Column, missing: Sequence[str]) -> exp.Expr:
    """The value that the models read: texts that mean missing are NULL."""
    value: exp.Expr = column(item.key)
    if item.is_text and missing:
        texts = [exp.Literal.string(text) for text in missing]
        value = exp.Case(
            ifs=[exp.If(this=exp.In(this=value.copy(), expressions=texts), true=exp.null())], default=value
        )
    return value


def distinct_values(rows: exp.Select, item: Column) -> exp.Select:
    """SELECT of the distinct raw values of one column as `value`."""
    value = exp.alias_(column(item.key), "value", quoted=True)
    return exp.select(value).from_(rows.copy().subquery(state("rows"))).distinct()
