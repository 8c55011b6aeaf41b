"""One connection to PostgreSQL, for one run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kanon_sql.engines.job import RemoteJob
from kanon_sql.engines.postgres.connection import open_connection
from kanon_sql.engines.postgres.engine import Postgres
from kanon_sql.engines.postgres.target import PostgresTable, copying
from kanon_sql.engines.sink import target_of
from kanon_sql.sql.connection import EngineOptions
from kanon_sql.sql.scratch import spill_folder
from kanon_sql.targets.opening import open_file
from kanon_sql.targets.target import Sink


class PostgresJob(RemoteJob[Postgres]):
    """The server of a configuration; its target is a table there, or a file of this machine."""

    @contextmanager
    def connect(self, options: EngineOptions) -> Iterator[Postgres]:
        with spill_folder(options.temp_directory) as folder:
            connection = open_connection(self.loaded.config.engine.postgres or "")
            try:
                yield Postgres(connection, folder, show_values=options.show_values)
            finally:
                connection.close()

    @contextmanager
    def open_target(self, remote: Postgres) -> Iterator[Sink]:
        target, place = target_of(self.loaded)
        if target.path is None:
            yield PostgresTable(remote, target, place)
            return
        with open_file(self.loaded, target, place) as sink:
            sink.selecting = copying(remote)
            yield sink
