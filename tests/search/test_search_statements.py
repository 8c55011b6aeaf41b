"""What the statements of the searches say of a few rows."""

from __future__ import annotations

from queried import answers
from sqlglot import exp

from kanon_sql.sql.template import Fill, parse

KEY = [{"code": "c"}]
CLASSES = ("node BIGINT, size BIGINT, violates BOOLEAN", [(0, 2, True), (0, 1, True), (0, 9, False), (1, 9, False)])


def test_what_violates_is_suppressed_by_its_rows() -> None:
    assert answers("search/full_domain/node_check", {"classes": CLASSES}) == [(2, 3)]
    assert answers("search/full_domain/batch_check", {"classes": CLASSES}) == [(0, 3)]


def test_all_rows_of_a_group_fall_together() -> None:
    tables = {
        "small": ("place BIGINT", [(1,), (1,)]),
        "kept": ("place BIGINT, household VARCHAR", [(1, "a"), (2, "a"), (3, "b"), (4, None)]),
    }
    names = {"fallen": "fallen"}
    then = "SELECT place FROM fallen ORDER BY place"
    assert answers("search/full_domain/closure_fallen_groups", tables, names=names, then=then) == [(1,), (2,)]


def test_a_part_has_the_first_cut_whose_sides_hold() -> None:
    columns = "part BIGINT, place BIGINT, dimension BIGINT, low BIGINT, high BIGINT"
    rows = [(1, 1, 0, 5, 6), (1, 2, 1, 7, 8), (1, 3, 2, 7, 8), (2, 1, 0, 1, 2)]
    tables = {
        "candidates": (columns, rows),
        "accepted_cuts": ("part BIGINT, dimension BIGINT, low BIGINT, high BIGINT", [(2, 9, 9, 9)]),
        "classes": ("part BIGINT, place BIGINT, violates BOOLEAN", [(1, 1, True), (1, 2, False), (2, 1, False)]),
    }
    names = {"from_place": 0, "to_place": 9}
    then = "SELECT * FROM accepted_cuts ORDER BY part"
    cuts = answers("search/mondrian/accept_cuts", tables, values=names, then=then)
    assert cuts == [(1, 1, 7, 8), (2, 9, 9, 9)]


def test_cuts_of_the_same_score_are_compared_by_all_that_orders_them() -> None:
    columns = "part, dimension, low, high, left_rows, row_count, gain, preference".replace(",", " BIGINT,") + " BIGINT"
    rows = [
        (1, 0, 0, 4, 5, 10, 7, 2),  # less is saved
        (1, 1, 0, 4, 3, 10, 8, 0),  # less even
        (1, 3, 0, 4, 5, 10, 8, 2),  # a later dimension
        (1, 2, 0, 4, 5, 10, 8, 1),  # before the median
        (1, 2, 0, 6, 5, 10, 8, 2),
        (2, 5, 0, 1, 3, 6, 9, 0),  # may not be made
        (2, 0, 0, 1, 3, 6, 1, 1),
        (3, 0, 0, 1, 3, 6, 1, 0),  # no cut may be made
    ]
    names: dict[str, Fill] = {"cut_score": parse("gain"), "cut_evenness": parse("-abs(2 * left_rows - row_count)")}
    names |= {"eligible": parse("preference > 0 OR part = 1"), "cuts": "cuts"}
    then = "SELECT part, number, dimension, low, high, left_rows, row_count, live FROM cuts ORDER BY part"
    cuts = answers("search/mondrian/cuts", {"allowable_cuts": (columns, rows)}, names=names, then=then)
    assert cuts == [(1, 0, 2, 0, 6, 5, 10, 0b1111), (2, 1, 0, 0, 1, 3, 6, 0b100001)]


def test_enough_rows_take_a_label() -> None:
    tables = {
        "offers": (
            "cell BIGINT, label BIGINT, row_count BIGINT",
            [(1, 7, 2), (2, 7, 1), (3, 8, 1), (4, 8, 1), (5, 9, 1)],
        ),
        "accepted": ("label BIGINT", [(9,)]),
    }
    names = {"takers": "takers"}
    then = "SELECT cell FROM takers ORDER BY cell"
    rows = answers("search/local/takers", tables, names=names, values={"k": 3}, then=then)
    assert rows == [(1,), (2,), (5,)]


def test_a_class_lends_what_it_has_above_k() -> None:
    columns = "part BIGINT, cell BIGINT, size BIGINT, cost DOUBLE, is_alone BOOLEAN"
    tables = {"standing": (columns, [(1, 5, 7, 0.1, True), (2, 6, 7, 0.1, False)])}
    then = "SELECT part, cell, row_count FROM spare"
    assert answers("search/local/spare", tables, names={"spare": "spare"}, values={"k": 3}, then=then) == [(1, 5, 4)]


