"""Pitman's model of the population: classes arise as in Pitman's sampling formula, with the parameters theta and alpha.

N. Hoshino: Applying Pitman's sampling formula to microdata disclosure risk assessment. Journal of Official Statistics
17(4), 2001. Section 3 has the likelihood and the expected number of population uniques.
"""

from __future__ import annotations

from math import exp, lgamma, log

from kanon_sql.privacy.uniqueness.sizes import ClassSizes
from kanon_sql.privacy.uniqueness.special import digamma_step, falling_root

_LEAST, _MOST = 1e-9, 1 - 1e-12
_NEAR, _FAR = log(1e-12), log(1e15)


def estimate_by_pitman(sizes: ClassSizes, population: float) -> float | None:
    """Expected persons of the population who are unique; None where the likelihood has no maximum.

    With S1 the population uniques, E(S1) = Gamma(theta + 1) / Gamma(theta + alpha) * N ** alpha, theta and alpha being
    those of the greatest likelihood of the sample, 0 <= alpha < 1 and theta > -alpha. Where all rows are unique the
    likelihood grows up to alpha = 1.
    """
    if not sizes.alone:
        return 0.0
    if sizes.alone == sizes.rows:
        return None
    alpha = falling_root(lambda at: _slope(sizes, at), _LEAST, _MOST)
    theta = _theta(sizes, alpha)
    return min(exp(lgamma(theta + 1) - lgamma(theta + alpha) + alpha * log(population)), population)


def _theta(sizes: ClassSizes, alpha: float) -> float:
    """The theta of the greatest likelihood for an alpha.

    Where the sum of 1 / (theta + i * alpha) for i < classes is that of 1 / (theta + i) for i < rows.
    """
    classes, rows = sizes.classes, sizes.rows

    def slope(logarithm: float) -> float:
        theta = exp(logarithm) - alpha
        return digamma_step(theta / alpha + 1, classes - 1) / alpha - digamma_step(theta + 1, rows - 1)

    return exp(falling_root(slope, _NEAR, _FAR)) - alpha


def _slope(sizes: ClassSizes, alpha: float) -> float:
    """How fast the logarithm of the likelihood grows with alpha, at the best theta for each."""
    theta = _theta(sizes, alpha)
    classes = sizes.classes
    grown = (classes - 1 - theta / alpha * digamma_step(theta / alpha + 1, classes - 1)) / alpha
    return grown - sum(count * digamma_step(1 - alpha, size - 1) for size, count in sizes if size > 1)
