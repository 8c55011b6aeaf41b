"""Quasi-identifiers as dimensions: their values as positions, along a hierarchy or in the order of values.

Numbers, dates and texts without a hierarchy are ranked. The leaves of a hierarchy are packed so that each node is a
range of positions. The ends of released ranges that are no values of the data lie on the grid of their dimension.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal

from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn
from kanon_sql.hierarchy.mapping import MappingTable
from kanon_sql.source.columns import means_missing
from kanon_sql.source.model import Column
from kanon_sql.source.reading import understood
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import IN_BIGINT, NUMERIC
from kanon_sql.sql.template import Fill, Item, column, quoted, state

Kind = Literal["number", "date", "text", "tree"]

_DATES = ("DATE", "TIMESTAMP")
_FLOATING = ("DOUBLE", "FLOAT")
_KINDS: dict[str, Kind] = {"number": "number", "date": "date", "timestamp": "date", "text": "text"}
_POSITION_TYPES = ((0xFF, "UTINYINT"), (0xFFFF, "USMALLINT"), (0xFFFFFFFF, "UINTEGER"))
_EXACT_DIGITS = 36  # so that a difference of two decimals is one, too
_MOST_DIGITS = 38
_MOST_BITS = 62  # of a path through a hierarchy, in a BIGINT
_MOST_GRID_DIGITS = 34  # of a HUGEINT's 38, so that a step and one more digit fit, too
_SAFE_DIGITS = 14  # of a DOUBLE's 15, so that an end has one digit more and is read as it is written
_UNIT_DECIMALS = 3  # decimal places by which a unit of floating-point numbers is smaller than the column is wide
_WAY_OUT = "give it a hierarchy, or leave out release.ranges: widened"


@dataclass(frozen=True)
class Tree:
    """The hierarchy of a dimension: the node of a position at level j is the position shifted right by `shifts[j]`.

    At the top, the last level, every position is node 0. A release goes no lower than `min_level`. Missing values are
    the first child at every level; `missing` is their position.
    """

    shifts: tuple[int, ...]
    min_level: int
    missing: int

    @property
    def top(self) -> int:
        """The number of the top level."""
        return len(self.shifts) - 1


@dataclass(frozen=True)
class Dimension:
    """A quasi-identifier whose values are in the engine, in order.

    The table domain(value, position) has one row for each raw value. Positions of an ordered dimension count its
    distinct values from 1, 0 is missing; those of a hierarchy are its leaves' paths from the top, packed into bits. The
    table places(position, label, bound, measure) says what an ordered position is released as and where it lies between
    0 and 1; nodes(level, node, label, cost) does so for a hierarchy. `values` counts the distinct values that are not
    missing. `released_missing` is the text under which missing values are released, None for NULL. With `apart`, a
    stratum, each class has one value of the dimension, released as it is.
    """

    index: int
    column: Column
    kind: Kind
    values: int
    has_missing: bool
    weight: float
    released_missing: str | None
    tree: Tree | None = None
    apart: bool = False

    @property
    def domain(self) -> str:
        """The table of raw values and their positions."""
        return state(f"domain_{self.index}")

    @property
    def places(self) -> str:
        """The table of an ordered dimension's positions."""
        return state(f"places_{self.index}")

    @property
    def nodes(self) -> str:
        """The table of a hierarchy's nodes."""
        return state(f"nodes_{self.index}")

    @property
    def position(self) -> str:
        """The column that holds this dimension's positions in tables of tuples."""
        return f"p{self.index}"

    @property
    def has_ranges(self) -> bool:
        """Whether classes show ranges from a lower to an upper value."""
        return self.kind in ("number", "date")


@dataclass(frozen=True)
class NumberGrid:
    """The grid of a dimension of numbers, `span` wide: ends of ranges have `digits` + 1 decimals, the last of them 5.

    No value has that many. `type` is the type of the numbers; floating-point numbers with more decimals than `digits`
    (`rough`) are rounded outward first.
    """

    digits: int
    span: float
    type: str
    rough: bool

    def units(self, place_table: str, *, upward: bool) -> exp.Expr:
        """The lower or upper bound of the table `place_table` in whole units of the last digit."""
        bound: exp.Expr = column("bound", place_table)
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
    """The grid of a dimension of dates, `span` microseconds wide: ends are months, years or decades.

    They are days or hours as well, unless a value is the first moment of one.
    """

    days: bool
    hours: bool
    span: int


