"""The bytes of a CSV file: its encoding, a copy in UTF-8 where the engine cannot read it, and whether its end is read.

The engine reports nothing of a last record that is longer than its buffer: neither this record nor what follows it is
read. So the last part of the file is examined, in which ends of records must not be too far apart.
"""

from __future__ import annotations

import codecs
import gzip
import os
import re
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from kanon_sql.errors import ConfigurationError, EngineError, NoRoomError
from kanon_sql.settings.algorithms import either
from kanon_sql.settings.columns import ENCODINGS, LATIN1, UTF8, UTF16, WINDOWS, TextEncoding, encoding_named, recognized
from kanon_sql.source.model import CsvDialect
from kanon_sql.sql import disk
from kanon_sql.sql.connection import Engine

SAMPLE = 1 << 20  # bytes that are read at once, and of which the dialect is recognized
_SURROGATE = re.compile(rb"[\xd8-\xdb]")
_PACKED = (".gz", ".zst")
LONGEST_LINE = 16_000_000
BUFFER = 2 * LONGEST_LINE
# The part that is examined: a record of a whole buffer, and what may follow it in the next one.
_TAIL = 2 * BUFFER
# One end of a record is looked for in every part of this size, in blocks.
_PART = 1 << 22
_BLOCK = 1 << 16
# No gap that the engine accepts is wider, none that it passes over is narrower.
_WIDEST_GAP = LONGEST_LINE + 2 * _PART


