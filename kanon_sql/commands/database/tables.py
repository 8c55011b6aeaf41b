"""The tables of a database, opened: the person of each row, dates moved, and the facts that a table tells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.commands.run.warnings import guard
from kanon_sql.config.database import DatabaseSource, LoadedDatabase
from kanon_sql.config.database_table import TableConfig, with_keys, without_joined
from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.messages import near
from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, KanonError
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn, Hierarchies
from kanon_sql.hierarchy.mapping import build_mapping, uncovered, uncovered_examples
from kanon_sql.search.facts.levels import FactColumn, FactTable
from kanon_sql.search.prepare import load_hierarchies
from kanon_sql.settings.columns import directives
from kanon_sql.settings.source import SourceConfig
from kanon_sql.settings.treatments import ShiftConfig, TreatmentConfig
from kanon_sql.source.columns import counted_values, distinct_values, null_for, present, refuse_misfits
from kanon_sql.source.days import as_day, date_format, iso_text
from kanon_sql.source.duckdb import opened
from kanon_sql.source.model import Column, Source
from kanon_sql.source.opening import open_described, read_source_columns
from kanon_sql.source.roles import Roles, assign_roles
from kanon_sql.source.tables import SourceTables
from kanon_sql.source.treatments.applying import refuse_outside, treat_columns
from kanon_sql.source.treatments.lookups import with_lookups
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import copy
from kanon_sql.sql.template import Fill, Item, column, fill, quoted, state

_ROOM = "commands/database"
DAYS = "database_days"  # by `state` where it is used
_ANY_DAY = "2000-06-15"


@dataclass(frozen=True)
class OpenTable:
    """A table of the source: its columns as they are read and treated, and which of them are released.

    `keys` are the columns that join it with others, by the keys' names; `rows` its rows with the person of each.
    """

    config: TableConfig
    source: Source
    columns: tuple[Column, ...]  # those that are released, in their order
    keys: Mapping[str, Column]  # by the name of the column
    loaded: LoadedConfig | None = None
    roles: Roles | None = None
    rows: exp.Select | None = None
    facts: FactTable | None = None
    warnings: tuple[str, ...] = field(default=(), compare=False)
    # Of columns of distances the table (person, origin), and the column as it is read: a date.
    origins: Mapping[str, tuple[str, Column]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name in the configuration."""
        return self.config.name

    def linked(self) -> exp.Select:
        """Its rows with the person of each."""
        assert self.rows is not None
        return self.rows

    def value(self, col: Column) -> exp.Expr:
        """A column of its rows."""
        return column(col.key, "table_rows")


def tells_persons(tables: Mapping[str, OpenTable], table: OpenTable) -> bool:
    """Whether whoever has the release can say to whom the rows of a table belong: all keys on the way are released."""
    link = table.config.link
    while link is not None:
        if link.column not in [col.name for col in table.columns]:
            return False
        if link.through is None:
            return True
        table = tables[link.through]
        if link.column not in [col.name for col in table.columns]:
            return False
        link = table.config.link
    return False


def place_of(source_tables: SourceTables, table: TableConfig) -> Mapping[str, Any]:
    """Where a table is, as a configuration of one table says it, with what is said of its columns."""
    said: dict[str, Any] = {}
    if table.loaded is not None:
        given = table.loaded.config.source.model_dump(exclude_unset=True)
        said = {name: part for name, part in given.items() if name not in ("path", "database", "table", "query")}
    return {**said, **source_tables.places[table.name]}


def open_as_it_stands(
    engine: Engine, loaded: LoadedDatabase, source_tables: SourceTables, table: TableConfig
) -> Source:
    """A table with its columns as they are; texts that mean missing are those of the configuration."""
    said = {} if table.loaded is None else table.loaded.config.source.model_dump(exclude_unset=True)
    options = {key: said[key] for key in ("csv", "missing", "encoding") if key in said}
    described = SourceConfig.model_validate({**options, **source_tables.places[table.name]})
    return open_described(engine, described, Path(), [], loaded.place("tables", table.name))


