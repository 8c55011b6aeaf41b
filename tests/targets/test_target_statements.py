"""What the statements about targets say of a few values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from queried import answers

LAKE: dict[str, Any] = {
    "lake_schemas": (
        "schema_id BIGINT, schema_name VARCHAR, path VARCHAR, path_is_relative BOOLEAN, end_snapshot BIGINT",
        [(1, "Main", "main/", True, None), (2, "far", "/elsewhere/", False, None), (3, "main", "old/", True, 4)],
    ),
    "lake_tables": (
        "table_id BIGINT, schema_id BIGINT, table_name VARCHAR, path VARCHAR, path_is_relative BOOLEAN, "
        "end_snapshot BIGINT",
        [
            (1, 1, "People", "people/", True, None),
            (2, 2, "people", "people/", True, None),
            (3, 1, "people", "/apart/", False, 3),
            (4, 3, "people", "people/", True, None),
        ],
    ),
}


def test_keys_repeat_where_two_rows_have_one_and_missing_ones_never() -> None:
    columns, lists = "a BIGINT, b BIGINT", {"part": [{"key": "a"}, {"key": "b"}]}
    for rows, repeated in (
        ([(1, 1), (1, 2), (2, 1)], 0),
        ([(1, 1), (1, 1), (2, 1)], 1),
        ([(1, None), (1, None), (None, None), (None, None)], 0),
    ):
        assert answers("targets/repeated", {"table_rows": (columns, rows)}, lists=lists) == [(repeated,)]


def test_only_values_that_no_row_shows_in_a_part_of_a_text_are_left() -> None:
    tables = {
        "hits": ("value VARCHAR", [("whole",), ("part",), ("gone",)]),
        "live_rows": ("a VARCHAR, b VARCHAR", [("x", "whole"), ("a party", None), (None, None)]),
    }
    lists = {"item": [{"text": "a"}, {"text": "b"}]}
    then = "SELECT value FROM hits ORDER BY value DESC"
    assert answers("targets/remains/unexplained", tables, lists=lists, then=then) == [("gone",)]


def test_values_that_the_first_rows_show_as_a_whole_are_no_longer_left() -> None:
    held = [(value,) for value in ("first", "other", "part", "last")]
    rows = [("first", "a part of it"), *[(None, None)] * 19_998, ("other", "x"), ("last", "last")]
    tables = {"hits": ("value VARCHAR", held), "live_rows": ("a VARCHAR, b VARCHAR", rows)}
    lists = {"item": [{"text": "a"}, {"text": "b"}]}
    then = "SELECT value FROM hits ORDER BY value"
    assert answers("targets/remains/shown_first", tables, lists=lists, then=then) == [("last",), ("part",)]


@pytest.mark.parametrize(
    ("kind", "values", "left"),
    [
        ("VARCHAR", [("whole",), ("a party",), (None,)], ["gone", "part", "12.5"]),
        ("DOUBLE", [(12.5,), (None,), (1.0,)], ["whole", "gone", "part"]),
    ],
)
def test_only_values_that_no_cell_of_a_column_shows_are_left(kind: str, values: Any, left: list[str]) -> None:
    held = [(value,) for value in ("whole", "part", "gone", "12.5")]
    tables = {"hits": ("value VARCHAR", held), "live_values": (f"value {kind}", values)}
    found = answers("targets/remains/shown", tables, then="SELECT value FROM hits")
    assert sorted(row[0] for row in found) == sorted(left)


def test_files_lie_within_a_lake_where_all_that_leads_there_is_relative() -> None:
    files = "table_id BIGINT, path VARCHAR, path_is_relative BOOLEAN"
    tables = {
        **LAKE,
        "lake_data_files": (files, [(1, "a.parquet", True), (1, "/b.parquet", False), (2, "c.parquet", True)]),
        "lake_delete_files": (files, [(1, "d.parquet", True), (3, "e.parquet", True), (1, "a.parquet", True)]),
    }
    assert answers("targets/lake/files", tables) == [
        ("/apart/e.parquet", False),
        ("/b.parquet", False),
        ("/elsewhere/people/c.parquet", False),
        ("main/people/a.parquet", True),
        ("main/people/d.parquet", True),
    ]


def test_statistics_of_tables_that_have_ended_are_left_over() -> None:
    tables = {
        **LAKE,
        "lake_file_statistics": ("table_id BIGINT", [(1,), (3,), (9,)]),
        "lake_column_statistics": ("table_id BIGINT", [(1,), (3,)]),
    }
    assert answers("targets/lake/statistics", tables) == [(3,)]


def test_a_table_of_a_lake_loses_what_it_has_now() -> None:
    ended = "table_id BIGINT, end_snapshot BIGINT"
    nothing: dict[str, Any] = {
        "lake_partitions": (ended, [(1, 2), (2, None), (4, None)]),
        "lake_sorts": (ended, [(1, 2), (3, None)]),
        "lake_comments": ("object_id BIGINT, end_snapshot BIGINT", [(1, 2), (2, None)]),
        "lake_column_comments": (ended, [(1, 2)]),
    }
    values = {"schema": "main", "name": "PEOPLE"}
    assert answers("targets/lake/lost", {**LAKE, **nothing}, values=values) == []
    for table, kind in (
        ("lake_partitions", "partitions"),
        ("lake_sorts", "order of rows"),
        ("lake_comments", "comments"),
        ("lake_column_comments", "comments"),
    ):
        columns, rows = nothing[table]
        there = {**LAKE, **nothing, table: (columns, [*rows, (1, None)])}
        assert answers("targets/lake/lost", there, values=values) == [(kind,)]


def test_what_stood_in_a_part_before_is_still_found(tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.write_bytes("\0\x01Grün here\0".encode())
    columns = "value VARCHAR, is_hit BOOLEAN"
    tables = {"before_values": (columns, [("Grün", False), ("before", True), ("nowhere", False)])}
    rows = answers(
        "targets/sqlite/hits", tables, values={"file": str(part)}, then="SELECT value FROM before_values WHERE is_hit"
    )
    assert sorted(rows) == [("Grün",), ("before",)]
