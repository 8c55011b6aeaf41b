"""Quasi-identifiers of which a class shows an aggregate: their values as numbers that can be added exactly.

Whole numbers, decimals and dates are counted in whole units, so that sums are exact and the same in every order of the
rows; floating-point numbers are added in the order of their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions import Dimension, ordered_dimension
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn
from kanon_sql.settings.algorithms import AGGREGATES, either
from kanon_sql.source.columns import as_written
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import IN_BIGINT
from kanon_sql.sql.template import column, state

_FIRST = 10_000  # the tables of orders beside a hierarchy are numbered from here, above every quasi-identifier
_DOUBLE = "CAST(ordered AS DOUBLE)"
_MOST_UNITS = 10.0**18  # of one value, so that the sum over any number of rows fits into a HUGEINT


@dataclass(frozen=True)
class Aggregated:
    """A quasi-identifier that is released as an aggregate of its class.

    Its table aggregated(code, place, number, label) has a row for each value that is not missing: the code in the
    tuples, the rank of the value, its number of units, of which `scale` make one, and its text. `described` is the type
    of the values as DuckDB names it; `place` is where the configuration names the column.
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
    engine: Engine, qi: GeneralizedColumn, coded: str, code: str, dimension: Dimension | None = None
) -> Aggregated | None:
    """Makes the table of values, with the codes of the table `coded`(value, `code`); None if no aggregate is asked for.

    A `dimension` that is ordered is not ordered again. Raises ConfigurationError for infinite values.
    """
    if qi.spec.aggregate is None:
        return None
    ordered = dimension
    if ordered is None or ordered.kind == "tree":
        spec = qi.spec.model_copy(update={"hierarchy": None, "builtin": None})
        ordered = ordered_dimension(engine, replace(qi, index=_FIRST + qi.index, spec=spec))
    described, most = engine.query("frequency/aggregated_type", names={"domain": ordered.domain})[0]
    number, scale = _units(ordered.kind, str(described), float(most or 0))
    aggregated = Aggregated(
        index=qi.index,
        name=qi.column.name,
        aggregate=qi.spec.aggregate,
        kind=ordered.kind,
        described=qi.column.type if qi.column.type == "TIMESTAMP WITH TIME ZONE" else str(described),
        scale=scale,
        released_missing=qi.released_missing,
        place=qi.where,
    )
    names: dict[str, template.Fill] = {
        "aggregated": aggregated.table,
        "label_value": _label(qi, ordered.kind, str(described)),
        "coded": coded,
        "code_of_value": code,
        "domain": ordered.domain,
        "number_value": number,
    }
    engine.query("frequency/aggregated", names=names)
    return aggregated


def _label(qi: GeneralizedColumn, kind: str, described: str) -> exp.Expr:
    """What a class of one value shows: a text as it is written, if the configuration declares how it is read."""
    reading = qi.column.reading if qi.column.is_text else None
    if reading is not None and reading.is_typed:
        return as_written(column("ordered"), described)
    if qi.column.is_text and kind == "number":
        return template.parse("CASE WHEN ordered = 0 THEN ltrim(label, '-') ELSE label END")
    return column("label")


def refuse_aggregates(engine: Engine, columns: Sequence[Aggregated]) -> None:
    """Raises ConfigurationError, with all problems, for aggregates that the values of a column do not have."""
    problems = []
    for qi in columns:
        declared = AGGREGATES[qi.aggregate]
        if qi.kind not in declared.kinds:
            fitting = either([name for name, other in AGGREGATES.items() if qi.kind in other.kinds])
            problems.append(
                f"{qi.place}: aggregate: {qi.aggregate} is none of column {qi.name!r}, which holds {qi.kind}s; "
                f"expected {either(declared.kinds)}s, or aggregate: {fitting}"
            )
        elif declared.positive:
            negative = int(engine.query("frequency/aggregated_negative", names={"aggregated": qi.table})[0][0])
            if negative:
                problems.append(
                    f"{qi.place}: aggregate: {qi.aggregate} takes no values below 0, of which column {qi.name!r} "
                    f"holds {negative}; expected aggregate: mean or median"
                )
    if problems:
        raise ConfigurationError(problems)


def _units(kind: str, described: str, most: float) -> tuple[exp.Expr, int]:
    """(the column `ordered` in whole units, or as DOUBLE; how many units make one)."""
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
