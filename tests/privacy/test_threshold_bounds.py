"""Thresholds on a table as a whole, at exactly what they allow and by trying every choice of classes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any

import pytest

from kanon_sql.privacy.thresholds import AverageRisk, UniquenessThreshold, least_size, sufficient_k
from kanon_sql.privacy.uniqueness import ClassSizes

TABLES = [sizes for number in range(1, 6) for sizes in combinations_with_replacement(range(1, 6), number)]
BOUNDS = ["0.2", "0.25", "0.3", "0.4", "0.5", "1"]


def sizes_of(sizes: Sequence[int]) -> ClassSizes:
    return ClassSizes.of([(size, sizes.count(size)) for size in set(sizes)])


@pytest.mark.parametrize("bound", BOUNDS)
def test_the_average_risk_is_held_at_exactly_its_bound(bound: str) -> None:
    threshold = AverageRisk.model_validate({"at_most": bound})
    for sizes in TABLES:
        mean = sum(Fraction(1, size) for size in sizes for _ in range(size)) / sum(sizes)
        assert threshold.holds(sizes_of(sizes)) is (mean <= Fraction(bound)), sizes
        assert threshold.actual(sizes_of(sizes)) == pytest.approx(float(mean))


@pytest.mark.parametrize("bound", BOUNDS)
def test_so_many_rows_are_lost_whatever_classes_are_left_out(bound: str) -> None:
    threshold = AverageRisk.model_validate({"at_most": bound})
    for sizes in TABLES:
        choices = [kept for number in range(len(sizes) + 1) for kept in combinations(sizes, number)]
        most = max(sum(kept) for kept in choices if len(kept) <= Fraction(bound) * sum(kept))
        assert threshold.least_lost(sizes_of(sizes)) == sum(sizes) - most, sizes


@pytest.mark.parametrize("bound", BOUNDS)
def test_the_least_size_is_the_first_with_which_the_bound_holds(bound: str) -> None:
    threshold = AverageRisk.model_validate({"at_most": bound})
    for sizes in (sizes for sizes in TABLES if Fraction(1, max(sizes)) <= Fraction(bound)):
        held = [
            least
            for least in range(1, max(sizes) + 1)
            if sum(size >= least for size in sizes) <= Fraction(bound) * sum(size for size in sizes if size >= least)
        ]
        assert least_size(sizes_of(sizes), 1, [threshold]) == min(held), sizes


def test_the_least_size_holds_all_thresholds() -> None:
    lax = AverageRisk.model_validate({"at_most": "1"})
    strict = UniquenessThreshold.model_validate({"at_most": "0.000001", "fraction": "0.5"})
    assert [least_size(sizes_of([1, 1, 2, 3]), 1, given) for given in ([lax], [strict], [lax, strict])] == [1, 2, 2]


def test_a_sufficient_size_is_enough_for_every_threshold_and_one_less_is_not() -> None:
    for bound, wanted in (("0.2", 5), ("0.3", 4), ("0.5", 2), ("1", 1)):
        threshold = AverageRisk.model_validate({"at_most": bound})
        assert threshold.sufficient == wanted
        assert sufficient_k(3, [threshold]) == max(3, wanted)
    unique = UniquenessThreshold.model_validate({"at_most": "0.1", "fraction": "0.5"})
    assert sufficient_k(1, [unique]) == 2


def test_a_table_with_nobody_alone_has_no_unique_persons() -> None:
    threshold = UniquenessThreshold.model_validate({"at_most": "0.000001", "fraction": "0.5"})
    assert threshold.holds(sizes_of([2, 2, 3]))
    assert not threshold.holds(sizes_of([1, 1, 1, 2, 2, 3]))


def test_a_figure_at_exactly_the_bound_is_held() -> None:
    sizes = sizes_of([1, 1, 1, 2, 2, 3])
    reached = UniquenessThreshold.model_validate({"at_most": "1", "fraction": "0.5"}).actual(sizes)
    assert 0 < reached < 1
    for bound, held in ((Fraction(reached), True), (Fraction(reached) * (1 - Fraction(1, 2**40)), False)):
        parts: dict[str, Any] = {"at_most": bound, "fraction": Fraction(1, 2)}
        threshold = UniquenessThreshold.model_construct(**parts)
        assert threshold.holds(sizes) is held


def test_sizes_are_counted_once_each() -> None:
    sizes = sizes_of([1, 1, 2, 5])
    assert (sizes.rows, sizes.classes, sizes.alone, sizes.pairs) == (9, 4, 2, 1)
    assert sizes.at_least(2).classes_of == {2: 1, 5: 1}
    assert sizes.at_least(5).rows == 5
