"""Labels of values at the ends of intervals, and rows of a mapping without labels."""

from __future__ import annotations

from queried import answers

UNITS = (
    "value VARCHAR, text VARCHAR, units HUGEINT",
    [(str(i), str(i), i) for i in (-21, -20, -11, -10, 0, 9, 10, 20, 21)],
)


def labels(file: str) -> dict[str, str]:
    """The labels of the numbers in intervals of ten, from -20 to 20."""
    lists = {"level": [{"name": "level_1", "width": 10, "origin": 0, "lower": "lower_1", "upper": "upper_1"}]}
    lists["level"][0] |= {"below": "below_1", "above": "above_1"} if "half" in file else {}
    if "half" not in file:
        del lists["level"][0]["upper"]
    values = {"bottom": -20, "top": 20, "bottom_label": "low", "top_label": "high", "unit": 1, "scale": 0}
    rows = answers(f"hierarchy/{file}", {"interval_units": UNITS}, lists=lists, values=values)
    return {row[0]: row[-1] for row in rows}


def test_the_bottom_is_in_the_first_interval_and_the_top_beyond_the_last() -> None:
    whole = ["low", "-20--11", "-20--11", "-10--1", "0-9", "0-9", "10-19", "high", "high"]
    assert list(labels("intervals_whole").values()) == whole
    open_ends = ["low", "[-20, -10)", "[-20, -10)", "[-10, 0)", "[0, 10)", "[0, 10)", "[10, 20)", "high", "high"]
    assert list(labels("intervals_half_open").values()) == open_ends


def test_a_value_without_a_label_has_a_row_of_the_mapping() -> None:
    tables = {
        "leaf": ("value VARCHAR, label_0 VARCHAR", [("a", "x"), (None, None)]),
        "weight": ("level INTEGER, code BIGINT, label VARCHAR", [(0, 1, "x"), (0, 0, None), (1, 1, "x")]),
    }
    level = {"code": "code", "name": "level_0", "label": "label", "label_name": "label_of_0", "number": 0}
    rows = answers(
        "hierarchy/mapping",
        tables,
        names={"mapping": "mapping", "node_key": "label"},
        lists={"level": [{**level, "node": "weight", "key": "label_0"}]},
        then="SELECT * FROM mapping ORDER BY value",
    )
    assert rows == [("a", 1, "x"), (None, 0, None)]
