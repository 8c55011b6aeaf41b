"""The engines by their names: what reaches the one that a configuration asks for, or that was handed in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.duckdb.connection import ConnectionJob, DuckDBJob
from kanon_sql.engines.job import ConfiguredJob, Given, Job
from kanon_sql.engines.postgres.target import PostgresJob
from kanon_sql.engines.spark.job import SessionJob, SparkJob, is_session
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.abilities import ENGINES

if TYPE_CHECKING:
    import duckdb
    from pyspark.sql import DataFrame, SparkSession

    Connection: TypeAlias = duckdb.DuckDBPyConnection | SparkSession
    Table: TypeAlias = str | duckdb.DuckDBPyRelation | DataFrame

JOBS: dict[str, type[ConfiguredJob]] = {"duckdb": DuckDBJob, "postgres": PostgresJob, "spark": SparkJob}


def job_of(loaded: LoadedConfig) -> ConfiguredJob:
    """What reaches the engine of a configuration."""
    return JOBS[loaded.config.engine.chosen](loaded)


def require_rows(loaded: LoadedConfig, what: str) -> None:
    """Refuses work on engines that show no rows. Raises ConfigurationError."""
    if not ENGINES[loaded.config.engine.chosen].rows:
        raise ConfigurationError(
            f"{loaded.place('engine')}: {what} reads files and tables of DuckDB; expected engine: duckdb"
        )


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
