"""What the statements that measure utility say of a few values, by figures that can be reckoned by hand."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

import pytest
from queried import answers, rows_of_table

from kanon_sql.sql.template import parse

Rows = list[tuple[Any, ...]]
UTILITY = "measures/utility"
RUNS = "code BIGINT, first BIGINT, last BIGINT"


table_of = partial(rows_of_table, UTILITY)


def test_values_are_ranks_or_bins_of_about_as_many_rows() -> None:
    ranks = (
        "rank BIGINT, is_missing BOOLEAN, row_count BIGINT",
        [(0, True, 4), (1, False, 2), (2, False, 6), (3, False, 4)],
    )
    assert table_of("bins", {"ranks": ranks}, "bins", values={"most": 4, "ordered": True}) == [(i, i) for i in range(4)]
    # The middles of the ranks lie at 5, 9 and 14 of 16 rows, in two bins beside that of missing values.
    rows = table_of("bins", {"ranks": ranks}, "bins", values={"most": 3, "ordered": True})
    assert rows == [(0, 0), (1, 1), (2, 2), (3, 2)]
    # Of texts the most frequent are bins of their own, and the last is that of all others.
    rows = table_of("bins", {"ranks": ranks}, "bins", values={"most": 3, "ordered": False})
    assert rows == [(0, 1), (1, 2), (2, 0), (3, 2)]
    bins = ("rank BIGINT, bin BIGINT", [(0, 1), (1, 2), (2, 0), (3, 2), (4, 2)])
    runs = table_of("bin_runs", {"bins": bins}, "bin_runs", "bin, first, last", values={"most": 9})
    assert runs == [(0, 2, 2), (1, 0, 0), (2, 1, 1), (2, 3, 4), (9, 5, 4611686018427387904)]
    listed = {"bins": bins, "ranks": ("rank BIGINT, row_count BIGINT", [(0, 4), (1, 2), (2, 6), (3, 4), (4, 1)])}
    assert answers(f"{UTILITY}/listed_bins", listed) == [(0, 6), (1, 4), (2, 7)]


def test_a_label_lies_in_bins_by_the_share_of_its_values() -> None:
    tables: dict[str, Any] = {
        "runs": (RUNS, [(1, 0, 3), (2, 1, 1), (2, 4, 6), (3, 8, 8)]),
        "bin_runs": ("bin BIGINT, first BIGINT, last BIGINT", [(0, 0, 1), (1, 2, 5), (2, 6, 6), (9, 7, 99)]),
    }
    rows = table_of("label_bins", tables, "label_bins")
    assert rows == [(1, 0, 0.5), (1, 1, 0.5), (2, 0, 0.25), (2, 1, 0.5), (2, 2, 0.25), (3, 9, 1.0)]
    strange = {"label_bins": ("code BIGINT, bin BIGINT, weight DOUBLE", rows)}
    assert answers(f"{UTILITY}/strangers", strange, values={"most": 9}) == [(True,)]
    assert answers(f"{UTILITY}/strangers", strange, values={"most": 7}) == [(False,)]


def test_labels_stand_for_runs_of_ranks_and_all_for_all() -> None:
    tables: dict[str, Any] = {
        "points": ("code BIGINT, rank BIGINT", [(1, 2), (1, 3), (1, 5), (2, 4), (3, 1)]),
        "labels": ("code BIGINT, label VARCHAR", [(1, "A"), (2, None), (3, "*"), (4, "5-9")]),
        "span_runs": (RUNS, [(4, 5, 9)]),
        "ranks": ("rank BIGINT", [(0,), (9,)]),
    }
    generalized = [(1, 2, 3), (1, 5, 5), (2, 4, 4), (3, 0, 9), (4, 5, 9)]
    assert table_of("runs", tables, "runs", "code, first, last", values={"generalized": True}) == generalized
    raw = table_of("runs", tables, "runs", "code, first, last", values={"generalized": False})
    assert raw == [(1, 2, 3), (1, 5, 5), (2, 4, 4), (3, 1, 1), (4, 5, 9)]
    strangers = {
        "labels": ("code BIGINT", [(1,), (2,), (7,), (8,)]),
        "runs": (RUNS, generalized),
        "ranks": tables["ranks"],
    }
    assert table_of("strange_runs", strangers, "runs")[-2:] == [(7, 10, 10), (8, 11, 11)]


def test_spans_of_numbers_are_the_ranks_between_their_ends() -> None:
    tables: dict[str, Any] = {
        "spans": ("code BIGINT, low DOUBLE, high DOUBLE", [(1, 2.0, 3.0), (2, 2.5, 9.0), (3, 3.5, 3.8), (4, 8.0, 9.0)]),
        "ranks": ("rank BIGINT, number DOUBLE", [(0, None), (1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0)]),
    }
    inside = table_of("span_runs", tables, "span_runs", values={"between": False})
    assert inside == [(1, 2, 3), (2, 3, 4)]
    between = table_of("span_runs", tables, "span_runs", values={"between": True})
    assert between == [(1, 2, 3), (2, 3, 4), (3, 3, 4)]


def test_distances_are_halves_of_differences_and_the_way_between() -> None:
    shares = ("rank BIGINT, source_rows DOUBLE, released_rows DOUBLE", [(0, 2.0, 1.0), (1, 1.0, 1.0), (2, 1.0, 2.0)])
    row = answers(f"{UTILITY}/distances", {"shares": shares})[0]
    assert row == (pytest.approx(0.25), pytest.approx((0.25 + 0.25) / 2))
    alone = (shares[0], [(0, 3.0, 1.0)])
    assert answers(f"{UTILITY}/distances", {"shares": alone}) == [(0.0, 0.0)]


def test_released_rows_are_spread_evenly_over_what_their_label_stands_for() -> None:
    tables: dict[str, Any] = {
        "ranks": ("rank BIGINT, row_count BIGINT", [(0, 4), (1, 3), (2, 2), (3, 1)]),
        "runs": (RUNS, [(1, 0, 0), (2, 1, 2), (2, 3, 3), (3, 5, 5)]),
        "labels": ("code BIGINT, row_count BIGINT", [(1, 4), (2, 6), (3, 1)]),
    }
    rows = table_of("shares", tables, "shares", "rank, source_rows, released_rows")
    assert [row for row in rows if row[2] or row[1]] == [(0, 4, 4), (1, 3, 2), (2, 2, 2), (3, 1, 2), (5, 0, 1)]


def test_a_level_is_common_where_every_label_is_of_it() -> None:
    steps = [(0, "a", 0), (0, "b", 1), (1, "b", 1), (1, "c", 2), (2, "c", 0), (2, "b", 1)]
    for values, level in ((("b", "c"), 1), (("a", "b", "*"), 0), (("a", "c"), None)):
        tables: dict[str, Any] = {
            "labels": ("label VARCHAR", [(value,) for value in values]),
            "steps": ("level BIGINT, label VARCHAR, rank BIGINT", steps),
        }
        assert answers(f"{UTILITY}/common_level", tables) == [(level,)]
    tables = {
        "labels": ("code BIGINT, label VARCHAR", [(1, "a"), (2, "b"), (3, "c"), (4, None)]),
        "steps": ("level BIGINT, label VARCHAR, rank BIGINT", [*steps, (2, "c", 2)]),
    }
    assert table_of("points", tables, "points", values={"level": None}) == [(1, 0), (2, 1), (3, 0), (3, 2)]
    assert table_of("points", tables, "points", values={"level": 1}) == [(2, 1), (3, 2)]


def test_the_number_of_a_label_is_the_mean_of_its_values() -> None:
    tables: dict[str, Any] = {
        "labels": ("value VARCHAR, code BIGINT", [("A", 1), ("b", 2), ("none", 3), ("x", 9)]),
        "runs": (RUNS, [(1, 0, 2), (1, 4, 4), (2, 3, 3), (3, 5, 5)]),
        "ranks": ("rank BIGINT, measure DOUBLE", [(0, 1.0), (1, None), (2, 4.0), (3, 7.0), (4, 10.0), (5, None)]),
    }
    rows = table_of("label_codes", tables, "codes", "value, code, x")
    assert rows == [("A", 1, 5.0), ("b", 2, 7.0), ("none", 3, None), ("x", 9, None)]


def test_pairs_of_numbers_are_counted_where_both_are_there() -> None:
    rows = [(1.0, 2.0), (3.0, None), (None, 5.0), (2.0, 4.0), (None, None)]
    tables: dict[str, Any] = {"source": ("a DOUBLE, b DOUBLE", rows)}
    lists: dict[str, Any] = {"pair": [{"first": "a", "second": "b"}]}
    assert answers(f"{UTILITY}/raw_numbers", tables, lists=lists) == [([2, 3.0, 5.0, 6.0, 20.0, 10.0],)]
    assert answers(f"{UTILITY}/raw_numbers", {"source": ("a DOUBLE, b DOUBLE", [])}, lists=lists) == [([0] * 6,)]
    coded = (
        "x DOUBLE, n BIGINT, total DOUBLE, square DOUBLE",
        [(2.0, 3, 9.0, 29.0), (None, 5, 1.0, 1.0), (1.0, 1, 4.0, 16.0)],
    )
    lists = {"pair": [{"x": "x", "count": "n", "total": "total", "square": "square"}]}
    assert answers(f"{UTILITY}/numbers", {"coded": coded}, lists=lists) == [([4, 13.0, 45.0, 7.0, 13.0, 22.0],)]


def test_texts_depend_on_each_other_by_their_table_of_counts() -> None:
    weights = "code BIGINT, bin BIGINT, weight DOUBLE"
    tables: dict[str, Any] = {
        "coded": (
            "first_code BIGINT, second_code BIGINT, row_count BIGINT",
            [(1, 1, 2), (1, 1, 1), (2, 2, 3), (1, 2, 2), (2, 1, 2)],
        ),
        "first_bins": (weights, [(1, 0, 1.0), (2, 1, 1.0)]),
        "second_bins": (weights, [(1, 0, 1.0), (2, 1, 1.0)]),
    }
    names: dict[str, Any] = {"first_code": "first_code", "second_code": "second_code"}
    row = answers(f"{UTILITY}/contingency", tables, names=names)[0]
    assert row == (pytest.approx(9 / 25 + 4 / 25 + 4 / 25 + 9 / 25 - 1), 2, 2)
    # A label in two bins counts in each by its weight: 1 of 4 rows in one row, 3 of them in the other.
    tables["coded"] = (tables["coded"][0], [(1, 1, 2), (2, 1, 2), (3, 1, 8), (3, 2, 4)])
    tables["first_bins"] = (weights, [(1, 0, 1.0), (2, 0, 1.0), (3, 0, 0.25), (3, 1, 0.75)])
    tables["second_bins"] = (weights, [(1, 0, 1.0), (2, 0, 0.5), (2, 1, 0.5)])
    cells = {(0, 0): 4 + 2 + 0.5, (0, 1): 0.5, (1, 0): 6 + 1.5, (1, 1): 1.5}
    first, second = (7, 9), (14, 2)
    phi = sum(cell**2 / (first[i] * second[j]) for (i, j), cell in cells.items()) - 1
    assert answers(f"{UTILITY}/contingency", tables, names=names)[0] == (pytest.approx(phi), 2, 2)
    tables["first_bins"] = (weights, [(1, 0, 1.0), (2, 0, 1.0), (3, 1, 1.0)])
    tables["second_bins"] = (weights, [(1, 0, 0.5), (1, 1, 0.5), (2, 0, 0.5), (2, 1, 0.5)])
    assert answers(f"{UTILITY}/contingency", tables, names=names)[0] == (pytest.approx(0.0), 2, 2)


def test_groups_explain_numbers_by_their_means() -> None:
    tables: dict[str, Any] = {
        "coded": (
            "code BIGINT, n BIGINT, total DOUBLE, square DOUBLE",
            [(1, 1, 2.0, 4.0), (1, 1, 4.0, 16.0), (2, 2, 10.0, 52.0), (3, 0, 0.0, 0.0), (4, 3, 6.0, 14.0)],
        ),
        "label_bins": (
            "code BIGINT, bin BIGINT, weight DOUBLE",
            [(1, 0, 1.0), (2, 1, 0.5), (2, 2, 0.5), (3, 7, 1.0), (4, 0, 1.0)],
        ),
    }
    lists: dict[str, Any] = {"number": [{"count": "n", "total": "total", "square": "square"}]}
    row = answers(f"{UTILITY}/ratios", tables, names={"this_code": "code"}, lists=lists)[0][0]
    assert row == pytest.approx([7, 22.0, 86.0, 12**2 / 5 + 25 / 1 + 25 / 1])


def test_queries_are_answered_by_the_shares_of_their_cells() -> None:
    weights = "code BIGINT, set_number BIGINT, shares DOUBLE[]"
    cells = [(1, 1, 1, 2), (1, 1, 1, 1), (1, 2, 1, 4), (2, 1, 2, 8)]
    tables: dict[str, Any] = {
        "coded": ("a BIGINT, b BIGINT, c BIGINT, row_count BIGINT", cells),
        "first_weights": (weights, [(1, 0, [1.0, 0.5]), (2, 0, [0.0, 1.0]), (1, 1, [9.0, 9.0])]),
        "second_weights": (weights, [(1, 0, [0.5, 1.0]), (2, 0, [1.0, 0.25]), (1, 1, [9.0, 9.0])]),
        "third_weights": (weights, [(1, 0, [1.0, 1.0]), (2, 0, [0.0, 0.5]), (1, 1, [9.0, 9.0])]),
    }
    codes = {"first_code": "a", "second_code": "b", "third_code": "c"}
    lists: dict[str, Any] = {"query": [{"number": 1}, {"number": 2}]}
    for columns, wanted in ((1, (7.0, 11.5)), (2, (5.5, 10.0)), (3, (5.5, 6.0))):
        names = dict(list(codes.items())[:columns])
        answered = answers(f"{UTILITY}/answers_{columns}", tables, names=names, lists=lists, values={"set": 0})
        assert answered == [wanted]


def test_a_query_takes_the_shares_of_labels_in_its_bins() -> None:
    columns = {"sets": [0, 0, 0, 1], "columns": [2, 2, 2, 3], "queries": [0, 0, 1, 0], "bins": [5, 6, 6, 5]}
    values: dict[str, Any] = {name: json.dumps(entries) for name, entries in columns.items()}
    queries = table_of("asked", {}, "utility_asked", values=values)
    assert queries == [(0, 2, 0, 5), (0, 2, 0, 6), (0, 2, 1, 6), (1, 3, 0, 5)]
    tables: dict[str, Any] = {
        "utility_asked": ("set_number BIGINT, column_number BIGINT, query BIGINT, bin BIGINT", queries),
        "label_bins": ("code BIGINT, bin BIGINT, weight DOUBLE", [(1, 5, 0.5), (1, 6, 0.25), (2, 7, 1.0)]),
    }
    rows = table_of("query_weights", tables, "query_weights", values={"size": 3, "column": 2})
    assert rows == [(0, 1, [0.75, 0.25, 0.0]), (0, 2, [0.0, 0.0, 0.0])]


def test_few_kinds_are_drawn_whole_and_many_by_their_share() -> None:
    kinds = "is_release BIGINT, target BIGINT, kind BIGINT, row_count BIGINT"
    tables: dict[str, Any] = {
        "source_kinds": (kinds, [(0, 1, 7, 1), (0, 2, 7, 3)]),
        "release_kinds": (kinds, [(1, 1, 7, 4)]),
    }
    lists: dict[str, Any] = {"item": [{"kind": "kind"}]}
    whole = table_of("drawn", tables, "utility_drawn", lists=lists, values={"most": 3})
    assert whole == [(0, 1, 7, 1), (0, 2, 7, 3), (1, 1, 7, 4)]
    many = {**tables, "source_kinds": (kinds, [(0, target, 7, 10) for target in range(400)])}
    drawn = table_of("drawn", many, "utility_drawn", lists=lists, values={"most": 200})
    assert {row[3] for row in drawn} == {1}
    assert 120 < len(drawn) < 280


def test_a_fit_goes_by_gradient_and_curvature() -> None:
    rows = [(0.0, 2.0, 1.0, 1.0), (1.0, 1.0, 1.0, 3.0)]
    tables: dict[str, Any] = {"utility_design": ("is_release DOUBLE, row_count DOUBLE, x0 DOUBLE, x1 DOUBLE", rows)}
    parts = [{"x": "x0", "number": 1}, {"x": "x1", "number": 2}]
    pairs = [{"first": "x0", "second": "x0"}, {"first": "x0", "second": "x1"}, {"first": "x1", "second": "x1"}]
    row = answers(
        f"{UTILITY}/newton", tables, lists={"part": parts, "pair": pairs}, values={"share": 0.25, "beta": [0.0, 0.0]}
    )[0]
    assert row[:2] == (pytest.approx(1 / 16), pytest.approx(3 * math.log(0.5)))
    assert row[2:4] == (pytest.approx(-1.0 + 0.5), pytest.approx(-1.0 + 1.5))
    assert row[4:] == (pytest.approx(0.75), pytest.approx(0.5 + 0.75), pytest.approx(0.5 + 9 / 4))
    assert answers(f"{UTILITY}/sides", tables) == [(3.0, 1.0)]


def test_labels_of_the_release_cover_missing_values_by_their_words() -> None:
    tables: dict[str, Any] = {
        "counted_values": ("value VARCHAR, row_count BIGINT", [("5 or missing", 2), (" to 7", 1), (None, 3), ("a", 4)])
    }
    for ranges, covers, bare in ((True, True, "5"), (False, False, "5 or missing")):
        values: dict[str, Any] = {"ranges": ranges}
        rows = table_of(
            "labels", tables, "labels", "label, bare, covers_missing", names={"label_text": "value"}, values=values
        )
        assert rows == [
            (" to 7", " to 7", covers),
            ("5 or missing", bare, covers),
            ("a", "a", False),
            (None, None, True),
        ]
    missing = {
        "labels": ("code BIGINT, covers_missing BOOLEAN", [(1, True), (2, False)]),
        "ranks": ("rank BIGINT, is_missing BOOLEAN", [(0, True), (1, False)]),
        "points": ("code BIGINT, rank BIGINT", []),
    }
    assert table_of("missing_points", missing, "points") == [(1, 0)]


def test_columns_are_coded_with_their_missing_values_and_sums() -> None:
    tables: dict[str, Any] = {
        "tuples": ("a VARCHAR, row_count BIGINT", [("x", 2), (None, 3), ("y", 4)]),
        "item_codes": ("value VARCHAR, code BIGINT, x DOUBLE", [("x", 5, 1.5), (None, 6, None), ("y", 7, 2.0)]),
    }
    lists: dict[str, Any] = {
        "item": [{"codes": "item_codes", "code": "q0", "name": "a"}],
        "number": [{"codes": "item_codes", "x": "x0", "count": "n", "total": "total", "square": "square"}],
        "sum": [],
    }
    rows = table_of("coded", tables, "coded", "row_count, q0, x0, n, total, square", lists=lists)
    assert rows == [(2, 5, 1.5, 2, 3.0, 4.5), (3, 6, None, 0, 0.0, 0.0), (4, 7, 2.0, 4, 8.0, 16.0)]
    values: dict[str, Any] = {"tuples": ("a VARCHAR, row_count BIGINT", [("x", 2), (None, 3), ("x", 4)])}
    assert table_of("counted_values", values, "counted_values", names={"item_name": "a"}) == [("x", 6), (None, 3)]
    domain = (
        "rank BIGINT, number DOUBLE, measure DOUBLE, is_missing BOOLEAN, row_count BIGINT",
        [(0, None, None, True, 2), (1, 5.0, 0.5, False, 3), (1, 5.5, 0.5, False, 4)],
    )
    assert table_of("ranks", {"domain": domain}, "ranks") == [(0, None, None, True, 2), (1, 5.0, 0.5, False, 7)]


def test_the_domain_is_every_value_with_the_texts_that_stand_for_it() -> None:
    tables: dict[str, Any] = {
        "counted_values": ("value VARCHAR, row_count BIGINT", [("b", 2), (None, 3), ("a", 4)]),
        "ordered_values": (
            "value VARCHAR, position BIGINT, label VARCHAR, measure DOUBLE",
            [("a", 1, "la", 0.0), ("b", 3, "lb", 1.0), (None, 0, None, 0.5)],
        ),
    }
    names: dict[str, Any] = {"value_text": parse("counted.value"), "number_value": parse("length(counted.value)")}
    columns = "rank, value, is_missing, keys, number, measure, row_count"
    rows = table_of("domain", tables, "domain", columns, names=names)
    assert rows == [
        (0, None, True, [None, None, None], None, None, 3),
        (1, "a", False, ["a", "a", "la"], 1, 0.0, 4),
        (2, "b", False, ["b", "b", "lb"], 1, 1.0, 2),
    ]
    domain = (
        "rank BIGINT, value VARCHAR, is_missing BOOLEAN, keys VARCHAR[]",
        [(row[0], row[1], row[2], row[3]) for row in rows],
    )
    tables = {
        "domain": domain,
        "mapping": ("value VARCHAR, label_1 VARCHAR", [("a", "A"), ("b", None), (None, "none")]),
    }
    steps = table_of("steps", tables, "steps", lists={"level": [{"number": 1, "label": "label_1"}]})
    own = [(0, "a", 1), (0, "b", 2), (0, "la", 1), (0, "lb", 2)]
    assert steps == [*own, (1, "A", 1)]
    assert table_of("own_steps", tables, "steps") == own
    tables["bins"] = ("rank BIGINT, bin BIGINT", [(0, 0), (1, 4), (2, 4)])
    assert table_of("own_bins", tables, "label_bins") == [(0, 0, 1.0), (4, 4, 1.0)]


def test_kinds_of_rows_are_told_by_the_profiles_of_their_side() -> None:
    tables: dict[str, Any] = {
        "coded": ("code BIGINT, target BIGINT, row_count BIGINT", [(1, 0, 2), (1, 0, 3), (2, 1, 4)]),
        "item_profiles": ("is_release BIGINT, code BIGINT, kind BIGINT", [(0, 1, 70), (1, 1, 71), (1, 2, 72)]),
    }
    lists: dict[str, Any] = {"item": [{"profiles": "item_profiles", "code": "code", "kind": "kind"}]}
    names: dict[str, Any] = {"side_number": 1, "target_code": "target"}
    rows = answers(f"{UTILITY}/kinds", tables, names=names, lists=lists)
    assert sorted(rows) == [(1, 0, 71, 5), (1, 1, 72, 4)]
    bins = "code BIGINT, bin BIGINT, weight DOUBLE"
    tables = {
        "source_bins": (bins, [(1, 5, 1.0), (2, 6, 1.0)]),
        "release_bins": (bins, [(1, 5, 0.25), (1, 6, 0.25), (1, 7, 0.5), (2, 5, 1.0)]),
        "utility_grouped": ("bin BIGINT, group_number BIGINT", [(5, 1), (6, 2), (7, 1)]),
    }
    lists = {"feature": [{"number": 1, "name": "f1"}, {"number": 2, "name": "f2"}]}
    profiles = table_of("profiles", tables, "profiles", "is_release, code, f1, f2", lists=lists)
    assert profiles == [(0, 1, 1.0, 0.0), (0, 2, 0.0, 1.0), (1, 1, 0.75, 0.25), (1, 2, 1.0, 0.0)]
    kinds = table_of("profiles", tables, "profiles", "kind, f1", lists=lists)
    assert len(set(kinds)) == len({kind for kind, _ in kinds}) == 3


def test_treated_values_that_the_release_shows_are_of_the_domain() -> None:
    tables: dict[str, Any] = {
        "source": ("value VARCHAR", [("a",), ("b",), ("b",), ("c",), (None,)]),
        "release": ("text VARCHAR", [("b",), ("a",), (None,)]),
        "counted_values": ("value VARCHAR, row_count BIGINT", [("a", 4), (None, 1)]),
    }
    names: dict[str, Any] = {
        "treated_value": parse("source.value"),
        "treated_text": parse("source.value"),
        "released_text": "text",
    }
    rows = table_of("treated_values", tables, "counted_values", names=names)
    assert rows == [("a", 4), ("b", 0), (None, 1)]


def test_days_count_where_a_row_has_both_dates() -> None:
    """Three rows of the source lie 1, 1 and 5 days apart, two released ones 1 and 9."""
    columns = "earlier TIMESTAMP, later TIMESTAMP"
    source = [("2024-05-01", f"2024-05-{day}") for day in ("02", "02", "06")] + [("2024-05-01", None)] * 4
    released = [("2024-05-02 23:00:00", "2024-05-03 01:00:00"), ("2024-05-01", "2024-05-10"), (None, "2024-05-10")]
    tables = {"source": (columns, source), "released": (columns, released)}
    [days] = answers(f"{UTILITY}/days_between", tables)
    assert days == pytest.approx((7 / 3, 5.0, (abs(2 / 3 - 1 / 2) + 1 / 3 + 1 / 2) / 2))
    assert answers(f"{UTILITY}/days_between", {**tables, "released": (columns, released[2:])}) == [(7 / 3, None, None)]


def test_facts_of_persons_are_counted_once_and_with_others_of_the_same_side() -> None:
    facts = "person VARCHAR, fact VARCHAR"
    persons = {"source_persons": ("person VARCHAR", [("1",), ("2",)]), "released_persons": ("person VARCHAR", [("1",)])}
    tables = {
        **persons,
        "source_facts": (facts, [("1", "a"), ("1", "a"), ("1", "b"), ("2", "a"), ("9", "c")]),
        "released_facts": (facts, [("1", "c"), ("1", "c"), ("2", "a")]),
    }
    numbered = table_of("fact_numbers", tables, "fact_numbers")
    assert numbered == [(False, "1", 1), (False, "1", 2), (False, "2", 1), (True, "1", 3)]
    held = {"fact_numbers": ("is_released BOOLEAN, person VARCHAR, fact BIGINT", numbered)}
    assert sorted(answers(f"{UTILITY}/fact_shares_1", held)) == [(1, None, 2, 0), (2, None, 1, 0), (3, None, 0, 1)]
    assert answers(f"{UTILITY}/fact_shares_2", held) == [(1, 2, 1, 0)]
    shares = ("source_persons DOUBLE, released_persons DOUBLE", [(2, 0), (1, 0), (0, 1)])
    assert answers(f"{UTILITY}/fact_distance", {"fact_shares": shares}) == [(3, 1, 1.0)]


def test_facts_have_the_labels_of_missing_values_too() -> None:
    rows = {"table_rows": ("person VARCHAR, q VARCHAR", [("1", "x"), ("2", None), ("3", "strange")])}
    mapping = {"mapping_0": ("value VARCHAR, label_1 VARCHAR", [("x", "X"), (None, "none")])}
    lists = {"fact": [{"mapping": "mapping_0", "key": "q", "label": parse("mapping_0.label_1")}]}
    facts = answers(f"{UTILITY}/labelled_facts", rows, names={"table_name": parse("'t'")}, lists=lists, listed=mapping)
    assert sorted(facts) == [("1", '["t","X"]'), ("2", '["t","none"]'), ("3", '["t",null]')]


def test_values_of_a_release_are_shared_with_a_level_strange_to_it_or_lacking() -> None:
    def compared(*labels: str | None) -> tuple[Any, ...]:
        tables = {
            "released": ("value VARCHAR", [("a",), (None,), ("a",), ("b",)]),
            "level_labels": ("label VARCHAR", [(label,) for label in labels]),
        }
        return answers(f"{UTILITY}/strange_labels", tables)[0]

    assert compared("a", "b", None, None) == (3, 0, 0)
    assert compared("a", "b") == (2, 1, 0)
    assert compared(None, "c", "c", "d") == (1, 2, 2)
