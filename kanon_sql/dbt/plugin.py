"""The plugin of dbt-duckdb: the rows of an ordinary SQL model become a release.

{{ config(materialized='external', plugin='kanon', config='people.yaml', location='target/kanon_sql/people.parquet') }}

dbt-duckdb writes the rows of the model to `location` and makes the model a view of that file, before it calls a
plugin. So `location` must be in a folder that its owner alone reads; the release goes where the configuration says, the
file with the rows is removed however the release ends, and the model becomes a view of the release. Where dbt fails the
model before it calls the plugin, the file stays until the model runs again.

The rows also were a table of dbt's own database, dropped by then: free blocks of that file, and its write-ahead log,
hold them until they are overwritten. So others may not read these either.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin
from dbt_common.exceptions import DbtRuntimeError
from sqlglot import exp

from kanon_sql import api
from kanon_sql.config.load import LoadedConfig
from kanon_sql.dbt.process import project_folder, show
from kanon_sql.engines.duckdb.connection import open_duckdb
from kanon_sql.engines.job import standing_in
from kanon_sql.errors import ConfigurationError, KanonError, NoReleaseError
from kanon_sql.settings.formats import format_of
from kanon_sql.source.duckdb import split_name
from kanon_sql.source.remote import is_remote, shown_url
from kanon_sql.sql.connection import EngineOptions, describe

PRIVATE = "target/kanon_sql"  # below the working folder, to which dbt-duckdb refers its locations


class Plugin(BasePlugin):  # type: ignore[misc]
    """Makes releases of the models that name it; its configuration has `private`, the folder for their rows."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        """Makes the private folder: DuckDB makes none for the files that it writes."""
        self._connection: duckdb.DuckDBPyConnection | None = None
        Path(plugin_config.get("private", PRIVATE)).mkdir(mode=0o700, parents=True, exist_ok=True)

    def configure_connection(self, conn: duckdb.DuckDBPyConnection) -> None:
        """Keeps the connection, on which releases are made: the database file is dbt's alone while it runs."""
        self._connection = conn

    def store(self, target_config: Any) -> None:
        """Makes the release of a model. Raises DbtRuntimeError, by which dbt fails the model."""
        # dbt prints the whole chain of errors: those of the engine below quote values of the data.
        try:
            if self._connection is None:
                raise ConfigurationError("the plugin works in dbt's own process alone")
            with self._connection.cursor() as cursor:
                _release(_Model.of(cursor, target_config))
        except KanonError as error:
            raise DbtRuntimeError(
                "\n".join([f"{type(error).__name__}: {error.problems[0]}", *error.problems[1:]])
            ) from None
        except duckdb.Error as error:
            raise DbtRuntimeError(describe(error, show_values=False)) from None


