"""Single files that commands write (reports, pages, proposals), all or nothing, and the permissions of replaced files.

`.NAME.kanon-sql-out-TOKEN.part` is locked as long as the run that writes it is alive.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from kanon_sql.errors import EngineError
from kanon_sql.sql import signals
from kanon_sql.sql.disk import why
from kanon_sql.targets.staging_names import PART, stem
from kanon_sql.targets.staging_paths import refuse_link_to_nothing

_BEHIND = "-out-"
_TOKEN_BYTES = 8
# The mask is the process's: two threads that set and restore it by turns would leave it as neither found it.
_one_mask = threading.RLock()
_ACCESS_LIST = "system.posix_acl_access"
_NO_FLUSH = {errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EBADF, errno.EACCES, errno.EPERM}


@contextmanager
def beside(path: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """A new file of mode 0600 to be written, and moved to `path` by the block, else it is removed. Raises OSError.

    What killed runs left of this output is removed first.
    """
    _clear(path)
    with ExitStack() as closing:
        with signals.postponed():
            file, part = _locked(path)
            closing.callback(_remove, part)
            closing.enter_context(file)
        with signals.cleared(lambda: _remove(part)):
            yield file, part


def _locked(path: Path) -> tuple[BinaryIO, Path]:
    while True:
        part = path.with_name(f"{stem(path)}{_BEHIND}{secrets.token_hex(_TOKEN_BYTES)}{PART}")
        file = os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600), "wb")
        # Where there are no locks nobody clears either.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), part.lstat()):
                return file, part
        # Another run found it before it was locked, and cleared it.
        file.close()


def _remove(part: Path) -> None:
    with signals.postponed(), suppress(OSError):
        part.unlink(missing_ok=True)


def _clear(path: Path) -> None:
    """Removes what killed runs left, as far as this user may. Raises nothing."""
    pattern = re.compile(re.escape(stem(path) + _BEHIND) + f"[0-9a-f]{{{2 * _TOKEN_BYTES}}}" + re.escape(PART))
    with suppress(OSError):
        for name in os.listdir(path.parent):  # noqa: PTH208 - as text, which needs no escapes
            if pattern.fullmatch(name):
                _clear_one(path.with_name(name))


def _clear_one(part: Path) -> None:
    with suppress(OSError):
        file = os.open(part, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()
        finally:
            os.close(file)


def finish(path: Path, model: Path | None, mode: int | None = None) -> None:
    """Gives a written file or folder its final permissions and puts it onto the disk.

    They are those of `model`, without one those of the umask; `mode` takes precedence. Raises OSError.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        _set_permissions(descriptor, model, mode)
        flush(descriptor)
    finally:
        os.close(descriptor)


def flush(descriptor: int) -> None:
    """fsync, and on macOS the call that also empties the disk's own cache. Raises OSError."""
    if sys.platform == "darwin":
        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def flush_folder(folder: Path) -> None:
    """Puts the names of a folder onto the disk, where the file system has that. Raises OSError."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return
    try:
        flush(descriptor)
    except OSError as error:
        if error.errno not in _NO_FLUSH:
            raise
    finally:
        os.close(descriptor)


@contextmanager
def mask_of(path: Path) -> Iterator[None]:
    """In the block, new files grant no more than this one, or nothing to others where it does not exist."""
    with _one_mask:
        before = os.umask(0o777 & ~path.stat().st_mode if path.exists() else 0o077)
        try:
            yield
        finally:
            os.umask(before)


def strictest(files: list[Path]) -> Path | None:
    """The file that fewest may read, as model for a new file among several old ones. Raises OSError."""
    return min(files, key=lambda file: (bin(file.stat().st_mode & 0o777).count("1"), file), default=None)


def _set_permissions(descriptor: int, model: Path | None, mode: int | None) -> None:
    if model is None:
        os.fchmod(descriptor, 0o666 & ~_umask() if mode is None else mode)
        return
    state = model.stat()
    group_kept = _take_owner(descriptor, state)
    lists_kept = _take_access_list(descriptor, model)
    wanted = stat.S_IMODE(state.st_mode)
    if not (group_kept and lists_kept):
        # The group bits were meant for another group, or only bounded a list: now they may grant no more
        # than everybody has.
        wanted &= ~0o070 | ((wanted & 0o007) << 3)
    os.fchmod(descriptor, wanted if mode is None else mode)


def _take_owner(descriptor: int, model: os.stat_result) -> bool:
    """Takes over owner and group as far as this user may; whether the group is the model's."""
    for owner, group in ((model.st_uid, model.st_gid), (-1, model.st_gid)):
        with suppress(OSError):
            os.fchown(descriptor, owner, group)
            return True
    return os.fstat(descriptor).st_gid == model.st_gid


def _take_access_list(descriptor: int, model: Path) -> bool:
    """Takes over a POSIX access control list, or its absence; False when the model's cannot be kept."""
    if sys.platform != "linux":
        return True
    try:
        entries = os.getxattr(model, _ACCESS_LIST)
    except OSError:
        # Without this, a default list of the folder would open the file to more than the model was.
        with suppress(OSError):
            os.removexattr(descriptor, _ACCESS_LIST)
        return True
    try:
        os.setxattr(descriptor, _ACCESS_LIST, entries)
    except OSError:
        return False
    return True


def _umask() -> int:
    # It can be read only by setting it: to a strict one, so that a file made meanwhile is never too open.
    with _one_mask:
        mask = os.umask(0o077)
        os.umask(mask)
        return mask


def write_output(path: Path, content: str | bytes, name: str) -> None:
    """Writes a file all or nothing, with the permissions of the one that it replaces; a new one is for its owner alone.

    A link to a file is followed, one to nothing refused; what exists and is no file, as /dev/stdout or a pipe, is
    written to as it is. `name` stands for it in errors. Raises ConfigurationError or EngineError.
    """
    refuse_link_to_nothing(path, f"the {name}")
    written = content.encode() if isinstance(content, str) else content
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(written)
            return
        real = Path(os.path.realpath(path))
        with beside(real) as (file, part):
            file.write(written)
            file.flush()
            finish(part, *((real, None) if real.exists() else (None, 0o600)))
            part.replace(real)
    except OSError as error:
        raise EngineError(f"{path}: the {name} cannot be written {why(error)}") from None
