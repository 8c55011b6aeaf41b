"""Estimators of population uniqueness against plain loops over their definitions, and against known figures."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb, exp, lgamma, log

import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_sql.privacy.uniqueness import (
    ClassSizes,
    count_classes,
    digamma_step,
    estimate_by_pitman,
    estimate_by_snb,
    estimate_by_zayatz,
    estimate_uniqueness,
    share_of_single,
)

counts = st.dictionaries(st.integers(1, 9), st.integers(1, 12), min_size=1).map(
    lambda pairs: ClassSizes.of(pairs.items())
)


def likelihood(sizes: ClassSizes, theta: float, alpha: float) -> float:
    """The logarithm of Pitman's sampling formula, without what does not depend on the parameters."""
    total = sum(log(theta + i * alpha) for i in range(1, sizes.classes))
    total -= sum(log(theta + i) for i in range(1, sizes.rows))
    return total + sum(classes * sum(log(j - alpha) for j in range(1, size)) for size, classes in sizes)


def best_parameters(sizes: ClassSizes) -> tuple[float, float]:
    """The greatest likelihood by ever finer grids: theta over a range of powers, alpha from 0 to 1."""
    low, high, least, most = -6.0, 6.0, 1e-7, 1 - 1e-7
    theta = alpha = 0.0
    for _ in range(14):
        grid = [
            (likelihood(sizes, exp(a) - b, b), a, b)
            for b in (least + (most - least) * step / 16 for step in range(17))
            for a in (low + (high - low) * step / 16 for step in range(17))
        ]
        _, theta, alpha = max(grid)
        wide, broad = (high - low) / 5, (most - least) / 5
        low, high, least, most = theta - wide, theta + wide, max(1e-7, alpha - broad), min(1 - 1e-7, alpha + broad)
    return exp(theta) - alpha, alpha


@pytest.mark.slow
@settings(max_examples=tries(12))
@given(sizes=counts, times=st.sampled_from([2, 10, 100]))
def test_pitman_is_at_the_greatest_likelihood(sizes: ClassSizes, times: int) -> None:
    estimate = estimate_by_pitman(sizes, sizes.rows * times)
    if not sizes.alone or sizes.alone == sizes.rows:
        assert estimate == (0 if not sizes.alone else None)
        return
    theta, alpha = best_parameters(sizes)
    assert estimate is not None
    expected = exp(lgamma(theta + 1) - lgamma(theta + alpha) + alpha * log(sizes.rows * times))
    if 1e-3 < alpha < 0.999 and theta < 300:  # else the maximum may lie beyond the grid
        assert estimate == pytest.approx(min(expected, sizes.rows * times), rel=0.02)


@given(sizes=counts, others=st.integers(1, 300))
def test_zayatz_is_bayes_with_exact_fractions(sizes: ClassSizes, others: int) -> None:
    rows, persons = sizes.rows, sizes.rows + others

    def shown(size: int) -> Fraction:
        """The probability that one of a class of so many persons is among the rows."""
        return Fraction(size * comb(persons - size, rows - 1), comb(persons, rows))

    total = sum((Fraction(classes, sizes.classes) * shown(size) for size, classes in sizes), Fraction())
    expected = Fraction(0)
    if sizes.alone:
        expected = sizes.alone * Fraction(sizes.alone, sizes.classes) * shown(1) / total * persons / rows
    assert estimate_by_zayatz(sizes, persons) == pytest.approx(min(float(expected), float(persons)), rel=1e-9)


def drawn(alpha: float, beta: float, fraction: float) -> Iterator[tuple[float, float]]:
    """Expected sample uniques and pairs of one class of 1 + m persons, m negative binomial, summand by summand."""
    for m in range(3000):
        chance = exp(lgamma(alpha + m) - lgamma(alpha) - lgamma(m + 1) + m * log(1 - beta) + alpha * log(beta))
        alone = (1 + m) * fraction * (1 - fraction) ** m
        yield chance * alone, chance * comb(m + 1, 2) * fraction**2 * (1 - fraction) ** (m - 1) if m else 0.0


@pytest.mark.parametrize(("alpha", "beta"), [(0.5, 0.2), (1.0, 0.3), (0.2, 0.1), (2.0, 0.5)])
@pytest.mark.parametrize("fraction", [0.15, 0.4, 0.8])
def test_snb_finds_the_parameters_that_the_sample_was_made_with(alpha: float, beta: float, fraction: float) -> None:
    alone, pairs = (sum(column) for column in zip(*drawn(alpha, beta, fraction), strict=True))
    estimate = share_of_single(alone / fraction, pairs / alone, fraction)
    assert estimate == pytest.approx(beta**alpha, rel=1e-9)


@given(sizes=counts, fraction=st.sampled_from([0.15, 0.5, 0.9]))
def test_snb_counts_the_classes_after_shlosser(sizes: ClassSizes, fraction: float) -> None:
    """Summand by summand as Haas and Stokes have it."""
    f = fraction
    first = sum(i * f**2 * (1 - f**2) ** (i - 1) * c for i, c in sizes)
    second = sum((1 - f) ** i * ((1 + f) ** i - 1) * c for i, c in sizes)
    third = sum((1 - f) ** i * c for i, c in sizes) / sum(i * f * (1 - f) ** (i - 1) * c for i, c in sizes)
    classes = sizes.classes + sizes.alone * first / second * third**2
    assert count_classes(sizes, fraction) == pytest.approx(classes)
    if sizes.alone and sizes.pairs:
        share = share_of_single(sizes.alone / (classes * f), sizes.pairs / sizes.alone, f)
        estimate, persons = estimate_by_snb(sizes, sizes.rows / f), sizes.rows / f
        assert (estimate is None) if share is None else estimate == pytest.approx(min(classes * share, persons))


def test_the_decision_rule_takes_the_lesser_of_two_beyond_a_tenth() -> None:
    sizes = ClassSizes.of([(1, 5000), (2, 900), (3, 300), (4, 90), (9, 40)])
    small = estimate_uniqueness(sizes, sizes.rows / 0.1)
    assert small.chosen == "pitman" and small.dankar == small.pitman and small.snb is None
    for fraction in (0.11, 0.3, 0.6, 0.9):
        estimate = estimate_uniqueness(sizes, sizes.rows / fraction)
        assert estimate.snb is not None
        assert estimate.dankar == min(estimate.zayatz, estimate.snb)
        assert (estimate.pitman or 0) > 0
    unique = estimate_uniqueness(ClassSizes.of([(1, 7)]), 700)
    assert (unique.chosen, unique.zayatz, unique.pitman) == ("zayatz", 1.0, None)
    whole = estimate_uniqueness(ClassSizes.of([(1, 3), (2, 1)]), 5)
    assert whole.dankar == whole.pitman == whole.snb == 3 / 5
    none = estimate_uniqueness(ClassSizes.of([(2, 4), (7, 1)]), 1000)
    assert none.dankar == none.pitman == none.zayatz == none.snb == 0


@pytest.mark.parametrize(("start", "step"), [(0.01, 3.0), (0.5, 7.0), (3.25, 100.0), (1e9, 1e3), (5.0, 0.0)])
def test_differences_of_digamma_are_sums_of_reciprocals(start: float, step: float) -> None:
    assert digamma_step(start, step) == pytest.approx(sum(1 / (start + i) for i in range(int(step))), rel=1e-13)
