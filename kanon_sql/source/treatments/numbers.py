"""Numbers rounded to multiples or decimals, and extreme ones replaced by a bottom and a top.

Texts that are rounded become plain numerals, so that two texts of one number are released as one. Ends that are shares
of the rows are numbers of the column that so many rows reach, and at least k of them, or of persons where k counts
these: whoever is behind an end has company there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import ClassVar

from sqlglot import exp

from kanon_sql.errors import UnfittingSourceError
from kanon_sql.settings.treatments import FoundEnd, TreatmentConfig, first_of, share_of
from kanon_sql.source.columns import means_missing, person
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import fits
from kanon_sql.source.treatments.exact import (
    Exact,
    bounds_of,
    decimals_of,
    digits_of,
    exact,
    is_floating,
    numeral,
    unsparing,
)
from kanon_sql.source.treatments.treatment import Cell, Json, Settling, Treatment
from kanon_sql.sql.dialects import Dialect
from kanon_sql.sql.template import Fill, column, fill

# So many digits of a number in a FLOAT or a DOUBLE are those of its text, whatever the engine.
_DIGITS_OF_FLOAT, _DIGITS_OF_DOUBLE = 7, 15


def unit_of(one: TreatmentConfig) -> Decimal | None:
    """What numbers are rounded to multiples of."""
    if one.round is not None:
        return one.round
    return None if one.decimals is None else Decimal(1).scaleb(-one.decimals)


def _numbers(item: Column, dialect: Dialect, one: TreatmentConfig) -> Exact:
    """The numbers of a column that are rounded and compared with ends."""
    found = (unit_of(one), one.bottom, one.top)
    return exact(item, dialect, *(number for number in found if isinstance(number, Decimal)))


def _written(item: Column, one: TreatmentConfig, dialect: Dialect) -> Exact:
    """The numbers of a release."""
    return unsparing(_numbers(item, dialect, one))


def _rounded(numbers: Exact, number: exp.Expr, unit: Decimal) -> exp.Expr:
    """The nearest multiple of a unit; of two that are as near, the even one."""
    # DataFusion takes what is left of a division by 1 for nothing.
    times = 2 if 2 * unit != 1 else 4
    rest = exp.Mod(this=number.copy(), expression=numbers.constant(times * unit))
    whole = exp.paren(exp.Sub(this=number.copy(), expression=rest))
    steps = []
    for i in range(times, -times, -1):
        # Above the middle between this multiple and the one below: the even one has the middle itself.
        middle = (2 * i - 1) * unit / 2
        kind = exp.GTE if i % 2 == 0 else exp.GT
        if numbers.is_narrow:
            middle = middle.to_integral_value(ROUND_CEILING if i % 2 == 0 else ROUND_FLOOR)
        near = kind(this=rest.copy(), expression=numbers.constant(middle))
        steps.append(exp.If(this=near, true=numbers.constant(i * unit)))
    return exp.Add(this=whole, expression=exp.Case(ifs=steps, default=numbers.constant(-times * unit)))


class _Rounding(Treatment):
    """Numbers become multiples of a unit."""

    needs = "number"

    def problem(self, source: Source, item: Column, one: TreatmentConfig) -> str | None:
        """A unit that the column's type has no decimals for."""
        unit = unit_of(one)
        if unit is None or item.is_text or is_floating(item):
            return None
        finest = Decimal(1).scaleb(-digits_of(item)[1])
        times = Fraction(unit) / Fraction(finest)
        if 1 in (times.numerator, times.denominator):
            return None
        return (
            f"multiples of {numeral(unit)} have no place in its type, {item.type[:40]}; expected a multiple of "
            f"{numeral(finest)}, or cast the column in source.query"
        )

    def outside(self, cell: Cell) -> exp.Expr | None:
        return _outside(cell, self.key)

    def told_outside(self, one: TreatmentConfig) -> str:
        return _TOLD_OUTSIDE

    def becomes(self, item: Column, one: TreatmentConfig) -> Column:
        """A FLOAT does not hold every multiple, a DOUBLE does."""
        return replace(item, type="DOUBLE") if item.type == "FLOAT" else item

    def value(self, cell: Cell) -> exp.Expr:
        """The multiple that is nearest, half to even."""
        unit = unit_of(cell.one)
        assert unit is not None
        numbers = _numbers(cell.item, cell.dialect, cell.one)
        return numbers.back(_rounded(numbers, numbers.of(cell.written), unit), decimals_of(unit))

    def describe(self, one: TreatmentConfig) -> Json:
        return {"unit": float(unit_of(one) or 0)}


