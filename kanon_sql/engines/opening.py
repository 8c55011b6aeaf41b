"""The engines by their names: what reaches the one that a configuration asks for, or that was handed in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.duckdb.connection import HANDED_IN, DuckDBJob, HandedIn
from kanon_sql.engines.duckdb.frames import TAKEN, is_frame, is_path
from kanon_sql.engines.job import ConfiguredJob, Given, standing_in
from kanon_sql.engines.spark.session import is_session
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.algorithms import ENGINES

if TYPE_CHECKING:
    from typing import Protocol

    import duckdb
    import pandas
    from pyspark.sql import DataFrame, SparkSession

    from kanon_sql.engines.spark.job import SessionJob

    class ArrowStream(Protocol):
        """Frames of polars, tables of Arrow, relations of DuckDB, and what else has the C stream of Arrow."""

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    class Lazy(Protocol):
        """A LazyFrame of polars."""

        def collect(self) -> ArrowStream: ...

    DuckDBConnection: TypeAlias = duckdb.DuckDBPyConnection
    Connection: TypeAlias = duckdb.DuckDBPyConnection | SparkSession
    Data: TypeAlias = str | os.PathLike[str] | ArrowStream | Lazy | pandas.DataFrame
    Table: TypeAlias = str | duckdb.DuckDBPyRelation | DataFrame


def _postgres(loaded: LoadedConfig) -> ConfiguredJob:
    from kanon_sql.engines.postgres.target import PostgresJob

    return PostgresJob(loaded)


def _spark(loaded: LoadedConfig) -> ConfiguredJob:
    from kanon_sql.engines.spark.job import SparkJob

    return SparkJob(loaded)


# Other engines than DuckDB are imported by the jobs that use them.
JOBS: dict[str, Callable[[LoadedConfig], ConfiguredJob]] = {
    "duckdb": DuckDBJob,
    "postgres": _postgres,
    "spark": _spark,
}

Load = Callable[[Given, Iterable[tuple[str, Any]]], LoadedConfig]


def job_of(loaded: LoadedConfig, handed: HandedIn | None = None) -> ConfiguredJob:
    """What reaches the engine of a configuration, or DuckDB with what was handed in."""
    if loaded.config.engine.chosen == "duckdb":
        return DuckDBJob(loaded, handed)
    if handed is not None and handed.connection is not None:
        raise ConfigurationError(
            f"{loaded.place('engine')}: connection= is one of DuckDB; expected engine: duckdb, or no connection="
        )
    return JOBS[loaded.config.engine.chosen](loaded)


def require_rows(loaded: LoadedConfig, what: str) -> None:
    """Refuses work on engines that show no rows. Raises ConfigurationError."""
    if not ENGINES[loaded.config.engine.chosen].rows:
        raise ConfigurationError(
            f"{loaded.place('engine')}: {what} reads files and tables of DuckDB; expected engine: duckdb"
        )


def hand_in(
    config: Given, handed: HandedIn, overrides: Iterable[tuple[str, Any]], load: Load
) -> tuple[LoadedConfig, HandedIn]:
    """The configuration with what was handed in standing for its source and target, and what is left to hand in.

    `load` reads a configuration as it is. Raises ConfigurationError.
    """
    data = handed.data
    refuse_kinds(handed)
    if data is None and handed.target is None:
        return load(config, overrides), handed
    parts: dict[str, Any] = {} if data is None else {"engine": {"name": "duckdb"}}
    if handed.target is not None and handed.connection is None:
        parts["target"] = {"path": str(Path(handed.target).absolute())}
        handed = replace(handed, target=None)
    elif handed.target is not None:
        parts["target"] = None
    if isinstance(data, os.PathLike) or (isinstance(data, str) and handed.connection is None):
        parts["source"] = {"path": str(Path(data).absolute())}
        handed = replace(handed, data=None)
    elif data is not None:
        parts["source"] = {"query": HANDED_IN}
    return standing_in(config, parts, overrides), handed


def session_job(config: Given, handed: HandedIn, overrides: Iterable[tuple[str, Any]]) -> SessionJob | None:
    """The job of a run on a session of Spark, None where none was handed in. Raises ConfigurationError."""
    if not is_session(handed.connection):
        return None
    from kanon_sql.engines.spark.job import SessionJob

    return SessionJob(config, handed.connection, handed.data, handed.target, overrides)


def refuse_kinds(handed: HandedIn, what: str = "data") -> None:
    """Raises ConfigurationError for a connection that is none, and for data that is no table."""
    problems = []
    connection, data = handed.connection, handed.data
    if connection is not None and not (hasattr(connection, "execute") and hasattr(connection, "cursor")):
        problems.append(
            f"connection is of type {type(connection).__name__}; expected a connection of DuckDB, such as "
            "duckdb.connect()"
        )
    if data is not None and not is_path(data) and not is_frame(data):
        problems.append(f"{what} is of type {type(data).__name__}; expected {TAKEN}")
    if problems:
        raise ConfigurationError(problems)
