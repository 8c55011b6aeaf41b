"""Dates cut to their day, month or year: the first day of it is released."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp

from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.model import Column, Source
from kanon_sql.source.treatments.formatted import Formatted
from kanon_sql.source.treatments.treatment import Json, TreatedValue, Treatment
from kanon_sql.sql.dialects import Dialect, marked, own

_TYPES = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS")
# How many characters of an ISO date stay, and what replaces the others.
_KEPT = {"day": (10, ""), "month": (7, "-01"), "year": (4, "-01-01")}
# How the text of such a date ends.
_ENDS = {"day": "-__", "month": "-__-01", "year": "-01-01"}


class Cut(Treatment):
    """`cut: month`: 2024-05-17 becomes 2024-05-01; of a timestamp it is the first moment."""

    key: ClassVar[str] = "cut"
    needs = "moment"
    dialects = ("duckdb", "spark", "databricks", "postgres")

    def problem(self, source: Source, column: Column, config: TreatmentConfig) -> str | None:
        if column.is_text or column.type in _TYPES:
            return None
        return f"values of type {column.type[:40]} are not cut; cast them"

    def value(self, cell: TreatedValue) -> exp.Expr:
        unit, reading = str(cell.config.cut), cell.column.reading
        if not cell.column.is_text:
            first = own("date_trunc", unit, exp.cast(cell.value.copy(), "TIMESTAMP"))
            to = marked(exp.DataType.build(cell.column.type, dialect="duckdb"))
            return exp.Cast(this=first, to=to)
        if reading is not None and reading.format is not None:
            if cell.dialect.name != "duckdb":
                return Formatted(cell.written, reading, cell.dialect).first_of(unit)
            moment = own("try_strptime", cell.written.copy(), reading.format)
            return own("strftime", own("date_trunc", unit, exp.cast(moment, "TIMESTAMP")), reading.format)
        length, rest = _KEPT[unit]
        kept = own("substr", cell.written.copy(), 1, length)
        return exp.DPipe(this=kept, expression=exp.Literal.string(rest), safe=True)

    def holds(self, value: exp.Expr, column: Column, config: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        """Whether the text of the date ends as that of a first day does, without a time of day."""
        if column.is_text and column.reading is not None and column.reading.format is not None:
            if dialect.name != "duckdb":
                return value.eq(Formatted(value, column.reading, dialect).first_of(str(config.cut)))
            value = own("try_strptime", value.copy(), column.reading.format)
        text = exp.cast(value.copy(), "VARCHAR")
        ends = _ENDS[str(config.cut)]
        shapes = [
            exp.Like(this=text.copy(), expression=exp.Literal.string(f"%{ends}{time}")) for time in ("", " 00:00:00")
        ]
        return exp.or_(*shapes)

    def broken(self, config: TreatmentConfig) -> str:
        return f"are no first moments of a {config.cut}"

    def describe(self, config: TreatmentConfig) -> Json:
        return {"to": str(config.cut)}
