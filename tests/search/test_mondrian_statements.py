"""What the statements of Mondrian cut: every place where both sides hold k rows, and what each of them saves."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from queried import answers, rows_of_table

from kanon_sql.sql.template import parse

Rows = list[tuple[Any, ...]]
Held = dict[tuple[int, int], dict[int, int]]  # by part and dimension the rows at each position
MONDRIAN = "search/mondrian"
CUTS = (
    "part BIGINT, dimension BIGINT, low BIGINT, high BIGINT, left_rows BIGINT, row_count BIGINT, width DOUBLE, "
    "gain DOUBLE, preference BIGINT"
)
HALVES = (
    "part BIGINT, dimension BIGINT, low BIGINT, high BIGINT, left_of_tie BIGINT, row_count BIGINT, width DOUBLE, "
    "gain DOUBLE"
)
# Of numbers where they lie, of texts the step between two neighbours.
PLACES = (
    "dimension BIGINT, position BIGINT, measure DOUBLE, step DOUBLE",
    [(0, 1, 0.0, None), (0, 2, 0.25, None), (0, 3, 0.5, None), (0, 4, 1.0, None)]
    + [(1, position, position / 10, 0.25) for position in (3, 7, 9)],
)
# A hierarchy in dimension 2: pairs of leaves below nodes of cost 0.25, and all below one of cost 1.
LEVEL: dict[str, Any] = {"level": [{"shift": "shift_0"}, {"shift": "shift_1"}, {"shift": "shift_2"}]}
TREES = ("dimension BIGINT, min_level BIGINT, shift_0 BIGINT, shift_1 BIGINT, shift_2 BIGINT", [(2, 0, 0, 1, 3)])
ANCESTORS = (
    "dimension BIGINT, position BIGINT, level BIGINT, node BIGINT, shift BIGINT, cost DOUBLE",
    [
        (2, position, level, position >> shift, shift, cost)
        for position in range(5)
        for level, (shift, cost) in enumerate([(0, 0.0), (1, 0.25), (3, 1.0)])
    ],
)


table_of = partial(rows_of_table, MONDRIAN)


def described(held: Held) -> dict[str, Any]:
    """The tables that say where the rows of parts are."""
    rows = [(*key, position, count) for key, counts in held.items() for position, count in counts.items()]
    columns = "part BIGINT, dimension BIGINT, position BIGINT, row_count BIGINT"
    histogram = table_of("histogram", {"histograms": (columns, rows)}, "histogram", names={"sorted_apart": 0})
    tables: dict[str, Any] = {
        "histogram": (
            f"{columns}, rows_so_far BIGINT, number BIGINT, next_position BIGINT, next_row_count BIGINT",
            histogram,
        ),
        "ordered_places": PLACES,
        "trees": TREES,
        "ancestors": ANCESTORS,
        "allowable_cuts": (CUTS, []),
        "halves": (HALVES, []),
    }
    names = ("part", "dimension", "row_count", "first_position", "last_position", "rows_before", "first_number")
    columns = ", ".join(f"{name} BIGINT" for name in names)
    spans = table_of("spans", tables, "spans")
    return {**tables, "spans": (f"{columns}, first_breadth DOUBLE, last_breadth DOUBLE, width DOUBLE", spans)}


ORDERED: Held = {(1, 0): {1: 2, 2: 1, 3: 3, 4: 2}, (1, 1): {3: 2, 7: 2, 9: 4}, (4, 0): {2: 4, 4: 4}}


@pytest.mark.parametrize(
    ("k", "cuts"),
    [
        (
            2,
            [
                (1, 0, 1, 2, 3.5, 0),
                (1, 0, 2, 3, 4.75, 1),
                (1, 0, 3, 6, 5.0, 2),
                (1, 1, 3, 2, 2.5, 1),
                (1, 1, 7, 4, 3.0, 2),
            ],
        ),
        (3, [(1, 0, 2, 3, 4.75, 1), (1, 1, 7, 4, 3.0, 2)]),
        (4, [(1, 1, 7, 4, 3.0, 2)]),
        (5, []),
    ],
)
def test_ordered_values_are_cut_where_both_sides_hold_k(k: int, cuts: Rows) -> None:
    tables = described(ORDERED)
    rows = table_of("ordered_cuts", tables, "allowable_cuts", values={"k": k})
    assert all(row[2] == 0 and row[5] == 8 for row in rows)
    cuts_of_table = [(row[0], row[1], row[3], row[4], pytest.approx(row[7]), row[8]) for row in rows]
    assert cuts_of_table == [*cuts, *([(4, 0, 2, 4, 8 * 0.75, 2)] if k < 5 else [])]
    assert {row[6] for row in rows if row[1] == 0} <= {1.0, 0.75}


TREE: Held = {(1, 2): {0: 3, 1: 1, 2: 2, 4: 2}, (2, 2): {0: 1, 1: 1, 2: 2, 4: 4}, (3, 2): {2: 4, 3: 4}}


@pytest.mark.parametrize(
    ("k", "cuts"),
    [
        (
            2,
            [
                (1, 0, 3, 3.0, 0),
                (1, 1, 4, 3.0, 2),
                (1, 2, 6, 2.0, 0),
                (2, 1, 2, 1.5, 1),
                (2, 2, 4, 4.0, 2),
                (3, 2, 4, 2.0, 2),
            ],
        ),
        (3, [(1, 0, 3, 3.0, 0), (1, 1, 4, 3.0, 2), (2, 2, 4, 4.0, 2), (3, 2, 4, 2.0, 2)]),
        (5, []),
    ],
)
def test_hierarchies_are_cut_between_neighbours_where_both_sides_hold_k(k: int, cuts: Rows) -> None:
    rows = table_of("tree_cuts", described(TREE), "allowable_cuts", lists=LEVEL, values={"k": k})
    assert all(row[1:3] == (2, 0) and row[5] == 8 and row[6] == (0.25 if row[0] == 3 else 1.0) for row in rows)
    assert [(row[0], row[3], row[4], row[7], row[8]) for row in rows] == cuts


def test_subtrees_are_set_apart_from_the_middle_alone() -> None:
    held: Held = {(1, 2): {0: 3, 1: 2, 2: 2, 3: 1, 4: 2}, (2, 2): {2: 4, 3: 4, 4: 4}, (3, 2): {0: 1, 2: 4, 4: 1}}
    columns = "part, low, high, left_rows, row_count, gain"
    rows = table_of("subtree_cuts", described(held), "allowable_cuts", columns, lists=LEVEL, values={"k": 2})
    leaves = [(1, 1, 1, 2, 10, 2.0), (1, 2, 2, 2, 10, 2.0)]
    ends = [(3, 2, 2, 4, 6, 4.0), (3, 2, 3, 4, 6, 4 * 0.75)]  # beside which two rows are left
    assert rows == [*leaves, (1, 2, 3, 3, 10, 3 * 0.75), (2, 3, 3, 4, 12, 4.0), *ends]
    rows = table_of("subtree_cuts", described(held), "allowable_cuts", columns, lists=LEVEL, values={"k": 3})
    assert rows == [(1, 2, 3, 3, 10, 3 * 0.75), (2, 3, 3, 4, 12, 4.0)]
    assert table_of("subtree_cuts", described(held), "allowable_cuts", columns, lists=LEVEL, values={"k": 9}) == []


def test_the_value_at_which_half_the_rows_are_reached_is_shared_out() -> None:
    held: Held = {(1, 0): ORDERED[1, 0], (2, 0): {1: 4, 4: 5}, (3, 0): {2: 9}}
    columns = "part, low, high, left_of_tie, row_count, gain"
    rows = table_of("ordered_halves", described(held), "halves", columns, values={"k": 4})
    assert rows == [(1, 3, 3, 1, 8, 4.0), (2, 1, 1, 4, 9, 9.0)]
    assert table_of("ordered_halves", described(held), "halves", columns, values={"k": 5}) == []
    rows = table_of("tree_halves", described(TREE), "halves", columns, lists=LEVEL, values={"k": 4})
    assert rows == [(1, 0, 1, 4, 8, 3.0), (2, 2, 2, 2, 8, 0.0), (3, 2, 2, 4, 8, 1.0)]
    assert table_of("tree_halves", described(TREE), "halves", columns, lists=LEVEL, values={"k": 5}) == []


def test_parts_are_halved_by_the_best_dimension_and_ties_go_by_the_widest() -> None:
    rows = [
        (7, 0, 1, 2, 3, 9, 0.5, 4.0),
        (7, 1, 5, 5, 1, 9, 0.75, 4.0),
        (7, 2, 6, 6, 1, 9, 0.75, 3.0),
        (8, 2, 0, 0, 1, 5, 0.1, 9.0),
    ]
    tables: dict[str, Any] = {"halves": (HALVES, rows)}
    columns = "part, number, dimension, low, high, left_of_tie, left_rows, row_count, places, live"
    cuts = table_of("half_cuts", tables, "cuts", columns, names={"cut_score": parse("round(gain, 6)")})
    assert cuts == [(7, 0, 0, 1, 2, 3, 4, 9, [2, 3, 1], 0b111), (8, 1, 2, 0, 0, 1, 2, 5, [3], 0b100)]


THIS: dict[str, Any] = {"this": [{"position": "p0", "number": 0}, {"position": "p1", "number": 1}]}
OPEN = "part BIGINT, p0 BIGINT, p1 BIGINT, row_count BIGINT"


def test_parts_are_split_and_stay_open_where_they_can_be_cut_again() -> None:
    names = ("part", "number", "dimension", "low", "high", "left_rows", "row_count", "live")
    cuts = ", ".join(f"{name} BIGINT" for name in names)
    tables: dict[str, Any] = {
        "open_tuples": (OPEN, [(1, 3, 9, 4), (1, 5, 9, 1), (1, 6, 2, 4), (2, 3, 1, 5), (3, 1, 8, 3), (3, 1, 4, 7)]),
        "cuts": (cuts, [(1, 0, 0, 4, 5, 1, 9, 3), (3, 1, 1, 0, 4, 7, 10, 2)]),
    }
    rows = table_of("split", tables, "next_tuples", lists=THIS, values={"first": 20, "k": 4})
    # Those at 4 and 5 are one row, the 8 others may be cut again; part 2 has no cut.
    assert rows == [
        (2, 3, 1, 5, 0),
        (20, 5, 9, 1, 0),
        (21, 3, 9, 4, 3),
        (21, 6, 2, 4, 3),
        (22, 1, 4, 7, 0),
        (23, 1, 8, 3, 0),
    ]
    tables["open_tuples"] = (f"{OPEN}, live BIGINT", [])
    next_tuples = {"next_tuples": (f"{OPEN}, live BIGINT", rows)}
    assert table_of(
        "still_open", next_tuples, "open_tuples", lists={"this": [{"position": "p0"}, {"position": "p1"}]}
    ) == [row for row in rows if row[4]]


def test_tuples_at_the_median_are_dealt_out_in_order() -> None:
    columns = (
        "part BIGINT, number BIGINT, dimension BIGINT, low BIGINT, high BIGINT, left_of_tie BIGINT, left_rows BIGINT, "
        "row_count BIGINT, places BIGINT[], live BIGINT"
    )
    tables: dict[str, Any] = {
        "open_tuples": (OPEN, [(1, 3, 9, 2), (1, 5, 1, 1), (1, 5, 2, 3), (1, 7, 1, 2), (2, 5, 5, 9)]),
        "cuts": (columns, [(1, 0, 0, 5, 5, 2, 4, 8, [2, 1], 3)]),
    }
    for k, live in ((2, 3), (3, 0)):
        rows = table_of("halve", tables, "next_tuples", lists=THIS, values={"first": 20, "k": k})
        assert rows == [
            (2, 5, 5, 9, 0),
            (20, 3, 9, 2, live),
            (20, 5, 1, 1, live),
            (20, 5, 2, 1, live),
            (21, 5, 2, 2, live),
            (21, 7, 1, 2, live),
        ]


def test_values_are_counted_along_the_dimensions_that_are_live() -> None:
    tables: dict[str, Any] = {
        "open_tuples": (f"{OPEN}, live BIGINT", [(1, 3, 9, 2, 3), (1, 3, 8, 1, 3), (2, 3, 9, 5, 2), (3, 4, 4, 1, 1)])
    }
    names = {"this_number": 0, "this_position": "p0", "this_bit": 1}
    assert sorted(answers(f"{MONDRIAN}/histogram_of", tables, names=names)) == [(1, 0, 3, 3), (3, 0, 4, 1)]
    nodes = [(0, position, 0.0) for position in range(4)] + [(1, 0, 0.5), (1, 1, 0.25)]
    tree = {
        "nodes": ("level BIGINT, node BIGINT, cost DOUBLE", nodes),
        "domain": ("position BIGINT", [(1,), (2,), (2,)]),
    }
    names = {"this_dimension": 7, "this_weight": 2, "this_lowest": 1}
    lists: dict[str, Any] = {"level": [{"number": 0, "shift": 0}, {"number": 1, "shift": 1}]}
    rows = sorted(answers(f"{MONDRIAN}/ancestors_of", tree, names=names, lists=lists))
    assert rows == [(7, 1, 1, 0, 1, 1.0), (7, 2, 1, 1, 1, 0.5)]


def test_candidates_are_tried_in_their_order_until_one_is_accepted() -> None:
    cuts = [
        (1, 0, 0, 5, 4, 8, 1.0, 7.0, 2),
        (1, 1, 0, 3, 4, 8, 1.0, 9.0, 0),
        (1, 1, 0, 4, 3, 8, 1.0, 9.0, 0),
        (2, 0, 0, 2, 4, 8, 1.0, 1.0, 1),
    ]
    names = {
        "cut_score": parse("gain"),
        "cut_evenness": parse("-abs(2 * left_rows - row_count)"),
        "eligible": parse("part < 9"),
    }
    tables: dict[str, Any] = {"allowable_cuts": (CUTS, cuts)}
    candidates = table_of(
        "candidates", tables, "candidates", "part, dimension, high, place", names=names, values={"most": 2}
    )
    assert candidates == [(1, 1, 3, 1), (1, 1, 4, 2), (2, 0, 2, 1)]
    tried = ("part BIGINT, place BIGINT", [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 3), (3, 4)])
    accepted = ("part BIGINT, dimension BIGINT, low BIGINT, high BIGINT", [(1, 1, 0, 3)])
    for to_place, untried in ((1, 2), (2, 1), (3, 1), (4, 0)):
        left = answers(
            f"{MONDRIAN}/untried", {"candidates": tried, "accepted_cuts": accepted}, values={"to_place": to_place}
        )
        assert left == [(untried,)]
    rows = table_of(
        "only_accepted", {**tables, "accepted_cuts": accepted}, "allowable_cuts", "part, dimension, high, preference"
    )
    assert rows == [(1, 0, 5, 0), (1, 1, 3, 9), (1, 1, 4, 0), (2, 0, 2, 0)]


def test_both_sides_of_candidates_are_judged() -> None:
    columns = "part BIGINT, dimension BIGINT, low BIGINT, high BIGINT, place BIGINT"
    tables: dict[str, Any] = {
        "candidates": (columns, [(1, 0, 2, 3, 1), (1, 1, 0, 5, 2), (1, 0, 0, 0, 3), (2, 0, 0, 9, 2)]),
        "open_rows": (
            "open_part BIGINT, p0 BIGINT, p1 BIGINT, row_count BIGINT",
            [(1, 3, 9, 7), (1, 4, 5, 6), (2, 1, 1, 1)],
        ),
        "accepted_cuts": ("part BIGINT", [(2,)]),
        "classes": (
            "part BIGINT, place BIGINT, violates BOOLEAN",
            [(1, 1, True), (1, 2, False), (1, 3, False), (2, 2, False)],
        ),
    }
    lists: dict[str, Any] = {**THIS, "counted": [{"name": "row_count"}]}
    values: dict[str, Any] = {"from_place": 0, "to_place": 2}
    rows = sorted(answers(f"{MONDRIAN}/sides", tables, lists=lists, values=values))
    assert [row[:3] for row in rows] == [(1, 1, False), (1, 1, True), (1, 2, False), (1, 2, True)]
    assert {row[3] for row in rows if row[1:3] == (1, True)} == {7}
    accepted = {**tables, "accepted_cuts": ("part BIGINT, dimension BIGINT, low BIGINT, high BIGINT", [])}
    for (first, last), cuts in {
        (0, 2): [(1, 1, 0, 5), (2, 0, 0, 9)],
        (1, 2): [(1, 1, 0, 5), (2, 0, 0, 9)],
        (2, 3): [(1, 0, 0, 0)],
    }.items():
        accepted_cuts = table_of(
            "accept_cuts", accepted, "accepted_cuts", values={"from_place": first, "to_place": last}
        )
        assert accepted_cuts == cuts
