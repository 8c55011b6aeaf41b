"""Which file a path really means: seen through links, relative paths and case.

And the two moves that Python's own functions lack: exchanging two paths, and moving without replacing.
"""

from __future__ import annotations

import errno
import os
import platform
import stat
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path

from kanon_sql.errors import ConfigurationError, EngineError

_AT_FDCWD = -100
_LINUX_NOREPLACE, _LINUX_EXCHANGE = 1, 2
_MACOS_SWAP, _MACOS_EXCL = 2, 4
# For C libraries without renameat2: musl before 1.2.6, glibc before 2.28.
_LINUX_CALL_NUMBERS = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "ppc64le": 357, "s390x": 347}
# EPERM is what the system call filters of older container engines answer to calls that they do not know.
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}


def same_file(a: Path, b: Path) -> bool:
    """Whether two paths mean one file or folder, through links, hard links, relative paths and case.

    Neither needs to exist. Raises nothing: a path that cannot be looked at is compared by its text.
    """
    try:
        return a.samefile(b)
    except (OSError, ValueError):
        pass
    left, right = _real(a), _real(b)
    if left == right:
        return True
    if _exists(a) != _exists(b) or _folded(left.name) != _folded(right.name) or not left.name:
        return False
    # Neither exists, the names differ in case or Unicode form at most: the folder decides.
    alike = left.name == right.name or _ignores_case(left.parent)
    return alike and same_file(left.parent, right.parent)


def inside(child: Path, folder: Path) -> bool:
    """Whether `child` is `folder` or lies below it, once links are followed; neither needs to exist."""
    real = _real(child)
    return any(same_file(above, folder) for above in (real, *real.parents))


def real_target(target: Path, place: str) -> Path:
    """The path that is really written, with links followed.

    Raises ConfigurationError for devices, pipes, loops of links, the root and impossible names, EngineError when the
    folder is missing or cannot be looked into.
    """
    try:
        state = target.stat()
    except FileNotFoundError:
        state = None
    except ValueError:
        raise ConfigurationError(f"{place}: the target's name holds a NUL character") from None
    except OSError as error:
        raise _unusable(target, error, place) from None
    special = state is not None and not (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode))
    if special or _is_device_path(target):
        raise ConfigurationError(
            f"{place}: {target} is a device or a pipe, which no release can replace; name a regular file"
        )
    refuse_link_to_nothing(target, place)
    real = _real(target)
    if not real.name:
        raise ConfigurationError(f"{place}: {target} is the root of all folders; name a file or folder in it")
    _require_folder(real.parent, place)
    return real


def refuse_link_to_nothing(path: Path, output: str) -> None:
    """Refuses an output that is a symbolic link to nothing, where no file was named. Raises ConfigurationError."""
    problem = link_to_nothing(path, output)
    if problem is not None:
        raise ConfigurationError(problem)


def link_to_nothing(path: Path, output: str) -> str | None:
    """The problem of an output that is a symbolic link to nothing; None for any other."""
    try:
        is_link = path.is_symlink()
    except (OSError, ValueError):  # a name that no file can have: opening it says so
        return None
    if not is_link or _exists(path):
        return None
    return f"{output}: {path} is a symbolic link to a file that is not there; remove it, or make that file first"


def refuse_special(path: Path, option: str) -> None:
    """Refuses a file of ours that is a pipe, a socket or a device, which would never end. Raises ConfigurationError."""
    with suppress(OSError, ValueError):
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
            raise ConfigurationError(f"{option}: {path} is a pipe, a socket or a device; name a regular file")


def _unusable(target: Path, error: OSError, place: str) -> ConfigurationError | EngineError:
    if error.errno == errno.ENAMETOOLONG:
        return ConfigurationError(f"{place}: the target's name is too long for the file system; shorten it")
    if error.errno == errno.ELOOP:
        return ConfigurationError(f"{place}: {target} is a loop of symbolic links; name a regular path")
    return EngineError(f"{place}: {target} cannot be looked at ({error.strerror}); check its folder")


def _require_folder(folder: Path, place: str) -> None:
    try:
        is_folder = folder.is_dir()
    except OSError as error:
        raise EngineError(f"{place}: the folder {folder} cannot be looked at ({error.strerror})") from None
    if not is_folder:
        raise EngineError(f"{place}: the folder {folder} does not exist; make it first (mkdir -p)")


def _is_device_path(target: Path) -> bool:
    """/dev/stdout and /proc/self/fd/1 are no names to replace, even when they lead to a regular file."""
    parts = target.absolute().parts[1:]
    in_dev = parts[:1] == ("dev",) and parts[1:2] != ("shm",)
    return in_dev or (parts[:1] == ("proc",) and "fd" in parts)


def _real(path: Path) -> Path:
    # Not Path.resolve(), which raises RuntimeError for loops of links before Python 3.13.
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return path.absolute()


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except (OSError, ValueError):
        return False
    return True


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _ignores_case(folder: Path) -> bool:
    """Whether the file system of a folder ignores case, by looking up an existing name in the other case."""
    for path in (folder, *folder.parents):
        swapped = path.with_name(path.name.swapcase()) if path.name else path
        if swapped != path and _exists(path):
            try:
                return path.samefile(swapped)
            except OSError:
                return False
    return False


def exchange(left: Path, right: Path) -> bool:
    """Exchanges two paths atomically; False where the system cannot. Raises OSError where it can but failed."""
    return _rename_with_flag(left, right, _LINUX_EXCHANGE, _MACOS_SWAP)


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
