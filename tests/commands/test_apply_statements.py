"""What the statements that decide on new data beside earlier releases say of a few rows."""

from __future__ import annotations

from functools import partial
from typing import Any

from queried import answers, rows_of_table

Rows = list[tuple[Any, ...]]
APPLY = "commands/apply"
CELLS = [{"name": "a"}, {"name": "s"}]
# Classes 1 to 4 of the new data (release 0) and of two earlier releases, by row texts with one sensitive code.
COUNTS = (
    "release BIGINT, class BIGINT, cell BIGINT, code BIGINT, row_count BIGINT",
    [
        (0, 1, 10, 1, 3),
        (0, 1, 11, 2, 2),
        (0, 2, 20, 1, 4),
        (0, 3, 30, 3, 5),
        (1, 1, 10, 1, 2),
        (1, 2, 20, 1, 6),
        (1, 4, 40, 1, 7),
        (2, 1, 11, 2, 9),
    ],
)
OPEN = ("class BIGINT", [(1,), (2,), (3,)])
CODE = {"sensitive": [{"code": "code"}]}


table_of = partial(rows_of_table, APPLY)


def test_every_class_of_the_new_data_is_open_until_it_is_decided() -> None:
    assert table_of("open", {"counts": COUNTS}, "open_classes") == [(1,), (2,), (3,)]
    tables: dict[str, Any] = {"open_classes": OPEN, "quotas": ("class BIGINT", [(2,), (2,), (9,)])}
    assert table_of("close", tables, "open_classes") == [(1,), (3,)]
    assert table_of("quotas", {"counts": COUNTS}, "quotas") == []


def test_of_each_row_text_as_many_are_tried_as_both_releases_hold() -> None:
    tables: dict[str, Any] = {"counts": COUNTS, "open_classes": ("class BIGINT", [(1,), (2,)])}
    held = {0: [(1, 10, 1, 3), (1, 11, 2, 2), (2, 20, 1, 4)], 1: [(1, 10, 1, 2), (2, 20, 1, 4)], 2: [(1, 11, 2, 2)]}
    for release, tried in held.items():
        assert table_of("attempt", tables, "tried", lists=CODE, values={"held_by": release}) == tried


def test_sides_are_what_both_hold_what_came_and_what_went() -> None:
    tables: dict[str, Any] = {
        "counts": COUNTS,
        "open_classes": OPEN,
        "tried": (
            "class BIGINT, cell BIGINT, code BIGINT, quota BIGINT",
            [(1, 10, 1, 3), (2, 20, 1, 4), (3, 30, 3, 5)],
        ),
    }
    rows = table_of("sets", tables, "sets", "class, release, side, code, row_count", lists=CODE)
    assert rows == [
        (1, 0, 0, 1, 3),
        (1, 1, 1, 1, 2),
        (1, 1, 2, 1, 1),
        (2, 0, 0, 1, 4),
        (2, 1, 1, 1, 4),
        (2, 1, 3, 1, 2),
        (3, 0, 0, 3, 5),
    ]
    # A class of which one row text is in both tells all of its others apart.
    tables["tried"] = (tables["tried"][0], [(1, 10, 1, 3), (1, 11, 2, 2)])
    rows = table_of("sets", tables, "sets", "class, release, side, code, row_count", lists=CODE)
    assert [row for row in rows if row[:2] == (1, 2)] == [(1, 2, 1, 2, 2), (1, 2, 2, 1, 3), (1, 2, 3, 2, 7)]
    read = {"sets": ("class BIGINT, release BIGINT, side BIGINT, code BIGINT, row_count BIGINT", rows)}
    assert sorted(answers(f"{APPLY}/values", read)) == rows


