"""Opens the engine that a configuration names, with what the release is written to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.model import Warehouse
from kanon_sql.engines.postgres import Postgres, PostgresTable
from kanon_sql.engines.postgres_connection import open_connection
from kanon_sql.engines.spark import Spark
from kanon_sql.engines.spark_session import open_session
from kanon_sql.engines.spark_target import SparkFolder, SparkTable
from kanon_sql.errors import ConfigurationError
from kanon_sql.source.model import Source
from kanon_sql.source.opening import open_source
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.sql.scratch import spill_folder
from kanon_sql.targets.opening import open_file
from kanon_sql.targets.target import Sink

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def is_elsewhere(loaded: LoadedConfig) -> bool:
    """Whether an engine beside DuckDB holds the rows."""
    engine = loaded.config.engine
    return engine.spark is not None or engine.postgres is not None


@contextmanager
def open_warehouse(
    loaded: LoadedConfig, options: EngineOptions, session: SparkSession | None = None
) -> Iterator[Warehouse]:
    """The engine of a configuration, or the Spark session that was handed in. ConfigurationError, EngineError."""
    engine = loaded.config.engine
    if session is not None:
        home: Warehouse = Spark(session, "the session handed in", owned=False, show_values=options.show_values)
    elif engine.spark is not None:
        opened, is_new = open_session(engine.spark, engine.config)
        home = Spark(opened, engine.spark, owned=is_new, show_values=options.show_values)
    else:
        with spill_folder(options.temp_directory) as folder:
            connection = open_connection(engine.postgres or "")
            postgres = Postgres(connection, folder, show_values=options.show_values)
            try:
                yield postgres
            finally:
                postgres.close()
        return
    try:
        yield home
    finally:
        home.close()


@contextmanager
def open_reading(loaded: LoadedConfig, options: EngineOptions) -> Iterator[tuple[Engine, Source]]:
    """DuckDB, and the source of a configuration where it is, for work that writes nothing."""
    with open_engine(options) as engine:
        if is_elsewhere(loaded):
            with open_warehouse(loaded, options) as home:
                yield engine, home.open_source(loaded)
        else:
            yield engine, open_source(engine, loaded)


def refuse_elsewhere(loaded: LoadedConfig, what: str) -> None:
    """Refuses work that DuckDB alone does. Raises ConfigurationError."""
    if is_elsewhere(loaded):
        raise ConfigurationError(
            f"{loaded.place('engine')}: {what} reads files and tables of DuckDB; expected engine: duckdb"
        )


@contextmanager
def open_target(home: Warehouse, loaded: LoadedConfig) -> Iterator[Sink]:
    """Where the release goes; what is not committed is removed."""
    target, place = loaded.config.target, loaded.place("target")
    if target is None:
        raise ConfigurationError(f"{loaded.place('target')}: there is no target; expected a path or a table")
    if isinstance(home, Postgres):
        if target.path is not None:
            with open_file(loaded, target, place) as sink:
                yield sink
        else:
            yield PostgresTable(home, target, place)
        return
    assert isinstance(home, Spark)
    if target.table is not None:
        made: SparkTable | SparkFolder = SparkTable(home, target, place)
    else:
        made = SparkFolder(home, target, home.whole_path(str(target.path), loaded.base), place)
    try:
        yield made
    finally:
        made.withdraw()
