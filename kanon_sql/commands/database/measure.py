"""`kanon-sql check` and `risk` of a whole database of persons, as it stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.commands.database.held_counts import count_held
from kanon_sql.commands.database.joined import several_rows
from kanon_sql.commands.database.keys import homes
from kanon_sql.commands.database.own_models import count_own, with_held
from kanon_sql.commands.database.places import open_places
from kanon_sql.commands.database.recount import (
    confidence_of,
    list_written_facts,
    persons_with_several,
    recount_tables,
)
from kanon_sql.commands.database.standing import (
    class_columns,
    person_classes,
    quasi_identifiers,
    with_present_keys,
)
from kanon_sql.commands.database.tables import OpenTable, meant_in, open_as_it_stands, refuse_lacking
from kanon_sql.config.database import DatabaseSource, LoadedDatabase
from kanon_sql.errors import ConfigurationError
from kanon_sql.recount.facts import count_exposed, count_persons, draw_known
from kanon_sql.report.call import Call
from kanon_sql.report.report import Json
from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Source
from kanon_sql.source.opening import read_source_columns
from kanon_sql.source.tables import SourceTables
from kanon_sql.sql.connection import Engine, lock_down, open_engine
from kanon_sql.sql.template import column

if TYPE_CHECKING:
    from kanon_sql.results.attack import FactsDrawn

_MORE_KNOWN = 2  # facts that attackers know beyond those that are promised
_MOST_KNOWN = 3  # facts that the risk is counted for


def check_database(loaded: LoadedDatabase, data: Path | None, call: Call) -> Json:
    """The report of a check of the source, or of the folder or database `data`: its status is satisfied or violated.

    Raises ConfigurationError for tables and columns that are not there, EngineError for what cannot be read.
    """
    with call.step("check", "counting"), _opened(loaded, _place(loaded, data), call) as (engine, tables):
        written = {name: table.source for name, table in tables.items()}
        recount = recount_tables(engine, loaded, tables, written, homes(engine, loaded, tables))
        own = count_own(engine, loaded, written)
    problems = [*recount.problems, *own.problems]
    known = loaded.config.facts
    facts: Json | None = None
    if known is not None:
        facts = {"known": known.known, "with": known.among, "required": loaded.k, "actual": recount.facts}
        facts |= confidence_of(loaded, recount)
    return {
        "status": "violated" if problems else "satisfied",
        "database": str(data or loaded.config.source.label),
        "persons": {"measured": recount.persons.persons},
        "tables": {name: {"rows": rows} for name, rows in recount.rows.items()},
        "quasi_identifiers": quasi_identifiers(loaded),
        "classes": {"count": recount.persons.classes, "min": recount.persons.least},
        "privacy": {
            "k": {"required": loaded.k, "actual": recount.persons.least},
            **with_held(loaded, own.entries, recount.models),
        },
        "facts": facts,
        "keys": {"columns": recount.keys},
        "violations": problems,
        "warnings": own.warnings,
        "seconds": call.watch.report(),
    }


def risk_database(loaded: LoadedDatabase, call: Call) -> Json:
    """How many persons are told apart by their quasi-identifiers, and by 1, 2 or 3 facts: before, and after where the
    target is there. Raises ConfigurationError and EngineError.
    """
    before = _risk(loaded, loaded.config.source, call)
    with open_places(loaded, call.options) as places:
        released = places.release()
    after = None if released is None else _risk(loaded, released, call)
    report = {
        "status": "measured",
        "k": loaded.k,
        "source": before,
        "release": after,
        "warnings": [],
        "seconds": call.watch.report(),
    }
    return call.write(report)


def _risk(loaded: LoadedDatabase, place: DatabaseSource, call: Call) -> Json:
    with call.step("risk", "counting"), _opened(loaded, place, call) as (engine, tables):
        written = {name: table.source for name, table in tables.items()}
        for table, several in persons_with_several(engine, loaded, written):
            if several:  # whose rows a join would count several times
                raise several_rows(loaded, table, several)
        classes = person_classes(loaded, written, _normalized)
        persons = count_persons(engine, classes, list(map(column, class_columns(loaded).values())), loaded.k)
        exposed = []
        if list_written_facts(engine, loaded, tables, written):
            exposed = count_exposed(engine, _MOST_KNOWN, loaded.k)
        models, _ = count_held(engine, loaded, tables, written, None)
    n = max(persons.persons, 1)
    return {
        "database": place.label,
        "persons": persons.persons,
        "quasi_identifiers": {
            "below_k": persons.below_k,
            "share": persons.below_k / n,
            "alone": persons.alone,
            "smallest_class": persons.least,
        },
        "privacy": models,
        "facts": [
            {"known": known, "below_k": below_k, "share": below_k / n, "alone": alone}
            for known, (below_k, alone) in enumerate(exposed, 1)
        ],
    }


def draw_facts(loaded: LoadedDatabase, place: DatabaseSource, attacks: int, seed: int, call: Call) -> list[FactsDrawn]:
    """What facts that are drawn of persons tell in a place, of one fact to two more than `facts.known`; nothing where
    no table tells facts. Raises ConfigurationError and EngineError.
    """
    known = loaded.config.facts
    if known is None:
        return []
    entries: list[FactsDrawn] = []
    with call.step("attack", "drawing facts"), _opened(loaded, place, call) as (engine, tables):
        written = {name: table.source for name, table in tables.items()}
        for table, several in persons_with_several(engine, loaded, written):
            if several:
                raise several_rows(loaded, table, several)
        if not list_written_facts(engine, loaded, tables, written):
            return []
        for number in range(1, known.known + _MORE_KNOWN + 1):
            persons, alone, below_k, chance = draw_known(engine, number, attacks, seed, loaded.k)
            entries.append({"known": number, "persons": persons, "alone": alone, "below_k": below_k, "chance": chance})
    return entries


def _normalized(source: Source, name: str, table: str) -> exp.Expr:
    """A value of a table, NULL where the configuration reads it so."""
    col = source.column(name)
    return null_for(column(col.key, table), source.missing if col.is_text else ())


def _place(loaded: LoadedDatabase, data: Path | None) -> DatabaseSource:
    if data is None:
        return loaded.config.source
    path = str(data.absolute())
    return DatabaseSource(path=path) if data.is_dir() else DatabaseSource(database=path)


def _gone_through(loaded: LoadedDatabase) -> dict[str, set[str]]:
    """By table its columns that rows go through to persons whose facts or values are counted."""
    counted = {held.table for held in loaded.unit.held.values()}
    if loaded.config.facts is not None and loaded.config.facts.confidence is not None:
        counted |= loaded.sensitive.keys()
    columns: dict[str, set[str]] = {}
    for table in loaded.tables.values():
        link = table.link if table.facts or table.name in counted else None
        while link is not None and link.through is not None:
            columns.setdefault(link.through, set()).add(link.column)
            link = loaded.tables[link.through].link
    return columns


@contextmanager
def _opened(loaded: LoadedDatabase, place: DatabaseSource, call: Call) -> Iterator[tuple[Engine, dict[str, OpenTable]]]:
    """The tables that are released, as they stand in a place."""
    with open_places(loaded, call.options) as places:
        source_tables = places.list_tables(place)
        refuse_lacking(loaded, loaded.tables, place, source_tables)
        places.fetch(place, source_tables, loaded.tables.keys())
        with _read(loaded, source_tables, call, is_source=place == loaded.config.source) as opened:
            yield opened


@contextmanager
def _read(
    loaded: LoadedDatabase, source_tables: SourceTables, call: Call, *, is_source: bool
) -> Iterator[tuple[Engine, dict[str, OpenTable]]]:
    """The tables with their columns as they are. Raises ConfigurationError for columns that are not there."""
    with open_engine(call.options) as engine:
        tables: dict[str, OpenTable] = {}
        problems: list[str] = []
        gone_through = _gone_through(loaded)
        for name, table in loaded.tables.items():
            source = open_as_it_stands(engine, loaded, source_tables, table)
            names = [col.name for col in source.columns]
            counted = {held.column for held in loaded.unit.held.values() if held.table == name}
            if table.loaded is not None and counted and counted.issubset(names):
                # Texts that stand for one number or date are one value.
                source = read_source_columns(source, table.loaded.as_it_stands(counted))
            needed = [*table.facts, *([table.link.column] if table.link else [])]
            if loaded.config.facts is not None and loaded.config.facts.confidence is not None:
                needed += loaded.sensitive.get(name, ())
            needed += counted
            needed += gone_through.get(name, ())
            needed += [*table.joined, *([table.via.key] if table.via else [])]
            if table.is_unit:
                needed += [loaded.config.unit.key, *loaded.shared]
                needed += [own for own in quasi_identifiers(loaded) if own not in loaded.joined]
            problems += [
                f"{loaded.place('tables', name)}: {source.label} has no column {wanted!r}; "
                f"{meant_in(source, wanted) or 'correct the configuration'}"
                for wanted in dict.fromkeys(needed)
                if wanted not in names
            ]
            if is_source:
                source = with_present_keys(loaded, table, source)
            keys = {held: source.column(held) for held in loaded.key_names(table, names) if held in names}
            tables[name] = OpenTable(table, source, source.columns, keys)
        if problems:
            raise ConfigurationError(problems)
        lock_down(engine, [Path(str(p.get("path") or p.get("database"))) for p in source_tables.places.values()], [])
        yield engine, tables
