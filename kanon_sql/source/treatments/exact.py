"""Numbers of a column of any type as exact DECIMAL numbers, and back as they are released.

A floating point number counts as the number that is written for it, 2.675, and not as the binary one next to it: so the
same table gives the same release from Parquet and from CSV.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Context, Decimal

from sqlglot import exp

from kanon_sql.source.model import Column
from kanon_sql.source.reading import Reading
from kanon_sql.sql.dialects import Dialect, column_type, marked
from kanon_sql.sql.template import type_of

# Spark gives a sum one digit more than its parts have, and takes decimals away where there are 39.
_DIGITS = 36
_DECIMALS = 18  # of texts and floating point numbers
_MOST_DECIMALS = 34
_EXACTLY = Context(prec=80)  # Python rounds to 28 digits
_FLOATING = ("FLOAT", "DOUBLE")
_NARROW = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")
_BITS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64}
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


def decimals_of(number: Decimal) -> int:
    """The decimals of a number, without zeros at their end."""
    exponent = number.normalize(_EXACTLY).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def numeral(number: Decimal) -> str:
    """A number as a plain numeral without needless zeros."""
    return format(number.normalize(_EXACTLY), "f") if number else "0"


@dataclass(frozen=True)
class Exact:
    """The numbers of a column as DECIMAL with `scale` decimals, or as BIGINT where `is_narrow`."""

    column: Column
    dialect: Dialect
    scale: int
    is_narrow: bool = False

    @property
    def kind(self) -> exp.DataType:
        """The type of the computation."""
        return type_of("BIGINT" if self.is_narrow else f"DECIMAL({_DIGITS}, {self.scale})")

    @property
    def whole(self) -> int:
        """How many digits fit before the decimal mark."""
        return _DIGITS - self.scale

    def of(self, value: exp.Expr) -> exp.Expr:
        """A value as a number of `kind`; a text must fit its reading."""
        if self.column.is_text:
            return self._cast(self.plain(value))
        if not is_floating(self.column):
            return self._cast(value)
        return self.dialect.float_to_decimal(value, self.kind)

    def plain(self, text: exp.Expr) -> exp.Expr:
        """A text that fits its reading, with a decimal point and without marks between thousands."""
        digits, reading = text.copy(), self.column.reading or Reading("number")
        for mark, other in ((reading.thousands, ""), (reading.decimal, ".")):
            if mark is not None and mark != other:
                texts = {"expression": exp.Literal.string(mark), "replacement": exp.Literal.string(other)}
                digits = exp.Replace(this=digits, **texts)
        return digits

    def constant(self, number: Decimal) -> exp.Expr:
        """A number of the configuration as one of `kind`."""
        text = numeral(number)
        return self._cast(exp.Literal.number(int(number)) if self.is_narrow else exp.Literal.string(text))

    def back(self, number: exp.Expr, decimals: int) -> exp.Expr:
        """A number with at most `decimals` as a value of the column: in its type, or as a plain numeral."""
        if not self.column.is_text and not is_floating(self.column):
            return exp.Cast(this=number, to=self._own_type())
        short = type_of(f"DECIMAL({_DIGITS}, {decimals})")
        text: exp.Expr = exp.cast(exp.Cast(this=number, to=short), "VARCHAR")
        if not self.column.is_text:
            # Some engines divide a DECIMAL for it, which is not always the nearest number.
            return exp.cast(text, "DOUBLE")
        for needless in "0." if decimals else "":
            text = exp.Trim(this=text, expression=exp.Literal.string(needless), position="TRAILING")
        return text

    def released(self, number: Decimal) -> exp.Expr:
        """A number of the configuration as a value of the column."""
        if self.column.is_text:
            return exp.Literal.string(numeral(number))
        return exp.Cast(this=exp.Literal.string(numeral(number)), to=self._own_type())

    def sought(self, number: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """(the text of a number that a statement finds as a number of `kind`, the same as a value of the column)."""
        exact_number = self._cast(exp.paren(number))
        value = self.back(exact_number, self.scale)
        return exact_number, exp.Cast(this=value, to=self._own_type()) if is_floating(self.column) else value

    def too_large(self, value: exp.Expr) -> exp.Expr | None:
        """The condition that a text or a number has more digits than `kind` holds; None where none can."""
        whole = self.whole
        if self.column.is_text:
            shape = f"^[+-]?0*[0-9]{{0,{whole}}}([.][0-9]{{0,{self.scale}}}0*)?$"
            return exp.not_(exp.RegexpLike(this=self.plain(value), expression=exp.Literal.string(shape)))
        digits, decimals = digits_of(self.column)
        if digits - decimals <= whole:
            return None
        kind = f"DECIMAL(38, {decimals})" if digits <= 38 else self.column.type
        limit = exp.Cast(this=exp.Literal.string(numeral(Decimal(10) ** whole)), to=type_of(kind))
        return exp.GTE(this=exp.Abs(this=value.copy()), expression=limit)

    def not_below(self, value: exp.Expr, most: Decimal) -> exp.Expr:
        """The condition that a floating point number is infinite, NaN, or not below a limit in size."""
        limit = exp.cast(exp.Literal.string(numeral(most)), "DOUBLE")
        return exp.not_(exp.paren(exp.LT(this=exp.Abs(this=value.copy()), expression=limit)))

    def beyond(self, number: exp.Expr) -> exp.Expr | None:
        """The condition that a number is beyond the column's type; None for types without such bounds."""
        bounds = bounds_of(self.column)
        if bounds is None:
            return None
        below = exp.LT(this=number.copy(), expression=self.constant(bounds[0]))
        return exp.or_(below, exp.GT(this=number.copy(), expression=self.constant(bounds[1])))

    def _cast(self, value: exp.Expr) -> exp.Expr:
        return exp.Cast(this=value.copy(), to=self.kind)

    def _own_type(self) -> exp.DataType:
        described = self.column.type
        if described not in ("SMALLINT", "INTEGER"):
            return column_type(self.dialect, described, f"column {self.column.name!r}")
        kind = marked(type_of(described))
        assert isinstance(kind, exp.DataType)
        return kind


