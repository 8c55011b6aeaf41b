"""What the statements of hierarchies say of missing and of rare values."""

from __future__ import annotations

from queried import answers


def test_a_missing_value_that_a_hierarchy_has_is_covered() -> None:
    tables = {
        "raw_values": ("value VARCHAR", [(None,), ("a",), ("x",)]),
        "mapping": ("value VARCHAR, level_0 BIGINT", [(None, 0), ("a", 1)]),
    }
    assert answers("hierarchy/uncovered", tables) == [(1,)]


def test_values_of_the_least_number_stay() -> None:
    tables = {
        "builtin_values": ("value VARCHAR, text VARCHAR", [("a", "a"), ("b", "b"), ("c", "c")]),
        "raw_counts": ("value VARCHAR, row_count BIGINT", [("a", 3), ("b", 2)]),
    }
    lists = {"level": [{"name": "merged", "below": 3}]}
    rows = answers("hierarchy/merge_rare", tables, lists=lists, values={"other": "other"})
    assert sorted(row[-1] for row in rows) == ["a", "other", "other"]
