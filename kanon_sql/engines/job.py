"""What reaches an engine: DuckDB for the search, the target, and the source where its rows are."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from kanon_sql.config.load import LoadedConfig, from_mapping, load_config
from kanon_sql.engines.remote import Remote
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.targets.target import Sink

Given = str | os.PathLike[str] | Mapping[str, Any] | LoadedConfig
Backend = TypeVar("Backend", bound=Remote)


@dataclass(frozen=True)
class Opened:
    """DuckDB, the target staged and locked, and how the source is opened then."""

    engine: Engine
    sink: Sink
    open_source: Callable[[], Source]


class Job(ABC):
    """What a configuration asks for, with what was handed in for parts of it."""

    handed_in = False

    def __init__(self, loaded: LoadedConfig) -> None:
        self.loaded = loaded

    @abstractmethod
    def open(self, options: EngineOptions) -> AbstractContextManager[Opened]:
        """Opens what a run needs; what is not committed is removed. Raises ConfigurationError or EngineError."""


class ConfiguredJob(Job):
    """A job of which the configuration says everything."""

    @abstractmethod
    def read(self, options: EngineOptions) -> AbstractContextManager[tuple[Engine, Source]]:
        """DuckDB, and the source where it is, for work that writes nothing."""


class RemoteJob(ConfiguredJob, Generic[Backend]):
    """A job whose rows another engine holds."""

    @abstractmethod
    def connect(self, options: EngineOptions) -> AbstractContextManager[Backend]:
        """The engine. Raises ConfigurationError or EngineError."""

    @abstractmethod
    def open_target(self, remote: Backend) -> AbstractContextManager[Sink]:
        """Where the release goes; what is not committed is removed. Raises ConfigurationError or EngineError."""

    @contextmanager
    def open(self, options: EngineOptions) -> Iterator[Opened]:
        with open_engine(options) as engine, self.connect(options) as remote, self.open_target(remote) as sink:
            yield Opened(engine, sink, partial(remote.open_source, self.loaded))

    @contextmanager
    def read(self, options: EngineOptions) -> Iterator[tuple[Engine, Source]]:
        with open_engine(options) as engine, self.connect(options) as remote:
            yield engine, remote.open_source(self.loaded)


def standing_in(
    config: Given, parts: Mapping[str, Any], overrides: Iterable[tuple[str, Any]] = (), base: Path | None = None
) -> LoadedConfig:
    """The configuration with `parts` in the place of its own; of its source the texts for missing values are kept.

    Paths in a mapping refer to `base`, or the working folder. Raises ConfigurationError with every problem.
    """
    if isinstance(config, LoadedConfig):
        return config
    if not isinstance(config, Mapping):
        return load_config(config, [*overrides, *parts.items()])
    given = config.get("source")
    missing = given.get("missing") if isinstance(given, Mapping) else None
    kept = {} if missing is None or "source" not in parts else {"source": {**parts["source"], "missing": missing}}
    return from_mapping({**config, **parts, **kept}, base, overrides)
