"""Opens the source that a configuration names: a table, a query, or files, which are found first.

A query or a view may read only places that the configuration allows.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import unquote

import duckdb
from sqlglot import TokenType, exp, tokenize
from sqlglot.errors import SqlglotError

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.formats import FORMATS, format_by_content, format_of, only_texts, read_by_engine, titles
from kanon_sql.settings.source import SourceConfig, file_of_database, names_lake
from kanon_sql.source.columns import read_columns
from kanon_sql.source.duckdb import (
    attach,
    attached_as,
    is_written,
    open_query,
    open_table,
    refuse_other_than_select,
    split_name,
    with_absolute_paths,
)
from kanon_sql.source.folder_tables import copy_snapshot, refuse_bucket_tables, refuse_folder_tables, shown_table
from kanon_sql.source.formats.base import OpenRequest
from kanon_sql.source.formats.registry import FILE_FORMATS
from kanon_sql.source.lake import files_of_lake, is_lake
from kanon_sql.source.model import Source
from kanon_sql.source.remote import fetch, is_remote, refuse_unknown, shown_url
from kanon_sql.source.sqlite import copy_table, is_sqlite
from kanon_sql.source.treatments.applying import treat_columns
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, EngineOptions, lock_down, open_engine

_HIDDEN = (".", "_", "~$")


@dataclass(frozen=True)
class Files:
    """The files of a source in order, their format, and the folder where the configuration names one."""

    format: str
    paths: tuple[Path, ...]
    folder: Path | None


def open_source(engine: Engine, loaded: LoadedConfig) -> Source:
    """Opens the source of a configuration, its columns read and treated. Raises ConfigurationError or EngineError."""
    return read_source_columns(open_as_it_stands(engine, loaded), loaded)


def open_as_it_stands(engine: Engine, loaded: LoadedConfig) -> Source:
    """Opens the source of a configuration, its columns as they are. Raises ConfigurationError or EngineError."""
    config = loaded.config
    named = [*config.identifiers, *config.quasi_identifiers, *config.sensitive, *config.insensitive]
    return open_described(engine, config.source, loaded.base, named, loaded.place("source"))


def read_source_columns(source: Source, loaded: LoadedConfig) -> Source:
    """The source with its columns read and treated as the configuration says. Raises UnfittingSourceError."""
    read = read_columns(source, loaded.config.source.columns, partial(loaded.place, "source", "columns"))
    return treat_columns(read, loaded)


def open_described(engine: Engine, source: SourceConfig, base: Path, named: Sequence[str], place: str) -> Source:
    """Opens a source by its description, with its columns as they are.

    `named` are columns that it must have, by which a header is recognized. Raises ConfigurationError or EngineError.
    """
    if source.folder_table is not None:
        return _open_snapshot(engine, source, base, named, place)
    if source.path is None:
        return _open_relation(engine, source, base, place)
    return _open_files(engine, source, base, named, place)


def _open_relation(engine: Engine, source: SourceConfig, base: Path, place: str) -> Source:
    """A table of a database, or the result of a query."""
    missing = tuple(source.missing or ())
    if source.database_file is not None:
        refuse_remote(source.database_file, place)
    database = base / source.database_file if source.database_file is not None else None
    if database is not None and is_sqlite(database):
        return _open_sqlite(engine, source, database, place)
    # A second connection to a database that is being written would end the lock on its file.
    if engine.owned and (database is None or attached_as(engine, database) is None):
        refuse_elsewhere(source, base, place)
    # A file that this connection writes changes by it alone: nobody else can write it.
    read = [] if database is None or is_written(engine, database) else [database]
    engine.watch.add(place, lambda: [*read, *other_files(source, base)])
    if database is not None:
        refuse_misnamed(engine, attach(engine, database), source.database, place)
    if source.table is not None and database is not None:
        return open_table(engine, database, source.table, missing, place)
    return open_query(engine, source.query or "", database, base, missing, place)


def _open_sqlite(engine: Engine, source: SourceConfig, database: Path, place: str) -> Source:
    """A table or a view of an SQLite database."""
    if source.table is None:
        raise ConfigurationError(
            f"{place}: {database} is an SQLite database, where no query is run; make a view there, and name it as table"
        )
    if names_lake(source.database):
        raise ConfigurationError(f"{place}: {database} is an SQLite database; leave ducklake: out")
    schema, name = split_name(source.table, place)
    file = copy_table(engine, database, (schema, name), place)
    opened = FILE_FORMATS["parquet"].open(engine, OpenRequest((file,), source, (), place))
    return replace(opened, origin=str(database), label=f"{name} in {database.name}")


def _open_files(engine: Engine, source: SourceConfig, base: Path, named: Sequence[str], place: str) -> Source:
    """Files of this machine, or fetched ones."""
    assert source.path is not None
    remote = is_remote(source.path)
    if remote and source.path not in engine.fetched:
        refuse_unknown(source.path, place)
        refuse_bucket_tables(source.path, place)
    files = find_files(fetch(engine, source.path, place) if remote else source.path, base, place)
    partitions = _partitions(files, place)
    if source.sheet is not None and read_by_engine(files.format):
        raise ConfigurationError(f"{place}: sheet goes with Excel, {FORMATS[files.format].title} has none; remove it")
    if source.encoding is not None and not only_texts(files.format):
        raise ConfigurationError(
            f"{place}: encoding goes with CSV, {FORMATS[files.format].title} has its own; remove it"
        )
    if not remote:
        engine.watch.add(place, lambda: files.paths)
    opened = FILE_FORMATS[files.format].open(engine, OpenRequest(files.paths, source, named, place, partitions))
    if remote:
        opened = replace(opened, origin=shown_url(source.path), label=shown_url(source.path))
    return replace(opened, folder=files.folder) if files.folder else opened


def _open_snapshot(engine: Engine, source: SourceConfig, base: Path, named: Sequence[str], place: str) -> Source:
    """A table of Iceberg or Delta, as its newest snapshot has it."""
    assert source.folder_table is not None
    copied = copy_snapshot(engine, source, base, place)
    opened = FILE_FORMATS["parquet"].open(engine, OpenRequest((copied.file,), source, named, place))
    shown = f"{shown_table(source.folder_table[1], base)}, {copied.snapshot}"
    return replace(
        opened, origin=shown, label=shown, snapshot=copied.snapshot, warnings=(*opened.warnings, *copied.warnings)
    )


def _partitions(files: Files, place: str) -> tuple[str, ...]:
    """The names of the hive partition columns, from folders such as year=2024.

    Raises ConfigurationError where files are below different ones.
    """
    if files.folder is None:
        return ()
    names = {
        tuple(unquote(part.split("=", 1)[0]) for part in path.relative_to(files.folder).parts[:-1] if "=" in part)
        for path in files.paths
    }
    if len(names) > 1:
        raise ConfigurationError(f"{place}: the files of the folder lie under different partition columns")
    return names.pop()


def allowed_places(engine: Engine, source: SourceConfig, base: Path) -> tuple[list[Path], list[Path]]:
    """(files, folders) that a query or a table may read; none for a source of files.

    Raises ConfigurationError for a lake that is attached and keeps its rows where the configuration does not allow it.
    """
    if source.path is not None or source.folder_table is not None:
        return [], []
    files: list[Path] = []
    folders = [base.absolute()]
    for text in source.allow:
        path = (base / text).absolute()
        (folders if path.is_dir() else files).append(path)
    if source.database_file is not None:
        path = (base / source.database_file).absolute()
        files += [path, path.with_name(f"{path.name}.wal")]  # which is looked for where it is opened
        folders += _lake_folder(engine, path, [*folders, path.parent])
    return files, folders


def _lake_folder(engine: Engine, path: Path, allowed: Sequence[Path]) -> list[Path]:
    """The folder of the rows of a lake that is attached, which its catalog names: it could name any."""
    attached = attached_as(engine, path)
    if attached is None or not is_lake(engine, attached):
        return []
    folder = files_of_lake(engine, attached)
    if not any(folder.resolve().is_relative_to(place.resolve()) for place in allowed):
        raise ConfigurationError(
            f"{path}: the rows of the lake stand in {folder}, which is neither beside its catalog nor in the "
            "configuration's folder; add it to source.allow"
        )
    return [folder]


def other_files(source: SourceConfig, base: Path) -> list[Path]:
    """The files that a query or a view may read beside its database, as the configuration or the query names them."""
    texts = [base / text for text in source.allow]
    if source.query is not None:
        with suppress(SqlglotError):
            tokens = tokenize(source.query, read="duckdb")
            quoted = [token.text for token in tokens if token.token_type is TokenType.STRING]
            # As the engine reads them: patterns of files.
            texts += [Path(name) for text in quoted for name in glob.glob(str(base / text), recursive=True)]  # noqa: PTH207
    return [path for path in texts if _is_file(path)]


def refuse_misnamed(engine: Engine, attached: str, database: str | None, place: str) -> None:
    """Raises ConfigurationError where what is `attached` is a lake and `database` does not say so, or the reverse."""
    if is_lake(engine, attached) and not names_lake(database):
        raise ConfigurationError(f"{place}: {database} is the catalog of a lake; expected ducklake:{database}")
    if names_lake(database) and not is_lake(engine, attached):
        raise ConfigurationError(
            f"{place}: {file_of_database(database)} is a database and no catalog of a lake; leave ducklake: out"
        )


def _is_file(path: Path) -> bool:
    """Whether a path is a file; False for a name that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def refuse_elsewhere(source: SourceConfig, base: Path, place: str) -> None:
    """Raises EngineError for a query or a view that would read other places than the configuration allows.

    Binding opens the files that it names, so it is bound on a connection of its own that is locked down first. A source
    that cannot be bound for another reason is not refused here.
    """
    with open_engine(EngineOptions()) as probe:
        if source.database_file is not None:
            catalog = attach(probe, base / source.database_file)
            probe.run(f"USE {template.quoted(catalog).sql('duckdb')}")
        if source.query is not None:
            refuse_other_than_select(probe, source.query, place)
        lock_down(probe, *allowed_places(probe, source, base))
        try:
            probe.connection.execute(_bound(source, base, place)).fetchall()
        except duckdb.PermissionException as error:
            named = re.search(r'"([^"\n]+)"', str(error))
            fault = f"the query or view reads {named[1] if named else 'another place'}"
            raise EngineError(
                f"{place}: {fault}, which is not in the configuration's folder; add it to source.allow"
            ) from None
        except duckdb.Error:
            return


