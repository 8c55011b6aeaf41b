"""Numbers of a column of any type, exactly: as DECIMAL, and back as they are released.

A floating point number is the number that is written for it, 2.675, and not the binary one next to it: the same table
gives the same release from Parquet and from CSV.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from sqlglot import exp

from kanon_sql.source.model import Column
from kanon_sql.source.reading import Reading
from kanon_sql.sql.dialects import Dialect, column_type, marked

# Spark gives a sum one digit more than its parts have, and takes decimals away where there are 39.
_DIGITS = 36
_DECIMALS = 18  # of texts and floating point numbers
_MOST_DECIMALS = 34
_IN_DOUBLE = 2**53  # from here on all floating point numbers are whole
_FLOATING = ("FLOAT", "DOUBLE")
_NARROW = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")
_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64}
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


def decimals_of(number: Decimal) -> int:
    """The decimals of a number, without zeros at their end."""
    exponent = number.normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def numeral(number: Decimal) -> str:
    """A number as a plain numeral without needless zeros."""
    return format(number.normalize(), "f") if number else "0"


@dataclass(frozen=True)
class Exact:
    """The numbers of a column, with as many decimals as it and the numbers of a treatment have."""

    item: Column
    dialect: Dialect
    scale: int
    is_narrow: bool = False

    @property
    def kind(self) -> exp.DataType:
        """The type in which they are reckoned with."""
        return exp.DataType.build("BIGINT" if self.is_narrow else f"DECIMAL({_DIGITS}, {self.scale})", dialect="duckdb")

    @property
    def whole(self) -> int:
        """How many digits there are before the decimal mark."""
        return _DIGITS - self.scale

    def of(self, value: exp.Expr) -> exp.Expr:
        """A value as such a number; of a text, which fits its reading, as it is written."""
        if self.item.is_text:
            return self._cast(self.plain(value))
        if not is_floating(self.item):
            return self._cast(value)
        text = self._cast(exp.cast(value.copy(), "VARCHAR"))
        if self.dialect.name not in ("spark", "databricks"):
            return text
        # Sail reads no numeral with an exponent, Spark writes one from ten million on.
        is_large = exp.GTE(this=exp.Abs(this=value.copy()), expression=_double(_IN_DOUBLE))
        whole = exp.Cast(this=value.copy(), to=exp.DataType.build("DECIMAL(38, 0)", dialect="duckdb"))
        letters = [
            exp.Like(this=exp.cast(value.copy(), "VARCHAR"), expression=exp.Literal.string(f"%{letter}%"))
            for letter in "eE"
        ]
        cases = [
            exp.If(this=is_large, true=self._cast(whole)),
            exp.If(this=exp.or_(*letters), true=self._cast(value)),
        ]
        return exp.Case(ifs=cases, default=text)

    def plain(self, text: exp.Expr) -> exp.Expr:
        """A text that fits its reading with a point before the decimals and nothing between groups of digits."""
        made, reading = text.copy(), self.item.reading or Reading("number")
        for mark, other in ((reading.thousands, ""), (reading.decimal, ".")):
            if mark is not None and mark != other:
                texts = {"expression": exp.Literal.string(mark), "replacement": exp.Literal.string(other)}
                made = exp.Replace(this=made, **texts)
        return made

    def constant(self, number: Decimal) -> exp.Expr:
        """A number of the configuration as such a one."""
        text = numeral(number)
        return self._cast(exp.Literal.number(int(number)) if self.is_narrow else exp.Literal.string(text))

    def back(self, number: exp.Expr, decimals: int) -> exp.Expr:
        """A number with at most so many decimals as a value of the column: its type, or a plain numeral."""
        if not self.item.is_text and not is_floating(self.item):
            return exp.Cast(this=number, to=self._own_type())
        short = exp.DataType.build(f"DECIMAL({_DIGITS}, {decimals})", dialect="duckdb")
        text: exp.Expr = exp.cast(exp.Cast(this=number, to=short), "VARCHAR")
        if not self.item.is_text:
            # Some engines divide a DECIMAL for it, which is not always the nearest number.
            return exp.cast(text, "DOUBLE")
        for needless in "0." if decimals else "":
            text = exp.Trim(this=text, expression=exp.Literal.string(needless), position="TRAILING")
        return text

    def released(self, number: Decimal) -> exp.Expr:
        """A number of the configuration as a value of the column."""
        if self.item.is_text:
            return exp.Literal.string(numeral(number))
        return exp.Cast(this=exp.Literal.string(numeral(number)), to=self._own_type())

    def sought(self, number: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """What a statement finds, the text of a number: as such a number, and as a value of the column."""
        made = self._cast(exp.paren(number))
        value = self.back(made, self.scale)
        return made, exp.Cast(this=value, to=self._own_type()) if is_floating(self.item) else value

    def too_large(self, value: exp.Expr) -> exp.Expr | None:
        """Whether a text or a number has more digits than there is place for; None where none has."""
        whole = self.whole
        if self.item.is_text:
            shape = f"^[+-]?0*[0-9]{{0,{whole}}}([.][0-9]{{0,{self.scale}}}0*)?$"
            return exp.not_(exp.RegexpLike(this=self.plain(value), expression=exp.Literal.string(shape)))
        digits, decimals = digits_of(self.item)
        if digits - decimals <= whole:
            return None
        kind = f"DECIMAL(38, {decimals})" if digits <= 38 else self.item.type
        limit = exp.Cast(
            this=exp.Literal.string(numeral(Decimal(10) ** whole)), to=exp.DataType.build(kind, dialect="duckdb")
        )
        return exp.GTE(this=exp.Abs(this=value.copy()), expression=limit)

    def not_below(self, value: exp.Expr, most: Decimal) -> exp.Expr:
        """Whether a floating point number is infinite, none at all, or not below a size."""
        limit = exp.cast(exp.Literal.string(numeral(most)), "DOUBLE")
        return exp.not_(exp.paren(exp.LT(this=exp.Abs(this=value.copy()), expression=limit)))

    def beyond(self, number: exp.Expr) -> exp.Expr | None:
        """Whether a number has no place in the column's type; None where there is no telling before."""
        bounds = bounds_of(self.item)
        if bounds is None:
            return None
        below = exp.LT(this=number.copy(), expression=self.constant(bounds[0]))
        return exp.or_(below, exp.GT(this=number.copy(), expression=self.constant(bounds[1])))

    def _cast(self, value: exp.Expr) -> exp.Expr:
        return exp.Cast(this=value.copy(), to=self.kind)

    def _own_type(self) -> exp.DataType:
        described = self.item.type
        if self.dialect.name == "duckdb":
            return exp.DataType.build(described, dialect="duckdb")
        if described in ("SMALLINT", "INTEGER"):
            made = marked(exp.DataType.build(described, dialect="duckdb"))
            assert isinstance(made, exp.DataType)
            return made
        return column_type(self.dialect, described, f"column {self.item.name!r}")