def refuse_lacking(
    loaded: LoadedDatabase, names: Collection[str], place: DatabaseSource, source_tables: SourceTables
) -> None:
    """Raises ConfigurationError with all tables of these names that a place does not have."""
    lacking = [name for name in names if name not in source_tables.places]
    if lacking:
        raise ConfigurationError(
            f"{loaded.place('tables', name)}: {place.label} has no table {name!r}; name a database that has it"
            for name in lacking
        )


def open_tables(
    engine: Engine, loaded: LoadedDatabase, source_tables: SourceTables, names: Collection[str] | None = None
) -> dict[str, OpenTable]:
    """All tables but those that are dropped, or those of `names`. Raises ConfigurationError with all their problems."""
    tables: dict[str, OpenTable] = {}
    problems: list[str] = []
    for table in loaded.tables.values():
        if names is not None and table.name not in names:
            continue
        try:
            tables[table.name] = _open(engine, loaded, source_tables, table)
        except KanonError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return tables


def _open(engine: Engine, loaded: LoadedDatabase, source_tables: SourceTables, table: TableConfig) -> OpenTable:
    described = SourceConfig.model_validate(dict(place_of(source_tables, table)))
    source = open_described(engine, described, Path(), [], loaded.place("tables", table.name))
    names = [col.name for col in source.columns]
    keys = loaded.key_names(table, names)
    if table.loaded is None:
        if loaded.config.unit.key in names:
            raise ConfigurationError(
                f"{loaded.place('tables', table.name)}: table {table.name!r} has the key of persons, "
                f"{loaded.config.unit.key!r}; give its columns roles, or drop it"
            )
        return OpenTable(table, source, source.columns, {name: source.column(name) for name in keys})
    if table.link is not None and table.link.column not in names:
        place, column_of_link = loaded.place("tables", table.name, "link"), table.link.column
        how = meant_in(source, column_of_link) or (
            "say how its rows find their person, as link: COLUMN or {COLUMN: TABLE}"
        )
        raise ConfigurationError(f"{place}: table {table.name!r} has no column {column_of_link!r}; {how}")
    if table.is_unit:
        _refuse_lacking_key(loaded, source)
        _refuse_led_by_others(loaded, names)
    own = with_keys(table, [*keys, *([] if table.link is None else [table.link.column])], names)
    alone = without_joined(own, loaded.joined) if table.is_unit else own
    source = read_source_columns(source, alone)
    roles = assign_roles(source, alone)
    dropped = {*own.config.identifiers} | ({table.link.column} - keys.keys() if table.link is not None else set())
    columns = tuple(col for col in roles.released if col.name not in dropped)
    held = {name: source.column(name) for name in keys if name not in dropped}
    _refuse_untold_rows(loaded, table, columns, held)
    return OpenTable(table, source, columns, held, own, roles)


def meant_in(source: Source, name: str) -> str | None:
    """The question whether a column was meant that is called nearly so; None where there is none. Of a file whose first
    row may be data only what is nearly the same is shown.
    """
    meant = near(name, sorted(col.name for col in source.columns), 0.8 if source.only_texts else 0.6)
    return f"did you mean {meant!r}?" if meant else None


def _refuse_lacking_key(loaded: LoadedDatabase, source: Source) -> None:
    """Raises ConfigurationError where the table of persons has no column that tells them apart."""
    unit = loaded.config.unit
    if unit.key not in [col.name for col in source.columns]:
        how = meant_in(source, unit.key) or "name the column that tells persons apart"
        raise ConfigurationError(
            f"{loaded.place('unit', 'key')}: table {unit.table!r} has no column {unit.key!r}; {how}"
        )


def _refuse_led_by_others(loaded: LoadedDatabase, names: Collection[str]) -> None:
    """Raises ConfigurationError for tables of quasi-identifiers to which no column of the table of persons leads."""
    unit = loaded.config.unit.table
    problems = [
        f"{loaded.place('tables', other.name, 'via')}: table {unit!r} has no column {led!r}, by which persons find "
        f"their row of {other.name!r}; a table that only another table leads to is not joined: take its columns into "
        f"that table, or into {unit!r}"
        for led, other in loaded.shared.items()
        if led not in names
    ]
    if problems:
        raise ConfigurationError(problems)


