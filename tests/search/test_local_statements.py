"""What the statements of local recoding say of a few rows: no label is taken by fewer than k, and no row twice."""

from __future__ import annotations

from functools import partial
from typing import Any

from queried import answers, rows_of_table

Rows = list[tuple[Any, ...]]
OFFERS = "zone BIGINT, label BIGINT, cell BIGINT, cost DOUBLE, value DOUBLE, is_open BOOLEAN, row_count BIGINT"


table_of = partial(rows_of_table, "search/local")


def test_a_label_is_taken_by_k_rows_the_nearest_first() -> None:
    offers = [(1, 7, 1, 0.1, 0.1, False, 2), (1, 7, 2, 0.2, 0.2, False, 2), (1, 8, 3, 0.1, 0.1, False, 2)]
    tables = {"label_offers": (OFFERS, offers)}
    taken = {2: [(1, 1, 2), (3, 3, 2)], 3: [(1, 1, 2), (1, 2, 1)], 4: [(1, 1, 2), (1, 2, 2)], 5: []}
    for k, rows in taken.items():
        takes = table_of("label_takes", tables, "label_takes", "label, cell, row_count", values={"k": k})
        assert takes == [({1: 7, 3: 8}[label], cell, count) for label, cell, count in rows]


def test_a_label_of_a_zone_is_filled_with_rows_that_others_lend() -> None:
    offers = "zone BIGINT, label BIGINT, cell BIGINT, row_count BIGINT, cost DOUBLE, value DOUBLE, is_open BOOLEAN"
    tables = {
        "zone_offers": (offers, [(1, 7, 1, 2, 0.1, 0.1, False)]),
        "zone_fillers": ("zone BIGINT, label BIGINT, cell BIGINT, added DOUBLE", [(1, 7, 9, 0.2)]),
        "lendable": ("cell BIGINT, row_count BIGINT", [(9, 1)]),
    }
    columns = "zone, label, cell, row_count, is_lent"
    for k, rows in ((2, [(1, 7, 1, 2, False)]), (3, [(1, 7, 1, 2, False), (1, 7, 9, 1, True)]), (4, [])):
        assert table_of("zone_made", tables, "zone_made", columns, values={"k": k}) == rows
    tables["lendable"] = (tables["lendable"][0], [(9, 0)])
    assert table_of("zone_made", tables, "zone_made", columns, values={"k": 3}) == []


def test_zones_offer_the_rows_that_have_no_class_of_their_own() -> None:
    standing = "part BIGINT, cell BIGINT, row_count BIGINT, cost DOUBLE, is_alone BOOLEAN, home BIGINT"
    held = [(1, 5, 2, 0.5, False, None), (1, 6, 2, 0.5, False, 9), (9, 6, 4, 0.1, True, 9), (2, 7, 1, 0.5, False, None)]
    pairs = [(5, 70, 0.25), (5, 71, 0.6), (6, 70, 0.1), (7, 70, 0.25)]
    tables = {"standing": (standing, held), "near_pairs": ("cell BIGINT, label BIGINT, cost DOUBLE", pairs)}
    rows = table_of("zone_offers", tables, "zone_offers", "zone, label, cell, row_count, cost, value", values={"k": 4})
    # The one row of the second zone would have to take three others with it, which costs more than it saves.
    assert rows == [(1, -1, 5, 2, 0.5, 0.5), (1, 70, 5, 2, 0.25, 0.25), (2, -2, 7, 1, 0.5, 0.5)]


def test_a_zone_is_labelled_anew_where_all_its_rows_lose_no_more() -> None:
    made_columns = "zone BIGINT, label BIGINT, cell BIGINT, row_count BIGINT, cost DOUBLE"
    tables = {
        "labelled": (
            "label BIGINT, cell BIGINT, row_count BIGINT, cost DOUBLE",
            [(7, 1, 5, 0.5), (8, 2, 4, 1.0), (9, 3, 3, 0.1), (10, 4, 2, 0.5)],
        ),
        "ruined": ("zone BIGINT, label BIGINT", [(1, 7), (2, 8), (3, 10)]),
        "label_made": (made_columns, [(1, 70, 1, 3, 0.1), (2, 80, 2, 4, 0.5), (3, 90, 4, 2, 0.75)]),
        "label_offers": (OFFERS, []),
    }
    rows = table_of("labelled_anew", tables, "labelled", "label, cell, row_count, cost")
    assert rows == [(7, 1, 5, 0.5), (9, 3, 3, 0.1), (10, 4, 2, 0.5), (80, 2, 4, 0.5)]


def test_bounds_go_by_the_cheapest_label_that_k_rows_can_have() -> None:
    tables: dict[str, Any] = {
        "cells": ("p BIGINT, row_count BIGINT", [(1, 2), (1, 1), (2, 1)]),
        "ancestors": (
            "position BIGINT, number BIGINT, cost DOUBLE",
            [(1, 1, 0.0), (2, 2, 0.0), (1, 9, 0.5), (2, 9, 0.5)],
        ),
    }
    for k, cost in ((1, 0.0), (3, 0.5), (4, 2.0), (5, 0.0)):
        assert answers("search/local/column_bound", tables, names={"this_position": "p"}, values={"k": k}) == [(cost,)]
    smallest = {"cells": ("p BIGINT, row_count BIGINT", [(0, 2), (1, 3), (2, 4)])}
    names = {"this_position": "p", "this_shift": 1}
    assert answers("search/local/smallest_class", smallest, names=names) == [(4,)]
    bound = {
        "prices": ("cell BIGINT, row_count BIGINT, price DOUBLE", [(1, 2, 0.5), (2, 3, 1.0)]),
        "label_values": ("value DOUBLE", [(-0.5,), (0.25,), (-0.25,)]),
    }
    assert answers("search/local/price_bound", bound) == [(4.0 - 0.75,)]


def test_labels_whose_classes_violate_are_not_taken() -> None:
    tables = {
        "choices": ("cell BIGINT, label BIGINT, row_count BIGINT", [(1, 7, 2), (2, 8, 3), (3, 7, 1)]),
        "classes": ("label BIGINT, violates BOOLEAN", [(7, True), (8, False)]),
    }
    assert table_of("judged_takers", tables, "takers") == [(2, 8, 3)]
