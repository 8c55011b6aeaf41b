"""The library that lets system calls go wrong (calls_faults.c): compiled once, loaded before the C library."""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("calls_faults.c")
_NOTHING, _SIGNAL_BEFORE, _SIGNAL_AFTER, _FAIL, _FULL, _HALF = range(6)
_LOG = 200  # a descriptor that no run comes to

_WRITES = {"write", "pwrite", "pwrite64", "writev"}
_READS = {"read", "pread", "pread64", "open(read)"}
_MOVES = {"rename", "renameat", "renameat2", "link", "linkat"}
_REMOVES = {"unlink", "unlinkat", "remove", "rmdir"}
_TAKES = _WRITES | _MOVES | {"open(create)", "fsync", "fdatasync", "ftruncate", "ftruncate64", "mkdir", "mkdirat"}
# Calls of which the system says that a signal may interrupt them.
_INTERRUPTIBLE = _WRITES | _READS | {"open", "open(create)", "fsync", "fdatasync", "flock", "fcntl(lock)", "close"}


@dataclass(frozen=True)
class Fault:
    """What goes wrong at a call: `kind` and `value` as the library takes them, and the calls that it goes with."""

    kind: int
    value: int
    calls: frozenset[str] | None = None  # None for all
    but: frozenset[str] = frozenset()

    def goes_with(self, call: str) -> bool:
        """Whether this can go wrong at such a call."""
        return call not in self.but and (self.calls is None or call in self.calls)


FAULTS = {
    "SIGKILL before": Fault(_SIGNAL_BEFORE, signal.SIGKILL, but=frozenset(_READS)),
    "SIGKILL behind": Fault(_SIGNAL_AFTER, signal.SIGKILL, frozenset(_MOVES | _REMOVES | _WRITES)),
    "SIGTERM": Fault(_SIGNAL_BEFORE, signal.SIGTERM),
    "SIGINT": Fault(_SIGNAL_AFTER, signal.SIGINT),
    "SIGHUP": Fault(_SIGNAL_BEFORE, signal.SIGHUP, but=frozenset(_READS)),
    "ENOSPC once": Fault(_FAIL, errno.ENOSPC, frozenset(_TAKES)),
    "ENOSPC from there on": Fault(_FULL, errno.ENOSPC, frozenset(_TAKES)),
    "EIO": Fault(_FAIL, errno.EIO),
    "EINTR": Fault(_FAIL, errno.EINTR, frozenset(_INTERRUPTIBLE)),
    "half of it": Fault(_HALF, 0, frozenset(_WRITES | {"read", "pread", "pread64"})),
    "ENOLCK": Fault(_FAIL, errno.ENOLCK, frozenset({"flock", "fcntl(lock)"})),
    "ENOSYS": Fault(_FAIL, errno.ENOSYS, frozenset({"renameat2"})),
}


def compiler() -> str | None:
    """The C compiler, None where there is none, or no system that loads libraries so."""
    return (shutil.which("cc") or shutil.which("gcc")) if sys.platform == "linux" else None


def built() -> Path:
    """The library, compiled if it was not yet. Raises CalledProcessError."""
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    library = Path(tempfile.gettempdir()) / f"kanon-sql-calls-{os.getuid()}" / f"{digest}.so"
    if not library.exists():
        library.parent.mkdir(mode=0o700, exist_ok=True)
        program = compiler()
        assert program is not None
        # Under a name of its own until it is whole: several tests may compile it at once.
        own = library.with_suffix(f".{os.getpid()}")
        subprocess.run(
            [program, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", str(own), str(SOURCE), "-ldl"],
            check=True,
        )
        own.replace(library)
    return library


def arm(watched: Path, leave_out: str, at: int, fault: Fault | None, no_exchange: int, log: Path) -> None:
    """From here on the calls of this process below `watched` are counted; at number `at`, 0 for none, comes the fault.

    Calls on paths with `leave_out` in them do not count. `no_exchange` is the error of every renameat2, 0 for none.
    What it falls upon, of a count without a fault each call, goes to `log`.
    """
    opened = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(opened, _LOG, inheritable=False)
    os.close(opened)
    kind, value = (_NOTHING, 0) if fault is None else (fault.kind, fault.value)
    library = ctypes.CDLL(None)
    names = os.fsencode(watched), leave_out.encode()
    library.faults_arm(*names, ctypes.c_long(at), kind, value, no_exchange, _LOG)


def noted(log: Path) -> list[tuple[int, str, str]]:
    """(number, call, path) of the calls of a log."""
    lines = (line.split("\t") for line in log.read_text("utf-8", "replace").splitlines()) if log.exists() else ()
    return [(int(number), name, path) for number, name, _, path in lines]
