"""The built-in date against the calendar of Python."""

from __future__ import annotations

import calendar
from datetime import date, datetime, timedelta

import pytest
from builtin_labels import build, engine, few, labels, left_out
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.sql.connection import Engine

__all__ = ["engine"]


def periods(moment: datetime) -> dict[str, str]:
    decade, century = moment.year // 10 * 10, moment.year // 100 * 100
    return {
        "hour": f"{moment:%Y-%m-%dT%H}",
        "day": f"{moment:%Y-%m-%d}",
        "month": f"{moment:%Y-%m}",
        "quarter": f"{moment:%Y}-Q{(moment.month + 2) // 3}",
        "year": f"{moment:%Y}",
        "decade": f"{decade}-{decade + 9}",
        "century": f"{century}-{century + 99}",
    }


LEVELS = ["hour", "day", "month", "quarter", "year", "decade", "century"]
# strftime writes years below 1000 without their zeros on some systems.
moments = st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31))
some_levels = st.sets(st.sampled_from(LEVELS), min_size=1).map(lambda some: sorted(some, key=LEVELS.index))


@few
@given(
    st.sets(moments, min_size=1, max_size=40),
    some_levels,
    st.sampled_from(["VARCHAR", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP_MS"]),
)
def test_timestamps(engine: Engine, values: set[datetime], levels: list[str], column_type: str) -> None:
    if column_type == "TIMESTAMP_NS":
        values = {value.replace(year=1700 + value.year % 500, day=min(value.day, 28)) for value in values}
    mapping = build(engine, [value.isoformat(" ") for value in values], column_type, builtin="date", levels=levels)
    label_rows = {tuple(row) for row in labels(engine, mapping).values()}
    assert label_rows == {tuple(periods(value)[level] for level in levels) for value in values}
    assert left_out(engine, mapping) == 0


@few
@given(st.sets(st.dates(date(1000, 1, 1)), min_size=1, max_size=40), some_levels, st.sampled_from(["VARCHAR", "DATE"]))
def test_dates(engine: Engine, values: set[date], levels: list[str], column_type: str) -> None:
    mapping = build(engine, [value.isoformat() for value in values], column_type, builtin="date", levels=levels)
    assert labels(engine, mapping) == {
        value.isoformat(): tuple(periods(datetime(value.year, value.month, value.day))[level] for level in levels)
        for value in values
    }


@few
@given(moments, st.integers(-14, 14))
def test_timestamps_with_zone_are_read_in_utc(engine: Engine, moment: datetime, offset: int) -> None:
    moment = moment.replace(year=1900 + moment.year % 200, day=min(moment.day, 28), microsecond=0)
    text = f"{moment.isoformat(' ')}{'-' if offset < 0 else '+'}{abs(offset):02d}"
    mapping = build(engine, [text], "TIMESTAMPTZ", builtin="date", levels=LEVELS)
    expected = periods(moment - timedelta(hours=offset))
    assert list(labels(engine, mapping).values()) == [tuple(expected[level] for level in LEVELS)]


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05",
        " 2024-03-05 ",
        "2024-03-05T14",
        "2024-03-05 14:07",
        "2024-03-05T14:07:08",
        "2024-03-05t14:07:08z",
        "2024-03-05T14:07:08.123456789Z",
        "2024-03-05 14:07:08,5",
        "2024-03-05T14:07+02:00",
        "2024-03-05T23:59:59-0800",
        "2024-03-05 00:30:00+14",
    ],
)
def test_texts_that_are_iso_dates(engine: Engine, text: str) -> None:
    mapping = build(engine, [text], "VARCHAR", builtin="date", levels=["day", "year"])
    assert labels(engine, mapping) == {text: ("2024-03-05", "2024")}


NO_DATES = [
    "",
    "x",
    "2024",
    "2024-03",
    "2024-3-5",
    "20240305",
    "05.03.2024",
    "03/05/2024",
    "2024-02-30",
    "2023-02-29",
    "2024-13-01",
    "2024-03-05T25:00",
    "2024-03-05T14:60",
    "2024-03-05x",
    "infinity",
    "epoch",
    "today",
    "2024-03-05\n2024",
    "٢٠٢٤-03-05",
]


def test_texts_that_are_no_dates_are_uncovered(engine: Engine) -> None:
    mapping = build(engine, [*NO_DATES, "2024-03-05"], "VARCHAR", builtin="date", levels=["year"])
    assert left_out(engine, mapping) == len(NO_DATES)
    assert list(labels(engine, mapping)) == ["2024-03-05"]


def test_dates_beyond_four_digits(engine: Engine) -> None:
    mapping = build(
        engine,
        ["0044-03-15 (BC)", "20240-01-01", "0007-01-01", "infinity", "-infinity"],
        "DATE",
        builtin="date",
        levels=["month", "quarter", "year", "decade", "century"],
    )
    assert labels(engine, mapping) == {
        "0044-03-15 (BC)": ("-0043-03", "-0043-Q1", "-0043", "-50--41", "-100--1"),
        "20240-01-01": ("20240-01", "20240-Q1", "20240", "20240-20249", "20200-20299"),
        "0007-01-01": ("0007-01", "0007-Q1", "0007", "0-9", "0-99"),
    }
    assert left_out(engine, mapping) == 2


@pytest.mark.parametrize("column_type", ["INTEGER", "BOOLEAN", "DOUBLE"])
def test_other_types_hold_no_dates(engine: Engine, column_type: str) -> None:
    mapping = build(engine, ["1", "0"], column_type, builtin="date", levels=["year"])
    assert left_out(engine, mapping) == 2


def test_every_day_of_a_leap_year(engine: Engine) -> None:
    days = [
        date(2024, month, day) for month in range(1, 13) for day in range(1, calendar.monthrange(2024, month)[1] + 1)
    ]
    mapping = build(engine, [day.isoformat() for day in days], "DATE", builtin="date", levels=["month", "quarter"])
    sizes = engine.connection.execute(
        f"SELECT leaves FROM {mapping.weight_table} WHERE level = 2 AND code > 0 ORDER BY code"
    ).fetchall()
    assert sizes == [(91,), (91,), (92,), (92,)]
