"""Single files that commands write beside their place: their hidden names, and the removal of those that were left.

`.NAME.kanon-sql-out-TOKEN.part` is locked as long as the run that writes it is alive.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from kanon_sql.sql import signals
from kanon_sql.targets.staging_names import PART, stem

_BEHIND = "-out-"
_TOKEN_BYTES = 8


@contextmanager
def beside(path: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """A new file of mode 0600 to be written, and moved to `path` by the block, else it is removed. Raises OSError.

    What killed runs left of this output is removed first.
    """
    _clear(path)
    with ExitStack() as made:
        with signals.postponed():
            file, part = _locked(path)
            made.callback(_remove, part)
            made.enter_context(file)
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
