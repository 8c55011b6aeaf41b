"""SHA-256 of files, as sha256sum prints it: what tells whether a file is still the one that was read or written."""

from __future__ import annotations

import hashlib
import secrets
from contextlib import ExitStack
from pathlib import Path

from kanon_sql.errors import EngineError
from kanon_sql.source.model import Source

_BLOCK = 1 << 20  # bytes


def sha256(path: Path, held: ExitStack | None = None) -> str:
    """The digest of a file's bytes, 64 hexadecimal digits. Raises EngineError.

    The file is closed with `held`: closed before, a database that the engine has open would be locked no more.
    """
    digest = hashlib.sha256()
    block = memoryview(bytearray(_BLOCK))
    try:
        with ExitStack() as closing:
            file = (held or closing).enter_context(path.open("rb", buffering=0))
            while read := file.readinto(block):
                digest.update(block[:read])
    except OSError as error:
        raise EngineError(f"{path}: its digest cannot be taken ({error.strerror})") from None
    return digest.hexdigest()


def new_salt() -> str:
    """A random number of 256 bits, in hexadecimal digits."""
    return secrets.token_hex(32)


def salted(digest: str, salt: str) -> str:
    """What may be shown of a digest: without the salt nobody can try which file has it.

    It is the SHA-256 of the hexadecimal digits of the salt with those of the digest after them.
    """
    return hashlib.sha256(f"{salt}{digest}".encode("ascii")).hexdigest()


def file_of(source: Source) -> Path | None:
    """The one file that an open source is, None where its rows stand elsewhere too or the file may not hold them yet.

    A database's file is complete unless a log stands beside it.
    """
    if source.kind == "query":
        return None
    if source.database is not None:
        return None if source.database.with_name(source.database.name + ".wal").exists() else source.database
    return source.files[0] if len(source.files) == 1 and source.folder is None and not source.partitions else None
