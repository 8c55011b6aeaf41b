"""What is done to numbers, dates and texts of a column without a key: rounded, cut, replaced."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from kanon_sql.settings.part import Part, Width
from kanon_sql.settings.rules import Excludes, Faults, Odd, numbers_of
from kanon_sql.settings.rules import Part as Given

Shape = Literal["email", "url", "iban", "card", "ip", "date", "phone", "id", "name"]
"""What is found in texts by its shape."""

_SHARE = re.compile(r"\s*([0-9]{1,2}(?:\.[0-9]{0,10})?|\.[0-9]{1,10})\s*%\s*")
_ROUNDED = ("round", "decimals")
_ENDS = ("bottom", "top")
_OF_NUMBERS = (*_ROUNDED, *_ENDS)
_MOST_DIGITS, _MOST_DECIMALS = 15, 12


def share_of(end: object) -> Fraction | None:
    """The share of the rows that an end stands for, None for a number."""
    found = _SHARE.fullmatch(end) if isinstance(end, str) else None
    return Fraction(found[1]) / 100 if found else None


class FoundEnd(Decimal):
    """The number that was found for a share of the rows.

    It is a value of the source, and is told only where `shown` says that enough rows of a release hold it; that is
    noted once a release is there.
    """

    share: Fraction
    shown: bool

    def __new__(cls, number: Decimal, share: Fraction) -> FoundEnd:
        made = super().__new__(cls, number)
        made.share = share
        made.shown = False
        return made


def _end(value: Any) -> Decimal | str:
    """A number, or a share such as 1%."""
    if isinstance(value, str) and value.rstrip().endswith("%"):
        share = share_of(value)
        if not share or share >= Fraction(1, 2):
            raise ValueError("expected a share above 0% and below 50%, such as 1%")
        return f"{value.strip().rstrip('%').strip()}%"
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if isinstance(value, bool) or not number.is_finite():
        raise ValueError('expected a number, or a share of the rows such as "1%"')
    return _bounded(number)


def _bounded(number: Decimal) -> Decimal:
    """A number that can be reckoned with exactly."""
    if number.adjusted() >= _MOST_DIGITS or int(number.normalize().as_tuple().exponent) < -_MOST_DECIMALS:
        raise ValueError(
            f"expected a number of at most {_MOST_DIGITS} digits before and {_MOST_DECIMALS} behind the decimal mark"
        )
    return number


_END = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\s*([0-9]{1,2}(\.[0-9]*)?|\.[0-9]+)\s*%\s*$"}]}
Unit = Annotated[Width, AfterValidator(_bounded)]
End = Annotated[Decimal | str, BeforeValidator(_end), WithJsonSchema(_END)]


def _number(value: object) -> Fraction | None:
    return next(iter(numbers_of([value])), None)


def _ends_fit(given: Given) -> Faults:
    """The top is above the bottom, and both are what numbers are rounded to."""
    bottom, top = _number(given.get("bottom")), _number(given.get("top"))
    if bottom is not None and top is not None and top <= bottom:
        yield ("top",), f"top {given['top']} is not above bottom {given['bottom']}; exchange or correct them"
    unit = _number(given.get("round"))
    decimals = _number(given.get("decimals"))
    if unit is None and decimals is not None and decimals.denominator == 1 and 0 <= decimals <= 40:
        unit = Fraction(1, 10 ** int(decimals))
    for key, end in (("bottom", bottom), ("top", top)):
        if end is not None and unit and (end / unit).denominator != 1:
            by = "round" if given.get("round") is not None else "decimals"
            yield (key,), f"{key} {given[key]} is no number that {by}: {given[by]} leaves; name one that is"


class Coding(Part):
    """What is done to the values of one column without a key."""

    between = (
        Excludes("round", ("decimals",), "decimals does not go with round; keep one of the two"),
        *(
            Excludes(key, others, "{key} does not go with " + key + ", which is for " + what + "; keep one of the two")
            for key, others, what in (
                ("cut", (*_OF_NUMBERS, "redact"), "dates"),
                ("redact", (*_OF_NUMBERS, "shift"), "texts"),
                ("shift", _OF_NUMBERS, "dates"),
            )
        ),
        Odd(_ends_fit),
    )

    round: Unit | None = Field(None, description="numbers become the nearest multiple of this one, half to even")
    decimals: int | None = Field(
        None, ge=0, le=_MOST_DECIMALS, description="numbers keep so many decimals, half to even"
    )
    bottom: End | None = Field(
        None, description="numbers below are replaced by it: a number, or a share of the rows such as 1%"
    )
    top: End | None = Field(
        None, description="numbers above are replaced by it: a number, or a share of the rows such as 1%"
    )
    cut: Literal["day", "month", "year"] | None = Field(
        None, description="dates become the first day of their month or year, timestamps the beginning of their day too"
    )
    redact: list[Shape] | None = Field(
        None, min_length=1, description="what looks like one of these within a text is replaced by its name in brackets"
    )


def first_of(one: Coding) -> str | None:
    """The first treatment of numbers that a column has."""
    return next((key for key in _OF_NUMBERS if getattr(one, key) is not None), None)