def _bound(source: SourceConfig, base: Path, place: str) -> str:
    """A statement that binds the source but reads no row of it."""
    if source.table is None:
        text = (source.query or "").strip().rstrip(";").rstrip()
        return f"CREATE TEMP VIEW bound AS\n{with_absolute_paths(text, base)}\n"
    schema, name = split_name(source.table, place)
    table = exp.Table(this=template.quoted(name), db=template.quoted(schema))
    return template.text(exp.Describe(this=exp.select("*").from_(table)))


def refuse_remote(text: str, place: str) -> None:
    """Raises ConfigurationError for a URL where only a path on this machine is reached."""
    if is_remote(text):
        raise ConfigurationError(
            f"{place}: {text.partition('://')[0]}:// is not reachable from here; "
            "expected a path on this machine, copy the data to one"
        )


def find_files(text: str, base: Path, place: str) -> Files:
    """The files that a path of a configuration means. Raises ConfigurationError or EngineError."""
    refuse_remote(text, place)
    path = base / text
    try:
        if path.is_dir():
            refuse_folder_tables({path: text}, place)
            return _in_folder(path, place)
        if path.exists():
            _refuse_streams((path,), place)
            file_format = _format_or_raise((path,), place)
            if file_format == "parquet":
                _refuse_folder_tables((path,), place)
            return Files(file_format, (path,), None)
    except OSError as error:
        raise EngineError(f"{place}: {text} cannot be read ({error.strerror})") from None
    if glob.has_magic(text):
        files = tuple(
            sorted(
                Path(name)
                for name in glob.glob(str(path), recursive=True)  # noqa: PTH207 - absolute patterns
                if Path(name).is_file() and not Path(name).name.startswith(_HIDDEN)
            )
        )
        if not files:
            raise EngineError(f"{place}: no file matches {text}; expected a file in {titles()}")
        _refuse_folder_tables(files, place)
        return Files(_format_or_raise(files, place), files, None)
    raise EngineError(f"{place}: {text} does not exist; expected a file in {titles()}, a glob or a folder")


