"""Whether the engine reads a CSV file to its end.

Of a record that is longer than its buffer it says nothing where no record follows: the record and what stands behind
it are not read. So the file's last part is looked at, in which the ends of records must not be too far apart.
"""

from __future__ import annotations

import gzip
import zlib
from collections import deque
from pathlib import Path

from kanon_sql.errors import EngineError
from kanon_sql.settings.encodings import UTF8, UTF16
from kanon_sql.source.model import CsvDialect

LONGEST_LINE = 16_000_000
BUFFER = 2 * LONGEST_LINE
# What is looked at: a record of a whole buffer, and what may follow it in the next one.
_TAIL = 2 * BUFFER
# One end of a record is looked for in every part of this size, in blocks.
_PART = 1 << 22
_BLOCK = 1 << 16
# No gap that the engine accepts is wider, none that it passes over is narrower.
_WIDEST_GAP = LONGEST_LINE + 2 * _PART


def may_lose_its_end(path: Path, file_read: Path, dialect: CsvDialect) -> bool:
    """Whether the engine may pass over the end of the file that it reads for one; its rows must then be counted in
    another way.

    Raises EngineError where it does so for certain, and for a gzip file that is damaged.
    """
    encoding = dialect.engine_encoding
    tail = _tail(file_read, _TAIL * (2 if encoding == UTF16 else 1))
    if encoding != UTF8:
        tail = tail.decode(encoding, errors="replace").encode()
    gap = _widest_gap(tail, dialect)
    if gap is None:
        return False
    if dialect.line_end[-1].encode() in tail[gap[0] + 1 : gap[1]]:
        return True
    zeros = "; it ends in zero bytes, as after a crash" if tail.endswith(b"\0") else ""
    raise lost_end(path, zeros)


def lost_end(path: Path, more: str = "") -> EngineError:
    """The error for a file of which the end would not be read."""
    return EngineError(
        f"{path}: its last record is longer than {LONGEST_LINE:,} bytes and would not be read{more}; mend its end"
    )


def _tail(path: Path, size: int) -> bytes:
    """The last bytes of the text in a file; none where the file is too short to matter."""
    try:
        if path.suffix == ".gz":
            return _unpacked_tail(path, size)
        with path.open("rb") as file:
            length = file.seek(0, 2)
            if length < _WIDEST_GAP // 2:
                return b""
            file.seek(max(0, length - size))
            return file.read()
    except (OSError, EOFError, zlib.error) as error:
        raise EngineError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def _unpacked_tail(path: Path, size: int) -> bytes:
    chunks: deque[bytes] = deque()
    held = 0
    with gzip.open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            chunks.append(chunk)
            held += len(chunk)
            while held - len(chunks[0]) >= size:
                held -= len(chunks.popleft())
    return b"".join(chunks)


def _widest_gap(tail: bytes, dialect: CsvDialect) -> tuple[int, int] | None:
    """The first place from the end where ends of records are too far apart, None without one.

    The file ends outside quotes, else the engine refuses it: so many quotes behind a line end, an even number or an
    odd one, tell whether it ends a record or belongs to a value.
    """
    found = len(tail)
    stop, inside = len(tail), False
    while stop > 0:
        part = max(0, stop - _PART)
        while stop > part:
            block = tail[max(part, stop - _BLOCK) : stop]
            end = _record_end(block, inside, dialect)
            inside ^= _quotes(block, dialect) % 2 == 1
            stop -= len(block)
            if end is not None:
                if found - (stop + end) > _WIDEST_GAP:
                    return stop + end, found
                found = stop + end
                inside ^= _quotes(tail[part:stop], dialect) % 2 == 1
                stop = part
    return (0, found) if found > _WIDEST_GAP else None


def _record_end(block: bytes, inside: bool, dialect: CsvDialect) -> int | None:
    """Where a block holds the end of a record; `inside` says that it ends within quotes."""
    line_end = dialect.line_end[-1].encode()
    parts = block.split(dialect.quote.encode()) if dialect.quote else [block]
    stop = len(block)
    for part in reversed(parts):
        place = part.rfind(line_end)
        if place >= 0 and not inside:
            return stop - len(part) + place
        stop -= len(part) + 1
        inside = not inside
    return None


def _quotes(block: bytes, dialect: CsvDialect) -> int:
    if not dialect.quote:
        return 0
    quote = dialect.quote.encode()
    if dialect.escape == dialect.quote:
        return block.count(quote)
    return block.count(quote) - block.count(dialect.escape.encode() + quote)
