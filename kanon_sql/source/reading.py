"""How texts are read: how a value itself is changed, which texts fit a type, and what they stand for.

A value that is read keeps the text under which it is released. Wherever a number or a moment is needed, and wherever
two texts of one number must not count as two, its `understood` text replaces it: a plain numeral without needless
zeros, an ISO date or timestamp. Which texts fit is defined by regular expressions that mean the same in every engine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from kanon_sql.settings.columns import BLANKS, ColumnConfig, ColumnType, as_listed

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_LONG, _SHORT = (1, 3, 5, 7, 8, 10, 12), (4, 6, 9, 11)
_ALL = tuple(range(1, 13))
_BY_FOUR = "(0[48]|[2468][048]|[13579][26])"
_YEAR = "(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
_LEAPS = {"Y": f"([0-9]{{2}}{_BY_FOUR}|{_BY_FOUR}00)", "y": "([02468][048]|[13579][26])"}
# (days, the months that have them, whether in leap years only).
_DAYS = (
    ("(0[1-9]|1[0-9]|2[0-8])", _ALL, False),
    ("(29|30)", (*_LONG, *_SHORT), False),
    ("31", _LONG, False),
    ("29", (2,), True),
)
_TIMES = {
    "H": "(0[0-9]|1[0-9]|2[0-3])",
    "I": "(0[1-9]|1[0-2])",
    "M": "(0[0-9]|[1-5][0-9])",
    "S": "(0[0-9]|[1-5][0-9])",
    "f": "[0-9]{1,6}",
    "p": "[AaPp][Mm]",
}
_SECONDS = f"(:{_TIMES['S']}([.,][0-9]{{1,9}})?)?"
_ISO_TIME = f"[Tt ]{_TIMES['H']}:{_TIMES['M']}{_SECONDS}( ?([Zz]|[+-][0-9]{{2}}(:?[0-9]{{2}})?))?"
# The characters of BLANKS, as DuckDB's regular expressions write them.
_BLANK = r"[\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]"
_NUMBERS_LETTERS = "YymdHIMSf"


@dataclass(frozen=True)
class Reading:
    """What the texts of a column stand for; `place` is where the configuration says so.

    `is_sure` says that every value fits or was made missing; `makes_null` that texts may have become NULL, so that an
    empty text is no value either. `is_told` says that the configuration has the type; else it is found in the values.
    """

    type: ColumnType
    format: str | None = None
    decimal: str = "."
    thousands: str | None = None
    is_sure: bool = field(default=False, compare=False)
    makes_null: bool = field(default=False, compare=False)
    place: str = field(default="", compare=False)
    is_told: bool = True

    @property
    def is_typed(self) -> bool:
        """Whether the texts stand for numbers, dates or timestamps."""
        return self.type != "text"

    @property
    def words(self) -> str:
        """The expected texts, as messages name them."""
        if self.type == "number":
            marks = f"the decimal mark {self.decimal!r}"
            return f"numbers with {marks}" + (f" and {self.thousands!r} between thousands" if self.thousands else "")
        iso = "ISO 8601, 2001-12-31" + (" or 2001-12-31 23:59" if self.type == "timestamp" else "")
        return f"{self.type}s written as {self.format or iso}"


def changed(value: exp.Expr, config: ColumnConfig, missing: Sequence[str], dialect: str) -> exp.Expr:
    """The value itself: trimmed, in one case, recoded, NULL for the column's own `missing` texts.

    Texts of the source's list `missing` are recognized before the case is changed, and stay as they are. Where a column
    has missing texts the empty one is missing too, as a release in CSV writes both alike.
    """
    text = value
    own = [*config.missing, ""] if config.missing and "" not in missing else config.missing
    if config.trim:
        text = _trimmed_here(text) if dialect == "duckdb" else _without(text, BLANKS, "BOTH")
    if config.case is not None:
        text = exp.Lower(this=text) if config.case == "lower" else exp.Upper(this=text)
    blanks_and_case = {"trim": config.trim, "case": config.case}
    becomes: dict[str, str | None] = {}
    if config.case is not None:
        becomes |= {as_listed(original, blanks_and_case): original for original in missing}
    becomes |= dict.fromkeys((as_listed(original, blanks_and_case) for original in own), None)
    for original, other in config.recode.items():
        becomes[original] = None if other in own else other
    if not becomes:
        return text
    cases = [exp.If(this=exp.Literal.string(original), true=exp.convert(other)) for original, other in becomes.items()]
    return exp.Case(this=text, ifs=cases, default=text.copy())


def _trimmed_here(value: exp.Expr) -> exp.Expr:
    """The text without blanks around it, by a replacement: DuckDB takes four times as long to trim such characters."""
    around = exp.Literal.string(f"^{_BLANK}+|{_BLANK}+$")
    return exp.Anonymous(this="regexp_replace", expressions=[value, around, *map(exp.Literal.string, ("", "g"))])


def fits(value: exp.Expr, reading: Reading) -> exp.Expr:
    """The condition that a text fits a reading."""
    return exp.RegexpLike(this=value.copy(), expression=exp.Literal.string(f"^({pattern(reading)})$"))


def pattern(reading: Reading) -> str:
    """The regular expression of all texts that fit, made only of what means the same in every engine."""
    if reading.type == "number":
        return _number_pattern(reading)
    if reading.format is not None:
        return _format_pattern(reading.format)
    date = _format_pattern("%Y-%m-%d", strict=True)
    return date if reading.type == "date" else f"({date})({_ISO_TIME})?"


def _number_pattern(reading: Reading) -> str:
    point, groups = exactly(reading.decimal), "[0-9]+"
    if reading.thousands is not None:
        groups = f"([0-9]{{1,3}}({exactly(reading.thousands)}[0-9]{{3}})+|[0-9]+)"
    return f"[+-]?({groups}({point}[0-9]*)?|{point}[0-9]+)"


def exactly(text: str) -> str:
    """A text as a regular expression that matches it; characters with a meaning there are in brackets."""
    return "".join(char if char.isalnum() or char in " ,:;/'_-" else f"[{char}]" for char in text)


def _format_pattern(written: str, *, strict: bool = False) -> str:
    """The regular expression of all dates of a format that the calendar has."""
    tokens = re.findall(r"%.|[^%]", written)
    days = _DAYS if "%d" in tokens else ((None, _ALL, False),)
    return "|".join(
        "".join(
            _piece(token, day, months, leap=leap, padded=strict or beside_digits(tokens, position))
            for position, token in enumerate(tokens)
        )
        for day, months, leap in days
    )


def beside_digits(tokens: Sequence[str], position: int) -> bool:
    """Whether digits are right beside a directive, so that its own must be two."""
    beside = [*tokens[max(position - 1, 0) : position], *tokens[position + 1 : position + 2]]
    return any(token[-1] in _NUMBERS_LETTERS if token[0] == "%" else token.isdigit() for token in beside)


def _piece(token: str, day: str | None, months: Sequence[int], *, leap: bool, padded: bool) -> str:
    """The regular expression of a directive, or of the text between two."""
    letter = token[1:]
    if not letter:
        return exactly(token)
    if letter in _LEAPS:
        return _LEAPS[letter] if leap else _YEAR if letter == "Y" else "[0-9]{2}"
    if letter in "bB":
        names = [MONTHS[month - 1] for month in months]
        spelled = [name if letter == "B" else name[:3] for name in names]
        return f"({'|'.join(''.join(f'[{char.upper()}{char}]' for char in name) for name in spelled)})"
    if letter == "m":
        piece = f"({'|'.join(f'{month:02}' for month in months)})"
    elif letter == "d":
        piece = day or ""
    else:
        piece = _TIMES[letter]
    # A zero before one digit may be left out.
    return piece if padded else piece.replace("(0", "(0?").replace("|0", "|0?")


def understood(value: exp.Expr, reading: Reading | None) -> exp.Expr:
    """The plain numeral or ISO text that a text stands for; a text that does not fit stays as it is."""
    if reading is None or not reading.is_typed:
        return value
    return _numeral(value, reading) if reading.type == "number" else _moment(value, reading)


def _numeral(value: exp.Expr, reading: Reading) -> exp.Expr:
    """A number as a plain numeral, -01,50 as -1.5, made only of functions that every engine has."""
    plain = value
    for mark, other in ((reading.thousands, ""), (reading.decimal, ".")):
        if mark is not None and mark != other:
            texts = {"expression": exp.Literal.string(mark), "replacement": exp.Literal.string(other)}
            plain = exp.Replace(this=plain, **texts)
    digits: exp.Expr = _without(plain, "+-0", "LEADING")
    fraction = _without(_without(digits, "0", "TRAILING"), ".", "TRAILING")
    kept = exp.Case(ifs=[exp.If(this=_like(plain, "%.%"), true=fraction)], default=digits.copy())
    zero = exp.and_(kept.copy().eq(exp.Literal.string("")), _like(plain, "%0%"))
    nothing = exp.Literal.string("")
    sign = exp.Case(ifs=[exp.If(this=_like(plain, "-%"), true=exp.Literal.string("-"))], default=nothing)
    lead = exp.Case(ifs=[exp.If(this=_like(kept, ".%"), true=exp.Literal.string("0"))], default=nothing.copy())
    whole = exp.DPipe(this=exp.DPipe(this=sign, expression=lead, safe=True), expression=kept, safe=True)
    return exp.Case(ifs=[exp.If(this=zero, true=exp.Literal.string("0"))], default=whole)


def _without(value: exp.Expr, chars: str, position: str) -> exp.Trim:
    return exp.Trim(this=value.copy(), expression=exp.Literal.string(chars), position=position)


def _like(value: exp.Expr, written: str) -> exp.Expr:
    return exp.Like(this=value.copy(), expression=exp.Literal.string(written))


def _moment(value: exp.Expr, reading: Reading) -> exp.Expr:
    """A date or timestamp in ISO 8601, as DuckDB writes it."""
    if reading.format is not None:
        moment: exp.Expr = _call("try_strptime", value, reading.format)
    else:
        # An offset from UTC is left out, so that the day is the one that is written.
        there = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9:]{5,8}([.,][0-9]{1,6})?)?"
        text = _call("translate", _call("regexp_extract", value, there), "Tt,", "  .")
        moment = exp.TryCast(this=text, to=exp.DataType.build("TIMESTAMP", dialect="duckdb"))
    if reading.type == "date":
        moment = exp.TryCast(this=moment, to=exp.DataType.build("DATE", dialect="duckdb"))
    return exp.Coalesce(this=exp.cast(moment, "VARCHAR"), expressions=[value.copy()])


def _call(name: str, value: exp.Expr, *texts: str) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[value.copy(), *map(exp.Literal.string, texts)])
