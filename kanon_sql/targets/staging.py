"""All-or-nothing replacement of targets: a run that fails or is killed leaves the target as it was.

A file is written under a hidden name beside its target and moved over it at the end, a folder likewise
(`stage_folder`). One run at a time may write a target, and clears up after those that were killed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from kanon_sql.errors import ConfigurationError, EngineError, ReleasedError, UnsettledError
from kanon_sql.sql import signals
from kanon_sql.sql.disk import why
from kanon_sql.sql.watching import Version, version, version_of
from kanon_sql.targets.staging_names import (
    OLD,
    READY,
    clear,
    clear_part,
    discard,
    empty,
    leftovers,
    new_part,
    settle,
    target_lock,
)
from kanon_sql.targets.staging_paths import exchange, move_new, real_target
from kanon_sql.targets.staging_permissions import finish, flush_folder, strictest

# The version of every entry of a folder, by its path.
_Contents = dict[str, Version]


@dataclass
class Staged:
    """A new file being written at `path`, to replace `target`, whose links are resolved. Messages begin with `place`.

    `other_links` counts further names (hard links) of the replaced file: they keep the old contents. A file that is
    `kept` stays where it was written, emptied, until the next run clears up: it tells a ledger that the release reached
    no target.
    """

    path: Path
    target: Path
    place: str
    overwrite: bool
    other_links: int = 0
    committed: bool = False
    kept: bool = False
    _before: Version | None = None

    def warnings(self) -> tuple[str, ...]:
        """Warnings about the replaced file, before it is."""
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
            if unchanged and version_of(self.target) != self._before:
                raise _changed(self.target, self.place)
            replaces = self.overwrite and self.target.exists()
            finish(self.path, self.target if replaces else None, mode)
            self._move()
            flush_folder(self.target.parent)
        except FileExistsError:
            raise _exists(self.target, self.place) from None
        except OSError as error:
            subject = f"{self.place}: {self.target}"
            if self.committed:
                raise ReleasedError(
                    f"{subject} was replaced, but the disk did not confirm it ({error.strerror})"
                ) from None
            raise EngineError(f"{subject} was not written {why(error)}") from None

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
        part = new_part(real)
        others = real.stat().st_nlink - 1 if real.exists() else 0
        staged = Staged(part / "written" if in_folder else part, real, place, overwrite, others)
        try:
            make_private(part, place) if in_folder else _create(part, place)
            staged._before = version_of(real)
            with signals.cleared(lambda: clear_part(part, real)):
                yield staged
        finally:
            empty(part) if staged.kept else clear(real)


def recover(target: Path, *, place: str, before: Callable[[Path], None] | None = None) -> None:
    """Completes or undoes what a killed run left of a target that is also the source, before it is read.

    Without such leftovers nothing is locked or written; `before` they are removed, it is called with the target. Raises
    ConfigurationError and EngineError as `stage_file` does, EngineError also when the run that left them is still
    alive.
    """
    real = real_target(target, place)
    if leftovers(real):
        with target_lock(real, place):
            settle(real, place)
            if before is not None and real.exists():
                before(real)
            clear(real)


def _create(path: Path, place: str) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
    except OSError as error:
        raise EngineError(f"{place}: no file can be made in {path.parent} {why(error)}") from None


def _changed(target: Path, place: str) -> EngineError:
    return EngineError(
        f"{place}: {target} was changed by another program during the run; nothing was replaced: run again"
    )


def _exists(target: Path, place: str) -> ConfigurationError:
    return ConfigurationError(
        f"{place}: {target} exists already; name another target or set overwrite: true (--overwrite)"
    )


@dataclass
class StagedFolder:
    """A new folder being written at `path`, to replace `target`; fields as in `Staged`."""

    path: Path
    target: Path
    place: str
    committed: bool = False
    kept: bool = False
    _before: _Contents = field(default_factory=dict, repr=False)

    def commit(self) -> None:
        """Puts the new folder in the old one's place and removes the old one with all that it held.

        Files and folders get the permissions of those that they replace. Raises EngineError: when the old
        folder changed since the staging or the disk failed, the target is untouched; when only the old
        folder's removal failed, the new one is in place, and the error says so; when a disk fails between two
        renames, and the first cannot be undone, UnsettledError.
        """
        try:
            if _contents(self.target, self.place) != self._before:
                raise _changed(self.target, self.place)
            _finish_tree(self.path, self.target)
            flush_folder(self.target.parent)
            replaced = self._exchange()
            flush_folder(self.target.parent)
        except OSError as error:
            subject = f"{self.place}: the folder {self.target}"
            if self.committed:
                raise ReleasedError(
                    f"{subject} was replaced, but the disk did not confirm it ({error.strerror})"
                ) from None
            raise EngineError(f"{subject} could not be replaced {why(error)}") from None
        self._remove(replaced)

    def _exchange(self) -> Path:
        """Puts the new folder into place; gives where the old one is now. Raises OSError."""
        if exchange(self.path, self.target):
            self.committed = True
            return self.path
        ready, old = self.path.with_suffix(READY), self.path.with_suffix(OLD)
        # Each name says what a run that finds it has to do, so each must be on the disk before the next.
        self.path.rename(ready)
        flush_folder(self.target.parent)
        self.target.rename(old)
        try:
            flush_folder(self.target.parent)
            ready.rename(self.target)
        except BaseException as error:
            self._put_back(old, error)
            raise
        self.committed = True
        return old

    def _put_back(self, old: Path, error: BaseException) -> None:
        try:
            old.rename(self.target)
        except OSError:
            raise UnsettledError(
                f"{self.place}: the folder {self.target} was to be replaced, and the disk failed between two steps "
                f"({error}): it is {old} now, whole; run again once the disk works, which completes it"
            ) from None

    def _remove(self, replaced: Path) -> None:
        try:
            discard(replaced)
        except OSError as error:
            raise ReleasedError(
                f"{self.place}: {self.target} was replaced, but the old folder could not be removed "
                f"({error.strerror}); remove it: {replaced.parent}/{replaced.stem}.*"
            ) from None


@contextmanager
def stage_folder(target: Path, *, place: str) -> Iterator[StagedFolder]:
    """A new empty folder of mode 0700 beside `target`, which takes its place at `commit()`, else is removed.

    What killed runs left of this target is put in order first. Raises EngineError when another run writes
    the target, it is missing or no folder, or it could not be replaced or removed later.
    """
    real = real_target(target, place)
    with target_lock(real, place):
        settle(real, place)
        clear(real)
        before = _replaceable(real, place)
        path = new_part(real)
        staged = StagedFolder(path, real, place, _before=before)
        try:
            make_private(path, place)
            with signals.cleared(lambda: clear_part(path, real)):
                yield staged
        finally:
            settled = staged.committed
            with suppress(EngineError):
                settle(real, place)
                settled = True
            if settled:  # else what lies beside the target is all there is, and stays to the next run
                empty(path) if staged.kept else clear(real)


def make_private(path: Path, place: str) -> None:
    """Makes a folder that only its owner may look into. Raises EngineError."""
    try:
        path.mkdir(mode=0o700)
    except OSError as error:
        raise EngineError(f"{place}: no folder can be made in {path.parent} {why(error)}") from None


def _replaceable(folder: Path, place: str) -> _Contents:
    """The contents of a folder. Raises EngineError for none, and for one that could not be moved or removed later."""
    if not folder.is_dir():
        raise EngineError(f"{place}: {folder} is not an existing folder, so there is none to replace")
    if folder.is_mount():
        raise EngineError(f"{place}: {folder} is a mount point, which cannot be replaced; name a folder in it")
    return _contents(folder, place)


def _contents(folder: Path, place: str) -> _Contents:
    """The version of every entry. Raises EngineError, also for what could not be removed."""
    versions: _Contents = {}
    try:
        device = folder.stat().st_dev
        for path in (folder, *_below(folder)):
            state = path.lstat()
            if stat.S_ISDIR(state.st_mode):
                _require_removable(path, state, device, place)
            versions[str(path)] = version(state)
    except OSError as error:
        raise EngineError(f"{place}: the folder {folder} cannot be read ({error.strerror})") from None
    return versions


def _require_removable(folder: Path, state: os.stat_result, device: int, place: str) -> None:
    if state.st_dev != device:
        raise EngineError(f"{place}: {folder} is a mount point, which cannot be replaced; unmount it first")
    if state.st_uid != os.geteuid() and not os.access(folder, os.W_OK | os.X_OK):
        raise EngineError(f"{place}: {folder} belongs to another user and could not be removed after the run")


def _below(folder: Path) -> Iterator[Path]:
    """Every entry below a folder, folders after what they hold. Raises OSError."""

    def failed(error: OSError) -> None:
        raise error

    for above, subfolders, files in os.walk(folder, topdown=False, onerror=failed):
        for name in (*files, *subfolders):
            yield Path(above, name)


def _finish_tree(new: Path, old: Path) -> None:
    """Permissions and fsync for the new folder and everything in it. Raises OSError."""
    entries = [path for path in _below(old) if not path.is_symlink()]
    any_file = strictest([path for path in entries if path.is_file()])
    any_folder = strictest([path for path in entries if path.is_dir()]) or old
    for path in _below(new):
        twin = old / path.relative_to(new)
        if path.is_dir():
            finish(path, twin if twin.is_dir() else any_folder)
        else:
            finish(path, twin if twin.is_file() else any_file)
    finish(new, old)
