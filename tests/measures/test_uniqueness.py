"""Columns in which rows hold values of their own: the figures of the warnings, and what counting them takes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from shared_engine import attached, insert
from tables import simple

from kanon_sql.api.opening import open_prepared
from kanon_sql.commands.run import pipeline
from kanon_sql.config.load import from_mapping
from kanon_sql.source import duckdb as duckdb_source


@pytest.mark.few(1)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("together", [50, 7])
def test_many_columns_are_counted_by_few_statements(
    tmp_path: Path, suffix: str, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duckdb_source, "_TOGETHER", together)
    rows, width = 200, 20
    # Column c holds about c values of its own in 20 rows.
    table = [(i % 3, *(i if i % width < c else -1 for c in range(width))) for i in range(rows)]
    path = tmp_path / f"in{suffix}"
    with attached() as connection:
        columns = ", ".join(f"c{c} INTEGER" for c in range(width))
        connection.execute(f"CREATE TABLE wide (x INTEGER, {columns})")
        insert(connection, "wide", table)
        connection.execute(f"COPY wide TO '{path}' (FORMAT {suffix[1:]})")
    loaded = from_mapping({**simple(path, tmp_path / "out.csv", "x", k=2), "unlisted": "insensitive"})
    expected = []
    for c in range(width):
        alone = sum(count == 1 for count in Counter(row[c + 1] for row in table).values())
        if alone > 0.05 * rows:
            expected.append(f"insensitive column 'c{c}' holds a value of its own in {alone} of {rows} rows")
    assert 5 < len(expected) < width
    with open_prepared(loaded, None, None) as (engine, prepared):
        before = engine.statements
        warnings = pipeline.unique_columns(prepared, loaded)
        taken = engine.statements - before
    assert [warning.partition(":")[0] for warning in warnings] == expected
    assert taken <= 1 + -(-width // together)
