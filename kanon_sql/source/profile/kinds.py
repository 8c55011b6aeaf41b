"""What is known of a column, and of a table, once it was profiled.

Of which kind the values of a column are, and how they are read as numbers and dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlglot import exp

from kanon_sql.source.model import Column
from kanon_sql.source.reading import Reading as TextReading
from kanon_sql.source.reading import fits
from kanon_sql.sql.connection import literal
from kanon_sql.sql.tables import WHOLE

Kind = Literal[
    "whole number", "decimal", "date", "timestamp", "boolean", "code", "category", "text", "free text", "empty"
]

# The findings that identify a person directly; free text may hold them and is apart.
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


@dataclass(frozen=True)
class Finding:
    """What a column is: `name`, one of `DIRECT` or of "postal code", "city", "country", "sex", "age", "birth date",
    "date", "ICD-10 code", "coordinates", "free text"; how `sure` that is (0 to 1) and `why`, without a value of the
    data.
    """

    name: str
    sure: float
    why: str


@dataclass(frozen=True)
class ColumnProfile:
    """A column of a table.

    `type` is the engine's, `kind` what the values are. `missing` counts rows, NULL and each of `missing_as`: texts of
    the program's own list of usual spellings. `distinct` values, missing ones left out, are counted where `exact`,
    else estimated. `alone` is the share of rows whose value no other row has. Texts are `shortest` to `longest`
    characters long. `lowest` and `highest` are numbers or dates, None for others; `unfit` rows are not of the kind, or
    of another format than most. `shape` is that of most values, letters as A and a, digits as 9; None where there is
    none. `reading` is what source.columns needs for the column, in the words of the configuration.
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
    """A table: its rows, columns in order, and how many rows repeat an earlier one (None where not counted).

    Where the names of the columns are perhaps the values of a first row, `named_like_values` are the positions of those
    that look so.
    """

    rows: int
    columns: tuple[ColumnProfile, ...]
    duplicates: int | None = None
    named_like_values: tuple[int, ...] = ()

    def column(self, name: str) -> ColumnProfile:
        """The column of that name."""
        return next(column for column in self.columns if column.name == name)


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
class Shares:
    """Of one column: how many values of the sample were looked at, and how many have each mark."""

    looked_at: int = 0
    length: float = 0.0
    words: float = 0.0
    marks: Mapping[str, int] = field(default_factory=dict)

    def of(self, *marks: str) -> float:
        """The share of the values with the most frequent of these marks."""
        return max(self.marks.get(mark, 0) for mark in marks) / self.looked_at if self.looked_at else 0.0


@dataclass(frozen=True)
class Reading:
    """How values are understood: the keys of source.columns, what parses a text, and what another format reads."""

    kind: Kind
    keys: Mapping[str, Any] = field(default_factory=dict)
    parsed: exp.Expr | None = None


def kind_of(item: Column, shares: Shares, formats: Mapping[str, int], distinct: int, rows: int) -> Reading:
    """Of which kind a column is, `formats` being how many values of the sample are dates in each format."""
    by_type = _kind_of_type(item, shares)
    if by_type is not None:
        return Reading(by_type)
    if not shares.looked_at:
        return Reading("empty")
    if not item.is_text and not item.type.startswith("ENUM("):
        return Reading("category" if _is_few(distinct, rows) else "text")
    if shares.of("truth") >= MOST and distinct <= 2:
        return Reading("boolean")
    as_date = _date(shares, formats)
    if as_date is not None:
        return as_date
    as_number = _number(shares)
    if as_number is not None:
        return as_number
    return Reading(_texts(shares, distinct, rows))


def _kind_of_type(item: Column, shares: Shares) -> Kind | None:
    """The kind that a column's type tells; None for texts."""
    if item.type in (*WHOLE, "BIGNUM"):
        return "whole number"
    if item.type.startswith(("DOUBLE", "FLOAT", "DECIMAL")) and not item.type.endswith("]"):
        whole = shares.of("whole", "whole_with_zeros") == 1 or item.type.endswith(",0)")
        return "whole number" if whole else "decimal"
    simple: dict[str, Kind] = {"BOOLEAN": "boolean", "DATE": "date", "UUID": "code"}
    if item.type.startswith("TIMESTAMP") and not item.type.endswith("]"):
        return "timestamp"
    return simple.get(item.type)


