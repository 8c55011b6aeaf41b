"""What the statements that link tables say of a few values and rows, by pairs that can be told by hand."""

from __future__ import annotations

import json
import math
from datetime import datetime, timezone
from functools import partial
from typing import Any

import pytest
from queried import answers, rows_of_table

Rows = list[tuple[Any, ...]]
LINK = "measures/link"
SAID = "left_code BIGINT, right_code BIGINT, said VARCHAR"
PAIRS = "left_code BIGINT, right_code BIGINT"
POINTS = "code BIGINT, point VARCHAR"


table_of = partial(rows_of_table, LINK)


def test_labels_of_numbers_are_spans_with_both_of_their_ends() -> None:
    spans: list[tuple[str | None, tuple[float, float] | None]] = [
        ("7", (7, 7)),
        (" -7.5 ", (-7.5, -7.5)),
        ("1e3", (1000, 1000)),
        ("40-44", (40, 44)),
        ("-5--3", (-5, -3)),
        ("[40, 45)", (40, math.nextafter(45, 0))),
        ("[-5, -3)", (-5, math.nextafter(-3, -9))),
        ("<18", (-math.inf, math.nextafter(18, 0))),
        (">=90", (90, math.inf)),
        ("40 to 44", (40, 44)),
        (" to 44", (-math.inf, 44)),
        ("44-40", None),
        ("a lot", None),
        (None, None),
    ]
    labels = ("code BIGINT, bare VARCHAR", [(code, label) for code, (label, _) in enumerate(spans)])
    rows = table_of("number_spans", {"labels": labels}, "spans", "code, low, high")
    assert {row[0]: row[1:] for row in rows} == {code: span for code, (_, span) in enumerate(spans) if span is not None}


def moment(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp() * 1e6


def test_labels_of_dates_are_spans_to_the_last_moment() -> None:
    spans = [
        ("2024-03-05", "2024-03-05", "2024-03-06"),
        ("2024-02", "2024-02-01", "2024-03-01"),
        ("2024-Q1", "2024-01-01", "2024-04-01"),
        ("2024-Q4", "2024-10-01", "2025-01-01"),
        ("2024", "2024-01-01", "2025-01-01"),
        ("2020-2029", "2020-01-01", "2030-01-01"),
        ("2020-01-01/2020-03-31", "2020-01-01", "2020-04-01"),
        ("2020-01-01 to 2020-03-31", "2020-01-01", "2020-04-01"),
        ("2024-03-05 11", "2024-03-05T11:00:00", "2024-03-05T12:00:00"),
        ("2024-03-05T11:30+02:00", "2024-03-05T11:30:00", "2024-03-05T11:31:00"),
        ("2024-03-05 11:30:15Z", "2024-03-05T11:30:15", "2024-03-05T11:30:16"),
    ]
    labels = ("code BIGINT, bare VARCHAR", [(code, label) for code, (label, _, _) in enumerate(spans)])
    rows = table_of("date_spans", {"labels": labels}, "spans", "code, low, high")
    assert rows == [(code, moment(first), moment(behind) - 1) for code, (_, first, behind) in enumerate(spans)]


def test_other_texts_and_turned_ends_are_no_spans_of_dates() -> None:
    labels = [(1, "May"), (2, "2024-Q5"), (3, "2029-2020"), (4, None), (5, " to 2024-03-31")]
    rows = table_of("date_spans", {"labels": ("code BIGINT, bare VARCHAR", labels)}, "spans", "code, low, high")
    assert rows == [(5, -math.inf, moment("2024-04-01") - 1)]


def test_spans_match_where_they_share_a_moment_and_the_narrower_one_is_said() -> None:
    spans = "code BIGINT, low DOUBLE, high DOUBLE"
    tables: dict[str, Any] = {
        "left_spans": (spans, [(1, 0.0, 5.0), (2, 7.0, 7.0)]),
        "right_spans": (spans, [(1, 5.0, 7.0), (2, 0.0, 9.0), (3, 8.0, 9.0), (4, 1.0, 5.0)]),
        "left_labels": ("code BIGINT, label VARCHAR", [(1, "l1"), (2, "l2")]),
        "right_labels": ("code BIGINT, label VARCHAR", [(1, "r1"), (2, "r2"), (3, "r3"), (4, "r4")]),
        "matches": (PAIRS, []),
        "narrower": (SAID, []),
    }
    assert table_of("span_matches", tables, "matches") == [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2)]
    said = [(1, 2, "l1"), (1, 4, "r4"), (2, 1, "l2"), (2, 2, "l2")]
    assert table_of("narrower_spans", tables, "narrower") == said


