"""Built-in hierarchies against the same arithmetic in Python."""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.engine.connection import Engine
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.mapping import Mapping, build_mapping, uncovered, uncovered_examples

Labels = dict[str, tuple[str, ...]]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        yield Engine(connection)


def distinct(engine: Engine, values: Sequence[Any], column_type: str) -> exp.Select:
    """A table with these values in this type, NULL among them, as what the source gives."""
    engine.connection.execute(f"CREATE OR REPLACE TEMP TABLE data (value {column_type})")
    texts = list(dict.fromkeys(values))
    engine.connection.execute(
        f"INSERT INTO data SELECT DISTINCT CAST(unnest(CAST($v AS VARCHAR[])) AS {column_type})",  # noqa: S608
        {"v": [*texts, None]},
    )
    return exp.select("value").from_("data")


def build(engine: Engine, values: Sequence[Any], column_type: str, missing: tuple[str, ...] = (), **options: Any) -> Mapping:
    select = distinct(engine, values, column_type)
    return build_mapping(
        engine, index=7, column="c", column_type=column_type, spec=QuasiIdentifier(**options), hierarchy=None,
        distinct=select, missing=missing, place="c.yaml:4",
    )


def labels(engine: Engine, mapping: Mapping) -> Labels:
    """The labels of every value by its text; also that each level is a function of the level below."""
    names = ", ".join(f"CAST(label_{level} AS VARCHAR)" for level in range(mapping.height + 1))
    rows = engine.connection.execute(f"SELECT {names} FROM {mapping.table} WHERE level_0 > 0").fetchall()  # noqa: S608
    for level in range(mapping.height):
        assert len({(row[level], row[level + 1]) for row in rows}) == len({row[level] for row in rows})
    assert all(row[-1] == "*" for row in rows)
    return {row[0]: row[1:-1] for row in rows}


def left_out(engine: Engine, mapping: Mapping) -> int:
    return uncovered(engine, mapping, exp.select("value").from_("data"))


# suppress and prefix


def test_suppress(engine: Engine) -> None:
    mapping = build(engine, ["a", "b", "*", ""], "VARCHAR", builtin="suppress")
    assert labels(engine, mapping) == {"a": (), "b": (), "*": (), "": ()}
    assert (mapping.height, mapping.leaves, mapping.builtin) == (1, 4, "suppress")
    assert left_out(engine, mapping) == 0


@given(
    st.sets(st.text(alphabet="019*aé😀\x00\n'\"% ", max_size=8), max_size=20),
    st.sets(st.integers(0, 9), min_size=1, max_size=4),
)
def test_prefix(engine: Engine, values: set[str], keep: set[int]) -> None:
    kept = sorted(keep, reverse=True)
    mapping = build(engine, sorted(values), "VARCHAR", builtin="prefix", keep=kept)
    expected = {value: tuple(value[:n] + "*" * (len(value) - n) for n in kept) for value in values}
    assert labels(engine, mapping) == expected
    assert mapping.leaves == max(len(values), 1)
    assert left_out(engine, mapping) == 0


def test_prefix_of_numbers(engine: Engine) -> None:
    mapping = build(engine, [2139, 12], "INTEGER", builtin="prefix", keep=[3])
    assert labels(engine, mapping) == {"2139": ("213*",), "12": ("12",)}


# intervals


def interval(value: Fraction, width: Decimal, origin: Decimal, *, whole: bool) -> str:
    """The label of an interval, by exact arithmetic and floor."""
    lower = Fraction(origin) + floor((value - Fraction(origin)) / Fraction(width)) * Fraction(width)
    upper = lower + Fraction(width)
    assert lower <= value < upper
    if whole:
        return f"{lower}-{upper - 1}"
    return f"[{decimal_text(lower)}, {decimal_text(upper)})"


def decimal_text(number: Fraction) -> str:
    scaled = number * 10**60
    assert scaled.denominator == 1
    sign = "-" if scaled < 0 else ""
    digits = str(abs(scaled.numerator)).rjust(61, "0")
    return (sign + digits[:-60] + "." + digits[-60:]).rstrip("0").rstrip(".")


