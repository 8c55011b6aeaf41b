"""Dates in texts of a format, in engines whose own formats differ: taken apart and put together by plain functions.

Which texts are dates is said by the regular expressions of kanon_sql.source.reading; here their parts are found, so
that an engine needs no formats of dates, which none has as strptime has them but DuckDB.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from kanon_sql.source.reading import MONTHS, Reading, beside_digits, exactly, fits
from kanon_sql.sql.dialects import Dialect, own

_TOKEN = re.compile(r"%.|[^%]")
_PARTS = {"Y": "[0-9]{4}", "y": "[0-9]{2}", "b": "[A-Za-z]+", "B": "[A-Za-z]+", "f": "[0-9]{1,6}", "p": "[A-Za-z]{2}"}
_AT_MIDNIGHT = {"H": "00", "I": "12", "M": "00", "S": "00", "f": "000000", "p": "AM"}
_FIRST_OF_1900S = "69"  # of two digits, as strptime has it


class Formatted:
    """A text of a format in the SQL of a dialect; its parts say nothing where it does not fit."""

    def __init__(self, text: exp.Expr, reading: Reading, dialect: Dialect) -> None:
        assert reading.format is not None
        self.text, self.reading, self.dialect = text, reading, dialect
        self.tokens: list[str] = _TOKEN.findall(reading.format)

    def day(self) -> exp.Expr:
        """Its date, the first that there can be where the format says no more; NULL where the text does not fit."""
        whole = own("concat", self._year(), "-", self._month(), "-", self._padded("d", "01"))
        is_date = exp.If(this=fits(self.text, self.reading), true=exp.cast(whole, "DATE"))
        return exp.Case(ifs=[is_date])

    def moved(self, day: exp.Expr) -> exp.Expr:
        """The text with another date, and its own time."""
        times = {letter: self._padded(letter, zero) for letter, zero in _AT_MIDNIGHT.items()}
        if "%f" in self.tokens:
            times["f"] = own("rpad", self._part("f"), 6, "0")
        if "%p" in self.tokens:
            times["p"] = own("upper", self._part("p"))
        return self._written(self.dialect.date_text(day), times)

    def first_of(self, unit: str) -> exp.Expr:
        """The text of the first moment of its day, month or year."""
        month = exp.Literal.string("01") if unit == "year" else self._month()
        day = self._padded("d", "01") if unit == "day" else exp.Literal.string("01")
        midnight = {letter: exp.Literal.string(text) for letter, text in _AT_MIDNIGHT.items()}
        return self._written(own("concat", self._year(), "-", month, "-", day), midnight)

    def _part(self, letter: str) -> exp.Expr:
        """What stands in the place of a directive."""
        pattern, number = "", 0
        for position, token in enumerate(self.tokens):
            named = token[1:]
            if not named:
                pattern += exactly(token)
                continue
            digits = "[0-9]{2}" if beside_digits(self.tokens, position) else "[0-9]{1,2}"
            part = _PARTS.get(named, digits)
            # One group alone: engines write the others differently.
            pattern += f"({part})" if named == letter else part
            number += named == letter
        assert number == 1
        return self.dialect.replace_all(self.text.copy(), f"^{pattern}$", r"\1")

    def _padded(self, letter: str, absent: str) -> exp.Expr:
        """The two digits of a directive, or a text where the format has none."""
        if f"%{letter}" not in self.tokens:
            return exp.Literal.string(absent)
        return own("lpad", self._part(letter), 2, "0")

    def _year(self) -> exp.Expr:
        if "%Y" in self.tokens:
            return self._part("Y")
        digits = self._part("y")
        is_old = exp.GTE(this=digits, expression=exp.Literal.string(_FIRST_OF_1900S))
        old, new = (own("concat", century, digits.copy()) for century in ("19", "20"))
        return exp.Case(ifs=[exp.If(this=is_old, true=old)], default=new)

    def _month(self) -> exp.Expr:
        for letter in "bB":
            if f"%{letter}" in self.tokens:
                begin = own("lower", own("substr", self._part(letter), 1, 3))
                return _chosen(begin, {name[:3]: f"{number:02}" for number, name in enumerate(MONTHS, 1)})
        return self._padded("m", "01")

    def _written(self, iso: exp.Expr, times: Mapping[str, exp.Expr]) -> exp.Expr:
        """The text of the format for a date in ISO 8601 and parts of a time."""
        places = {"Y": (1, 4), "y": (3, 2), "m": (6, 2), "d": (9, 2)}
        parts = list[exp.Expr]()
        for token in self.tokens:
            letter = token[1:]
            if not letter:
                parts.append(exp.Literal.string(token))
            elif letter in places:
                parts.append(own("substr", iso.copy(), *places[letter]))
            elif letter in "bB":
                names = {f"{i:02}": name.title()[: 3 if letter == "b" else None] for i, name in enumerate(MONTHS, 1)}
                parts.append(_chosen(own("substr", iso.copy(), 6, 2), names))
            else:
                parts.append(times[letter].copy())
        return own("concat", *parts)


def _chosen(text: exp.Expr, others: Mapping[str, str]) -> exp.Expr:
    cases = [exp.If(this=exp.Literal.string(key), true=exp.Literal.string(other)) for key, other in others.items()]
    return exp.Case(this=text, ifs=cases)
