"""What the statements about a source say of a few rows."""

from __future__ import annotations

from queried import answers


def test_missing_values_are_no_values() -> None:
    tables = {"kept": ("p VARCHAR, m BOOLEAN", [("a", False), ("a", False), ("b", False), (None, True)])}
    assert answers("source/collisions", tables, names={"kept_pseudonym": "p", "kept_missing": "m"}) == [(3, 1)]


def test_the_nearest_number_that_enough_rows_reach() -> None:
    tables = {"numbers": ("distance BIGINT", [(0,), (4,), (9,), (9,), (None,)])}
    names = {"least": 2, "part": 0, "whole": 1}
    assert answers("source/threshold", tables, names=names) == [("4",)]
    assert answers("source/threshold", tables, names={**names, "least": 5}) == [(None,)]


def test_a_value_of_two_rows_is_not_alone() -> None:
    tables = {"source": ("q VARCHAR", [("a",), ("b",), ("b",)])}
    assert answers("source/values_of_their_own", tables, names={"out_key": "q"}) == [(1,)]
