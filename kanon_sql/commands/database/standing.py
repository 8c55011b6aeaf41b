"""Tables of a database as they stand, read for counting: persons with their quasi-identifiers, and whose each row is.

The statements share nothing with the search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from sqlglot import exp

from kanon_sql.commands.database.tables import OpenTable
from kanon_sql.config.database import LoadedDatabase
from kanon_sql.config.database_table import TableConfig
from kanon_sql.source.columns import null_for, present
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.template import column


def with_present_keys(loaded: LoadedDatabase, table: TableConfig, source: Source) -> Source:
    """A table of the source in which keys that are missing by their texts are NULL, as a run reads them: they join
    nothing. In a release they are NULL already, and a new key may be written as such a text is.
    """
    names = loaded.key_names(table, [col.name for col in source.columns])
    texts = [col for col in source.columns if col.name in names and col.is_text and source.missing]
    if not texts:
        return source
    read = [exp.alias_(present(source, col.name), col.key, quoted=True) for col in texts]
    relation = exp.select(exp.Star(replace=read)).from_(source.relation.copy().subquery("standing"))
    return replace(source, relation=relation)


def quasi_identifiers(loaded: LoadedDatabase) -> list[str]:
    """The quasi-identifiers of persons; those that stand in another table are called TABLE.COLUMN."""
    assert loaded.unit.loaded is not None
    return [name for name in loaded.unit.loaded.config.quasi_identifiers if name != loaded.config.unit.key]


def class_columns(loaded: LoadedDatabase) -> dict[str, str]:
    """The columns of `person_classes` by the quasi-identifiers that they hold."""
    return {name: f"known_{position}" for position, name in enumerate(quasi_identifiers(loaded))}


def person_classes(
    loaded: LoadedDatabase, written: Mapping[str, Source], value: Callable[[Source, str, str], exp.Expr]
) -> exp.Select:
    """SELECT of the persons in tables as they stand, with their quasi-identifiers, wherever these stand: (person, and
    the columns that `class_columns` names).

    `value` gives a column of a table that goes by the name it is given.
    """
    unit = written[loaded.config.unit.table]
    statement = exp.select(exp.alias_(text_of(unit, loaded.config.unit.key, "written"), "person"))
    statement = statement.from_(unit.relation.copy().subquery("written"))
    columns, joined = class_columns(loaded), loaded.joined
    for name, alias in columns.items():
        if name not in joined:
            statement = statement.select(exp.alias_(value(unit, name, "written"), alias), copy=False)
    for table, source, there in join_to_persons(statement, loaded, written):
        for name in table.joined:
            held = exp.alias_(value(source, name, there), columns[table.joined_name(name)])
            statement = statement.select(held, copy=False)
    return statement


def join_to_persons(
    statement: exp.Select, loaded: LoadedDatabase, written: Mapping[str, Source]
) -> Iterator[tuple[TableConfig, Source, str]]:
    """Joins to the persons, who are called `written` in a statement, the tables with quasi-identifiers of theirs; each
    of them with the name that it has there.
    """
    unit = written[loaded.config.unit.table]
    for position, table in enumerate(table for table in loaded.tables.values() if table.via is not None):
        assert table.via is not None
        source, there = written[table.name], f"joined_{position}"
        own_row = exp.EQ(
            this=text_of(unit, table.via.column, "written"), expression=text_of(source, table.via.key, there)
        )
        statement.join(source.relation.copy().subquery(there), on=own_row, join_type="left", copy=False)
        yield table, source, there


def joined_persons(loaded: LoadedDatabase, written: Mapping[str, Source]) -> Source:
    """The persons of tables as they stand, with their quasi-identifiers, wherever these stand."""
    unit = written[loaded.config.unit.table]
    statement = exp.select(*(exp.alias_(column(col.key, "written"), col.key) for col in unit.columns))
    statement = statement.from_(unit.relation.copy().subquery("written"))
    columns = list(unit.columns)
    for table, source, there in join_to_persons(statement, loaded, written):
        for name in table.joined:
            held = source.column(name)
            key = f"{there}_{held.key}"
            statement = statement.select(exp.alias_(column(held.key, there), key), copy=False)
            columns.append(Column(table.joined_name(name), key, held.type))
    files = tuple(dict.fromkeys(path for source in written.values() for path in source.files))
    return replace(unit, relation=statement, columns=tuple(columns), files=files)


def owners_of(tables: Mapping[str, OpenTable], written: Mapping[str, Source], table: OpenTable) -> exp.Select:
    """SELECT of the person of each row of a table, whose columns are those of `facts_of`."""
    owner, joins = _way_to_person(tables, written, table, "facts_of")
    statement = exp.select(exp.alias_(owner, "person"))
    statement = statement.from_(written[table.name].relation.copy().subquery("facts_of"))
    for joined, condition in joins:
        statement = statement.join(joined, on=condition, copy=False)
    return statement


def _way_to_person(
    tables: Mapping[str, OpenTable], written: Mapping[str, Source], table: OpenTable, name: str
) -> tuple[exp.Expr, list[tuple[exp.Subquery, exp.Expr]]]:
    """(the key of a row's person, the joins that lead to it)."""
    joins: list[tuple[exp.Subquery, exp.Expr]] = []
    here, link, source = name, table.config.link, written[table.name]
    while link is not None and link.through is not None:
        own = text_of(source, link.column, here)
        source, here = written[link.through], f"owner_{len(joins)}"
        condition = exp.EQ(this=own, expression=text_of(source, link.column, here))
        joins.append((source.relation.copy().subquery(here), condition))
        link = tables[link.through].config.link
    assert link is not None
    return text_of(source, link.column, here), joins


def text_of(source: Source, name: str, table: str | None = None) -> exp.Expr:
    """A value as text, NULL where it is missing."""
    key = source.column(name).key
    value: exp.Expr = column(key) if table is None else column(key, table)
    return exp.cast(null_for(value, ("",) if source.only_texts else ()), "VARCHAR")


def texts_of(source: Source, named: list[tuple[str, str]]) -> exp.Select:
    """SELECT of columns of a table as texts, NULL where they are missing."""
    values = [exp.alias_(text_of(source, name, "written"), alias, quoted=True) for name, alias in named]
    return exp.select(*values).from_(source.relation.copy().subquery("written"))
