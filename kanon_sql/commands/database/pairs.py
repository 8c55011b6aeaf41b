"""A release of a whole database beside its source: pairs of tables, as those that one table and its release are.

The table of persons is one with the quasi-identifiers of persons that stand in other tables, in the release too. Keys
are left out: their values are others in the release, and say nothing of a person. So are dates that became distances.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sqlglot import exp

from kanon_sql.commands.database.joined import JoinedTables
from kanon_sql.commands.database.places import open_places
from kanon_sql.commands.database.standing import joined_persons
from kanon_sql.commands.database.tables import (
    OpenTable,
    open_as_it_stands,
    open_tables,
    read_tables,
    refuse_lacking,
    released_alone,
)
from kanon_sql.config.database import DatabaseSource, LoadedDatabase
from kanon_sql.config.database_table import without_columns
from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.report.call import Call
from kanon_sql.search.prepare import load_hierarchies
from kanon_sql.source.model import Source
from kanon_sql.source.opening import open_source
from kanon_sql.source.roles import assign_roles
from kanon_sql.source.tables import SourceTables
from kanon_sql.sql.connection import Engine, lock_down, open_engine
from kanon_sql.sql.disk import spill_folder
from kanon_sql.sql.template import column


@dataclass(frozen=True)
class ComparedDatabase:
    """The tables of a source and of its release, as long as both are open.

    `alone` are the configurations of single tables, of which no key is released; that of the table of persons reads
    what other tables say of them too.
    """

    loaded: LoadedDatabase
    call: Call
    alone: dict[str, LoadedConfig]
    source_tables: SourceTables
    place: DatabaseSource | None = None
    release_tables: SourceTables | None = None

    @property
    def persons(self) -> LoadedConfig:
        """The configuration of the table of persons."""
        return self.alone[self.loaded.config.unit.table]

    @contextmanager
    def pair(self, name: str) -> Iterator[ReleasePair]:
        """A table of the source and that of the release, on a connection of their own. Raises ConfigurationError and
        EngineError.
        """
        alone = self.alone[name]
        assert self.place is not None
        with open_engine(self.call.options) as engine:
            source = replace(open_source(engine, alone), label=f"{name} of {self.loaded.config.source.label}")
            release = replace(self._released(engine, name), label=f"{name} of {self.place.label}")
            if release.only_texts and not source.only_texts:
                release = replace(release, missing=(*release.missing, ""))  # as which NULL is written
            hierarchies = load_hierarchies(alone, show_values=self.call.options.show_values)
            roles = assign_roles(source, alone)
            kept = {col.name for col in roles.released}
            release = _without(release, set(alone.config.identifiers) - kept)
            yield ReleasePair(engine, alone, self.call, hierarchies, roles, source, release)

    def _released(self, engine: Engine, name: str) -> Source:
        """A table of the release; that of persons with what other tables say of them."""
        loaded = self.loaded
        assert self.release_tables is not None
        names = persons_tables(loaded) if name == loaded.config.unit.table else [name]
        written = {
            other: open_as_it_stands(engine, loaded, self.release_tables, loaded.tables[other]) for other in names
        }
        return written[name] if len(written) == 1 else joined_persons(loaded, written)


def persons_tables(loaded: LoadedDatabase) -> list[str]:
    """The table of persons, and those that hold quasi-identifiers of theirs."""
    return [loaded.config.unit.table, *(table.name for table in loaded.tables.values() if table.via is not None)]


def _searched_tables(loaded: LoadedDatabase) -> list[str]:
    """The tables of which a search reads persons: also those of values that they hold, and that these go through."""
    names = persons_tables(loaded)
    for held in loaded.unit.held.values():
        name: str | None = held.table
        while name is not None:
            names.append(name)
            link = loaded.tables[name].link
            name = None if link is None else link.through
    return list(dict.fromkeys(names))


def _without(release: Source, names: Collection[str]) -> Source:
    """A table without columns that its release alone would not have."""
    columns = tuple(col for col in release.columns if col.name not in names)
    keys = [exp.alias_(column(col.key, "written"), col.key) for col in columns]
    return replace(
        release, relation=exp.select(*keys).from_(release.relation.copy().subquery("written")), columns=columns
    )


@contextmanager
def open_source_alone(loaded: LoadedDatabase, call: Call) -> Iterator[ComparedDatabase]:
    """The source's table of persons, without a release. Raises ConfigurationError and EngineError."""
    with _opened(loaded, call, _searched_tables(loaded), with_release=False) as database:
        yield database


