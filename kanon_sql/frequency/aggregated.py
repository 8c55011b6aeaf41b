"""Quasi-identifiers of which a class shows an aggregate: their values as numbers that can be added exactly.

Whole numbers, decimals and dates are counted in whole units, so that sums are exact and the same whatever order rows
are added in; floating-point numbers are added in the order of their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions import Dimension, ordered_dimension
from kanon_sql.hierarchy.hierarchy import Input
from kanon_sql.settings.algorithms import AGGREGATES, either
from kanon_sql.source.columns import as_written
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import IN_BIGINT
from kanon_sql.sql.template import column, state

_APART = 10_000  # numbers of the tables of an order beside a hierarchy: above every quasi-identifier's
_DOUBLE = "CAST(ordered AS DOUBLE)"
_MOST_UNITS = 10.0**18  # so many of them that rows of any number can be added


@dataclass(frozen=True)
class Aggregated:
    """A quasi-identifier that is released as an aggregate of its class.

    Its table aggregated(code, place, number, label) has a row for each value that is not missing: the code of tuples,
    the place in the order of values, the number of units, of which `scale` make one, and the value's own text.
    `described` is the type of its values as DuckDB names it.
    """

    index: int
    name: str
    aggregate: str
    kind: str
    described: str
    scale: int
    released_missing: str | None
    place: str

    @property
    def table(self) -> str:
        """The table of the values."""
        return state(f"aggregated_{self.index}")


def read_aggregated(
    engine: Engine, one: Input, coded: str, code: str, dimension: Dimension | None = None
) -> Aggregated | None:
    """Makes the table of values, coded as the table `coded`(value, `code`) says; None where no aggregate is asked for.

    A `dimension` that has an order is not ordered again. Raises ConfigurationError for values without an end.
    """
    if one.spec.aggregate is None:
        return None
    ordered = dimension
    if ordered is None or ordered.kind == "tree":
        spec = one.spec.model_copy(update={"hierarchy": None, "builtin": None})
        ordered = ordered_dimension(engine, replace(one, index=_APART + one.index, spec=spec))
    described, most = engine.query("frequency/aggregated_type", names={"domain": ordered.domain})[0]
    number, scale = _units(ordered.kind, str(described), float(most or 0))
    found = Aggregated(
        index=one.index,
        name=one.column.name,
        aggregate=one.spec.aggregate,
        kind=ordered.kind,
        described=one.column.type if one.column.type == "TIMESTAMP WITH TIME ZONE" else str(described),
        scale=scale,
        released_missing=one.released_missing,
        place=one.where,
    )
    names: dict[str, template.Fill] = {
        "aggregated": found.table,
        "label_value": _label(one, ordered.kind, str(described)),
        "coded": coded,
        "code_of_value": code,
        "domain": ordered.domain,
        "number_value": number,
    }
    engine.query("frequency/aggregated", names=names)
    return found


def _label(one: Input, kind: str, described: str) -> exp.Expr:
    """What a class of one value shows; of texts the value itself where it is said what they are."""
    reading = one.column.reading if one.column.is_text else None
    if reading is not None and reading.is_typed:
        return as_written(column("ordered"), described)
    if one.column.is_text and kind == "number":
        return template.parse("CASE WHEN ordered = 0 THEN ltrim(label, '-') ELSE label END")
    return column("label")


def refuse_aggregates(engine: Engine, columns: Sequence[Aggregated]) -> None:
    """Refuses aggregates of values that have none. Raises ConfigurationError with all problems."""
    problems = []
    for one in columns:
        known = AGGREGATES[one.aggregate]
        if one.kind not in known.kinds:
            fitting = either([name for name, other in AGGREGATES.items() if one.kind in other.kinds])
            problems.append(
                f"{one.place}: aggregate: {one.aggregate} is none of column {one.name!r}, which holds {one.kind}s; "
                f"expected {either(known.kinds)}s, or aggregate: {fitting}"
            )
        elif known.positive:
            below = int(engine.query("frequency/aggregated_negative", names={"aggregated": one.table})[0][0])
            if below:
                problems.append(
                    f"{one.place}: aggregate: {one.aggregate} takes no values below 0, of which column {one.name!r} "
                    f"holds {below}; expected aggregate: mean or median"
                )
    if problems:
        raise ConfigurationError(problems)


def _units(kind: str, described: str, most: float) -> tuple[exp.Expr, int]:
    """(a value of the column `ordered` in whole units, or as DOUBLE, how many units make one)."""
    if kind == "text":
        return exp.cast(exp.null(), "DOUBLE"), 1
    if kind == "date":
        return template.parse(
            "CAST(ordered - DATE '1970-01-01' AS HUGEINT)"
            if described == "DATE"
            else "CAST(epoch_us(CAST(ordered AS TIMESTAMP)) AS HUGEINT)"
        ), 1
    if described.startswith((*IN_BIGINT, "UBIGINT")):
        return template.parse("CAST(ordered AS HUGEINT)"), 1
    if described.startswith("DECIMAL"):
        scale = 10 ** int(described.rstrip(")").split(",")[1])
        if most * scale < _MOST_UNITS:
            return template.parse("CAST(replace(CAST(ordered AS VARCHAR), '.', '') AS HUGEINT)"), scale
    # A FLOAT of 0.1 is that number as a text, and another one as a DOUBLE.
    return template.parse("CAST(CAST(ordered AS VARCHAR) AS DOUBLE)" if described == "FLOAT" else _DOUBLE), 1