@dataclass(frozen=True)
class _Model:
    """A model as dbt-duckdb hands it over: `relation`, a view of its rows, which stand in the file `location`."""

    cursor: duckdb.DuckDBPyConnection
    relation: exp.Table
    location: str
    written_as: str
    config: Any

    @classmethod
    def of(cls, cursor: duckdb.DuckDBPyConnection, target_config: Any) -> _Model:
        named = target_config.relation
        relation = exp.table_(named.identifier, db=named.schema, catalog=named.database, quoted=True)
        place = target_config.location
        return cls(cursor, relation, place.path, place.format, target_config.config)

    @property
    def rows(self) -> Path:
        """The file with the rows."""
        return Path(self.location).resolve()

    @property
    def database(self) -> tuple[Path, str] | None:
        """The file and the kind of dbt's own database, with free blocks that hold the rows; None for one in memory."""
        with open_duckdb(EngineOptions(), self.cursor) as engine:
            attached = engine.query("source/attached_databases")
        named = self.relation.catalog.casefold()
        return next(((Path(path), kind) for name, path, _, kind in attached if name.casefold() == named), None)

    def problems(self) -> list[str]:
        """Why the model's rows were not where they may be, or could be read on the way."""
        problems = []
        named = f"location: {_shown(self.location)}"
        if is_remote(self.location) or not self.rows.is_file():
            problems.append(
                f"{named} is no file of this machine; expected one. The model's rows stand there: remove them"
            )
        elif not _is_private(self.rows.parent):
            problems.append(
                f"{named} is in a folder that others may read, and held the model's rows until now; expected a file "
                f"in a folder that its owner alone enters (chmod 700), such as {PRIVATE}/{self.relation.name}.parquet"
            )
        if self.written_as != "parquet":
            problems.append(f"format: {self.written_as} does not keep types; expected parquet")
        if any(hook.get("transaction", True) for hook in map(_as_mapping, self.config.get("post-hook") or [])):
            problems.append(
                "post_hook: it ran on the model's rows; expected one with transaction: false, which runs later"
            )
        return [*problems, *self._problems_of_database()]

    def _problems_of_database(self) -> list[str]:
        if self.database is None:
            return []
        file, kind = self.database
        if kind == "ducklake":
            return [
                f"database: {self.relation.catalog} is a lake, whose snapshots keep the model's rows: expire them; "
                "expected a database of dbt's own, and the lake as the target of the configuration"
            ]
        if kind not in ("duckdb", "sqlite"):
            return []
        # Beside a file of whatever mode DuckDB makes the log anew, with the umask of the process.
        kept = [path for path in (file, file.with_name(f"{file.name}.wal")) if path.is_file()]
        exposed = [path for path in kept if not _is_private(path) and not _is_private(path.parent)]
        return [
            f"database: {path} keeps the model's rows until they are overwritten, and others may read it; expected a "
            f"database in a folder that its owner alone enters (chmod 700), such as {PRIVATE}/{file.name}, or in memory"
            for path in exposed[:1]
        ]

    def configuration(self) -> LoadedConfig:
        """What the model asks for. Raises ConfigurationError."""
        named = self.config.get("config")
        if named is None:
            raise ConfigurationError("config: the model names no configuration; expected config='people.yaml'")
        parts = {"source": {"path": str(self.rows)}, "engine": {"name": "duckdb"}}
        # What is kept of a source with another path goes with another format than that of the rows.
        changes: list[tuple[str, Any]] = [("source.sheet", None)]
        loaded = standing_in(project_folder() / named, parts, changes)
        target = loaded.config.target
        if target is None or target.in_place:
            return loaded
        # dbt makes a model anew each time.
        return standing_in(project_folder() / named, parts, [*changes, ("target.overwrite", True)])

    def hide(self) -> None:
        """Leaves no view of the model's rows."""
        self.cursor.execute(f"DROP VIEW IF EXISTS {self.relation.sql('duckdb')}")

    def show(self, published: _Published) -> None:
        """Makes the model a view of what is published, where that is there."""
        if published.exists(self.cursor):
            query = exp.select("*").from_(published.expression)
            created = exp.Create(this=self.relation, kind="VIEW", replace=True, expression=query)
            self.cursor.execute(created.sql("duckdb"))


