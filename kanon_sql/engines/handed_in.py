"""Runs on a connection or session that was handed in: its settings are left alone, and it stays open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from kanon_sql.engines.duckdb.connection import ConnectionJob
from kanon_sql.engines.job import Given, Job
from kanon_sql.engines.spark.job import SessionJob, is_session

if TYPE_CHECKING:
    import duckdb
    from pyspark.sql import DataFrame, SparkSession

    Connection: TypeAlias = duckdb.DuckDBPyConnection | SparkSession
    Table: TypeAlias = str | duckdb.DuckDBPyRelation | DataFrame


def handed_in(
    config: Given,
    connection: Connection,
    source: Table | None,
    target: str | None,
    overrides: Iterable[tuple[str, Any]],
) -> Job:
    """The job of a run on a user's connection or session. Raises ConfigurationError."""
    if is_session(connection):
        return SessionJob(config, connection, source, target, overrides)
    return ConnectionJob(config, connection, source, target, overrides)
