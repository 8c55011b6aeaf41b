"""Which classes a model's statements refuse, for the search and for the recount: all classes of a small table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate, product
from operator import le
from typing import Any

import pytest
import reference_models
from queried import Row, answers

from kanon_sql.privacy.registry import MODELS

# How many rows hold each value: 0 is the missing one.
COUNTS = {0: 2, 1: 4, 2: 3, 3: 1}
TOTAL = sum(COUNTS.values())
TREE = {"1": ["1", "low", "*"], "2": ["2", "low", "*"], "3": ["3", "high", "*"]}
NODES = {0: (0, 0), 1: (1, 1), 2: (2, 1), 3: (3, 2)}  # of each value at levels 0 and 1; at the top there is node 0
# Each class that the table can have: the numbers of rows with each value.
CLASSES = [counts for counts in product(*(range(most + 1) for most in COUNTS.values())) if any(counts)]

SPECS: list[tuple[str, dict[str, Any]]] = [
    *(("l_diversity", {"l": number}) for number in (1, 2, 3)),
    *(("l_diversity", {"l": number, "variant": "entropy"}) for number in ("1.5", 2, 3)),
    *(("l_diversity", {"l": number, "variant": "recursive", "c": c}) for number in (1, 2, 3) for c in (1, 2, "0.5")),
    *(("t_closeness", {"t": t}) for t in ("0", "0.2", "0.3", "0.5")),
    *(("t_closeness", {"t": t, "distance": "ordered"}) for t in ("0", "0.1", "0.2", "0.3")),
    *(("t_closeness", {"t": t, "distance": "hierarchical", "hierarchy": "h"}) for t in ("0", "0.2", "0.25", "0.4")),
    *(("alpha_k", {"alpha": alpha}) for alpha in ("0.5", "0.75", "1")),
    *(("beta", {"beta": beta}) for beta in ("0.24", "0.25", "0.5", "1")),
    *(("beta", {"beta": beta, "variant": "enhanced"}) for beta in ("0.25", "0.5", "1", "2")),
    *(("delta_disclosure", {"delta": delta}) for delta in ("0.3", "0.7", "1.1")),
]


def cells(counts: Sequence[int]) -> list[str | None]:
    """The sensitive values of the rows of a class."""
    return [str(value) if value else None for value, number in enumerate(counts) for _ in range(number)]


def reached(key: str, spec: dict[str, Any], counts: Sequence[int]) -> tuple[bool, Any]:
    """Whether a class holds the model, and what it reaches, by the definition."""
    everything = cells(list(COUNTS.values()))
    return reference_models.MODELS[key](cells(counts), everything, {**spec, "tree": TREE})


def of_search() -> dict[str, tuple[str, list[Row]]]:
    """The tables that the statements of the search read; the key of a class is its place in CLASSES."""
    counted = [(key, value, n) for key, counts in enumerate(CLASSES) for value, n in enumerate(counts) if n]
    ends = [*accumulate(COUNTS.values())]
    reference: list[Row] = [
        (value, n, value, ends[value], sum(ends[: value + 1]), n / TOTAL) for value, n in COUNTS.items()
    ]
    at: dict[tuple[int, int], int] = {(2, 0): TOTAL}
    for value, nodes in NODES.items():
        for level, node in enumerate(nodes):
            at[level, node] = at.get((level, node), 0) + COUNTS[value]
    ancestors = [
        (value, level, node, (*nodes, 0)[level + 1], at[level, node])
        for value, nodes in NODES.items()
        for level, node in enumerate(nodes)
    ]
    return {
        "class_counts": ("c BIGINT, value BIGINT, row_count BIGINT", counted),
        "class_values": (
            "c BIGINT, value BIGINT, row_count BIGINT, size BIGINT",
            [(key, value, n, sum(CLASSES[key])) for key, value, n in counted],
        ),
        "reference": (
            "value BIGINT, row_count BIGINT, rank BIGINT, cumulative BIGINT, prefix HUGEINT, share DOUBLE",
            [*reference, (-1, 0, -1, 0, 0, 1.0)],
        ),
        "ancestors": ("value BIGINT, level INTEGER, node BIGINT, parent BIGINT, row_count BIGINT", ancestors),
        "nodes": (
            "level INTEGER, node BIGINT, row_count BIGINT",
            [(level, node, rows) for (level, node), rows in at.items()],
        ),
    }


NUMBERS = {
    "total": TOTAL,
    "values": len(COUNTS),
    "whole": sum(accumulate(COUNTS.values())),
    "height": 2,
}


def answered(file: str, spec: Any, tables: dict[str, tuple[str, list[Row]]], **lists: Any) -> list[Row]:
    """The answer of a model's statement."""
    numbers = {name: n if isinstance(n, int) else float(n) for name, n in spec.numbers().items()}
    return answers(file, tables, lists=lists, values={**NUMBERS, **numbers})


