"""Jobs: a run's access to DuckDB for the search, to the target, and to the source where its rows are.

The base classes of engines; `standing_in` puts what a caller passed in place of parts of a configuration.
"""

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
from kanon_sql.engines.remote import Copied, Remote
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.model import Source
from kanon_sql.source.opening import read_source_columns
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.sql.template import state
from kanon_sql.targets.target import Sink

ConfigLike = str | os.PathLike[str] | Mapping[str, Any] | LoadedConfig  # the path of a configuration, or itself
Connected = TypeVar("Connected", bound=Remote)
_LABEL = "data"
# With csv, encoding and sheet, which go with a path; csv and sheet are kept for another path.
_PLACES_OF_A_SOURCE = ("path", "database", "table", "query", "iceberg", "delta", "allow", "csv", "encoding", "sheet")


@dataclass(frozen=True)
class Opened:
    """DuckDB, the target staged and locked, and a function that then opens the source."""

    engine: Engine
    sink: Sink
    open_source: Callable[[], Source]


class Job(ABC):
    """One run: a configuration, with what the caller passed in place of parts of it, and the engine that executes it.

    `source_handed_in` and `target_handed_in` say that the caller passed these, so that the configuration does not name
    them. `sink` is the target, once the job was opened.
    """

    source_handed_in = target_handed_in = False
    sink: Sink | None = None

    def __init__(self, loaded: LoadedConfig) -> None:
        self.loaded = loaded

    @abstractmethod
    def open(self, options: EngineOptions) -> AbstractContextManager[Opened]:
        """Opens what a run needs, for the block; at its end, what was not committed is removed.

        Args:
            options: bounds of the DuckDB connection, in which every search happens.

        Returns: a context manager that gives DuckDB, the target and a function that opens the source. The target comes
            first: it is refused, staged and locked before the source is looked at.

        Raises: ConfigurationError for what the configuration must not ask for, EngineError for what cannot be reached.
        """


class ConfiguredJob(Job):
    """A job whose source the configuration names, so that it can be read without a target too."""

    @abstractmethod
    def read(self, options: EngineOptions) -> AbstractContextManager[tuple[Engine, Source]]:
        """Opens the source alone, for the block, for work that writes nothing (a check, a measure, a search).

        Args:
            options: as of `open`.

        Returns: a context manager that gives DuckDB, and the source where its rows are.

        Raises: ConfigurationError or EngineError, as `open` does.
        """

    def read_rows(self, options: EngineOptions) -> AbstractContextManager[tuple[Engine, Source]]:
        """Opens the source as `read` does, its rows in DuckDB: where another engine holds them they are copied.

        Args:
            options: as of `open`.

        Returns: as of `read`.

        Raises: as `read` does.
        """
        return self.read(options)


class RemoteJob(ConfiguredJob, Generic[Connected]):
    """A job whose rows another engine than DuckDB holds. An engine is such a job, a Remote and a RemoteSink:

    class MyJob(RemoteJob[MyEngine]):  # in engines/myengine/, with a line in engines.opening.JOBS
        @contextmanager
        def connect(self, options: EngineOptions) -> Iterator[MyEngine]:
            with closing(my_driver.connect(self.loaded.config.engine.myengine)) as connection:
                yield MyEngine(connection, show_values=options.show_values)

        @contextmanager
        def open_target(self, remote: MyEngine) -> Iterator[Sink]:
            target, place = target_of(self.loaded)
            yield MyTable(remote, target, place)
    """

    @abstractmethod
    def connect(self, options: EngineOptions) -> AbstractContextManager[Connected]:
        """Connects to the engine for the block, and disconnects at its end.

        Args:
            options: `temp_directory` is where private files may be put (see spill_folder), `show_values` whether
                messages may hold values of the data.

        Returns: a context manager that gives the engine.

        Raises: ConfigurationError where the driver is missing or the URL is none, EngineError where nothing answers.
        """

    @abstractmethod
    def open_target(self, remote: Connected) -> AbstractContextManager[Sink]:
        """Opens the target of the configuration for the block; at its end, what was not committed is removed.

        Args:
            remote: the engine that holds the rows, and usually the release too.

        Returns: a context manager that gives the target, of which nothing is written yet.

        Raises: ConfigurationError for a target that must not be written, EngineError for one that cannot be.
        """

    @contextmanager
    def open(self, options: EngineOptions) -> Iterator[Opened]:
        with open_engine(options) as engine, self.connect(options) as remote, self.open_target(remote) as sink:
            self.sink = sink
            yield Opened(engine, sink, partial(self._source, remote))

    @contextmanager
    def read(self, options: EngineOptions) -> Iterator[tuple[Engine, Source]]:
        with open_engine(options) as engine, self.connect(options) as remote:
            yield engine, self._source(remote)

    @contextmanager
    def read_rows(self, options: EngineOptions) -> Iterator[tuple[Engine, Source]]:
        with open_engine(options) as engine, self.connect(options) as remote:
            source = remote.open_source(self.loaded)
            here = Copied(engine, remote, self.loaded.config.target)
            copied = here.copied(source, state("copied_source"), unused_columns(self.loaded, source))
            yield engine, read_source_columns(copied, self.loaded)

    @contextmanager
    def released(self, options: EngineOptions) -> Iterator[tuple[Engine, Source | None]]:
        """Opens the release that is at the target, where the engine holds it; None where there is none yet.

        Args:
            options: as of `open`.

        Returns: a context manager that gives DuckDB, and the release where its rows are.

        Raises: as `read` does.
        """
        with open_engine(options) as engine, self.connect(options) as remote:
            yield engine, remote.open_release(engine, self.loaded, ())

    def _source(self, remote: Connected) -> Source:
        return read_source_columns(remote.open_source(self.loaded), self.loaded)


