"""Opens the source that a configuration names: finds its files, refuses what a query or view of it may not read."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
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
from kanon_sql.settings.source import SourceConfig
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
from kanon_sql.source.formats.base import Asked
from kanon_sql.source.formats.registry import FILE_FORMATS
from kanon_sql.source.model import Source
from kanon_sql.source.treatments.applying import treat_columns
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, EngineOptions, lock_down, open_engine


def open_source(engine: Engine, loaded: LoadedConfig) -> Source:
    """Opens the source of a configuration. Raises ConfigurationError or EngineError."""
    config = loaded.config
    named = [*config.identifiers, *config.quasi_identifiers, *config.sensitive, *config.insensitive]
    return read_source_columns(
        open_described(engine, config.source, loaded.base, named, loaded.place("source")), loaded
    )


def read_source_columns(source: Source, loaded: LoadedConfig) -> Source:
    """The source of a configuration, its columns read and treated as that says. Raises UnfittingSourceError."""
    read = read_columns(source, loaded.config.source.columns, partial(loaded.place, "source", "columns"))
    return treat_columns(read, loaded)


def open_described(engine: Engine, source: SourceConfig, base: Path, named: Sequence[str], place: str) -> Source:
    """Opens a source by its description, columns as they stand; `named` are columns that it is known to have."""
    if source.path is None:
        missing = tuple(source.missing or ())
        if source.database is not None:
            refuse_remote(source.database, place)
        database = base / source.database if source.database is not None else None
        # A second connection to a database that is written would end the lock on its file.
        if engine.owned and (database is None or attached_as(engine, database) is None):
            refuse_elsewhere(source, base, place)
        # What this connection writes itself changes its file, and nobody else can.
        read = [] if database is None or is_written(engine, database) else [database]
        engine.watch.add(place, lambda: [*read, *other_files(source, base)])
        if source.table is not None and database is not None:
            return open_table(engine, database, source.table, missing, place)
        return open_query(engine, source.query or "", database, base, missing, place)
    files = find_files(source.path, base, place)
    partitions = _partitions(files, place)
    if source.sheet is not None and read_by_engine(files.format):
        raise ConfigurationError(f"{place}: sheet goes with Excel, {FORMATS[files.format].title} has none; remove it")
    if source.encoding is not None and not only_texts(files.format):
        raise ConfigurationError(
            f"{place}: encoding goes with CSV, {FORMATS[files.format].title} has its own; remove it"
        )
    engine.watch.add(place, lambda: files.paths)
    opened = FILE_FORMATS[files.format].open(engine, Asked(files.paths, source, named, place, partitions))
    return replace(opened, folder=files.folder) if files.folder else opened


def _partitions(files: Files, place: str) -> tuple[str, ...]:
    """The names of the hive partition columns, from folders such as year=2024. Raises ConfigurationError."""
    if files.folder is None:
        return ()
    found = {
        tuple(unquote(part.split("=", 1)[0]) for part in path.relative_to(files.folder).parts[:-1] if "=" in part)
        for path in files.paths
    }
    if len(found) > 1:
        raise ConfigurationError(f"{place}: the files of the folder lie under different partition columns")
    return found.pop()


def allowed_places(source: SourceConfig, base: Path) -> tuple[list[Path], list[Path]]:
    """(files, folders) that a source may read which is a query or a table; none for files."""
    if source.path is not None:
        return [], []
    files, folders = [], [base.absolute()]
    if source.database is not None:
        path = (base / source.database).absolute()
        files += [path, path.with_name(f"{path.name}.wal")]  # which is looked for where it is opened
    for text in source.allow:
        path = (base / text).absolute()
        (folders if path.is_dir() else files).append(path)
    return files, folders


def other_files(source: SourceConfig, base: Path) -> list[Path]:
    """The files that a query or a view may read beside its database: those that the configuration or the query names.

    Raises nothing.
    """
    texts = [base / text for text in source.allow]
    if source.query is not None:
        with suppress(SqlglotError):
            quoted = [one.text for one in tokenize(source.query, read="duckdb") if one.token_type is TokenType.STRING]
            # As the engine reads them: patterns of files.
            texts += [Path(name) for text in quoted for name in glob.glob(str(base / text), recursive=True)]  # noqa: PTH207
    return [path for path in texts if _is_file(path)]


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def refuse_elsewhere(source: SourceConfig, base: Path, place: str) -> None:
    """Refuses a query or a view that would read other places: what binds it opens the files that it names.

    It is bound on a connection of its own that is locked down first. Raises EngineError; for a source that cannot be
    bound for another reason nothing is said here.
    """
    files, folders = allowed_places(source, base)
    with open_engine(EngineOptions()) as probe:
        if source.database is not None:
            catalog = attach(probe, base / source.database)
            probe.run(f"USE {template.quoted(catalog).sql('duckdb')}")
        if source.query is not None:
            refuse_other_than_select(probe, source.query, place)
        lock_down(probe, files, folders)
        try:
            probe.connection.execute(_bound(source, base, place)).fetchall()
        except duckdb.PermissionException as error:
            named = re.search(r'"([^"\n]+)"', str(error))
            what = f"the query or view reads {named[1] if named else 'another place'}"
            raise EngineError(
                f"{place}: {what}, which is not in the configuration's folder; add it to source.allow"
            ) from None
        except duckdb.Error:
            return


def _bound(source: SourceConfig, base: Path, place: str) -> str:
    """A statement that binds the source and reads no row of it."""
    if source.table is None:
        text = (source.query or "").strip().rstrip(";").rstrip()
        return f"CREATE TEMP VIEW bound AS\n{with_absolute_paths(text, base)}\n"
    schema, name = split_name(source.table, place)
    table = exp.Table(this=template.quoted(name), db=template.quoted(schema))
    return template.text(exp.Describe(this=exp.select("*").from_(table)))


_HIDDEN = (".", "_", "~$")
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True)
class Files:
    """The files of a source in order, their format, and the folder when one was named."""

    format: str
    paths: tuple[Path, ...]
    folder: Path | None


def refuse_remote(text: str, place: str) -> None:
    """Raises ConfigurationError for paths that the embedded engine cannot reach without an extension."""
    if _REMOTE.match(text):
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
            return _in_folder(path, place)
        if path.exists():
            _refuse_streams((path,), place)
            return Files(_format_or_raise((path,), place), (path,), None)
    except OSError as error:
        raise EngineError(f"{place}: {text} cannot be read ({error.strerror})") from None
    if glob.has_magic(text):
        found = tuple(
            sorted(
                Path(name)
                for name in glob.glob(str(path), recursive=True)  # noqa: PTH207 - absolute patterns
                if Path(name).is_file() and not Path(name).name.startswith(_HIDDEN)
            )
        )
        if not found:
            raise EngineError(f"{place}: no file matches {text}; expected a file in {titles()}")
        return Files(_format_or_raise(found, place), found, None)
    raise EngineError(f"{place}: {text} does not exist; expected a file in {titles()}, a glob or a folder")


def _in_folder(folder: Path, place: str) -> Files:
    notes = tuple(suffix for one in FORMATS.values() for suffix in one.notes)
    asides = tuple(suffix for one in FORMATS.values() for suffix in one.asides)
    known = sorted(path for path in _walk(folder) if format_of(path) and not path.name.lower().endswith(notes))
    found = tuple(path for path in known if not path.name.lower().endswith(asides)) or tuple(known)
    if not found:
        raise EngineError(f"{place}: the folder {folder} holds no file in {titles()}")
    _refuse_streams(found, place)
    return Files(_format_or_raise(found, place), found, folder)


def _refuse_streams(paths: tuple[Path, ...], place: str) -> None:
    """Refuses what can be read once only, or never ends: rows are read several times. Raises EngineError."""
    for path in paths:
        if not path.is_file() and path.exists():
            raise EngineError(
                f"{place}: {path} is a pipe, a socket or a device; write the rows into a file and name that"
            )


def _walk(folder: Path) -> list[Path]:
    """The files of a folder and its subfolders, but for those whose name begins with ., _ or ~$.

    Raises EngineError for a folder that cannot be read: rows would be lost.
    """
    found = []

    def refuse(error: OSError) -> None:
        raise EngineError(f"{error.filename}: the folder cannot be read ({error.strerror})")

    for name, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [below for below in folders if not below.startswith(_HIDDEN)]
        here = Path(name)
        found += [here / file for file in files if not file.startswith(_HIDDEN)]
    return found


def _format_or_raise(paths: tuple[Path, ...], place: str) -> str:
    try:
        formats = {format_of(path) or format_by_content(path) for path in paths}
    except OSError as error:
        raise EngineError(f"{error.filename}: cannot be read ({error.strerror})") from None
    if len(formats) > 1:
        mixed = " and ".join(one.title for name, one in FORMATS.items() if name in formats)
        raise ConfigurationError(f"{place}: {mixed} files are mixed; name files of one format")
    return formats.pop()
