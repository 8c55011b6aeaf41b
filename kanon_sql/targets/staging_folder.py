"""All-or-nothing replacement of a whole folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from kanon_sql.errors import EngineError, ReleasedError
from kanon_sql.targets.exchange import exchange
from kanon_sql.targets.staging_lock import target_lock
from kanon_sql.targets.staging_names import OLD, READY, Version, clear, discard, new_part, settle, version
from kanon_sql.targets.staging_paths import real_target
from kanon_sql.targets.staging_permissions import finish, flush_folder, strictest

# Of every entry of a folder: its path in it, and what changes when it is written.
_Contents = dict[str, Version]


@dataclass
class StagedFolder:
    """A new folder being written at `path`, to replace `target`, whose links are resolved."""

    path: Path
    target: Path
    place: str
    committed: bool = False
    _before: _Contents = field(default_factory=dict, repr=False)

    def commit(self) -> None:
        """Puts the new folder in the old one's place and removes the old one with all that it held.

        Files and folders get the permissions of those that they replace. Raises EngineError: when the old
        folder changed since the staging or the disk failed, the target is untouched; when only the old
        folder's removal failed, the new one is in place, and the error says so.
        """
        try:
            if _contents(self.target, self.place) != self._before:
                raise EngineError(
                    f"{self.place}: {self.target} was changed by another program during the run; "
                    "nothing was replaced: run again"
                )
            _finish_tree(self.path, self.target)
            flush_folder(self.target.parent)
            replaced = self._exchange()
            flush_folder(self.target.parent)
        except OSError as error:
            raise self._failed(error) from None
        self._remove(replaced)

    def _exchange(self) -> Path:
        """The new folder into place; returns where the old one is now. Raises OSError."""
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
        except BaseException:
            with suppress(OSError):
                old.rename(self.target)
            raise
        self.committed = True
        return old

    def _remove(self, replaced: Path) -> None:
        try:
            discard(replaced)
        except OSError as error:
            raise ReleasedError(
                f"{self.place}: {self.target} was replaced, but the old folder could not be removed "
                f"({error.strerror}); remove it: {replaced.parent}/{replaced.stem}.*"
            ) from None

    def _failed(self, error: OSError) -> EngineError:
        what = f"{self.place}: the folder {self.target}"
        if self.committed:
            return ReleasedError(f"{what} was replaced, but the disk did not confirm it ({error.strerror})")
        return EngineError(f"{what} could not be replaced ({error.strerror})")


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
        try:
            make_private(path, place)
            yield StagedFolder(path, real, place, _before=before)
        finally:
            with suppress(EngineError):
                settle(real, place)
            clear(real)


def make_private(path: Path, place: str) -> None:
    """Makes a folder that only its owner may look into. Raises EngineError."""
    try:
        path.mkdir(mode=0o700)
    except OSError as error:
        raise EngineError(f"{place}: no folder can be made in {path.parent} ({error.strerror})") from None


def _replaceable(folder: Path, place: str) -> _Contents:
    """What the folder holds. Raises EngineError when it is none or could not be moved or removed later."""
    if not folder.is_dir():
        raise EngineError(f"{place}: {folder} is not an existing folder, so there is none to replace")
    if folder.is_mount():
        raise EngineError(f"{place}: {folder} is a mount point, which cannot be replaced; name a folder in it")
    return _contents(folder, place)


def _contents(folder: Path, place: str) -> _Contents:
    """The version of every entry. Raises EngineError for what could not be removed, OSError never."""
    found: _Contents = {}
    try:
        device = folder.stat().st_dev
        for path in (folder, *_below(folder)):
            state = path.lstat()
            if stat.S_ISDIR(state.st_mode):
                _require_removable(path, state, device, place)
            found[str(path)] = version(state)
    except OSError as error:
        raise EngineError(f"{place}: the folder {folder} cannot be read ({error.strerror})") from None
    return found


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