def unused_columns(loaded: LoadedConfig, source: Source) -> set[str]:
    """Columns that nothing is made of, so that they need not leave the engine: identifiers, and what is dropped."""
    config = loaded.config
    used = {config.privacy.entity, config.group, *config.transform}
    used |= {treatment.shift.by for treatment in config.transform.values() if treatment.shift is not None}
    unused = set(config.identifiers)
    if config.unlisted == "drop":
        listed = {*config.quasi_identifiers, *config.sensitive, *config.insensitive}
        unused |= {column.name for column in source.columns} - listed
    return unused - used


def standing_in(
    config: ConfigLike, parts: Mapping[str, Any], overrides: Iterable[tuple[str, Any]] = (), base: Path | None = None
) -> LoadedConfig:
    """The configuration with `parts` in place of its own; what it says of the values of its source is kept.

    Messages call the source "data" where it is a part. Paths in a mapping refer to `base`, or the working folder.
    Raises ConfigurationError with every problem.
    """
    if isinstance(config, LoadedConfig):
        return _with_parts(config, parts)
    changes = [*overrides]
    for key, part in parts.items():
        if key == "source":
            kept = {*part, *(["csv", "sheet"] if "path" in part else [])}
            changes += [(f"source.{name}", None) for name in _PLACES_OF_A_SOURCE if name not in kept]
            changes += [(f"source.{name}", _AsItIs(value)) for name, value in part.items()]
            if "path" in part:
                changes.append(("source.csv.encoding", None))  # that of this file is its own
        else:
            changes.append((key, part))
    loaded = from_mapping(config, base, changes) if isinstance(config, Mapping) else load_config(config, changes)
    if "source" in parts:
        loaded.draft.places |= {("source",): _LABEL} | {("source", name): _LABEL for name in _PLACES_OF_A_SOURCE}
    if parts.get("target") is not None:
        loaded.draft.places[("target",)] = "target"
    return loaded


@dataclass(frozen=True)
class _AsItIs:
    """A text that an override takes literally: a plain one would be read as YAML where it begins with a quote."""

    text: str

    def __fspath__(self) -> str:
        return self.text


def _with_parts(loaded: LoadedConfig, parts: Mapping[str, Any]) -> LoadedConfig:
    changed: dict[str, Any] = {}
    if "source" in parts:
        plain = {name: SourceConfig.model_fields[name].get_default() for name in _PLACES_OF_A_SOURCE}
        changed["source"] = loaded.config.source.model_copy(update={**plain, **parts["source"]})
    if "target" in parts:
        target = parts["target"]
        changed["target"] = None if target is None else TargetConfig(**target)
    if "engine" in parts:
        changed["engine"] = EngineConfig(**parts["engine"])
    return replace(loaded, config=loaded.config.model_copy(update=changed))
