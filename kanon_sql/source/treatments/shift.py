"""Dates moved by days: all dates of one entity by as many, so that their order and the intervals between them hold."""

from __future__ import annotations

from datetime import date, timedelta

from sqlglot import exp

from kanon_sql.settings.columns import directives
from kanon_sql.settings.treatments import ShiftConfig, TreatmentConfig
from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import understood
from kanon_sql.source.treatments.keys import drawn, fingerprint, keyed_digits, made_of, text_in_csv, text_problem
from kanon_sql.source.treatments.treatment import Cell, Json, Treatment
from kanon_sql.sql.dialects import marked, own, own_cast

_FIRST, _LAST = date(1, 1, 1), date(9999, 12, 31)
_OF_TWO_DIGITS = date(1969, 1, 1), date(2068, 12, 31)
_TYPES = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP WITH TIME ZONE")


class Shift(Treatment):
    """Dates and timestamps move by -days to days, of which HMAC-SHA-256 over the entity's text decides.

    Rows without entity are one entity. A timestamp with a time zone moves by as many times 24 hours.
    """

    key = "shift"
    needs = "moment"

    def problem(self, source: Source, item: Column, one: TreatmentConfig) -> str | None:
        config = _config(one)
        by = next((other for other in source.columns if other.name == config.by), None)
        if by is None:
            return f"there is no column {config.by!r} in {source.label}, by which it is shifted; correct shift.by"
        unfit = text_problem(by, source.backend.dialect)
        if unfit is not None:
            return f"column {config.by!r} says by how many days, but {unfit}"
        if not item.is_text:
            return None if item.type in _TYPES else f"values of type {item.type[:40]} are not shifted; cast them"
        if item.reading is not None and item.reading.format is not None:
            if source.backend.dialect.name != "duckdb":
                return "only DuckDB shifts texts of a format; cast the column to a date in source.query"
            if "d" not in directives(item.reading.format):
                return "its format has no day (%d), which is what is shifted; round its dates instead"
        return None

    def value(self, cell: Cell) -> exp.Expr:
        days = _days(cell)
        add = _ADDED[cell.dialect.name]
        if not cell.item.is_text:
            return add(cell.value.copy(), days, cell.item.type)
        reading = cell.item.reading
        if reading is not None and reading.format is not None:
            read = own("try_strptime", cell.written.copy(), reading.format)
            return own("strftime", add(read, days, "TIMESTAMP"), reading.format)
        day = exp.cast(own("substr", cell.written.copy(), 1, 10), "DATE")
        moved = add(day, days, "DATE")
        text = own("to_char", moved, "YYYY-MM-DD") if cell.dialect.name == "postgres" else exp.cast(moved, "VARCHAR")
        return marked(exp.DPipe(this=text, expression=own("substr", cell.written.copy(), 11), safe=True))

    def outside(self, cell: Cell) -> exp.Expr | None:
        first, last = _FIRST, _LAST
        reading = cell.item.reading
        value: exp.Expr = cell.value.copy()
        if cell.item.is_text and (reading is None or reading.format is None):
            value = own("substr", cell.written.copy(), 1, 10)
        elif reading is not None and reading.format is not None and "y" in directives(reading.format):
            first, last = _OF_TWO_DIGITS
        days = timedelta(_config(cell.one).days)
        day = exp.cast(value, "DATE")
        ends = [exp.cast(exp.Literal.string(end.isoformat()), "DATE") for end in (first + days, last - days)]
        return exp.or_(exp.LT(this=day, expression=ends[0]), exp.GT(this=day.copy(), expression=ends[1]))

    def told_outside(self, one: TreatmentConfig) -> str:
        days = _config(one).days
        return (
            f"lie within {days} days of the first or the last date that there is, and could be moved beyond it; name "
            "those that mean no date in source.missing or source.columns, or mend them"
        )

    def describe(self, one: TreatmentConfig) -> Json:
        config = _config(one)
        return {"key": fingerprint(config.key), "by": config.by, "days": config.days, "weeks": config.weeks}


def _config(one: TreatmentConfig) -> ShiftConfig:
    assert one.shift is not None
    return one.shift


def _days(cell: Cell) -> exp.Expr:
    """By how many days a value is moved."""
    config = _config(cell.one)
    by, value = cell.others[config.by]
    text = text_in_csv(by, value)
    if by.is_text:
        value = null_for(value, cell.missing)
    if by.reading is not None and by.reading.type == "number":
        value = understood(value, by.reading)
    entity = exp.Coalesce(this=text_in_csv(by, value), expressions=[exp.Literal.string("")])
    digits = keyed_digits(entity, b"", cell.keys.pads(config.key, shift=True), cell.dialect)
    most = config.days // 7 if config.weeks else config.days
    number: exp.Expr = exp.paren(exp.Sub(this=drawn(digits, 2 * most + 1, cell.dialect), expression=_number(most)))
    if config.weeks:
        number = exp.paren(exp.Mul(this=number, expression=_number(7)))
    return made_of(number, text, of_missing=True)


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)


def _added_in_duckdb(value: exp.Expr, days: exp.Expr, kind: str) -> exp.Expr:
    if kind == "DATE":
        return exp.Add(this=value, expression=exp.cast(days, "INTEGER"))
    if kind == "TIMESTAMP WITH TIME ZONE":
        return exp.Add(this=value, expression=own("to_hours", exp.Mul(this=_number(24), expression=days)))
    moved = exp.Add(this=value, expression=own("to_days", exp.cast(days, "INTEGER")))
    return moved if kind == "TIMESTAMP" else exp.cast(moved, exp.DataType.build(kind, dialect="duckdb"))


def _added_in_postgres(value: exp.Expr, days: exp.Expr, kind: str) -> exp.Expr:
    whole = own_cast(days, "INT", "postgres")
    if kind == "DATE":
        return exp.Add(this=value, expression=whole)
    if kind == "TIMESTAMP WITH TIME ZONE":
        hours = own("make_interval", 0, 0, 0, 0, exp.Mul(this=_number(24), expression=whole))
        return exp.Add(this=value, expression=hours)
    return exp.Add(this=value, expression=own("make_interval", 0, 0, 0, whole))


def _added_in_spark(value: exp.Expr, days: exp.Expr, kind: str) -> exp.Expr:
    whole = own_cast(days, "INT", "spark")
    if kind == "DATE":
        return own("date_add", value, whole)
    return exp.Add(this=value, expression=own("make_dt_interval", whole))


_ADDED = {
    "duckdb": _added_in_duckdb,
    "postgres": _added_in_postgres,
    "spark": _added_in_spark,
    "databricks": _added_in_spark,
}