def _number(shares: Shares) -> Reading | None:
    if shares.of("padded") > 0.02 or shares.length > 18:
        return None  # digits that are a code
    best = max(shares.of(mark) for mark, _, _ in _NUMBERS)
    if best < MOST:
        return None
    fitting = [one for one in _NUMBERS if shares.of(one[0]) >= best - 0.001]
    mark, decimal, thousands = fitting[0]
    if mark == "number_point_comma" and any(one[0] == "number_comma" for one in fitting) and not shares.of("whole"):
        mark, decimal, thousands = "number_comma", ",", None  # all have three digits behind it: decimals
    if thousands is None:
        whole = shares.of("whole", "whole_with_zeros", "digits_only") >= best - 0.001
    else:
        whole = shares.of("whole_grouped") >= best - 0.001
    kind: Kind = "whole number" if whole else "decimal"
    if mark == "number_point":
        return Reading(kind, {}, _parsed_number(decimal, thousands))
    keys = {"type": "number", **({"decimal": decimal} if decimal != "." else {})}
    return Reading(
        kind, {**keys, **({"thousands": thousands} if thousands else {})}, _parsed_number(decimal, thousands)
    )


def _parsed_number(decimal: str, thousands: str | None) -> exp.Expr:
    """A text as DOUBLE, NULL where it is none."""
    value: exp.Expr = exp.Trim(this=exp.column("value"))
    plain = value.copy()
    for old, new in ((thousands, ""), (decimal if decimal != "." else None, ".")):
        if old:
            plain = exp.func("replace", plain, literal(old), literal(new))
    number = exp.TryCast(this=plain, to=exp.DataType.build("DOUBLE"))
    # Plain numerals need no reading, and may be written with an exponent.
    readable = fits(value, TextReading("number", decimal=decimal, thousands=thousands))
    return number if (decimal, thousands) == (".", None) else exp.Case(ifs=[exp.If(this=readable, true=number)])


def _date(shares: Shares, formats: Mapping[str, int]) -> Reading | None:
    """Dates in the format of most; those of other formats are dates too, which the reading does not take."""
    dated = sum(_apart(formats).values())
    if not shares.looked_at or dated / shares.looked_at < MOST:
        return None
    best = max(formats, key=lambda one: formats[one])  # the first of those that are as many
    timed = "%H" in best or "%I" in best
    keys = (
        {}
        if best == "%Y-%m-%d" and formats[best] >= dated
        else {"type": "timestamp" if timed else "date", "format": best}
    )
    return Reading("timestamp" if timed else "date", keys, parsed_date(best))


def _apart(formats: Mapping[str, int]) -> dict[str, int]:
    """Of formats that one text can be written in, as day and month in two orders, the one of most texts."""
    found: dict[str, int] = {}
    for text, count in formats.items():
        like = re.sub("%[dmbB]", "%d", text)
        found[like] = max(found.get(like, 0), count)
    return found


def parsed_date(text: str) -> exp.Expr:
    """A text in a format as TIMESTAMP, NULL where it is not written so."""
    value: exp.Expr = exp.Trim(this=exp.column("value"))
    parsed = exp.Anonymous(this="try_strptime", expressions=[value.copy(), literal(text)])
    return exp.Case(ifs=[exp.If(this=fits_format(text), true=parsed)])


def formats_of(shapes: Iterable[str]) -> list[str]:
    """The formats in which texts of some shapes may be written, the plainest first."""
    listed = set(shapes)
    # A letter of the format itself, as T before the time, is one in the shape.
    patterns = {text: re.compile(_shape_pattern(re.sub("T(?=%)", "A", text))) for text in FORMATS}
    return [text for text, pattern in patterns.items() if any(map(pattern.fullmatch, listed))]


def fits_format(text: str) -> exp.Expr:
    """Whether a text is a date in a format, as source.columns reads it."""
    return fits(exp.Trim(this=exp.column("value")), TextReading("timestamp", format=text))


def _shape_pattern(text: str) -> str:
    pieces = re.split("%(.)", text)
    made = (_SHAPES[one] if position % 2 else re.escape(one) for position, one in enumerate(pieces))
    return "".join(made).replace("\\ ", " ")


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


def positions(found: Sequence[tuple[Any, ...]]) -> dict[int, tuple[Any, ...]]:
    """Rows of a result by their first column, the number of a column of the source."""
    return {int(row[0]): row[1:] for row in found}
