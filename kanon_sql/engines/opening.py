"""The engines by their names, and the job of the one that a configuration names or a caller passed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import TargetConfig
from kanon_sql.engines.duckdb.connection import HANDED_IN, DuckDBJob, UserInput
from kanon_sql.engines.duckdb.frames import TAKEN, is_frame, is_path
from kanon_sql.engines.job import ConfigLike, ConfiguredJob, RemoteJob, standing_in
from kanon_sql.engines.remote import Copied
from kanon_sql.engines.spark.session import is_session
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.algorithms import ENGINES
from kanon_sql.source.duckdb import DuckDB
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine, EngineOptions
from kanon_sql.sql.template import state

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

Load = Callable[[ConfigLike, Iterable[tuple[str, Any]]], LoadedConfig]


def _postgres(loaded: LoadedConfig) -> ConfiguredJob:
    from kanon_sql.engines.postgres.target import PostgresJob

    return PostgresJob(loaded)


def _spark(loaded: LoadedConfig) -> ConfiguredJob:
    from kanon_sql.engines.spark.job import SparkJob

    return SparkJob(loaded)


# Other engines than DuckDB are imported by the jobs that use them.
JOBS: dict[str, Callable[[LoadedConfig], ConfiguredJob]] = {"duckdb": DuckDBJob, "postgres": _postgres, "spark": _spark}


def job_of(loaded: LoadedConfig, user_input: UserInput | None = None) -> ConfiguredJob:
    """The job of the engine that a configuration names; with what a caller passed it is DuckDB."""
    if loaded.config.engine.chosen == "duckdb":
        return DuckDBJob(loaded, user_input)
    if user_input is not None and user_input.connection is not None:
        raise ConfigurationError(
            f"{loaded.place('engine')}: connection= is one of DuckDB; expected engine: duckdb, or no connection="
        )
    return JOBS[loaded.config.engine.chosen](loaded)


def open_released(loaded: LoadedConfig, options: EngineOptions) -> AbstractContextManager[tuple[Engine, Source | None]]:
    """Opens what is at the target of a configuration whose engine is none of this process (see RemoteJob.released)."""
    job = JOBS[loaded.config.engine.chosen](loaded)
    assert isinstance(job, RemoteJob)
    return job.released(options)


def copy_release(engine: Engine, loaded: LoadedConfig, named: str, options: EngineOptions) -> Source:
    """Copies a release that the engine of a configuration holds to DuckDB: a table, or a path that this engine reads.

    Raises ConfigurationError where it does not read that, EngineError where there is none.
    """
    is_path = "/" in named and ENGINES[loaded.config.engine.chosen].files
    target = TargetConfig(path=named) if is_path else TargetConfig(table=named)
    loaded = replace(loaded, config=loaded.config.model_copy(update={"target": target}))
    job = JOBS[loaded.config.engine.chosen](loaded)
    assert isinstance(job, RemoteJob)
    with job.connect(options) as remote:
        release = remote.open_release(engine, loaded, tuple(loaded.config.source.missing or ()))
        if release is None:
            raise EngineError(f"{named}: there is no such release in {loaded.config.engine.chosen}")
        copied = Copied(engine, remote, target).copied(release, state("linked_release"))
    return replace(copied, backend=DuckDB(engine))


def resolve_input(
    config: ConfigLike, user_input: UserInput, overrides: Iterable[tuple[str, Any]], load: Load
) -> tuple[LoadedConfig, UserInput]:
    """(the configuration with what a caller passed in place of its source and target, what is still to be passed to the
    job).

    `load` reads a configuration as it is. Raises ConfigurationError.
    """
    data = user_input.data
    refuse_kinds(user_input)
    if data is None and user_input.target is None:
        return load(config, overrides), user_input
    parts: dict[str, Any] = {} if data is None else {"engine": {"name": "duckdb"}}
    if user_input.target is not None and user_input.connection is None:
        parts["target"] = {"path": str(Path(user_input.target).absolute())}
        user_input = replace(user_input, target=None)
    elif user_input.target is not None:
        parts["target"] = None
    if isinstance(data, os.PathLike) or (isinstance(data, str) and user_input.connection is None):
        parts["source"] = {"path": str(Path(data).absolute())}
        user_input = replace(user_input, data=None)
    elif data is not None:
        parts["source"] = {"query": HANDED_IN}
    return standing_in(config, parts, overrides), user_input


def session_job(config: ConfigLike, user_input: UserInput, overrides: Iterable[tuple[str, Any]]) -> SessionJob | None:
    """The job on a session of Spark that a caller passed, None for another connection. Raises ConfigurationError."""
    if not is_session(user_input.connection):
        return None
    from kanon_sql.engines.spark.job import SessionJob

    return SessionJob(config, user_input.connection, user_input.data, user_input.target, overrides)


def refuse_kinds(user_input: UserInput, label: str = "data") -> None:
    """Raises ConfigurationError for a `connection` or `data` of a type that is none."""
    problems = []
    connection, data = user_input.connection, user_input.data
    if connection is not None and not (hasattr(connection, "execute") and hasattr(connection, "cursor")):
        problems.append(
            f"connection is of type {type(connection).__name__}; expected a connection of DuckDB, such as "
            "duckdb.connect()"
        )
    if data is not None and not is_path(data) and not is_frame(data):
        problems.append(f"{label} is of type {type(data).__name__}; expected {TAKEN}")
    if problems:
        raise ConfigurationError(problems)
