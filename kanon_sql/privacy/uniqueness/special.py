"""Differences of the digamma function, and roots: what the estimators need of numerical mathematics."""

from __future__ import annotations

from collections.abc import Callable
from math import log1p

_LARGE = 12.0  # from here on the asymptotic series has all digits of a double
# B(2i) / 2i, the coefficients of x ** -2i.
_SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
_STEPS = 200


def digamma_step(x: float, step: float) -> float:
    """digamma(x + step) - digamma(x) for x > 0 and step >= 0, without cancellation where x is large.

    M. Abramowitz, I. Stegun: Handbook of Mathematical Functions. 1964, 6.3.5 and 6.3.18.
    """
    total = 0.0
    while x < _LARGE:
        total += 1 / x - 1 / (x + step)
        x += 1
    return total + log1p(step / x) + _rest(x) - _rest(x + step)


def _rest(x: float) -> float:
    """log(x) - digamma(x), for a large x."""
    square, power, total = 1 / (x * x), 1.0, 0.5 / x
    for coefficient in _SERIES:
        power *= square
        total += coefficient * power
    return total


def falling_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that falls from above 0 to below it crosses 0, by bisection to the last digit."""
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
