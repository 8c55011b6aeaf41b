"""Numbers rounded to multiples or decimals, and extreme ones replaced by a bottom and a top.

Rounded texts become plain numerals, so that two texts of one number are released alike. An end given as a share of the
rows is a number of the column that so many rows reach or pass, and at least k rows, or persons where k counts these: so
nobody is alone behind an end.
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
    decimals_of,
    digits_of,
    exact,
    is_floating,
    is_held,
    numeral,
    unsparing,
)
from kanon_sql.source.treatments.treatment import Json, TreatedColumn, TreatedValue, Treatment
from kanon_sql.sql.dialects import Dialect
from kanon_sql.sql.template import Fill, column, fill

# So many digits of a number in a FLOAT or a DOUBLE are those of its text, whatever the engine.
_DIGITS_OF_FLOAT, _DIGITS_OF_DOUBLE = 7, 15
_OUTSIDE = (
    "have more digits than can be reckoned with exactly, are no finite numbers, or become numbers that the column's "
    "type does not hold; mend or cast them in source.query, or name those that mean no number in source.missing"
)


def unit_of(config: TreatmentConfig) -> Decimal | None:
    """The unit to whose multiples numbers are rounded; None where they are not."""
    if config.round is not None:
        return config.round
    return None if config.decimals is None else Decimal(1).scaleb(-config.decimals)


class _Rounding(Treatment):
    """Numbers become multiples of a unit."""

    needs = "number"
    dialects = ("duckdb", "spark", "databricks", "postgres")

    def problem(self, source: Source, col: Column, config: TreatmentConfig) -> str | None:
        unit = unit_of(config)
        if unit is None or col.is_text or is_floating(col):
            return None
        finest = Decimal(1).scaleb(-digits_of(col)[1])
        times = Fraction(unit) / Fraction(finest)
        if 1 in (times.numerator, times.denominator):
            return None
        return (
            f"multiples of {numeral(unit)} have no place in its type, {col.type[:40]}; expected a multiple of "
            f"{numeral(finest)}, or cast the column in source.query"
        )

    def outside(self, cell: TreatedValue) -> exp.Expr | None:
        return _outside(cell, self.key)

    def outside_problem(self, config: TreatmentConfig) -> str:
        return _OUTSIDE

    def becomes(self, col: Column, config: TreatmentConfig) -> Column:
        # A FLOAT does not hold every multiple.
        return replace(col, type="DOUBLE") if col.type == "FLOAT" else col

    def value(self, cell: TreatedValue) -> exp.Expr:
        unit = unit_of(cell.config)
        assert unit is not None
        numbers = _numbers(cell.column, cell.dialect, cell.config)
        return numbers.back(_rounded(numbers, numbers.of(cell.written), unit), decimals_of(unit))

    def describe(self, config: TreatmentConfig) -> Json:
        return {"unit": float(unit_of(config) or 0)}


class Round(_Rounding):
    """`round: 100`: multiples of a number."""

    key: ClassVar[str] = "round"

    def holds(self, value: exp.Expr, col: Column, config: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        """Whether the number divided by the unit leaves no remainder."""
        assert config.round is not None
        numbers = unsparing(_numbers(col, dialect, config))
        # By an even multiple: see `_rounded`.
        times = 4 if 2 * config.round == 1 else 2
        left = exp.Abs(this=exp.Mod(this=numbers.of(value), expression=numbers.constant(times * config.round)))
        return exp.In(this=left, expressions=[numbers.constant(i * config.round) for i in range(times)])

    def broken(self, config: TreatmentConfig) -> str:
        return f"are no multiples of {numeral(config.round or Decimal(0))}"


class Decimals(_Rounding):
    """`decimals: 1`: so many digits behind the decimal mark."""

    key: ClassVar[str] = "decimals"

    def holds(self, value: exp.Expr, col: Column, config: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        """Whether the numeral of the number has no more decimals."""
        text = exp.cast(unsparing(_numbers(col, dialect, config)).of(value), "VARCHAR")
        shape = f"^-?[0-9]*([.][0-9]{{0,{config.decimals}}}0*)?$"
        return exp.RegexpLike(this=text, expression=exp.Literal.string(shape))

    def broken(self, config: TreatmentConfig) -> str:
        return f"have more than {config.decimals} decimals"


class _End(Treatment):
    """Numbers beyond an end are replaced by it; `is_top` says which end, `word` on which side of it they lie."""

    needs = "number"
    dialects = ("duckdb", "spark", "databricks", "postgres")
    is_top: ClassVar[bool]
    word: ClassVar[str]

    def problem(self, source: Source, col: Column, config: TreatmentConfig) -> str | None:
        end = getattr(config, self.key)
        if not isinstance(end, Decimal) or col.is_text or is_floating(col):
            return None
        if is_held(col, end):
            return None
        decimals = digits_of(col)[1]
        expected = f"a number with at most {decimals} decimals" if decimals else "a whole number"
        return f"{numeral(end)} has no place in its type, {col.type[:40]}; expected {expected} that it holds"

    def settle(self, treated: TreatedColumn) -> TreatmentConfig:
        """Finds an end given as a share. Raises UnfittingSourceError where too few rows have numbers, or ends cross."""
        share, settled = share_of(getattr(treated.config, self.key)), treated.config
        if share is not None:
            settled = settled.model_copy(update={self.key: FoundEnd(self._threshold(treated, share), share)})
        bottom, top = settled.bottom, settled.top
        if self.is_top and isinstance(bottom, Decimal) and isinstance(top, Decimal) and bottom >= top:
            raise UnfittingSourceError(
                f"{treated.place}: the bottom of column {treated.column.name!r} would not be below its top where at "
                f"least {treated.k} rows are behind each; expected smaller shares, a smaller k, or one end only"
            )
        return settled

    def outside(self, cell: TreatedValue) -> exp.Expr | None:
        return _outside(cell, self.key)

    def outside_problem(self, config: TreatmentConfig) -> str:
        return _OUTSIDE

    def value(self, cell: TreatedValue) -> exp.Expr:
        end = getattr(cell.config, self.key)
        numbers = exact(cell.column, cell.dialect, end)
        sought = cell.sought.get(self.key)
        limit, released = (
            (numbers.constant(end), numbers.released(end)) if sought is None else numbers.sought(sought.copy())
        )
        number = numbers.of(cell.written)
        if is_floating(cell.column):
            number, limit = cell.written.copy(), released.copy()
        kind = exp.GT if self.is_top else exp.LT
        beyond = exp.If(this=kind(this=number, expression=limit), true=released)
        reading = cell.column.reading
        is_plain = reading is None or (reading.decimal == "." and not reading.thousands)
        return exp.Case(ifs=[beyond], default=(cell.written if is_plain else cell.value).copy())

    def holds(self, value: exp.Expr, col: Column, config: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        end, number = getattr(config, self.key), value.copy()
        if not col.is_text and not is_floating(col) and not decimals_of(end):
            limit: exp.Expr = exp.Literal.number(int(end))
        else:
            kind = col.type if is_floating(col) else "DECIMAL(36, 18)"
            number, limit = exp.cast(number, kind), exp.cast(exp.Literal.string(numeral(end)), kind)
        return (exp.LTE if self.is_top else exp.GTE)(this=number, expression=limit)

    def broken(self, config: TreatmentConfig) -> str:
        end = getattr(config, self.key)
        if isinstance(end, FoundEnd) and not end.shown:
            return f"are {self.word} the {self.key} that was found"
        return f"are {self.word} {numeral(end)}"

    def describe(self, config: TreatmentConfig) -> Json:
        end = getattr(config, self.key)
        if not isinstance(end, FoundEnd):
            return {"value": float(end), "share": None}
        return {"value": float(end) if end.shown else None, "share": float(end.share)}

    def sought(self, treated: TreatedColumn) -> exp.Expr:
        """SELECT of the text of the end that is found for the rows of the treated column, in its dialect."""
        share = getattr(treated.config, self.key).share
        kind = _numbers(treated.column, treated.dialect, treated.config).kind
        distances = list[exp.Expr]()
        for rows, part in self._distances(treated, share):
            statement = fill("source/threshold", _holes(treated, rows, part), part=True)
            assert isinstance(statement, exp.Query)
            distances.append(exp.cast(statement.subquery(), kind))
        distance = distances[0] if len(distances) == 1 else exp.Greatest(this=distances[0], expressions=distances[1:])
        end: exp.Expr = exp.Neg(this=exp.paren(distance)) if self.is_top else distance
        return exp.cast(end, "VARCHAR")

    def _threshold(self, treated: TreatedColumn, share: Fraction) -> Decimal:
        """The farthest number that a share of the rows, and at least k rows and persons, reach."""
        reached = [_reached(treated, rows, part) for rows, part in self._distances(treated, share)]
        numbers = [distance for distance in reached if distance is not None]
        if len(numbers) < len(reached):
            who = "rows" if treated.entity is None else "persons"
            raise UnfittingSourceError(
                f"{treated.place}: fewer than {treated.k} {who} have a number in column {treated.column.name!r}, so "
                f"that there is no {self.key} with as many behind it; expected a number in the place of the share"
            )
        return max(numbers).copy_negate() if self.is_top else max(numbers)

    def _distances(self, treated: TreatedColumn, share: Fraction) -> list[tuple[exp.Select, Fraction]]:
        """(SELECT of each row's distance from the outermost number, the share of rows that must reach the end); with an
        entity the same for persons, too.
        """
        source = treated.source
        is_there, number = _number(treated)
        distance = exp.Neg(this=exp.paren(number)) if self.is_top else number
        named = [exp.alias_(exp.Case(ifs=[exp.If(this=is_there, true=distance)]), "distance", quoted=True)]
        if treated.entity is not None:
            named.append(exp.alias_(person(treated.entity, source.missing), "person", quoted=True))
        rows = exp.select(*named).from_(source.relation.copy().subquery("source"))
        tables = [(rows, share)]
        if treated.entity is not None:
            nearest = exp.alias_(exp.Min(this=column("distance")), "distance", quoted=True)
            persons = exp.select(nearest).from_(rows.subquery("numbers")).group_by(column("person"))
            tables.append((persons, Fraction(0)))
        return tables


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


def _numbers(col: Column, dialect: Dialect, config: TreatmentConfig) -> Exact:
    """The numbers of a column, precise enough to be rounded and compared with ends."""
    treated_by = (unit_of(config), config.bottom, config.top)
    return exact(col, dialect, *(number for number in treated_by if isinstance(number, Decimal)))


def _rounded(numbers: Exact, number: exp.Expr, unit: Decimal) -> exp.Expr:
    """The nearest multiple of a unit, half to even."""
    # DataFusion takes the remainder of a division by 1 for nothing.
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


def _number(treated: TreatedColumn) -> tuple[exp.Expr, exp.Expr]:
    """(the condition that a row has a number that can be treated, that number, rounded if so configured)."""
    col = treated.column
    written = column(col.key)
    unit = unit_of(treated.config)
    numbers = _numbers(col, treated.dialect, treated.config)
    number = numbers.of(written) if unit is None else _rounded(numbers, numbers.of(written), unit)
    missing = means_missing(written, treated.source.missing if col.is_text else ())
    conditions: list[exp.Expr] = [exp.not_(exp.paren(missing))]
    if col.is_text and col.reading is not None:
        conditions.append(fits(written, col.reading))
    large = _too_large(numbers, written, treated.config)
    if large is not None:
        conditions.append(exp.not_(exp.paren(large)))
    return exp.and_(*conditions), number


def _reached(treated: TreatedColumn, numbers: exp.Select, share: Fraction) -> Decimal | None:
    """The distance from the outermost number that at least k rows, and a share of all of them, reach; None without."""
    distance = treated.source.backend.query("source/threshold", names=_holes(treated, numbers, share))[0][0]
    return None if distance is None else Decimal(str(distance))


def _holes(treated: TreatedColumn, numbers: exp.Select, share: Fraction) -> dict[str, Fill]:
    return {"numbers": numbers, "least": treated.k, "part": share.numerator, "whole": share.denominator}


def _outside(cell: TreatedValue, key: str) -> exp.Expr | None:
    """The condition that a number has too many digits or a result beyond the type; for the first treatment only."""
    if first_of(cell.config) != key:
        return None
    numbers, unit = _numbers(cell.column, cell.dialect, cell.config), unit_of(cell.config)
    large = _too_large(numbers, cell.written, cell.config)
    past = None if unit is None else numbers.beyond(_rounded(numbers, numbers.of(cell.written), unit))
    if large is None or past is None:
        return past if large is None else large
    return exp.Case(ifs=[exp.If(this=large, true=exp.true())], default=past)


def _too_large(numbers: Exact, value: exp.Expr, config: TreatmentConfig) -> exp.Expr | None:
    """The condition that a number has too many digits, also for the floating point number that is the result."""
    unit = unit_of(config)
    if not is_floating(numbers.column):
        return numbers.too_large(value)
    if unit is not None:
        digits = _DIGITS_OF_FLOAT if numbers.column.type == "FLOAT" else _DIGITS_OF_DOUBLE - decimals_of(unit)
        return numbers.not_below(value, Decimal(10) ** digits)
    ends: Sequence[object] = (config.bottom, config.top)
    is_found = any(isinstance(end, FoundEnd) or share_of(end) is not None for end in ends)
    return numbers.not_below(value, Decimal(10) ** (numbers.whole if is_found else 300))
