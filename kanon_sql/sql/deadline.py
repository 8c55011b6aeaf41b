"""The end of the time, or of the work, that a search may take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_OF_A_CHECK = 2e-5  # work between two statements
_LOOK = 0.05  # seconds between two looks at what may end a deadline early


class TimeUpError(Exception):
    """The deadline passed while a statement ran, or before the next one."""


class Deadline:
    """A moment on the monotonic clock; without seconds it never comes, unless `stop` says that it has."""

    def __init__(self, seconds: float | None = None, stop: Callable[[], bool] | None = None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self._stop = stop

    @property
    def endless(self) -> bool:
        """Whether it can never pass."""
        return self._end is None and self._stop is None

    @property
    def stopped(self) -> bool:
        """Whether `stop` ended it before its time."""
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
        """Whether a running statement is to be interrupted now."""
        return self.passed()

    def check(self) -> None:
        """Raises TimeUpError when the time is up."""
        if self.passed():
            raise TimeUpError

    def share(self, share: float) -> Deadline:
        """The end of this share of the time left; it is stopped with this one."""
        remaining = self.remaining()
        return self if remaining is None else Deadline(remaining * share, self._stop)

    def pause(self) -> float:
        """Seconds until the time may be up."""
        remaining = self.remaining()
        if not remaining:
            return _LOOK
        return remaining + 0.001 if self._stop is None else min(remaining + 0.001, _LOOK)

    def why(self) -> str:
        """What ended it, in words."""
        return "the search was interrupted" if self.stopped else "time ran out"


class Work(Deadline):
    """An end after so much work, counted instead of timed: the same search ends at the same point each time.

    It ends between two statements only, since the clock would decide how far an interrupted one has come. Whoever does
    work calls `spend`. The unit is about a second of an otherwise idle machine of 2024.
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
        """A part of the work left; what is spent of the part is spent of the whole."""
        return _Part(self, self.remaining() * share)


class _Part(Work):
    def __init__(self, whole: Work, amount: float) -> None:
        super().__init__(amount, whole._stop)
        self._whole = whole

    def spend(self, amount: float) -> None:
        super().spend(amount)
        self._whole.spend(amount)


class SoftlyEnded:
    """Has a deadline after which no statement is started; none that runs is interrupted.

    Interrupts would end the transaction of a user or of another engine.
    """

    def __init__(self) -> None:
        self._deadline = Deadline()

    @contextmanager
    def until(self, deadline: Deadline) -> Iterator[None]:
        """Starts no statement within it once the deadline has passed."""
        self._deadline = deadline
        try:
            yield
        finally:
            self._deadline = Deadline()
