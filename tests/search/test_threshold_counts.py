"""What a node releases and loses under thresholds of the whole table, from the sizes of its classes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from kanon_sql.privacy.uniqueness import ClassSizes
from kanon_sql.search.full_domain.measures import Counts
from kanon_sql.search.full_domain.thresholds import ThresholdChecker

NODE = (1, 0)


def checker(satisfying: list[tuple[int, int]], violating: list[tuple[int, int]], least: int) -> Any:
    checker_of_counts = cast("Any", ThresholdChecker.__new__(ThresholdChecker))
    checker_of_counts._sizes = {NODE: (ClassSizes.of(satisfying), ClassSizes.of(violating))}
    checker_of_counts._least, checker_of_counts._counts, checker_of_counts._suppressed = {NODE: least}, {}, {NODE: 0}
    rows = sum(size * count for size, count in (*satisfying, *violating))
    checker_of_counts.frequency = SimpleNamespace(n=rows)
    thresholds = [SimpleNamespace(least_lost=lambda sizes, lost=lost: lost) for lost in (3, 4)]
    checker_of_counts.models = SimpleNamespace(models=(), thresholds=thresholds)
    return checker_of_counts


def test_classes_below_the_size_that_thresholds_ask_for_are_not_released() -> None:
    """Of 3 classes of 4 rows, 2 of 6 and one of 9 that violates a model, those of 6 are released."""
    counts = checker([(4, 3), (6, 2)], [(9, 1)], 5).counts(NODE)
    assert counts == Counts(12 + 9, 2, 6, 9, 2 * 36, 6, 3 * 16 + 2 * 36 + 81)
    assert checker([(4, 3)], [], 5).counts(NODE) == Counts(12, 0, 0, 4, 0, 3, 48)


def test_rows_of_classes_below_k_and_those_of_the_strictest_threshold_are_lost() -> None:
    assert checker([(4, 3)], [(1, 2), (2, 1)], 5)._lost(NODE) == 4 + 4