Grid = NumberGrid | DateGrid


def ordered_dimension(engine: Engine, qi: GeneralizedColumn, *, by_text: bool = False) -> Dimension:
    """Ranks the values of a column.

    A text column holds numbers if all its values are plain numerals, dates if all are ISO dates, unless the
    configuration says which. With `by_text` texts that are read as the same number stay apart, unless the column is
    declared to hold numbers or dates. Raises ConfigurationError for values that cannot be read as the declared type.
    """
    distinct = _with_missing(qi)
    kind, read_as = _reading(engine, qi.column, qi.spec, distinct)
    label, ordered = _read_value(qi.column, kind, read_as, by_text=by_text)
    read_as = read_as or qi.column.type
    domain = state(f"domain_{qi.index}")
    engine.query(
        "frequency/order",
        names={
            "domain": domain,
            "distinct_values": distinct,
            "ordered_value": ordered,
            "label_value": label,
            "tie_value": _text(qi.column) if by_text and qi.column.is_text else exp.null(),
            "number_value": _number(kind, ordered, read_as),
            "endless_value": _endless(kind, ordered, read_as),
        },
    )
    unreadable, endless, values, has_missing = engine.query("frequency/order_problems", names={"domain": domain})[0]
    if unreadable or endless:
        fault = "cannot be read as" if unreadable else "have no end, which is none of"
        raise ConfigurationError(
            f"{qi.place}: {unreadable or endless:,} distinct values of column {qi.column.name!r} "
            f"{fault} {kind}s; mend them, or set type: text"
        )
    engine.query("frequency/places", names={"domain": domain, "places": state(f"places_{qi.index}")})
    dimension = Dimension(
        index=qi.index,
        column=qi.column,
        kind=kind,
        values=int(values),
        has_missing=bool(has_missing),
        weight=qi.spec.weight,
        released_missing=qi.released_missing,
    )
    narrow(engine, dimension, int(values))
    return dimension


def stratum(engine: Engine, qi: GeneralizedColumn) -> Dimension:
    """A column each of whose values is a stratum of its own, by their texts, whatever they are read as."""
    spec = qi.spec.model_copy(update={"type": "text", "aggregate": None})
    return replace(ordered_dimension(engine, replace(qi, spec=spec)), apart=True)


def _with_missing(qi: GeneralizedColumn) -> exp.Select:
    """The distinct values, each with whether it is read as missing."""
    is_missing = means_missing(column("value"), qi.missing if qi.column.is_text else ())
    marked = exp.alias_(exp.func("COALESCE", is_missing, exp.false()), "is_missing", quoted=True)
    return exp.select("value", marked).from_(qi.distinct.copy().subquery("present"))


def _text(col: Column) -> exp.Expr:
    """The text by which a value is told from others."""
    return understood(exp.cast(column("value"), "VARCHAR"), col.reading if col.is_text else None)


def _read_value(col: Column, kind: Kind, read_as: str | None, *, by_text: bool) -> tuple[exp.Expr, exp.Expr]:
    """(the text under which a value is released, what it is ordered by: NULL where it is missing)."""
    # -0.0 is 0.0, whichever of the two stands in the first row.
    written = "CASE WHEN value = 0 THEN abs(value) ELSE value END" if col.type in ("DOUBLE", "FLOAT") else "value"
    label: exp.Expr = exp.cast(template.parse(written), "VARCHAR")
    ordered: exp.Expr = column("value")
    if col.type == "TIMESTAMP WITH TIME ZONE":
        ordered = exp.AtTimeZone(this=column("value"), zone=exp.Literal.string("UTC"))
        in_utc = exp.cast(ordered.copy(), "VARCHAR")
        label = exp.Concat(expressions=[in_utc, exp.Literal.string("+00")], safe=True)
    if kind == "text":
        ordered = _text(col) if by_text else exp.cast(column("value"), "VARCHAR")
    elif read_as is not None:
        ordered = exp.TryCast(
            this=_text(col) if col.is_text else column("value"), to=exp.DataType.build(read_as, dialect="duckdb")
        )
    return label, exp.Case(ifs=[exp.If(this=column("is_missing"), true=exp.null())], default=ordered)


