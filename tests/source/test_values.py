"""Values as texts: one text for values that are equal."""

from __future__ import annotations

import pytest
from shared_engine import shared
from sqlglot import exp

from kanon_sql.source.columns import as_written


@pytest.mark.parametrize(
    ("kind", "values", "texts"),
    [
        ("DOUBLE", ["-0.0", "0.0", "-0.5", "10", "100.50", "1e20"], ["0", "0", "-0.5", "10", "100.5", "1e+20"]),
        ("FLOAT", ["-0.0", "-10.0"], ["0", "-10"]),
        ("DECIMAL(5,2)", ["-0.00", "-0.50", "100.00"], ["0", "-0.5", "100"]),
        ("VARCHAR", ["-0", "1.50"], ["-0", "1.50"]),
        ("TIMESTAMP", ["2020-01-01 00:00:00", "2020-01-01 10:00:00"], ["2020-01-01", "2020-01-01 10:00:00"]),
    ],
)
def test_equal_values_have_one_text(kind: str, values: list[str], texts: list[str]) -> None:
    text = as_written(exp.column("value"), kind).sql("duckdb")
    with shared() as connection:
        rows = connection.execute(f"SELECT {text} FROM (SELECT CAST(unnest($1) AS {kind}) AS value)", [values])
        assert [row[0] for row in rows.fetchall()] == texts