def chunks(path: Path) -> Iterator[bytes]:
    """The bytes of a file in order, unpacked. Raises EngineError."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while chunk := file.read(SAMPLE):
                yield chunk
    except (OSError, EOFError, zlib.error) as error:
        raise EngineError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def encodings_of(paths: Sequence[Path], given: str | None, place: str) -> tuple[str, dict[Path, TextEncoding]]:
    """(the encoding that files have in common, how each of them is to be read).

    Raises ConfigurationError for a declared one that is not read, or that they are not in, EngineError for files of
    several or of none that is known.
    """
    declared = None if given is None else encoding_named(given)
    if given is not None and declared is None:
        raise ConfigurationError(f"{place}: encoding {given!r} is not read; expected {either(ENCODINGS)}")
    read = {path: recognized(chunks(path)) for path in paths}
    for path, encoded in read.items():
        if encoded.undefined:
            raise EngineError(
                f"{path}: this is neither UTF-8 nor Windows-1252, in which {encoded.undefined:,} of its bytes stand "
                f"for nothing; expected {either(ENCODINGS)}: convert it to UTF-8"
            )
        if declared is not None and not encoded.fits(declared):
            hint = " (a release in place is written as UTF-8)" if encoded.name == UTF8 else ""
            raise ConfigurationError(
                f"{place}: {path.name} is not {declared}, as encoding says, its bytes are {encoded.name}{hint}; "
                "correct encoding, or leave it out"
            )
    first = next((path for path, encoded in read.items() if not encoded.is_ascii), paths[0])
    together = declared or read[first].name
    for path, encoded in read.items():
        if together == LATIN1 and encoded.name == WINDOWS:
            first, together = path, WINDOWS
        if not encoded.fits(together):
            raise EngineError(f"{path}: is {encoded.name}, {first} is {together}; expected one encoding")
    # Another export of the same table may hold letters that Latin-1 lacks; all others are the same bytes in both.
    return WINDOWS if declared is None and together == LATIN1 else together, read


def copies_of(engine: Engine, read: dict[Path, TextEncoding]) -> dict[Path, Path]:
    """Copies in UTF-8 of files, by the files.

    They are in the connection's own folder, below folders of the names of partitions. Raises EngineError.
    """
    return {path: _copy(engine, path, encoded) for path, encoded in read.items()}


def is_beyond_engine(path: Path, encoded: TextEncoding) -> bool:
    """Whether the engine cannot read a file, or reads it wrongly.

    It reads UTF-16 only in little-endian order, with a byte order mark and without surrogate pairs, and single bytes as
    Latin-1.
    """
    if encoded.name != UTF16:
        return encoded.name == WINDOWS
    for place, chunk in enumerate(chunks(path)):
        if place == 0 and not chunk.startswith(codecs.BOM_UTF16_LE):
            return True
        if _SURROGATE.search(chunk[1::2]) or len(chunk) % 2:
            return True
    return False


def _copy(engine: Engine, path: Path, encoded: TextEncoding) -> Path:
    """A copy of a file in UTF-8, made once for each connection."""
    stat = path.stat()
    key = (path.absolute(), encoded.codec, stat.st_mtime_ns, stat.st_size)
    if key in engine.copies:
        return engine.copies[key]
    folder = engine.own_folder() / f"utf-8-{len(engine.copies)}"
    below = folder.joinpath(*(part for part in path.parts[:-1] if "=" in part))
    copy = below / (path.stem if path.suffix.lower() in _PACKED else path.name)
    decoder = codecs.getincrementaldecoder(encoded.codec)()
    try:
        below.mkdir(parents=True)
        with os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for chunk in chunks(path):
                file.write(decoder.decode(chunk).encode())
            file.write(decoder.decode(b"", final=True).encode())
    except UnicodeDecodeError:
        raise EngineError(f"{path}: is damaged: not all of it is {encoded.name}; write it anew, or as UTF-8") from None
    except OSError as error:
        why = disk.full(str(error)) or error.strerror or "no access"
        raise NoRoomError(
            f"{folder.parent}: {path.name} cannot be copied as UTF-8, which it is read by ({why}); name a larger "
            "--temp-directory, or convert the file"
        ) from None
    engine.copies[key] = copy
    return copy


def refuse_behind_mark(path: Path, name: str, delimiter: str, quote: str) -> None:
    """Raises EngineError for a header behind a byte order mark that the engine would misread.

    It takes the quotes of the first name for a part of the name. So quotes that open within the name would swallow the
    rows that follow, and a line break would make the rest of the name a row.
    """
    opens = f"[\r\n]|{re.escape(delimiter)} *($|{re.escape(quote)})" if quote else "$."
    if re.search(opens, name):
        raise EngineError(
            f"{path}: behind a byte order mark, a first column whose name holds a line break, or quotes behind a "
            "delimiter, is not read; save the file as UTF-8 without the mark, or rename the column"
        )


def may_lose_its_end(path: Path, file_read: Path, dialect: CsvDialect) -> bool:
    """Whether the engine may not read the end of `file_read`, the file that it reads for `path`.

    Its rows must then be counted in another way. Raises EngineError where it certainly does not, and for a damaged gzip
    file.
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
    """The error for a file whose end would not be read."""
    return EngineError(
        f"{path}: its last record is longer than {LONGEST_LINE:,} bytes and would not be read{more}; mend its end"
    )


def _tail(path: Path, size: int) -> bytes:
    """The last bytes of the text in a file; none where the file is too short to lose any."""
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
    """(begin, end) of the last gap between ends of records that is too wide; None without one.

    The file ends outside quotes, or the engine refuses it. So the number of quotes behind a line end, even or odd, says
    whether it ends a record or belongs to a value.
    """
    last_end = len(tail)
    stop, inside = len(tail), False
    while stop > 0:
        part = max(0, stop - _PART)
        while stop > part:
            block = tail[max(part, stop - _BLOCK) : stop]
            end = _record_end(block, inside, dialect)
            inside ^= _quotes(block, dialect) % 2 == 1
            stop -= len(block)
            if end is not None:
                if last_end - (stop + end) > _WIDEST_GAP:
                    return stop + end, last_end
                last_end = stop + end
                inside ^= _quotes(tail[part:stop], dialect) % 2 == 1
                stop = part
    return (0, last_end) if last_end > _WIDEST_GAP else None


def _record_end(block: bytes, inside: bool, dialect: CsvDialect) -> int | None:
    """The offset of the last end of a record in a block, None without one; `inside`: the block ends within quotes."""
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
