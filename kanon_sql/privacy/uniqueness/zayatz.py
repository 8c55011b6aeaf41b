"""Zayatz's estimator: sample uniques by the probability that they are unique in the population as well.

L. Zayatz: Estimation of the number of unique population elements using a sample. Proceedings of the Survey Research
Methods Section, American Statistical Association, 1991.
"""

from __future__ import annotations

from math import exp, lgamma, log

from kanon_sql.privacy.uniqueness.sizes import ClassSizes

_STEPS = 10_000  # a product of more factors is taken from lgamma


def estimate_by_zayatz(sizes: ClassSizes, population: float) -> float:
    """Expected persons of the population who are unique.

    By Bayes: the sizes of the population's classes are taken to be distributed as those of the sample, and a class of s
    persons shows one row with the hypergeometric probability. The sample uniques that are unique in the population
    stand for as many times more as the population has more persons.
    """
    if not sizes.alone:
        return 0.0
    rows = sizes.rows
    ratio, last, shown = 1.0, 1, 0.0
    for size, count in sizes:
        ratio *= _fall(population - rows, population, last, size)
        last = size
        shown += count * size * ratio
    return min(sizes.alone * sizes.alone / shown * population / rows, population)


def _fall(others: float, population: float, last: int, size: int) -> float:
    """Product of (others + 1 - i) / (population - i) for last <= i < size.

    Multiplied over all sizes, s times it and rows / population is the probability that one of a class of s persons is
    among the rows, others being the persons who are not.
    """
    if others + 1 - (size - 1) <= 0 and size > 1:
        return 0.0
    if size - last > _STEPS:
        top = lgamma(others + 2 - last) - lgamma(others + 2 - size)
        return exp(top - lgamma(population - last + 1) + lgamma(population - size + 1))
    total = 0.0
    for i in range(last, size):
        total += log((others + 1 - i) / (population - i))
    return exp(total)
