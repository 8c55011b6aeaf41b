"""CSV in encodings, and behind marks of them, that the engine does not read, or not as it stands there."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from kanon_sql.errors import EngineError

SAMPLE = 1 << 20  # bytes that are looked at together
_CONTROLS = bytes(range(0x80, 0xA0))  # of Latin-1
_SURROGATE = re.compile(rb"[\xd8-\xdb]")


def chunks(path: Path) -> Iterator[bytes]:
    """The bytes of a file in order, unpacked. Raises EngineError."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while chunk := file.read(SAMPLE):
                yield chunk
    except (OSError, EOFError, zlib.error) as error:
        raise EngineError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def refuse_beyond_engine(path: Path, encoding: str) -> None:
    """Raises EngineError for what the engine would misread, or refuse without a word of what to do.

    It reads UTF-16 in little-endian order and without surrogate pairs; others would come out wrong. Of Latin-1 it
    refuses the bytes that are control characters there; mostly they are letters of Windows-1252.
    """
    if encoding == "latin-1" and any(len(chunk.translate(None, _CONTROLS)) < len(chunk) for chunk in chunks(path)):
        raise EngineError(
            f"{path}: this is not UTF-8, and as Latin-1 it holds control characters (bytes 80 to 9F, letters in "
            "Windows-1252), which cannot be read; convert the file to UTF-8"
        )
    for place, chunk in enumerate(chunks(path) if encoding == "utf-16" else ()):
        big_endian = place == 0 and chunk.startswith(codecs.BOM_UTF16_BE)
        if big_endian or _SURROGATE.search(chunk[1::2]):
            raise EngineError(
                f"{path}: this UTF-16 (big-endian, or with characters beyond 16 bits) cannot be read "
                "unchanged; convert the file to UTF-8"
            )


def refuse_behind_mark(path: Path, name: str, delimiter: str, quote: str) -> None:
    """Raises EngineError for a header that the engine would misread.

    Behind a byte order mark it takes the quotes of the first name for a part of it. What opens quotes within it would
    swallow the rows that follow, a line break would make a row of the name's rest.
    """
    opens = f"[\r\n]|{re.escape(delimiter)} *($|{re.escape(quote)})" if quote else "$."
    if re.search(opens, name):
        raise EngineError(
            f"{path}: behind a byte order mark, a first column whose name holds a line break, or quotes behind a "
            "delimiter, is not read; save the file as UTF-8 without the mark, or rename the column"
        )