def test_values_match_by_a_text_that_both_stand_for_or_are_missing_or_all() -> None:
    labels = "code BIGINT, label VARCHAR, covers_missing BOOLEAN"
    tables: dict[str, Any] = {
        "left_labels": (labels, [(1, "a", False), (2, "b", False), (3, None, True), (4, "*", False)]),
        "right_labels": (labels, [(1, "A", False), (2, "9 or missing", True), (3, "*", False)]),
        "left_points": (POINTS, [(1, "a"), (2, "b")]),
        "right_points": (POINTS, [(1, "a"), (1, "c"), (2, "9")]),
    }
    everything = [(code, 3) for code in (1, 2, 3)] + [(4, 1), (4, 2), (4, 3)]
    assert table_of("matches", tables, "matches") == sorted([(1, 1), (3, 2), *everything])
    said = table_of("narrower", tables, "narrower")
    # A missing value lies within one that covers missing ones; everything lies within *.
    assert sorted(set(said), key=str) == sorted(
        [(1, 3, "a"), (2, 3, "b"), (3, 2, None), (3, 3, None), (4, 1, "A"), (4, 2, "9 or missing"), (4, 3, "*")],
        key=str,
    )


def test_what_both_leave_open_is_the_narrower_value_or_both() -> None:
    tables: dict[str, Any] = {
        "left_labels": ("code BIGINT, label VARCHAR", [(1, "a"), (2, None)]),
        "right_labels": ("code BIGINT, label VARCHAR", [(1, "A"), (2, "B"), (3, None)]),
        "matches": (PAIRS, [(1, 1), (1, 1), (1, 2), (2, 3)]),
        "narrower": (SAID, [(1, 1, "z"), (1, 1, "a")]),
    }
    rows = table_of("meets", tables, "meets")
    assert rows == [("a", "A", "a"), ("a", "B", "a & B"), (None, None, "missing & missing")]


def test_a_value_within_another_has_all_its_points_there() -> None:
    tables: dict[str, Any] = {
        "left_inner": (POINTS, [(1, "a"), (1, "b"), (2, "a"), (3, "a"), (3, "x")]),
        "right_inner": (POINTS, [(1, "a"), (1, "b"), (1, "c"), (2, "b"), (3, "x"), (3, "y")]),
        "left_labels": ("code BIGINT, label VARCHAR", [(1, "l1"), (2, "l2"), (3, "l3")]),
        "right_labels": ("code BIGINT, label VARCHAR", [(1, "r1"), (2, "r2"), (3, "r3")]),
        "narrower": (SAID, []),
    }
    assert table_of("narrower_points", tables, "narrower") == [(1, 1, "l1"), (1, 2, "r2"), (2, 1, "l2")]


def test_a_generalized_value_is_no_point_of_its_own() -> None:
    tables: dict[str, Any] = {
        "points": (POINTS, [(1, "a"), (2, "A"), (2, "a"), (2, "a")]),
        "labels": ("code BIGINT, bare VARCHAR", [(1, "a"), (2, "A")]),
    }
    assert table_of("inner_points", tables, "inner_points") == [(1, "a"), (2, "a")]


def test_the_points_of_sets_of_trees_and_of_rare_values() -> None:
    labels = (
        "code BIGINT, bare VARCHAR",
        [(1, '{a, "b, \\"c\\""}'), (2, "{d"), (3, "A"), (4, "other"), (5, "x"), (6, None)],
    )
    tables: dict[str, Any] = {"labels": labels, "points": (POINTS, [])}
    assert table_of("set_points", tables, "points") == [(1, "a"), (1, 'b, "c"')]
    values: dict[str, Any] = {"labels": json.dumps(["A", "A", "B", "A"]), "leaves": json.dumps(["a", "b", "c", "a"])}
    tree = table_of("tree", {}, "tree", names={"leaf_text": "leaf"}, values=values)
    assert tree == [("A", "a"), ("A", "b"), ("B", "c")]
    tables["tree"] = ("label VARCHAR, leaf VARCHAR", tree)
    assert table_of("tree_points", tables, "points") == [(3, "a"), (3, "b")]
    assert table_of("own_points", tables, "points") == [(code, bare) for code, bare in labels[1] if bare is not None]
    tables["other_labels"] = ("bare VARCHAR", [("x",), ("y",), ("other",), (None,)])
    for beside, rows in ((False, [(4, "y")]), (True, [(4, "x"), (4, "y")])):
        assert table_of("rest_points", tables, "points", values={"rest": "other", "beside": beside}) == rows
    leaves = ("value VARCHAR, place BIGINT, level_1 VARCHAR", [("a", 1, "A"), ("b", 2, "A"), ("z", None, "Z")])
    keys = {"level": [{"key": "level_1"}]}
    assert table_of("code_tree", {"leaves": leaves}, "tree", lists=keys) == [("A", "a"), ("A", "b")]


