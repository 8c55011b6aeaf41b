"""A connection that was handed in: its tables are source and target, nothing else of it changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from tables import QUASI_IDENTIFIERS, fill_table

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError, NoReleaseError

CONFIG: dict[str, Any] = {
    "quasi_identifiers": QUASI_IDENTIFIERS,
    "sensitive": ["diagnosis"],
    "unlisted": "drop",
    "privacy": {"k": 5},
    "suppression": {"limit": "5%"},
}


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        fill_table(opened, "people")
        yield opened


def settings(connection: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    return connection.execute("SELECT name, value FROM duckdb_settings() ORDER BY name").fetchall()


def objects(connection: duckdb.DuckDBPyConnection) -> set[str]:
    queries = (
        "SELECT table_name FROM duckdb_tables()",
        "SELECT view_name FROM duckdb_views() WHERE NOT internal",
        "SELECT type_name FROM duckdb_types() WHERE NOT internal",
    )
    return {row[0] for query in queries for row in connection.execute(query).fetchall()}


def smallest(connection: duckdb.DuckDBPyConnection) -> int:
    counted = connection.execute("SELECT min(n) FROM (SELECT count(*) AS n FROM released GROUP BY sex, age, zip)")
    return int(counted.fetchall()[0][0])


@pytest.mark.slow
def test_a_table_becomes_a_table(connection: duckdb.DuckDBPyConnection) -> None:
    before = settings(connection)
    result = kanon_sql.run(CONFIG, connection=connection, source="people", target="released")
    assert smallest(connection) >= 5
    assert result.released + result.suppressed == 300
    assert objects(connection) == {"people", "released"}
    assert settings(connection) == before
    names = [row[0] for row in connection.execute("DESCRIBE released").fetchall()]
    assert names == ["sex", "age", "zip", "diagnosis"]


@pytest.mark.slow
def test_a_relation_is_a_source(connection: duckdb.DuckDBPyConnection) -> None:
    relation = connection.sql("SELECT * FROM people WHERE age >= 30")
    kanon_sql.run(CONFIG, connection=connection, source=relation, target="main.released")
    assert smallest(connection) >= 5
    assert objects(connection) == {"people", "released"}


@pytest.mark.slow
def test_a_transaction_of_the_user_goes_on(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("BEGIN")
    kanon_sql.run(CONFIG, connection=connection, source="people", target="released")
    connection.execute("ROLLBACK")
    assert objects(connection) == {"people"}


@pytest.mark.slow
def test_an_existing_target_stays(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE released AS SELECT 1 AS mine")
    with pytest.raises(EngineError):
        kanon_sql.run(CONFIG, connection=connection, source="people", target="released")
    assert connection.execute("SELECT * FROM released").fetchall() == [(1,)]
    assert objects(connection) == {"people", "released"}


def test_without_a_release_nothing_is_left(connection: duckdb.DuckDBPyConnection) -> None:
    config = {**CONFIG, "privacy": {"k": 301}}
    with pytest.raises(NoReleaseError):
        kanon_sql.run(config, connection=connection, source="people", target="released")
    assert objects(connection) == {"people"}


def test_a_source_is_needed(connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(ConfigurationError, match="source is missing"):
        kanon_sql.run(CONFIG, connection=connection, target="released")
