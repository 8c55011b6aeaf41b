"""The engines by their names: what reaches the one that a configuration asks for."""

from __future__ import annotations

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.duckdb.job import DuckDBJob
from kanon_sql.engines.job import ConfiguredJob
from kanon_sql.engines.postgres.job import PostgresJob
from kanon_sql.engines.spark.job import SparkJob
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.abilities import ENGINES

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