def exact(column: Column, dialect: Dialect, *numbers: Decimal) -> Exact:
    """The numbers of a column, with enough decimals for the `numbers` of a treatment, too."""
    decimals = max(map(decimals_of, numbers), default=0)
    if column.type in _NARROW and not decimals:
        return Exact(column, dialect, 0, is_narrow=True)
    if column.is_text or is_floating(column):
        return Exact(column, dialect, min(max(_DECIMALS, decimals + 16), _MOST_DECIMALS))
    # One more than the unit has, for the middle between two multiples.
    return Exact(column, dialect, max(decimals + 1, digits_of(column)[1]))


def is_floating(column: Column) -> bool:
    """Whether a column holds floating point numbers."""
    return column.type in _FLOATING


def unsparing(numbers: Exact) -> Exact:
    """The same numbers in a type in which no sum overflows."""
    return replace(numbers, is_narrow=False)


def digits_of(column: Column) -> tuple[int, int]:
    """(digits, decimals among them) of the numbers of a column that is not of a floating point type."""
    decimal = _DECIMAL.fullmatch(column.type)
    if decimal:
        return int(decimal[1]), int(decimal[2])
    return (20 if column.type.removeprefix("U") in _BITS else 40), 0


def is_held(column: Column, number: Decimal) -> bool:
    """Whether a column that is not of a floating point type holds a number, and can be compared with it exactly."""
    decimals, bounds = digits_of(column)[1], bounds_of(column)
    if decimals_of(number) > decimals:
        return False
    if bounds is None:  # no more digits before the decimal mark than the computation has
        return abs(number) < Decimal(10) ** (_DIGITS - max(decimals_of(number) + 1, decimals))
    return bounds[0] <= number <= bounds[1]


def bounds_of(column: Column) -> tuple[Decimal, Decimal] | None:
    """(least, greatest) number of a column's type; None where it has no bounds, or the computation ends before them."""
    decimal = _DECIMAL.fullmatch(column.type)
    if decimal:
        digits, decimals = int(decimal[1]), int(decimal[2])
        most = Decimal(f"{'9' * digits}E-{decimals}")
        return (most.copy_negate(), most) if digits < _DIGITS else None
    bits = _BITS.get(column.type.removeprefix("U"))
    if bits is None:
        return None
    if column.type.startswith("U"):
        return Decimal(0), Decimal(2**bits - 1)
    return Decimal(-(2 ** (bits - 1))), Decimal(2 ** (bits - 1) - 1)
