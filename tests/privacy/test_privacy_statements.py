"""What the statements that join models say of classes of a few rows."""

from __future__ import annotations

from queried import answers

KEY = [{"code": "c"}]


def test_of_a_class_that_models_may_keep_parts_of_the_least_part_counts() -> None:
    tables = {
        "classes": (
            "c BIGINT, size BIGINT, violates BOOLEAN",
            [(1, 9, False), (2, 9, False), (3, 9, True), (4, 9, False)],
        ),
        "keeping_models": ("c BIGINT, kept BIGINT", [(1, 4), (1, 6), (2, 2)]),
    }
    rows = answers("privacy/kept", tables, lists={"key": KEY}, values={"k": 3})
    assert sorted(rows) == [(1, 5, True), (2, 9, True), (3, 9, True), (4, 0, False)]


def test_a_class_violates_where_k_or_a_model_refuses_it() -> None:
    tables = {
        "classes": ("c BIGINT, size BIGINT, violates BOOLEAN", [(1, 9, False), (2, 1, True), (3, 9, False)]),
        "violating_models": ("c BIGINT, violates BOOLEAN", [(3, True)]),
    }
    rows = answers("privacy/classes", tables, lists={"key": KEY})
    assert sorted(rows) == [(1, 9, False), (2, 1, True), (3, 9, True)]


def test_k_counts_rows_or_entities() -> None:
    tuples = ("c BIGINT, row_count BIGINT", [(1, 1), (1, 2), (2, 2)])
    rows = answers("privacy/k", {"tuples": tuples}, lists={"key": KEY}, values={"k": 3})
    assert sorted(rows) == [(1, 3, False), (2, 2, True)]
    holders = [
        (1, "a", 2),
        (1, "a", 1),
        (1, "b", 1),
        (2, None, 1),
        (2, None, 1),
        (2, "a", 1),
        (3, None, 5),
        (3, None, 1),
        (4, "a", 2),
        (4, "a", 1),
    ]
    tables = {"holders": ("c BIGINT, entity VARCHAR, row_count BIGINT", holders)}
    rows = answers("privacy/k_entities", tables, lists={"key": KEY}, values={"k": 2})
    assert sorted(rows) == [(1, 4, False), (2, 3, False), (3, 6, True), (4, 3, True)]


def test_a_population_is_judged_by_its_persons() -> None:
    tables = {
        "tuples": ("c BIGINT, row_count BIGINT", [(1, 3), (2, 3), (3, 1)]),
        "population": ("c BIGINT, row_count BIGINT", [(1, 3), (2, 2), (3, 4), (4, 1)]),
    }
    rows = answers("privacy/k_map/violates", tables, lists={"key": KEY}, values={"k_map": 3})
    assert rows == [(2, True)]
    bounds = {"least_over": 1, "least_under": 4, "most_over": 1, "most_under": 1}
    rows = answers("privacy/delta_presence/violates", tables, lists={"key": KEY}, values=bounds)
    assert sorted(rows) == [(2, True), (4, True)]
