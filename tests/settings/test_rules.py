"""What must hold between keys, at the bounds of what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from kanon_sql.settings.rules import blind_and_masked, ends_of_intervals, in_duckdb, levels_in_order, strata
from kanon_sql.settings.yaml import KeyPath

BLIND: dict[str, Any] = {"algorithm": {"blind": True}, "release": {"suppressed": "mask"}}
WIDENED: dict[str, Any] = {"release": {"ranges": "widened"}, "quasi_identifiers": {"a": {"aggregate": "interval"}}}
STRATA: dict[str, Any] = {
    "algorithm": {"name": "microaggregation", "strata": ["a"]},
    "quasi_identifiers": {"a": {}},
}


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ({"min_level": 2, "max_level": 1}, ("min_level",)),
        ({"min_level": 2, "max_level": 2}, None),
        ({"keep": [3, 4]}, ("keep", 1)),
        ({"keep": [3, 3]}, None),
        ({"widths": [5, 10, 12]}, ("widths", 2)),
        ({"widths": [5, 5]}, None),
        ({"below": [5, 5]}, ("below", 1)),
        ({"below": [5, 6]}, None),
        ({"bottom": 5, "top": 5}, ("top",)),
        ({"bottom": 5, "top": 6}, None),
        ({"other": "*"}, ("other",)),
        ({"other": "**"}, None),
    ],
)
def test_levels_at_the_bounds_of_their_order(part: dict[str, Any], place: KeyPath | None) -> None:
    assert [at for at, _ in levels_in_order(part)] == ([] if place is None else [place])


def test_blind_levels_go_with_rows_that_are_dropped_alone() -> None:
    assert [at for at, _ in blind_and_masked(BLIND)] == [("algorithm", "blind")]
    assert not list(blind_and_masked({**BLIND, "release": {"suppressed": "drop"}}))
    assert not list(blind_and_masked({**BLIND, "algorithm": {"blind": False}}))


def test_widened_ranges_go_without_intervals_of_values() -> None:
    assert [at for at, _ in ends_of_intervals(WIDENED)] == [("quasi_identifiers", "a", "aggregate")]
    assert not list(ends_of_intervals({**WIDENED, "release": {}}))
    assert not list(ends_of_intervals({**WIDENED, "quasi_identifiers": {"a": {"aggregate": "mean"}}}))


def test_strata_are_as_they_are_and_not_all_there_is() -> None:
    assert [at for at, _ in strata(STRATA)] == [("algorithm", "strata")]
    assert not list(strata({**STRATA, "quasi_identifiers": {"a": {}, "b": {"builtin": "suppress"}}}))
    coarse = {**STRATA, "quasi_identifiers": {"a": {"builtin": "suppress"}, "b": {}}}
    assert [at for at, _ in strata(coarse)] == [("quasi_identifiers", "a", "builtin")]


def test_a_population_that_is_a_table_is_in_a_database() -> None:
    assert [at for at, _ in in_duckdb({"table": "t"})] == [("table",)]
    assert not list(in_duckdb({"table": "t", "database": "d"}))
