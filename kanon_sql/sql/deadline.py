"""The end of the time that a search may take."""

from __future__ import annotations

import time
from collections.abc import Callable

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