@pytest.mark.parametrize(("key", "spec"), SPECS)
def test_the_search_refuses_the_classes_that_the_definition_refuses(key: str, spec: dict[str, Any]) -> None:
    model = MODELS[key].model_validate({"column": "s", **spec})
    refused = set(answered(model.violates, model, of_search(), key=[{"code": "c"}]))
    assert refused == {(place, True) for place, counts in enumerate(CLASSES) if not reached(key, spec, counts)[0]}


TALLIED = [(key, spec) for key, spec in SPECS if MODELS[key].model_validate({"column": "s", **spec}).tallied]


@pytest.mark.parametrize(("key", "spec"), TALLIED)
def test_the_search_refuses_the_same_where_counts_are_columns(key: str, spec: dict[str, Any]) -> None:
    model = MODELS[key].model_validate({"column": "s", **spec})
    columns = "".join(f", n{value} BIGINT" for value in COUNTS)
    # Beside what violates already, which stays so.
    rows = [
        (place + before * len(CLASSES), sum(counts), bool(before), *counts)
        for before in (0, 1)
        for place, counts in enumerate(CLASSES)
    ]
    slots = [{"value": value, "count": f"n{value}", "expected": n} for value, n in COUNTS.items()]
    tables: dict[str, tuple[str, list[Row]]] = {"classes": (f"c BIGINT, size BIGINT, violates BOOLEAN{columns}", rows)}
    judged = answered(str(model.tallied), model, tables, key=[{"code": "c"}], slot=slots)
    refused = {place for place, counts in enumerate(CLASSES) if not reached(key, spec, counts)[0]}
    assert {row[0] for row in judged if row[2]} == refused | {row[0] for row in rows if row[2]}
    assert {(row[0], row[1], *row[3:]) for row in judged} == {(row[0], row[1], *row[3:]) for row in rows}


BOUNDED = [(key, spec) for key, spec in SPECS if MODELS[key].model_validate({"column": "s", **spec}).keeps]


@pytest.mark.parametrize(("key", "spec"), BOUNDED)
def test_no_part_of_a_class_that_holds_the_model_has_more_rows_than_it_can_keep(key: str, spec: dict[str, Any]) -> None:
    model = MODELS[key].model_validate({"column": "s", **spec})
    holding = [counts for counts in CLASSES if reached(key, spec, counts)[0]]
    kept: dict[int, int] = {}
    for place, rows in answered(str(model.keeps), model, of_search(), key=[{"code": "c"}]):
        kept[place] = min(rows, kept.get(place, rows))
    refused = {place for place, counts in enumerate(CLASSES) if counts not in holding}
    assert kept.keys() <= refused
    for place, rows in kept.items():
        parts = [part for part in holding if all(map(le, part, CLASSES[place]))]
        assert max(map(sum, parts), default=0) <= rows
    assert sum(kept[place] < sum(CLASSES[place]) for place in kept) > len(refused) / 3