def test_a_class_fails_by_any_of_its_sides_and_by_a_value_without_a_share() -> None:
    judged = (
        "class BIGINT, release BIGINT, violates BOOLEAN",
        [(1, 0, False), (1, 1, True), (2, 0, True), (3, 0, False)],
    )
    tables: dict[str, Any] = {"judged": judged, "sets": ("class BIGINT, code BIGINT", [(1, 5), (3, 5), (4, 6)])}
    lists: dict[str, Any] = {"compared": [{"code": "code", "top": 5}]}
    assert table_of("failed", tables, "failed", lists=lists) == [(1,), (2,), (4,)]
    assert table_of("failed_alone", tables, "failed_alone") == [(2,)]


def test_what_was_tried_is_taken_for_the_classes_that_hold() -> None:
    tables: dict[str, Any] = {
        "tried": ("cell BIGINT, class BIGINT, quota BIGINT", [(10, 1, 3), (20, 2, 4)]),
        "failed": ("class BIGINT", [(1,), (3,)]),
        "quotas": ("cell BIGINT, class BIGINT, quota BIGINT, attempt BIGINT", [(5, 9, 1, 0)]),
    }
    assert table_of("decide", tables, "quotas", values={"attempt": 2}) == [(5, 9, 1, 0), (20, 2, 4, 2)]


def test_rows_are_released_wait_or_go_with_their_class() -> None:
    tables: dict[str, Any] = {
        "counts": (COUNTS[0], [*COUNTS[1], (0, 3, 31, 1, 2), (0, 5, 50, 1, 3), (0, 5, 51, 1, 1)]),
        "quotas": ("cell BIGINT, quota BIGINT", [(10, 2), (20, 4)]),
        "open_classes": ("class BIGINT", [(3,), (5,)]),
        "failed_alone": ("class BIGINT", [(5,), (1,)]),
    }
    # Of class 1 one row of 3 and both of another text wait; class 3 goes by what has changed, class 5 by itself.
    assert answers(f"{APPLY}/outcome", tables) == [(6, 3, 4, 7, 1, 1)]
    tables["open_classes"] = ("class BIGINT", [(3,), (5,), (2,)])
    tables["quotas"] = ("cell BIGINT, quota BIGINT", [(10, 2)])
    assert answers(f"{APPLY}/outcome", tables) == [(2, 3, 4, 11, 1, 2)]
    assert answers(f"{APPLY}/outcome", {**tables, "counts": (COUNTS[0], [])}) == [(0, 0, 0, 0, 0, 0)]


def test_as_many_rows_of_a_text_are_released_as_were_decided_on() -> None:
    tables: dict[str, Any] = {
        "candidates": ("c0 VARCHAR, c1 VARCHAR", [("x", None)] * 4 + [("y", "1")] * 2 + [("z", "2")]),
        "cells": ("cell BIGINT, a VARCHAR, s VARCHAR", [(1, "x", None), (2, "y", "1"), (3, "z", "2")]),
        "quotas": ("cell BIGINT, quota BIGINT", [(1, 3), (2, 2), (4, 1)]),
    }
    lists: dict[str, Any] = {
        "cell": [{"name": "a", "text": "c0"}, {"name": "s", "text": "c1"}],
        "out": [{"key": "c0", "name": "a"}, {"key": "c1", "name": "s"}],
        "sort": [],
    }
    rows = answers(f"{APPLY}/release", tables, lists=lists)
    assert sorted(rows, key=str) == [("x", None)] * 3 + [("y", "1")] * 2


