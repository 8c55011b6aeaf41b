"""The rows of each table that are released: of persons who are, without suppressed facts, under new keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from kanon_sql.commands.database.held import held_value
from kanon_sql.commands.database.joined import JoinedTables
from kanon_sql.commands.database.keys import common_values, homes, key_values, led_values, make_key_map
from kanon_sql.commands.database.tables import OpenTable, fact_items
from kanon_sql.config.database import LoadedDatabase
from kanon_sql.config.database_held import HeldColumn
from kanon_sql.errors import ConfigurationError
from kanon_sql.release.release import Writing
from kanon_sql.release.statement import sort_items
from kanon_sql.search.facts.levels import KEPT_LEAVES, PERSONS, FactsResult, FactTable
from kanon_sql.source.columns import null_for, present
from kanon_sql.source.model import Column, Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, fill, state

_ROOM = "commands/database"
_ROWS = "table_rows"


class ReleasedRows:
    """The rows of all tables of a run, once it is known which persons and facts are released.

    `unit_release` are the persons, `result` says which facts are kept, None without facts. `keys_at_home` has of each
    key the tables that it belongs to.
    """

    def __init__(
        self,
        engine: Engine,
        loaded: LoadedDatabase,
        tables: Mapping[str, OpenTable],
        joined: JoinedTables,
        unit_release: Source,
        facts: Mapping[str, FactTable],
        result: FactsResult | None,
    ) -> None:
        self.engine, self.loaded, self.tables, self.joined = engine, loaded, tables, joined
        self.unit_release, self.facts, self.result = unit_release, facts, result
        self.through: dict[tuple[str, str], str] = {}  # by table and column, the keys of its rows that are released
        self.key_maps: dict[str, str] = {}
        self.keys_at_home: dict[str, tuple[str, ...]] = {}

    def make_keys(self) -> None:
        """Makes the new values of all keys, of rows that are released."""
        self.keys_at_home = homes(self.engine, self.loaded, self.tables)
        for position, (key, at_home) in enumerate(self.keys_at_home.items()):
            owners = [self.tables[home] for home in at_home] or list(self.tables.values())
            held = [table for table in owners if key in self._keys(table)]
            if held:
                values = self._values_of(key, held, f"database_values_{position}", has_home=bool(at_home))
                self.key_maps[key] = make_key_map(self.engine, self.loaded, key, values)

    def _values_of(self, key: str, held: Sequence[OpenTable], name: str, *, has_home: bool) -> str:
        """Makes the table (key) of the values of a key in the release, by the tables that it belongs to, or by all
        that hold it; the name of the table.
        """
        parts = [self._selected(table, [self._key_item(table, key)]) for table in held]
        if len(held) == 1:
            return key_values(self.engine, key, parts, state(name))
        each = [key_values(self.engine, key, [part], state(f"{name}_{i}")) for i, part in enumerate(parts)]
        if has_home:
            return common_values(self.engine, each, state(name))
        before = [
            key_values(self.engine, key, [self._source_keys(table, key)], state(f"{name}_{i}_before"))
            for i, table in enumerate(held)
        ]
        values = key_values(self.engine, key, parts, state(name))
        return led_values(self.engine, values, list(zip(before, each, strict=True)), state(name))

    def _source_keys(self, table: OpenTable, key: str) -> exp.Select:
        """SELECT of the values of a key in the rows of the source (own_key)."""
        own_key = present(table.source, self._key_column(table, key).name, "table_rows")
        rows = table.source.relation.copy().subquery("table_rows")
        return exp.select(exp.alias_(own_key, "own_key")).from_(rows)

    def _through(self, name: str, key: str) -> str:
        """The table (key) of the keys of those rows of a table that are released."""
        if (name, key) not in self.through:
            table = self.tables[name]
            item: Item = {"value": self._value(table, key), "name": "own_key"}
            rows = self._selected(table, [item])
            values = state(f"database_through_{len(self.through)}")
            self.through[name, key] = key_values(self.engine, key, [rows], values)
        return self.through[name, key]

    def _keys(self, table: OpenTable) -> list[str]:
        """The names of the keys in a table."""
        return list(self.loaded.key_names(table.config, list(table.keys)).values())

    def _key_column(self, table: OpenTable, key: str) -> Column:
        """The column of a table that holds a key."""
        return dict(zip(self._keys(table), table.keys.values(), strict=True))[key]

    def _key_item(self, table: OpenTable, key: str) -> Item:
        return {"value": self._present(table, self._key_column(table, key).name), "name": "own_key"}

    def _present(self, table: OpenTable, name: str) -> exp.Expr:
        """A key in a table's rows, NULL where it is missing."""
        return null_for(self._value(table, name), table.source.missing if table.source.column(name).is_text else ())

    def _value(self, table: OpenTable, name: str) -> exp.Expr:
        """A column of a table's rows; the unit's are those of its release."""
        source = self.unit_release if table.config.is_unit else table.source
        if table.config.is_unit and name in self.loaded.shared:
            return self.joined.shared_key(self.tables[self.loaded.shared[name].name], source, _ROWS)
        return column(source.column(name).key, _ROWS)

    def values_left(self, held: HeldColumn, *, only_texts: bool) -> exp.Select:
        """The values of a column of a table that persons still have: (person, value), under their numbers."""
        table = self.tables[held.table]
        value = held_value(table.source, table.source.column(held.column), _ROWS, only_texts=only_texts)
        person = column("person", _ROWS)
        return self._selected(table, [{"value": person, "name": "person"}, {"value": value, "name": "value"}])

    def of(self, table: OpenTable) -> exp.Select:
        """The rows of a table that are released, in random order."""
        keys = dict(zip(table.keys, self._keys(table), strict=True))
        maps: dict[str, str] = {}
        for i, (name, key) in enumerate(keys.items()):
            if key in self.key_maps:
                view = state(f"database_map_{list(self.tables).index(table.name)}_{i}")
                self.engine.query(f"{_ROOM}/key_map", names={"mapped": view, "key_map": self.key_maps[key]})
                maps[name] = view
            elif self.loaded.keys[key].how != "keep":
                # No configuration leads here; what has no new values must never pass as it is.
                raise ConfigurationError(
                    f"{self.loaded.place('keys', key)}: column {name!r} of table {table.name!r} holds the key {key!r}, "
                    "which no table that it belongs to shows; drop the column, or say keep"
                )
        outputs: list[Item] = []
        for col in table.columns:
            value = self._value(table, col.name)
            if col.name in maps:
                # In parentheses, as the comparison of what was written takes a plain column for one that no row lacks.
                new = exp.paren(column("new_value", maps[col.name]))
                how = self.loaded.keys[keys[col.name]].how
                value = new if how != "keep" else self._if_there(column("key", maps[col.name]), value)
            elif col.name in table.config.facts:
                value = self._fact(table, col.name, value)
            outputs.append({"value": value, "name": col.name})
        joined: list[Item] = [{"map": maps[name], "column": self._present(table, name)} for name in maps]
        copied = table.loaded is None and not joined  # about nobody, and as it is
        order = Writing("none" if copied else "random", None, False, False, False)
        return self._selected(table, outputs, joined, sort_items(order))

    @staticmethod
    def _if_there(there: exp.Expr, value: exp.Expr) -> exp.Expr:
        is_there = exp.not_(exp.Is(this=there, expression=exp.null()))
        return exp.Case(ifs=[exp.If(this=is_there, true=value)])

    def _fact(self, table: OpenTable, name: str, value: exp.Expr) -> exp.Expr:
        """A fact at its level: as it is at level 0, but for texts that mean missing, else its label."""
        position = table.config.facts.index(name)
        facts = self.facts[table.name].columns[position]
        assert self.result is not None
        level = self.result.levels[facts.name]
        if level == 0:
            col = table.source.column(name)
            return null_for(value, table.source.missing if col.is_text else ())
        return exp.cast(column(f"label_{level}", facts.mapping.table), "VARCHAR")

    def _selected(
        self, table: OpenTable, outputs: list[Item], keys: list[Item] | None = None, sort: list[Item] | None = None
    ) -> exp.Select:
        """SELECT of values of the rows of a table that are released."""
        link, facts = table.config.link, self.facts.get(table.name)
        through: list[Item] = []
        if link is not None and link.through is not None:
            through = [{"kept": self._through(link.through, link.column), "column": self._value(table, link.column)}]
        leaves: list[Item] = []
        if facts is not None:
            leaves = [{"leaves": facts.leaves, "kept": state(KEPT_LEAVES), "number": column("leaf", facts.leaves)}]
        if table.config.is_unit:
            rows = self.unit_release.relation
        else:
            rows = table.rows if table.rows is not None else table.source.relation
        statement = fill(
            f"{_ROOM}/release",
            names={"table_rows": rows},
            lists={
                "out": outputs,
                "owner": [{"persons": state(PERSONS)}] if link is not None else [],
                "through": through,
                "fact": fact_items(table, facts) if facts is not None else [],
                "leaf": leaves,
                "key": keys or [],
                "sort": sort or [],
            },
        )
        assert isinstance(statement, exp.Select)
        return statement
