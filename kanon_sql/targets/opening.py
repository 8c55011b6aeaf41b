"""Opens the target of a configuration: which sink it means, given the source."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.algorithms import either
from kanon_sql.settings.formats import FORMATS, format_of
from kanon_sql.settings.source import SourceConfig, names_lake
from kanon_sql.source.duckdb import split_name
from kanon_sql.source.folder_tables import folder_in_bucket, folder_of
from kanon_sql.source.opening import find_files, refuse_misnamed, refuse_remote
from kanon_sql.source.remote import is_remote, shown_url
from kanon_sql.source.sqlite import is_sqlite
from kanon_sql.sql.connection import Engine
from kanon_sql.targets.database import DatabaseSink, TableSink, open_old, refuse_existing, refuse_view
from kanon_sql.targets.database_copy import folded
from kanon_sql.targets.files import FileSink, FolderSink
from kanon_sql.targets.lake import LakeSink, remove_replaced
from kanon_sql.targets.outputs import refuse_outputs
from kanon_sql.targets.remote import BucketSink, refuse_target
from kanon_sql.targets.sqlite import becomes_sqlite, open_sqlite
from kanon_sql.targets.staging import recover, stage_file, stage_folder
from kanon_sql.targets.staging_paths import inside, same_file
from kanon_sql.targets.target import LocalSink

# Why such a table is not replaced, and what to do instead.
_STAYS = {
    "iceberg": "a table of Iceberg is not replaced in place: its earlier snapshots and files keep the rows that it "
    "had, and its catalog says what it is; name a file or a table as target, put that into a new table, and remove the "
    "old one with its files (DROP TABLE ... PURGE)",
    "delta": "a table of Delta is not replaced in place: its earlier versions and files keep the rows that it had; "
    "name a file or a table as target, put that into a new table, and remove the folder of the old one",
}


def prepare(loaded: LoadedConfig) -> None:
    """Before the source is opened: completes or undoes what a killed run in place left of it."""
    source, target = loaded.config.source, loaded.config.target
    if target is not None and target.in_place:
        if source.folder_table is not None:
            raise ConfigurationError(f"{loaded.place('target')}: {_STAYS[source.folder_table[0]]}")
        named = source.path or source.database_file
        if is_remote(named):
            raise ConfigurationError(
                f"{loaded.place('target')}: {shown_url(str(named))} is not replaced in place; name another target"
            )
        if named is not None:
            path = loaded.base / named
            if path.parent.is_dir():
                lake = names_lake(source.database)
                recover(path, place=loaded.place("target"), before=remove_replaced if lake else None)


def open_sink(engine: Engine, loaded: LoadedConfig) -> AbstractContextManager[LocalSink]:
    """The sink of a configuration, staged and locked against other runs; what is not committed is removed at the end.

    Raises ConfigurationError for targets that must not be written, EngineError for those that cannot be.
    """
    target, place = loaded.config.target, loaded.place("target")
    if target is None:
        raise ConfigurationError(f"{place}: there is no target; expected a file, a table or in-place")
    if target.in_place:
        return _in_place(engine, loaded, target, place)
    if target.path is None:
        return _to_table(engine, loaded, target, place)
    return _to_bucket(engine, loaded, target, place) if is_remote(target.path) else open_file(loaded, target, place)


@contextmanager
def _in_place(engine: Engine, loaded: LoadedConfig, target: TargetConfig, place: str) -> Iterator[LocalSink]:
    source = loaded.config.source
    if source.table is not None and source.database_file is not None:
        if target.csv.formulas == "escape":
            raise ConfigurationError(f"{place}: csv.formulas: escape goes with CSV, a table is replaced; remove it")
        path = loaded.base / source.database_file
        refuse_outputs([loaded], [("the database of the source", path)], beside=True)
        name = split_name(source.table, loaded.place("source", "table"))
        if is_sqlite(path):
            with open_sqlite(path, name, target, place) as sink:
                yield sink
            return
        with stage_file(path, overwrite=True, place=place, in_folder=True) as staged:
            old = open_old(engine, path, shares_source=True)
            refuse_view(engine, old, name, place)
            if names_lake(source.database):
                refuse_misnamed(engine, old, source.database, loaded.place("source"))
                yield LakeSink(engine, staged, name, target, place, old=old, forgets=True)
                return
            yield DatabaseSink(engine, staged, name, target, place, old=old)
        return
    if source.path is None:
        raise ConfigurationError(f"{place}: the result of a query cannot be replaced; name a file or a table as target")
    refuse_outputs([loaded], [("the source", loaded.base / source.path)])
    files = find_files(source.path, loaded.base, loaded.place("source"))
    if files.folder is not None:
        _refuse_other_files(files.folder, set(files.paths), place)
        with stage_folder(files.folder, place=place) as staged_folder:
            yield FolderSink(staged_folder, files.format, target)
        return
    if len(files.paths) > 1:
        raise ConfigurationError(f"{place}: a glob cannot be replaced all or nothing; name the folder as source")
    with stage_file(files.paths[0], overwrite=True, place=place) as staged:
        yield FileSink(staged, files.format, target)


def _refuse_other_files(folder: Path, data: set[Path], place: str) -> None:
    others = [path for path in folder.rglob("*") if not path.is_dir() and path not in data]
    if others:
        raise ConfigurationError(
            f"{place}: the folder holds {len(others):,} other file{'s' * (len(others) > 1)}, first {others[0].name!r}, "
            "which replacing it would lose; move them away first"
        )


@contextmanager
def _to_bucket(engine: Engine, loaded: LoadedConfig, target: TargetConfig, place: str) -> Iterator[LocalSink]:
    assert target.path is not None
    refuse_target(target.path, place)
    if target.path == loaded.config.source.path:
        raise ConfigurationError(f"{place}: the target is the source itself, which is replaced on this machine alone")
    source = loaded.config.source
    folder = source.path if source.path is not None and source.path.endswith("/") else None
    if source.folder_table is not None:
        folder = f"{folder_in_bucket(*source.folder_table)}/"
    if folder is not None and target.path.startswith(folder):
        raise ConfigurationError(f"{place}: the target lies in the source's folder; name another place")
    name = Path(shown_url(target.path)).name
    beside = engine.own_folder() / "release"
    beside.mkdir(exist_ok=True)
    with stage_file(beside / name, overwrite=True, place=place) as staged:
        yield BucketSink(target.path, staged, _format_of(beside / name, target, place), target, place)


@contextmanager
def open_file(loaded: LoadedConfig, target: TargetConfig, place: str) -> Iterator[LocalSink]:
    assert target.path is not None
    refuse_remote(target.path, place)
    path = loaded.base / target.path
    file_format = _format_of(path, target, place)
    _refuse_source_as_target(loaded, path, place)
    refuse_outputs([loaded], [("the target", path)])
    with stage_file(path, overwrite=target.overwrite, place=place) as staged:
        yield FileSink(staged, file_format, target)


def _format_of(path: Path, target: TargetConfig, place: str) -> str:
    """The format of a release. Raises ConfigurationError where nothing tells it."""
    file_format = target.format or format_of(path)
    if file_format is None:
        suffixes = either(form.suffixes[0] for form in FORMATS.values() if form.written)
        raise ConfigurationError(
            f"{place}: the name {path.name!r} tells no format; expected {suffixes}, or set target.format"
        )
    return file_format


def _refuse_source_as_target(loaded: LoadedConfig, path: Path, place: str) -> None:
    source: SourceConfig = loaded.config.source
    sources = [loaded.base / source.database_file] if source.database_file is not None else []
    if source.folder_table is not None and inside(path, folder_of(loaded.base / source.folder_table[1])):
        raise ConfigurationError(f"{place}: the target lies in the source's folder; name another place")
    if source.path is not None and not is_remote(source.path):
        files = find_files(source.path, loaded.base, loaded.place("source"))
        sources += list(files.paths)
        if files.folder is not None and inside(path, files.folder):
            raise ConfigurationError(
                f"{place}: the target lies in the source's folder; name another place, or target: in-place"
            )
    if any(same_file(path, read) for read in sources):
        raise ConfigurationError(f"{place}: the target is the source itself; write target: in-place to replace it")


@contextmanager
def _to_table(engine: Engine, loaded: LoadedConfig, target: TargetConfig, place: str) -> Iterator[LocalSink]:
    assert target.database_file is not None
    assert target.table is not None
    refuse_remote(target.database_file, place)
    path = loaded.base / target.database_file
    name = split_name(target.table, place)
    source = loaded.config.source
    shared = source.database_file is not None and same_file(path, loaded.base / source.database_file)
    if shared and source.table is not None and folded(name) == folded(split_name(source.table, place)):
        raise ConfigurationError(f"{place}: the target is the source itself; write target: in-place to replace it")
    refuse_outputs([loaded], [("the target", path)], beside=True)
    lake = names_lake(target.database)
    if not lake and becomes_sqlite(path):
        with open_sqlite(path, name, target, place, shared=shared) as sqlite_sink:
            yield sqlite_sink
        return
    if target.allow_remanence and lake:
        raise ConfigurationError(f"{place}: allow_remanence goes with a database file or a lake in place; remove it")
    if target.allow_remanence and _holds_database(path):
        yield TableSink(engine, path, name, target, place, shares_source=shared)
        return
    with stage_file(path, overwrite=True, place=place, in_folder=True) as staged:
        # Asked once no other run can make it any more: its tables would be lost.
        staged.overwrite = path.exists()
        old = open_old(engine, path, shares_source=shared) if _holds_database(path) else None
        if old is not None:
            refuse_misnamed(engine, old, target.database, place)
            refuse_existing(engine, old, name, target, place)
        sink: LocalSink = (
            LakeSink(engine, staged, name, target, place, old=old)
            if lake
            else DatabaseSink(engine, staged, name, target, place, old=old)
        )
        if shared:
            remains = "still holds the source's table" if source.table else "may still hold tables that the query reads"
            kept, shared_thing = ("lake", "it") if lake else ("database file", "the file")
            sink.warnings += (f"the {kept} {path.name} {remains}: do not share {shared_thing}",)
        yield sink


def _holds_database(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0
