"""The encoding of a CSV file; and a copy in UTF-8 of a file in one that the engine does not read as it stands there."""

from __future__ import annotations

import codecs
import gzip
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from kanon_sql.errors import ConfigurationError, EngineError, NoRoomError
from kanon_sql.settings.algorithms import either
from kanon_sql.settings.encodings import ENCODINGS, LATIN1, UTF8, UTF16, WINDOWS, Encoded, encoding_named, recognized
from kanon_sql.sql import room
from kanon_sql.sql.connection import Engine

SAMPLE = 1 << 20  # bytes that are looked at together
_SURROGATE = re.compile(rb"[\xd8-\xdb]")
_PACKED = (".gz", ".zst")


def chunks(path: Path) -> Iterator[bytes]:
    """The bytes of a file in order, unpacked. Raises EngineError."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while chunk := file.read(SAMPLE):
                yield chunk
    except (OSError, EOFError, zlib.error) as error:
        raise EngineError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None


def encodings_of(paths: Sequence[Path], given: str | None, place: str) -> tuple[str, dict[Path, Encoded]]:
    """(the encoding of files together, how each of them is to be read).

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
    return together, read


def copies_of(engine: Engine, read: dict[Path, Encoded]) -> dict[Path, Path]:
    """Copies in UTF-8 of files, by these.

    They stand in the folder that the connection has for itself, below folders named as those of partitions. Raises
    EngineError.
    """
    return {path: _copy(engine, path, encoded) for path, encoded in read.items()}


def is_beyond_engine(path: Path, encoded: Encoded) -> bool:
    """Whether the engine does not read a file as it is, or wrongly.

    It reads UTF-16 in little-endian order with a mark and without surrogate pairs, and of single bytes those that are
    no control characters in Latin-1.
    """
    if encoded.name != UTF16:
        return encoded.name == WINDOWS
    for place, chunk in enumerate(chunks(path)):
        if place == 0 and not chunk.startswith(codecs.BOM_UTF16_LE):
            return True
        if _SURROGATE.search(chunk[1::2]) or len(chunk) % 2:
            return True
    return False


def _copy(engine: Engine, path: Path, encoded: Encoded) -> Path:
    """A copy of a file in UTF-8, one for each connection."""
    state = path.stat()
    known = (path.absolute(), encoded.codec, state.st_mtime_ns, state.st_size)
    if known in engine.copies:
        return engine.copies[known]
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
        why = room.full(str(error)) or error.strerror or "no access"
        raise NoRoomError(
            f"{folder.parent}: {path.name} cannot be copied as UTF-8, which it is read by ({why}); name a larger "
            "--temp-directory, or convert the file"
        ) from None
    engine.copies[known] = copy
    return copy


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
