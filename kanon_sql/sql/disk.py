"""Errors of a disk that takes no more (full, a quota, not writable), and private folders for what the engine spills."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from kanon_sql.errors import EngineError
from kanon_sql.sql import signals

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CLOSED = (errno.EROFS, errno.EACCES, errno.EPERM)
# Parts of the names of staged copies and spill folders, which mean nothing to users.
_STAGED, _SPILLED = ".kanon-sql-", "kanon-sql-spill-"
# The engine quotes errors in errors, with the quotes of each escaped once more.
_FILE = re.compile(r"""\\*["'](?P<path>/[^"'\\]+)\\*["']""")
_LOCKED_WITHIN = 300.0  # seconds between the making of a folder and its lock, at the very most


def why(error: OSError) -> str:
    """The system's reason in brackets, and advice where there is some."""
    return f"({error.strerror or error}){advice(error)}"


def advice(error: OSError) -> str:
    """The end of a problem that says what to do; empty where that is not known."""
    if error.errno in _FULL:
        return "; free some space there, or name another place"
    return "; make it writable, or name another place" if error.errno in _CLOSED else ""


def full(message: str) -> str | None:
    """The problem where an engine's error says that a disk is full or not writable; None for other errors."""
    numbers = (*_FULL, errno.EROFS)
    number = next((candidate for candidate in numbers if os.strerror(candidate).lower() in message.lower()), None)
    if number is None:
        return None
    reason, file = os.strerror(number), _FILE.search(message)
    if number == errno.EROFS:
        where = f"{Path(file['path']).parent}: " if file else ""
        return f"{where}nothing can be written ({reason}); make it writable, or name another place"
    if file is None:
        return f"the disk is full ({reason}); free some space, or name another place"
    path = Path(file["path"])
    for above in (path, *path.parents):
        if above.name.startswith(_SPILLED):
            return f"{above.parent}: no room for temporary data ({reason}); name a larger --temp-directory"
        if _STAGED in above.name:
            path = above
    return f"{path.parent}: no room to write ({reason}); free some space there, or name another place"


@contextmanager
def spill_folder(parent: Path | None = None) -> Iterator[Path]:
    """A folder of mode 0700 for spilled rows, removed at the end, also after errors.

    A lock on a file inside says that its run is alive: folders of the same user without one are what killed
    runs left, and are removed first. Raises EngineError when the folder cannot be made.
    """
    root = parent or Path(tempfile.gettempdir())
    with ExitStack() as closing:
        try:
            clear_abandoned(root)
            with signals.postponed():
                folder, lock = _locked_folder(root)
                closing.callback(_remove, folder, lock)
        except OSError as error:
            raise EngineError(
                f"{root}: no folder for temporary data can be made ({error.strerror}); "
                "name a writable one with --temp-directory"
            ) from None
        with signals.cleared(lambda: shutil.rmtree(folder, ignore_errors=True)):
            yield folder


def _locked_folder(root: Path) -> tuple[Path, int]:
    """(a new folder, its lock)."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_SPILLED, dir=root))
        lock = -1
        try:
            lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if (folder / "lock").exists():
                return folder, lock
            # A run that began at the same time found the folder before it was locked, and cleared it.
        except FileNotFoundError:
            if folder.exists():
                _remove(folder, lock)
                raise
        except OSError:
            _remove(folder, lock)
            raise
        if lock >= 0:
            os.close(lock)


def _remove(folder: Path, lock: int) -> None:
    """Removes a folder and gives up its lock; what cannot be removed is left to the next run."""
    with signals.postponed():
        for step in (partial(shutil.rmtree, folder, ignore_errors=True), partial(os.close, lock)):
            # A close that fails has closed; rmtree raises some errors in spite of ignore_errors.
            with suppress(OSError):
                step()


def clear_abandoned(root: Path) -> None:
    """Removes the spill folders below `root` whose runs are dead."""
    for folder in root.glob(_SPILLED + "*"):
        try:
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            lock = os.open(folder / "lock", os.O_RDWR | os.O_NOFOLLOW)
        except FileNotFoundError:
            # An empty one, whose run was killed before it made its lock.
            with suppress(OSError):
                if time.time() - folder.stat().st_mtime > _LOCKED_WITHIN:
                    folder.rmdir()
            continue
        except OSError:
            continue
        # One that is locked is alive; one that cannot be locked, or not be removed, stays where it is.
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            os.close(lock)
