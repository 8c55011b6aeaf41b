"""How often an adversary succeeds, with intervals, and the risk: by how much more often than against others.

The interval of a share is that of E. B. Wilson: Probable inference, the law of succession, and statistical inference,
JASA 22, 1927; that of a difference of two shares is made of theirs: R. G. Newcombe, Interval estimation for the
difference between independent proportions, Statistics in Medicine 17, 1998, method 10.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from kanon_sql.report.report import Json

CONFIDENCE = 0.95
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Tries:
    """So many guesses of which so many were right: a sum of chances where one of several was taken at random."""

    right: float
    guesses: int

    @property
    def share(self) -> float:
        """How often it succeeded."""
        return self.right / self.guesses

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of the share."""
        n, square = self.guesses, _Z * _Z
        middle = (self.right + square / 2) / (n + square)
        half = _Z / (n + square) * sqrt(max(self.right * (n - self.right) / n, 0.0) + square / 4)
        return max(middle - half, 0.0), min(middle + half, 1.0)


@dataclass(frozen=True)
class Played:
    """One attack: on rows of the source, blindly, and on rows that were never released, where there are any."""

    main: Tries
    baseline: Tries
    control: Tries | None

    @property
    def difference(self) -> float:
        """By how much the share of success is above that of the control group, or without one of blind guessing."""
        return self.main.share - (self.control or self.baseline).share

    @property
    def interval(self) -> tuple[float, float]:
        """Newcombe's interval of the difference."""
        against = self.control or self.baseline
        share, (low, high) = self.main.share, self.main.interval
        other, (other_low, other_high) = against.share, against.interval
        lower = self.difference - sqrt((share - low) ** 2 + (other_high - other) ** 2)
        return lower, self.difference + sqrt((high - share) ** 2 + (other - other_low) ** 2)

    @property
    def strength(self) -> tuple[float, float, int]:
        """What the stronger of two attacks has more of: what it surely gains, what it gains, guesses."""
        return _clipped(self.interval[0]), _clipped(self.difference), self.main.guesses

    def entry(self) -> Json:
        """The attack in the report: shares, the risk with its interval, intervals of the shares, numbers of guesses."""
        other = (self.control or self.baseline).share
        parts = {"main": self.main, "baseline": self.baseline, "control": self.control}
        return {
            **{name: None if one is None else one.share for name, one in parts.items()},
            "risk": _clipped(self.difference),
            "interval": [_clipped(end) for end in self.interval],
            "normalized_risk": _clipped(self.difference / (1 - other)) if other < 1 else 0.0,
            "intervals": {name: None if one is None else list(one.interval) for name, one in parts.items()},
            "guesses": {name: None if one is None else one.guesses for name, one in parts.items()},
        }


def _clipped(value: float) -> float:
    return min(max(value, 0.0), 1.0)
