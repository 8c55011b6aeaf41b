"""What reaches an engine: DuckDB for the search, the target, and the source where its rows are."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from kanon_sql.config.load import LoadedConfig, from_mapping, load_config
from kanon_sql.config.model import EngineConfig, TargetConfig
from kanon_sql.engines.remote import Remote
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.model import Source
from kanon_sql.source.opening import read_source_columns
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.targets.target import Sink

Given = str | os.PathLike[str] | Mapping[str, Any] | LoadedConfig
Reached = TypeVar("Reached", bound=Remote)


@dataclass(frozen=True)
class Opened:
    """DuckDB, the target staged and locked, and how the source is opened then."""

    engine: Engine
    sink: Sink
    open_source: Callable[[], Source]


class Job(ABC):
    """What a configuration asks for, with what was handed in for parts of it.

    `source_handed_in` and `target_handed_in` say that the configuration does not name these. `sink` is the target once
    the job was opened.
    """

    source_handed_in = target_handed_in = False
    sink: Sink | None = None

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


class RemoteJob(ConfiguredJob, Generic[Reached]):
    """A job whose rows another engine holds."""

    @abstractmethod
    def connect(self, options: EngineOptions) -> AbstractContextManager[Reached]:
        """The engine. Raises ConfigurationError or EngineError."""

    @abstractmethod
    def open_target(self, remote: Reached) -> AbstractContextManager[Sink]:
        """Where the release goes; what is not committed is removed. Raises ConfigurationError or EngineError."""

    @contextmanager
    def open(self, options: EngineOptions) -> Iterator[Opened]:
        with open_engine(options) as engine, self.connect(options) as remote, self.open_target(remote) as sink:
            self.sink = sink
            yield Opened(engine, sink, partial(self._source, remote))

    @contextmanager
    def read(self, options: EngineOptions) -> Iterator[tuple[Engine, Source]]:
        with open_engine(options) as engine, self.connect(options) as remote:
            yield engine, self._source(remote)

    def _source(self, remote: Reached) -> Source:
        return read_source_columns(remote.open_source(self.loaded), self.loaded)


def standing_in(
    config: Given, parts: Mapping[str, Any], overrides: Iterable[tuple[str, Any]] = (), base: Path | None = None
) -> LoadedConfig:
    """The configuration with `parts` in the place of its own; of its source what is said of its values is kept.

    Messages call the source "data" where it is a part. Paths in a mapping refer to `base`, or the working folder.
    Raises ConfigurationError with every problem.
    """
    if isinstance(config, LoadedConfig):
        return _with_parts(config, parts)
    given = [*overrides]
    for key, part in parts.items():
        if key == "source":
            kept = {*part, *(["csv", "sheet"] if "path" in part else [])}
            given += [(f"source.{name}", None) for name in _PLACES_OF_A_SOURCE if name not in kept]
            given += [(f"source.{name}", _AsItIs(value)) for name, value in part.items()]
            if "path" in part:
                given.append(("source.csv.encoding", None))  # that of this file is its own
        else:
            given.append((key, part))
    loaded = from_mapping(config, base, given) if isinstance(config, Mapping) else load_config(config, given)
    if "source" in parts:
        loaded.draft.places |= {("source",): _LABEL} | {("source", name): _LABEL for name in _PLACES_OF_A_SOURCE}
    if parts.get("target") is not None:
        loaded.draft.places[("target",)] = "target"
    return loaded


_LABEL = "data"
# With csv, encoding and sheet, which go with a path; csv and sheet are kept for another path.
_PLACES_OF_A_SOURCE = ("path", "database", "table", "query", "allow", "csv", "encoding", "sheet")


@dataclass(frozen=True)
class _AsItIs:
    """A text that an override takes as it is: a plain one would be read as YAML where it begins with a quote."""

    text: str

    def __fspath__(self) -> str:
        return self.text


def _with_parts(loaded: LoadedConfig, parts: Mapping[str, Any]) -> LoadedConfig:
    """The loaded configuration with parts in the place of its own."""
    changed: dict[str, Any] = {}
    if "source" in parts:
        plain = {name: SourceConfig.model_fields[name].get_default() for name in _PLACES_OF_A_SOURCE}
        changed["source"] = loaded.config.source.model_copy(update={**plain, **parts["source"]})
    if "target" in parts:
        given = parts["target"]
        changed["target"] = None if given is None else TargetConfig(**given)
    if "engine" in parts:
        changed["engine"] = EngineConfig(**parts["engine"])
    return replace(loaded, config=loaded.config.model_copy(update=changed))
