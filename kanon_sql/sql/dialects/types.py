"""Types that columns have in every dialect, and the values that are written in statements."""

from __future__ import annotations

import re

from sqlglot import exp

from kanon_sql.errors import ConfigurationError
from kanon_sql.sql.dialects.dialect import Dialect
from kanon_sql.sql.type_names import IN_BIGINT

_SAME = {
    "VARCHAR": "VARCHAR",
    "BOOLEAN": "BOOLEAN",
    "FLOAT": "FLOAT",
    "DOUBLE": "DOUBLE",
    "DATE": "DATE",
    "UBIGINT": "DECIMAL(20, 0)",
    "HUGEINT": "DECIMAL(38, 0)",
    **dict.fromkeys(IN_BIGINT, "BIGINT"),
}
# Types of which `=` says the same in every dialect that has them; a TIMESTAMP has microseconds in DuckDB.
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


def column_type(dialect: Dialect, described: str, what: str) -> exp.DataType:
    """The type of a column, described as DuckDB does, in a dialect. Raises ConfigurationError for one without."""
    if described.startswith("ENUM"):
        described = "VARCHAR"
    if dialect.name == "duckdb":
        return exp.DataType.build(described, dialect="duckdb")
    decimal = _DECIMAL.fullmatch(described)
    if described in _SAME:
        return exp.DataType.build(_SAME[described], dialect="duckdb")
    if described == "TIMESTAMP":
        return exp.DataType.build("TIMESTAMP(6)" if dialect.name == "trino" else "TIMESTAMP", dialect="duckdb")
    if decimal and (dialect.name != "bigquery" or (int(decimal[2]) <= 9 and int(decimal[1]) - int(decimal[2]) <= 29)):
        return exp.DataType.build(described, dialect="duckdb")
    raise ConfigurationError(
        f"{what} is of type {described[:40]}, which has no place in a statement for {dialect.name}; expected a text, "
        "number, date or timestamp without time zone: cast it in the source"
    )
