"""All-or-nothing replacement of targets: a run that fails or is killed leaves the target as it was.

A file is written under a hidden name beside its target and moved over it at the end, a folder likewise
(`stage_folder`). One run at a time may write a target, and clears up after those that were killed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kanon_sql.errors import ConfigurationError, EngineError, ReleasedError
from kanon_sql.targets.exchange import move_new
from kanon_sql.targets.staging_folder import StagedFolder, make_private, stage_folder
from kanon_sql.targets.staging_lock import target_lock
from kanon_sql.targets.staging_names import Version, clear, leftovers, new_part, settle, version
from kanon_sql.targets.staging_paths import inside, real_target, same_file
from kanon_sql.targets.staging_permissions import finish, flush_folder

__all__ = ["Staged", "StagedFolder", "inside", "recover", "same_file", "stage_file", "stage_folder"]


@dataclass
class Staged:
    """A new file being written at `path`, to become `target`, whose links are resolved.

    `other_links` counts further names (hard links) of the replaced file: they keep the old contents.
    """

    path: Path
    target: Path
    place: str
    overwrite: bool
    other_links: int = 0
    committed: bool = False
    _before: Version | None = None

    def warnings(self) -> tuple[str, ...]:
        """What to tell of the replaced file beforehand."""
        if not self.other_links:
            return ()
        return (f"{self.target.name} has {self.other_links} other names (hard links), which keep the old rows",)

    def commit(self, *, mode: int | None = None, unchanged: bool = False) -> None:
        """Puts the new file into place, on the disk, with the permissions of the one that it replaces.

        `mode` takes precedence over those; `unchanged` refuses to replace a file that another program
        changed since the staging. Raises ConfigurationError when the target may not be overwritten and
        exists by now, EngineError when the disk fails; the target is then untouched, unless the error
        says that it was replaced.
        """
        try:
            if unchanged and _version(self.target) != self._before:
                raise EngineError(
                    f"{self.place}: {self.target} was changed by another program during the run; "
                    "nothing was replaced: run again"
                )
            replaces = self.overwrite and self.target.exists()
            finish(self.path, self.target if replaces else None, mode)
            self._move()
            flush_folder(self.target.parent)
        except FileExistsError:
            raise _exists(self.target, self.place) from None
        except OSError as error:
            what = f"{self.place}: {self.target}"
            if self.committed:
                raise ReleasedError(
                    f"{what} was replaced, but the disk did not confirm it ({error.strerror})"
                ) from None
            raise EngineError(f"{what} was not written ({error.strerror})") from None

    def _move(self) -> None:
        if self.overwrite:
            self.path.replace(self.target)
        else:
            move_new(self.path, self.target)
        self.committed = True


@contextmanager
def stage_file(target: Path, *, overwrite: bool, place: str, in_folder: bool = False) -> Iterator[Staged]:
    """An empty file of mode 0600 beside `target`, which takes its place at `commit()`, else is removed.

    It must be written in place: a writer that renames over it (DuckDB's COPY without `USE_TMP_FILE false`)
    loses the mode until the commit. With `in_folder` there is no file yet but a folder of mode 0700 around its
    path, for a writer that makes it and others beside it itself, as a database engine. Messages begin with
    `place`. Raises ConfigurationError when the target exists and may not be overwritten, or is no regular file;
    EngineError when its folder is missing or not writable, or another run writes it.
    """
    real = real_target(target, place)
    if real.is_dir():
        raise ConfigurationError(f"{place}: {target} is a folder; name a file")
    if not overwrite and os.path.lexists(real):
        raise _exists(target, place)
    with target_lock(real, place):
        settle(real, place)
        clear(real)
        path = new_part(real)
        try:
            if in_folder:
                make_private(path, place)
                path = path / "written"
            else:
                _create(path, place)
            state = real.stat() if real.exists() else None
            others = state.st_nlink - 1 if state else 0
            yield Staged(path, real, place, overwrite, others, _before=_version(real))
        finally:
            clear(real)


def recover(target: Path, *, place: str) -> None:
    """Puts in order what a killed run left of a target: for one that is also the source, before it is read.

    Without such leftovers nothing is locked or written. Raises ConfigurationError and EngineError as
    `stage_file` does, EngineError also when the run that left them is still alive.
    """
    real = real_target(target, place)
    if leftovers(real):
        with target_lock(real, place):
            settle(real, place)
            clear(real)


def _create(path: Path, place: str) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
    except OSError as error:
        raise EngineError(f"{place}: no file can be made in {path.parent} ({error.strerror})") from None


def _version(path: Path) -> Version | None:
    try:
        return version(path.stat())
    except FileNotFoundError:
        return None


def _exists(target: Path, place: str) -> ConfigurationError:
    return ConfigurationError(
        f"{place}: {target} exists already; name another target or set overwrite: true (--overwrite)"
    )