def test_a_code_matches_its_beginnings() -> None:
    labels = [(1, "1234"), (2, "12**"), (3, "12"), (4, None)]
    tables: dict[str, Any] = {"labels": ("code BIGINT, bare VARCHAR", labels)}
    prefixes = table_of("prefixes", tables, "prefixes", lists={"level": [{"keep": 2}]})
    assert prefixes == [(1, "12**"), (2, "12**"), (3, "12")]
    columns = "code BIGINT, bare VARCHAR, label VARCHAR"
    tables = {
        "left_labels": (columns, [(1, "12**", "l1"), (2, "9", "l2")]),
        "right_labels": (columns, [(7, "1234", "r7"), (8, "9*", "r8")]),
        "left_prefixes": ("code BIGINT, prefix VARCHAR", [(1, "12**"), (2, "9*")]),
        "right_prefixes": ("code BIGINT, prefix VARCHAR", [(7, "12**"), (8, "9*")]),
        "matches": (PAIRS, []),
        "narrower": (SAID, []),
    }
    assert table_of("prefix_matches", tables, "matches") == [(1, 7), (2, 8)]
    assert table_of("narrower_prefixes", tables, "narrower") == [(1, 7, "r7"), (2, 8, "l2")]


def test_labels_that_cover_missing_values_are_told_by_their_words() -> None:
    texts = [("5 or missing", 2), (" to 7", 1), (None, 3), ("a", 1), ("a", 2)]
    tables: dict[str, Any] = {"groups": ("text VARCHAR, row_count BIGINT", texts)}
    columns = "label, bare, covers_missing, row_count"
    for ranges, covers, bare in ((True, True, "5"), (False, False, "5 or missing")):
        rows = table_of("labels", tables, "labels", columns, names={"this_text": "text"}, values={"ranges": ranges})
        assert rows == [
            (" to 7", " to 7", covers, 1),
            ("5 or missing", bare, covers, 2),
            ("a", "a", False, 3),
            (None, None, True, 3),
        ]


def test_values_with_the_same_partners_have_one_signature() -> None:
    tables: dict[str, Any] = {
        "matches": (PAIRS, [(1, 7), (1, 8), (2, 8), (2, 7), (2, 7), (3, 7)]),
        "labels": ("code BIGINT, label VARCHAR", [(1, "a"), (2, None), (3, "c"), (4, "d")]),
    }
    names: dict[str, Any] = {"this_code": "left_code", "other_code": "right_code"}
    rows = table_of("signatures", tables, "signatures", "code, label, signature", names=names)
    assert [row[:2] for row in rows] == [(1, "a"), (2, None), (3, "c")]
    assert rows[0][2] == rows[1][2] != rows[2][2]
    signatures = "code BIGINT, signature BIGINT"
    tables |= {
        "left_signatures": (signatures, [(1, 1), (2, 1), (3, 2)]),
        "right_signatures": (signatures, [(7, 5), (8, 6)]),
    }
    matches = table_of("signature_matches", tables, "signature_matches")
    assert matches == [(1, 5), (1, 6), (2, 5)]
    shown = {"signature_matches": ("left_signature BIGINT, right_signature BIGINT", matches)}
    assert answers(f"{LINK}/selectivity", shown) == [(0.75,)]
    assert answers(f"{LINK}/selectivity", {"signature_matches": (shown["signature_matches"][0], [])}) == [(0.0,)]
    counted = {
        "labels": ("code BIGINT, row_count BIGINT", [(1, 2), (2, 3), (4, 5), (5, 1)]),
        "signatures": (signatures, tables["left_signatures"][1]),
    }
    assert answers(f"{LINK}/unmatched", counted) == [(4, 2, 6)]
    assert answers(f"{LINK}/unmatched", {**counted, "labels": (counted["labels"][0], [])}) == [(0, 0, 0)]


