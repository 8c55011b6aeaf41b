"""What the statements that play attacks say of a few rows, by figures that can be reckoned by hand."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from queried import answers, rows_of_table

Rows = list[tuple[Any, ...]]
ATTACK = "measures/attack"
TARGETS = ("target BIGINT, is_control BIGINT, rank BIGINT", [(2, 0, 7), (4, 0, 8), (3, 1, 7), (6, 0, 9)])


table_of = partial(rows_of_table, ATTACK)


def test_the_nearest_classes_are_those_whose_labels_stand_for_least() -> None:
    tables: dict[str, Any] = {
        "pairs": ("target BIGINT, node BIGINT", [(1, 10), (1, 11), (1, 12)]),
        "far": ("target BIGINT, node BIGINT", [(2, 12), (2, 10)]),
        "classes": ("code BIGINT, node BIGINT", [(1, 10), (1, 11), (2, 12)]),
        "known_widths": ("code BIGINT, width DOUBLE", [(1, 0.25), (2, 0.5)]),
    }
    lists: dict[str, Any] = {"known": [{"widths": "known_widths", "code": "code"}]}
    rows = table_of("nearest", tables, "near", names={"last_node": "node"}, lists=lists)
    assert rows == [(1, 10), (1, 11), (2, 10)]


def test_rows_are_held_out_by_what_parts_them() -> None:
    rows = [(number, number % 7) for number in range(200)]
    tables: dict[str, Any] = {"source": ("own BIGINT, part UBIGINT", rows)}
    options: dict[str, Any] = {"names": {"row_key": "part"}, "lists": {"own": [{"key": "own", "name": "own"}]}}
    values: dict[str, Any] = {"seed": 1, "out_of": 1000, "share": 300}
    by_persons = table_of("parted", tables, "attack_parted", values={**values, "by_rows": False}, **options)
    assert len({(own % 7, held_out) for own, held_out in by_persons}) == 7
    by_rows = table_of("parted", tables, "attack_parted", values={**values, "by_rows": True}, **options)
    assert len({(own % 7, held_out) for own, held_out in by_rows}) == 14
    again = table_of("parted", tables, "attack_parted", values={**values, "by_rows": True}, **options)
    assert again == by_rows
    for share, held_out in ((0, 0), (1000, 200)):
        parts = table_of(
            "parted", tables, "attack_parted", values={**values, "share": share, "by_rows": True}, **options
        )
        assert sum(part[1] for part in parts) == held_out
    halves = {**values, "out_of": 2, "share": 1, "by_rows": True}
    assert 60 < sum(part[1] for part in table_of("parted", tables, "attack_parted", values=halves, **options)) < 140
    of_other_seed = table_of(
        "parted", tables, "attack_parted", values={**values, "seed": 2, "by_rows": True}, **options
    )
    assert of_other_seed != by_rows
    for name, is_held_out in (("held", True), ("kept", False)):
        parted = {"attack_parted": ("own VARCHAR, is_held_out BOOLEAN", [("held", True), ("kept", False)])}
        lists: dict[str, Any] = {"own": [{"name": "own"}]}
        assert answers(f"{ATTACK}/part", parted, lists=lists, names={"held_out": is_held_out}) == [(name,)]


def test_what_is_most_frequent_is_guessed_and_of_several_any() -> None:
    tables: dict[str, Any] = {
        "pools": ("target BIGINT, pool BIGINT", [(2, 100), (4, 100), (3, 200)]),
        "near": ("target BIGINT, node BIGINT", [(2, 10), (2, 11), (4, 10), (4, 11), (3, 12)]),
        "told": (
            "node BIGINT, secret BIGINT, row_count BIGINT",
            [(10, 1, 3), (11, 1, 1), (11, 2, 4), (11, 3, 2), (12, 1, 5), (12, 2, 4)],
        ),
    }
    guesses = table_of("guesses", tables, "guesses")
    assert guesses == [(100, 1, 0.5), (100, 2, 0.5), (200, 1, 1.0)]
    tables |= {
        "attack_targets": (TARGETS[0], TARGETS[1][:3]),
        "groups": ("rank BIGINT, secret BIGINT", [(7, 1), (8, 3), (9, 2)]),
        "guesses": ("pool BIGINT, secret BIGINT, chance DOUBLE", guesses),
    }
    rows = answers(f"{ATTACK}/guessed", tables, names={"this_rank": "rank"})
    # Of the whole release, 1 is told 9 times, 2 8 times.
    assert sorted(rows) == [(0, 2, 0.5, 1.0), (1, 1, 1.0, 1.0)]
    tables["told"] = (tables["told"][0], [(10, 1, 3), (11, 3, 2), (11, 3, 1), (12, 4, 1), (12, 4, 1), (13, 4, 0)])
    assert sorted(answers(f"{ATTACK}/guessed", tables, names={"this_rank": "rank"}))[0] == (0, 2, 0.5, 1.0)


def test_a_row_is_linked_by_chance_where_several_are_near() -> None:
    tables: dict[str, Any] = {
        "attack_targets": (TARGETS[0], TARGETS[1][:3]),
        "left_near": ("target BIGINT, node BIGINT", [(2, 10), (2, 11), (4, 10), (3, 10)]),
        "right_near": ("target BIGINT, node BIGINT", [(2, 20), (4, 21), (3, 20), (3, 21)]),
        "left_classes": ("node BIGINT, row_count BIGINT", [(10, 2), (10, 1), (11, 1)]),
        "right_classes": ("node BIGINT, row_count BIGINT", [(20, 2), (21, 4)]),
        "joint": ("left_node BIGINT, right_node BIGINT, row_count BIGINT", [(10, 20, 1), (11, 20, 1), (10, 21, 2)]),
    }
    both = table_of("both", tables, "both_near")
    assert both == [(2, 10, 20), (2, 11, 20), (3, 10, 20), (3, 10, 21), (4, 10, 21)]
    tables["both_near"] = ("target BIGINT, left_node BIGINT, right_node BIGINT", both)
    tables["joint"] = (tables["joint"][0], [(10, 20, 1), (11, 20, 2), (12, 20, 7), (10, 22, 5)])
    rows = sorted(answers(f"{ATTACK}/linked", tables, names={"left_last": "node", "right_last": "node"}))
    # 3 rows of 4 by 2 for the first, none for the second; one of 3 by 6 for the control.
    assert rows == [(0, 2, pytest.approx(3 / 8)), (1, 1, pytest.approx(1 / 18))]


def test_values_are_guessed_one_by_one_or_by_their_twentieth() -> None:
    ranks = (
        "rank BIGINT, is_missing BOOLEAN, row_count BIGINT",
        [(0, True, 5), (1, False, 2), (2, False, 2), (3, False, 6)],
    )
    for most, ordered in ((4, True), (2, False)):
        rows = table_of("groups", {"ranks": ranks}, "groups", values={"most": most, "ordered": ordered})
        assert rows == [(0, 0), (1, 1), (2, 2), (3, 3)]
    # The middles of the ranks lie at 6, 8 and 12 of 16 rows: in the first and the second half.
    rows = table_of("groups", {"ranks": ranks}, "groups", values={"most": 2, "ordered": True})
    assert rows == [(0, 0), (1, -1), (2, -2), (3, -2)]
    rows = table_of("groups", {"ranks": ranks}, "groups", values={"most": 3, "ordered": True})
    assert rows == [(0, 0), (1, -2), (2, -2), (3, -3)]


def test_a_value_is_as_far_from_a_label_as_from_its_nearest_value() -> None:
    tables: dict[str, Any] = {
        "lonely": ("rank BIGINT", [(1,), (5,)]),
        "candidates": ("code BIGINT", [(10,), (11,)]),
        "runs": ("code BIGINT, first BIGINT, last BIGINT", [(10, 2, 3), (10, 6, 6), (11, 1, 4), (12, 1, 9)]),
        "ranks": (
            "rank BIGINT, measure DOUBLE",
            [(1, 0.0), (2, 0.25), (3, 0.5), (4, 0.625), (5, 0.75), (6, 0.875), (9, 1.0)],
        ),
    }
    names: dict[str, Any] = {"this_code": "code", "this_rank": "rank"}
    rows = table_of("column_distances", tables, "column_distances", names=names, values={"ordered": True})
    assert rows == [(1, 10, 0.25), (1, 11, 0.0), (5, 10, 0.125), (5, 11, 0.125)]
    rows = table_of("column_distances", tables, "column_distances", names=names, values={"ordered": False})
    assert rows == [(1, 10, 1.0), (1, 11, 0.0), (5, 10, 1.0), (5, 11, 1.0)]
    tables["ranks"] = ("rank BIGINT, measure DOUBLE", [(1, None), (5, 0.75)])
    rows = table_of("column_distances", tables, "column_distances", names=names, values={"ordered": True})
    assert rows[0] == (1, 10, 1.0)


def test_those_for_whom_no_class_stands_are_compared_with_all() -> None:
    lonely = table_of(
        "lonely",
        {"attack_targets": TARGETS, "pairs": ("target BIGINT", [(2,), (2,), (3,)])},
        "lonely",
        lists={"known": [{"rank": "rank"}]},
    )
    assert lonely == [(4, 8), (6, 9)]
    tables: dict[str, Any] = {
        "lonely": ("target BIGINT, rank BIGINT, other BIGINT", [(4, 8, 1), (6, 9, 1)]),
        "candidates": ("node BIGINT, code BIGINT, second BIGINT", [(10, 1, 1), (11, 2, 1), (12, 1, 2)]),
        "known_distances": (
            "rank BIGINT, code BIGINT, distance DOUBLE",
            [(8, 1, 0.5), (8, 2, 0.25), (9, 1, 0.0), (9, 2, 1.0)],
        ),
    }
    lists: dict[str, Any] = {"known": [{"distances": "known_distances", "rank": "rank", "code": "code"}]}
    assert table_of("distances", tables, "far", lists=lists) == [(4, 11, 0.25), (6, 10, 0.0), (6, 12, 0.0)]


def test_labels_stand_for_a_share_of_the_values() -> None:
    tables: dict[str, Any] = {
        "runs": ("code BIGINT, first BIGINT, last BIGINT", [(1, 0, 0), (2, 0, 1), (2, 3, 3)]),
        "ranks": ("rank BIGINT", [(0,), (1,), (2,), (3,)]),
        "attack_targets": ("rank BIGINT", [(1,), (1,), (3,), (0,)]),
    }
    assert table_of("widths", tables, "widths") == [(1, 0.25), (2, 0.75)]
    assert table_of("cover", tables, "cover", names={"this_code": "rank"}) == [(0, 1), (0, 2), (1, 2), (3, 2)]


def test_the_rarest_combinations_are_tried_and_as_many_at_random() -> None:
    held = [(1, 5), (2, 1), (3, 2), (4, 7), (5, 1)]
    tables: dict[str, Any] = {"combinations": ("code BIGINT, row_count BIGINT", held)}
    lists: dict[str, Any] = {"item": [{"code": "code", "labels": 5, "number": 0}]}
    columns = "is_random, is_alone, code, word, bit"
    values: dict[str, Any] = {"seed": 1, "most": 3, "bits": 2}
    rows = table_of("predicates", tables, "attack_predicates", columns, lists=lists, values=values)
    made_of_rows = [row for row in rows if row[0] == 0]
    assert sorted(row[1:3] for row in made_of_rows) == [(False, 3), (True, 2), (True, 5)]
    assert {row[3:] for row in made_of_rows} == {(0, 0), (1, 0), (2, 0)}
    drawn = [row for row in rows if row[0] == 1]
    assert {row[3:] for row in drawn} == {(0, 1), (1, 1), (2, 1)}
    assert sorted(row[1] for row in drawn) == [False, True, True]
    assert all(1 <= row[2] <= 5 for row in drawn)
    many = {"combinations": (tables["combinations"][0], [(code, 1) for code in range(1, 200)])}
    rows = table_of("predicates", many, "attack_predicates", columns, lists=lists, values={**values, "most": 199})
    assert {row[2] for row in rows if row[0] == 1} == {1, 2, 3, 4, 5}


def test_a_predicate_isolates_where_it_holds_for_one_row_or_one_person() -> None:
    predicates = [(0, True, 0, 0), (0, True, 0, 1), (0, False, 1, 0), (1, True, 1, 1), (1, True, 0, 2)]
    tables: dict[str, Any] = {
        "attack_predicates": ("is_random BIGINT, is_alone BOOLEAN, word BIGINT, bit BIGINT", predicates),
        "attack_hits": (
            "w0 HUGEINT, w1 HUGEINT, row_count BIGINT, least BIGINT, most BIGINT",
            # (0, 0) holds for two rows of one person, (0, 1) for three of two, (1, 0) and (1, 1) for one row.
            [(0b011, 0, 2, 5, 5), (0b010, 0, 1, 6, 6), (0, 0b11, 1, 7, 7), (0, 0, 1, 8, 8)],
        ),
    }
    lists: dict[str, Any] = {"word": [{"name": "w0"}, {"name": "w1"}], "person": [{"least": "least", "most": "most"}]}
    rows = sorted(answers(f"{ATTACK}/isolated", tables, lists=lists, values={"by_person": False}))
    assert rows == [(False, 0, 1, 1), (True, 0, 2, 0), (True, 1, 2, 1)]
    rows = sorted(answers(f"{ATTACK}/isolated", tables, lists=lists, values={"by_person": True}))
    assert rows == [(False, 0, 1, 1), (True, 0, 2, 1), (True, 1, 2, 1)]


def test_rows_fulfil_the_predicates_of_their_values() -> None:
    tables: dict[str, Any] = {
        "attack_predicates": (
            "code BIGINT, word BIGINT, bit BIGINT",
            [(1, 0, 0), (1, 0, 1), (2, 0, 2), (2, 1, 0), (3, 0, 3)],
        ),
        "runs": ("code BIGINT, first BIGINT, last BIGINT", [(1, 5, 5), (2, 4, 5), (3, 6, 7)]),
        "ranks": ("rank BIGINT", [(4,), (5,), (6,), (7,), (8,)]),
    }
    lists: dict[str, Any] = {"word": [{"name": "w0", "number": 0}]}
    masks = table_of("masks", tables, "masks", names={"this_code": "code"}, lists=lists)
    assert masks == [(4, 0b100), (5, 0b111), (6, 0b1000), (7, 0b1000)]
    tables = {
        "combinations": (
            "code BIGINT, row_count BIGINT, least BIGINT, most BIGINT",
            [(4, 2, 1, 3), (5, 1, 2, 2), (6, 1, 4, 4), (7, 3, 9, 11), (8, 1, 5, 5)],
        ),
        "item_masks": ("rank BIGINT, w0 HUGEINT", masks),
    }
    lists = {
        "item": [{"code": "code", "masks": "item_masks"}],
        "word": [{"name": "w0", "value": "w0"}],
        "person": [{"least": "least", "most": "most"}],
    }
    rows = table_of("hits", tables, "attack_hits", lists=lists)
    assert rows == [(0b100, 2, 1, 3), (0b111, 1, 2, 2), (0b1000, 4, 4, 11)]
    sums = answers(
        f"{ATTACK}/combinations",
        {"table_rows": ("code BIGINT, row_count BIGINT, least BIGINT, most BIGINT", [(4, 2, 5, 7), (4, 1, 2, 3)])},
        lists={key: lists[key] for key in ("item", "person")},
    )
    assert sums == [(4, 3, 2, 7)]


def test_at_most_so_many_rows_are_looked_for_and_never_a_row_twice() -> None:
    tables: dict[str, Any] = {
        "combinations": ("code BIGINT, row_count BIGINT", [(1, 3), (2, 1)]),
        "attack_targets": ("target BIGINT, is_control BIGINT, code BIGINT", []),
    }
    options: dict[str, Any] = {"lists": {"item": [{"code": "code"}]}}
    values: dict[str, Any] = {"seed": 1, "attacks": 9, "is_control": 1}
    rows = table_of("targets", tables, "attack_targets", values=values, **options)
    assert [row[:2] for row in rows] == [(3, 1), (5, 1), (7, 1), (9, 1)]
    assert sorted(row[2] for row in rows) == [1, 1, 1, 2]
    few = table_of("targets", tables, "attack_targets", values={**values, "attacks": 2, "is_control": 0}, **options)
    assert [row[:2] for row in few] == [(2, 0), (4, 0)]


def test_the_rows_of_a_class_tell_what_its_label_begins_with() -> None:
    tables: dict[str, Any] = {
        "release_rows": (
            "node BIGINT, code BIGINT, row_count BIGINT",
            [(10, 1, 2), (10, 2, 3), (10, 1, 1), (11, 9, 4)],
        ),
        "runs": ("code BIGINT, first BIGINT", [(1, 5), (1, 3), (2, 4), (9, 8)]),
        "groups": ("rank BIGINT, secret BIGINT", [(3, 30), (4, 30), (5, 50)]),
    }
    names: dict[str, Any] = {"this_code": "code", "class_key": "node"}
    assert table_of("told", tables, "told", names=names) == [(10, 30, 6), (11, None, 4)]


def test_a_label_above_two_values_tells_both() -> None:
    # Positions of two bits: classes 1 and 2 lie under a node with two children, class 3 under one with three.
    tables: dict[str, Any] = {
        "classes": ("part BIGINT, low BIGINT, high BIGINT", [(1, 0, 1), (2, 2, 3), (3, 0, 3), (4, 4, 6)]),
        "assigned": ("position BIGINT", [(0,), (1,), (1,), (2,), (4,), (5,), (6,)]),
    }
    lists: dict[str, Any] = {
        "level": [{"shift": 0}, {"shift": 2}],
        "step": [{"number": 1, "shift": 2, "below": 0}],
    }
    names: dict[str, Any] = {"this_lowest": 0, "this_low": "low", "this_high": "high", "this_position": "position"}
    rows = sorted(answers(f"{ATTACK}/downcoded_tree", tables, names=names, lists=lists))
    assert rows == [(1, 0), (2, 0), (3, 0), (4, 0)]
    tables["assigned"] = ("position BIGINT", [(0,), (3,), (3,), (4,), (5,), (6,)])
    rows = sorted(answers(f"{ATTACK}/downcoded_tree", tables, names=names, lists=lists))
    assert rows == [(1, 2), (2, 2), (3, 2), (4, 0)]
    rows = sorted(answers(f"{ATTACK}/downcoded_tree", tables, names={**names, "this_lowest": 1}, lists=lists))
    assert rows == [(1, 0), (2, 0), (3, 0), (4, 0)]


def test_of_a_class_the_dimension_that_tells_most_counts() -> None:
    cells = [(1, 0, 2), (1, 1, 3), (2, 0, 2), (2, 1, 0), (3, 1, 0)]
    tables: dict[str, Any] = {"known": ("part BIGINT, dimension BIGINT, cells BIGINT", cells)}
    assert set(answers(f"{ATTACK}/downcoded", tables)) == {(0, 4, 2), (1, 3, 1), (None, 5, 2)}
    nothing = {"known": (tables["known"][0], [(3, 1, 0)])}
    assert answers(f"{ATTACK}/downcoded", nothing) == [(None, 0, 0)]


def test_a_range_tells_the_values_at_its_ends() -> None:
    tables: dict[str, Any] = {
        "classes": (
            "part BIGINT, first BIGINT, low BIGINT, high BIGINT",
            [(1, 3, 3, 3), (2, 3, 3, 5), (3, 4, 0, 5), (4, 4, 0, 4)],
        )
    }
    names: dict[str, Any] = {"this_first": "first", "this_low": "low", "this_high": "high"}
    assert sorted(answers(f"{ATTACK}/downcoded_ends", tables, names=names)) == [(1, 0), (2, 2), (3, 3), (4, 2)]


def test_labels_that_stand_for_one_value_of_the_table_tell_it() -> None:
    tables: dict[str, Any] = {
        "mapping": (
            "level_0 BIGINT, label_0 VARCHAR, level_1 BIGINT, label_1 VARCHAR",
            [(1, "a", 1, "A"), (2, "b", 1, "A"), (3, "c", 2, "C"), (4, "d", 2, "C"), (5, "e", 3, "e")],
        ),
        "tuples": ("leaf BIGINT, row_count BIGINT", [(1, 1), (2, 5), (3, 2), (5, 1)]),
    }
    names: dict[str, Any] = {"leaf_code": "leaf", "level_code": "level_1", "level_label": "label_1"}
    assert table_of("lone_labels", tables, "lone", names=names) == [(2,)]
    tables = {
        "tuples": ("c0 BIGINT, row_count BIGINT", [(1, 2), (2, 3), (2, 4), (3, 7)]),
        "item_lone": ("code BIGINT", [(2,), (3,)]),
        "suppressed_classes": ("c0 BIGINT, is_suppressed BOOLEAN", [(3, True)]),
    }
    lists: dict[str, Any] = {"item": [{"lone": "item_lone", "code": "c0", "name": "a"}], "key": [{"code": "c0"}]}
    assert answers(f"{ATTACK}/downcoded_levels", tables, lists=lists) == [(7, 7)]
    nothing = {**tables, "tuples": (tables["tuples"][0], [])}
    assert answers(f"{ATTACK}/downcoded_levels", nothing, lists=lists) == [(0, 0)]


def test_rows_are_numbered_one_by_one_with_their_classes() -> None:
    tables: dict[str, Any] = {
        "records": ("leaf BIGINT, value BIGINT, row_count BIGINT", [(1, 5, 2), (2, 6, 1), (3, 5, 1)]),
        "qi_codes": ("level_0 BIGINT, level_1 BIGINT", [(1, 1), (2, 1), (3, 2)]),
        "suppressed_classes": ("level_1 BIGINT, is_suppressed BOOLEAN", [(2, True)]),
    }
    lists: dict[str, Any] = {
        "qi": [{"leaf": "leaf", "codes": "qi_codes"}],
        "key": [{"codes": "qi_codes", "level": "level_1", "code": "level_1"}],
        "value": [{"code": "value"}],
    }
    rows = table_of("persons", tables, "persons", lists=lists)
    assert rows == [
        (1, 1, 1, True, 1, 5),
        (2, 1, 1, True, 1, 5),
        (3, 1, 2, True, 2, 6),
        (4, 2, 3, False, 3, 5),
    ]


def test_a_world_deals_the_values_of_a_class_anew_and_leaves_all_others() -> None:
    held = [(person, person % 2, person % 4, True, person % 4, person) for person in range(40)]
    held += [(90, 2, 9, False, 9, 90), (91, 2, 9, False, 9, 91)]
    columns = "person BIGINT, class BIGINT, cell BIGINT, is_released BOOLEAN, leaf BIGINT, value BIGINT"
    tables: dict[str, Any] = {"persons": (columns, held)}
    lists: dict[str, Any] = {"qi": [{"leaf": "leaf"}], "value": [{"code": "value"}]}
    worlds = [table_of("world", tables, "records", lists=lists, values={"seed": seed}) for seed in (1, 2, 1)]
    assert worlds[0] == worlds[2] != worlds[1]
    for world in worlds:
        assert sorted(value for _, _, value, _ in world) == sorted(row[5] for row in held)
        assert all(cell % 2 == value % 2 for cell, _, value, _ in world if cell != 9)
        assert {row for row in world if row[0] == 9} == {(9, 9, 90, 1), (9, 9, 91, 1)}
        assert any(cell != value % 4 for cell, _, value, _ in world if cell != 9)


def test_worlds_tell_what_goes_beyond_the_released_class() -> None:
    persons = [(1, 1, True, 5)] * 2 + [(1, 2, True, 5)] * 1 + [(1, 2, True, 6)] * 1
    persons += [(2, 3, True, 7)] * 3 + [(3, 4, False, 7)] * 9
    tables: dict[str, Any] = {
        "persons": ("class BIGINT, cell BIGINT, is_released BOOLEAN, value BIGINT", persons),
        "told": (
            "cell BIGINT, value BIGINT, row_count BIGINT",
            [(1, 5, 18), (1, 6, 2), (2, 5, 12), (2, 6, 8), (3, 7, 30)],
        ),
    }
    for bound, above in ((0.75, (3, 5)), (0.9, (3, 3)), (0.5, (7, 7)), (1.0, (0, 0))):
        values: dict[str, Any] = {"worlds": 10, "bound": bound}
        row = answers(f"{ATTACK}/worlds_gain", tables, names={"value_code": "value"}, values=values)[0]
        assert row == (pytest.approx(0.9 - 0.75), *above)
    both = {
        "told": ("cell BIGINT, value BIGINT, row_count BIGINT", [(1, 5, 2)]),
        "records": ("cell BIGINT, value BIGINT, row_count BIGINT", [(1, 5, 1), (1, 6, 4), (1, 5, 1)]),
    }
    names: dict[str, Any] = {"value_code": "value", "told": "told"}
    assert table_of("worlds_told", both, "told", names=names) == [(1, 5, 4), (1, 6, 4)]


def test_beginnings_of_classes_are_counted_before_they_are_joined() -> None:
    tables: dict[str, Any] = {
        "pairs": ("target BIGINT, node BIGINT", [(2, 0), (3, 0), (4, 1)]),
        "attack_targets": TARGETS,
        "cover": ("rank BIGINT, code BIGINT", [(7, 1), (7, 2), (8, 1)]),
        "classes": (
            "parent BIGINT, node BIGINT, code BIGINT",
            [(0, 10, 1), (0, 11, 2), (0, 11, 2), (0, 12, 3), (1, 13, 1)],
        ),
    }
    names: dict[str, Any] = {"this_rank": "rank", "parent_node": "parent", "this_node": "node", "this_code": "code"}
    used = {key: names[key] for key in ("this_rank", "parent_node", "this_node")}
    assert answers(f"{ATTACK}/choices", tables, names=used) == [(2 + 2 + 1, 3 + 3 + 1)]
    wanted = table_of("wanted", tables, "wanted", names={"this_rank": "rank"})
    assert wanted == [(2, 0, 1), (2, 0, 2), (3, 0, 1), (3, 0, 2), (4, 1, 1)]
    tables["wanted"] = ("target BIGINT, node BIGINT, code BIGINT", wanted)
    longer = {key: names[key] for key in ("parent_node", "this_node", "this_code")}
    by_labels = table_of("descend_by_labels", tables, "next_pairs", names=longer)
    assert by_labels == [(2, 10), (2, 11), (3, 10), (3, 11), (4, 13)]
    children = table_of("longer", tables, "wanted", names=longer)
    assert len(children) == 3 + 3 + 1
    tables["wanted"] = ("target BIGINT, node BIGINT, code BIGINT", children)
    by_classes = table_of("descend_by_classes", tables, "next_pairs", names={"this_rank": "rank"})
    assert by_classes == by_labels