def kind_of_type(described: str) -> Kind:
    """How values of a type, as DuckDB describes it, are ordered."""
    if described.startswith(NUMERIC):
        return "number"
    return "date" if described.startswith(_DATES) else "text"


def _reading(engine: Engine, col: Column, spec: QuasiIdentifier, values: exp.Select) -> tuple[Kind, str | None]:
    """(how the values are ordered, the type to cast them to for that)."""
    if not col.is_text:
        own = kind_of_type(col.type)
        if spec.type is None or spec.type == own or spec.type == "text":
            return spec.type or own, None
        return spec.type, "DOUBLE" if spec.type == "number" else "TIMESTAMP"
    kind = spec.type or (_KINDS[col.reading.type] if col.reading is not None and col.reading.is_told else None)
    if kind == "text":
        return "text", None
    texts = exp.select(exp.alias_(_text(col), "value"), "is_missing").from_(values.subquery("as_written"))
    counts = engine.query("frequency/read_order", names={"distinct_values": texts})[0]
    present, not_numerals, not_dates, whole, decimals = (int(count) for count in counts)
    exact = f"DECIMAL({_MOST_DIGITS}, {decimals})" if whole + decimals <= _EXACT_DIGITS else "DOUBLE"
    if kind == "number":
        return "number", exact if not not_numerals else "DOUBLE"
    if kind == "date":
        return "date", "DATE" if not not_dates else "TIMESTAMP"
    if present and not not_numerals:
        return "number", exact
    return ("date", "DATE") if present and not not_dates else ("text", None)


def _number(kind: Kind, ordered: exp.Expr, read_as: str) -> exp.Expr:
    """The number in which the width of a range is measured, for dates in microseconds; differences are exact."""
    if kind == "number":
        if read_as.startswith("DECIMAL"):
            return ordered.copy()
        exact = read_as.startswith((*IN_BIGINT, "UBIGINT"))
        return exp.cast(ordered.copy(), "HUGEINT" if exact else "DOUBLE", dialect="duckdb")
    if kind == "date":
        moment = exp.cast(ordered.copy(), "TIMESTAMP")
        return exp.cast(exp.Anonymous(this="epoch_us", expressions=[moment]), "HUGEINT", dialect="duckdb")
    return template.parse("0.0")


def _endless(kind: Kind, ordered: exp.Expr, read_as: str) -> exp.Expr:
    """The condition that a value is infinite, or not a number."""
    if kind == "date" or (kind == "number" and read_as in ("DOUBLE", "FLOAT")):
        return exp.Not(this=exp.Anonymous(this="isfinite", expressions=[ordered.copy()]))
    return exp.false()


def tree_dimension(engine: Engine, qi: GeneralizedColumn, mapping: MappingTable) -> Dimension:
    """Packs the hierarchy of a quasi-identifier, whose mapping tables are in the engine.

    Missing values are a node of their own below the top; a class of them and others is *, however the top is labelled.
    Raises ConfigurationError for a hierarchy whose paths do not fit into 62 bits.
    """
    shifts = _pack(engine, mapping, qi.place)
    dimension = Dimension(
        index=mapping.index,
        column=qi.column,
        kind="tree",
        values=mapping.leaves,
        has_missing=True,
        weight=mapping.weight,
        released_missing=qi.released_missing,
        tree=Tree(shifts, mapping.min_level, sum(1 << shift for shift in shifts[:-1])),
    )
    packed: list[Item] = [{"ordinal": f"ordinal_{level}", "shift": shift} for level, shift in enumerate(shifts[:-1])]
    engine.query(
        "frequency/tree_domain",
        names={"domain": dimension.domain, "mapping": mapping.table},
        lists={"step": packed},
    )
    reached: list[Item] = [
        {"number": level, "code": f"level_{min(level, mapping.height)}", "shift": shift}
        for level, shift in enumerate(shifts)
    ]
    engine.query(
        "frequency/tree_nodes",
        names={
            "nodes": dimension.nodes,
            "domain": dimension.domain,
            "mapping": mapping.table,
            "weight": mapping.weight_table,
            "file_top": mapping.height,
        },
        lists={"step": reached},
        values={"leaves": mapping.leaves, "missing": qi.released_missing},
    )
    narrow(engine, dimension, (1 << shifts[-1]) - 1)
    return dimension


