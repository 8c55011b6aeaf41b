"""The built-ins suppress and prefix, and what holds for all built-ins."""

from __future__ import annotations

from typing import Any

import pytest
from builtin_labels import build, engine, few, labels, left_out
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.errors import ConfigurationError
from kanon_sql.sql.connection import Engine

__all__ = ["engine"]


def test_suppress(engine: Engine) -> None:
    mapping = build(engine, ["a", "b", "*", ""], "VARCHAR", builtin="suppress")
    assert labels(engine, mapping) == {"a": (), "b": (), "*": (), "": ()}
    assert (mapping.height, mapping.leaves, mapping.builtin) == (1, 4, "suppress")
    assert left_out(engine, mapping) == 0


@few
@given(
    st.sets(st.text(alphabet="019*aé😀\x00\n'\"% ", max_size=8), max_size=60),
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
    rows = engine.run(f"SELECT * FROM {mapping.table} WHERE level_0 = 0 ORDER BY value")
    assert rows == [(text, 0, 0, 1, None, None, "*") for text in ("", "?", "n/a", None)]
    assert mapping.leaves == 2
    assert left_out(engine, mapping) == 0


@pytest.mark.parametrize(
    "options",
    [{"builtin": "suppress"}, {"builtin": "intervals", "widths": [5]}, {"builtin": "date", "levels": ["year"]}],
)
def test_a_column_without_values(engine: Engine, options: dict[str, Any]) -> None:
    mapping = build(engine, [], "INTEGER", **options)
    assert mapping.leaves == 1
    assert len(engine.run(f"SELECT * FROM {mapping.table}")) == 1


def test_nothing_is_left_behind(engine: Engine) -> None:
    build(engine, ["5"], "VARCHAR", builtin="intervals", widths=[5])
    tables = {row[0] for row in engine.run("SELECT table_name FROM duckdb_tables()")}
    assert tables <= {"data", "kanon_sql_mapping_7", "kanon_sql_weight_7"}
