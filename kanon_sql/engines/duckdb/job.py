"""DuckDB opens sources and targets itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kanon_sql.engines.job import ConfiguredJob, Opened
from kanon_sql.source.model import Source
from kanon_sql.source.opening import open_source
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.targets.opening import open_sink, prepare


class DuckDBJob(ConfiguredJob):
    """A connection of our own; the target is staged and locked before the source is looked at."""

    @contextmanager
    def open(self, options: EngineOptions) -> Iterator[Opened]:
        prepare(self.loaded)
        with open_engine(options) as engine, open_sink(engine, self.loaded) as sink:
            yield Opened(engine, sink, lambda: open_source(engine, self.loaded))

    @contextmanager
    def read(self, options: EngineOptions) -> Iterator[tuple[Engine, Source]]:
        with open_engine(options) as engine:
            yield engine, open_source(engine, self.loaded)
