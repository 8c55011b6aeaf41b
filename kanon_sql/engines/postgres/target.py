"""Tables that PostgreSQL makes, and files of this machine that a release is copied to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import TargetConfig
from kanon_sql.engines.job import RemoteJob
from kanon_sql.engines.postgres.carrying import not_kept, read_carried, refuse_dependent
from kanon_sql.engines.postgres.engine import Postgres, copied, is_lost, open_connection
from kanon_sql.engines.remote import RemoteRelease, RemoteSink, remote_release, target_of, there_already
from kanon_sql.errors import ConfigurationError, UnsettledError
from kanon_sql.release.release import Release, Writing
from kanon_sql.source.model import Source
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, EngineOptions
from kanon_sql.sql.disk import spill_folder
from kanon_sql.sql.writing import table_name
from kanon_sql.targets.opening import open_file
from kanon_sql.targets.target import Selecting, Sink

_TABLES = ("r", "p")  # kinds of tables in pg_class: plain and partitioned
_SHOWN = 8


def copying(postgres: Postgres) -> Selecting:
    """Selects, in DuckDB, a release that PostgreSQL copied to a private file of this machine."""

    def select(loaded: LoadedConfig, release: Release, _: Writing) -> tuple[exp.Expr, list[str]]:
        compiled = remote_release(postgres, loaded, release)
        columns = [(col.name, col.described) for col in compiled.body.released]
        file = postgres.folders[0] / "release.csv"
        postgres.copy_out(compiled.sql, file)
        return copied(file, columns), [name for name, _ in columns]

    return select


class PostgresTable(RemoteSink):
    """A table made in the run's transaction: nobody sees it before it is verified and committed."""

    def __init__(self, remote: Postgres, target: TargetConfig, place: str) -> None:
        super().__init__(remote, target, place)
        self.postgres = remote
        self.table = table_name(str(target.table), remote.dialect, place)
        if self.table.db.startswith("pg_temp"):
            raise ConfigurationError(f"{place}: a temporary table ends with the run; expected a table that stays")
        if len(self.table.name.encode()) > remote.dialect.longest_name:
            raise ConfigurationError(f"{place}: PostgreSQL would cut the name of the table; expected at most 63 bytes")
        if self.table.db:
            remote.rights.refuse_unmade(self.table, place)
        existing = remote.find(self.table)
        if existing and not target.overwrite:
            raise ConfigurationError(there_already(f"{place}: table {target.table}"))
        if existing and existing[1] not in _TABLES:
            raise ConfigurationError(f"{place}: {target.table} is a view or the like; only a table is replaced")
        if existing:
            # The new table comes where the old one was found, not where the search path makes new ones.
            self.table.set("db", template.quoted(existing[0]))
        remote.rights.refuse_unmade(self.table, place)
        self._replaced = existing[2] if existing else None
        if existing:
            self._refuse_losses(existing)

    def _refuse_losses(self, existing: tuple[str, str, int]) -> None:
        """Raises ConfigurationError for what cannot be replaced; warns of what the new table will not have."""
        self.postgres.rights.refuse_unreplaced(existing, self.table.name, self.place)
        lost = not_kept(read_carried(self.postgres, existing[2], self.place))
        if lost:
            more = f" and {len(lost) - _SHOWN:,} more" if len(lost) > _SHOWN else ""
            named = ", ".join(lost[:_SHOWN])
            self.warnings += (f"table {self.target.table}: not kept of the replaced table: {named}{more}",)

    def describe(self) -> str:
        return f"{self.target.table} in PostgreSQL"

    def prepare(self, engine: Engine, source: Source) -> None:
        read = source.relation.find(exp.Table)
        if self._replaced is None or read is None:
            return
        catalogued = self.postgres.find(read)
        if catalogued is not None and catalogued[2] == self._replaced:
            raise ConfigurationError(f"{self.place}: {self.target.table} is the source; name another table")
        shared = self.postgres.rights.shared(read, self._replaced, self.place)
        if shared is not None:
            raise ConfigurationError(
                f"{self.place}: {self.target.table} cannot be replaced, as the source reads it: both hold rows of "
                f"{shared}; name another table"
            )
        parts = self.postgres.rights.parts(self._replaced, self.place)
        refuse_dependent(self.postgres, parts, f"{self.target.table} cannot be replaced", self.place)

    def _create(self, release: RemoteRelease) -> None:
        name = self.table.sql("postgres")
        if self._replaced is not None:
            # What others read goes on being the old table until the commit.
            self.postgres.execute(f"DROP TABLE {name}", self.place)
        self.postgres.execute(f"CREATE TABLE {name} AS\n{release.sql}", self.place)
        # Without statistics the count that verifies it is planned as a sort of all rows.
        self.postgres.execute(f"ANALYZE {name}", self.place)

    def _opened(self) -> Source:
        return self.postgres.opened(self.table, "table", str(self.target.table), (), self.place)

    def commit(self, engine: Engine) -> None:
        commit_run(self.postgres, str(self.target.table), self.place)


def commit_run(postgres: Postgres, target: str, place: str) -> None:
    """Commits what a run made. Raises EngineError; where no answer came UnsettledError, which says how to find out."""
    import psycopg

    ((xact,),) = postgres.catalogue("commit_number", place)
    with postgres.speaking(place):
        try:
            postgres.connection.commit()
        except psycopg.Error as error:
            if not is_lost(error):
                raise
            # COMMIT was sent, and no answer came.
            lost = UnsettledError(
                f"{place}: the connection to PostgreSQL was lost at the commit: the release may be in "
                f"{target}, or nothing was changed; SELECT pg_xact_status('{xact}') "
                "says committed or aborted; look before you run again"
            )
            lost.__cause__ = error if postgres.show_values else None
        else:
            return
    # Raised out here, the driver's own error is not in its chain.
    raise lost


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
