"""What joins the tables of a database: whose rows are the persons, and how the rows of each table find theirs.

A key is a column of which each row has a value of its own. The table of persons is the one whose key other tables
name, under the same name or one that numbers something, and that names no key of persons itself; of several the one
that is called like persons, then the one that most tables lead to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.commands.init.persons import is_called_number, is_called_person
from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column

_INCLUDED = 0.9  # of the values of a link that are values of the key: some rows of real databases are orphans
_TEXTS = ("VARCHAR", "UUID")
_ABOUT = 0.7  # of the rows, which a key has at least by an estimate of its different values
_LEAST = 2  # different values, below which a column leads nowhere


@dataclass(frozen=True, order=True)
class KeyColumn:
    """A column of a table of which each row has a value of its own, `different` of them."""

    table: str
    column: str
    different: int


@dataclass(frozen=True)
class Joins:
    """The table of persons with its key, and for each table that leads to it the column of its link.

    A link goes to the persons' key, or `through` another table by that table's key, of the same name. `keys` are those
    that links go through, and other keys of released tables that tables name.
    """

    unit: KeyColumn
    links: Mapping[str, tuple[str, str | None]]
    keys: Sequence[KeyColumn]
    # The tables without persons whose key a column of a table names: by table and column.
    lists: Mapping[tuple[str, str], KeyColumn]


def find_joins(engine: Engine, sources: Mapping[str, Source], said: str | None = None) -> Joins | None:
    """What joins the tables; None where no table is that of persons. Their key may be `said`."""
    keys = [key for name, source in sources.items() for key in _keys_of(engine, name, source)]
    reader = _Inclusion(engine, sources)
    unit, direct = _unit(reader, keys, said)
    if unit is None:
        return None
    links: dict[str, tuple[str, str | None]] = {name: (link, None) for name, link in direct.items()}
    homes = _homes([key for key in keys if key.column != unit.column])
    waiting = [unit.table, *direct]
    while waiting:
        table = waiting.pop(0)
        for key in (homes[name] for name in sorted(homes) if homes[name].table == table and table != unit.table):
            for other in sources:
                if other not in links and other != unit.table and reader.leads(other, key.column, key):
                    links[other] = (key.column, table)
                    waiting.append(other)
    released = {unit.table, *links}
    used = [
        key
        for key in homes.values()
        if key.table in links and any(reader.leads(other, key.column, key) for other in released if other != key.table)
    ]
    lists = {
        (table, col.name): key
        for key in homes.values()
        if key.table not in released
        for table in sorted(released)
        for col in sources[table].columns
        if _may_name(col, key, sources) and reader.leads(table, col.name, key)
    }
    return Joins(unit, links, sorted(used), lists)


def _keys_of(engine: Engine, name: str, source: Source) -> list[KeyColumn]:
    """The columns of a table that may be keys: each row has a value, and another one."""
    columns = [col for col in source.columns if _may_be_key(col)]
    total = 0
    for file, least in (("key_estimates", _ABOUT), ("key_counts", 1.0)):
        if not columns:
            break
        items: list[Item] = [{"value": _value(source, col)} for col in columns]
        names = {"table_rows": source.relation}
        total, present, different = engine.query(f"commands/init/{file}", names=names, lists={"key": items})[0]
        columns = [
            col
            for col, rows, values in zip(columns, present, different, strict=True)
            if total >= _LEAST and rows == total and values >= least * total
        ]
    return [KeyColumn(name, col.name, int(total)) for col in columns]


def _value(source: Source, col: Column) -> exp.Expr:
    """A column as it stands, NULL for the texts that mean missing."""
    return null_for(column(col.key), source.missing if col.is_text else ())


def _may_be_key(col: Column) -> bool:
    return bool(col.name) and (col.type in _TEXTS or "INT" in col.type)


def _homes(keys: Sequence[KeyColumn]) -> dict[str, KeyColumn]:
    """For each name of a key the table that it belongs to: of several the one with most values."""
    homes: dict[str, KeyColumn] = {}
    for key in sorted(keys, key=lambda key: (-key.different, not is_called_person(key.table), key.table)):
        homes.setdefault(key.column, key)
    return homes


class _Inclusion:
    """Which columns hold values of which keys; each pair is counted once."""

    def __init__(self, engine: Engine, sources: Mapping[str, Source]) -> None:
        self.engine, self.sources = engine, sources
        self._known: dict[tuple[str, str, KeyColumn], tuple[int, int]] = {}

    def counts(self, table: str, name: str, key: KeyColumn) -> tuple[int, int]:
        """(Different values of a column, those of them that are values of the key)."""
        known = self._known.get((table, name, key))
        if known is None:
            source, home = self.sources[table], self.sources[key.table]
            names = {
                "table_rows": source.relation,
                "key_rows": home.relation,
                "link_value": _value(source, source.column(name)),
                "key_value": _value(home, home.column(key.column)),
            }
            different, included = self.engine.query("commands/init/included", names=names)[0]
            known = self._known[table, name, key] = int(different), int(included)
        return known

    def leads(self, table: str, name: str, key: KeyColumn) -> bool:
        """Whether a column of that name is there and holds values of the key, but for some orphans."""
        if name not in [col.name for col in self.sources[table].columns]:
            return False
        different, included = self.counts(table, name, key)
        return different > 0 and included >= _INCLUDED * different


def _unit(reader: _Inclusion, keys: Sequence[KeyColumn], said: str | None) -> tuple[KeyColumn | None, dict[str, str]]:
    """The key of persons, and the columns of other tables that lead to it by table."""
    homes = _homes(keys)
    candidates = [key for key in homes.values() if said is None or key.column == said]
    links = {key: _links_to(reader, key, homes) for key in candidates}
    linked = {key: tables for key, tables in links.items() if tables}
    called = {key for key in linked if is_called_person(key.column) or is_called_person(key.table)} or set(linked)
    # Of these a table that names the key of another is about the persons of that one: a visit names its patient.
    heads = {key for key in called if not any(key.table in linked[other] for other in called - {key})} or called
    ranked = sorted(heads, key=lambda key: (-len(linked[key]), -key.different, key))
    return (ranked[0], linked[ranked[0]]) if ranked else (None, {})


def _links_to(reader: _Inclusion, key: KeyColumn, homes: Mapping[str, KeyColumn]) -> dict[str, str]:
    """The tables that name a key, each with its column: one of the same name; of a key of persons also one that is
    called like a person, is no key itself, and all of whose values are values of the key.
    """
    links: dict[str, str] = {}
    is_of_persons = is_called_person(key.column) or is_called_person(key.table)
    for table, source in reader.sources.items():
        if table == key.table:
            continue
        if key.column in [col.name for col in source.columns]:
            if reader.leads(table, key.column, key):
                links[table] = key.column
            continue
        for col in source.columns if is_of_persons else ():
            if col.name in homes or not is_called_person(col.name) or not _may_name(col, key, reader.sources):
                continue
            different, included = reader.counts(table, col.name, key)
            if different >= _LEAST and different == included:
                links[table] = col.name
                break
    return links


def _may_name(col: Column, key: KeyColumn, sources: Mapping[str, Source]) -> bool:
    """Whether a column is of the kind of a key, and called like it or like a number of something."""
    home = sources[key.table].column(key.column)
    alike = (col.type in _TEXTS) == (home.type in _TEXTS)
    return alike and _may_be_key(col) and (col.name == key.column or is_called_number(col.name))
