"""The encodings that texts in files come in: which one it is, by its name or by the bytes."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

UTF8, LATIN1, WINDOWS, UTF16 = "utf-8", "latin-1", "windows-1252", "utf-16"
ENCODINGS = (UTF8, LATIN1, WINDOWS, UTF16)

_NAMES = {
    "utf-8": UTF8,
    "utf-8-sig": UTF8,
    "iso8859-1": LATIN1,
    "cp1252": WINDOWS,
    "utf-16": UTF16,
    "utf-16-le": UTF16,
    "utf-16-be": UTF16,
}
# Control characters of Latin-1, letters and signs of Windows-1252, but for five that are nothing there.
_CONTROLS = bytes(range(0x80, 0xA0))
_UNDEFINED = b"\x81\x8d\x8f\x90\x9d"


@dataclass(frozen=True)
class Encoded:
    """How the bytes of a text are to be read: the `name` of the encoding, and the `codec` of Python that reads it.

    `is_ascii` says that it is the same in every encoding of single bytes and in UTF-8. So many bytes are `undefined`.
    """

    name: str
    codec: str
    is_ascii: bool = False
    undefined: int = 0

    def fits(self, name: str) -> bool:
        """Whether the bytes can be meant as the encoding of that name."""
        if self.name == name:
            return True
        return (self.is_ascii and name != UTF16) or (self.name == LATIN1 and name == WINDOWS)


def encoding_named(name: str) -> str | None:
    """The encoding that goes by a name, as cp1252 and UTF8 do; None for one that is not read."""
    try:
        return _NAMES.get(codecs.lookup(name.strip()).name)
    except (LookupError, ValueError):
        return None


def recognized(chunks: Iterable[bytes]) -> Encoded:
    """Which encoding a text is in, by its bytes; no more of the chunks are taken than are needed.

    UTF-16 has a mark, or a zero in every second byte; UTF-8 is what its first other letters are written in. Of the
    encodings of single bytes it is Windows-1252 where bytes stand that are its letters alone.
    """
    left = iter(chunks)
    first = next(left, b"")
    wide = _codec_of_wide(first)
    if wide is not None:
        return Encoded(UTF16, wide)
    if first.startswith(codecs.BOM_UTF8):
        return Encoded(UTF8, "utf-8-sig")
    decoder = codecs.getincrementaldecoder("utf-8")()
    begun = b""  # of a character that goes on in the next chunk
    for chunk in chain([first], left):
        if begun or not chunk.isascii():
            try:
                if not decoder.decode(chunk).isascii():
                    return Encoded(UTF8, "utf-8-sig")
            except UnicodeDecodeError:
                return _of_single_bytes(chain([begun, chunk], left))
            begun = decoder.getstate()[0]
    return _of_single_bytes([begun]) if begun else Encoded(UTF8, "utf-8-sig", is_ascii=True)


def decoded(content: bytes) -> str | None:
    """The text of a file that is not declared to be in an encoding; None where there is no telling."""
    encoded = recognized([content])
    try:
        return content.decode(encoded.codec)
    except UnicodeDecodeError:
        return None


def _codec_of_wide(first: bytes) -> str | None:
    """Python's codec for UTF-16 that begins so, None where it is something else."""
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    zeros = first[::2].count(0), first[1::2].count(0)
    if not any(zeros) or all(zeros) or max(zeros) * 4 < len(first):
        return None
    return "utf-16-be" if zeros[0] else "utf-16-le"


def _of_single_bytes(chunks: Iterator[bytes] | list[bytes]) -> Encoded:
    controls = undefined = 0
    for chunk in chunks:
        controls += len(chunk) - len(chunk.translate(None, _CONTROLS))
        undefined += len(chunk) - len(chunk.translate(None, _UNDEFINED))
    return Encoded(WINDOWS, "cp1252", undefined=undefined) if controls else Encoded(LATIN1, "latin-1")
