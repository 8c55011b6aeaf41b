"""One run at a time on one target."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kanon_sql.errors import EngineError
from kanon_sql.targets.staging_names import lock_path


@contextmanager
def target_lock(target: Path, place: str) -> Iterator[None]:
    """Holds the lock of a target whose links are resolved; its file is removed at the end.

    Raises EngineError when another run holds it, or the target's folder takes no lock file.
    """
    path = lock_path(target)
    descriptor = _acquire(path, target, place)
    try:
        yield
    finally:
        # Removed while held: whoever opened it before finds, once it has the lock, that the name is gone.
        with suppress(OSError):
            path.unlink()
        os.close(descriptor)


def _acquire(path: Path, target: Path, place: str) -> int:
    while True:
        try:
            descriptor = _open(path)
        except OSError as error:
            raise EngineError(
                f"{place}: nothing can be written in the folder {target.parent} ({error.strerror}); "
                "make it writable or name another target"
            ) from None
        try:
            if _locked(descriptor, path, target, place):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _open(path: Path) -> int:
    """Raises OSError. Another user's lock file may be readable only, which is enough to wait for it."""
    flags = os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o666)
    except PermissionError:
        if not os.path.lexists(path):
            raise
        return os.open(path, os.O_RDONLY | flags)


def _locked(descriptor: int, path: Path, target: Path, place: str) -> bool:
    """False when the file was removed between its opening and its locking: then begin again."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise EngineError(f"{place}: another run is writing this target, {target}; wait until it has ended") from None
    except OSError as error:
        raise EngineError(
            f"{place}: the folder {target.parent} takes no locks ({error.strerror}); "
            "write to a local folder, or mount that one with locks"
        ) from None
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False