class Round(_Rounding):
    """`round: 100`: multiples of a number."""

    key: ClassVar[str] = "round"

    def holds(self, value: exp.Expr, item: Column, one: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        """Nothing is left when the number is divided by the unit."""
        assert one.round is not None
        numbers = _written(item, one, dialect)
        # By an even multiple: see `_rounded`.
        times = 4 if 2 * one.round == 1 else 2
        left = exp.Abs(this=exp.Mod(this=numbers.of(value), expression=numbers.constant(times * one.round)))
        return exp.In(this=left, expressions=[numbers.constant(i * one.round) for i in range(times)])

    def broken(self, one: TreatmentConfig) -> str:
        return f"are no multiples of {numeral(one.round or Decimal(0))}"


class Decimals(_Rounding):
    """`decimals: 1`: so many digits behind the decimal mark."""

    key: ClassVar[str] = "decimals"

    def holds(self, value: exp.Expr, item: Column, one: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        """The numeral of the number has no more digits than these."""
        text = exp.cast(_written(item, one, dialect).of(value), "VARCHAR")
        shape = f"^-?[0-9]*([.][0-9]{{0,{one.decimals}}}0*)?$"
        return exp.RegexpLike(this=text, expression=exp.Literal.string(shape))

    def broken(self, one: TreatmentConfig) -> str:
        return f"have more than {one.decimals} decimals"


class _End(Treatment):
    """Numbers beyond an end are replaced by it. `is_top` says which one, `word` what is beyond it."""

    needs = "number"
    is_top: ClassVar[bool]
    word: ClassVar[str]

    def problem(self, source: Source, item: Column, one: TreatmentConfig) -> str | None:
        """An end that the column's type does not hold."""
        end = getattr(one, self.key)
        if not isinstance(end, Decimal) or item.is_text or is_floating(item):
            return None
        digits, decimals = digits_of(item)
        most = Decimal(10) ** (digits - decimals)
        least, greatest = bounds_of(item) or (-most, most)
        if decimals_of(end) <= decimals and least <= end <= greatest:
            return None
        what = f"a number with at most {decimals} decimals" if decimals else "a whole number"
        return f"{numeral(end)} has no place in its type, {item.type[:40]}; expected {what} that it holds"

    def settle(self, asked: Settling) -> TreatmentConfig:
        """The end of a share is found. Raises UnfittingSourceError where too few rows have numbers, or ends cross."""
        share, settled = share_of(getattr(asked.one, self.key)), asked.one
        if share is not None:
            settled = settled.model_copy(update={self.key: FoundEnd(self._threshold(asked, share), share)})
        bottom, top = settled.bottom, settled.top
        if self.is_top and isinstance(bottom, Decimal) and isinstance(top, Decimal) and bottom >= top:
            raise UnfittingSourceError(
                f"{asked.place}: the bottom of column {asked.item.name!r} would not be below its top where at least "
                f"{asked.k} rows are behind each; expected smaller shares, a smaller k, or one end only"
            )
        return settled

    def outside(self, cell: Cell) -> exp.Expr | None:
        return _outside(cell, self.key)

    def told_outside(self, one: TreatmentConfig) -> str:
        return _TOLD_OUTSIDE

    def value(self, cell: Cell) -> exp.Expr:
        """The value, or the end that it is beyond."""
        end = getattr(cell.one, self.key)
        numbers = exact(cell.item, cell.dialect, end)
        sought = cell.sought.get(self.key)
        limit, released = (
            (numbers.constant(end), numbers.released(end)) if sought is None else numbers.sought(sought.copy())
        )
        number = numbers.of(cell.written)
        if is_floating(cell.item):
            number, limit = cell.written.copy(), released.copy()
        kind = exp.GT if self.is_top else exp.LT
        beyond = exp.If(this=kind(this=number, expression=limit), true=released)
        is_plain = cell.item.reading is None or (cell.item.reading.decimal == "." and not cell.item.reading.thousands)
        return exp.Case(ifs=[beyond], default=(cell.written if is_plain else cell.value).copy())

    def holds(self, value: exp.Expr, item: Column, one: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        """No number is beyond the end."""
        end, number = getattr(one, self.key), value.copy()
        if not item.is_text and not is_floating(item) and not decimals_of(end):
            limit: exp.Expr = exp.Literal.number(int(end))
        else:
            kind = item.type if is_floating(item) else "DECIMAL(36, 18)"
            number, limit = exp.cast(number, kind), exp.cast(exp.Literal.string(numeral(end)), kind)
        return (exp.LTE if self.is_top else exp.GTE)(this=number, expression=limit)

    def broken(self, one: TreatmentConfig) -> str:
        end = getattr(one, self.key)
        if isinstance(end, FoundEnd) and not end.shown:
            return f"are {self.word} the {self.key} that was found"
        return f"are {self.word} {numeral(end)}"

    def describe(self, one: TreatmentConfig) -> Json:
        end = getattr(one, self.key)
        if not isinstance(end, FoundEnd):
            return {"value": float(end), "share": None}
        return {"value": float(end) if end.shown else None, "share": float(end.share)}

    def sought(self, asked: Settling) -> exp.Expr:
        """SELECT of the text of an end that was found, for the rows of `asked` in the words of its dialect."""
        share = getattr(asked.one, self.key).share
        kind = _numbers(asked.item, asked.dialect, asked.one).kind
        found: list[exp.Expr] = [
            exp.cast(_reaching(asked, rows, least).subquery(), kind) for rows, least in self._distances(asked, share)
        ]
        distance = found[0] if len(found) == 1 else exp.Greatest(this=found[0], expressions=found[1:])
        end: exp.Expr = exp.Neg(this=exp.paren(distance)) if self.is_top else distance
        return exp.cast(end, "VARCHAR")

    def _threshold(self, asked: Settling, share: Fraction) -> Decimal:
        """The farthest number that a share of the rows, and k of them and of the persons, reach."""
        found = [_reached(asked, table, least) for table, least in self._distances(asked, share)]
        distances = [one for one in found if one is not None]
        if len(distances) < len(found):
            who = "rows" if asked.entity is None else "persons"
            raise UnfittingSourceError(
                f"{asked.place}: fewer than {asked.k} {who} have a number in column {asked.item.name!r}, so that there "
                f"is no {self.key} with as many behind it; expected a number in the place of the share"
            )
        return -max(distances) if self.is_top else max(distances)

    def _distances(self, asked: Settling, share: Fraction) -> list[tuple[exp.Select, Fraction]]:
        """(how far the number of each row is from the end of all numbers, which share of them must reach the end); with
        an entity the same of the persons.
        """
        source = asked.source
        there, number = _number(asked)
        distance = exp.Neg(this=exp.paren(number)) if self.is_top else number
        named = [exp.alias_(exp.Case(ifs=[exp.If(this=there, true=distance)]), "distance", quoted=True)]
        if asked.entity is not None:
            named.append(exp.alias_(person(asked.entity, source.missing), "person", quoted=True))
        rows = exp.select(*named).from_(source.relation.copy().subquery("source"))
        tables = [(rows, share)]
        if asked.entity is not None:
            nearest = exp.alias_(exp.Min(this=column("distance")), "distance", quoted=True)
            persons = exp.select(nearest).from_(rows.subquery("numbers")).group_by(column("person"))
            tables.append((persons, Fraction(0)))
        return tables


def _number(asked: Settling) -> tuple[exp.Expr, exp.Expr]:
    """(whether a row has a number that can be treated, that number, rounded where it is rounded)."""
    item = asked.item
    written = column(item.key)
    unit = unit_of(asked.one)
    numbers = _numbers(item, asked.dialect, asked.one)
    number = numbers.of(written) if unit is None else _rounded(numbers, numbers.of(written), unit)
    missing = means_missing(written, asked.source.missing if item.is_text else ())
    conditions: list[exp.Expr] = [exp.not_(exp.paren(missing))]
    if item.is_text and item.reading is not None:
        conditions.append(fits(written, item.reading))
    large = _too_large(numbers, written, asked.one)
    if large is not None:
        conditions.append(exp.not_(exp.paren(large)))
    return exp.and_(*conditions), number


def _reached(asked: Settling, numbers: exp.Select, share: Fraction) -> Decimal | None:
    """How far from the end the nearest number is that at least k rows reach, and a share of all of them."""
    distance = asked.source.backend.query("source/threshold", names=_reach(asked, numbers, share))[0][0]
    return None if distance is None else Decimal(str(distance))


def _reaching(asked: Settling, numbers: exp.Select, share: Fraction) -> exp.Query:
    """The statement that finds that."""
    made = fill("source/threshold", _reach(asked, numbers, share), part=True)
    assert isinstance(made, exp.Query)
    return made


def _reach(asked: Settling, numbers: exp.Select, share: Fraction) -> dict[str, Fill]:
    return {"numbers": numbers, "least": asked.k, "part": share.numerator, "whole": share.denominator}


def _outside(cell: Cell, key: str) -> exp.Expr | None:
    """Whether a number has too many digits, or its result no place in the type; asked once for a column."""
    if first_of(cell.one) != key:
        return None
    numbers, unit = _numbers(cell.item, cell.dialect, cell.one), unit_of(cell.one)
    large = _too_large(numbers, cell.written, cell.one)
    past = None if unit is None else numbers.beyond(_rounded(numbers, numbers.of(cell.written), unit))
    if large is None or past is None:
        return past if large is None else large
    return exp.Case(ifs=[exp.If(this=large, true=exp.true())], default=past)


def _too_large(numbers: Exact, value: exp.Expr, one: TreatmentConfig) -> exp.Expr | None:
    """Whether a number has too many digits, also for a floating point number that is to hold the result."""
    unit = unit_of(one)
    if not is_floating(numbers.item):
        return numbers.too_large(value)
    if unit is not None:
        digits = _DIGITS_OF_FLOAT if numbers.item.type == "FLOAT" else _DIGITS_OF_DOUBLE - decimals_of(unit)
        return numbers.not_below(value, Decimal(10) ** digits)
    ends: Sequence[object] = (one.bottom, one.top)
    is_found = any(isinstance(end, FoundEnd) or share_of(end) is not None for end in ends)
    return numbers.not_below(value, Decimal(10) ** (numbers.whole if is_found else 300))


_TOLD_OUTSIDE = (
    "have more digits than can be reckoned with exactly, are no finite numbers, or become numbers that the column's "
    "type does not hold; mend or cast them in source.query, or name those that mean no number in source.missing"
)


class Bottom(_End):
    """`bottom: 18`, `bottom: 1%`."""

    key: ClassVar[str] = "bottom"
    is_top: ClassVar[bool] = False
    word: ClassVar[str] = "below"


class Top(_End):
    """`top: 90`, `top: 1%`."""

    key: ClassVar[str] = "top"
    is_top: ClassVar[bool] = True
    word: ClassVar[str] = "above"
