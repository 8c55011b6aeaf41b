"""Which combinations of a few columns stand for too few, by the condition that rows fall by."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from queried import Row, answers

from kanon_sql.search.full_domain.closure import violating

KEPT = "place BIGINT, c BIGINT, entity VARCHAR, s BIGINT, row_count BIGINT"
# Combination 1 has two rows of the same entity, 2 three entities, 3 two and rows without, 4 only rows without, 5 one.
ROWS: list[Row] = [
    *((1, 1, "a", 1, 2), (2, 2, "a", 1, 1), (3, 2, "b", 2, 1), (4, 2, "c", 0, 1)),
    *((5, 3, "a", 1, 1), (6, 3, "b", 1, 1), (7, 3, None, 1, 1), (8, 3, None, 1, 1)),
    *((9, 4, None, 0, 2), (10, 4, None, 1, 2), (11, 5, "a", 1, 1)),
]
BY_COMBINATION = {c: [row for row in ROWS if row[1] == c] for c in range(1, 6)}


def small(*, by_entity: bool, least: int | None, k: int) -> set[int]:
    """The combinations with a row that falls."""
    models: list[Any] = []
    if least is not None:
        models = [SimpleNamespace(column="s", spec=SimpleNamespace(numbers=lambda: {"l": least}))]
    given: Any = SimpleNamespace(by_entity=by_entity, models=models, columns={"s": SimpleNamespace(code="s")})
    condition = violating(given)
    rows = answers(
        "search/full_domain/closure_small",
        {"kept": (KEPT, ROWS)},
        names={"violates": condition},
        lists={"set": [{"code": "c"}]},
        values={"k": k},
    )
    places = {row[0] for row in rows}
    combinations = {row[1] for row in ROWS if row[0] in places}
    assert places == {row[0] for c in combinations for row in BY_COMBINATION[c]}
    return combinations


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_rows_or_entities_are_counted_and_all_without_one_as_a_single_entity(k: int) -> None:
    rows = {c: sum(row[4] for row in held) for c, held in BY_COMBINATION.items()}
    entities = {c: len({row[2] for row in held}) for c, held in BY_COMBINATION.items()}
    assert small(by_entity=False, least=None, k=k) == {c for c, number in rows.items() if number < k}
    assert small(by_entity=True, least=None, k=k) == {c for c, number in entities.items() if number < k}


@pytest.mark.parametrize("least", [1, 2, 3])
def test_sensitive_values_are_counted_once_and_missing_ones_not(least: int) -> None:
    values = {c: len({row[3] for row in held} - {0}) for c, held in BY_COMBINATION.items()}
    assert small(by_entity=False, least=least, k=1) == {c for c, number in values.items() if number < least}
    assert small(by_entity=True, least=least, k=2) == {
        c for c, held in BY_COMBINATION.items() if values[c] < least or len({row[2] for row in held}) < 2
    }


def test_what_a_set_loses_and_its_least_combination_that_stays() -> None:
    rows = answers(
        "search/full_domain/closure_lost",
        {"rows_there": (KEPT, ROWS)},
        names={"violates": violating(SimpleNamespace(by_entity=False, models=[], columns={}))},  # type: ignore[arg-type]
        lists={"set": [{"code": "c", "number": "set_number"}]},
        values={"k": 3, "number": 7},
    )
    assert rows == [(7, 3, 3)]


def test_rows_that_fell_are_suppressed_with_their_class() -> None:
    tables = {
        "rows_there": ("c BIGINT, row_count BIGINT", [(1, 2), (1, 3), (2, 4)]),
        "kept": ("place BIGINT", [(0,), (2,)]),
    }
    rows = answers("search/full_domain/closed_rows", tables, lists={"key": [{"code": "c"}]})
    assert sorted(rows) == [(1, 2, False), (1, 3, True), (2, 4, False)]
    judged = {"judged": ("c BIGINT, size BIGINT, violates BOOLEAN", [*rows, (1, 5, True)])}
    classes = answers("search/full_domain/closed_classes", judged, lists={"key": [{"code": "c"}]})
    assert sorted(classes) == [(1, 2, False), (1, 8, True), (2, 4, False)]