def _refuse_untold_rows(
    loaded: LoadedDatabase, table: TableConfig, columns: Sequence[Column], keys: Collection[str]
) -> None:
    """Raises ConfigurationError where persons would not find their row of a table of quasi-identifiers, and for what
    would tell rows apart that are released as one.
    """
    led = [col for col in loaded.shared if table.is_unit and col not in keys]
    if led:
        raise ConfigurationError(
            f"{loaded.place('tables', table.name)}: {', '.join(map(repr, led))} leads persons to quasi-identifiers of "
            "other tables, and must be a column that is released with a new key; take it out of the lists"
        )
    if table.via is None:
        return
    place = loaded.place("tables", table.name)
    if table.via.key not in keys:
        raise ConfigurationError(
            f"{place}: table {table.name!r} releases no column {table.via.key!r}, by which persons find their row; "
            "correct via, or take it out of the lists"
        )
    others = [col.name for col in columns if col.name not in (table.via.key, *table.joined)]
    if table.via.column in loaded.shared and others:
        raise ConfigurationError(
            f"{place}: rows of {table.name!r} with the same quasi-identifiers are released as one, and "
            f"{', '.join(map(repr, others[:20]))} would tell them apart; make these quasi-identifiers too, or drop them"
        )


def read_tables(engine: Engine, tables: Mapping[str, OpenTable]) -> dict[str, OpenTable]:
    """The tables with their treatments computed, and what looks like an identifier in them warned of."""
    return {
        # Those with quasi-identifiers of persons are read before these.
        name: table if table.loaded is None or table.config.is_unit or table.config.via else read_table(engine, table)
        for name, table in tables.items()
    }


def read_table(engine: Engine, table: OpenTable) -> OpenTable:
    """A table with its treatments computed, and what looks like an identifier in it warned of."""
    source = with_lookups(engine, table.source)
    refuse_misfits(engine, source.untreated or source)
    refuse_outside(source)
    assert table.loaded is not None
    assert table.roles is not None
    warnings = guard(engine, table.loaded, source, table.roles)
    return replace(table, source=source, warnings=tuple(f"table {table.name!r}: {text}" for text in warnings))


def find_days(engine: Engine, loaded: LoadedDatabase, persons: str) -> None:
    """Makes the table DAYS (person, moved_by): by how many days the dates of each of the `persons` move."""
    shift = loaded.config.shift
    assert shift is not None
    assert loaded.unit.loaded is not None
    day, key = exp.cast(exp.Literal.string(_ANY_DAY), "DATE"), column("key")
    table = state("database_a_day")
    rows = exp.select(exp.alias_(key, "key"), exp.alias_(day, "day")).from_(exp.Table(this=quoted(persons)))
    engine.run(copy(table, rows.subquery("days")))
    source = opened(engine, exp.Table(this=quoted(table)), "days", "days", ())
    treatment = TreatmentConfig(shift=ShiftConfig(days=shift.days, by="key", key=shift.key, weeks=shift.weeks))
    config = loaded.unit.loaded.config.model_copy(update={"transform": {"day": treatment}})
    shifted = with_lookups(engine, treat_columns(source, replace(loaded.unit.loaded, config=config)))
    names: dict[str, Fill] = {
        "days": state(DAYS),
        "source": shifted.relation,
        "persons": persons,
        "person_key": column(shifted.column("key").key, "source"),
        "day_key": column(shifted.column("day").key, "source"),
    }
    engine.query(f"{_ROOM}/days", names=names, values={"day": _ANY_DAY})