whole_numbers = st.integers(-(10**38) + 1, 10**38 - 1) | st.integers(-60, 60)


@given(
    st.sets(whole_numbers, min_size=1, max_size=20),
    st.integers(1, 10**12),
    st.lists(st.integers(1, 6), max_size=3),
    st.integers(-(10**9), 10**9),
    st.booleans(),
)
def test_intervals_of_integers(
    engine: Engine, values: set[int], width: int, factors: list[int], origin: int, zeros: bool
) -> None:
    widths = [Decimal(width)]
    for factor in factors:
        widths.append(widths[-1] * factor)
    texts = {("-" if value < 0 else "") + ("00" if zeros else "") + str(abs(value)): value for value in values}
    mapping = build(engine, list(texts), "VARCHAR", builtin="intervals", widths=widths, origin=Decimal(origin))
    assert labels(engine, mapping) == {
        text: tuple(interval(Fraction(value), w, Decimal(origin), whole=True) for w in widths)
        for text, value in texts.items()
    }
    assert left_out(engine, mapping) == 0


@given(
    st.sets(st.decimals(-(10**9), 10**9, places=5) | st.decimals(-9, 9, places=2), min_size=1, max_size=20),
    st.decimals("0.001", 10**6, places=3),
    st.lists(st.integers(1, 6), max_size=3),
    st.decimals(-1000, 1000, places=2),
)
def test_intervals_of_decimals(
    engine: Engine, values: set[Decimal], width: Decimal, factors: list[int], origin: Decimal
) -> None:
    widths = [width]
    for factor in factors:
        widths.append(widths[-1] * factor)
    mapping = build(engine, [f"{v:f}" for v in values], "VARCHAR", builtin="intervals", widths=widths, origin=origin)
    whole = all(number == int(number) for number in [*values, *widths, origin])
    # Trailing zeros of 2.00 make no difference: the integers among numbers decide.
    integers = all(Fraction(v).denominator == 1 for v in values)
    scale_free = all(Fraction(n).denominator == 1 for n in [*widths, origin])
    assert whole == (integers and scale_free)
    assert labels(engine, mapping) == {
        f"{value:f}": tuple(interval(Fraction(value), w, origin, whole=whole) for w in widths) for value in values
    }


@given(st.sets(st.floats(-1e15, 1e15) | st.floats(-1, 1), min_size=1, max_size=20))
def test_intervals_of_doubles_are_those_of_what_is_shown(engine: Engine, values: set[float]) -> None:
    distinct(engine, [repr(value) for value in values], "DOUBLE")
    shown = [row[0] for row in engine.run("SELECT CAST(value AS VARCHAR) FROM data WHERE value IS NOT NULL")]
    mapping = build(engine, shown, "DOUBLE", builtin="intervals", widths=[Decimal("0.1"), Decimal(1)])
    assert labels(engine, mapping) == {
        text: tuple(interval(Fraction(text), width, Decimal(0), whole=False) for width in (Decimal("0.1"), Decimal(1)))
        for text in shown
    }


def test_intervals_floor_and_do_not_truncate(engine: Engine) -> None:
    mapping = build(engine, ["-5", "-10", "-11", "0", "-1", "9", "10"], "INTEGER", builtin="intervals", widths=[10, 20])
    assert labels(engine, mapping) == {
        "-5": ("-10--1", "-20--1"), "-10": ("-10--1", "-20--1"), "-11": ("-20--11", "-20--1"), "0": ("0-9", "0-19"),
        "-1": ("-10--1", "-20--1"), "9": ("0-9", "0-19"), "10": ("10-19", "0-19"),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("43", "40-44"), ("043", "40-44"), ("+43", "40-44"), (" 43 ", "40-44"), ("43.", "40-44"), ("43.0", "40-44"),
        ("4.3e1", "40-44"), ("430E-1", "40-44"), ("-0", "0-4"), ("0e99", "0-4"), ("0000", "0-4"),
        ("43.5", "[40, 45)"), (".5", "[0, 5)"), ("-0.5", "[-5, 0)"), ("1e-400", "[0, 5)"), ("-1e-400", "[-5, 0)"),
        ("-5.0000000000000000000000000000000000000000001", "[-10, -5)"),
        ("0." + "0" * 60 + "1", "[0, 5)"), ("0" * 60 + "7", "5-9"), ("9" * 38, "9" * 37 + "5-" + "9" * 38),
    ],
)
def test_numerals(engine: Engine, text: str, expected: str) -> None:
    mapping = build(engine, [text], "VARCHAR", builtin="intervals", widths=[5])
    assert labels(engine, mapping)[text] == (expected,)