def test_what_is_lent_comes_to_k_and_leaves_its_class() -> None:
    costed = "cell BIGINT, part BIGINT, row_count BIGINT, spare BIGINT, cost DOUBLE, old_cost DOUBLE"
    tables = {
        "cells": ("cell BIGINT, p BIGINT", [(1, 1), (2, 2), (9, 9)]),
        "class_costs": ("part BIGINT, size BIGINT, cost DOUBLE", [(1, 7, 0.1), (2, 9, 0.1)]),
        "costed": (costed, [(1, 1, 5, 2, 0.2, 0.1), (2, 2, 2, 4, 0.3, 0.1)]),  # they lose 0.1 and 0.2 more
        "members": ("part BIGINT, cell BIGINT, row_count BIGINT", [(1, 1, 5), (2, 2, 2)]),
        "rest": ("cell BIGINT, row_count BIGINT", [(9, 1)]),
    }
    then = "SELECT part, cell, row_count FROM borrowed ORDER BY ALL"
    lists = {"this": [{"position": "p", "low": "low", "high": "high"}]}
    names = {"borrowed": "borrowed"}
    rows = answers("search/local/borrowed", tables, names=names, lists=lists, values={"k": 5}, then=then)
    assert rows == [(0, 1, 2), (0, 2, 2), (0, 9, 1), (1, 1, 3)]


def test_as_many_classes_are_joined_as_are_asked_for() -> None:
    tables = {
        "members": ("part BIGINT, cell BIGINT, row_count BIGINT", [(1, 1, 5), (2, 2, 2), (3, 3, 2)]),
        "merge_order": ("part BIGINT, place BIGINT", [(2, 1), (3, 2), (1, 3)]),
    }
    values: dict[str, object] = {"places": 2, "all_classes": True}
    assert sorted(answers("search/local/merge", tables, values=values)) == [(1, 5, 1), (2, 2, 0), (3, 2, 0)]
    values["all_classes"] = False
    assert sorted(answers("search/local/merge", tables, values=values)) == [(2, 2, 0), (3, 2, 0)]


def test_rows_that_fell_are_suppressed() -> None:
    tables = {
        "rows_there": ("c BIGINT, row_count BIGINT, stars BOOLEAN", [(1, 2, False), (2, 1, True), (3, 4, False)]),
        "kept": ("place BIGINT", [(1,), (2,)]),
    }
    rows = answers("search/full_domain/closed_rows", tables, lists={"key": KEY})
    assert sorted(rows) == [(1, 2, True), (2, 1, False), (3, 4, False)]
    names = {"starred": "stars", "violates": exp.Count(this=exp.Star())}
    assert answers("search/full_domain/closed_masked", tables, names=names) == [(2,)]


def test_labels_that_k_rows_fall_under_are_feasible() -> None:
    """Three tuples are below the first label of the first half, one of them below the second."""
    above = "label BIGINT, tuple BIGINT, cost DOUBLE"
    cells = [(1, 1, 1, 2), (2, 1, 2, 1), (3, 2, 1, 0)]
    tables = {
        "priced_cells": ("cell BIGINT, tuple_a BIGINT, tuple_b BIGINT, row_count BIGINT", cells),
        "prices": ("cell BIGINT, ceiling DOUBLE", [(1, 1.0), (2, 1.0), (3, 1.0)]),
        "above_a": (above, [(1, 1, 0.1), (1, 2, 0.1), (2, 2, 0.1)]),
        "above_b": (above, [(3, 1, 0.1), (3, 2, 0.1), (4, 1, 0.1), (4, 2, 0.95)]),
    }
    values = {"label_shift": 4, "k": 3}
    then = "SELECT label FROM feasible"
    assert answers("search/local/feasible", tables, names={"feasible": "feasible"}, values=values, then=then) == [(19,)]


def test_only_parts_that_no_cut_is_left_for_are_finished() -> None:
    tables = {
        "assigned": ("part BIGINT, p BIGINT, row_count BIGINT", []),
        "next_tuples": ("part BIGINT, p BIGINT, row_count BIGINT, live BIGINT", [(1, 5, 3, 0), (2, 6, 3, 1)]),
    }
    lists = {"this": [{"position": "p"}]}
    assert answers("search/mondrian/finish", tables, lists=lists, then="SELECT part FROM assigned") == [(1,)]


def test_classes_of_a_node_are_counted_with_and_without_those_that_violate() -> None:
    rows = [*CLASSES[1], (0, 12, True), (1, 4, False), (1, 0, True), (2, 3, True)]
    classes = {"classes": (CLASSES[0], rows)}
    assert sorted(answers("search/full_domain/batch_classes", classes)) == [
        (0, 15, 1, 9, 12, 81, 4, 230),
        (1, 0, 2, 4, 9, 97, 2, 97),
        (2, 3, 0, 0, 3, 0, 1, 9),
    ]