@pytest.mark.parametrize(("key", "spec"), SPECS)
def test_the_recount_measures_what_the_definition_says(key: str, spec: dict[str, Any]) -> None:
    model = MODELS[key].model_validate({"column": "s", **spec})
    # The first class is that of a missing quasi-identifier.
    names = {place: None if place == 0 else f"c{place}" for place in range(len(CLASSES))}
    counted = [
        (names[place], str(value) if value else None, n)
        for place, counts in enumerate(CLASSES)
        for value, n in enumerate(counts)
        if n
    ]
    of_all = [(str(value) if value else None, n / TOTAL) for value, n in COUNTS.items()]
    tables: dict[str, tuple[str, list[Row]]] = {
        "counted": ("qi VARCHAR, value VARCHAR, row_count BIGINT", counted),
        "reference": ("value VARCHAR, share DOUBLE", of_all),
        "ranked": ("rank BIGINT, share DOUBLE", [(value, n / TOTAL) for value, n in COUNTS.items()]),
        "ranks": ("value VARCHAR, rank BIGINT", [(str(value) if value else None, value) for value in COUNTS]),
        "steps": (
            "value VARCHAR, level INTEGER, node BIGINT",
            [(str(v) if v else None, level, node) for v, way in NODES.items() for level, node in enumerate(way)],
        ),
    }
    qi = [{"value": "qi"}]
    shares = answers("recount/shares", {name: tables[name] for name in ("counted", "reference")}, lists={"qi": qi})
    tables["shares"] = ("qi VARCHAR, value VARCHAR, row_count BIGINT, share DOUBLE, expected DOUBLE", shares)
    measured = answered(model.measure, model, tables, qi=qi)
    assert len(measured) == len(CLASSES)
    for name, measure, violates in measured:
        holds, wanted = reached(key, spec, CLASSES[0 if name is None else int(name[1:])])
        assert violates is not holds, (name, measure)
        assert measure == pytest.approx(float("inf") if wanted is None else float(wanted), abs=1e-9)


def test_a_delta_that_is_reached_is_no_longer_held() -> None:
    """Brickell and Shmatikov ask for less than delta: shares of a half, where all rows have a quarter, are too many."""
    counts = [(1, 1, 2), (1, 2, 2)]
    sizes = ("c BIGINT, value BIGINT, row_count BIGINT, size BIGINT", [(*row, 4) for row in counts])
    reference = ("value BIGINT, share DOUBLE", [(1, 0.25), (2, 0.5)])
    for delta, refused in ((math.log(2), [(1, True)]), (math.log(2) + 1e-9, [])):
        tables = {"class_values": sizes, "reference": reference}
        values = {"delta": delta, "values": 2}
        assert (
            answers("privacy/delta_disclosure/violates", tables, lists={"key": [{"code": "c"}]}, values=values)
            == refused
        )
        columns = "c BIGINT, size BIGINT, violates BOOLEAN, n1 BIGINT, n2 BIGINT"
        slots = [{"count": f"n{value}", "expected": expected} for value, expected in ((1, 1), (2, 2))]
        judged = answers(
            "privacy/delta_disclosure/tallied",
            {"classes": (columns, [(1, 4, False, 2, 2)])},
            lists={"key": [{"code": "c"}], "slot": slots},
            values={"delta": delta, "total": 4},
        )
        assert [row[2] for row in judged] == [bool(refused)]
        shares = ("qi VARCHAR, share DOUBLE, expected DOUBLE", [("a", 0.5, 0.25), ("a", 0.5, 0.5)])
        measure = answers(
            "privacy/delta_disclosure/measure",
            {"shares": shares, "reference": reference},
            lists={"qi": [{"value": "qi"}]},
            values={"delta": delta},
        )
        assert [row[2] for row in measure] == [bool(refused)]


def test_k_counts_rows() -> None:
    rows = [(1, 2), (1, 1), (2, 2), (3, 4)]
    answer = answers(
        "privacy/k", {"tuples": ("c BIGINT, row_count BIGINT", rows)}, lists={"key": [{"code": "c"}]}, values={"k": 3}
    )
    assert sorted(answer) == [(1, 3, False), (2, 2, True), (3, 4, False)]