@pytest.mark.parametrize(
    "text", ["", " ", "x", ".", "-", "+", "e5", "1e", "1e5.5", "0x10", "1_000", "1,5", "٣", "nan", "inf", "1" + "0" * 38, "1e38", "1e99999", "5\n6", "5\x006", "½"],
)
def test_texts_that_are_no_numbers_are_uncovered(engine: Engine, text: str) -> None:
    mapping = build(engine, [text, "5"], "VARCHAR", builtin="intervals", widths=[5])
    assert left_out(engine, mapping) == 1
    assert uncovered_examples(engine, mapping, exp.select("value").from_("data")) == [text]
    assert list(labels(engine, mapping)) == ["5"]


@pytest.mark.parametrize(
    ("column_type", "value"),
    [("TINYINT", "43"), ("UBIGINT", "43"), ("HUGEINT", "43"), ("DECIMAL(38, 10)", "43"), ("FLOAT", "43"), ("DOUBLE", "43")],
)
def test_numbers_of_every_type(engine: Engine, column_type: str, value: str) -> None:
    mapping = build(engine, [value], column_type, builtin="intervals", widths=[5, 10])
    assert list(labels(engine, mapping).values()) == [("40-44", "40-49")]


def test_infinite_doubles_are_uncovered(engine: Engine) -> None:
    mapping = build(engine, ["nan", "inf", "-inf", "1e300", "1"], "DOUBLE", builtin="intervals", widths=[5])
    assert left_out(engine, mapping) == 4


def test_decimal_widths_of_integers(engine: Engine) -> None:
    mapping = build(engine, ["1", "2"], "INTEGER", builtin="intervals", widths=["0.50", "2.5"], origin="-0.25")
    assert labels(engine, mapping) == {"1": ("[0.75, 1.25)", "[-0.25, 2.25)"), "2": ("[1.75, 2.25)", "[-0.25, 2.25)")}


# dates


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