def test_of_combinations_that_are_not_lost_the_least_is_told() -> None:
    tables = {"rows_there": ("c BIGINT, row_count BIGINT", [(1, 1), (2, 3), (2, 2), (3, 9), (4, 2)])}
    names = {"violates": parse("sum(row_count) < 5")}
    lists = {"set": [{"code": "c", "number": "set_number"}]}
    rows = answers("search/full_domain/closure_lost", tables, names=names, lists=lists, values={"number": 7})
    assert rows == [(7, 3, 5)]


def test_each_level_loses_its_own_combinations() -> None:
    tables = {
        "counted": ("c BIGINT", []),
        "cells": ("l BIGINT, row_count BIGINT", [(1, 2), (2, 1), (3, 5), (4, 4)]),
    }
    above = [(1, 0, 1), (2, 0, 2), (3, 0, 3), (4, 0, 4), (1, 1, 9), (2, 1, 9), (3, 1, 8), (4, 1, 8)]
    steps = {"steps_1": ("leaf BIGINT, step BIGINT, above BIGINT", above)}
    lists = {"set": [{"leaf": "l", "steps": "steps_1", "step": "s"}]}
    rows = answers("search/full_domain/closure_levels", tables, lists=lists, values={"k": 3}, listed=steps)
    assert sorted(rows) == [(0, 3, 4), (1, 0, 3)]


def test_what_suppressed_rows_would_have_lost_is_summed_by_each_column() -> None:
    """Words of two codes of two bits, levels of one; the second column has no cost for the code 3."""
    tables = {
        "classes": (
            "node BIGINT, word BIGINT, size BIGINT, violates BOOLEAN",
            [(0, 0b0001, 2, True), (0, 0b1101, 3, True), (0, 0b0001, 9, False), (1, 0b0110, 4, True)],
        ),
    }
    units = {
        "costs_a": ("level BIGINT, code BIGINT, units BIGINT", [(0, 1, 10), (1, 2, 30)]),
        "costs_b": ("level BIGINT, code BIGINT, units BIGINT", [(0, 0, 7), (1, 1, 1)]),
    }
    costs = [
        {"costs": f"costs_{name}", "cost": name, "place": i, "levels": 1, "shift": 2 * i, "codes": 3}
        for i, name in enumerate("ab")
    ]
    names = {"node_levels": parse("[0, 3]")}
    lists = {"cost": costs}
    rows = answers("search/full_domain/batch_suppressed_units", tables, names=names, lists=lists, listed=units)
    assert sorted(rows) == [(0, 50, 14), (1, 120, 4)]


def test_classes_and_what_suppressed_rows_would_have_lost_are_told_together() -> None:
    """Of a node without a class that violates nothing is lost."""
    classes = [(0, 1, 2, True), (0, 2, 3, True), (0, 3, 9, False), (1, 1, 4, False)]
    tables = {
        "classes": ("node BIGINT, word BIGINT, size BIGINT, violates BOOLEAN", classes),
        "counted": (
            "node BIGINT, suppressed BIGINT, released_classes BIGINT, smallest BIGINT, largest BIGINT, "
            "released_squares BIGINT, all_classes BIGINT, all_squares BIGINT",
            [(0, 5, 1, 9, 9, 81, 3, 94), (1, 0, 1, 4, 4, 16, 1, 16)],
        ),
        "lost": ("node BIGINT, a BIGINT, b BIGINT", [(0, 50, 14)]),
    }
    rows = answers("search/full_domain/batch_measured", tables, lists={"cost": [{"cost": "a"}, {"cost": "b"}]})
    assert sorted(rows) == [(0, 5, 1, 9, 9, 81, 3, 94, 50, 14), (1, 0, 1, 4, 4, 16, 1, 16, 0, 0)]


def test_combinations_of_a_batch_are_joined_by_their_value_too() -> None:
    rows = [(0, 0, 1, 2), (0, 0, 1, 3), (0, 0, 2, 1), (1, 0, 1, 4)]
    tables = {"sensitive": ("a BIGINT, b BIGINT, value BIGINT, row_count BIGINT", rows)}
    lists = {"cell": [{"code": "a", "factor": 1}, {"code": "b", "factor": 1}], "meet": [{"code": "a"}]}
    names = {"node_count": 2, "node_words": parse("[a, b]")}
    judged = answers("search/full_domain/batch_values", tables, names=names, lists=lists)
    of_first = [(0, 1, 5), (0, 2, 1), (1, 1, 4)]
    of_second = [(0, 1, 4), (0, 1, 5), (0, 2, 1)]
    assert sorted(judged) == [*((0, *row) for row in of_first), *((1, *row) for row in of_second)]
