"""The end of a file of text, and whether a packed one is whole, where the engine's reader of JSON does not look.

It passes over the checksum of a gzip file, and takes a Zstandard file that is cut off for one that ends there.
"""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path
from typing import BinaryIO

from kanon_sql.errors import EngineError

_AT_ONCE = 1 << 20
# RFC 8878, section 3.1: a frame is a header, blocks of which the last one is marked, and maybe a checksum.
_FRAME = 0xFD2FB528
_PASSED_OVER = range(0x184D2A50, 0x184D2A60)
_DICTIONARY = (0, 1, 2, 4)  # bytes of its number, by the bits that tell it
_REPEATED = 1  # a block of one byte, however long it is


def end_of_text(path: Path) -> bytes | None:
    """The last bytes of a file's text; None of a file called .zst, which Python cannot read.

    Raises EngineError for a packed file that is not whole.
    """
    suffix = path.suffix.lower()
    try:
        if suffix == ".gz":
            with gzip.open(path, "rb") as file:
                return _end(file)
        with path.open("rb") as plain:
            if suffix == ".zst":
                _pass_frames(plain, path.stat().st_size)
                return None
            plain.seek(-min(_AT_ONCE, path.stat().st_size), os.SEEK_END)
            return plain.read()
    except (OSError, EOFError, zlib.error) as error:
        raise EngineError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def _end(file: gzip.GzipFile) -> bytes:
    end = b""
    while read := file.read(_AT_ONCE):
        end = read if read.strip() else end
    return end


def _pass_frames(file: BinaryIO, size: int) -> None:
    """Goes from frame to frame to the end. Raises EOFError for one that is not complete, OSError for what is none."""
    while file.tell() < size:
        magic = _number(file, 4)
        if magic in _PASSED_OVER:
            file.seek(_number(file, 4), 1)
        elif magic == _FRAME:
            _pass_frame(file)
        else:
            raise OSError("it holds something else than Zstandard")
    if file.tell() > size:
        raise EOFError("it ends before its last part is complete")


def _pass_frame(file: BinaryIO) -> None:
    described = _number(file, 1)
    single = described >> 5 & 1
    of_size = described >> 6
    file.seek((not single) + _DICTIONARY[described & 3] + (1 << of_size if of_size else single), 1)
    last = 0
    while not last:
        head = _number(file, 3)
        last = head & 1
        file.seek(1 if head >> 1 & 3 == _REPEATED else head >> 3, 1)
    file.seek(4 * (described >> 2 & 1), 1)


def _number(file: BinaryIO, count: int) -> int:
    found = file.read(count)
    if len(found) < count:
        raise EOFError("it ends before its last part is complete")
    return int.from_bytes(found, "little")