def test_row_texts_are_numbered_with_their_missing_values() -> None:
    texts = (
        "release BIGINT, a VARCHAR, s VARCHAR, row_count BIGINT",
        [(0, "x", None, 2), (1, "x", None, 5), (1, None, "p", 1), (2, "x", "p", 3)],
    )
    lists: dict[str, Any] = {"cell": CELLS, "qi": [{"name": "a"}]}
    cells = table_of("cells", {"all_texts": texts}, "cells", "cell, class, a, s", lists=lists)
    assert sorted(row[0] for row in cells) == [1, 2, 3]
    assert len({(row[1], row[2]) for row in cells}) == len({row[1] for row in cells}) == 2
    tables: dict[str, Any] = {
        "all_texts": texts,
        "cells": (
            "cell BIGINT, class BIGINT, a VARCHAR, s VARCHAR",
            [(1, 7, "x", None), (2, 8, None, "p"), (3, 7, "x", "p")],
        ),
        "sensitive_codes": ("text VARCHAR, code BIGINT", [("p", 4), (None, 0)]),
    }
    lists = {"cell": CELLS, "sensitive": [{"codes": "sensitive_codes", "cell": "s", "code": "code"}]}
    counts = table_of("counts", tables, "counts", "release, class, cell, code, row_count", lists=lists)
    assert counts == [(0, 7, 1, 0, 2), (1, 7, 1, 0, 5), (1, 8, 2, 4, 1), (2, 7, 3, 4, 3)]
    written = {"table_rows": ("a VARCHAR, s VARCHAR", [("x", None), ("x", None), (None, None)])}
    lists = {"cell": [{"text": "a", "name": "a"}, {"text": "s", "name": "s"}]}
    rows = table_of("texts", written, "release_texts", names={}, lists=lists, values={"release": 3})
    assert rows == [(3, "x", None, 2), (3, None, None, 1)]


def test_values_of_earlier_releases_alone_have_codes_behind_those_of_the_new_data() -> None:
    tables: dict[str, Any] = {
        # 1 and 1.0 are one value at one place; 9 is in no row of the new data; the last is missing.
        "all_values": (
            "value VARCHAR, position BIGINT",
            [("1", 1), ("1.0", 1), ("9", 2), ("2", 3), ("NA", 0), (None, 0)],
        ),
        "domain": ("value VARCHAR, position BIGINT", [("1.0", 1), ("2", 2), ("NA", 0)]),
    }
    rows = table_of("codes", tables, "codes", values={"top": 2})
    assert rows == [("1", 1), ("1.0", 1), ("2", 2), ("9", 4), ("NA", 0), (None, 0)]
    assert answers(f"{APPLY}/top", {"domain": tables["domain"]}) == [(2,)]
    assert answers(f"{APPLY}/top", {"domain": (tables["domain"][0], [])}) == [(0,)]


def test_what_two_releases_have_in_common_is_counted_row_by_row() -> None:
    rows = "a VARCHAR, s VARCHAR"
    tables: dict[str, Any] = {
        "written": (rows, [("x", "1")] * 3 + [("y", None)] + [(None, "4")]),
        "earlier": (
            rows,
            [("x", "1")] * 2 + [("x", "2")] * 2 + [("y", None)] * 2 + [("z", "3"), (None, "5"), (None, "4")],
        ),
    }
    lists: dict[str, Any] = {"cell": [{"fresh": name, "past": name, "name": name} for name in ("a", "s")]}
    kept = answers(f"{APPLY}/kept", tables, lists=lists)
    assert sorted(kept, key=str) == [("x", "1"), ("x", "1"), ("y", None), (None, "4")]
    assert answers(f"{APPLY}/added", tables, lists=lists) == [("x", "1")]
    tables["written"] = (rows, [("x", "1")] * 4)
    assert answers(f"{APPLY}/added", tables, lists=lists) == [("x", "1")] * 2
    tables |= {"kept": (rows, kept), "written": (rows, [("x", "1")] * 3 + [("y", None)] + [(None, "4")])}
    removed = answers(f"{APPLY}/removed", tables, lists={**lists, "qi": [{"name": "a"}]})
    assert sorted(removed, key=str) == [("x", "2"), ("x", "2"), ("y", None), (None, "5")]


def test_ways_of_writing_intervals_are_counted() -> None:
    labels = [("40-44",), ("40-44",), ("45-49",), ("[40, 45)",), ("*",), (None,)]
    tables: dict[str, Any] = {"release_texts": ("a VARCHAR", labels)}
    assert answers(f"{APPLY}/styles", tables, names={"cell_name": "a"}) == [(1, 2)]
