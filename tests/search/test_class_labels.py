"""Classes of rows and the labels that they are released with, from tables of a few tuples."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from queried import Row, answers
from sqlglot import exp

ASSIGNED = "part BIGINT, a BIGINT, row_count BIGINT"
CLASSES = "part BIGINT, row_count BIGINT, a_low BIGINT, a_first BIGINT, a_high BIGINT"
PLACES = "position BIGINT, label VARCHAR, bound DOUBLE, measure DOUBLE"
OF_PLACES: list[Row] = [(0, "?", None, 0.0), (1, "1", 1.0, 0.0), (2, "3", 3.0, 0.5), (3, "5", 5.0, 1.0)]
# Only missing values; a single value; several; both with missing ones.
SPANS: list[Row] = [(1, 1, 0, None, 0), (2, 2, 2, 2, 2), (3, 3, 1, 1, 3), (4, 4, 0, 2, 2), (5, 5, 0, 1, 2)]
UNITS = {f"{end}_units": exp.column("units", f"{end}_place") for end in ("lower", "upper")}
NAMES = {f"this_{name}": f"a_{name}" for name in ("low", "first", "high")}


def test_a_class_spans_the_positions_of_its_tuples() -> None:
    rows = [(1, 0, 1), (2, 2, 2), (3, 1, 1), (3, 3, 2), (4, 0, 3), (4, 2, 1)]
    names = {"classes": "classes"}
    lists = {"this": [{"position": "a", "low": "a_low", "first": "a_first", "high": "a_high"}]}
    then = "SELECT * FROM classes ORDER BY part"
    rows_of_classes = answers("search/classes", {"assigned": (ASSIGNED, rows)}, names=names, lists=lists, then=then)
    assert rows_of_classes == [(1, 1, 0, None, 0), (2, 2, 2, 2, 2), (3, 3, 1, 1, 3), (4, 4, 0, 2, 2)]


def labels(file: str, tables: dict[str, tuple[str, list[Row]]], columns: str = "*", **values: Any) -> list[Row]:
    names = {name: hole for name, hole in NAMES.items() if file != "tree_labels" or name != "this_first"}
    return answers(
        f"search/{file}",
        {"classes": (CLASSES, SPANS), **tables},
        names={"labels": "labels", **names},
        values={"missing": "?", **values},
        then=f"SELECT {columns} FROM labels ORDER BY part",
    )


def test_ranges_are_labelled_by_their_ends() -> None:
    assert labels("range_labels", {"places": (PLACES, OF_PLACES)}, between="-") == [
        (1, "?", None, None, 0.0),
        (2, "3", 3.0, 3.0, 0.0),
        (3, "1-5", 1.0, 5.0, 1.0),
        (4, "3 or missing", None, 3.0, 0.0),
        (5, "1-3 or missing", None, 3.0, 0.5),
    ]


def test_sets_are_labelled_by_all_that_they_hold() -> None:
    places = [(0, "?"), (1, "a"), (2, 'b"'), (3, "c,d")]
    assigned = [(1, 0), (2, 2), (3, 3), (3, 1), (3, 1), (4, 0), (4, 2), (5, 0), (5, 1), (5, 2)]
    tables = {"places": ("position BIGINT, label VARCHAR", places), "assigned": ("part BIGINT, a BIGINT", assigned)}
    rows = answers(
        "search/set_labels",
        {"classes": (CLASSES, SPANS), **tables},
        names={"labels": "labels", **NAMES, "this_position": "a"},
        values={"missing": "?", "values": 3},
        then="SELECT * FROM labels ORDER BY part",
    )
    assert rows == [
        (1, "?", 0.0),
        (2, 'b"', 0.0),
        (3, '{a, "c,d"}', 0.5),
        (4, 'b" or missing', 0.0),
        (5, '{a, "b\\""} or missing', 0.5),
    ]


@pytest.mark.parametrize(("lowest", "levels"), [(0, [0, 1, 2, 0]), (1, [1, 1, 2, 1])])
def test_a_class_shows_the_lowest_label_that_all_its_values_share(lowest: int, levels: list[int]) -> None:
    # Positions of two bits: level 0 has all, level 1 the first, level 2 none.
    spans = [(1, 1, 2, 2, 2), (2, 2, 2, 2, 3), (3, 3, 1, 1, 2), (4, 4, 0, 0, 0)]
    nodes = [(level, node, f"l{level}n{node}", level / 2) for level in range(3) for node in range(4 >> level)]
    lists = {"level": [{"shift": 0}, {"shift": 1}, {"shift": 2}]}
    tables = {
        "classes": (CLASSES, spans),
        "nodes": ("level BIGINT, node BIGINT, label VARCHAR, cost DOUBLE", nodes),
    }
    names: dict[str, Any] = {"this_low": "a_low", "this_high": "a_high", "this_lowest": lowest}
    counted = answers("search/levels", tables, names=names, lists=lists)
    wanted: dict[int, int] = {}
    for level, (_, rows, *_) in zip(levels, spans, strict=True):
        wanted[level] = wanted.get(level, 0) + rows
    assert counted == sorted(wanted.items())
    labelled = answers(
        "search/tree_labels",
        tables,
        names={**names, "labels": "labels", "missing_position": 0, "top_level": 2},
        lists=lists,
        then="SELECT * FROM labels ORDER BY part",
    )
    shown = [f"l{level}n{low >> level}" for level, (_, _, low, *_) in zip(levels, spans, strict=True)]
    assert labelled == [(i + 1, label, level / 2) for i, (label, level) in enumerate(zip(shown, levels, strict=True))]


def test_a_missing_value_at_the_top_is_a_star_like_all_others() -> None:
    tables: dict[str, tuple[str, list[Row]]] = {
        "classes": (CLASSES, [(1, 1, 0, None, 0), (2, 1, 1, 1, 1)]),
        "nodes": ("level BIGINT, node BIGINT, label VARCHAR, cost DOUBLE", [(0, 0, "?", 0.0), (1, 0, "?", 1.0)]),
    }
    names: dict[str, Any] = {"this_low": "a_low", "this_high": "a_high", "this_lowest": 1, "labels": "labels"}
    rows = answers(
        "search/tree_labels",
        tables,
        names={**names, "missing_position": 0, "top_level": 1},
        lists={"level": [{"shift": 0}, {"shift": 1}]},
        then="SELECT * FROM labels ORDER BY part",
    )
    assert rows == [(1, "*", 1.0), (2, "?", 1.0)]


def test_losses_are_those_of_all_rows() -> None:
    released = ("row_count BIGINT, cost_a DOUBLE", [(1, 0.25), (2, 0.5), (5, 0.0), (4, 1.0)])
    rows = answers("search/losses", {"released_classes": released}, lists={"this": [{"cost": "cost_a"}]})
    assert rows == [(5.25,)]


def test_classes_of_one_label_are_one_class() -> None:
    released = ("row_count BIGINT, a VARCHAR", [(1, "x"), (2, "x"), (4, "y"), (3, None)])
    rows = answers("search/sizes", {"released_classes": released}, lists={"label": [{"name": "a"}]})
    assert rows == [(3, 9 + 16 + 9, 4)]


@pytest.mark.parametrize(
    ("low", "high", "label"),
    [
        (3, 3, "3"),
        (3, 4, "1.5-4.5"),
        (3, 14, "1.5-14.5"),
        (21, 40, "19.5-40.5"),
        (21, 41, "19.5-42.5"),
        (0, 100, "-0.5-100.5"),
        (-7, 8, "-8.5-8.5"),
        (12, 62, "9.5-65.5"),
        (1000, 1999, "999.5-2000.5"),
    ],
)
def test_numbers_are_widened_to_round_ones_around_all_values(low: int, high: int, label: str) -> None:
    spans = [(1, 1, 1, 1, 1 if low == high else 2)]
    places = [(1, str(low), low), (2, str(high), high)]
    rows = answers(
        "search/widened_numbers",
        {"classes": (CLASSES, spans), "places": ("position BIGINT, label VARCHAR, units HUGEINT", places)},
        names={"labels": "labels", **NAMES, **UNITS},
        values={"missing": "?", "digits": 0, "span": 100},
        then="SELECT label FROM labels",
    )
    assert rows == [(label,)]


@pytest.mark.parametrize(
    ("low", "high", "label"),
    [
        ("2024-05-01 10:20:00", "2024-05-01 13:20:00", "2024-05-01T10/2024-05-01T13"),
        ("2024-05-01 10:20:00", "2024-05-03 10:19:59", "2024-05-01T10/2024-05-03T10"),
        ("2024-05-01 10:20:00", "2024-05-03 10:20:00", "2024-05-01/2024-05-03"),
        ("2024-05-01", "2024-06-29", "2024-05-01/2024-06-29"),
        ("2024-05-01", "2024-06-30", "2024-05/2024-06"),
        ("2022-05-01", "2024-04-30", "2022-05/2024-04"),
        ("2022-05-01", "2024-05-02", "2022/2024"),
        ("2001-05-01", "2024-05-02", "2000/2029"),
    ],
)
def test_dates_are_widened_to_whole_periods(low: str, high: str, label: str) -> None:
    spans = [(1, 1, 1, 1, 2)]
    places = [(1, low, datetime.fromisoformat(low)), (2, high, datetime.fromisoformat(high))]
    rows = answers(
        "search/widened_dates",
        {"classes": (CLASSES, spans), "places": ("position BIGINT, label VARCHAR, bound TIMESTAMP", places)},
        names={"labels": "labels", **NAMES},
        values={"missing": "?", "hours": True, "days": True, "span": 10**15},
        then="SELECT label FROM labels",
    )
    assert rows == [(label,)]
