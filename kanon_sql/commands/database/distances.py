"""Dates as distances: the days from the first date of the person in the column, or from one of the persons' table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from kanon_sql.commands.database.tables import OpenTable, refuse_dates
from kanon_sql.config.database import LoadedDatabase
from kanon_sql.config.database_table import FIRST
from kanon_sql.errors import ConfigurationError
from kanon_sql.source.columns import null_for
from kanon_sql.source.days import as_day
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Fill, column, state

_ROOM = "commands/database"
_DISTANCE = "BIGINT"


def with_distances(
    engine: Engine, loaded: LoadedDatabase, table: OpenTable, links: str, unit: OpenTable, persons: str
) -> OpenTable:
    """The table with its columns of distances, as `linked_rows` reads them.

    Args:
        engine: the engine.
        loaded: the configuration.
        table: the table, whose rows find their person by `links`, a table (key, person).
        links: the name of that table.
        unit: the table of persons, whose dates may be the origin, by `persons`, a table (key, person).
        persons: the name of that table.

    Raises: ConfigurationError for what is no date, EngineError.
    """
    since = table.config.since
    if not since:
        return table
    assert table.config.link is not None
    refuse_dates(engine, table, list(since))
    read = unit.source.untreated or unit.source
    origins: dict[str, tuple[str, Column]] = {}
    for position, (name, origin) in enumerate(since.items()):
        origins_table = state(f"database_origins_{list(loaded.tables).index(table.name)}_{position}")
        names: dict[str, Fill] = {"origins": origins_table, "source": table.source.relation, "links": links}
        source, held, key = table.source, name, table.config.link.column
        if origin != FIRST:
            source, held, key = read, origin, loaded.config.unit.key
            names |= {"source": read.relation, "links": persons}
            if origin not in [col.name for col in read.columns]:
                raise ConfigurationError(
                    f"{loaded.place('tables', table.name, 'since', name)}: {unit.name!r} has no column {origin!r}; "
                    f"expected first, or a date of {unit.name!r}"
                )
            refuse_dates(engine, replace(unit, source=read), [origin])
        names["link_key"] = column(source.column(key).key, "source")
        names["day_value"] = _day(source, source.column(held))
        engine.query(f"{_ROOM}/origins", names=names)
        origins[name] = origins_table, table.source.column(name)
    numbers = replace(table.source, columns=_as_numbers(table.source.columns, since))
    return replace(table, origins=origins, columns=_as_numbers(table.columns, since), source=numbers)


def _day(source: Source, col: Column) -> exp.Expr:
    value = null_for(column(col.key, "source"), source.missing if col.is_text else ())
    return as_day(value, col)


def _as_numbers(columns: tuple[Column, ...], since: Mapping[str, str]) -> tuple[Column, ...]:
    """The columns, those of distances as numbers; texts stay texts."""
    return tuple(
        replace(col, type=col.type if col.is_text else _DISTANCE, reading=None) if col.name in since else col
        for col in columns
    )
