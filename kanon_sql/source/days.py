"""Dates in columns: how texts of them are written, and the day of a value."""

from __future__ import annotations

from sqlglot import exp

from kanon_sql.source.model import Column
from kanon_sql.source.reading import understood


def as_day(value: exp.Expr, col: Column) -> exp.Expr:
    """The day of a value: of a text its first ten characters if no format says otherwise, of a moment that in UTC."""
    day = exp.DataType.build("DATE")
    if col.is_text:
        text = exp.Substring(this=iso_text(value, col), start=exp.Literal.number(1), length=exp.Literal.number(10))
        return exp.TryCast(this=text, to=day)
    if col.type == "TIMESTAMP WITH TIME ZONE":
        # Else it were the day where this machine is.
        value = exp.AtTimeZone(this=value, zone=exp.Literal.string("UTC"))
    return exp.cast(value, day)


def iso_text(value: exp.Expr, col: Column) -> exp.Expr:
    """A text of dates as it is understood."""
    return understood(value, col.reading) if date_format(col) is not None else value


def date_format(col: Column) -> str | None:
    """How the dates of a column of texts are written, None where they are ISO 8601."""
    return col.reading.format if col.reading is not None and col.reading.type in ("date", "timestamp") else None