def exact(item: Column, dialect: Dialect, *numbers: Decimal) -> Exact:
    """The numbers of a column, beside these of a treatment."""
    decimals = max(map(decimals_of, numbers), default=0)
    if item.type in _NARROW and not decimals:
        return Exact(item, dialect, 0, is_narrow=True)
    if item.is_text or is_floating(item):
        return Exact(item, dialect, min(max(_DECIMALS, decimals + 16), _MOST_DECIMALS))
    # One more than the unit has: for the middle between two multiples.
    return Exact(item, dialect, max(decimals + 1, digits_of(item)[1]))


def is_floating(item: Column) -> bool:
    """Whether a column holds floating point numbers."""
    return item.type in _FLOATING


def unsparing(numbers: Exact) -> Exact:
    """The same in a type in which no sum overflows."""
    return replace(numbers, is_narrow=False)


def digits_of(item: Column) -> tuple[int, int]:
    """(digits, decimals among them) of the numbers of a column that are no floating point ones."""
    found = _DECIMAL.fullmatch(item.type)
    if found:
        return int(found[1]), int(found[2])
    return (20 if item.type.removeprefix("U") in _BITS else 40), 0


def bounds_of(item: Column) -> tuple[Decimal, Decimal] | None:
    """The least and the greatest number of a type; None where it has no such bounds, or reckoning ends before them."""
    found = _DECIMAL.fullmatch(item.type)
    if found:
        digits, decimals = int(found[1]), int(found[2])
        most = (Decimal(10) ** digits - 1).scaleb(-decimals)
        return (-most, most) if digits < _DIGITS else None
    bits = _BITS.get(item.type.removeprefix("U"))
    if bits is None:
        return None
    if item.type.startswith("U"):
        return Decimal(0), Decimal(2**bits - 1)
    return Decimal(-(2 ** (bits - 1))), Decimal(2 ** (bits - 1) - 1)


def _double(number: int) -> exp.Expr:
    return exp.cast(exp.Literal.number(number), "DOUBLE")
