"""ENUM types of the program's own: texts of which there are few are sorted as small integers, and files store them as
texts again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb
from sqlglot import exp

from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import quoted

# More labels than this are kept as VARCHAR: beyond 16 bits an ENUM gains nothing. Before 2.0 the engine wrote every
# label of an ENUM into a Parquet file's dictionary and statistics, those of suppressed rows among them.
MOST_LABELS = 60_000 if int(duckdb.__version__.split(".")[0]) >= 2 else 0


def enum_type(engine: Engine, name: str, labels: exp.Expr, values: Mapping[str, Any] | None = None) -> exp.DataType:
    """Makes the type of the texts that a SELECT gives, without NULL and each once; a reference to it."""
    created = exp.Create(
        this=exp.Table(this=quoted(name)),
        kind="TYPE",
        replace=True,
        properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        expression=exp.Anonymous(this="ENUM", expressions=[labels]),
    )
    engine.run(created, values)
    return exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=quoted(name))


def of_one_value(text: str) -> exp.Expr:
    """A constant as the type that lists it alone."""
    literal = exp.Literal.string(text)
    return exp.cast(literal, exp.DataType(this=exp.DataType.Type.ENUM, expressions=[literal.copy()]))
