"""How many persons of a population are unique, estimated from the sizes of a sample's classes: three models, and a
choice.

The choice is the decision rule of F. Dankar, K. El Emam, A. Neisa, T. Roffey: Estimating the re-identification risk of
clinical data sets. BMC Medical Informatics and Decision Making 12:66, 2012 (`dankar`).

Pitman: classes arise as in Pitman's sampling formula, with the parameters theta and alpha. N. Hoshino: Applying
Pitman's sampling formula to microdata disclosure risk assessment. Journal of Official Statistics 17(4), 2001. Section 3
has the likelihood and the expected number of population uniques.

Slide negative binomial (SNB): a class of the population has one person more than a negative binomial number. G. Chen,
S. Keller-McNulty: Estimation of identification disclosure risk in microdata. Journal of Official Statistics 14(1),
1998. The number of classes in the population is estimated after Shlosser, in the form of P. Haas, L. Stokes: Estimating
the number of classes in a finite population. Journal of the American Statistical Association 93, 1998. Dankar et al.
put both together (Appendix A).

Zayatz: sample uniques times the probability that they are unique in the population as well. L. Zayatz: Estimation of
the number of unique population elements using a sample. Proceedings of the Survey Research Methods Section, American
Statistical Association, 1991.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import exp, lgamma, log, log1p

LEAST_FRACTION = 0.1  # of the population: SNB is not used for smaller samples
# Digamma: from here on its asymptotic series has all digits of a double; B(2i) / 2i, the coefficients of x ** -2i.
_LARGE = 12.0
_SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
_STEPS = 200  # of a bisection, at most
_LEAST, _MOST = 1e-9, 1 - 1e-12  # Pitman's alpha
_NEAR, _FAR = log(1e-12), log(1e15)  # the logarithm of Pitman's theta + alpha
_EXPONENTS = range(-600, 400)  # SNB's alpha, from 10 ** -6 to 10 ** 4, in hundredths of the exponent
_TERMS = 10_000  # Zayatz: a product of more factors is taken from lgamma


@dataclass(frozen=True)
class ClassSizes:
    """How many classes (`classes_of`) a table has of each size in rows: all that the estimators read of it."""

    classes_of: dict[int, int]

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]]) -> ClassSizes:
        """From pairs (size, classes), each size once."""
        return cls({int(size): int(classes) for size, classes in sorted(pairs) if classes})

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """(size, classes) by rising size."""
        return iter(self.classes_of.items())

    def at_least(self, least: int) -> ClassSizes:
        """The classes of so many rows or more."""
        return ClassSizes({size: classes for size, classes in self if size >= least})

    @property
    def rows(self) -> int:
        return sum(size * classes for size, classes in self)

    @property
    def classes(self) -> int:
        return sum(self.classes_of.values())

    @property
    def alone(self) -> int:
        """Classes of one row."""
        return self.classes_of.get(1, 0)

    @property
    def pairs(self) -> int:
        """Classes of two rows."""
        return self.classes_of.get(2, 0)


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
    """The root of a function that falls from above 0 to below it, by bisection to the last digit."""
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


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
    """The theta of the greatest likelihood for an alpha."""
    classes, rows = sizes.classes, sizes.rows

    # Where the sum of 1 / (theta + i * alpha) for i < classes is that of 1 / (theta + i) for i < rows.
    def slope(logarithm: float) -> float:
        theta = exp(logarithm) - alpha
        return digamma_step(theta / alpha + 1, classes - 1) / alpha - digamma_step(theta + 1, rows - 1)

    return exp(falling_root(slope, _NEAR, _FAR)) - alpha


def _slope(sizes: ClassSizes, alpha: float) -> float:
    """The derivative of the logarithm of the likelihood by alpha, at the best theta for each alpha."""
    theta = _theta(sizes, alpha)
    classes = sizes.classes
    grown = (classes - 1 - theta / alpha * digamma_step(theta / alpha + 1, classes - 1)) / alpha
    return grown - sum(count * digamma_step(1 - alpha, size - 1) for size, count in sizes if size > 1)


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
        """Expected uniques less the actual ones, where beta fits the ratio."""
        upper = _upper(10.0**exponent, fraction, ratio)
        return None if upper is None else _expected_alone(10.0**exponent, upper, fraction) - alone

    root = _root(surplus)
    if root is None:
        return None
    upper = _upper(10.0**root, fraction, ratio)
    return None if upper is None else (1 - upper) ** 10.0**root


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
    """The root of the first change of sign on the grid of exponents; None where there is none."""
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
    if size - last > _TERMS:
        top = lgamma(others + 2 - last) - lgamma(others + 2 - size)
        return exp(top - lgamma(population - last + 1) + lgamma(population - size + 1))
    total = 0.0
    for i in range(last, size):
        total += log((others + 1 - i) / (population - i))
    return exp(total)


@dataclass(frozen=True)
class PopulationUniqueness:
    """Estimated shares of a population's persons who are unique; None where a model gives no estimate.

    `chosen` is the model that the decision rule takes: "pitman", "zayatz" or "snb".
    """

    population: float
    fraction: float
    pitman: float | None
    zayatz: float
    snb: float | None
    chosen: str

    @property
    def dankar(self) -> float:
        """The share of the chosen model."""
        share = {"pitman": self.pitman, "zayatz": self.zayatz, "snb": self.snb}[self.chosen]
        assert share is not None
        return share


def estimate_uniqueness(sizes: ClassSizes, population: float) -> PopulationUniqueness:
    """The share of the population's persons who are unique, estimated from a sample's classes by size.

    The population has at least as many persons as the sample; where it has no more, its uniques are counted.
    """
    fraction = sizes.rows / population
    if fraction >= 1:
        share = sizes.alone / sizes.rows
        return PopulationUniqueness(population, 1.0, share, share, share, "zayatz")
    counts = (estimate_by_pitman(sizes, population), estimate_by_snb(sizes, population))
    pitman, snb = (None if count is None else count / population for count in counts)
    zayatz = estimate_by_zayatz(sizes, population) / population
    return PopulationUniqueness(population, fraction, pitman, zayatz, snb, _choose(fraction, pitman, zayatz, snb))


def _choose(fraction: float, pitman: float | None, zayatz: float, snb: float | None) -> str:
    """The decision rule: Pitman from small samples, else the lesser of SNB and Zayatz; Zayatz for what has none."""
    if fraction <= LEAST_FRACTION:
        return "zayatz" if pitman is None else "pitman"
    return "zayatz" if snb is None or zayatz < snb else "snb"
