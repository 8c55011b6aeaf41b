"""Dates cut to their day, month or year: the first day of it is released."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp

from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.model import Column, Source
from kanon_sql.source.treatments.treatment import Cell, Json, Treatment
from kanon_sql.sql.dialects import Dialect, marked, own

_TYPES = ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS")
# How many characters of an ISO date stay, and what follows.
_KEPT = {"day": (10, ""), "month": (7, "-01"), "year": (4, "-01-01")}
# How the text of such a date ends.
_ENDS = {"day": "-__", "month": "-__-01", "year": "-01-01"}


class Cut(Treatment):
    """`cut: month`: 2024-05-17 becomes 2024-05-01; of a timestamp it is the first moment."""

    key: ClassVar[str] = "cut"
    needs = "moment"

    def problem(self, source: Source, item: Column, one: TreatmentConfig) -> str | None:
        """A type whose days depend on the place, or a format that only DuckDB writes."""
        if not item.is_text:
            return None if item.type in _TYPES else f"values of type {item.type[:40]} are not cut; cast them"
        written = item.reading.format if item.reading is not None else None
        if written is None:
            return None
        if source.backend.dialect.name != "duckdb":
            return "only DuckDB cuts texts of a format; cast the column to a date in source.query"
        return None

    def value(self, cell: Cell) -> exp.Expr:
        """The first moment of the day, month or year."""
        unit, reading = str(cell.one.cut), cell.item.reading
        if not cell.item.is_text:
            first = own("date_trunc", unit, exp.cast(cell.value.copy(), "TIMESTAMP"))
            to = marked(exp.DataType.build(cell.item.type, dialect="duckdb"))
            return exp.Cast(this=first, to=to)
        if reading is not None and reading.format is not None:
            moment = own("try_strptime", cell.written.copy(), reading.format)
            return own("strftime", own("date_trunc", unit, exp.cast(moment, "TIMESTAMP")), reading.format)
        length, rest = _KEPT[unit]
        kept = own("substr", cell.written.copy(), 1, length)
        return exp.DPipe(this=kept, expression=exp.Literal.string(rest), safe=True)

    def holds(self, value: exp.Expr, item: Column, one: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        """The text of the date ends as a first day's does, with no time of day."""
        if item.is_text and item.reading is not None and item.reading.format is not None:
            value = own("try_strptime", value.copy(), item.reading.format)
        text = exp.cast(value.copy(), "VARCHAR")
        ends = _ENDS[str(one.cut)]
        shapes = [
            exp.Like(this=text.copy(), expression=exp.Literal.string(f"%{ends}{time}")) for time in ("", " 00:00:00")
        ]
        return exp.or_(*shapes)

    def broken(self, one: TreatmentConfig) -> str:
        return f"are no first moments of a {one.cut}"

    def describe(self, one: TreatmentConfig) -> Json:
        return {"to": str(one.cut)}