def test_rows_descend_column_by_column_to_their_partners() -> None:
    table_rows = ("a VARCHAR, b VARCHAR", [("x", None), ("x", None), ("x", "1"), (None, None)])
    cells: dict[str, Any] = {"cell": [{"value": "a", "text": "a"}, {"value": "b", "text": "b"}]}
    groups = table_of("groups", {"table_rows": table_rows}, "groups", "a, b, node, row_count", lists=cells)
    assert groups == [("x", "1", 0, 1), ("x", None, 0, 2), (None, None, 0, 1)]
    tables: dict[str, Any] = {
        "groups": (
            "number BIGINT, node BIGINT, row_count BIGINT, a VARCHAR",
            [(1, 0, 2, "x"), (2, 0, 1, None), (3, 0, 1, "y")],
        ),
        "signatures": ("label VARCHAR, signature BIGINT", [("x", 5), (None, 6)]),
    }
    nodes = table_of("nodes", tables, "nodes", "parent, signature", names={"this_text": "a"})
    assert nodes == [(0, 5), (0, 6)]
    tables["nodes"] = ("node BIGINT, parent BIGINT, signature BIGINT", [(8, 0, 5), (9, 0, 6), (7, 1, 5)])
    lists: dict[str, Any] = {"cell": [{"text": "a"}]}
    rows = table_of("descend", tables, "groups", "number, node, row_count, a", names={"this_text": "a"}, lists=lists)
    assert rows == [(1, 8, 2, "x"), (2, 9, 1, None)]
    tables = {
        "pairs": ("left_node BIGINT, right_node BIGINT", [(0, 0)]),
        "left_nodes": ("node BIGINT, parent BIGINT, signature BIGINT", [(8, 0, 5), (9, 0, 6), (7, 1, 5)]),
        "right_nodes": ("node BIGINT, parent BIGINT, signature BIGINT", [(3, 0, 1), (4, 0, 2), (5, 2, 1)]),
        "signature_matches": ("left_signature BIGINT, right_signature BIGINT", [(5, 1), (6, 1), (6, 2)]),
    }
    assert table_of("pairs", tables, "next_pairs") == [(8, 3), (9, 3), (9, 4)]
    both = "number BIGINT, row_count BIGINT, node BIGINT"
    tables = {
        "pairs": ("left_node BIGINT, right_node BIGINT", [(8, 3)]),
        "left_groups": (both, [(1, 2, 8), (2, 1, 9)]),
        "right_groups": (both, [(5, 4, 3), (6, 1, 3), (7, 1, 4)]),
    }
    assert table_of("group_pairs", tables, "group_pairs") == [(1, 5, 2, 4), (1, 6, 2, 1)]


def test_rows_have_as_many_partners_as_their_nodes_have_rows() -> None:
    tables: dict[str, Any] = {
        "pairs": ("left_node BIGINT, right_node BIGINT", [(1, 5), (1, 6), (2, 7)]),
        "this_sizes": ("node BIGINT, row_count BIGINT", [(1, 4), (2, 3), (3, 1)]),
        "other_sizes": ("node BIGINT, row_count BIGINT", [(5, 2), (6, 7), (7, 1)]),
    }
    names: dict[str, Any] = {"this_node": "left_node", "other_node": "right_node"}
    counts = table_of("counts", tables, "counts", names=names)
    assert counts == [(1, 4, 9), (2, 3, 1)]
    assert table_of("sizes", {"groups": ("node BIGINT, row_count BIGINT", [(1, 3), (1, 1), (2, 3)])}, "sizes") == [
        (1, 4),
        (2, 3),
    ]
    columns = "node BIGINT, row_count BIGINT, matches BIGINT"
    tables = {"counts": (columns, [*counts, (4, 2, 2), (5, 5, 1)])}
    assert answers(f"{LINK}/totals", tables) == [(14, 8, 1, pytest.approx(4 / 9 + 3 + 1 + 5))]
    assert answers(f"{LINK}/totals", {"counts": (columns, [])}) == [(0, 0, None, 0.0)]
    bins = answers(f"{LINK}/histogram", tables, values={"lows": [1, 2, 3], "highs": [1, 2, 9]})
    assert bins == [(1, 1, 8), (2, 2, 2), (3, 9, 4)]
    tables["groups"] = ("node BIGINT, a VARCHAR", [(1, "x"), (2, "z"), (5, "y"), (4, "w")])
    assert answers(f"{LINK}/examples", tables, lists={"cell": [{"text": "a"}]}) == [("y",), ("z",)]
    tables = {
        "pairs": ("left_node BIGINT, right_node BIGINT", [(1, 5), (2, 6), (3, 7), (4, 8)]),
        "left_counts": ("node BIGINT, matches BIGINT", [(1, 1), (2, 2), (3, 1), (4, 1)]),
        "right_counts": ("node BIGINT, matches BIGINT", [(5, 1), (6, 1), (7, 2), (8, 1)]),
    }
    assert answers(f"{LINK}/mutual", tables) == [(2,)]