def narrow(engine: Engine, dimension: Dimension, largest: int) -> None:
    """Stores the positions, at most `largest`, in the narrowest type that holds them: every tuple has one of each."""
    type_name = next((name for limit, name in _POSITION_TYPES if largest <= limit), "BIGINT")
    statement = template.fill("frequency/narrow", names={"domain": dimension.domain})
    change = statement.find(exp.AlterColumn)
    assert change is not None
    change.set("dtype", exp.DataType.build(type_name, dialect="duckdb"))
    engine.run(statement)


def _pack(engine: Engine, mapping: MappingTable, place: str) -> tuple[int, ...]:
    """Makes the table paths, of each leaf's path from the top; the bits by which each level is shifted in it."""
    levels = mapping.height + 1
    climbing = max(mapping.height, 1)
    steps: list[Item] = [{"code": f"level_{level}"} for level in range(levels)]
    codes, paths = state(f"codes_{mapping.index}"), state("paths")
    engine.query("frequency/tree_codes", names={"codes": codes, "mapping": mapping.table}, lists={"step": steps})
    ordinals: list[Item] = [
        {
            "code": f"level_{level}",
            "parent": f"level_{level + 1}" if level + 1 < climbing else "top",
            "ordinal": f"ordinal_{level}",
        }
        for level in range(climbing)
    ]
    engine.query("frequency/tree_paths", names={"codes": codes, "paths": paths}, lists={"step": ordinals})
    widest = engine.query("frequency/tree_widths", names={"paths": paths}, lists={"step": ordinals})[0]
    shifts = tuple(accumulate((int(most).bit_length() for most in widest), initial=0))
    if shifts[-1] > _MOST_BITS:
        raise ConfigurationError(
            f"{place}: the hierarchy needs {shifts[-1]} bits for the way to a value, expected at most {_MOST_BITS}; "
            "leave out a level"
        )
    return shifts


def find_grid(engine: Engine, dimension: Dimension, place: str) -> Grid | None:
    """The grid of a dimension whose places are in the engine; None for one without ranges.

    Raises ConfigurationError for numbers and dates that no grid fits.
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
    column_types = {str(row[0]): str(row[1]) for row in engine.run(exp.Describe(this=quoted(dimension.places)))}
    span = float(engine.query("frequency/span", names=names)[0][0])
    digit_counts = [(int(row[0]), int(row[1]), bool(row[2])) for row in engine.query("frequency/digits", names=names)]
    decimals = max((count for count, _, _ in digit_counts), default=0)
    whole = max((count for _, count, _ in digit_counts), default=1)
    fives = {count for count, _, has_five in digit_counts if has_five}
    digits = _digits(column_types["bound"], decimals, whole, fives, span)
    if digits is None:
        raise ConfigurationError(
            f"{place}: the numbers of column {dimension.column.name!r} have too many digits to be widened; {_WAY_OUT}"
        )
    return NumberGrid(digits, span, column_types["bound"], rough=digits < decimals)


def _digits(kind: str, decimals: int, whole: int, fives: set[int], span: float) -> int | None:
    """The number of decimals of a unit such that no value is half a unit; None if the numbers have too many digits.

    `fives` are the numbers of decimals of values whose last digit is a five.
    """
    if kind not in _FLOATING:
        return decimals if whole + decimals <= _MOST_GRID_DIGITS else None
    # Numbers that were measured or computed have as many decimals as fit: more than anybody wants to read.
    enough = max(0, _UNIT_DECIMALS - math.floor(math.log10(span))) if span else decimals
    digits = min(decimals, enough)
    while digits + 1 in fives:
        digits += 1
    return digits if whole + digits <= _SAFE_DIGITS else None
