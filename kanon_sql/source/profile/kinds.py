"""Profiles of columns and tables, and the kind of a column: how its values are read as numbers and dates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlglot import exp

from kanon_sql.source.model import Column
from kanon_sql.source.reading import Reading, fits
from kanon_sql.sql.connection import literal
from kanon_sql.sql.tables import WHOLE

Kind = Literal[
    "whole number", "decimal", "date", "timestamp", "boolean", "code", "category", "text", "free text", "empty"
]
# Findings that identify a person directly. Free text may hold them, and is a finding of its own.
DIRECT = frozenset(
    {
        "e-mail",
        "telephone",
        "IBAN",
        "credit card",
        "social security number",
        "insurance number",
        "tax number",
        "passport number",
        "name",
        "address",
        "IP address",
        "URL",
        "id",
    }
)
MOST = 0.9  # share of the values that a kind must fit
_CATEGORIES, _LISTED = 50, 1_000
_DATES = (
    *("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"),
    *("%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%m-%y", "%m-%d-%y", "%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%b %d, %Y"),
    *("%B %d, %Y", "%d. %B %Y", "%d-%b-%y", "%b %d %Y"),
)
_BETWEEN = (" ", "T", ", ")
_TIMES = ("%H:%M:%S", "%H:%M", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p")
_STAMPED = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m/%d/%y", "%b %d %Y", "%d %b %Y")
FORMATS: tuple[str, ...] = (
    *_DATES,
    *(f"{day}{between}{time}" for day in _STAMPED for between in _BETWEEN for time in _TIMES),
)
_SHAPES = {"d": "9{1,2}", "m": "9{1,2}", "Y": "9999", "y": "99", "b": "[Aa]a{2}", "B": "[Aa]a{2,8}", "H": "9{1,2}"}
_SHAPES |= {"I": "9{1,2}", "M": "99", "S": "99", "f": "9{1,6}", "p": "[Aa]{2}"}
# (the mark that fits, decimal mark, mark between thousands), the plainest first.
_NUMBERS = (
    ("number_point", ".", None),
    ("number_point_comma", ".", ","),
    ("number_comma", ",", None),
    ("number_comma_point", ",", "."),
    ("number_point_blank", ".", " "),
    ("number_comma_blank", ",", " "),
    ("number_point_apostrophe", ".", "'"),
)


@dataclass(frozen=True)
class Finding:
    """What a column holds: `name`, one of `DIRECT` or of "postal code", "city", "country", "sex", "age", "birth date",
    "date", "ICD-10 code", "coordinates", "free text"; how `sure` that is (0 to 1), and `why`, without any value.
    """

    name: str
    sure: float
    why: str


@dataclass(frozen=True)
class ColumnProfile:
    """A column of a table.

    `type` is the engine's, `kind` that of the values. `missing` is the number of rows with NULL or one of `missing_as`,
    texts of the program's own list of usual spellings. `distinct` values, without missing ones, are counted if `exact`,
    else estimated. `alone` is the share of rows whose value no other row has. Texts are `shortest` to `longest`
    characters long. `lowest` and `highest` are numbers or dates, None for other kinds; `unfit` rows are of another kind
    or format. `shape` is that of most values, with letters as A and a and digits as 9; None without one. `reading` has
    the keys of source.columns for the column.
    """

    name: str
    type: str
    kind: Kind
    rows: int
    missing: int
    missing_as: tuple[str, ...]
    distinct: int
    exact: bool
    alone: float
    shortest: int
    longest: int
    lowest: Any = None
    highest: Any = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    finding: Finding | None = None
    unfit: int = 0
    shape: str | None = None


@dataclass(frozen=True)
class Profile:
    """A table: its number of rows, its columns in order, and how many rows repeat an earlier one (None: not counted).

    `named_like_values` are the positions of names that look like values, where a first row may hold values.
    """

    rows: int
    columns: tuple[ColumnProfile, ...]
    duplicates: int | None = None
    named_like_values: tuple[int, ...] = ()

    def column(self, name: str) -> ColumnProfile:
        """The column of a name; StopIteration without one."""
        return next(column for column in self.columns if column.name == name)


@dataclass(frozen=True)
class Shares:
    """Values of one column in the sample: how many, their mean length and number of words, how many have each mark."""

    looked_at: int = 0
    length: float = 0.0
    words: float = 0.0
    marks: Mapping[str, int] = field(default_factory=dict)

    def of(self, *marks: str) -> float:
        """The share of the values with the most frequent of these marks."""
        return max(self.marks.get(mark, 0) for mark in marks) / self.looked_at if self.looked_at else 0.0


@dataclass(frozen=True)
class ParsedKind:
    """The kind of values, the keys of source.columns that read them so, and the expression that parses a text."""

    kind: Kind
    keys: Mapping[str, Any] = field(default_factory=dict)
    parsed: exp.Expr | None = None


def kind_of(column: Column, shares: Shares, formats: Mapping[str, int], distinct: int, rows: int) -> ParsedKind:
    """The kind of a column; `formats` has the number of values of the sample that are dates in each format."""
    by_type = _kind_of_type(column, shares)
    if by_type is not None:
        return ParsedKind(by_type)
    if not shares.looked_at:
        return ParsedKind("empty")
    if not column.is_text and not column.type.startswith("ENUM("):
        return ParsedKind("category" if _is_few(distinct, rows) else "text")
    if shares.of("truth") >= MOST and distinct <= 2:
        return ParsedKind("boolean")
    as_date = _date(shares, formats)
    if as_date is not None:
        return as_date
    as_number = _number(shares)
    if as_number is not None:
        return as_number
    return ParsedKind(_texts(shares, distinct, rows))


def _kind_of_type(column: Column, shares: Shares) -> Kind | None:
    """The kind by a column's type; None where the type allows several."""
    if column.type in (*WHOLE, "BIGNUM"):
        return "whole number"
    if column.type.startswith(("DOUBLE", "FLOAT", "DECIMAL")) and not column.type.endswith("]"):
        whole = shares.of("whole", "whole_with_zeros") == 1 or column.type.endswith(",0)")
        return "whole number" if whole else "decimal"
    simple: dict[str, Kind] = {"BOOLEAN": "boolean", "DATE": "date", "UUID": "code"}
    if column.type.startswith("TIMESTAMP") and not column.type.endswith("]"):
        return "timestamp"
    return simple.get(column.type)


