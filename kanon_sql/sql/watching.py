"""Files that a run reads more than once: whether they are still what they were when first read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kanon_sql.errors import EngineError, InterruptedRunError, KanonError, OutOfTimeError, ReleasedError

Version = tuple[int, int, int, int]


def version(state: os.stat_result) -> Version:
    """The identity of a file or folder: it changes when that is written or replaced, whatever its size and times."""
    return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def version_of(path: Path) -> Version | None:
    """The version of what is at a path, None where nothing is or where nobody may look."""
    try:
        return version(path.stat())
    except OSError:
        return None


class Watch:
    """The files, and the listings of files that may grow, that were watched so far."""

    def __init__(self) -> None:
        self._listed: list[tuple[str, Callable[[], Iterable[Path]], dict[Path, Version | None]]] = []

    def add(self, place: str, files: Callable[[], Iterable[Path]]) -> None:
        """From now on these files count as read, and no others may join them; call it before the first is opened.

        `place` begins the message where something changed.
        """
        self._listed.append((place, files, _versions(files)))

    def forget(self) -> None:
        """Nothing counts as read any more: the run itself may be about to replace some of it."""
        self._listed.clear()

    def changes(self) -> list[str]:
        """A problem for each listing of which something changed."""
        problems = []
        for place, files, before in self._listed:
            now = _versions(files)
            other = sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
            if other:
                problems.append(f"{place}: {other[0]} was changed by another program during the run: run again")
        return problems

    def require_unchanged(self) -> None:
        """Raises EngineError where something changed."""
        problems = self.changes()
        if problems:
            raise EngineError(problems)


def _versions(files: Callable[[], Iterable[Path]]) -> dict[Path, Version | None]:
    return {path: version_of(path) for path in files()}


@contextmanager
def report_changed_files(watch: Watch) -> Iterator[None]:
    """Adds to an error of the block that a file changed meanwhile, which explains whatever else it says."""
    try:
        yield
    except (ReleasedError, OutOfTimeError, InterruptedRunError):
        raise
    except KanonError as error:
        error.add(problem for problem in watch.changes() if problem not in error.problems)
        raise
    except Exception:
        # No unchanged file can cause it: a row that was counted, and is gone when it is queried.
        problems = watch.changes()
        if not problems:
            raise
    else:
        return
    raise EngineError(problems)