def test_k_counts_entities_and_all_rows_without_one_as_a_single_entity() -> None:
    # Class 1 has two entities in six rows; class 2 two and rows without; class 3 three; class 4 rows without any.
    rows = [
        (1, "a", 4),
        (1, "a", 1),
        (1, "b", 1),
        (2, "a", 1),
        (2, "b", 1),
        (2, None, 3),
        (2, None, 2),
        (3, "a", 1),
        (3, "b", 1),
    ]
    rows += [(3, "c", 2), (4, None, 5), (4, None, 1), (4, None, 1)]
    answer = answers(
        "privacy/k_entities",
        {"holders": ("c BIGINT, entity VARCHAR, row_count BIGINT", rows)},
        lists={"key": [{"code": "c"}]},
        values={"k": 3},
    )
    assert sorted(answer) == [(1, 6, True), (2, 7, False), (3, 4, False), (4, 7, True)]


def test_values_are_counted_by_entities_and_those_of_nobody_as_of_one_entity() -> None:
    rows = [(1, 7, "a", 2), (1, 7, "a", 1), (1, 7, "b", 1), (1, 7, None, 1), (1, 7, None, 4), (1, 8, "a", 3)]
    answer = answers(
        "frequency/class_counts_entities",
        {"sensitive": ("c BIGINT, value BIGINT, entity VARCHAR, row_count BIGINT", rows)},
        lists={"key": [{"code": "c"}]},
    )
    assert sorted(answer) == [(1, 7, 3), (1, 8, 1)]


def test_a_class_violates_where_k_or_one_of_the_models_is_violated() -> None:
    classes = [(1, 5, False), (2, 1, True), (3, 5, False), (4, 1, True)]
    answer = answers(
        "privacy/classes",
        {
            "classes": ("c BIGINT, size BIGINT, violates BOOLEAN", classes),
            "violating_models": ("c BIGINT, violates BOOLEAN", [(3, True), (3, True), (4, True)]),
        },
        lists={"key": [{"code": "c"}]},
    )
    assert sorted(answer) == [(1, 5, False), (2, 1, True), (3, 5, True), (4, 1, True)]


def test_sizes_stand_beside_the_values_of_their_class() -> None:
    counts = ("c BIGINT, value BIGINT, row_count BIGINT", [(1, 0, 2), (1, 1, 3), (2, 1, 4)])
    answer = answers("privacy/class_values_of_pairs", {"class_counts": counts}, lists={"key": [{"code": "c"}]})
    assert sorted(answer) == [(1, 0, 2, 5), (1, 1, 3, 5), (2, 1, 4, 4)]
    sizes = ("c BIGINT, size BIGINT, violates BOOLEAN", [(1, 5, False), (2, 4, True)])
    tables = {"class_counts": counts, "class_sizes": sizes}
    answer = answers("privacy/class_values", tables, lists={"key": [{"code": "c"}]})
    assert sorted(answer) == [(1, 0, 2, 5), (1, 1, 3, 5)], "classes that violate k are judged already"


# (rows in the table, persons in the population) of each class.
MATCHED = [(0, 3), (1, 1), (1, 2), (1, 3), (2, 4), (2, 2), (3, 4), (1, 5), (4, 4)]


def of_population() -> dict[str, tuple[str, list[Row]]]:
    """Tuples and persons of which several are in one class."""
    tuples: list[Row] = [(place, 1) for place, (rows, _) in enumerate(MATCHED) for _ in range(rows)]
    persons: list[Row] = [(place, 1) for place, (_, number) in enumerate(MATCHED) for _ in range(number)]
    return {name: ("c BIGINT, row_count BIGINT", rows) for name, rows in (("tuples", tuples), ("population", persons))}


MATCHED_TABLE = ("qi BIGINT, size BIGINT, persons BIGINT", [(i, *pair) for i, pair in enumerate(MATCHED)])


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6])
def test_k_map_counts_persons_of_classes_that_have_rows(k: int) -> None:
    wanted = [place for place, (rows, persons) in enumerate(MATCHED) if rows and persons < k]
    refused = answers("privacy/k_map/violates", of_population(), lists={"key": [{"code": "c"}]}, values={"k_map": k})
    assert sorted(refused) == [(place, True) for place in wanted]
    measured = answers(
        "privacy/k_map/measure", {"matched": MATCHED_TABLE}, lists={"qi": [{"value": "qi"}]}, values={"k_map": k}
    )
    assert sorted(measured) == [(place, persons, persons < k) for place, (rows, persons) in enumerate(MATCHED) if rows]


