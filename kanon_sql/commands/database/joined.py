"""Quasi-identifiers of persons that stand in other tables, joined to theirs for the search and released from it.

The table of persons is searched with these columns beside its own, from a private copy, and with the values that they
hold in other tables (see `HeldValues`). In the release persons who share a row must not be told apart by it from others
of their class, nor learn two values from one row. So the rows of a shared table are made anew: one of each combination
of released values, whoever had which row before. Where rows are those of single persons, by the key of persons, each
released person has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlglot import exp

from kanon_sql.commands.database.held import HeldValues, key_of_persons
from kanon_sql.commands.database.tables import OpenTable, read_table
from kanon_sql.config.database import LoadedDatabase
from kanon_sql.config.database_table import TableConfig, Via, with_held
from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError
from kanon_sql.report.words import counted
from kanon_sql.settings.columns import ColumnConfig
from kanon_sql.settings.source import CsvOptions
from kanon_sql.source.columns import null_for, present
from kanon_sql.source.duckdb import attach
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine, literal
from kanon_sql.sql.template import Fill, Item, column, fill, quoted, state, text

_ROOM = "commands/database"
_CSV = "FORMAT csv, HEADER, DELIMITER ',', QUOTE '\"', ESCAPE '\"', FORCE_QUOTE *"


class JoinedTables:
    """The tables that hold quasi-identifiers of persons, of one run."""

    def __init__(
        self, engine: Engine, loaded: LoadedDatabase, tables: dict[str, OpenTable], *, only_texts: bool
    ) -> None:
        self.engine, self.loaded, self.tables = engine, loaded, tables
        self.only_texts = only_texts  # whether an empty text of the release is read as none
        self.names = [table.name for table in loaded.tables.values() if table.joined]
        self.held_lists: dict[str, str] = {}  # by TABLE.COLUMN the tables (key, list) of values that persons hold
        self._are_read = False
        self._rows = {name: state(f"database_joined_{i}") for i, name in enumerate(self.names)}

    def joined_persons(
        self, persons: LoadedConfig, folder: Path, lists: Mapping[str, str] | None = None
    ) -> LoadedConfig:
        """The configuration of the persons' run, which reads a copy in `folder` of their table with what is joined.

        The tables of values that persons hold must have been read; `lists` are those that are taken in place of these
        values, as tables like `held_lists`.

        Raises ConfigurationError where persons have several rows in another table, or columns have one name.
        """
        unit = self.tables[self.loaded.config.unit.table]
        if not self.names and not unit.config.held:
            return persons
        source = unit.source.unread or unit.source
        others = [name.lower() for name in (*self.loaded.joined, *unit.config.held)]
        taken = {col.name.lower() for col in source.columns} & set(others)
        if taken or len(set(others)) < len(others):
            named = sorted(taken) or sorted({name for name in others if others.count(name) > 1})
            raise ConfigurationError(
                f"{self.loaded.place('tables', unit.name)}: columns {', '.join(named)} of {unit.name!r} are "
                "named as quasi-identifiers or sensitive columns of other tables are; rename them"
            )
        outputs: list[Item] = [{"value": column(col.key, "persons"), "name": col.name} for col in source.columns]
        joins: list[Item] = []
        for name in self.names:
            table = self._read_once(name, source)
            joins.append({"rows": self._rows[name], "column": present(source, self._via(name).column)})
            for position, joined in enumerate(table.config.joined):
                value: exp.Expr = column(f"value_{position}", self._rows[name])
                if source.only_texts:
                    value = exp.cast(value, "VARCHAR")
                outputs.append({"value": value, "name": table.config.joined_name(joined)})
        self._are_read = True
        if unit.config.held and not self.held_lists:
            values = HeldValues(self.engine, self.loaded, self.tables, source, only_texts=self.only_texts)
            self.held_lists = values.lists()
        held = {**self.held_lists, **(lists or {})}
        for name, rows in held.items():
            nothing = exp.Literal.string("[null]")
            outputs.append({"value": exp.Coalesce(this=column("list", rows), expressions=[nothing]), "name": name})
        lists_of: list[Item] = [
            {"lists": rows, "column": key_of_persons(self.loaded, source, "persons")} for rows in held.values()
        ]
        parts = {"out": outputs, "via": joins, "held": lists_of}
        statement = fill(f"{_ROOM}/joined", names={"persons": source.relation}, lists=parts)
        place = self._write(statement, folder, texts=source.only_texts)
        return _reading(with_held(persons, unit.config), place, tuple(self.loaded.joined))

    def _read_once(self, name: str, persons: Source) -> OpenTable:
        """A table with quasi-identifiers of persons, its rows by their keys."""
        if not self._are_read:
            self.tables[name] = read_table(self.engine, self.tables[name])
            self._read(self.tables[name], persons)
        return self.tables[name]

    def _via(self, name: str) -> Via:
        via = self.loaded.tables[name].via
        assert via is not None
        return via

    def _read(self, table: OpenTable, persons: Source) -> None:
        """Makes the table of the rows of another table by their keys."""
        via, rows = self._via(table.name), self._rows[table.name]
        source = table.source
        values: list[Item] = [
            {"value": present(source, name), "name": f"value_{i}"} for i, name in enumerate(table.config.joined)
        ]
        names: dict[str, Fill] = {
            "joined_rows": rows,
            "table_rows": source.relation,
            "own_key": present(source, via.key),
        }
        self.engine.query(f"{_ROOM}/joined_rows", names=names, lists={"via": values})
        names = {"persons": persons.relation, "joined_rows": rows, "via_column": present(persons, via.column)}
        several = int(self.engine.query(f"{_ROOM}/joined_several", names=names)[0][0])
        if several:
            raise several_rows(self.loaded, table.config, several)

    def _write(self, statement: exp.Expr, folder: Path, *, texts: bool) -> dict[str, Any]:
        """Writes the joined rows into a private file; its place, as a configuration says it."""
        rows = text(statement)
        if texts:
            path = folder / "joined.csv"
            self.engine.run(f"COPY ({rows}) TO {literal(str(path)).sql('duckdb')} ({_CSV})")
            options = CsvOptions(delimiter=",", header=True, quote='"', escape='"')
            return {"path": str(path), "csv": options, "database": None, "table": None}
        path = folder / "joined.duckdb"  # which keeps every type
        catalog = quoted(attach(self.engine, path, read_only=False, name=state("database_joined"))).sql("duckdb")
        self.engine.run(f"CREATE TABLE {catalog}.main.persons AS {rows}")
        self.engine.run(f"DETACH {catalog}")
        return {"path": None, "csv": CsvOptions(), "database": str(path), "table": "main.persons"}

    def released(self, released: Source, persons: str) -> dict[str, dict[str, int]]:
        """Gives the tables the rows that are released, of the persons who are; the source's rows of each, counted.

        Args:
            released: the persons who are released, with their quasi-identifiers.
            persons: the table (key, is_released) of all persons.
        """
        counts: dict[str, dict[str, int]] = {}
        for name in self.names:
            table, via = self.tables[name], self._via(name)
            unit = self.tables[self.loaded.config.unit.table].source
            names: dict[str, Fill] = {
                "table_rows": table.source.relation,
                "own_key": present(table.source, via.key),
                "source": unit.relation,
                "unit_key": present(unit, self.loaded.config.unit.key),
                "via_column": present(unit, via.column),
                "persons": persons,
            }
            row = self.engine.query(f"{_ROOM}/joined_counts", names=names)[0]
            counts[name] = dict(zip(("source", "orphans", "suppressed"), map(int, row), strict=True))
            is_shared = via.column in self.loaded.shared
            rows = self._shared_rows(table, released) if is_shared else self._own_rows(table, released)
            self.tables[name] = replace(table, rows=rows)
        return counts

    def _shared_rows(self, table: OpenTable, released: Source) -> exp.Select:
        via = self._via(table.name)
        values: list[Item] = [
            {
                "value": self._shared_value(table, released, name, None),
                "name": table.source.column(name).key,
            }
            for name in table.config.joined
        ]
        names: dict[str, Fill] = {
            "released": released.relation,
            "shared_key": self.shared_key(table, released),
            "key_name": table.source.column(via.key).key,
        }
        statement = fill(f"{_ROOM}/shared_rows", names=names, lists={"own": values})
        assert isinstance(statement, exp.Select)
        return statement

    def shared_key(self, table: OpenTable, released: Source, rows: str | None = None) -> exp.Expr:
        """The text of a person's released values that stand in a table, by which persons find their row there."""
        values = [exp.cast(self._shared_value(table, released, name, rows), "VARCHAR") for name in table.config.joined]
        return exp.cast(exp.Anonymous(this="to_json", expressions=[exp.Array(expressions=values)]), "VARCHAR")

    def _shared_value(self, table: OpenTable, released: Source, name: str, rows: str | None) -> exp.Expr:
        """A released value of a row that persons share, NULL where the release cannot tell it from NULL."""
        col = released.column(table.config.joined_name(name))
        value = column(col.key) if rows is None else column(col.key, rows)
        return null_for(value, [""] if self.only_texts and col.is_text else ())

    def _own_rows(self, table: OpenTable, released: Source) -> exp.Select:
        via, key = self._via(table.name), released.column(self.loaded.config.unit.key)
        values: list[Item] = []
        for col in table.source.columns:
            value = column(col.key, "table_rows")
            if col.name == via.key:
                value = column(key.key, "released")
            elif col.name in table.config.joined:
                value = column(released.column(table.config.joined_name(col.name)).key, "released")
            values.append({"value": value, "name": col.key})
        names: dict[str, Fill] = {
            "released": released.relation,
            "table_rows": table.source.relation,
            "released_key": column(key.key, "released"),
            "row_key": column(table.source.column(via.key).key, "table_rows"),
        }
        statement = fill(f"{_ROOM}/own_rows", names=names, lists={"own": values})
        assert isinstance(statement, exp.Select)
        return statement


def several_rows(loaded: LoadedDatabase, table: TableConfig, persons: int) -> ConfigurationError:
    """The error of a table in which so many persons find several rows."""
    assert table.via is not None
    have = counted(persons, "person has", "persons have")
    return ConfigurationError(
        f"{loaded.place('tables', table.name, 'via')}: {have} several rows in {table.name!r} by "
        f"{table.via.key!r}, and quasi-identifiers stand in one row a person; name a key of which each row has another "
        "value, or link the table and make these columns facts"
    )


def _reading(persons: LoadedConfig, place: Mapping[str, Any], joined: tuple[str, ...]) -> LoadedConfig:
    """The configuration of the persons' run, reading the joined rows."""
    source = persons.config.source
    update = {**place, "encoding": None, "sheet": None}
    if place["path"] is not None and source.missing is not None and "" not in source.missing:
        # What has no row in the other table is an empty text in the file.
        update["columns"] = {**source.columns, **{name: ColumnConfig(missing=[""]) for name in joined}}
    config = persons.config.model_copy(update={"source": source.model_copy(update=update)})
    return replace(persons, config=config)
