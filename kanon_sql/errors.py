"""The ways a command can end other than well, one class for each exit status.

Every error carries its problems as single lines, `PLACE: what is wrong, what was expected, what to do`,
so that all of them can be shown at once. No problem names a value of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

_MOST_PROBLEMS = 200


def bounded(problems: list[str], place: str) -> list[str]:
    """The problems, and of very many the first, with a line at `place` that counts the others."""
    more = len(problems) - _MOST_PROBLEMS
    if more <= 0:
        return problems
    return [*problems[:_MOST_PROBLEMS], f"{place}: ... and {more:,} more problems; correct these first"]


class KanonError(Exception):
    """Base of every error that kanon-sql raises on purpose; `problems` holds one line each."""

    exit_status = 3

    def __init__(self, problems: str | Iterable[str]) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        self.report: dict[str, Any] | None = None  # of the run that ended so, where it came to one
        super().__init__("\n".join(self.problems))

    def add(self, problems: Iterable[str]) -> None:
        """Adds problems behind those that it has."""
        self.problems += problems
        self.args = ("\n".join(self.problems),)

    def redact(self, hide: Callable[[str], str]) -> None:
        """Passes every problem through `hide`, which takes out what must not be shown."""
        self.problems = [hide(problem) for problem in self.problems]
        self.args = ("\n".join(self.problems),)


class NoReleaseError(KanonError):
    """No release satisfies the request, or a check does not hold."""

    exit_status = 1
    source_rows: int | None = None  # of a source of which no row is left to take part


class WarnedError(NoReleaseError):
    """A strict run came to warnings: nothing was written but its report."""


class ConfigurationError(KanonError):
    """Wrong usage, configuration or hierarchy."""

    exit_status = 2


class UnfittingSourceError(ConfigurationError):
    """The source lacks columns that the configuration names, or holds values that its hierarchies do not."""


class EngineError(KanonError):
    """The source, the target or the engine failed."""

    exit_status = 3


class UnplacedError(EngineError):
    """The engine failed on rows, in words that tell neither file nor table; whoever knows which one adds it."""


class NoRoomError(EngineError):
    """Memory or a disk was used up, which says nothing against what was being read."""


class LostEngineError(EngineError):
    """An engine no longer answers, which says nothing against what was being read."""


class UnsettledError(EngineError):
    """A target is neither the old nor the new one, which the next run puts in order, or nobody can tell which it is."""


class OutOfTimeError(EngineError):
    """Time ran out before any solution was found."""


class ReleasedError(EngineError):
    """The release is verified and in its place, but something failed afterwards; what did is in the message."""


class VerificationError(KanonError):
    """The written release did not verify and was withdrawn."""

    exit_status = 4


class InterruptedRunError(KanonError):
    """The run was interrupted."""

    exit_status = 130


def escape(text: str) -> str:
    """The text on one line; what a terminal would obey, hide or reorder is written out, as `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
