"""Jobs on Spark: sessions of our own, or passed by a caller, which then keep their settings and stay open."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from kanon_sql.engines.job import ConfigLike, Opened, RemoteJob, standing_in
from kanon_sql.engines.remote import target_of
from kanon_sql.engines.spark.connection import open_session
from kanon_sql.engines.spark.engine import Spark
from kanon_sql.engines.spark.target import SparkFolder, SparkTable
from kanon_sql.sql.connection import EngineOptions
from kanon_sql.targets.target import Sink

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_STANDS_IN = {"spark": "the session handed in"}


class SparkJob(RemoteJob[Spark]):
    """The session of a configuration; its target is a table of the catalog, or a folder."""

    @contextmanager
    def connect(self, options: EngineOptions) -> Iterator[Spark]:
        config = self.loaded.config.engine
        session, is_new = open_session(str(config.spark), config.config)
        with closing(Spark(session, str(config.spark), owned=is_new, show_values=options.show_values)) as spark:
            yield spark

    @contextmanager
    def open_target(self, remote: Spark) -> Iterator[Sink]:
        target, place = target_of(self.loaded)
        if target.table is not None:
            sink: SparkTable | SparkFolder = SparkTable(remote, target, place)
        else:
            sink = SparkFolder(remote, target, remote.whole_path(str(target.path), self.loaded.base), place)
        try:
            yield sink
        finally:
            sink.withdraw()


class SessionJob(SparkJob):
    """The caller's session; `source` (a table, view or DataFrame) and `target` (a table) replace those configured."""

    source_handed_in = target_handed_in = True

    def __init__(
        self,
        config: ConfigLike,
        session: SparkSession,
        source: Any,
        target: str | os.PathLike[str] | None,
        overrides: Iterable[tuple[str, Any]],
    ) -> None:
        self.session = session
        self.view: str | None = None
        if source is not None and not isinstance(source, str):
            self.view = f"kanon_sql_{secrets.token_hex(4)}_handed_in"
            source.createOrReplaceTempView(self.view)
            source = self.view
        parts: dict[str, Any] = {"engine": _STANDS_IN}
        if source is not None:
            parts["source"] = {"table": source}
        if target is not None:
            parts["target"] = {"table": str(target)}
        super().__init__(standing_in(config, parts, overrides))

    @contextmanager
    def open(self, options: EngineOptions) -> Iterator[Opened]:
        try:
            with super().open(options) as opened:
                yield opened
        finally:
            if self.view is not None:
                self.session.catalog.dropTempView(self.view)

    @contextmanager
    def connect(self, options: EngineOptions) -> Iterator[Spark]:
        label = _STANDS_IN["spark"]
        with closing(Spark(self.session, label, owned=False, show_values=options.show_values)) as spark:
            yield spark
