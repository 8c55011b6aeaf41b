"""Values as texts that are compared between tables of different formats.

They are as a release writes them: numbers of a typed column without zeros at the end of their decimals, midnights as
dates, timestamps with a time zone in UTC; missing values are NULL.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.source.model import Column
from kanon_sql.source.values import normalized

_FRACTIONAL = ("DOUBLE", "FLOAT", "DECIMAL")


def text_of(item: Column, missing: Sequence[str]) -> exp.Expr:
    """The text that a cell is compared by, NULL where it is missing."""
    return as_written(normalized(item, missing), item.type)


def as_written(value: exp.Expr, kind: str) -> exp.Expr:
    """A value of a type (as DuckDB names it) as text."""
    if kind == "VARCHAR":
        return value
    if kind == "TIMESTAMP WITH TIME ZONE":
        value = exp.AtTimeZone(this=value, zone=exp.Literal.string("UTC"))
    text: exp.Expr = exp.cast(value, "VARCHAR")
    if kind.startswith(_FRACTIONAL):
        text = _replaced(text, r"([.][0-9]*?)0+$", r"\1")
        return _replaced(text, "[.]$", "")
    return _replaced(text, " 00:00:00$", "") if kind.startswith("TIMESTAMP") else text


def _replaced(text: exp.Expr, pattern: str, by: str) -> exp.Expr:
    return exp.Anonymous(this="regexp_replace", expressions=[text, exp.Literal.string(pattern), exp.Literal.string(by)])