@given(st.sets(moments, min_size=1, max_size=15), some_levels, st.sampled_from(["VARCHAR", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP_MS"]))
def test_timestamps(engine: Engine, values: set[datetime], levels: list[str], column_type: str) -> None:
    if column_type == "TIMESTAMP_NS":
        values = {value.replace(year=1700 + value.year % 500, day=min(value.day, 28)) for value in values}
    mapping = build(engine, [value.isoformat(" ") for value in values], column_type, builtin="date", levels=levels)
    found = {tuple(row) for row in labels(engine, mapping).values()}
    assert found == {tuple(periods(value)[level] for level in levels) for value in values}
    assert left_out(engine, mapping) == 0


@given(st.sets(st.dates(date(1000, 1, 1)), min_size=1, max_size=15), some_levels, st.sampled_from(["VARCHAR", "DATE"]))
def test_dates(engine: Engine, values: set[date], levels: list[str], column_type: str) -> None:
    mapping = build(engine, [value.isoformat() for value in values], column_type, builtin="date", levels=levels)
    assert labels(engine, mapping) == {
        value.isoformat(): tuple(periods(datetime(value.year, value.month, value.day))[level] for level in levels)
        for value in values
    }


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
        "2024-03-05", " 2024-03-05 ", "2024-03-05T14", "2024-03-05 14:07", "2024-03-05T14:07:08", "2024-03-05t14:07:08z",
        "2024-03-05T14:07:08.123456789Z", "2024-03-05 14:07:08,5", "2024-03-05T14:07+02:00", "2024-03-05T23:59:59-0800",
        "2024-03-05 00:30:00+14",
    ],
)
def test_texts_that_are_iso_dates(engine: Engine, text: str) -> None:
    mapping = build(engine, [text], "VARCHAR", builtin="date", levels=["day", "year"])
    assert labels(engine, mapping) == {text: ("2024-03-05", "2024")}


@pytest.mark.parametrize(
    "text",
    ["", "x", "2024", "2024-03", "2024-3-5", "20240305", "05.03.2024", "03/05/2024", "2024-02-30", "2023-02-29", "2024-13-01",
     "2024-03-05T25:00", "2024-03-05T14:60", "2024-03-05x", "infinity", "epoch", "today", "2024-03-05\n2024", "٢٠٢٤-03-05"],
)
def test_texts_that_are_no_dates_are_uncovered(engine: Engine, text: str) -> None:
    mapping = build(engine, [text, "2024-03-05"], "VARCHAR", builtin="date", levels=["year"])
    assert left_out(engine, mapping) == 1


def test_dates_beyond_four_digits(engine: Engine) -> None:
    mapping = build(
        engine, ["0044-03-15 (BC)", "20240-01-01", "0007-01-01", "infinity", "-infinity"], "DATE",
        builtin="date", levels=["month", "quarter", "year", "decade", "century"],
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
    days = [date(2024, month, day) for month in range(1, 13) for day in range(1, calendar.monthrange(2024, month)[1] + 1)]
    mapping = build(engine, [day.isoformat() for day in days], "DATE", builtin="date", levels=["month", "quarter"])
    sizes = engine.connection.execute(
        f"SELECT leaves FROM {mapping.weight_table} WHERE level = 2 AND code > 0 ORDER BY code"  # noqa: S608
    ).fetchall()
    assert sizes == [(91,), (91,), (92,), (92,)]


# options and missing values


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"builtin": "prefix", "keep": [3, 3]}, "keep must fall"),
        ({"builtin": "date", "levels": ["year", "month"]}, "levels must become coarser, got year, month"),
        ({"builtin": "date", "levels": ["day", "day"]}, "levels must become coarser"),
        ({"builtin": "date", "levels": ["day", "week"]}, "unknown levels week"),
        ({"builtin": "intervals", "widths": ["1e-20", "1e20"]}, "need more than 37 digits"),
        ({"builtin": "suppress", "max_level": 2}, "max_level 2 is above the top"),
        ({"builtin": "suppress", "min_level": 2}, "min_level 2 is above the top"),
        ({}, "no hierarchy is given"),
    ],
)
def test_options_that_do_not_fit(engine: Engine, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=f"c.yaml:4: .*{said}"):
        build(engine, ["1"], "VARCHAR", **options)


def test_missing_values(engine: Engine) -> None:
    mapping = build(engine, ["?", "", "5", "7"], "VARCHAR", missing=("?", "", "n/a"), builtin="intervals", widths=[5])
    rows = engine.run(f"SELECT * FROM {mapping.table} WHERE level_0 = 0 ORDER BY value")  # noqa: S608
    assert rows == [(text, 0, 0, 1, None, None, "*") for text in ("", "?", "n/a", None)]
    assert mapping.leaves == 2
    assert left_out(engine, mapping) == 0


@pytest.mark.parametrize("options", [{"builtin": "suppress"}, {"builtin": "intervals", "widths": [5]}, {"builtin": "date", "levels": ["year"]}])
def test_a_column_without_values(engine: Engine, options: dict[str, Any]) -> None:
    mapping = build(engine, [], "INTEGER", **options)
    assert mapping.leaves == 1
    assert len(engine.run(f"SELECT * FROM {mapping.table}")) == 1  # noqa: S608


def test_nothing_is_left_behind(engine: Engine) -> None:
    build(engine, ["5"], "VARCHAR", builtin="intervals", widths=[5])
    tables = {row[0] for row in engine.run("SELECT table_name FROM duckdb_tables()")}
    assert tables <= {"data", "kanon_sql_mapping_7", "kanon_sql_weight_7"}