def test_masked_rows_stand_for_rows_that_match_nothing_else() -> None:
    tables: dict[str, Any] = {
        "group_pairs": (
            "left_number BIGINT, right_number BIGINT, left_rows BIGINT",
            [(1, 5, 2), (1, 6, 2), (2, 5, 1), (3, 6, 1), (3, 7, 1)],
        ),
        "groups": ("number BIGINT, a VARCHAR, b VARCHAR", [(5, "*", "*"), (6, "*", None), (7, None, None)]),
    }
    lists: dict[str, Any] = {"qi": [{"text": "a"}, {"text": "b"}]}
    rows = table_of("unmasked", tables, "found_pairs", lists=lists)
    assert rows == [(1, 6, 2), (2, 5, 1), (3, 6, 1), (3, 7, 1)]
    sizes = {"groups": ("a VARCHAR, row_count BIGINT", [("x", 2), ("x", 3), (None, 4), ("y", 7)])}
    assert answers(f"{LINK}/alone", sizes, lists={"qi": [{"text": "a"}]}) == [(4,)]
    assert answers(f"{LINK}/total", sizes) == [(16,)]


def test_two_releases_tell_what_both_leave_open() -> None:
    tables: dict[str, Any] = {
        "group_pairs": (
            "left_number BIGINT, right_number BIGINT, left_rows BIGINT, right_rows BIGINT",
            [(1, 5, 2, 3), (2, 5, 1, 3), (2, 6, 1, 4)],
        ),
        "left_groups": ("number BIGINT, a VARCHAR, s VARCHAR", [(1, "x", "p"), (2, None, "q")]),
        "right_groups": (
            "number BIGINT, a VARCHAR",
            [
                (
                    5,
                    "X",
                ),
                (6, None),
            ],
        ),
        "qi_meets": (
            "left_label VARCHAR, right_label VARCHAR, said VARCHAR",
            [("x", "X", "x"), (None, "X", "x"), (None, None, "missing")],
        ),
    }
    lists: dict[str, Any] = {"qi": [{"meets": "qi_meets", "text": "a", "said": "said_a"}], "shared": [{"text": "s"}]}
    rows = table_of(
        "combined", tables, "combined", "left_number, right_number, left_rows, right_rows, said_a", lists=lists
    )
    assert rows == [(1, 5, 2, 3, "x"), (2, 5, 1, 3, "x"), (2, 6, 1, 4, "missing")]
    rows = table_of("combined", tables, "combined", "said_a, tuple, left_number, shared", lists=lists)
    assert len({row[:2] for row in rows}) == len({row[1] for row in rows}) == 2
    assert len({row[2:] for row in rows}) == len({row[3] for row in rows}) == 2


COMBINED = "tuple BIGINT, shared BIGINT, left_rows BIGINT, right_rows BIGINT, left_number BIGINT, right_number BIGINT"


def test_a_tuple_has_at_most_what_each_side_and_the_pairs_allow() -> None:
    held = [
        (1, 1, 5, 3, 1, 7),  # both rows of the left share the 3 of the right
        (1, 1, 4, 3, 2, 7),
        (2, 1, 2, 9, 3, 8),  # the 2 of the left are in both pairs
        (2, 1, 2, 9, 3, 9),
        (3, 1, 4, 1, 4, 5),
        (3, 1, 1, 4, 5, 6),
        (3, 2, 6, 6, 6, 4),
        *((4, 1, 2, 9, left, right) for left in (11, 12) for right in (21, 22)),  # 4 rows of the left
        *((5, 1, 9, 2, left, right) for left in (11, 12) for right in (21, 22)),
    ]
    rows = table_of("tuples_at_most", {"combined": (COMBINED, held)}, "tuples")
    assert rows == [(1, 3), (2, 2), (3, 2 + 6), (4, 4), (5, 4)]


