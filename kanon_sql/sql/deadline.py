"""The end of the time that a search may take, or of the work."""

from __future__ import annotations

import time
from collections.abc import Callable

_OF_A_CHECK = 2e-5  # work between two statements
_LOOK = 0.05  # seconds between two looks at what may end a deadline early


class TimeUpError(Exception):
    """The deadline passed while a statement ran, or before the next one."""


class Deadline:
    """A moment on the monotonic clock; without seconds there is no end, but the one that `stop` tells of."""

    def __init__(self, seconds: float | None = None, stop: Callable[[], bool] | None = None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self._stop = stop

    @property
    def endless(self) -> bool:
        """Whether it can never pass."""
        return self._end is None and self._stop is None

    @property
    def stopped(self) -> bool:
        """Whether it has passed before its time."""
        return self._stop is not None and self._stop()

    def remaining(self) -> float | None:
        """Seconds left, at least 0; None without an end."""
        if self.stopped:
            return 0.0
        return None if self._end is None else max(self._end - time.monotonic(), 0.0)

    def passed(self) -> bool:
        """Whether the time is up."""
        return self.remaining() == 0.0

    def interrupts(self) -> bool:
        """Whether a statement that runs is to be interrupted now."""
        return self.passed()

    def check(self) -> None:
        """Raises TimeUpError when the time is up."""
        if self.passed():
            raise TimeUpError

    def share(self, share: float) -> Deadline:
        """The end of a share of the time that is left, at the latest when this one is stopped."""
        remaining = self.remaining()
        return self if remaining is None else Deadline(remaining * share, self._stop)

    def pause(self) -> float:
        """Seconds until it is worth asking again whether the time is up."""
        remaining = self.remaining()
        if not remaining:
            return _LOOK
        return remaining + 0.001 if self._stop is None else min(remaining + 0.001, _LOOK)

    def why(self) -> str:
        """What ended it, in words."""
        return "the search was interrupted" if self.stopped else "time ran out"


class Work(Deadline):
    """An end after so much work, which is counted and not timed: the same search ends at the same place each time.

    It ends between two statements: how far one that runs has come when it is interrupted, the clock would decide.
    Whoever does some of it spends that. It counts in about seconds of a machine of 2024, where nothing else runs.
    """

    def __init__(self, amount: float, stop: Callable[[], bool] | None = None) -> None:
        super().__init__(None, stop)
        self._left = amount

    @property
    def endless(self) -> bool:
        return False

    def remaining(self) -> float:
        """What is left, at least 0."""
        return 0.0 if self.stopped else max(self._left, 0.0)

    def interrupts(self) -> bool:
        return self.stopped

    def pause(self) -> float:
        return _LOOK

    def spend(self, amount: float) -> None:
        """Counts work that was done."""
        self._left -= amount

    def check(self) -> None:
        self.spend(_OF_A_CHECK)
        super().check()

    def share(self, share: float) -> Work:
        """So much of what is left, which is spent here as it is spent there."""
        return _Part(self, self.remaining() * share)


class _Part(Work):
    """A part of other work."""

    def __init__(self, whole: Work, amount: float) -> None:
        super().__init__(amount, whole._stop)
        self._whole = whole

    def spend(self, amount: float) -> None:
        super().spend(amount)
        self._whole.spend(amount)
