"""The values that persons hold in columns of other tables, as a column of their own table for its search.

Each person gets the list of her distinct values as a text in JSON, with null where a row of hers has no value or where
she has no row: as if the tables were joined by an outer join, and pairs of a person and a value counted.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from kanon_sql.commands.database.tables import OpenTable
from kanon_sql.config.database import LoadedDatabase
from kanon_sql.errors import ConfigurationError
from kanon_sql.source.columns import null_for, present, read_value
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import understood
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Fill, column, fill, state

_ROOM = "commands/database"


def held_value(source: Source, held: Column, rows: str, *, only_texts: bool) -> exp.Expr:
    """A value that a person holds, as the text by which it is told from others; NULL where it is missing.

    With `only_texts` the release does not tell an empty text from a missing one.
    """
    missing = (*source.missing, *([""] if only_texts else [])) if held.is_text else ()
    return understood(exp.cast(null_for(column(held.key, rows), missing), "VARCHAR"), held.reading)


def key_of_persons(loaded: LoadedDatabase, persons: Source, rows: str | None = None) -> exp.Expr:
    """The key of a person, as rows of other tables name it: read as the configuration says, of rows that are not yet.

    Raises: ConfigurationError where the table of persons has no such column.
    """
    assert loaded.unit.loaded is not None
    name = loaded.config.unit.key
    held = _column_of(persons, name, loaded.place("unit", "key"), loaded.config.unit.table)
    value: exp.Expr = column(held.key) if rows is None else column(held.key, rows)
    how = loaded.unit.loaded.config.source.columns.get(name)
    if how is None or not held.is_text:
        return value
    return read_value(value, how, persons.missing, persons.backend.dialect)


class HeldValues:
    """The lists of values that the persons of a database hold, of one run.

    Args:
        engine: the engine.
        loaded: the configuration.
        tables: the tables as they are read.
        persons: the rows of the table of persons, before any treatment.
        only_texts: whether the release does not tell an empty text from a missing one.
    """

    def __init__(
        self,
        engine: Engine,
        loaded: LoadedDatabase,
        tables: Mapping[str, OpenTable],
        persons: Source,
        *,
        only_texts: bool,
    ) -> None:
        self.engine, self.loaded, self.tables, self.persons = engine, loaded, tables, persons
        self.only_texts = only_texts
        self._owners: dict[tuple[str, str], str] = {}  # by table and column, the tables (key, owner) of its keys

    def lists(self) -> dict[str, str]:
        """Makes of each column that models read the table (key, list) of the persons with rows; their names."""
        tables = {}
        for position, (name, held) in enumerate(self.loaded.unit.held.items()):
            table = self.tables[held.table]
            tables[name] = state(f"held_lists_{position}")
            value = held_value(table.source, table.source.column(held.column), "table_rows", only_texts=self.only_texts)
            names: dict[str, Fill] = {
                "held_lists": tables[name],
                "table_rows": table.source.relation,
                "owners": self._owners_of(table),
                "link_key": present(table.source, _link_of(table), "table_rows"),
                "held_value": value,
            }
            self.engine.query(f"{_ROOM}/held_lists", names=names)
        return tables

    def _owners_of(self, table: OpenTable) -> str | exp.Select:
        """(key, owner): to whom rows of a table belong, by its link."""
        link = table.config.link
        assert link is not None
        if link.through is None:
            key = key_of_persons(self.loaded, self.persons, "table_rows")
            statement = fill(f"{_ROOM}/held_by_persons", names={"table_rows": self.persons.relation, "own_key": key})
            assert isinstance(statement, exp.Select)
            return statement
        through = self.tables[link.through]
        if (link.through, link.column) not in self._owners:
            place = self.loaded.place("tables", table.name, "link")
            own_key = _column_of(through.source, link.column, place, link.through)
            name = self._owners[link.through, link.column] = state(f"held_owners_{len(self._owners)}")
            names: dict[str, Fill] = {
                "held_owners": name,
                "table_rows": through.source.relation,
                "owners": self._owners_of(through),
                "link_key": present(through.source, _link_of(through), "table_rows"),
                "own_key": present(through.source, own_key.name, "table_rows"),
            }
            self.engine.query(f"{_ROOM}/held_owners", names=names)
        return self._owners[link.through, link.column]


def _column_of(source: Source, name: str, place: str, table: str) -> Column:
    """A column of a table by which others find their person. Raises ConfigurationError where it is not there."""
    if name not in [col.name for col in source.columns]:
        raise ConfigurationError(f"{place}: table {table!r} has no column {name!r}, by which rows find their person")
    return source.column(name)


def _link_of(table: OpenTable) -> str:
    assert table.config.link is not None
    return table.config.link.column
