"""The end of the time that a search may take."""

from __future__ import annotations

import time


class TimeUpError(Exception):
    """The deadline passed while a statement ran, or before the next one."""


class Deadline:
    """A moment on the monotonic clock; without seconds there is no end."""

    def __init__(self, seconds: float | None = None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def remaining(self) -> float | None:
        """Seconds left, at least 0; None without an end."""
        return None if self._end is None else max(self._end - time.monotonic(), 0.0)

    def passed(self) -> bool:
        """Whether the time is up."""
        return self._end is not None and time.monotonic() >= self._end

    def check(self) -> None:
        """Raises TimeUpError when the time is up."""
        if self.passed():
            raise TimeUpError
