"""Dimensions without a hierarchy: numbers, dates and texts in their own order."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions.dimension import Dimension, Kind
from kanon_sql.hierarchy.hierarchy import Input
from kanon_sql.source.model import Column
from kanon_sql.source.reading import understood
from kanon_sql.source.values import means_missing
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, state
from kanon_sql.sql.type_names import IN_BIGINT, NUMERIC

_DATES = ("DATE", "TIMESTAMP")
_KINDS: dict[str, Kind] = {"number": "number", "date": "date", "timestamp": "date", "text": "text"}
_EXACT_DIGITS = 36  # so that a difference of two decimals is one, too
_MOST_DIGITS = 38
_TYPES = ((0xFF, "UTINYINT"), (0xFFFF, "USMALLINT"), (0xFFFFFFFF, "UINTEGER"))


def narrow(engine: Engine, dimension: Dimension, largest: int) -> None:
    """Keeps the positions, up to `largest`, in the narrowest type that holds them: every tuple has one of each."""
    kept = next((name for limit, name in _TYPES if largest <= limit), "BIGINT")
    statement = template.fill("frequency/narrow", names={"domain": dimension.domain})
    change = statement.find(exp.AlterColumn)
    assert change is not None
    change.set("dtype", exp.DataType.build(kept, dialect="duckdb"))
    engine.run(statement)


def ordered_dimension(engine: Engine, one: Input, *, by_text: bool = False) -> Dimension:
    """Ranks the values of a column.

    A text column counts as numbers when all its values are plain numerals, as dates when all are ISO dates, unless
    the configuration says what it is. With `by_text` texts that are the same number are told apart, but
    where the column is declared to hold numbers or dates. Raises ConfigurationError for values that are not of the
    type asked for.
    """
    values = _with_missing(one)
    kind, read_as = _reading(engine, one.column, one.spec, values)
    label, ordered = _read_value(one.column, kind, read_as, by_text=by_text)
    read_as = read_as or one.column.type
    domain = state(f"domain_{one.index}")
    engine.query(
        "frequency/order",
        names={
            "domain": domain,
            "distinct_values": values,
            "ordered_value": ordered,
            "label_value": label,
            "tie_value": _text(one.column) if by_text and one.column.is_text else exp.null(),
            "number_value": _number(kind, ordered, read_as),
            "endless_value": _endless(kind, ordered, read_as),
        },
    )
    unreadable, endless, size, has_missing = engine.query("frequency/order_problems", names={"domain": domain})[0]
    if unreadable or endless:
        wrong = f"{unreadable or endless} distinct values of column {one.column.name!r}"
        what = "cannot be read as" if unreadable else "have no end, which is none of"
        raise ConfigurationError(f"{one.place}: {wrong} {what} {kind}s; mend them, or set type: text")
    engine.query("frequency/places", names={"domain": domain, "places": state(f"places_{one.index}")})
    dimension = Dimension(
        index=one.index,
        column=one.column,
        kind=kind,
        values=int(size),
        has_missing=bool(has_missing),
        weight=one.spec.weight,
        released_missing=one.released_missing,
    )
    narrow(engine, dimension, int(size))
    return dimension


def stratum(engine: Engine, one: Input) -> Dimension:
    """A column whose values are kept apart: by their texts, whatever they are understood as."""
    spec = one.spec.model_copy(update={"type": "text", "aggregate": None})
    return replace(ordered_dimension(engine, replace(one, spec=spec)), apart=True)


def _with_missing(one: Input) -> exp.Select:
    """The distinct values with a mark at those that are read as missing."""
    is_missing = means_missing(column("value"), one.missing if one.column.is_text else ())
    marked = exp.alias_(exp.func("COALESCE", is_missing, exp.false()), "is_missing", quoted=True)
    return exp.select("value", marked).from_(one.distinct.copy().subquery("present"))


def _text(item: Column) -> exp.Expr:
    """The text that is understood of a value."""
    return understood(exp.cast(column("value"), "VARCHAR"), item.reading if item.is_text else None)


def _read_value(item: Column, kind: Kind, read_as: str | None, *, by_text: bool) -> tuple[exp.Expr, exp.Expr]:
    """(the text under which a value is released, what it is ordered by, NULL where it is missing)."""
    # -0.0 is 0.0, whichever of the two stands in the first row.
    written = "CASE WHEN value = 0 THEN abs(value) ELSE value END" if item.type in ("DOUBLE", "FLOAT") else "value"
    label: exp.Expr = exp.cast(template.parse(written), "VARCHAR")
    ordered: exp.Expr = column("value")
    if item.type == "TIMESTAMP WITH TIME ZONE":
        ordered = exp.AtTimeZone(this=column("value"), zone=exp.Literal.string("UTC"))
        in_utc = exp.cast(ordered.copy(), "VARCHAR")
        label = exp.Concat(expressions=[in_utc, exp.Literal.string("+00")], safe=True)
    if kind == "text":
        ordered = _text(item) if by_text else exp.cast(column("value"), "VARCHAR")
    elif read_as is not None:
        ordered = exp.TryCast(
            this=_text(item) if item.is_text else column("value"), to=exp.DataType.build(read_as, dialect="duckdb")
        )
    return label, exp.Case(ifs=[exp.If(this=column("is_missing"), true=exp.null())], default=ordered)


def kind_of_type(described: str) -> Kind:
    """What values of a type, as DuckDB describes it, are ordered as; texts as texts."""
    if described.startswith(NUMERIC):
        return "number"
    return "date" if described.startswith(_DATES) else "text"


def _reading(engine: Engine, item: Column, spec: QuasiIdentifier, values: exp.Select) -> tuple[Kind, str | None]:
    """(kind, type to cast texts to)."""
    if not item.is_text:
        own = kind_of_type(item.type)
        if spec.type is None or spec.type == own or spec.type == "text":
            return spec.type or own, None
        return spec.type, "DOUBLE" if spec.type == "number" else "TIMESTAMP"
    kind = spec.type or (_KINDS[item.reading.type] if item.reading is not None and item.reading.is_told else None)
    if kind == "text":
        return "text", None
    texts = exp.select(exp.alias_(_text(item), "value"), "is_missing").from_(values.subquery("as_written"))
    found = engine.query("frequency/read_order", names={"distinct_values": texts})[0]
    present, no_numerals, no_dates, whole, decimals = (int(count) for count in found)
    exact = f"DECIMAL({_MOST_DIGITS}, {decimals})" if whole + decimals <= _EXACT_DIGITS else "DOUBLE"
    if kind == "number":
        return "number", exact if not no_numerals else "DOUBLE"
    if kind == "date":
        return "date", "DATE" if not no_dates else "TIMESTAMP"
    if present and not no_numerals:
        return "number", exact
    return ("date", "DATE") if present and not no_dates else ("text", None)


def _number(kind: Kind, ordered: exp.Expr, read_as: str) -> exp.Expr:
    """What the width of a range is measured in: the number itself, or microseconds; exact where differences are."""
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
    """Whether a value is infinite, or no number."""
    if kind == "date" or (kind == "number" and read_as in ("DOUBLE", "FLOAT")):
        return exp.Not(this=exp.Anonymous(this="isfinite", expressions=[ordered.copy()]))
    return exp.false()