def test_a_small_tuple_is_certain_where_the_others_cannot_take_all_rows() -> None:
    # 5 rows of the left with partners of 2 and 2 rows: one at least is in each tuple, more than the other can take.
    # The 2 rows of another one may all have one partner, and any partner may have rows of the large class instead.
    held = [(1, 0, 5, 2, 1, 7), (2, 0, 5, 2, 1, 8), (3, 0, 2, 2, 2, 9), (4, 0, 2, 2, 2, 10)]
    held += [(5, 0, 9, 2, left, right) for left in (3, 4, 5) for right in (7, 8, 9, 10)]
    tables: dict[str, Any] = {
        "combined": (COMBINED, held),
        "tuples": ("tuple BIGINT, row_count BIGINT", [(1, 2), (2, 3), (3, 1), (4, 2), (5, 9)]),
    }
    for k, certain in ((2, 0), (3, 1), (4, 2), (9, 2), (10, 3)):
        assert answers(f"{LINK}/certain", tables, values={"k": k}) == [(certain,)]
    turned = (
        COMBINED,
        [(held_tuple, 0, right, left, second, first) for held_tuple, _, left, right, first, second in held],
    )
    assert answers(f"{LINK}/certain", {**tables, "combined": turned}, values={"k": 4}) == [(2,)]


def test_tuples_are_counted_by_their_rows_and_by_those_below_k() -> None:
    tables: dict[str, Any] = {"tuples": ("tuple BIGINT, row_count BIGINT", [(1, 2), (2, 3), (3, 5), (4, 1)])}
    for k, counted in ((3, (4, 1, 2, 3)), (1, (4, 1, 0, 0))):
        assert answers(f"{LINK}/tuple_counts", tables, values={"k": k}) == [counted]
    assert answers(f"{LINK}/tuple_counts", {"tuples": (tables["tuples"][0], [])}, values={"k": 2}) == [(0, 0, 0, 0)]
    tables["combined"] = ("tuple BIGINT, said VARCHAR", [(1, "b"), (1, "a"), (2, "c"), (4, "d")])
    lists: dict[str, Any] = {"qi": [{"said": "said"}]}
    assert answers(f"{LINK}/tuple_examples", tables, lists=lists, values={"k": 3}) == [(2, "a"), (1, "d")]
    tables["combined"] = ("left_rows BIGINT, right_rows BIGINT", [(2, 3), (4, 5)])
    assert answers(f"{LINK}/position_counts", tables) == [(11, 26.0)]


def test_rows_of_the_source_are_in_the_tuples_of_both_their_releases() -> None:
    pairs = "left_number BIGINT, left_rows BIGINT, right_number BIGINT"
    tables: dict[str, Any] = {
        "first_pairs": (pairs, [(1, 4, 10), (1, 4, 11), (2, 2, 10), (3, 1, 12), (5, 3, 10), (5, 3, 11)]),
        "second_pairs": (pairs, [(1, 4, 20), (1, 4, 21), (2, 2, 21), (4, 1, 20), (5, 3, 20), (5, 3, 21)]),
        "combined": (
            "tuple BIGINT, left_number BIGINT, right_number BIGINT",
            [(100, 10, 20), (100, 11, 20), (101, 10, 21), (102, 12, 20)],
        ),
    }
    origins = table_of("origins", tables, "origins")
    assert origins == [(1, 4, 100), (1, 4, 101), (2, 2, 101), (5, 3, 100), (5, 3, 101)]
    origins_of_rows = {"origins": ("number BIGINT, row_count BIGINT, tuple BIGINT", origins)}
    assert answers(f"{LINK}/ambiguous", origins_of_rows) == [(7,)]
    assert table_of("tuples_of_source", origins_of_rows, "tuples") == [(100, 7), (101, 9)]


def test_rows_in_one_order_are_joined_by_their_places() -> None:
    tables: dict[str, Any] = {
        "table_rows": ("a VARCHAR", [("x",), (None,), ("x",)]),
        "groups": ("number BIGINT, a VARCHAR", [(5, "x"), (6, None)]),
    }
    lists: dict[str, Any] = {"cell": [{"value": "a", "text": "a"}]}
    assert table_of("placed", tables, "placed", lists=lists) == [(1, 5), (2, 6), (3, 5)]
    tables = {
        "left_placed": ("position BIGINT, number BIGINT", [(1, 5), (2, 6), (3, 5)]),
        "right_placed": ("position BIGINT, number BIGINT", [(1, 7), (2, 7), (3, 7)]),
        "combined": ("tuple BIGINT, left_number BIGINT, right_number BIGINT", [(100, 5, 7), (101, 6, 8)]),
    }
    assert table_of("positions", tables, "tuples") == [(100, 2)]
