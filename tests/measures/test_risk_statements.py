"""What the statements that measure risk say of a few classes, by figures that can be reckoned by hand."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import pytest
from queried import answers, rows_of_table
from sqlglot import exp

Rows = list[tuple[Any, ...]]
RISK = "measures/risk"
# b is a label at every level, a only at the lowest, c above it.
LABELS = (
    "level BIGINT, label VARCHAR, rung BIGINT",
    [(0, "a", 10), (0, "b", 11), (1, "b", 21), (1, "c", 22), (2, "c", 32), (2, "b", 31)],
)


table_of = partial(rows_of_table, RISK)


def test_a_risk_is_above_the_one_that_is_looked_at_and_not_equal_to_it() -> None:
    # A class of 1 row, 3 of 2 rows, one of 4; the population lacks the last.
    held = [(1, 2, 1), (2, 2, 1), (2, 4, 1), (4, 4, 1), (2, None, 1)]
    sizes = {"risk_class_sizes": ("size BIGINT, persons BIGINT, class_count BIGINT", held)}
    row = answers(f"{RISK}/measures", sizes, values={"threshold": 0.5})[0]
    assert row[:6] == (11, 5, 1, 4, 1, 1)
    assert row[6:9] == (2, 12, pytest.approx(1 / 2 + 1 + 1 / 2 + 1))
    assert row[9:] == (0, 0, 1, 2, 0, 0)
    lower = answers(f"{RISK}/measures", sizes, values={"threshold": 0.49})[0]
    assert (lower[5], lower[9]) == (7, 3)


def test_persons_of_the_population_that_are_alone_or_fewer_than_the_rows() -> None:
    held = [(1, 1, 3), (2, 1, 1), (3, 2, 2), (4, 3, 1), (3, 3, 1), (2, None, 2), (3, None, 1)]
    sizes = {"risk_class_sizes": ("size BIGINT, persons BIGINT, class_count BIGINT", held)}
    row = answers(f"{RISK}/measures", sizes, values={"threshold": 0.4})[0]
    assert row[:6] == (3 + 2 + 6 + 4 + 3 + 4 + 3, 11, 1, 4, 3, 3 + 2 + 4)
    assert row[7] == 3 + 1 + 4 + 3 + 3
    assert row[9:] == (3 + 2 + 6, 5, 3, 7, 4, 2 + 6 + 4)


def test_every_range_of_sizes_is_listed_with_both_of_its_ends() -> None:
    tables: dict[str, Any] = {"risk_class_sizes": ("size BIGINT, class_count BIGINT", [(1, 2), (3, 1), (4, 1), (5, 7)])}
    ranges = answers(f"{RISK}/histogram", tables, values={"lows": [1, 2, 3], "highs": [1, 2, 4]})
    assert ranges == [(1, 1, 2, 2), (2, 2, 0, 0), (3, 4, 2, 7)]


def test_persons_fall_under_the_classes_of_their_codes() -> None:
    steps = "size BIGINT, age_level BIGINT, age_rung BIGINT, number BIGINT"
    tables: dict[str, Any] = {
        "risk_class_steps": (steps, [(2, 1, 5, 1), (3, 1, 6, 2), (4, 0, 5, 3)]),
        "risk_population_steps": ("age_code BIGINT, row_count BIGINT", [(5, 4), (5, 3), (7, 9), (None, 1)]),
        "sized_classes": ("size BIGINT, persons BIGINT, number BIGINT", []),
    }
    lists: dict[str, Any] = {
        "this": [{"code": "age_code", "rung": "age_rung"}],
        "all": [{"level": "age_level", "number": 1}],
    }
    rows = table_of("sized", tables, "sized_classes", names={"kept_name": "number"}, lists=lists)
    assert rows == [(2, 7, 1), (3, None, 2)]


def test_a_level_is_common_where_every_value_is_a_label_of_it() -> None:
    for values, level in (
        (("b", "c"), 1),
        (("a", "b"), 0),
        (("a", "c"), None),
        (("c", "*", None), 1),
        (("b", "b", "*", None), 0),
    ):
        labels = (LABELS[0], [*LABELS[1], (1, "*", 1)])  # a label of the hierarchy may be the one that stands for all
        tables: dict[str, Any] = {"risk_labels": labels, "class_list": ("qi VARCHAR", [(value,) for value in values])}
        assert answers(f"{RISK}/common_level", tables, names={"qi_name": "qi"}) == [(level,)]


def test_a_value_is_of_the_common_level_or_of_the_highest_at_which_it_is_a_label() -> None:
    present = ("qi VARCHAR", [(value,) for value in ("a", "b", "b", "c", "x", "*", None)])
    tables: dict[str, Any] = {"risk_labels": LABELS, "class_list": present}
    of_each = [("*", -1, 0), ("a", 0, 10), ("b", 2, 31), ("c", 2, 32), ("x", 0, None), (None, 0, 0)]
    at_one = [("*", -1, 0), ("a", 0, None), ("b", 1, 21), ("c", 1, 22), ("x", 0, None), (None, 1, 0)]
    for level, wanted in ((None, of_each), (1, at_one)):
        values: dict[str, Any] = {"level": level, "generalized": True}
        assert table_of("steps", tables, "steps", names={"qi_name": "qi"}, values=values) == wanted
    raw = table_of("steps", tables, "steps", names={"qi_name": "qi"}, values={"level": 0, "generalized": False})
    assert raw[0] == ("*", 0, None)


def test_labels_are_the_values_and_those_above_them() -> None:
    tables: dict[str, Any] = {
        "ladder": ("value VARCHAR, rung_0 BIGINT", [("a", 1), (None, 0)]),
        "weight": ("level BIGINT, label VARCHAR, code BIGINT", [(0, "a", 7), (1, "A", 5), (2, None, 6)]),
    }
    assert table_of("labels", tables, "risk_labels") == [(0, "a", 1), (1, "A", 5)]


def test_values_that_the_hierarchy_lacks_have_no_code_above() -> None:
    tables: dict[str, Any] = {
        "mapping": ("value VARCHAR, level_1 BIGINT", [("a", 5), (None, 6)]),
        "tuples": ("qi VARCHAR", [("a",), ("a",), ("x",), (None,)]),
    }
    lists: dict[str, Any] = {"level": [{"code": "level_1", "rung": "rung_1"}]}
    rows = table_of("ladder", tables, "ladder", "value, rung_0 > 0, rung_1", names={"qi_name": "qi"}, lists=lists)
    assert rows == [("a", True, 5), ("x", True, None), (None, False, 6)]
    plain = table_of(
        "plain_ladder", {"tuples": tables["tuples"]}, "ladder", "value, rung_0 > 0", names={"qi_name": "qi"}
    )
    assert plain == [("a", True), ("x", True), (None, False)]


def test_combinations_of_few_columns_are_counted_by_their_rows() -> None:
    tables: dict[str, Any] = {"coded": ("code BIGINT, row_count BIGINT", [(1, 1), (2, 1), (2, 2), (3, 1)])}
    assert answers(f"{RISK}/subset", tables, lists={"item": [{"code": "code"}]}) == [(3, 2, 3 * 2)]


def test_the_smallest_classes_are_the_exposed_ones() -> None:
    tables: dict[str, Any] = {"class_list": ("row_count BIGINT, qi VARCHAR", [(3, "a"), (1, "b"), (1, None), (2, "c")])}
    lists: dict[str, Any] = {"qi": [{"name": "qi", "text": "text"}]}
    assert answers(f"{RISK}/exposed", tables, lists=lists, values={"most": 3}) == [(1, None), (1, "b"), (2, "c")]


def test_a_household_is_as_exposed_as_its_most_exposed_row() -> None:
    tables: dict[str, Any] = {
        "members": (
            "qi VARCHAR, home VARCHAR, row_count BIGINT",
            [("a", "x", 1), ("b", "x", 2), (None, "y", 1), (None, "z", 1), ("a", None, 3)],
        ),
        "numbered": ("id BIGINT, qi VARCHAR, row_count BIGINT", [(1, "a", 4), (2, "b", 2), (3, None, 1)]),
        "sized_classes": ("id BIGINT, persons BIGINT", [(1, 5), (2, 10), (3, 2)]),
    }
    names: dict[str, Any] = {"holder_name": "home"}
    rows = table_of("households/households", tables, "risk_households", names=names, lists={"qi": [{"name": "qi"}]})
    assert rows == [
        (1, 1, 1, 2, 0.0, 0.5),
        (1, 1, 1, 2, 0.0, 0.5),
        (1, 3, 2, 5, pytest.approx(3 / 4 * 1 / 4), pytest.approx(4 / 5 * 0.9**2)),
        (3, 1, 4, 5, 0.75, 0.8),
    ]


def test_households_above_a_risk_are_counted_by_their_own_and_by_any_row() -> None:
    # A household of 3 rows with the risk 1/2, four of one row with 1/4, two of one row with 1, one of two with 1.
    columns = (
        "household_count BIGINT, row_count BIGINT, size BIGINT, persons BIGINT, none_found DOUBLE, none_named DOUBLE"
    )
    tables: dict[str, Any] = {
        "risk_households": (columns, [(1, 3, 2, 4, 0.25, 0.5), (4, 1, 4, 8, 0.1, 0.1), (2, 1, 1, 2, 0.1, 0.1)])
    }
    tables["risk_households"][1].append((1, 2, 1, 1, 0.0, 0.0))
    for threshold, above in ((0.5, (3, 4, 4, 7)), (0.75, (3, 4, 3, 4)), (0.25, (4, 7, 4, 7))):
        values: dict[str, Any] = {"threshold": threshold, "by_persons": False}
        row = answers(f"{RISK}/households/measures", tables, values=values)[0]
        assert row[:5] == (8, 11, 3, 1.0, pytest.approx((3 / 2 + 4 / 4 + 4) / 11))
        assert (*row[5:7], *row[11:]) == above
        assert row[7:11] == (3, 4, 1.0, pytest.approx((3 * 0.75 + 4 / 4 + 4) / 11))
    named = answers(f"{RISK}/households/measures", tables, values={"threshold": 0.125, "by_persons": True})[0]
    by_any = pytest.approx((3 / 2 + 4 / 8 + 1 + 2) / 11)
    assert named == (8, 11, 3, 1.0, pytest.approx((3 / 4 + 4 / 8 + 1 + 2) / 11), 4, 7, 1, 2, 1.0, by_any, 4, 7)


def test_a_match_is_likelier_right_where_the_score_is_higher() -> None:
    columns = "row_count BIGINT, score DOUBLE"
    values: dict[str, Any] = {"probability": 0.5, "exponent": 1.0, "threshold": 0.5}
    alike = {"special": (columns, [(1, 4.0), (2, 4.0), (9, 0.0)])}
    assert answers(f"{RISK}/special/match", alike, values=values) == [(0.5, 0.5, 0.5, 0.5, 0)]
    assert answers(f"{RISK}/special/match", alike, values={**values, "threshold": 0.4})[0][4] == 3
    # The harmonic mean of both is the 0.5 of all: their odds are 1 to 0.4 and 1 to 1.6.
    different = {"special": (columns, [(1, 4.0), (2, 1.0), (9, 0.0)])}
    row = answers(f"{RISK}/special/match", different, values={**values, "threshold": 0.4})[0]
    assert row[0] == pytest.approx((1 / 1.4 + 1 / 2.6) / 2)
    assert row[3:] == (pytest.approx(1 / 1.4), 1)
    unlikely = answers(f"{RISK}/special/match", different, values={**values, "probability": 0.2})[0]
    assert unlikely[0] == pytest.approx((1 / 2.6 + 1 / 7.4) / 2)


def test_the_file_of_scores_has_what_the_figures_are_made_of() -> None:
    tables: dict[str, Any] = {
        "special": ("q0 BIGINT, row_count BIGINT, score DOUBLE", [(1, 1, 1.0), (2, 2, 4.0), (3, 9, 0.0)]),
        "item_codes": ("value VARCHAR, code BIGINT", [("a", 1), (None, 2), ("c", 3)]),
    }
    names: dict[str, Any] = {"probability": exp.Literal.number("0.2"), "exponent": exp.Literal.number("1.0")}
    names |= {"rows_name": "row_count", "score_name": "score", "dis_name": "chance"}
    lists: dict[str, Any] = {"item": [{"codes": "item_codes", "code": "q0", "name": "a"}]}
    rows = answers(f"{RISK}/special/rows", tables, names=names, lists=lists)
    assert rows == [(None, 2, 4.0, pytest.approx(1 / 2.6)), ("a", 1, 1.0, pytest.approx(1 / 7.4))]


def test_scores_are_of_classes_with_a_minimal_unique() -> None:
    rows = [(7, 1, 1, 2.0), (7, 2, 3, 6.0), (8, 1, 1, 0.0), (8, 1, 1, 0.0), (9, 2, 2, 1.0), (9, 3, 3, 0.0)]
    tables: dict[str, Any] = {"special": ("low BIGINT, holders BIGINT, row_count BIGINT, score DOUBLE", rows)}
    assert answers(f"{RISK}/special/scores", tables) == [(3, 6, 2, 1.0, 3.0, 2.0, 6.0, 6.0, 3, 2)]
    nothing = {"special": (tables["special"][0], rows[2:4])}
    assert answers(f"{RISK}/special/scores", nothing) == [(0, 0, 0, None, None, None, None, 0.0, 2, 0)]


def test_a_row_is_alone_in_a_subset_where_it_is_in_no_smaller_one() -> None:
    # Row 1 is alone with its value, so is row 4, but in a smaller subset too; class 3 holds several rows.
    special = (
        "low BIGINT, high BIGINT, q0 BIGINT, m0 BIGINT",
        [(1, 1, 5, 0), (1, 1, 6, 0), (3, 3, 6, 0), (4, 4, 7, 2)],
    )
    tables: dict[str, Any] = {"special": special, "risk_special_found": ("id BIGINT, subset BIGINT", [])}
    lists: dict[str, Any] = {"item": [{"code": "q0"}], "word": [{"mask": "m0", "bits": 2}]}
    assert table_of("special/alone", tables, "risk_special_found", lists=lists, values={"subset": 9}) == [(1, 9)]
    several = {"special": (special[0], [(-3, 3, 6, 0)]), "risk_special_found": tables["risk_special_found"]}
    assert table_of("special/alone", several, "risk_special_found", lists=lists, values={"subset": 9}) == []


def test_what_was_found_is_kept_as_bits_and_adds_its_weight() -> None:
    columns = "id BIGINT, low BIGINT, high BIGINT, holders BIGINT, row_count BIGINT, q0 BIGINT"
    special = (
        f"{columns}, m0 BIGINT, m1 BIGINT, score DOUBLE",
        [(1, 1, 1, 1, 1, 7, 1, 0, 5.0), (2, 2, 2, 1, 1, 8, 0, 0, 0.0)],
    )
    tables: dict[str, Any] = {"special": special, "risk_special_found": ("id BIGINT, subset BIGINT", [(1, 2), (1, 65)])}
    lists: dict[str, Any] = {
        "item": [{"code": "q0"}],
        "word": [{"mask": "m0", "number": 0}, {"mask": "m1", "number": 1}],
    }
    rows = table_of(
        "special/settled", tables, "settled", "id, m0, m1, score", lists=lists, values={"bits": 63, "weight": 3.0}
    )
    assert rows == [(1, 0b101, 0b100, 11.0), (2, 0, 0, 0.0)]


def test_values_score_by_the_subsets_that_hold_their_column() -> None:
    tables: dict[str, Any] = {
        "risk_special_found": ("id BIGINT, subset BIGINT", [(1, 0), (1, 2), (2, 2), (3, 1)]),
        "special": ("id BIGINT, code BIGINT", [(1, 5), (2, 6), (3, 5)]),
        "risk_special_values": ("position BIGINT, code BIGINT, score DOUBLE", []),
    }
    values: dict[str, Any] = {"position": 4, "subsets": [0, 2], "weight": 2.5}
    assert table_of("special/value_scores", tables, "risk_special_values", values=values) == [(4, 5, 5.0), (4, 6, 2.5)]


def expected_risk(size: int, chance: float) -> float:
    """The mean of 1/F where F persons are drawn until `size` of them came by that chance each: by its definition."""
    terms = range(size, size + 4000)
    logs = (math.lgamma(f) - math.lgamma(size) - math.lgamma(f - size + 1) for f in terms)
    left = math.log1p(-chance) if chance < 1 else -math.inf
    powers = (0.0 if f == size else (f - size) * left for f in terms)
    return sum(
        math.exp(log + size * math.log(chance) + power) / f for f, log, power in zip(terms, logs, powers, strict=True)
    )


def test_the_risk_of_a_weighted_class_is_the_mean_of_its_definition() -> None:
    held = [(1, 4.0, 2), (1, 4.0, 1), (3, 12.0, 1), (3, 5.0, 1), (6, 24.0, 1), (2, 1.5, 1), (4, 16.0, 1), (2, 4.0, 1)]
    tables: dict[str, Any] = {"risk_weighted_classes": ("size BIGINT, persons DOUBLE, class_count BIGINT", held)}
    values: dict[str, Any] = {"few": 4, "terms": 400}
    rows = table_of("weights/risks", tables, "risk_class_risks", "size, chance, class_count, risk", values=values)
    several = [(3, 0.25, 1), (3, 0.6, 1), (4, 0.25, 1), (6, 0.25, 1)]
    assert [row[:3] for row in rows] == [(1, 0.25, 3), (2, 0.5, 1), (2, 1.0, 1), *several]
    for size, chance, _, risk in rows:
        assert risk == pytest.approx(expected_risk(size, chance), rel=1e-9)


def test_weighted_risks_come_to_sums_over_rows() -> None:
    held = [(1, 0.25, 2, 0.5), (2, 0.5, 3, 0.2), (1, 1.0, 1, 1.0), (3, 1.0, 2, 0.8)]
    tables: dict[str, Any] = {"risk_class_risks": ("size BIGINT, chance DOUBLE, class_count BIGINT, risk DOUBLE", held)}
    row = answers(f"{RISK}/weights/measures", tables, values={"threshold": 0.5})[0]
    assert row == (15, 1.0, pytest.approx(1.0 + 1.2 + 1.0 + 4.8), 7, 3, pytest.approx(0.5 + 1))


def test_what_is_no_weight_is_counted_by_what_it_is() -> None:
    numbers = [("10", 10.0), ("1", 1.0), ("0", 0.0), ("-1", -1.0), ("0.5", 0.5), ("9e99", 9e99)]
    columns = "raw_weight VARCHAR, weight_number DOUBLE"
    tables: dict[str, Any] = {"source": (columns, [*numbers, ("x", None), (None, None), (None, None)])}
    assert answers(f"{RISK}/weights/faults", tables, values={"most": 10.0}) == [(10.5, 2, 2, 2, 3)]
    assert answers(f"{RISK}/weights/faults", {"source": (columns, [])}, values={"most": 10.0}) == [(0, 0, 0, 0, 0)]


def test_weighted_classes_have_the_sum_of_their_weights() -> None:
    tables: dict[str, Any] = {
        "source": ("a VARCHAR, weight DOUBLE", [("x", 2.0), ("x", 3.5), (None, 1.0), ("y", 1.0), ("z", 2.0)])
    }
    options: dict[str, Any] = {"names": {"weight_number": "weight"}, "lists": {"item": [{"value": "a"}]}}
    rows = table_of("weights/classes", tables, "risk_weighted_classes", "size, persons, class_count", **options)
    assert rows == [(1, 1.0, 2), (1, 2.0, 1), (2, 5.5, 1)]


def test_classes_are_read_from_tuples_and_coded_with_their_missing_values() -> None:
    tuples = ("a VARCHAR, row_count BIGINT", [("x", 2), ("x", 3), (None, 1), (None, 4), ("y", 1)])
    classes = table_of("classes", {"tuples": tuples}, "class_list", lists={"qi": [{"name": "a"}]})
    assert classes == [("x", 5), ("y", 1), (None, 5)]
    codes = table_of("codes", {"tuples": tuples}, "codes", "value, code", names={"item_name": "a"})
    assert len(codes) == len({code for _, code in codes}) == 3
    tables: dict[str, Any] = {"tuples": tuples, "item_codes": ("value VARCHAR, code BIGINT", [("x", 7), (None, 8)])}
    lists: dict[str, Any] = {"item": [{"codes": "item_codes", "code": "q0", "name": "a"}]}
    assert table_of("coded", tables, "coded", lists=lists) == [(7, 2), (7, 3), (8, 1), (8, 4), (None, 1)]
    assert answers(f"{RISK}/rows", {"tuples": tuples}) == [(11, 5, 2)]
    assert answers(f"{RISK}/rows", {"tuples": (tuples[0], [])}) == [(0, 0, 0)]


def test_classes_and_persons_go_by_levels_with_their_missing_values() -> None:
    tables: dict[str, Any] = {
        "class_list": ("a VARCHAR, row_count BIGINT", [("x", 2), (None, 3)]),
        "qi_steps": ("value VARCHAR, level BIGINT, rung BIGINT", [("x", 1, 5), (None, 0, 0)]),
        "tuples": ("a VARCHAR, row_count BIGINT", [("x", 2), (None, 3), (None, 1)]),
        "qi_ladder": ("value VARCHAR, rung_0 BIGINT, rung_1 BIGINT", [("x", 5, 6), (None, 0, None)]),
    }
    lists: dict[str, Any] = {"qi": [{"steps": "qi_steps", "level": "level_0", "rung": "rung", "name": "a"}]}
    rows = table_of("class_steps", tables, "risk_class_steps", names={"kept_name": "row_count"}, lists=lists)
    assert rows == [(0, 0, 3, 3), (1, 5, 2, 2)]
    lists = {
        "qi": [{"ladder": "qi_ladder", "name": "a"}],
        "cell": [{"ladder": "qi_ladder", "rung": "rung_1", "name": "r"}],
    }
    assert table_of("population_steps", tables, "risk_population_steps", lists=lists) == [(6, 2), (None, 1), (None, 3)]
    persons = {"risk_population_steps": ("code BIGINT, row_count BIGINT", [(6, 2), (None, 1), (None, 3)])}
    assert answers(f"{RISK}/uncovered", persons) == [(4,)]


def test_combinations_start_with_no_minimal_unique_and_no_score() -> None:
    lists: dict[str, Any] = {"item": [{"code": "q0"}], "word": [{"mask": "m0"}]}
    coded = ("q0 BIGINT, row_count BIGINT", [(5, 1), (6, 2)])
    columns = "low = id, high = id, holders, row_count, q0, m0, score"
    rows = table_of("special/classes", {"coded": coded}, "special", columns, lists=lists)
    assert rows == [(False, True, 2, 2, 6, 0, 0.0), (True, True, 1, 1, 5, 0, 0.0)]
    held = ("q0 BIGINT, holder BIGINT, row_count BIGINT", [(5, 1, 2), (5, 4, 1), (6, 2, 7)])
    names: dict[str, Any] = {"holder_code": "holder"}
    columns = "low, high, holders, row_count, q0, m0, score"
    rows = table_of("special/classes_of_entities", {"coded": held}, "special", columns, names=names, lists=lists)
    assert rows == [(1, 4, 2, 3, 5, 0, 0.0), (2, 2, 1, 7, 6, 0, 0.0)]


def test_the_values_that_add_most_stand_first() -> None:
    tables: dict[str, Any] = {
        "risk_special_values": (
            "position BIGINT, code BIGINT, score DOUBLE",
            [(0, 1, 2.0), (0, 1, 3.0), (0, 2, 4.0), (1, 2, 9.0), (0, 3, 4.0), (0, 4, 1.0)],
        ),
        "codes": ("value VARCHAR, code BIGINT", [("a", 1), ("b", 2), (None, 3), ("d", 4)]),
    }
    rows = answers(f"{RISK}/special/values", tables, values={"position": 0, "most": 3})
    assert rows == [("a", 5.0), (None, 4.0), ("b", 4.0)]
