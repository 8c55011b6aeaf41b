"""What is done to numbers, dates and texts of a column without a key: rounded, cut, replaced.

What is done to the values of a column before anything is generalized.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from kanon_sql.settings.part import ColumnName, DataText, Part, Width
from kanon_sql.settings.rules import VARIABLE, Excludes, Faults, Odd, numbers_of
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
    match = _SHARE.fullmatch(end) if isinstance(end, str) else None
    return Fraction(match[1]) / 100 if match else None


class FoundEnd(Decimal):
    """The number that was found for a share of the rows.

    It is a value of the source, and is told only where `shown` says that enough rows of a release hold it; that is
    noted once a release is there.
    """

    share: Fraction
    shown: bool

    def __new__(cls, number: Decimal, share: Fraction) -> FoundEnd:
        instance = super().__new__(cls, number)
        instance.share = share
        instance.shown = False
        return instance


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


def first_of(coding: Coding) -> str | None:
    """The first treatment of numbers that a column has."""
    return next((key for key in _OF_NUMBERS if getattr(coding, key) is not None), None)


KEYED = ("pseudonym", "shift")
"""The treatments that have a secret key."""

FEWEST_BITS = 128
_VARIABLE = re.compile(VARIABLE["pattern"])


def variable_of(text: object) -> str | None:
    """The variable of the environment that a text names, and nothing else; None for any other text."""
    return text[2:-1] if isinstance(text, str) and _VARIABLE.fullmatch(text) else None


def key_problem(key: str) -> str | None:
    """What is wrong with a key, without a word of it; None where it can be used."""
    if not re.fullmatch(r"([0-9A-Fa-f]{2})+", key):
        return "expected a key in hexadecimal digits, two for each byte, as kanon-sql key new makes one"
    if 4 * len(key) < FEWEST_BITS:
        return (
            f"expected a key of {FEWEST_BITS} bits or more, as kanon-sql key new makes one; this one has {4 * len(key)}"
        )
    return None


def _checked_key(key: str) -> str:
    problem = key_problem(key)
    if problem is not None:
        raise ValueError(problem)
    return key


Key = Annotated[
    str,
    AfterValidator(_checked_key),
    WithJsonSchema({"type": "string", "pattern": f"^{VARIABLE['pattern']}$"}),
]


class PseudonymConfig(Part):
    """Values become pseudonyms: digits of HMAC-SHA-256, the same for the same value and key everywhere."""

    key: Key = Field(repr=False, description="${NAME}: the variable of the environment that holds the key")
    length: int = Field(32, ge=1, le=64, description="how many hexadecimal digits a pseudonym has")
    prefix: DataText | None = Field(None, description="what stands before the digits")
    context: Annotated[str, Field(pattern="^[^\0]*$")] | None = Field(
        None, description="a name, such as a study's: in two of them a value has different pseudonyms"
    )


def _whole_weeks(given: Given) -> Faults:
    days = str(given.get("days"))
    if str(given.get("weeks")).lower() in ("true", "yes", "on", "1", "y", "t") and days.isdecimal() and int(days) < 7:
        yield ("days",), "whole weeks need 7 days or more; raise days, or remove weeks"


class ShiftConfig(Part):
    """Dates of one entity are moved by the same number of days, of which the key and the entity decide."""

    between = (Odd(_whole_weeks),)

    days: int = Field(ge=1, le=36_525, description="by how many days at most, to either side")
    by: ColumnName = Field(description="the column that says whose date it is; it need not be released")
    key: Key = Field(repr=False, description="${NAME}: the variable of the environment that holds the key")
    weeks: bool = Field(False, description="by whole weeks, so that each date keeps its day of the week")


def _alone(given: Given) -> Faults:
    others = [key for key in given if key != "pseudonym" and given[key] is not None]
    if given.get("pseudonym") is not None:
        for key in others:
            yield (key,), f"{key} does not go with pseudonym, of which no value is left; keep one of the two"
    if not others and given.get("pseudonym") is None:
        yield (), "there is no treatment; expected one such as pseudonym or shift, or no entry"


class TreatmentConfig(Coding):
    """What is done to the values of one column."""

    between = (*Coding.between, Odd(_alone))

    pseudonym: PseudonymConfig | None = Field(None, description="values become pseudonyms, made with a secret key")
    shift: ShiftConfig | None = Field(None, description="dates are moved, all of an entity by as many days")

    @classmethod
    def faults(cls, given: Given) -> Faults:
        yield from super().faults(given)
        for key, part in (("pseudonym", PseudonymConfig), ("shift", ShiftConfig)):
            below = given.get(key)
            if isinstance(below, Mapping):
                yield from (((key, *path), text) for path, text in part.faults(below))


def treated_columns(config: Given) -> Faults:
    """Which treatments go with the role of their column."""
    transform, privacy = config.get("transform"), config.get("privacy")
    if not isinstance(transform, Mapping):
        return
    entity = privacy.get("entity") if isinstance(privacy, Mapping) else None
    identifiers, quasi = _names(config.get("identifiers")), _names(config.get("quasi_identifiers"))
    released = {*quasi, *_names(config.get("sensitive")), *_names(config.get("insensitive"))}
    for name, treatment in transform.items():
        if not isinstance(treatment, Mapping):
            continue
        others = [key for key in treatment if key != "pseudonym" and treatment[key] is not None]
        path = ("transform", name)
        if name in identifiers or name == entity:
            role = "an identifier" if name in identifiers else "the column of privacy.entity"
            for key in others:
                yield (*path, key), f"{role} is never released, but for its pseudonym; remove {key}"
        elif name in quasi and treatment.get("pseudonym") is not None:
            text = "a quasi-identifier is generalized, which nothing is left of in a pseudonym; name it in identifiers"
            yield (*path, "pseudonym"), text
        elif config.get("unlisted") == "drop" and name not in released:
            yield path, "the column is not released, as no list names it; name it in one, or remove its treatments"
    if any(name in transform for name in quasi):
        yield from _population_faults(privacy)


def _population_faults(privacy: Any) -> Faults:
    for key, spec in privacy.items() if isinstance(privacy, Mapping) else ():
        for entry in spec if isinstance(spec, (list, tuple)) else [spec]:
            if isinstance(entry, Mapping) and entry.get("population") is not None:
                text = "a population holds values without treatments; remove those of the quasi-identifiers, or it"
                yield ("privacy", key), text


def _names(part: Any) -> list[Any]:
    return list(part) if isinstance(part, (Mapping, list, tuple)) else []
