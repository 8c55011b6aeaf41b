"""What a class shows of an aggregated column, and the recount that finds it again, against plain Python."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from queried import Row, answers, differing_classes
from sqlglot import exp

from kanon_sql.sql.template import parse

# Numbers at their places; a class is any five of them, in parts by their number.
NUMBERS = [2, 3, 5, 11]
CLASSES = [list(chosen) for size in (1, 2, 3, 4) for chosen in combinations_with_replacement(NUMBERS, size)]
HELD: list[Row] = [
    (part, NUMBERS.index(number), number, f"n{number}", values.count(number))
    for part, values in enumerate(CLASSES)
    for number in set(values)
]
COLUMNS = "part BIGINT, place BIGINT, number HUGEINT, label VARCHAR, row_count BIGINT"


def shown(name: str) -> dict[int, tuple[float | None, str | None]]:
    rows = answers(f"search/aggregates/{name}", {"held": (COLUMNS, HELD)}, values={"scale": 10, "between": "-"})
    return {int(part): (number, said) for part, number, said in rows}


def test_means_and_medians_are_those_of_all_rows() -> None:
    means, medians, geometric = shown("mean"), shown("median"), shown("geometric_mean")
    for part, values in enumerate(CLASSES):
        scaled = [value / 10 for value in values]
        assert means[part][0] == pytest.approx(statistics.mean(scaled))
        assert medians[part][0] == pytest.approx(statistics.median(scaled))
        assert geometric[part][0] == pytest.approx(statistics.geometric_mean(scaled))


def test_the_mode_is_the_most_frequent_value_and_of_several_the_first() -> None:
    modes = shown("mode")
    for part, values in enumerate(CLASSES):
        assert modes[part] == (None, f"n{max(sorted(set(values)), key=values.count)}")


def test_an_interval_reaches_from_the_least_to_the_greatest() -> None:
    intervals = shown("interval")
    for part, values in enumerate(CLASSES):
        assert intervals[part] == (None, f"n{min(values)}-n{max(values)}")


def test_zero_has_no_logarithm() -> None:
    held = [(1, 0, 0, "0", 1), (1, 1, 4, "4", 2), (2, 1, 4, "4", 2)]
    rows = answers("search/aggregates/geometric_mean", {"held": (COLUMNS, held)}, values={"scale": 1})
    assert sorted((part, number) for part, number, _ in rows) == [(1, 0.0), (2, pytest.approx(4.0))]


def test_deviations_are_from_the_mean_of_the_class_and_suppressed_rows_from_that_of_all() -> None:
    held = [(1, 0, 2, "2", 2), (1, 1, 5, "5", 1), (2, 0, 2, "2", 1), (None, 2, 9, "9", 1)]
    (answer,) = answers("search/aggregates/deviations", {"held": (COLUMNS, held)})
    values = [2, 2, 5, 2, 9]
    mean = statistics.mean(values)
    within = 2 * (2 - 3) ** 2 + (5 - 3) ** 2 + 0 + (9 - mean) ** 2
    assert answer == (pytest.approx(within), pytest.approx(sum((value - mean) ** 2 for value in values)))


@pytest.mark.parametrize(("number", "least"), [("HUGEINT", 10**17), ("DOUBLE", 10**15)])
def test_deviations_of_large_values_near_each_other_are_exact_in_every_order(number: str, least: int) -> None:
    """In floating-point sums of the values themselves their differences are lost, in each order others."""
    values = [(place // 3 if place % 9 else None, least + place * 37 % 1000, 1 + place % 4) for place in range(300)]

    def mean_of(part: int | None) -> Fraction:
        held = [(value, count) for other, value, count in values if part in (None, other)]
        return Fraction(sum(value * count for value, count in held), sum(count for _, count in held))

    middle = mean_of(None)
    within = sum(count * (value - mean_of(part)) ** 2 for part, value, count in values)
    total = sum(count * (value - middle) ** 2 for _, value, count in values)
    rows: list[Row] = [(part, place, value, f"{value}", count) for place, (part, value, count) in enumerate(values)]
    for held in (rows, rows[::-1]):
        (answer,) = answers("search/aggregates/deviations", {"held": (COLUMNS.replace("HUGEINT", number), held)})
        assert answer == (pytest.approx(float(within), rel=1e-14), pytest.approx(float(total), rel=1e-14))


def test_a_class_shows_its_one_value_as_it_is_and_none_as_missing() -> None:
    tables = {
        "members": ("part BIGINT, code BIGINT, row_count BIGINT", [(1, 1, 2), (2, 1, 1), (3, 9, 1), (None, 1, 4)]),
        "held": (COLUMNS, [(1, 0, 2, "two", 2), (2, 0, 2, "two", 1), (2, 1, 3, "three", 1)]),
        "aggregates": ("part BIGINT, said VARCHAR", [(1, "x"), (2, "y")]),
    }
    names = {"labels": "labels", "label_text": "said"}
    then = "SELECT * FROM labels ORDER BY part"
    rows = answers("search/aggregates/labels", tables, names=names, values={"missing": "?"}, then=then)
    assert rows == [(1, "two"), (2, "y"), (3, "?")]


def test_values_of_a_class_are_counted_with_their_rows() -> None:
    tables = {
        "members": ("part BIGINT, code BIGINT, row_count BIGINT", [(1, 1, 2), (1, 2, 1), (1, 1, 4), (None, 2, 3)]),
        "aggregated": ("code BIGINT, place BIGINT, number HUGEINT, label VARCHAR", [(1, 5, 7, "a"), (2, 5, 8, "b")]),
    }
    rows = answers("search/aggregates/held", tables, names={"held": "held"}, then="SELECT * FROM held ORDER BY part")
    assert rows == [(1, 5, 7, "a", 7), (None, 5, 8, "b", 3)]


def differing(name: str, rows: list[Row], rounded: float = 0.0, names: dict[str, exp.Expr] | None = None) -> int:
    """How many classes the recount says to show something else; rows of (class, shown, its number, number)."""
    columns = "k VARCHAR, shown VARCHAR, shown_number DOUBLE, number DOUBLE"
    said = [(*row, None if row[-1] is None else f"n{row[-1]:g}") for row in rows]
    return differing_classes(name, (f"{columns}, said VARCHAR", said), rounded, "?", names or {})


def rows_of(values: list[float | None], text: str, number: float | None = None) -> list[Row]:
    return [("a", text, number, value) for value in values]


@pytest.mark.parametrize(
    ("name", "right"),
    [("mean", 4.0), ("median", 3.0), ("geometric_mean", math.exp((2 * math.log(3) + math.log(6)) / 3))],
)
def test_the_recount_allows_what_is_rounded_and_no_more(name: str, right: float) -> None:
    values: list[float | None] = [3.0, 3.0, 6.0, None]
    for error, rounded, wrong in ((0, 0, 0), (0.04, 0.05, 0), (0.06, 0.05, 1), (-0.06, 0.05, 1), (0.001, 0, 1)):
        number = right + error
        assert differing(name, rows_of(values, f"{number}", number), rounded) == wrong
    assert differing(name, rows_of(values, "x")) == 1
    assert differing(name, rows_of([None, None], "?")) == 0
    assert differing(name, rows_of([None, None], "0", 0)) == 1


def test_an_interval_is_found_again_by_both_ends() -> None:
    of_shown = {
        "shown_number": parse("TRY_CAST(shown AS DOUBLE)"),
        "shown_least": parse("TRY_CAST(split_part(shown, '-', 1) AS DOUBLE)"),
        "shown_most": parse("TRY_CAST(split_part(shown, '-', 2) AS DOUBLE)"),
    }

    def rows_that_differ(shown_text: str, values: list[float | None]) -> int:
        return differing("interval", rows_of(values, shown_text), names=of_shown)

    assert rows_that_differ("2-5", [2, 3, 5, None]) == 0
    assert rows_that_differ("2-4", [2, 3, 5]) == 1
    assert rows_that_differ("1-5", [2, 3, 5]) == 1
    assert rows_that_differ("3", [3, 3, None]) == 0
    assert rows_that_differ("3-3", [3, 3]) == 1
    assert rows_that_differ("x", [2, 3]) == 1


def test_a_mode_is_found_again_and_of_several_the_least() -> None:
    def rows_that_differ(number: float, values: list[float | None]) -> int:
        return differing("mode", rows_of(values, f"n{number:g}", number), 0)

    assert rows_that_differ(3, [3, 3, 5, None, None, None]) == 0
    assert rows_that_differ(5, [3, 3, 5]) == 1
    assert rows_that_differ(3, [3, 3, 5, 5]) == 0
    assert rows_that_differ(5, [3, 3, 5, 5]) == 1
    assert differing("mode", rows_of([3, 5, 5], "n5"), -1) == 0
    assert differing("mode", rows_of([3, 5, 5], "n3"), -1) == 1
