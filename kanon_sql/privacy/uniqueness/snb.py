"""The slide negative binomial model: a class of the population has one person more than a negative binomial number.

G. Chen, S. Keller-McNulty: Estimation of identification disclosure risk in microdata. Journal of Official Statistics
14(1), 1998. The number of classes in the population is estimated after Shlosser, in the form of P. Haas, L. Stokes:
Estimating the number of classes in a finite population. Journal of the American Statistical Association 93, 1998.
F. Dankar, K. El Emam, A. Neisa, T. Roffey: Estimating the re-identification risk of clinical data sets. BMC Medical
Informatics and Decision Making 12:66, 2012, puts both together (Appendix A).
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log

from kanon_sql.privacy.uniqueness.sizes import ClassSizes
from kanon_sql.privacy.uniqueness.special import falling_root

LEAST_FRACTION = 0.1
_EXPONENTS = range(-600, 400)  # alpha is looked for from 10 ** -6 to 10 ** 4, in hundredths


def estimate_by_snb(sizes: ClassSizes, population: float) -> float | None:
    """Expected persons of the population who are unique; None where the model has no solution, or none is looked for.

    With K classes, a class has 1 + m persons, m negative binomial with alpha > 0 and 0 < beta < 1; beta ** alpha of
    them have one. Both follow from the expected numbers of sample uniques and of pairs. A sample of at most a tenth
    tells too little of K, and the model is not used there.
    """
    if not sizes.alone:
        return 0.0
    fraction = sizes.rows / population
    if fraction <= LEAST_FRACTION or not sizes.pairs:
        return None
    classes = count_classes(sizes, fraction)
    share = share_of_single(sizes.alone / (classes * fraction), sizes.pairs / sizes.alone, fraction)
    return None if share is None else min(classes * share, population)


def count_classes(sizes: ClassSizes, fraction: float) -> float:
    """The population's classes, from a sample of a fraction: Shlosser's estimator, as Haas and Stokes have it (Sh3)."""
    rest, square = 1 - fraction, fraction * fraction
    ones = seen = unseen = single = 0.0
    for size, count in sizes:
        ones += count * size * square * (1 - square) ** (size - 1)
        seen += count * ((1 - square) ** size - rest**size)
        unseen += count * rest**size
        single += count * size * fraction * rest ** (size - 1)
    return sizes.classes + sizes.alone * ones / seen * (unseen / single) ** 2


def share_of_single(alone: float, ratio: float, fraction: float) -> float | None:
    """The share of the population's classes that have one person, beta ** alpha; None where nothing fits.

    `alone` are the sample uniques divided by the classes of the population and the fraction, `ratio` the pairs of the
    sample divided by its uniques.
    """

    def surplus(exponent: float) -> float | None:
        """Expected uniques beyond those that there are, where beta fits the ratio."""
        upper = _upper(10.0**exponent, fraction, ratio)
        return None if upper is None else _expected_alone(10.0**exponent, upper, fraction) - alone

    found = _root(surplus)
    if found is None:
        return None
    upper = _upper(10.0**found, fraction, ratio)
    return None if upper is None else (1 - upper) ** 10.0**found


def _upper(alpha: float, fraction: float, ratio: float) -> float | None:
    """1 - beta, where the expected pairs are `ratio` times the expected uniques of the sample; None where never."""
    rest = 1 - fraction

    def lacking(upper: float) -> float:
        """Falls with `upper`: the ratio that is wanted less the expected one, times its denominator."""
        drawn = rest * upper
        pairs = alpha * fraction * upper * (2 - (1 - alpha) * drawn)
        return 2 * ratio * (1 - drawn) * (1 - drawn + alpha * drawn) - pairs

    return None if lacking(1.0) >= 0 else falling_root(lacking, 0.0, 1.0)


def _expected_alone(alpha: float, upper: float, fraction: float) -> float:
    """Expected sample uniques divided by the classes and the fraction."""
    drawn = (1 - fraction) * upper
    if upper >= 1:
        return 0.0
    power = alpha * (log(1 - upper) - log(1 - drawn))
    return exp(power) * (1 + alpha * drawn / (1 - drawn))


def _root(function: Callable[[float], float | None]) -> float | None:
    """The first place on the grid of exponents where the function changes its sign."""
    last: tuple[float, float] | None = None
    for step in _EXPONENTS:
        exponent = step / 100
        value = function(exponent)
        if value is not None and last is not None and (last[1] > 0) != (value > 0):
            sign = 1 if last[1] > 0 else -1

            def falling(at: float, sign: int = sign) -> float:
                return sign * (function(at) or 0.0)

            return falling_root(falling, last[0], exponent)
        last = None if value is None else (exponent, value)
    return None
