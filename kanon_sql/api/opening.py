"""What every job starts from, a configuration and the tables that a search works on, and how its errors leave."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from kanon_sql.config.arguments import CommandLine
from kanon_sql.config.load import LoadedConfig, from_mapping, load_config
from kanon_sql.engines.duckdb.connection import UserInput
from kanon_sql.engines.lockdown import allow_paths
from kanon_sql.engines.opening import job_of, resolve_input
from kanon_sql.engines.spark.session import is_session
from kanon_sql.errors import ConfigurationError, KanonError
from kanon_sql.ledger.earlier import telling_releases
from kanon_sql.progress import Progress
from kanon_sql.search.prepare import load_hierarchies, prepare_search
from kanon_sql.search.problem import SearchProblem
from kanon_sql.settings.arguments import FLAGS
from kanon_sql.source.roles import assign_roles
from kanon_sql.source.treatments.lookups import with_lookups
from kanon_sql.sql.connection import Engine, EngineOptions

if TYPE_CHECKING:
    from kanon_sql.engines.opening import Data, DuckDBConnection

P = ParamSpec("P")
R = TypeVar("R")


def without_causes(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose errors leave it without those that led to them, unless its options show values.

    Errors of engines, drivers and files quote data and URLs; tracebacks, notebooks and loggers show the whole chain.
    """

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except KanonError as error:
            failure = error
        given = [argument for argument in (*args, *kwargs.values()) if isinstance(argument, EngineOptions)]
        if not any(options.show_values for options in given):
            failure.__cause__ = failure.__context__ = None
        try:
            raise failure
        finally:
            del failure

    return called


Configuration = str | os.PathLike[str] | Mapping[str, Any] | LoadedConfig
Overrides = Iterable[tuple[str, Any]]


@without_causes
def load(config: Configuration, overrides: Overrides = ()) -> LoadedConfig:
    """A configuration from a file's path or a mapping. Raises ConfigurationError with every problem."""
    if isinstance(config, LoadedConfig):
        return config
    if isinstance(config, CommandLine):
        return from_mapping(config, overrides=overrides, name="command line", flags=FLAGS)
    if isinstance(config, Mapping):
        return from_mapping(config, overrides=overrides)
    return load_config(config, overrides)


def hand(
    config: Configuration, overrides: Overrides, data: Data | None, connection: DuckDBConnection | None
) -> tuple[LoadedConfig, UserInput]:
    """A configuration whose source `data` stands for, and what is left to hand in: rows, and the connection to use.

    Raises ConfigurationError.
    """
    if is_session(connection):
        raise ConfigurationError("connection is a session of Spark, which run takes; expected a connection of DuckDB")
    return resolve_input(config, UserInput(data, connection), overrides, load)


@contextmanager
def open_prepared(
    loaded: LoadedConfig,
    options: EngineOptions | None,
    progress: Progress | None,
    handed: UserInput | None = None,
) -> Iterator[tuple[Engine, SearchProblem]]:
    """DuckDB with the source of a configuration, or what was `handed` in, read for its search; nothing is written.

    A connection of ours is closed at the end. Raises the errors of kanon_sql.errors.
    """
    options = options or EngineOptions()
    hierarchies = load_hierarchies(loaded, show_values=options.show_values)
    with job_of(loaded, handed).read(options) as (engine, source):
        with telling_releases(engine, loaded, source, hierarchies):
            roles = assign_roles(source, loaded)
            allow_paths(engine, loaded, source, None)
            treated = with_lookups(engine, source)
            prepared = prepare_search(engine, loaded, treated, roles, hierarchies, progress or Progress())
        yield engine, prepared
