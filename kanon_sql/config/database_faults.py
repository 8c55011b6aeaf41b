"""What the tables of a database contradict in each other: columns with two meanings, and columns of which nothing is
released that was said of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from kanon_sql.config.database_table import TableConfig
from kanon_sql.config.messages import near
from kanon_sql.settings.yaml import KeyPath

Fault = tuple[KeyPath, str]


def faults_between(
    tables: Mapping[str, TableConfig], unit: str, key: str, named: Collection[str], *, bounded: bool
) -> Iterator[Fault]:
    """The faults of tables, with the place of each.

    Args:
        tables: the tables that are released.
        unit: the name of the table of persons.
        key: its key.
        named: the columns that `keys` names.
        bounded: whether the confidence is bounded with which facts tell sensitive values.
    """
    through = {t.link.column for t in tables.values() if t.link is not None and t.link.through is not None}
    led = {t.via.key for t in tables.values() if t.via is not None and t.via.column != key}
    for table in tables.values():
        yield from _of_aliases(table, key, {*named, *through, *led})
        yield from _of_facts(table, {*named, *through, *led, key})
        if table.via is not None:
            yield from _of_via(table, tables.get(unit), key)
            if bounded:
                yield from _of_sensitive(table, unit)
    yield from _of_joined_names(tables)


def _of_aliases(table: TableConfig, key: str, keys: Collection[str]) -> Iterator[Fault]:
    """A column that holds a key of another name and is named as a key itself has two meanings, and one of them has no
    new values.
    """
    aliases: dict[str, tuple[str, str]] = {}
    if table.link is not None and table.link.through is None:
        aliases[table.link.column] = ("link", key)
    if table.via is not None:
        at_unit = table.via.column == key
        held, of = (table.via.key, key) if at_unit else (table.via.column, table.via.key)
        aliases[held] = ("via", of)
    for column, (how, of) in aliases.items():
        if column != of and column in keys:
            meant = f", or did you mean {column!r} by unit.key?" if of == key and near(of, [column], 0.8) else ""
            yield (
                ("tables", table.name, how),
                f"{column!r} holds the key {of!r} here, and is a key of its own in keys, link or via of another "
                f"table; name {of!r} in keys in its place, or rename the column{meant}",
            )


def _of_facts(table: TableConfig, keys: Collection[str]) -> Iterator[Fault]:
    """A key has new values and no coarser ones, and the column of a link is another one of each person, or row."""
    for name in table.facts:
        assert table.loaded is not None
        place: KeyPath = ("tables", table.name, "facts", name)
        if table.link is not None and name == table.link.column:
            yield place, f"by {name!r} rows find their person, so it is no fact that others share; remove it"
        elif name in keys and table.loaded.config.quasi_identifiers[name].max_level != 0:
            yield (
                place,
                f"{name!r} is a key, which gets new values and no coarser ones; write {name}: {{}}, or remove it",
            )


def _of_via(table: TableConfig, unit: TableConfig | None, key: str) -> Iterator[Fault]:
    """The columns by which persons find their row are joined as they stand, and released with new keys alone."""
    via = table.via
    assert via is not None
    here = list(_roles_of(table, via.key))
    if via.key in table.joined:
        here.append("quasi_identifiers")
    there: list[str] = []
    if unit is not None:
        there += _roles_of(unit, via.column)
        # Without any quasi-identifiers the key of persons stands in their place.
        if via.column != key and unit.loaded is not None and via.column in unit.loaded.config.quasi_identifiers:
            there.append("quasi_identifiers")
    for name, column, roles in ((table.name, via.key, here), (unit.name if unit else "", via.column, there)):
        for role in roles:
            yield (
                ("tables", name, role.split(".")[0]),
                f"{column!r} joins persons with {table.name!r} as it stands, and is released as a new key; remove it "
                f"from {role}",
            )


def _roles_of(table: TableConfig, column: str) -> Iterator[str]:
    """Which parts of a table's configuration say of a column what a key cannot have."""
    if table.loaded is None:
        return
    config = table.loaded.config
    parts: dict[str, Collection[str]] = {
        "sensitive": config.sensitive,
        "transform": config.transform,
        "source.columns": config.source.columns,
        "dates": table.dates,
    }
    dates_alone = column in table.dates  # which a run moves by a transformation that nobody wrote
    for part, columns in parts.items():
        if column in columns and not (part == "transform" and dates_alone):
            yield part


def _of_sensitive(table: TableConfig, unit: str) -> Iterator[Fault]:
    """Facts are not counted with what a table of quasi-identifiers tells of persons."""
    if table.loaded is not None and table.loaded.config.sensitive:
        yield (
            ("tables", table.name, "sensitive"),
            f"privacy.facts.confidence does not bound what facts tell of columns of {table.name!r}, whose rows persons "
            f"find by via; put them into {unit!r} or a table with link, drop them, or name them insensitive",
        )


def _of_joined_names(tables: Mapping[str, TableConfig]) -> Iterator[Fault]:
    """Quasi-identifiers of other tables are called TABLE.COLUMN, whatever dots are in both."""
    names = [(table.joined_name(column), table) for table in tables.values() for column in table.joined]
    count = Counter(name.casefold() for name, _ in names)
    for name, table in names:
        if count[name.casefold()] > 1:
            yield (
                ("tables", table.name, "quasi_identifiers"),
                f"the quasi-identifiers of several tables would be called {name!r}; rename a column or a table",
            )