@pytest.mark.parametrize(("least", "most"), [("0", "0.5"), ("0.25", "0.75"), ("0.5", "1"), ("0.2", "0.2"), ("0", "1")])
def test_presence_is_between_its_bounds_with_both_of_them(least: str, most: str) -> None:
    model = MODELS["delta_presence"].model_validate({"min": least, "max": most, "population": "p.csv"})
    shares = [Fraction(rows, persons) for rows, persons in MATCHED]
    wanted = [place for place, share in enumerate(shares) if not Fraction(least) <= share <= Fraction(most)]
    refused = answers(model.violates, of_population(), lists={"key": [{"code": "c"}]}, values=model.numbers())
    assert sorted(refused) == [(place, True) for place in wanted]
    measured = answers(
        model.measure, {"matched": MATCHED_TABLE}, lists={"qi": [{"value": "qi"}]}, values=model.numbers()
    )
    assert sorted(measured) == [(i, pytest.approx(float(share)), i in wanted) for i, share in enumerate(shares)]


def test_classes_of_which_nobody_is_in_the_table_are_absent() -> None:
    assert answers("privacy/absent", of_population(), lists={"key": [{"code": "c"}]}) == [(1,)]


def parts_within(counts: Sequence[int], holds: Callable[[Sequence[int]], bool]) -> int:
    """The most rows that one part of a class has which holds a model."""
    parts = product(*(range(most + 1) for most in counts))
    return max((sum(part) for part in parts if any(part) and holds(part)), default=0)


KEEPING = [(key, spec) for key, spec in SPECS if key == "beta" or (key == "t_closeness" and "distance" not in spec)]


@pytest.mark.parametrize(("key", "spec"), KEEPING)
def test_no_part_of_a_class_that_holds_a_model_has_more_rows_than_the_bound(key: str, spec: dict[str, Any]) -> None:
    model = MODELS[key].model_validate({"column": "s", **spec})
    kept: dict[int, Any] = dict(answered(str(model.keeps), model, of_search(), key=[{"code": "c"}]))
    for place, counts in enumerate(CLASSES):
        most = parts_within(counts, lambda part: reached(key, spec, part)[0])
        assert kept.get(place, sum(counts)) >= most, counts
        if place in kept:
            assert not reached(key, spec, counts)[0], counts


@pytest.mark.parametrize(
    ("key", "spec", "counts", "bound"),
    [
        ("t_closeness", {"t": "0.2"}, (2, 3, 0, 1), 0),
        ("t_closeness", {"t": "0"}, (1, 4, 2, 0), 5),
        ("beta", {"beta": "1"}, (0, 3, 0, 1), 3),
        ("beta", {"beta": "0.5"}, (0, 3, 1, 0), 2),
        ("beta", {"beta": "1"}, (0, 4, 0, 0), 0),  # no value of it is rare
        ("beta", {"beta": "1", "variant": "enhanced"}, (0, 4, 0, 0), 0),
        ("beta", {"beta": "0.5", "variant": "enhanced"}, (0, 3, 1, 0), 2),
    ],
)
def test_the_bound_of_what_parts_keep(key: str, spec: dict[str, Any], counts: tuple[int, ...], bound: int) -> None:
    model = MODELS[key].model_validate({"column": "s", **spec})
    kept: dict[int, Any] = dict(answered(str(model.keeps), model, of_search(), key=[{"code": "c"}]))
    assert kept.get(CLASSES.index(counts)) == bound


def test_what_no_part_keeps_is_lost() -> None:
    """A class that violates as a whole, or keeps fewer than k rows, is lost; others keep the least of all bounds."""
    classes = [(1, 9, True), (2, 9, False), (3, 9, False), (4, 9, False), (5, 9, False), (6, 9, False)]
    keeping = [(2, 2), (3, 3), (4, 8), (4, 5), (6, 12)]
    answer = answers(
        "privacy/kept",
        {
            "classes": ("c BIGINT, size BIGINT, violates BOOLEAN", classes),
            "keeping_models": ("c BIGINT, kept BIGINT", keeping),
        },
        lists={"key": [{"code": "c"}]},
        values={"k": 3},
    )
    assert sorted(answer) == [
        (1, 9, True),
        (2, 9, True),
        (3, 6, True),
        (4, 4, True),
        (5, 0, False),
        (6, 0, True),
    ]


