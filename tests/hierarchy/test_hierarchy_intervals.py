"""The built-in intervals against exact arithmetic in Python."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Any

import pytest
from builtin_labels import build, distinct, engine, few, labels, left_out
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from kanon_sql.hierarchy.mapping import uncovered_examples
from kanon_sql.sql.connection import Engine

__all__ = ["engine"]


def interval(value: Fraction, width: Decimal, origin: Decimal, *, whole: bool) -> str:
    """The label of an interval, by exact arithmetic and floor."""
    lower = Fraction(origin) + floor((value - Fraction(origin)) / Fraction(width)) * Fraction(width)
    upper = lower + Fraction(width)
    assert lower <= value < upper
    if whole:
        return f"{lower}-{upper - 1}"
    return f"[{decimal_text(lower)}, {decimal_text(upper)})"


def open_ended(
    value: Fraction, width: Decimal, origin: Decimal, ends: tuple[Decimal | None, Decimal | None], *, whole: bool
) -> str:
    """The label where values below the first end, and from the second on, are one: by the numbers that share it."""
    bottom, top = ends
    if bottom is not None and value < Fraction(bottom):
        return f"<{decimal_text(Fraction(bottom))}"
    if top is not None and value >= Fraction(top):
        return f">={decimal_text(Fraction(top))}"
    lower = Fraction(origin) + floor((value - Fraction(origin)) / Fraction(width)) * Fraction(width)
    upper = lower + Fraction(width)
    if bottom is not None and lower < Fraction(bottom):
        lower = Fraction(bottom)
    if top is not None and upper > Fraction(top):
        upper = Fraction(top)
    assert lower <= value < upper
    return f"{lower}-{upper - 1}" if whole else f"[{decimal_text(lower)}, {decimal_text(upper)})"


def decimal_text(number: Fraction) -> str:
    scaled = number * 10**60
    assert scaled.denominator == 1
    sign = "-" if scaled < 0 else ""
    digits = str(abs(scaled.numerator)).rjust(61, "0")
    return (sign + digits[:-60] + "." + digits[-60:]).rstrip("0").rstrip(".")


whole_numbers = st.integers(-(10**38) + 1, 10**38 - 1) | st.integers(-60, 60)


@few
@given(
    st.sets(whole_numbers, min_size=1, max_size=60),
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


@few
@given(
    st.sets(st.decimals(-(10**9), 10**9, places=5) | st.decimals(-9, 9, places=2), min_size=1, max_size=60),
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


def an_end(numbers: st.SearchStrategy[Decimal]) -> st.SearchStrategy[tuple[Decimal | None, Decimal | None]]:
    pairs = st.tuples(numbers, numbers).filter(lambda two: two[0] != two[1])
    both = pairs.map(lambda two: (min(two), max(two)))
    return both | numbers.map(lambda end: (None, end)) | numbers.map(lambda end: (end, None))


@few
@given(
    st.sets(whole_numbers, min_size=1, max_size=60),
    st.integers(1, 30),
    st.lists(st.integers(1, 6), max_size=3),
    st.integers(-40, 40),
    an_end(st.integers(-70, 70).map(Decimal)),
)
def test_open_ends_of_integers(
    engine: Engine,
    values: set[int],
    width: int,
    factors: list[int],
    origin: int,
    ends: tuple[Decimal | None, Decimal | None],
) -> None:
    widths = [Decimal(width)]
    for factor in factors:
        widths.append(widths[-1] * factor)
    spec: dict[str, Any] = {"origin": Decimal(origin), "bottom": ends[0], "top": ends[1]}
    mapping = build(engine, list(map(str, values)), "VARCHAR", builtin="intervals", widths=widths, **spec)
    assert labels(engine, mapping) == {
        str(value): tuple(open_ended(Fraction(value), w, Decimal(origin), ends, whole=True) for w in widths)
        for value in values
    }
    assert left_out(engine, mapping) == 0


@few
@given(
    st.sets(st.decimals(-9, 9, places=2) | st.decimals(-(10**9), 10**9, places=5), min_size=1, max_size=60),
    st.decimals("0.01", 5, places=2),
    st.lists(st.integers(1, 6), max_size=3),
    an_end(st.decimals(-9, 9, places=3)),
)
def test_open_ends_of_decimals(
    engine: Engine,
    values: set[Decimal],
    width: Decimal,
    factors: list[int],
    ends: tuple[Decimal | None, Decimal | None],
) -> None:
    widths = [width]
    for factor in factors:
        widths.append(widths[-1] * factor)
    texts = [f"{value:f}" for value in values]
    mapping = build(engine, texts, "VARCHAR", builtin="intervals", widths=widths, bottom=ends[0], top=ends[1])
    numbers = [*values, *widths, *(end for end in ends if end is not None)]
    whole = all(Fraction(number).denominator == 1 for number in numbers)
    assert labels(engine, mapping) == {
        f"{value:f}": tuple(open_ended(Fraction(value), w, Decimal(0), ends, whole=whole) for w in widths)
        for value in values
    }


def test_open_ends_of_ages(engine: Engine) -> None:
    ages = ["0", "17", "18", "19", "20", "85", "89", "90", "119"]
    mapping = build(engine, ages, "INTEGER", builtin="intervals", widths=[5, 20], bottom=18, top=90)
    assert labels(engine, mapping) == {
        "0": ("<18", "<18"),
        "17": ("<18", "<18"),
        "18": ("18-19", "18-19"),
        "19": ("18-19", "18-19"),
        "20": ("20-24", "20-39"),
        "85": ("85-89", "80-89"),
        "89": ("85-89", "80-89"),
        "90": (">=90", ">=90"),
        "119": (">=90", ">=90"),
    }


@pytest.mark.slow
def test_open_ends_in_their_types(engine: Engine) -> None:
    ages = ["17.9", "18", "89.99", "90"]
    mapping = build(engine, ages, "DOUBLE", builtin="intervals", widths=[50], bottom=18, top="90.0")
    assert sorted(labels(engine, mapping).values()) == [("<18",), (">=90",), ("[18, 50)",), ("[50, 90)",)]


@few
@given(st.sets(st.floats(-1e15, 1e15) | st.floats(-1, 1), min_size=1, max_size=60))
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
        "-5": ("-10--1", "-20--1"),
        "-10": ("-10--1", "-20--1"),
        "-11": ("-20--11", "-20--1"),
        "0": ("0-9", "0-19"),
        "-1": ("-10--1", "-20--1"),
        "9": ("0-9", "0-19"),
        "10": ("10-19", "0-19"),
    }


WHOLE_OR_NOT = [
    ("43", "40-44"),
    ("043", "40-44"),
    ("+43", "40-44"),
    (" 43 ", "40-44"),
    ("43.", "40-44"),
    ("43.0", "40-44"),
    ("4.3e1", "40-44"),
    ("430E-1", "40-44"),
    ("-0", "0-4"),
    ("0e99", "0-4"),
    ("0000", "0-4"),
    ("43.5", "[40, 45)"),
    (".5", "[0, 5)"),
    ("-0.5", "[-5, 0)"),
    ("1e-400", "[0, 5)"),
    ("-1e-400", "[-5, 0)"),
    ("-5.0000000000000000000000000000000000000000001", "[-10, -5)"),
    ("0." + "0" * 60 + "1", "[0, 5)"),
    ("0" * 60 + "7", "5-9"),
    ("9" * 38, "9" * 37 + "5-" + "9" * 38),
]


def test_numerals(engine: Engine) -> None:
    """Intervals of whole numbers are written in another way than those of other ones."""
    for is_whole in (True, False):
        texts = {text: label for text, label in WHOLE_OR_NOT if label.startswith("[") is not is_whole}
        mapping = build(engine, list(texts), "VARCHAR", builtin="intervals", widths=[5])
        assert labels(engine, mapping) == {text: (label,) for text, label in texts.items()}


NO_NUMBERS = [
    "",
    " ",
    "x",
    ".",
    "-",
    "+",
    "e5",
    "1e",
    "1e5.5",
    "0x10",
    "1_000",
    "1,5",
    "٣",
    "nan",
    "inf",
    "1" + "0" * 38,
    "1e38",
    "1e99999",
    "5\n6",
    "5\x006",
    "½",
]


def test_texts_that_are_no_numbers_are_uncovered(engine: Engine) -> None:
    mapping = build(engine, [*NO_NUMBERS, "5"], "VARCHAR", builtin="intervals", widths=[5])
    assert left_out(engine, mapping) == len(NO_NUMBERS)
    assert uncovered_examples(engine, mapping, exp.select("value").from_("data")) == sorted(NO_NUMBERS)[:5]
    assert list(labels(engine, mapping)) == ["5"]


@pytest.mark.parametrize(
    ("column_type", "value"),
    [
        ("TINYINT", "43"),
        ("UBIGINT", "43"),
        ("HUGEINT", "43"),
        ("DECIMAL(38, 10)", "43"),
        ("FLOAT", "43"),
        ("DOUBLE", "43"),
    ],
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
