"""Linear and logarithmic axes: where a value lies, and which values are marked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_STEPS = (1, 2, 2.5, 5, 10)
_WIDE = 20.0


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` on a stretch from `start` to `end`; `ticks` are the marked ones."""

    low: float
    high: float
    start: float
    end: float
    log: bool
    ticks: tuple[float, ...] = ()

    def at(self, value: float) -> float:
        """Where a value lies; in the middle when the axis has one value only."""
        along: Callable[[float], float] = math.log if self.log else float
        span = along(self.high) - along(self.low)
        share = (along(value) - along(self.low)) / span if span else 0.5
        return self.start + share * (self.end - self.start)


def value_axis(values: Sequence[float], start: float, end: float, *, may_be_log: bool, whole: bool) -> Axis:
    """An axis that holds the values: from 0, or where they are far apart and positive by powers of ten."""
    high = max(values, default=0.0)
    low = min(values, default=0.0)
    if may_be_log and low > 0 and high / low >= _WIDE:
        ticks = _powers(low, high)
        return Axis(ticks[0], ticks[-1], start, end, True, ticks)
    ticks = _rounded(high, whole)
    return Axis(0.0, ticks[-1], start, end, False, ticks)


def tick_text(value: float) -> str:
    """A marked value, short."""
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:,.0f}" if value == round(value) else f"{value:g}"


def _rounded(high: float, whole: bool) -> tuple[float, ...]:
    """Multiples of a round step from 0 up to the first that is not below `high`."""
    if high <= 0:
        return (0.0, 1.0)
    size = 10 ** math.floor(math.log10(high / 4))
    step = next(size * factor for factor in _STEPS if high / (size * factor) <= 5)
    if whole:
        step = max(math.ceil(step), 1)
    count = math.ceil(round(high / step, 9))
    return tuple(round(step * i, 12) for i in range(count + 1))


def _powers(low: float, high: float) -> tuple[float, ...]:
    """Powers of ten around the values, the outermost replaced by twice or five times them where that is enough."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    least = max(factor * 10**first for factor in (1, 2, 5) if factor * 10**first <= low)
    most = min(factor * 10 ** (last - 1) for factor in (2, 5, 10) if factor * 10 ** (last - 1) >= high)
    between = [10.0**power for power in range(first, last + 1) if least < 10.0**power < most]
    return tuple(float(f"{value:.12g}") for value in (least, *between, most))


def decimal_top(high: float) -> float:
    """The least of 1, 2, 4, 10 and so on, at most 100, that a share in percent is not above: four even parts."""
    return next((float(top) for top in (1, 2, 4, 10, 20, 40) if high <= top), 100.0)
