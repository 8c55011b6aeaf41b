"""What the tests of built-in hierarchies share; no tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import pytest
from effort import tries
from hypothesis import settings
from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn
from kanon_sql.hierarchy.mapping import MappingTable, build_mapping, uncovered
from kanon_sql.source.model import Column
from kanon_sql.sql.connection import Engine

# Each example has many values: statements take the time.
few = settings(max_examples=tries(30))


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        yield Engine(connection)


def distinct(engine: Engine, values: Sequence[Any], column_type: str) -> exp.Select:
    """A table with these values in this type, NULL among them, as what the source gives."""
    engine.connection.execute(f"CREATE OR REPLACE TEMP TABLE data (value {column_type})")
    texts = list(dict.fromkeys(values))
    engine.connection.execute(
        f"INSERT INTO data SELECT DISTINCT CAST(unnest(CAST($v AS VARCHAR[])) AS {column_type})",
        {"v": [*texts, None]},
    )
    return exp.select("value").from_("data")


def build(
    engine: Engine, values: Sequence[Any], column_type: str, missing: tuple[str, ...] = (), **options: Any
) -> MappingTable:
    select = distinct(engine, values, column_type)
    column = Column("c", "c", column_type)
    given = GeneralizedColumn(7, column, QuasiIdentifier(**options), select, missing=missing, place="c.yaml:4")
    return build_mapping(engine, given)


def labels(engine: Engine, mapping: MappingTable) -> dict[str, tuple[str, ...]]:
    """The labels of every value by its text; also that each level is a function of the level below."""
    names = ", ".join(f"CAST(label_{level} AS VARCHAR)" for level in range(mapping.height + 1))
    rows = engine.connection.execute(f"SELECT {names} FROM {mapping.table} WHERE level_0 > 0").fetchall()
    for level in range(mapping.height):
        assert len({(row[level], row[level + 1]) for row in rows}) == len({row[level] for row in rows})
    assert all(row[-1] == "*" for row in rows)
    return {row[0]: row[1:-1] for row in rows}


def left_out(engine: Engine, mapping: MappingTable) -> int:
    return uncovered(engine, mapping, exp.select("value").from_("data"))
