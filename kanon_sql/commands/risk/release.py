"""The release that a configuration's target holds, opened to be measured beside the source."""

from __future__ import annotations

from dataclasses import replace

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.settings.formats import format_of
from kanon_sql.source.duckdb import attach, open_table, split_name
from kanon_sql.source.files import refuse_remote
from kanon_sql.source.formats.registry import FILE_FORMATS
from kanon_sql.source.model import Column, Source
from kanon_sql.source.roles import Roles
from kanon_sql.sql.connection import Engine
from kanon_sql.targets.target import shown

_BOUNDS = ("lower", "upper")


def open_release(engine: Engine, loaded: LoadedConfig, source: Source, roles: Roles) -> Source | None:
    """The configuration's target as a source; None where there is none yet, or it is the source itself (in place).

    Raises EngineError for one that cannot be read.
    """
    target, place = loaded.config.target, loaded.place("target")
    if target is None or target.in_place:
        return None
    if target.path is not None:
        refuse_remote(target.path, place)
        path = loaded.base / target.path
        if not path.is_file():
            return None
        released = [item.name for item in roles.released]
        file_format = FILE_FORMATS[target.format or format_of(path) or "csv"]
        opened = file_format.open_release(engine, path, target, source, released, place)
        return replace(opened, label=shown(path.resolve()))
    assert target.database is not None
    assert target.table is not None
    refuse_remote(target.database, place)
    database = loaded.base / target.database
    schema, name = split_name(target.table, place)
    if not database.is_file():
        return None
    known = {"catalog": attach(engine, database), "schema": schema, "name": name}
    if not engine.query("source/table_exists", values=known)[0][0]:
        return None
    return open_table(engine, database, target.table, source.missing, place)


def released_columns(release: Source, names: list[str], place: str) -> list[Column]:
    """The columns of a release that stand for the quasi-identifiers: of the same name, or the two bounds of a range.

    Raises ConfigurationError with every quasi-identifier that is not there.
    """
    by_name = {item.name: item for item in release.columns}
    found: list[Column] = []
    problems = []
    for name in names:
        bounds = [f"{name}_{end}" for end in _BOUNDS]
        if name in by_name:
            found.append(by_name[name])
        elif all(bound in by_name for bound in bounds):
            found += [by_name[bound] for bound in bounds]
        else:
            problems.append(
                f"{place}: there is no column {name!r} in {release.label}; expected a release of this configuration "
                "there: run it, or set another target"
            )
    if problems:
        raise ConfigurationError(problems)
    return found
