"""Opens the source that a configuration names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.allowed import refuse_elsewhere
from kanon_sql.source.database import attached_as, open_query, open_table
from kanon_sql.source.files import Files, find_files, refuse_remote
from kanon_sql.source.formats.registry import FILE_FORMATS
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine


def open_source(engine: Engine, loaded: LoadedConfig) -> Source:
    """Opens the source of a configuration. Raises ConfigurationError or EngineError."""
    config = loaded.config
    named = [*config.identifiers, *config.quasi_identifiers, *config.sensitive, *config.insensitive]
    return open_described(engine, config.source, loaded.base, named, loaded.place("source"))


def open_described(engine: Engine, source: SourceConfig, base: Path, named: Sequence[str], place: str) -> Source:
    """Opens a source by its description; `named` are columns that it is known to have."""
    if source.path is None:
        missing = tuple(source.missing or ())
        if source.database is not None:
            refuse_remote(source.database, place)
        database = base / source.database if source.database is not None else None
        # A second connection to a database that is written would end the lock on its file.
        if engine.owned and (database is None or attached_as(engine, database) is None):
            refuse_elsewhere(source, base, place)
        if source.table is not None and database is not None:
            return open_table(engine, database, source.table, missing, place)
        return open_query(engine, source.query or "", database, base, missing, place)
    files = find_files(source.path, base, place)
    partitions = _partitions(files, place)
    opened = FILE_FORMATS[files.format].open(engine, files.paths, source, named, place, partitions)
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