@pytest.mark.parametrize("limit", range(6))
@pytest.mark.parametrize("least", [0, 1])
def test_values_are_as_even_as_the_limit_allows(limit: int, least: int) -> None:
    counts = {value: n for value, n in COUNTS.items() if value >= least}
    rows = list(COUNTS.items())
    values = {"limit": limit, "least": least, "l": 2}
    (answer,) = answers(
        "privacy/most_even", {"reference": ("value BIGINT, row_count BIGINT", [*rows, (-1, 0)])}, values=values
    )
    left = sorted(counts.values())
    for _ in range(limit):  # whole rows, always of the most frequent: the level lies at or below what they leave
        left = sorted([*left[:-1], left[-1] - 1])
    assert answer[0] == len(counts)
    assert answer[1] == sum(counts.values()) - limit
    assert answer[2] is not None
    assert math.ceil(answer[2] - 1e-9) == left[-1]
    assert answer[4] == sum(sorted(counts.values(), reverse=True)[1:])
    shares = [min(n, answer[2]) / answer[1] for n in counts.values()]
    assert answer[3] == pytest.approx(-sum(share * math.log(share) for share in shares))


# Of each value its nodes at levels 0, 1 and 2 of a hierarchy of height 3; the table has two rows of each value.
DEEP = {1: (1, 11, 21), 2: (2, 11, 21), 3: (3, 12, 21), 4: (4, 13, 22)}


def deep(counts: dict[int, int]) -> dict[str, tuple[str, list[Row]]]:
    """The tables of one class that holds `counts` rows of each value."""
    rows: dict[tuple[int, int], int] = {(3, 0): 8}
    for way in DEEP.values():
        for step in enumerate(way):
            rows[step] = rows.get(step, 0) + 2
    ancestors = [
        (value, level, node, (*way, 0)[level + 1], rows[level, node])
        for value, way in DEEP.items()
        for level, node in enumerate(way)
    ]
    sizes = [(1, value, number, sum(counts.values())) for value, number in counts.items()]
    return {
        "class_values": ("c BIGINT, value BIGINT, row_count BIGINT, size BIGINT", sizes),
        "ancestors": ("value BIGINT, level INTEGER, node BIGINT, parent BIGINT, row_count BIGINT", ancestors),
        "nodes": ("level INTEGER, node BIGINT, row_count BIGINT", [(*step, number) for step, number in rows.items()]),
    }


@pytest.mark.parametrize(("numerator", "denominator", "refused"), [(5, 12, []), (4, 12, [(1, True)]), (1, 2, [])])
def test_a_node_of_several_values_holds_the_rows_of_all(numerator: int, denominator: int, refused: list[Row]) -> None:
    """A quarter of the rows is carried to value 3, two levels up of three, another to value 4: 1/6 + 1/4 = 5/12."""
    values = {"height": 3, "total": 8, "numerator": numerator, "denominator": denominator}
    lists = {"key": [{"code": "c"}]}
    assert (
        answers("privacy/t_closeness/violates_hierarchical", deep({1: 1, 2: 1}), lists=lists, values=values) == refused
    )


def test_each_level_bounds_what_parts_keep_by_all_its_rare_nodes() -> None:
    """At level 0 values 2 and 3 are rare, at level 1 the node of value 3 is, at level 2 none is."""
    values = {"height": 3, "total": 8, "numerator": 1, "denominator": 8}
    lists = {"key": [{"code": "c"}]}
    kept = answers("privacy/t_closeness/keeps_hierarchical", deep({1: 4, 2: 1, 3: 1}), lists=lists, values=values)
    assert sorted(kept) == [(1, 0), (1, 3), (1, 5)]
