"""Targets of several tables, all of them or none: a folder with a file of each, or a new database file of DuckDB."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sqlglot import exp

from kanon_sql.config.database import DatabaseSource, DatabaseTarget, LoadedDatabase
from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.formats import FORMATS
from kanon_sql.settings.source import names_lake
from kanon_sql.source.duckdb import attach
from kanon_sql.source.model import Source
from kanon_sql.source.opening import refuse_remote
from kanon_sql.source.sqlite import refuse_sqlite
from kanon_sql.source.tables import find_tables
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import quoted
from kanon_sql.targets.database import CATALOG, CreatedTable, open_old
from kanon_sql.targets.database_copy import Catalogs
from kanon_sql.targets.files import FileSink
from kanon_sql.targets.staging import Staged, StagedFolder, stage_file, stage_folder
from kanon_sql.targets.staging_paths import same_file
from kanon_sql.targets.target import LocalSink, shown


class TablesTarget(ABC):
    """The target of a database: a sink of each table, written beside the target, and one commit of all."""

    warnings: tuple[str, ...] = ()  # of what replaced tables had beside rows, and new ones have not
    only_texts = False  # whether an empty text cannot be told from none

    def __init__(self, final: Path) -> None:
        self.final = final
        self.sinks: dict[str, LocalSink] = {}

    def describe(self) -> str:
        """The target as users know it."""
        return shown(self.final)

    @abstractmethod
    def folder(self) -> Path:
        """The folder that the engine must be able to write."""

    def write(self, engine: Engine, name: str, release: exp.Expr, source: Source, columns: list[str]) -> None:
        """Writes the rows of a table; `columns` are its names in order. Raises ConfigurationError and EngineError."""
        sink = self.sinks[name] = self.sink(engine, name)
        sink.put(engine, release, source, columns)

    def compare(self, engine: Engine, name: str, written: Source) -> None:
        """Compares a written table with the rows that were to be released. Raises VerificationError."""
        self.sinks[name].compared(engine, written)

    @abstractmethod
    def sink(self, engine: Engine, name: str) -> LocalSink:
        """What writes a table."""

    @abstractmethod
    def written(self, engine: Engine, names: list[str]) -> dict[str, Source]:
        """What was written, opened anew."""

    @abstractmethod
    def commit(self, engine: Engine) -> None:
        """Puts all tables in the place of the target. Raises EngineError, with the target untouched."""


class FolderOfTables(TablesTarget):
    """A folder with a file of each table."""

    def __init__(self, staged: StagedFolder, file_format: str, place: str) -> None:
        super().__init__(staged.target)
        self.staged, self.format, self.place = staged, file_format, place
        self.only_texts = file_format == "csv"

    def folder(self) -> Path:
        return self.staged.path

    def sink(self, engine: Engine, name: str) -> LocalSink:
        file = f"{name}{FORMATS[self.format].suffixes[0]}"
        staged = Staged(self.staged.path / file, self.final / file, self.place, overwrite=True)
        config = TargetConfig.model_validate({"path": str(self.final / file), "format": self.format})
        return FileSink(staged, self.format, config)

    def written(self, engine: Engine, names: list[str]) -> dict[str, Source]:
        return {name: self.sinks[name].written(engine) for name in names}

    def commit(self, engine: Engine) -> None:
        self.staged.commit()


class DatabaseOfTables(TablesTarget):
    """A new database file of DuckDB; of the `old` one that it replaces the tables keep what they had beside rows.

    Tables go into main, but for those of which `schemas` has the (schema, name).
    """

    def __init__(
        self, engine: Engine, staged: Staged, schemas: Mapping[str, tuple[str, str]], old: str | None = None
    ) -> None:
        super().__init__(staged.target)
        self.staged, self.schemas = staged, schemas
        self.old = old
        attach(engine, staged.path, read_only=False, name=CATALOG)

    def folder(self) -> Path:
        return self.staged.path.parent

    def sink(self, engine: Engine, name: str) -> LocalSink:
        schema, table = self.schemas.get(name, ("main", name))
        engine.run(f"CREATE SCHEMA IF NOT EXISTS {quoted(CATALOG).sql('duckdb')}.{quoted(schema).sql('duckdb')}")
        return CreatedTable((schema, table), self.final)

    def written(self, engine: Engine, names: list[str]) -> dict[str, Source]:
        if self.old is not None:
            lost = Catalogs(engine, self.old, CATALOG).carry_over()
            self.warnings += (f"not kept of the replaced tables: {', '.join(lost)}",) if lost else ()
        # What is verified is the file, not what the engine remembers of it.
        engine.run(f"CHECKPOINT {quoted(CATALOG).sql('duckdb')}")
        engine.run(f"DETACH {quoted(CATALOG).sql('duckdb')}")
        attach(engine, self.staged.path, name=CATALOG)
        return {name: self.sinks[name].written(engine) for name in names}

    def commit(self, engine: Engine) -> None:
        engine.run(f"DETACH {quoted(CATALOG).sql('duckdb')}")
        self.staged.commit(unchanged=True)


@contextmanager
def open_tables_target(
    engine: Engine, loaded: LoadedDatabase, file_format: str, schemas: Mapping[str, tuple[str, str]]
) -> Iterator[TablesTarget]:
    """The target of a configuration, staged and locked; what is not committed is removed at the end.

    `file_format` is that of the source's files, which a folder takes where the configuration says nothing; `schemas`
    has the (schema, name) of the source's tables in other schemas than main, as a database has them too. Raises
    ConfigurationError and EngineError.
    """
    place = loaded.place("target")
    target, source = loaded.config.target, loaded.config.source
    if target is None:
        raise ConfigurationError(f"{place}: there is no target; expected a folder, a database or in-place")
    path = _path_of(loaded, target, place)
    refuse_sqlite(path, place)
    named = source.path or source.database
    if (named is not None and not target.in_place) and (
        same_file(path, loaded.base / named) or path.resolve() == (loaded.base / named).resolve()
    ):
        raise ConfigurationError(f"{place}: the target is the source itself; write target: in-place to replace it")
    overwrite = target.overwrite or target.in_place
    file_format = target.format or file_format
    if path.exists() and not target.in_place:
        _refuse_others(loaded, path, file_format, place)
    if target.database is not None or (target.in_place and source.database is not None):
        with stage_file(path, overwrite=overwrite, place=place, in_folder=True) as staged:
            old = None
            if path.exists() and path.stat().st_size and target.in_place:
                old = open_old(engine, path, shares_source=True)
            yield DatabaseOfTables(engine, staged, schemas, old)
        return
    if path.exists() and not path.is_dir():
        raise ConfigurationError(f"{place}: {path} is a file; name a folder")
    if path.is_dir() and any(path.iterdir()) and not overwrite:
        raise ConfigurationError(f"{place}: {path} holds files already; name another folder or set overwrite: true")
    fresh = not path.exists()
    if fresh:
        _make_folder(path, place)
    try:
        with stage_folder(path, place=place) as staged_folder:
            yield FolderOfTables(staged_folder, file_format, place)
    finally:
        if fresh and path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def _refuse_others(loaded: LoadedDatabase, path: Path, file_format: str, place: str) -> None:
    """Raises ConfigurationError for a target that holds what no released table replaces."""
    if path.is_dir():
        suffix = FORMATS[file_format].suffixes[0]
        others = sorted({entry.name for entry in path.iterdir()} - {f"{name}{suffix}" for name in loaded.tables})
    else:
        others = sorted(
            find_tables(DatabaseSource(database=str(path)), Path(), place).places.keys() - loaded.tables.keys()
        )
    if others:
        raise ConfigurationError(
            f"{place}: {path} holds {len(others):,} other things, first {others[0]!r}, which replacing it would lose; "
            "name another target"
        )


def _make_folder(path: Path, place: str) -> None:
    if not path.parent.is_dir():
        raise ConfigurationError(f"{place}: there is no folder {path.parent}; make it")
    try:
        path.mkdir()
    except OSError as error:
        raise ConfigurationError(f"{place}: {path} cannot be made ({error.strerror})") from None


def _path_of(loaded: LoadedDatabase, target: DatabaseTarget, place: str) -> Path:
    """Where the tables go. Raises ConfigurationError for a URL and for a lake."""
    source = loaded.config.source
    named = (source.path or source.database) if target.in_place else (target.path or target.database)
    assert named is not None
    refuse_remote(named, place)
    if names_lake(named):
        raise ConfigurationError(
            f"{place}: the tables of a whole database are not written into a lake; expected a folder or a database file"
        )
    return loaded.base / named
