"""What the statements that count say of a few rows."""

from __future__ import annotations

from queried import answers
from sqlglot import exp

QI = [{"leaf": "q"}]


def test_each_entity_counts_once_beside_those_without_a_name() -> None:
    rows = [(1, 1, "a"), (1, 1, "a"), (1, 1, None), (1, 1, None), (1, 2, "b")]
    tables = {"sensitive": ("c BIGINT, value BIGINT, entity VARCHAR", rows)}
    assert sorted(answers("frequency/class_counts_entities", tables, lists={"key": [{"code": "c"}]})) == [
        (1, 1, 2),
        (1, 2, 1),
    ]


def test_more_rows_than_persons_are_strangers() -> None:
    tables = {
        "tuples": ("q BIGINT, row_count BIGINT", [(1, 2), (2, 3), (3, 1)]),
        "population": ("q BIGINT, row_count BIGINT", [(1, 2), (2, 2)]),
    }
    assert answers("frequency/strangers", tables, lists={"qi": QI}) == [(2,)]


def test_persons_that_no_hierarchy_covers_are_counted() -> None:
    table = {"population": ("q BIGINT, row_count BIGINT", [(None, 3), (1, 2)])}
    assert answers("frequency/population_uncovered", table, lists={"qi": QI}) == [(3,)]


def test_missing_values_are_neither_unreadable_nor_synonyms() -> None:
    columns = "position BIGINT, endless BOOLEAN, ordered BIGINT, missing BOOLEAN"
    rows = [
        (0, False, None, True),
        (0, False, None, True),
        (0, False, None, False),
        (1, False, 5, False),
        (1, True, 5, False),
    ]
    tables = {"domain": (columns, rows)}
    assert answers("frequency/order_problems", tables) == [(1, 1, 1, True)]
    assert answers("frequency/synonyms", tables) == [(1,)]


def test_missing_values_have_a_code() -> None:
    tables = {
        "source": ("q VARCHAR", [(None,), (None,), ("a",)]),
        "qi_mapping": ("value VARCHAR, code BIGINT", [(None, 0), ("a", 1)]),
    }
    names = {"frequency": "counted", "row_total": exp.Count(this=exp.Star())}
    qi = [{"mapping": "qi_mapping", "code": "code", "leaf": "leaf", "key": "q"}]
    then = "SELECT leaf, row_count FROM counted ORDER BY leaf"
    lists = {"qi": qi, "carried": []}
    assert answers("frequency/frequency", tables, names=names, lists=lists, then=then) == [(0, 2), (1, 1)]


def test_persons_with_a_missing_value_have_a_code() -> None:
    tables = {
        "source": ("q VARCHAR", [(None,), (None,), ("a",)]),
        "qi_mapping": ("value VARCHAR, code BIGINT", [(None, 0), ("a", 1)]),
    }
    lists = {
        "qi": [{"mapping": "qi_mapping", "value": "q"}],
        "cell": [{"mapping": "qi_mapping", "level": "code", "name": "leaf"}],
    }
    names = {"population": "population"}
    then = "SELECT leaf, row_count FROM population ORDER BY leaf"
    assert answers("frequency/population", tables, names=names, lists=lists, then=then) == [(0, 2), (1, 1)]