def _number(shares: Shares) -> ParsedKind | None:
    if shares.of("padded") > 0.02 or shares.length > 18:
        return None  # digits that are a code
    best = max(shares.of(mark) for mark, _, _ in _NUMBERS)
    if best < MOST:
        return None
    fitting = [entry for entry in _NUMBERS if shares.of(entry[0]) >= best - 0.001]
    mark, decimal, thousands = fitting[0]
    if mark == "number_point_comma" and any(entry[0] == "number_comma" for entry in fitting) and not shares.of("whole"):
        mark, decimal, thousands = "number_comma", ",", None  # all have three digits behind it: decimals
    if thousands is None:
        whole = shares.of("whole", "whole_with_zeros", "digits_only") >= best - 0.001
    else:
        whole = shares.of("whole_grouped") >= best - 0.001
    kind: Kind = "whole number" if whole else "decimal"
    if mark == "number_point":
        return ParsedKind(kind, {}, _parsed_number(decimal, thousands))
    keys = {"type": "number", **({"decimal": decimal} if decimal != "." else {})}
    return ParsedKind(
        kind, {**keys, **({"thousands": thousands} if thousands else {})}, _parsed_number(decimal, thousands)
    )


def _parsed_number(decimal: str, thousands: str | None) -> exp.Expr:
    """A text as DOUBLE, NULL where it is no number."""
    value: exp.Expr = exp.Trim(this=exp.column("value"))
    plain = value.copy()
    for old, new in ((thousands, ""), (decimal if decimal != "." else None, ".")):
        if old:
            plain = exp.func("replace", plain, literal(old), literal(new))
    number = exp.TryCast(this=plain, to=exp.DataType.build("DOUBLE"))
    # Plain numerals need no reading, and may be written with an exponent.
    readable = fits(value, Reading("number", decimal=decimal, thousands=thousands))
    return number if (decimal, thousands) == (".", None) else exp.Case(ifs=[exp.If(this=readable, true=number)])


def _date(shares: Shares, formats: Mapping[str, int]) -> ParsedKind | None:
    """Dates in the most frequent format; texts of other formats count as dates, too, but are not read."""
    dated = sum(_by_likeness(formats).values())
    if not shares.looked_at or dated / shares.looked_at < MOST:
        return None
    best = max(formats, key=lambda text: formats[text])  # the first of those that are as many
    timed = "%H" in best or "%I" in best
    keys = (
        {}
        if best == "%Y-%m-%d" and formats[best] >= dated
        else {"type": "timestamp" if timed else "date", "format": best}
    )
    return ParsedKind("timestamp" if timed else "date", keys, parsed_date(best))


def _by_likeness(formats: Mapping[str, int]) -> dict[str, int]:
    """The number of texts by format, where formats that one text may fit, as of day and month, count once."""
    apart: dict[str, int] = {}
    for text, count in formats.items():
        like = re.sub("%[dmbB]", "%d", text)
        apart[like] = max(apart.get(like, 0), count)
    return apart


def parsed_date(text: str) -> exp.Expr:
    """A text in a format as TIMESTAMP, NULL where it does not fit."""
    value: exp.Expr = exp.Trim(this=exp.column("value"))
    parsed = exp.Anonymous(this="try_strptime", expressions=[value.copy(), literal(text)])
    return exp.Case(ifs=[exp.If(this=fits_format(text), true=parsed)])


def formats_of(shapes: Iterable[str]) -> list[str]:
    """The formats in which texts of these shapes may be written, the plainest first."""
    listed = set(shapes)
    # A letter of the format itself, as T before the time, is one in the shape.
    patterns = {text: re.compile(_shape_pattern(re.sub("T(?=%)", "A", text))) for text in FORMATS}
    return [text for text, pattern in patterns.items() if any(map(pattern.fullmatch, listed))]


def fits_format(text: str) -> exp.Expr:
    """The condition that a text is a date in a format, as source.columns reads it."""
    return fits(exp.Trim(this=exp.column("value")), Reading("timestamp", format=text))


def _shape_pattern(text: str) -> str:
    pieces = re.split("%(.)", text)
    patterns = (_SHAPES[piece] if position % 2 else re.escape(piece) for position, piece in enumerate(pieces))
    return "".join(patterns).replace("\\ ", " ")


def _texts(shares: Shares, distinct: int, rows: int) -> Kind:
    few = _is_few(distinct, rows)
    if shares.words >= 5 and shares.length >= 30 and (distinct > _LISTED or distinct * 2 > rows):
        return "free text"
    if shares.of("padded") > 0.02 and shares.of("digits_only") >= MOST:
        return "code"
    if shares.of("coded") >= MOST and (distinct > 12 or not few):
        return "code"
    return "category" if few else "text"


def _is_few(distinct: int, rows: int) -> bool:
    few = distinct <= _CATEGORIES or (distinct <= _LISTED and distinct * 20 <= rows)
    return few and distinct * 2 <= rows


def positions(rows: Sequence[tuple[Any, ...]]) -> dict[int, tuple[Any, ...]]:
    """The rows of a result by their first column, the position of a column of the source."""
    return {int(row[0]): row[1:] for row in rows}
