"""New values of the keys that join the tables of a database, the same wherever a key stands, and none without a row.

A key belongs to the table of which each row has another value of it, as a visit's key to the table of visits, or, where
rows of all tables lack it, to one that has no value twice and has most of them. Elsewhere
its value is NULL where that row is not released, so that no key of the release leads nowhere.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.commands.database.tables import OpenTable
from kanon_sql.config.database import KeyConfig, LoadedDatabase
from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.columns import present
from kanon_sql.source.duckdb import opened
from kanon_sql.source.treatments.applying import treat_columns
from kanon_sql.source.treatments.lookups import with_lookups
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import copy, rows_of
from kanon_sql.sql.template import Fill, column, quoted, state

_ROOM = "commands/database"


def homes(engine: Engine, loaded: LoadedDatabase, tables: Mapping[str, OpenTable]) -> dict[str, tuple[str, ...]]:
    """Of each key the table that it belongs to: none where there is none in the release, and several where nothing says
    which of them it is.
    """
    through = {
        table.config.link.column: table.config.link.through
        for table in tables.values()
        if table.config.link is not None and table.config.link.through is not None
        # Where that table does not show it, it leads nowhere anyway.
        if table.config.link.column in tables[table.config.link.through].keys
    }
    through |= {table.via.key: table.name for table in loaded.shared.values() if table.via is not None}
    home: dict[str, tuple[str, ...]] = {loaded.config.unit.key: (loaded.config.unit.table,)}
    for key in loaded.keys:
        if key in home:
            continue
        if through.get(key) is not None:
            home[key] = (through[key],)
            continue
        holding = [table for table in tables.values() if key in table.keys]
        columns = [_counted(engine, table, key) for table in holding]
        home[key] = _first(
            [
                (-_losses(tables, table), -counted.present, table.name)
                for table, counted in zip(holding, columns, strict=True)
                if may_be_home(counted, columns)
            ]
        )
    return home


@dataclass(frozen=True)
class CountedKey:
    """The values of a key in a table: the rows that have one, how many differ, and whether no row lacks one."""

    present: int
    different: int
    is_whole: bool

    @property
    def is_single(self) -> bool:
        """Whether there are values, no two the same."""
        return 0 < self.present == self.different


def _counted(engine: Engine, table: OpenTable, key: str) -> CountedKey:
    names: dict[str, Fill] = {
        "table_rows": table.source.relation,
        "own_key": present(table.source, table.keys[key].name),
    }
    rows, different, is_whole = engine.query(f"{_ROOM}/key_is_single", names=names)[0]
    return CountedKey(int(rows), int(different), bool(is_whole))


def may_be_home(counted: CountedKey, columns: Sequence[CountedKey]) -> bool:
    """Whether a key may belong to a table, of all `columns` with that key.

    Each row has another value of it. Where there is no such table, rows may lack a value, but then none has more of
    them: a mere reference that few rows have would else take the key from all rows that it does not name.
    """
    if any(other.is_whole and other.is_single for other in columns):
        return counted.is_whole and counted.is_single
    return counted.is_single and counted.different == max(other.different for other in columns)


def _losses(tables: Mapping[str, OpenTable], table: OpenTable) -> int:
    """How a table's rows may go, and with them the keys that led there: 2 where single rows do, with a fact or with a
    row that they go through, 1 where all rows of a person do, 0 where none does.
    """
    link = table.config.link
    if link is None:
        return 1 if table.config.is_unit or table.config.via is not None else 0
    if table.config.facts:
        return 2
    return 1 if link.through is None else _losses(tables, tables[link.through])


def _first(candidates: Sequence[tuple[int, int, str]]) -> tuple[str, ...]:
    """The tables that a key may belong to, of those with their (losses, rows, name), the first two negative.

    A key belongs rather to a table whose rows may go, as a visit's key to the visits and not to their bills: a bill
    would tell that there was a visit, and its key would lead nowhere. Of tables alike in that, the one with most rows
    can hold all keys of the others. With as many rows each may be meant.
    """
    if not candidates:
        return ()
    losses, rows, name = min(candidates)
    if losses > -2:
        return (name,)
    return tuple(sorted(other[2] for other in candidates if other[:2] == (losses, rows)))


def make_key_map(engine: Engine, loaded: LoadedDatabase, key: str, values: str) -> str:
    """Makes the new values of a key of the values in a table (key); gives the name of the table (key, new_value)."""
    config = loaded.keys[key]
    name = state(f"database_key_{list(loaded.keys).index(key)}")
    names: dict[str, Fill] = {"key_map": name, "key_values": values}
    if config.how == "keep":
        rows = exp.select(column("key"), exp.alias_(column("key"), "new_value"))
        engine.run(copy(name, rows.from_(exp.Table(this=quoted(values))).subquery("kept")))
    elif config.how == "pseudonym":
        _make_pseudonyms(engine, loaded, config, names)
    else:
        engine.query(f"{_ROOM}/renumbered", names=names, values={"drawn": secrets.token_hex(32)})
    return name


def _make_pseudonyms(engine: Engine, loaded: LoadedDatabase, config: KeyConfig, names: Mapping[str, Fill]) -> None:
    assert loaded.unit.loaded is not None
    before, after = column("key"), exp.alias_(column("key"), "pseudonym")
    table = state("database_key_twice")
    values = exp.Table(this=quoted(str(names["key_values"])))
    engine.run(copy(table, exp.select(before, after).from_(values).subquery("twice")))
    source = opened(engine, exp.Table(this=quoted(table)), "keys", "keys", ())
    treatment = TreatmentConfig(pseudonym=config.pseudonym)
    update = loaded.unit.loaded.config.model_copy(update={"transform": {"pseudonym": treatment}})
    treated = with_lookups(engine, treat_columns(source, replace(loaded.unit.loaded, config=update)))
    engine.query(
        f"{_ROOM}/pseudonyms",
        names={
            "key_map": names["key_map"],
            "key_values": treated.relation,
            "key_before": treated.column("key").key,
            "key_after": treated.column("pseudonym").key,
        },
    )


def common_values(engine: Engine, values: Sequence[str], name: str) -> str:
    """Makes the table `name` (key) of the values of a key that stand in each of several tables (key)."""
    in_all = values[0]
    for further in values[1:]:
        engine.query(f"{_ROOM}/common_values", names={"common": name, "key_values": in_all, "further_values": further})
        in_all = name
    return in_all


def led_values(engine: Engine, values: str, of_tables: Sequence[tuple[str, str]], name: str) -> str:
    """Makes the table `name` (key) of those `values` of a key that belongs to no table which lead to a row still.

    Each of the tables that hold the key may be meant, so that none of them may have lost a value: `of_tables` has of
    each the tables (key) of what its source and its released rows hold.
    """
    for of_source, released in of_tables:
        names = {"led": name, "key_values": values, "source_values": of_source, "released_values": released}
        engine.query(f"{_ROOM}/led_values", names=names)
        values = name
    return values


def key_values(engine: Engine, key: str, rows: Sequence[exp.Select], name: str) -> str:
    """Makes the table `name` (key) of the different values of a key in released rows, selected as `own_key`."""
    names: dict[str, Fill] = {
        "key_values": name,
        "released_rows": rows_of(rows, state("released_rows")),
        "own_key": "own_key",
    }
    engine.query(f"{_ROOM}/key_values", names=names)
    return name