def linked_rows(engine: Engine, table: OpenTable, links: str, days: int | None) -> exp.Select:
    """The rows of a table with the person of each, by the table `links` (key, person), and its dates moved by at most
    so many `days`.
    """
    assert table.config.link is not None
    moving = set(table.config.dates)
    if moving:
        assert days is not None
        refuse_dates(engine, table, table.config.dates)
        _refuse_formats(table)
        _refuse_far_dates(engine, table, days)
    items: list[Item] = []
    for col in table.source.columns:
        value: exp.Expr = column(col.key, "source")
        if col.name in moving:
            value = _moved(value, col)
        elif col.name in table.origins:
            value = _distance(value, col, table.source.missing, *table.origins[col.name])
        items.append({"key": col.key, "value": value})
    names: dict[str, Fill] = {
        "source": table.source.relation,
        "links": links,
        "link_key": present(table.source, table.config.link.column, "source"),
    }
    if moving:
        names["days"] = state(DAYS)
    lists: dict[str, list[Item]] = {"own": items, "since": [{"origins": name} for name, _ in table.origins.values()]}
    statement = fill(f"{_ROOM}/{'shifted' if moving else 'linked'}", names=names, lists=lists)
    assert isinstance(statement, exp.Select)
    return statement


def _moved(value: exp.Expr, col: Column) -> exp.Expr:
    """A date or timestamp moved by the days of its person; of a text the first ten characters are the date."""
    days = exp.cast(column("moved_by", state(DAYS)), "INTEGER")
    written = date_format(col)
    if written is not None:
        read = exp.Anonymous(this="try_strptime", expressions=[value, exp.Literal.string(written)])
        return exp.Anonymous(this="strftime", expressions=[_later(read, days), exp.Literal.string(written)])
    if col.is_text:
        day = exp.TryCast(
            this=exp.Substring(this=value, start=exp.Literal.number(1), length=exp.Literal.number(10)), to=_type("DATE")
        )
        moved = exp.cast(exp.Add(this=day, expression=days), "VARCHAR")
        rest = exp.Substring(this=value.copy(), start=exp.Literal.number(11))
        return exp.DPipe(this=moved, expression=rest)
    if col.type == "DATE":
        return exp.Add(this=value, expression=days)
    if col.type == "TIMESTAMP WITH TIME ZONE":
        # In UTC every day has 24 hours, wherever this machine is.
        there = exp.AtTimeZone(this=value, zone=exp.Literal.string("UTC"))
        return exp.AtTimeZone(this=exp.paren(_later(there, days)), zone=exp.Literal.string("UTC"))
    return exp.cast(_later(value, days), col.type, dialect="duckdb")


def _later(moment: exp.Expr, days: exp.Expr) -> exp.Add:
    return exp.Add(this=moment, expression=exp.Anonymous(this="to_days", expressions=[days]))


def _distance(value: exp.Expr, col: Column, missing: Sequence[str], origins: str, read: Column) -> exp.Expr:
    """The days from the origin of the row's person; `read` is the column as a date."""
    day = as_day(null_for(value, missing if read.is_text else ()), read)
    days = exp.Sub(this=day, expression=column("origin", origins))
    return exp.cast(exp.paren(days), col.type if col.is_text else "BIGINT")


def _type(name: str) -> exp.DataType:
    return exp.DataType.build(name)


def refuse_dates(engine: Engine, table: OpenTable, dates: Sequence[str]) -> None:
    """Raises ConfigurationError where columns that must hold dates hold something else."""
    problems = []
    texts: list[Item] = []
    place = f"table {table.name!r}"
    for name in dates:
        col = table.source.column(name)
        if col.is_text:
            texts.append({"text": iso_text(present(table.source, name), col), "key": col.key})
        elif col.type != "DATE" and not col.type.startswith("TIMESTAMP"):
            problems.append(
                f"{place}: column {name!r} is of type {col.type[:40]}, which is no date; name it as one no more"
            )
    if texts:
        names: dict[str, Fill] = {"source": table.source.relation}
        counts = engine.query(f"{_ROOM}/unread_dates", names=names, lists={"day": texts})[0][0]
        text_names = [name for name in dates if table.source.column(name).is_text]
        problems += [
            f"{place}: column {name!r} holds {count:,} texts that do not begin with a date such as 2024-02-29; name "
            "those that mean no date in source.missing, or give the column a format in source.columns"
            for name, count in zip(text_names, counts, strict=True)
            if count
        ]
    if problems:
        raise ConfigurationError(problems)


