"""Ranges whose ends are no values of the data: the grid of one dimension that these ends lie on."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions.dimension import Dimension
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Fill, column, quoted

_MOST_DIGITS = 34  # of a HUGEINT's 38, so that a step and one more digit fit, too
_SAFE_DIGITS = 14  # of a DOUBLE's 15, so that an end has one digit more and is read as it is written
_FINE = 3  # decimal places by which a unit of floating-point numbers is smaller than the whole column is wide
_FLOATING = ("DOUBLE", "FLOAT")
_WAY_OUT = "give it a hierarchy, or leave out release.ranges: widened"


@dataclass(frozen=True)
class NumberGrid:
    """Ends have `digits` + 1 decimals, the last of them 5; no value has that. `span` is the width of the column.

    `type` is that of the numbers; in floating-point numbers that have more decimals than `digits` (`rough`) a range is
    first rounded outward.
    """

    digits: int
    span: float
    type: str
    rough: bool

    def units(self, place: str, *, upward: bool) -> exp.Expr:
        """The number of a place, a lower or an upper one, in whole units of the last digit."""
        bound: exp.Expr = column("bound", place)
        if self.type in _FLOATING:
            scaled = exp.Mul(this=exp.cast(bound, "DOUBLE"), expression=exp.Literal.number(f"1e{self.digits}"))
            function = ("ceil" if upward else "floor") if self.rough else "round"
            return exp.cast(exp.Anonymous(this=function, expressions=[scaled]), "HUGEINT", dialect="duckdb")
        if self.type.startswith("DECIMAL"):
            bound = exp.cast(bound, f"DECIMAL(38, {self.digits})", dialect="duckdb")
        digits = exp.Anonymous(
            this="replace", expressions=[exp.cast(bound, "VARCHAR"), exp.Literal.string("."), exp.Literal.string("")]
        )
        return exp.cast(digits, "HUGEINT", dialect="duckdb")


@dataclass(frozen=True)
class DateGrid:
    """Ends are periods: months, years or decades, and days or hours where no value is the first moment of one.

    `span` is the width of the column in microseconds.
    """

    days: bool
    hours: bool
    span: int


Grid = NumberGrid | DateGrid


def find_grid(engine: Engine, dimension: Dimension, place: str) -> Grid | None:
    """The grid of a dimension whose places are in the engine; None where it has no ranges.

    Raises ConfigurationError for numbers and dates that no grid takes.
    """
    if not dimension.has_ranges:
        return None
    names: dict[str, Fill] = {"places": dimension.places}
    if dimension.kind == "date":
        span, has_midnight, has_full_hour, is_usual = engine.query("frequency/moments", names=names)[0]
        if not is_usual:
            raise ConfigurationError(
                f"{place}: column {dimension.column.name!r} holds dates before the year 10 or after 9989, which "
                f"have no widened ranges; {_WAY_OUT}"
            )
        return DateGrid(days=not has_midnight, hours=not has_full_hour, span=int(span))
    described = {str(row[0]): str(row[1]) for row in engine.run(exp.Describe(this=quoted(dimension.places)))}
    span = float(engine.query("frequency/span", names=names)[0][0])
    found = [(int(row[0]), int(row[1]), bool(row[2])) for row in engine.query("frequency/digits", names=names)]
    decimals = max((count for count, _, _ in found), default=0)
    whole = max((count for _, count, _ in found), default=1)
    fives = {count for count, _, has_five in found if has_five}
    digits = _digits(described["bound"], decimals, whole, fives, span)
    if digits is None:
        raise ConfigurationError(
            f"{place}: the numbers of column {dimension.column.name!r} have too many digits to be widened; {_WAY_OUT}"
        )
    return NumberGrid(digits, span, described["bound"], rough=digits < decimals)


def _digits(kind: str, decimals: int, whole: int, fives: set[int], span: float) -> int | None:
    """How many decimals a unit has, so that no value is half a unit; None where the numbers are too long for any.

    `fives` are the numbers of decimals of values whose last one is a five.
    """
    if kind not in _FLOATING:
        return decimals if whole + decimals <= _MOST_DIGITS else None
    # Numbers that were measured or computed have as many decimals as fit: more than anybody wants to read.
    enough = max(0, _FINE - math.floor(math.log10(span))) if span else decimals
    digits = min(decimals, enough)
    while digits + 1 in fives:
        digits += 1
    return digits if whole + digits <= _SAFE_DIGITS else None