def _in_folder(folder: Path, place: str) -> Files:
    notes = tuple(suffix for config in FORMATS.values() for suffix in config.notes)
    asides = tuple(suffix for config in FORMATS.values() for suffix in config.asides)
    files = sorted(path for path in _walk(folder) if format_of(path) and not path.name.lower().endswith(notes))
    data_files = tuple(path for path in files if not path.name.lower().endswith(asides)) or tuple(files)
    if not data_files:
        raise EngineError(f"{place}: the folder {folder} holds no file in {titles()}")
    _refuse_streams(data_files, place)
    _refuse_folder_tables(data_files, place)
    return Files(_format_or_raise(data_files, place), data_files, folder)


def _refuse_folder_tables(files: Iterable[Path], place: str) -> None:
    """Raises ConfigurationError for files of tables of Delta and Iceberg, some of whose rows were deleted."""
    refuse_folder_tables({file.parent: str(file.parent) for file in files}, place)


def _refuse_streams(paths: tuple[Path, ...], place: str) -> None:
    """Raises EngineError for what can be read only once, or never ends, as rows are read several times."""
    for path in paths:
        if not path.is_file() and path.exists():
            raise EngineError(
                f"{place}: {path} is a pipe, a socket or a device; write the rows into a file and name that"
            )


def _walk(folder: Path) -> list[Path]:
    """The files of a folder and its subfolders, without those whose names begin with ., _ or ~$.

    Raises EngineError for a folder that cannot be read, whose rows would be lost.
    """
    paths = []

    def refuse(error: OSError) -> None:
        raise EngineError(f"{error.filename}: the folder cannot be read ({error.strerror})")

    for name, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [below for below in folders if not below.startswith(_HIDDEN)]
        subfolder = Path(name)
        paths += [subfolder / file for file in files if not file.startswith(_HIDDEN)]
    return paths


def _format_or_raise(paths: tuple[Path, ...], place: str) -> str:
    try:
        formats = {format_of(path) or format_by_content(path) for path in paths}
    except OSError as error:
        raise EngineError(f"{error.filename}: cannot be read ({error.strerror})") from None
    if len(formats) > 1:
        mixed = " and ".join(config.title for name, config in FORMATS.items() if name in formats)
        raise ConfigurationError(f"{place}: {mixed} files are mixed; name files of one format")
    return formats.pop()
