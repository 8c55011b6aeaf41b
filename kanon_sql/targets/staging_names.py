"""The hidden names beside a target, what a killed run left under them, and the lock of the one that is alive.

`.NAME.kanon-sql.lock` says that a run is alive. `.NAME.kanon-sql-TOKEN.part` may be removed at any moment.
Only where two folders cannot be exchanged in one step, two more names record how far the replacement came:
`.ready`, the complete new folder, and `.old`, the old one moved aside.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from kanon_sql.errors import EngineError
from kanon_sql.sql import signals
from kanon_sql.sql.disk import why

PART, READY, OLD = ".part", ".ready", ".old"
_TOKEN_BYTES = 8
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}
# DuckDB puts tmp_ before and .wal or .tmp behind the names that it is given.
_LONGEST_AROUND = len("tmp_." + ".kanon-sql-" + "0" * 2 * _TOKEN_BYTES + READY + ".wal")


class NoLocksError(EngineError):
    """The file system of a target takes no locks."""


def lock_path(target: Path) -> Path:
    """The lock file of a target whose links are resolved."""
    return target.with_name(stem(target) + ".lock")


def new_part(target: Path) -> Path:
    """A hidden name that no run has used, in the target's folder, short enough for the file system."""
    return target.with_name(f"{stem(target)}-{secrets.token_hex(_TOKEN_BYTES)}{PART}")


def leftovers(target: Path) -> list[Path]:
    """The files that runs left beside this target, without lock files; empty where the folder cannot be listed."""
    tail = rf"-[0-9a-f]{{{2 * _TOKEN_BYTES}}}\.(part|ready|old)(\.(wal|tmp))?"
    pattern = re.compile("(tmp_)?" + re.escape(stem(target)) + tail)
    try:
        # Through the name as text: a pattern for glob would need the target's own characters escaped.
        names = [name for name in os.listdir(target.parent) if pattern.fullmatch(name)]  # noqa: PTH208
    except OSError:
        return []
    return [target.with_name(name) for name in sorted(names)]


def settle(target: Path, place: str) -> None:
    """Completes the exchange of two folders that a killed run began; the lock must be held.

    Raises EngineError when something else took the target's place meanwhile, or a move fails.
    """
    left = leftovers(target)
    try:
        for path in left:
            ready = path.with_suffix(READY)
            if path.suffix == OLD:
                _settle_old(path, ready if ready in left else None, target, place)
            elif path.suffix == READY and path.with_suffix(OLD) not in left and not os.path.lexists(target):
                path.rename(target)
    except OSError as error:
        raise EngineError(
            f"{place}: what a killed run left of {target} cannot be put in order ({error.strerror})"
        ) from None


def _settle_old(old: Path, ready: Path | None, target: Path, place: str) -> None:
    if not os.path.lexists(target):
        (ready or old).rename(target)
    elif ready:
        raise EngineError(
            f"{place}: a killed run was replacing {target}, and another program put something there since; "
            f"{old} is the complete old folder, {ready} the new one: keep the right one, remove the other"
        )
    if old.exists():
        discard(old)


def clear(target: Path) -> None:
    """Removes what settled runs left, as far as this user may; the lock must be held. Raises nothing."""
    for path in leftovers(target):
        with suppress(OSError):
            remove(path)


def empty(path: Path) -> None:
    """Empties a file, or all files in a folder, as far as this user may. Raises nothing."""
    for file in (path, *path.rglob("*")):
        with suppress(OSError):
            if file.is_file():
                os.truncate(file, 0)


def clear_part(path: Path, target: Path) -> None:
    """Removes what one run has begun to write beside a target, and its lock file. Raises OSError."""
    for left in leftovers(target):
        if path.stem in left.name and f"{PART}" in left.name:
            remove(left)
    lock_path(target).unlink()


def discard(path: Path) -> None:
    """Removes an old folder for good. Raises OSError; what is left then is a `.part` for the next run."""
    # Half removed under its own name, it could be taken for the complete old folder.
    part = path.with_suffix(PART)
    if part != path:
        path.rename(part)
    remove(part)


def remove(path: Path) -> None:
    """Removes a file, or a folder with all that it holds, whatever its permissions. Raises OSError."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for folder, subfolders, _ in os.walk(path):
        for entry in (folder, *(os.path.join(folder, name) for name in subfolders)):  # noqa: PTH118
            if not os.path.islink(entry):  # noqa: PTH114
                with suppress(OSError):
                    Path(entry).chmod(0o700)
    shutil.rmtree(path)


def stem(target: Path) -> str:
    """`.NAME.kanon-sql`; NAME is cut and given a digest where the temporary names would be too long."""
    name = os.fsencode(target.name)
    room = _name_limit(target.parent) - _LONGEST_AROUND
    if len(name) <= room:
        return f".{target.name}.kanon-sql"
    # Folded, so that one file has one lock on file systems that ignore case.
    folded = unicodedata.normalize("NFC", target.name).casefold()
    digest = hashlib.sha256(os.fsencode(folded)).hexdigest()[:16]
    begin = name[: room - len(digest) - 1].decode("utf-8", "ignore")
    return f".{begin}~{digest}.kanon-sql"


def _name_limit(folder: Path) -> int:
    try:
        return min(255, os.pathconf(folder, "PC_NAME_MAX"))
    except (OSError, ValueError):
        return 255


@contextmanager
def target_lock(target: Path, place: str) -> Iterator[None]:
    """Holds the lock of a target whose links are resolved; its file is removed at the end.

    Raises EngineError when another run holds it, or the target's folder takes no lock file.
    """
    path = lock_path(target)
    with ExitStack() as held:
        with signals.postponed():
            held.callback(_release, path, _acquire(path, target, place))
        yield


def _release(path: Path, descriptor: int) -> None:
    with signals.postponed():
        # Removed while held: whoever opened it before finds, once it has the lock, that the name is gone.
        with suppress(OSError):
            path.unlink()
        with suppress(OSError):  # closed all the same
            os.close(descriptor)


def _acquire(path: Path, target: Path, place: str) -> int:
    while True:
        try:
            descriptor = _open(path)
        except OSError as error:
            raise EngineError(f"{place}: nothing can be written in the folder {target.parent} {why(error)}") from None
        try:
            if _locked(descriptor, path, target, place):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _open(path: Path) -> int:
    """Opens a lock file; another user's may be readable only, which is enough to wait for it. Raises OSError."""
    flags = os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o666)
    except PermissionError:
        if not os.path.lexists(path):
            raise
        return os.open(path, os.O_RDONLY | flags)


def _locked(descriptor: int, path: Path, target: Path, place: str) -> bool:
    """Locks an open file; False when it was removed between opening and locking: then begin again."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise EngineError(f"{place}: another run is writing this target, {target}; wait until it has ended") from None
    except OSError as error:
        if error.errno in _NO_LOCKS:  # nobody else has one either
            with suppress(OSError):
                path.unlink()
        error_type = NoLocksError if error.errno in _NO_LOCKS else EngineError
        raise error_type(
            f"{place}: the folder {target.parent} takes no locks ({error.strerror}); "
            "write to a local folder, or mount that one with locks"
        ) from None
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False