@contextmanager
def open_both(loaded: LoadedDatabase, call: Call, names: Collection[str]) -> Iterator[ComparedDatabase]:
    """Those tables of these names, with those of persons, in the source and in its release.

    Raises ConfigurationError where the target cannot stand beside the source, EngineError where nothing is there.
    """
    with _opened(loaded, call, [*persons_tables(loaded), *names], with_release=True) as database:
        yield database


@contextmanager
def _opened(
    loaded: LoadedDatabase, call: Call, names: Collection[str], *, with_release: bool
) -> Iterator[ComparedDatabase]:
    source = loaded.config.source
    if with_release:
        _refuse_target(loaded)
    with spill_folder(call.options.temp_directory) as folder, open_places(loaded, call.options) as places:
        release = places.release() if with_release else None
        if with_release and release is None:
            place = loaded.place("target")
            raise EngineError(
                f"{place}: there is no release yet; expected one of this configuration there: run it first"
            )
        source_tables = places.list_tables(source)
        refuse_lacking(loaded, names, source, source_tables)
        release_tables = None
        if release is not None:
            release_tables = places.list_tables(release)
            refuse_lacking(loaded, names, release, release_tables)
            places.fetch(release, release_tables, names)
        places.fetch(source, source_tables, names)
        alone = _configurations(loaded, call, source_tables, folder, names, is_searched=not with_release)
        yield ComparedDatabase(loaded, call, alone, source_tables, release, release_tables)


def _refuse_target(loaded: LoadedDatabase) -> None:
    target, place = loaded.config.target, loaded.place("target")
    if target is None:
        raise ConfigurationError(f"{place}: no target is named; expected where the release is: add one")
    if target.in_place:
        raise ConfigurationError(
            f"{place}: a release in place has taken its source away; expected both: set another target"
        )


def _configurations(
    loaded: LoadedDatabase,
    call: Call,
    source_tables: SourceTables,
    folder: Path,
    names: Collection[str],
    *,
    is_searched: bool,
) -> dict[str, LoadedConfig]:
    """The configuration of each table alone; what other tables say of persons is copied into the folder.

    Where persons are searched again, so are the values that they hold, of which nothing is compared.
    """
    unit = loaded.config.unit.table
    alone: dict[str, LoadedConfig] = {}
    with open_engine(call.options) as engine:
        tables = open_tables(engine, loaded, source_tables, names)
        lock_down(
            engine, [Path(str(p.get("path") or p.get("database"))) for p in source_tables.places.values()], [folder]
        )
        for name, table in tables.items():
            if name == unit or table.config.link is not None:
                config = released_alone(table, source_tables, None)
                if name == unit:
                    of_persons = _read_for_persons(engine, tables, table, is_searched=is_searched)
                    joined = JoinedTables(engine, loaded, of_persons, only_texts=False)
                    config = joined.joined_persons(config, folder)
                alone[name] = without_columns(config, _incomparable(loaded, table))
    return alone


def _read_for_persons(
    engine: Engine, tables: dict[str, OpenTable], unit: OpenTable, *, is_searched: bool
) -> dict[str, OpenTable]:
    """The tables that are joined to the persons, those of values that they hold only where these are searched."""
    if not is_searched:
        return {**tables, unit.name: replace(unit, config=replace(unit.config, held={}))}
    return {**tables, **read_tables(engine, tables)} if unit.config.held else dict(tables)


def _incomparable(loaded: LoadedDatabase, table: OpenTable) -> set[str]:
    """Keys, whose values are others in the release, and dates of which distances are released."""
    names = [col.name for col in table.source.columns]
    link = table.config.link
    return {
        *loaded.key_names(table.config, names),
        *([link.column] if link is not None else []),
        *table.config.since,
    }