@dataclass(frozen=True)
class _Published:
    """Where a release goes: a Parquet file, or a table of a database that dbt has attached."""

    path: Path | None = None
    table: exp.Table | None = None

    @classmethod
    def of(cls, loaded: LoadedConfig, model: _Model) -> _Published:
        """The place that a configuration names. Raises ConfigurationError for one that dbt could not read."""
        target, place = loaded.config.target, loaded.place("target")
        if target is None or target.in_place:
            raise ConfigurationError(
                f"{place}: expected a Parquet file, or a table of a database that dbt has attached"
            )
        if target.path is not None:
            path = loaded.base / target.path
            if is_remote(target.path) or (target.format or format_of(path)) != "parquet":
                raise ConfigurationError(f"{place}: {_shown(target.path)}: expected a Parquet file of this machine")
            if path.resolve() == model.rows:
                raise ConfigurationError(
                    f"{place}: {target.path} is the location of the model, where its rows stood; expected another file"
                )
            return cls(path=path)
        file = (loaded.base / (target.database_file or "")).resolve()
        for name, attached in _attached(model.cursor):
            if target.database_file is not None and attached.resolve() == file:
                schema, name_of_table = split_name(target.table or "", place)
                table = exp.table_(name_of_table, db=schema, catalog=name, quoted=True)
                if _folded(table) == _folded(model.relation):
                    raise ConfigurationError(
                        f"{place}: {target.table} is the model itself, which becomes a view of the release; expected "
                        "another table"
                    )
                return cls(table=table)
        raise ConfigurationError(
            f"{place}: dbt has not attached {target.database or 'a database of this table'}; name it under attach in "
            "profiles.yml"
        )

    @property
    def expression(self) -> exp.Expr:
        """What a view selects from."""
        if self.table is not None:
            return self.table
        return exp.func("read_parquet", exp.Literal.string(escape(str(self.path))), dialect="duckdb")

    def exists(self, cursor: duckdb.DuckDBPyConnection) -> bool:
        """Whether a release is there, of this run or an earlier one."""
        if self.table is None:
            return self.path is not None and self.path.is_file()
        named = {"catalog": self.table.catalog, "schema": self.table.db, "name": self.table.name}
        with open_duckdb(EngineOptions(), cursor) as engine:
            return bool(engine.query("source/table_exists", values=named)[0][0])

    def make(self, loaded: LoadedConfig, cursor: duckdb.DuckDBPyConnection) -> api.RunResult:
        """The release, in its place. Raises the errors of kanon_sql.errors; an earlier release is then as it was."""
        if self.table is None:
            return api.run(loaded, connection=cursor)
        cursor.begin()
        try:
            cursor.execute(f"DROP TABLE IF EXISTS {self.table.sql('duckdb')}")
            in_dbt = standing_in(loaded, {"target": None})
            result = api.run(in_dbt, connection=cursor, target=self.table.sql("duckdb"))
            cursor.commit()
        except BaseException:
            with suppress(duckdb.Error):
                cursor.rollback()
            raise
        return result


def _release(model: _Model) -> None:
    """Makes the release of a model, or leaves the earlier one; the model's own rows are then nowhere."""
    with _without_rows(model):
        try:
            has_rows = _has_rows(model)
        finally:
            model.hide()
        if problems := model.problems():
            raise ConfigurationError(problems)
        loaded = model.configuration()
        published = _Published.of(loaded, model)
        try:
            if not has_rows:
                raise NoReleaseError("the model has no rows, of which nothing can be released")
            result = published.make(loaded, model.cursor)
        finally:
            model.show(published)
    show(result, model.relation.sql("duckdb"))


@contextmanager
def _without_rows(model: _Model) -> Iterator[None]:
    """The file with the model's rows is removed once the block has ended, however it does."""
    try:
        yield
    finally:
        if not is_remote(model.location) and model.rows.is_file():
            model.rows.unlink()


def _has_rows(model: _Model) -> bool:
    with open_duckdb(EngineOptions(), model.cursor) as engine:
        return bool(engine.query("dbt/model_rows", names={"model": model.relation})[0][0])


def _attached(cursor: duckdb.DuckDBPyConnection) -> list[tuple[str, Path]]:
    """The names and files of the databases that dbt has attached; of a lake the file is its catalog."""
    with open_duckdb(EngineOptions(), cursor) as engine:
        return [(name, Path(path)) for name, path, *_ in engine.query("source/attached_databases")]


def _folded(table: exp.Table) -> list[str]:
    """The parts of a table's name, as DuckDB compares them."""
    return [part.name.casefold() for part in table.parts]


def _is_private(place: Path) -> bool:
    """Whether the owner of this process alone enters a folder, or reads a file."""
    status = place.stat()
    return status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _shown(place: str) -> str:
    """A path or URL as messages name it: without what only its owner may know."""
    return shown_url(place) if is_remote(place) else place


def _as_mapping(hook: Any) -> dict[str, Any]:
    """A hook as dbt has it: a mapping, an object of its own, or its text."""
    if isinstance(hook, dict):
        return hook
    return {"transaction": getattr(hook, "transaction", True)}
