"""Files that a run reads more than once: whether they are still what they were when it first looked at them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kanon_sql.errors import EngineError, InterruptedRunError, KanonError, OutOfTimeError, ReleasedError

Version = tuple[int, int, int, int]


def version(state: os.stat_result) -> Version:
    """What changes when a file or folder is written or another one takes its place, whatever its size and times."""
    return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def version_of(path: Path) -> Version | None:
    """The version of what is there, None where nothing is or where nobody may look."""
    try:
        return version(path.stat())
    except OSError:
        return None


class Watch:
    """What was watched so far: files, and listings of files that may grow."""

    def __init__(self) -> None:
        self._listed: list[tuple[str, Callable[[], Iterable[Path]], dict[Path, Version | None]]] = []

    def add(self, place: str, files: Callable[[], Iterable[Path]]) -> None:
        """From now on these files, and that there are no others, count as read; call it before the first is opened."""
        self._listed.append((place, files, _versions(files)))

    def forget(self) -> None:
        """Nothing counts as read any more: what the run itself is about to replace may be among it."""
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
def telling_changes(watch: Watch) -> Iterator[None]:
    """Adds to an error of the block that a file changed under it, which explains whatever else it says."""
    try:
        yield
    except (ReleasedError, OutOfTimeError, InterruptedRunError):
        raise
    except KanonError as error:
        error.add(one for one in watch.changes() if one not in error.problems)
        raise
    except Exception:
        # What no file as it stands can cause: a row that was counted, and is gone when it is asked for.
        problems = watch.changes()
        if not problems:
            raise
    else:
        return
    raise EngineError(problems)
