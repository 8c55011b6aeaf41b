"""The two moves that Python's own functions lack: exchanging two paths, and moving without replacing."""

from __future__ import annotations

import errno
import os
import platform
import sys
from contextlib import suppress
from pathlib import Path

_AT_FDCWD = -100
_LINUX_NOREPLACE, _LINUX_EXCHANGE = 1, 2
_MACOS_SWAP, _MACOS_EXCL = 2, 4
# For C libraries without renameat2: musl before 1.2.6, glibc before 2.28.
_LINUX_CALL_NUMBERS = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "ppc64le": 357, "s390x": 347}
# EPERM is what the system call filters of older container engines answer to calls that they do not know.
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}


def exchange(one: Path, other: Path) -> bool:
    """Exchanges two existing paths atomically; False where the system or the file system cannot.

    Raises OSError when it could but failed.
    """
    return _rename_with_flag(one, other, _LINUX_EXCHANGE, _MACOS_SWAP)


def move_new(source: Path, target: Path) -> None:
    """Moves a file to a name that must still be free.

    Raises FileExistsError when it is taken, and leaves both as they are; OSError when the move failed.
    """
    if _rename_with_flag(source, target, _LINUX_NOREPLACE, _MACOS_EXCL) or _link_over(source, target):
        return
    # A file system with neither (some network and FAT mounts): other runs are kept off by their lock, and
    # no call excludes other programs in the instant between these two.
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    source.rename(target)


def _link_over(source: Path, target: Path) -> bool:
    """Moves by a hard link, which never replaces; False where there are no hard links."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno in _UNSUPPORTED | {errno.EMLINK}:
            return False
        raise
    # The target is complete: a second name that stays is a leftover, which the next run removes.
    with suppress(OSError):
        source.unlink()
    return True


def _rename_with_flag(source: Path, target: Path, linux: int, macos: int) -> bool:
    """True when done, False where unsupported. Raises OSError for every other failure."""
    if sys.platform == "darwin":
        number = _macos_call(source, target, macos)
    else:
        number = _linux_call(source, target, linux)
    if number in _UNSUPPORTED:
        return False
    if number:
        raise OSError(number, os.strerror(number), str(source), None, str(target))
    return True


def _linux_call(source: Path, target: Path, flag: int) -> int:
    """renameat2 through the C library, or by its number; returns errno, 0 for done."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    where = ctypes.c_int(_AT_FDCWD)
    arguments = (where, os.fsencode(source), where, os.fsencode(target), ctypes.c_uint(flag))
    if hasattr(library, "renameat2"):
        status = library.renameat2(*arguments)
    elif platform.machine() in _LINUX_CALL_NUMBERS:
        status = library.syscall(ctypes.c_long(_LINUX_CALL_NUMBERS[platform.machine()]), *arguments)
    else:
        return errno.ENOSYS
    return ctypes.get_errno() if status else 0


def _macos_call(source: Path, target: Path, flag: int) -> int:
    """renamex_np of the C library; returns errno, 0 for done."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "renamex_np"):
        return errno.ENOSYS
    status = library.renamex_np(os.fsencode(source), os.fsencode(target), ctypes.c_uint(flag))
    return ctypes.get_errno() if status else 0
