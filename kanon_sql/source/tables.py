"""The tables of a database of persons: the files of a folder, each a table, or the tables of a database of DuckDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.config.database import DatabaseSource, LoadedDatabase
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.formats import FORMATS, format_of
from kanon_sql.settings.source import file_of_database
from kanon_sql.source.duckdb import attach
from kanon_sql.source.lake import is_lake
from kanon_sql.source.opening import refuse_remote
from kanon_sql.source.sqlite import is_sqlite
from kanon_sql.sql.connection import EngineOptions, open_engine

_HIDDEN = (".", "_", "~$")


@dataclass(frozen=True)
class SourceTables:
    """The tables of a source by their names, each with its place as a configuration of one table says it.

    `schemas` has the (schema, name) of those that stand in another schema than main: SCHEMA.NAME says it as well as a
    table of main whose name holds a dot.
    """

    places: Mapping[str, Mapping[str, Any]]
    schemas: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    views: tuple[str, ...] = ()
    folder: Path | None = None
    database: Path | None = None


def find_tables(source: DatabaseSource, base: Path, place: str) -> SourceTables:
    """The tables of a folder or of a database file. Raises ConfigurationError and EngineError."""
    if source.namespace is not None:
        raise ConfigurationError(f"{place}: {source.label} is no place of this machine; name a folder or a database")
    if source.database is not None:
        refuse_remote(source.database, place)
        return _in_database(base / (file_of_database(source.database) or ""), place)
    assert source.path is not None
    refuse_remote(source.path, place)
    return _in_folder(base / source.path, place)


def _in_folder(folder: Path, place: str) -> SourceTables:
    if not folder.is_dir():
        raise EngineError(
            f"{place}: {folder} is no folder; expected one with a file of each table, or {{database: FILE}}"
        )
    places: dict[str, dict[str, Any]] = {}
    problems = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(_HIDDEN):
            continue
        file_format = None if path.is_dir() else format_of(path)
        if file_format is None:
            problems.append(f"{place}: {path.name!r} is no table: expected files in {_titles()}; move it away")
            continue
        name = path.name
        for suffix in FORMATS[file_format].suffixes:
            name = name[: -len(suffix)] if name.lower().endswith(suffix) else name
        if name in places:
            problems.append(f"{place}: two files are table {name!r}; keep one")
        places[name] = {"path": str(path.absolute())}
    if problems:
        raise ConfigurationError(problems)
    if not places:
        raise EngineError(f"{place}: the folder {folder} holds no file in {_titles()}")
    return SourceTables(places, folder=folder)


def _titles() -> str:
    return ", ".join(config.title for config in FORMATS.values())


def _in_database(path: Path, place: str) -> SourceTables:
    if is_sqlite(path):
        raise ConfigurationError(
            f"{place}: {path} is an SQLite database, of which single tables are read; copy its tables into a folder of "
            "files or a DuckDB database"
        )
    with open_engine(EngineOptions()) as engine:
        catalog = attach(engine, path)
        if is_lake(engine, catalog):
            raise ConfigurationError(
                f"{path}: is a lake, which is read table by table; expected a folder of files or a database file for a "
                f"whole database, or one table: ducklake:{path}"
            )
        rows = engine.query("source/tables", values={"catalog": catalog})
    tables = sorted((str(schema), str(name)) for schema, name, is_view in rows if not is_view)
    views = tuple(str(name) for _, name, is_view in rows if is_view)
    named = [(name if schema == "main" else f"{schema}.{name}", (schema, name)) for schema, name in tables]
    twice = [called for called, count in Counter(called for called, _ in named).items() if count > 1]
    if twice:
        raise ConfigurationError(
            f"{place}: two tables are called {called!r}, one with a dot in its name; rename one" for called in twice
        )
    places = {
        called: {
            "database": str(path.absolute()),
            "table": exp.Table(this=exp.to_identifier(name), db=exp.to_identifier(schema)).sql("duckdb"),
        }
        for called, (schema, name) in named
    }
    schemas = {called: table for called, table in named if table[0] != "main"}
    return SourceTables(places, schemas, views, database=path)


def refuse_unnamed(loaded: LoadedDatabase, source_tables: SourceTables) -> None:
    """Raises ConfigurationError with every table that no line names, and every line without a table."""
    place = loaded.place("tables")
    problems = [
        f"{place}: no line names table {name!r} of the source; expected keep, drop or its columns"
        for name in source_tables.places
        if name not in loaded.config.tables
    ]
    problems += [
        f"{loaded.place('tables', name)}: {name!r} is a view, and only tables are released; remove it"
        if name in source_tables.views
        else f"{loaded.place('tables', name)}: the source has no table {name!r}; correct or remove it"
        for name in loaded.config.tables
        if name not in source_tables.places
    ]
    if problems:
        raise ConfigurationError(problems)