def _refuse_far_dates(engine: Engine, table: OpenTable, days: int) -> None:
    """Raises ConfigurationError for dates such as 9999-12-31, which would tell by how many days others moved."""
    columns = [table.source.column(name) for name in table.config.dates]
    first, last = date(1, 1, 1) + timedelta(days), date(9999, 12, 31) - timedelta(days)
    counts = engine.query(
        f"{_ROOM}/far_dates",
        names={"source": table.source.relation},
        lists={"day": [{"value": as_day(present(table.source, col.name), col), "key": col.key} for col in columns]},
        values={"first": first.isoformat(), "last": last.isoformat()},
    )[0][0]
    problems = [
        f"table {table.name!r}: column {col.name!r} holds {count:,} dates within {days} days of the first or the last "
        "date that there is, and could be moved beyond it; name those that mean no date in source.missing, or mend them"
        for col, count in zip(columns, counts, strict=True)
        if count
    ]
    if problems:
        raise ConfigurationError(problems)


def _refuse_formats(table: OpenTable) -> None:
    """Raises ConfigurationError for formats in which a date cannot be moved: without a day, or of several centuries."""
    formats = {name: date_format(table.source.column(name)) for name in table.config.dates}
    problems = [
        f"table {table.name!r}: dates of column {name!r} written as {written!r} cannot move; expected a format with a "
        "day (%d) and a year of four digits (%Y), or a column of dates"
        for name, written in formats.items()
        if written is not None and not {"d", "Y"}.issubset(directives(written))
    ]
    if problems:
        raise ConfigurationError(problems)


def read_facts(engine: Engine, table: OpenTable, first_column: int, first_leaf: int) -> FactTable:
    """Makes the hierarchies of a table's facts, and its facts as they are; `first_...` are those of other tables."""
    assert table.loaded is not None
    hierarchies: Hierarchies = load_hierarchies(table.loaded, show_values=engine.show_values)
    columns: list[FactColumn] = []
    for i, name in enumerate(table.config.facts):
        columns.append(_fact_column(engine, table, first_column + i, name, hierarchies))
    leaves = state(f"facts_leaves_{first_column}")
    facts = FactTable(table.name, tuple(columns), leaves, first_leaf)
    names: dict[str, Fill] = {"leaves": leaves, "table_rows": table.linked()}
    lists = {"fact": fact_items(table, facts)}
    engine.query(f"{_ROOM}/leaves", names=names, lists=lists, values={"first": first_leaf})
    return facts


def fact_items(table: OpenTable, facts: FactTable) -> list[Item]:
    """The columns of facts for the query files."""
    return [
        {"mapping": c.mapping.table, "key": table.source.column(name).key, "code": f"code_{i}"}
        for i, (name, c) in enumerate(zip(table.config.facts, facts.columns, strict=True))
    ]


def _fact_column(engine: Engine, table: OpenTable, index: int, name: str, hierarchies: Hierarchies) -> FactColumn:
    assert table.loaded is not None
    spec, hierarchy = hierarchies[name]
    col, rows = table.source.column(name), table.linked()
    place = table.loaded.place("quasi_identifiers", name)
    distinct = distinct_values(rows, col)
    missing = table.source.missing if col.is_text else ()
    counted = counted_values(rows, col, weighted=False)
    mapping = build_mapping(
        engine, GeneralizedColumn(index, col, spec, distinct, hierarchy, missing, None, place, counted)
    )
    count = uncovered(engine, mapping, distinct)
    if count:
        shown = (
            f" ({', '.join(map(repr, uncovered_examples(engine, mapping, distinct)))} ...)"
            if engine.show_values
            else ""
        )
        raise ConfigurationError(
            f"{place}: {count:,} values of column {name!r} of table {table.name!r} are not in its hierarchy{shown}; "
            "add rows for them"
        )
    return FactColumn(f"{table.name}.{name}", mapping)


def released_alone(table: OpenTable, source_tables: SourceTables, to: Path | None) -> LoadedConfig:
    """The configuration of a run of a table alone, whose release lies in a file of the program's own, or nowhere."""
    assert table.loaded is not None
    config = table.loaded.config
    source = config.source.model_copy(update={"path": None, **source_tables.places[table.name]})
    target = None if to is None else TargetConfig.model_validate({"path": str(to)})
    update = {"source": source, "target": target}
    return replace(table.loaded, config=config.model_copy(update=update))
