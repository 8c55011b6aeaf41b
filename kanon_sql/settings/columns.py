"""How a column of a source is read: the texts that it holds, and what is understood by them.

The encodings that texts in files come in: which one it is, by its name or by the bytes.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Literal, cast

from pydantic import AfterValidator, Field, WithJsonSchema

from kanon_sql.settings.part import DataText, Part
from kanon_sql.settings.rules import Faults, Odd, given_of
from kanon_sql.settings.rules import Part as Given

ColumnType = Literal["text", "number", "date", "timestamp"]

_DAY, _TIME = "dmYybB", "HIMSfp"
_DIRECTIVE = re.compile(r"%(.?)", re.DOTALL)
_TAKEN = ", ".join(f"%{letter}" for letter in _DAY + _TIME)
# What stands between two directives is written into regular expressions of every engine as it is, or in brackets.
_BETWEEN = re.compile(r"[\w .,:;/'()+-]*")
_SAME = (("Y", "y"), ("m", "b", "B"), ("H", "I"), ("d",), ("M",), ("S",), ("f",), ("p",))
# A directive, and what it says nothing without.
_WITH = (
    *(("d", "mbB"), ("m", "Yy"), ("b", "Yy"), ("B", "Yy"), ("H", "d"), ("I", "d"), ("I", "p"), ("p", "I")),
    *(("M", "HI"), ("S", "M"), ("f", "S")),
)

_TRUE = ("true", "yes", "on", "1", "y", "t")
_MARK = r"[^0-9A-Za-z+\-\s]"
_THOUSANDS = r"[^0-9A-Za-z+\-]"


def directives(text: str) -> list[str]:
    """The letters of the directives of a format, in order."""
    return _DIRECTIVE.findall(text)


def has_time(text: str) -> bool:
    """Whether a format reads a time of day."""
    return any(letter in _TIME for letter in directives(text))


def format_problem(text: str) -> str | None:
    """What is wrong with a format of dates, None where it can be read by."""
    letters = directives(text)
    unknown = [f"%{letter}" for letter in dict.fromkeys(letters) if letter not in _DAY + _TIME or not letter]
    if unknown:
        return f"{', '.join(unknown)} is not taken; expected {_TAKEN}"
    for same in _SAME:
        twice = [letter for letter in letters if letter in same]
        if len(twice) > 1:
            return f"%{twice[0]} and %{twice[1]} say the same; keep one"
    if not set(letters) & set("Yy"):
        return "there is no year; expected %Y or %y, as in %d.%m.%Y"
    for letter, others in _WITH:
        if letter in letters and not set(letters) & set(others):
            return f"%{letter} says nothing without {' or '.join(f'%{other}' for other in others)}; add it"
    if not _BETWEEN.fullmatch(_DIRECTIVE.sub("", text)):
        return "between the directives expected letters, digits, blanks and . , : ; / ' ( ) + - _; correct it"
    return None


def _checked(problem: Callable[[str], str | None]) -> AfterValidator:
    def check(value: str) -> str:
        fault = problem(value)
        if fault is not None:
            raise ValueError(fault)
        return value

    return AfterValidator(check)


def _matching(pattern: str, expected: str) -> AfterValidator:
    return _checked(lambda value: None if re.fullmatch(pattern, value) else f"expected {expected}")


_PIECE = f"([^%]|%[{_DAY}{_TIME}])*"
_FORMAT_SCHEMA = {"type": "string", "pattern": f"^{_PIECE}%[Yy]{_PIECE}$"}
Format = Annotated[str, _checked(format_problem), WithJsonSchema(_FORMAT_SCHEMA)]
Decimal = Annotated[
    str,
    _matching(_MARK, "one character that is no digit, letter, sign or blank, such as ,"),
    WithJsonSchema({"type": "string", "pattern": f"^{_MARK}$"}),
]
Thousands = Annotated[
    str,
    _matching(_THOUSANDS, "one character that is no digit, letter or sign, such as . or a blank"),
    WithJsonSchema({"type": "string", "pattern": f"^{_THOUSANDS}$"}),
]


def type_of(given: Given) -> ColumnType:
    """The type that the keys of a column tell where none is named."""
    if given.get("type") is not None:
        return cast(ColumnType, given["type"])
    if isinstance(given.get("format"), str):
        return "timestamp" if has_time(given["format"]) else "date"
    return "number" if given_of(given, "decimal", "thousands") else "text"


def _options_of_type(given: Given) -> Faults:
    kind = type_of(given)
    for key, kinds in (("format", ("date", "timestamp")), ("decimal", ("number",)), ("thousands", ("number",))):
        if given_of(given, key) and kind not in kinds:
            yield (key,), f"{key} goes with type: {' or '.join(kinds)}, not with {kind}; remove one of the two"
    if kind == "date" and isinstance(given.get("format"), str) and has_time(given["format"]):
        yield ("format",), "a date has no time of day; write type: timestamp, or leave the time out of the format"
    if given_of(given, "thousands") and given["thousands"] == (given.get("decimal") or "."):
        yield ("thousands",), "decimal and thousands are the same character; give each its own, as decimal: ','"


def as_listed(text: str, given: Given) -> str:
    """A text as `trim` and `case` leave it."""
    if str(given.get("trim")).lower() in _TRUE:
        text = text.strip(BLANKS)
    changed = {"lower": str.lower, "upper": str.upper}.get(str(given.get("case")), str)
    return "".join(other if len(other := changed(letter)) == 1 else letter for letter in text)


def _never_recoded(given: Given) -> Faults:
    """A text that trimming and case leave none of is never found."""
    recode = given.get("recode")
    for text in recode if isinstance(recode, dict) else ():
        if isinstance(text, str) and as_listed(text, given) != text:
            yield ("recode", text), "trim and case come first and leave no such text; write it as they leave it"


# Unicode's white space: what trim takes away.
BLANKS = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"


class ColumnConfig(Part):
    """How one column is read, before anything else is done with it."""

    between = (Odd(_options_of_type), Odd(_never_recoded))

    type: ColumnType | None = Field(None, description="what the texts of the column are understood as")
    format: Format | None = Field(None, description="date, timestamp: how they are written, as strptime has it")
    decimal: Decimal | None = Field(None, description='number: what stands before the decimals, default "."')
    thousands: Thousands | None = Field(None, description="number: what may stand between groups of three digits")
    trim: bool = Field(False, description="blanks at both ends are taken away")
    case: Literal["lower", "upper"] | None = Field(None, description="all letters become lower or upper case")
    recode: dict[DataText, DataText] = Field({}, description="texts and what each becomes, after trim and case")
    missing: list[DataText] = Field([], description="texts that become NULL")
    invalid: Literal["error", "missing"] = Field(
        "error", description="what becomes of texts that the type does not fit: an error, or NULL"
    )

    def as_it_stands(self) -> ColumnConfig:
        """The same for a table whose values were read already, as a release: only what is understood by them."""
        return self.model_copy(update={"trim": False, "case": None, "recode": {}})

    @property
    def understood_as(self) -> ColumnType:
        """The type, also where only the format or the marks tell it."""
        return type_of({key: getattr(self, key) for key in ("type", "format", "decimal", "thousands")})


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
class TextEncoding:
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


def recognized(chunks: Iterable[bytes]) -> TextEncoding:
    """Which encoding a text is in, by its bytes; no more of the chunks are taken than are needed.

    UTF-16 has a mark, or a zero in every second byte; UTF-8 is what its first other letters are written in. Of the
    encodings of single bytes it is Windows-1252 where bytes stand that are its letters alone.
    """
    left = iter(chunks)
    first = next(left, b"")
    wide = _codec_of_wide(first)
    if wide is not None:
        return TextEncoding(UTF16, wide)
    if first.startswith(codecs.BOM_UTF8):
        return TextEncoding(UTF8, "utf-8-sig")
    decoder = codecs.getincrementaldecoder("utf-8")()
    begun = b""  # of a character that goes on in the next chunk
    for chunk in chain([first], left):
        if begun or not chunk.isascii():
            try:
                if not decoder.decode(chunk).isascii():
                    return TextEncoding(UTF8, "utf-8-sig")
            except UnicodeDecodeError:
                return _of_single_bytes(chain([begun, chunk], left))
            begun = decoder.getstate()[0]
    return _of_single_bytes([begun]) if begun else TextEncoding(UTF8, "utf-8-sig", is_ascii=True)


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


def _of_single_bytes(chunks: Iterator[bytes] | list[bytes]) -> TextEncoding:
    controls = undefined = 0
    for chunk in chunks:
        controls += len(chunk) - len(chunk.translate(None, _CONTROLS))
        undefined += len(chunk) - len(chunk.translate(None, _UNDEFINED))
    return TextEncoding(WINDOWS, "cp1252", undefined=undefined) if controls else TextEncoding(LATIN1, "latin-1")
