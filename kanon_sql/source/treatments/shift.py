"""Dates moved by days, all dates of one entity by the same number, so that their order and intervals stay."""

from __future__ import annotations

from datetime import date, timedelta

from sqlglot import exp

from kanon_sql.settings.columns import directives
from kanon_sql.settings.treatments import ShiftConfig, TreatmentConfig
from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import understood
from kanon_sql.source.treatments.formatted import Formatted
from kanon_sql.source.treatments.keys import drawn, fingerprint, keyed_digits, made_of, text_in_csv, text_problem
from kanon_sql.source.treatments.treatment import Json, TreatedValue, Treatment
from kanon_sql.sql.dialects import marked, own

_FIRST, _LAST = date(1, 1, 1), date(9999, 12, 31)
_OF_TWO_DIGITS = date(1969, 1, 1), date(2068, 12, 31)
_TYPES = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP WITH TIME ZONE")


class Shift(Treatment):
    """Dates and timestamps move by between -days and days, drawn by HMAC-SHA-256 of the entity's text.

    Rows without an entity count as one entity. A timestamp with a time zone moves by as many times 24 hours.
    """

    key = "shift"
    needs = "moment"
    dialects = ("duckdb", "spark", "databricks", "postgres")

    def problem(self, source: Source, column: Column, config: TreatmentConfig) -> str | None:
        shift = _shift_of(config)
        by = next((other for other in source.columns if other.name == shift.by), None)
        if by is None:
            return f"there is no column {shift.by!r} in {source.label}, by which it is shifted; correct shift.by"
        unfit = text_problem(by, source.backend.dialect)
        if unfit is not None:
            return f"column {shift.by!r} says by how many days, but {unfit}"
        if not column.is_text:
            return None if column.type in _TYPES else f"values of type {column.type[:40]} are not shifted; cast them"
        written = None if column.reading is None else column.reading.format
        if written is not None and "d" not in directives(written):
            return "its format has no day (%d), which is what is shifted; round its dates instead"
        return None

    def value(self, cell: TreatedValue) -> exp.Expr:
        days = _days(cell)
        add = cell.dialect.add_days
        if not cell.column.is_text:
            return add(cell.value.copy(), days, cell.column.type)
        reading = cell.column.reading
        if reading is not None and reading.format is not None:
            if cell.dialect.name != "duckdb":
                text = Formatted(cell.written, reading, cell.dialect)
                return text.moved(add(text.day(), days, "DATE"))
            read = own("try_strptime", cell.written.copy(), reading.format)
            return own("strftime", add(read, days, "TIMESTAMP"), reading.format)
        day = exp.cast(own("substr", cell.written.copy(), 1, 10), "DATE")
        moved, rest = cell.dialect.date_text(add(day, days, "DATE")), own("substr", cell.written.copy(), 11)
        return marked(exp.DPipe(this=moved, expression=rest, safe=True))

    def outside(self, cell: TreatedValue) -> exp.Expr | None:
        first, last = _FIRST, _LAST
        reading = cell.column.reading
        value: exp.Expr = cell.value.copy()
        if cell.column.is_text and (reading is None or reading.format is None):
            value = own("substr", cell.written.copy(), 1, 10)
        elif reading is not None and reading.format is not None:
            first, last = _OF_TWO_DIGITS if "y" in directives(reading.format) else (first, last)
            if cell.column.is_text and cell.dialect.name != "duckdb":
                value = Formatted(cell.written, reading, cell.dialect).day()
        days = timedelta(_shift_of(cell.config).days)
        day = exp.cast(value, "DATE")
        ends = [exp.cast(exp.Literal.string(end.isoformat()), "DATE") for end in (first + days, last - days)]
        return exp.or_(exp.LT(this=day, expression=ends[0]), exp.GT(this=day.copy(), expression=ends[1]))

    def outside_problem(self, config: TreatmentConfig) -> str:
        days = _shift_of(config).days
        return (
            f"lie within {days} days of the first or the last date that there is, and could be moved beyond it; name "
            "those that mean no date in source.missing or source.columns, or mend them"
        )

    def describe(self, config: TreatmentConfig) -> Json:
        shift = _shift_of(config)
        return {"key": fingerprint(shift.key), "by": shift.by, "days": shift.days, "weeks": shift.weeks}


def _shift_of(config: TreatmentConfig) -> ShiftConfig:
    assert config.shift is not None
    return config.shift


def _days(cell: TreatedValue) -> exp.Expr:
    """The number of days by which a value is moved, determined by its entity."""
    shift = _shift_of(cell.config)
    by, value = cell.others[shift.by]
    text = text_in_csv(by, value)
    if by.is_text:
        value = null_for(value, cell.missing)
    if by.reading is not None and by.reading.type == "number":
        value = understood(value, by.reading)
    entity = exp.Coalesce(this=text_in_csv(by, value), expressions=[exp.Literal.string("")])
    digits = keyed_digits(entity, b"", cell.keys.pads(shift.key, shift=True), cell.dialect)
    most = shift.days // 7 if shift.weeks else shift.days
    number: exp.Expr = exp.paren(exp.Sub(this=drawn(digits, 2 * most + 1, cell.dialect), expression=_number(most)))
    if shift.weeks:
        number = exp.paren(exp.Mul(this=number, expression=_number(7)))
    return made_of(number, text, of_missing=True)


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)
