"""Runs on a Spark session that was handed in: its settings are left alone, and it stays open."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from kanon_sql.config.load import LoadedConfig, from_mapping, load_config
from kanon_sql.config.model import EngineConfig
from kanon_sql.engines.opening import open_target, open_warehouse
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.targets.target import Sink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_STANDS_IN = {"spark": "the session handed in"}


def is_session(connection: object) -> TypeGuard[SparkSession]:
    """Whether a connection is a session of Spark, a classic one or one of Spark Connect."""
    return any(
        kind.__name__ == "SparkSession" and kind.__module__.startswith("pyspark.") for kind in type(connection).__mro__
    )


class SessionJob:
    """The engine, source and sink of a run on the user's session."""

    def __init__(self, session: SparkSession, loaded: LoadedConfig, view: str | None) -> None:
        self.session = session
        self.loaded = loaded
        self.view = view

    @contextmanager
    def open(self, options: EngineOptions) -> Iterator[tuple[Engine, Sink, Callable[[LoadedConfig], Source]]]:
        """DuckDB for the search, the sink, and how the source is opened."""
        try:
            with (
                open_engine(options) as engine,
                open_warehouse(self.loaded, options, self.session) as home,
                open_target(home, self.loaded) as sink,
            ):
                yield engine, sink, home.open_source
        finally:
            if self.view is not None:
                self.session.catalog.dropTempView(self.view)


def handed_in_session(
    config: str | os.PathLike[str] | Mapping[str, Any] | LoadedConfig,
    session: SparkSession,
    source: str | DataFrame | Any,
    target: str | None,
    overrides: Iterable[tuple[str, Any]],
) -> tuple[LoadedConfig, SessionJob]:
    """The configuration and the job for a run on a user's session. Raises ConfigurationError."""
    changed: dict[str, Any] = {"engine": _STANDS_IN}
    view = None
    if source is not None and not isinstance(source, str):
        view = f"kanon_sql_{secrets.token_hex(4)}_handed_in"
        source.createOrReplaceTempView(view)
        source = view
    missing: Any = None
    if isinstance(config, Mapping):
        given = config.get("source")
        missing = given.get("missing") if isinstance(given, Mapping) else None
    if source is not None:
        changed["source"] = {"table": source, **({} if missing is None else {"missing": missing})}
    if target is not None:
        changed["target"] = {"table": target}
    if isinstance(config, LoadedConfig):
        parts = config.config.model_copy(update={"engine": EngineConfig(**_STANDS_IN)})
        loaded = replace(config, config=parts)
    elif isinstance(config, Mapping):
        loaded = from_mapping({**config, **changed}, overrides=overrides)
    else:
        loaded = load_config(config, [*overrides, *changed.items()])
    return loaded, SessionJob(session, loaded, view)
