"""Dates in formats, taken apart by plain functions, are those that strptime reads and strftime writes."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_engine import shared
from sqlglot import exp

from kanon_sql.source.reading import Reading
from kanon_sql.source.treatments.formatted import Formatted
from kanon_sql.sql.dialects import find_dialect
from kanon_sql.sql.template import text

FORMATS = ["%d.%m.%Y", "%Y%m%d", "%m/%d/%y", "%B %d, %Y", "%d-%b-%Y %I:%M %p", "%Y-%m-%d %H:%M:%S.%f", "%m/%Y", "%Y"]
MOMENTS = st.datetimes(datetime(1969, 1, 1), datetime(2068, 12, 31))


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=tries(10), deadline=None)
@given(at=MOMENTS, bare=st.booleans(), days=st.integers(0, 400), unit=st.sampled_from(["day", "month", "year"]))
def test_a_date_is_read_and_written_as_strptime_does(form: str, at: datetime, bare: bool, days: int, unit: str) -> None:
    compared(form, at, days, unit, bare=bare)


@pytest.mark.parametrize("form", FORMATS)
def test_so_is_one(form: str) -> None:
    compared(form, datetime(2024, 2, 29, 21, 5, 9, 120), 366, "year", bare=True)


def compared(form: str, at: datetime, days: int, unit: str, *, bare: bool) -> None:
    written = at.strftime(form)
    if bare and form[2:3] in (".", "/", "-"):  # zeros before one digit may be left out
        parts = zip(written.split(form[2]), form.split(form[2]), strict=True)
        written = form[2].join(part.removeprefix("0") if token in ("%d", "%m") else part for part, token in parts)
    value = Formatted(exp.Literal.string(written), Reading("timestamp", form), find_dialect("duckdb"))
    moved = exp.cast(exp.Literal.string((at + timedelta(days)).date().isoformat()), "DATE")
    got = exp.select(value.day(), value.moved(moved), value.first_of(unit))
    with shared() as connection:
        day, other, first = connection.execute(text(got)).fetchall()[0]
        read, begin = connection.execute(
            "SELECT m, strftime(date_trunc($unit, m), $form) "
            "FROM (SELECT CAST(strptime($text, $form) AS TIMESTAMP) AS m)",
            {"unit": unit, "form": form, "text": written},
        ).fetchall()[0]
        then = datetime.combine((at + timedelta(days)).date(), read.time())
        ((after,),) = connection.execute(
            "SELECT strftime(CAST($at AS TIMESTAMP), $form)", {"at": then, "form": form}
        ).fetchall()
    assert (day, other, first) == (read.date(), after, begin)


@pytest.mark.parametrize("wrong", ["30.02.2024", "1.13.2024", "", "?", "01.01.24", " 1.1.2024"])
def test_what_does_not_fit_is_no_date(wrong: str) -> None:
    value = Formatted(exp.Literal.string(wrong), Reading("date", "%d.%m.%Y"), find_dialect("duckdb"))
    with shared() as connection:
        assert connection.execute(text(exp.select(value.day()))).fetchall() == [(None,)]
