"""What a database holds as it stands: classes of persons, keys that lead nowhere, how few persons have a set of facts.

It is counted by statements that share nothing with the search, of the tables that a run has written, or of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from kanon_sql.commands.database.tables import OpenTable, tells_persons
from kanon_sql.config.database import LoadedDatabase
from kanon_sql.config.database_table import TableConfig
from kanon_sql.recount.facts import (
    PersonClasses,
    count_by_rows,
    count_facts,
    count_persons,
    count_repeated,
    count_several,
    count_telling,
    dangling_keys,
    list_facts,
)
from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import rows_of
from kanon_sql.sql.template import column


@dataclass(frozen=True)
class DatabaseCounts:
    """What was counted: the rows of each table, the classes of persons, the columns of keys that were looked at, and
    the least number of persons with a set of facts. `problems` say what does not hold.
    """

    rows: dict[str, int]
    persons: PersonClasses
    keys: int
    facts: int | None
    problems: list[str]
    confidence: float | None  # the greatest share of those who have a set of facts that have a sensitive value
    by_rows: dict[str, int]  # by table, the persons with a number of rows that fewer than k have


def recount_tables(
    engine: Engine,
    loaded: LoadedDatabase,
    tables: Mapping[str, OpenTable],
    written: Mapping[str, Source],
    homes: Mapping[str, Sequence[str]],
) -> DatabaseCounts:
    """Counts the tables `written`; `homes` has of each key the tables that it belongs to. Raises EngineError."""
    rows = {
        name: int(engine.run(exp.select(exp.Count(this=exp.Star())).from_(source.relation.subquery("rows")))[0][0])
        for name, source in written.items()
    }
    keys, problems = _dangling(engine, loaded, tables, written, homes)
    classes = person_classes(loaded, written, _text)
    persons = count_persons(engine, classes, list(map(column, class_columns(loaded).values())), loaded.k)
    problems += list(_problems_of_joined(engine, loaded, written))
    if persons.below_k:
        problems.append(f"{persons.below_k:,} persons are in classes of fewer than k = {loaded.k}")
    actual = None
    known = loaded.config.facts
    if known is not None and list_written_facts(engine, loaded, tables, written):
        actual = count_facts(engine, known.known)
    confidence = None
    if actual is not None and known is not None and known.confidence is not None:
        told, share = _told_values(loaded, tables, written), Fraction(known.confidence)
        telling, confidence = count_telling(engine, told, known.known, share)
        if telling:
            problems.append(
                f"{telling:,} sets of facts tell a sensitive value: more than {float(100 * share):g} % of the persons "
                "who have the set have it"
            )
    if actual is not None and actual < loaded.k:
        problems.append(f"a set of facts is had by {actual:,} persons, fewer than k = {loaded.k}")
    by_rows = {
        table.name: count_by_rows(engine, _owners(tables, written, table), loaded.k)
        for table in tables.values()
        if tells_persons(tables, table)
    }
    return DatabaseCounts(rows, persons, keys, actual, problems, confidence, by_rows)


def confidence_of(loaded: LoadedDatabase, counts: DatabaseCounts) -> dict[str, dict[str, float | None]]:
    """What a report says of the confidence with which facts tell sensitive values, where it is bounded."""
    known = loaded.config.facts
    if known is None or known.confidence is None:
        return {}
    return {"confidence": {"required": float(known.confidence), "actual": counts.confidence}}


def quasi_identifiers(loaded: LoadedDatabase) -> list[str]:
    """The quasi-identifiers of persons; those that stand in another table are called TABLE.COLUMN."""
    assert loaded.unit.loaded is not None
    return [name for name in loaded.unit.loaded.config.quasi_identifiers if name != loaded.config.unit.key]


def class_columns(loaded: LoadedDatabase) -> dict[str, str]:
    """The columns of `person_classes` by the quasi-identifiers that they hold."""
    return {name: f"qi_{position}" for position, name in enumerate(quasi_identifiers(loaded))}


def person_classes(
    loaded: LoadedDatabase, written: Mapping[str, Source], value: Callable[[Source, str, str], exp.Expr]
) -> exp.Select:
    """SELECT of the persons in tables as they stand, with their quasi-identifiers, wherever these stand: (person, and
    the columns that `class_columns` names).

    `value` gives a column of a table that goes by the name it is given.
    """
    unit = written[loaded.config.unit.table]
    statement = exp.select(exp.alias_(_text(unit, loaded.config.unit.key, "written"), "person"))
    statement = statement.from_(unit.relation.copy().subquery("written"))
    columns, joined = class_columns(loaded), loaded.joined
    for name, alias in columns.items():
        if name not in joined:
            statement = statement.select(exp.alias_(value(unit, name, "written"), alias), copy=False)
    for position, table in enumerate(table for table in loaded.tables.values() if table.via is not None):
        assert table.via is not None
        source, there = written[table.name], f"joined_{position}"
        own_row = exp.EQ(this=_text(unit, table.via.column, "written"), expression=_text(source, table.via.key, there))
        statement = statement.join(source.relation.copy().subquery(there), on=own_row, join_type="left", copy=False)
        for name in table.joined:
            held = exp.alias_(value(source, name, there), columns[table.joined_name(name)])
            statement = statement.select(held, copy=False)
    return statement


def persons_with_several(
    engine: Engine, loaded: LoadedDatabase, written: Mapping[str, Source]
) -> Iterator[tuple[TableConfig, int]]:
    """Each table with quasi-identifiers of persons, and how many of these find several rows there."""
    unit = written[loaded.config.unit.table]
    for table in loaded.tables.values():
        if table.via is not None:
            keys = _select(written[table.name], [(table.via.key, "key")])
            yield table, count_several(engine, _select(unit, [(table.via.column, "key")]), keys)


def _problems_of_joined(engine: Engine, loaded: LoadedDatabase, written: Mapping[str, Source]) -> Iterator[str]:
    """What tells apart persons of one class in tables with quasi-identifiers of theirs."""
    for table, several in persons_with_several(engine, loaded, written):
        source, via = written[table.name], table.via
        assert via is not None
        if several:
            yield f"{several:,} persons find several rows in {table.name} by {via.key!r}"
        if via.column in loaded.shared:
            values = [(name, f"value_{i}") for i, name in enumerate(table.joined)]
            repeated = count_repeated(engine, _select(source, values), [alias for _, alias in values])
            if repeated:
                yield (
                    f"{repeated:,} rows of {table.name} have the quasi-identifiers of another row: persons of one "
                    "class are told apart by which they have"
                )


def list_written_facts(
    engine: Engine, loaded: LoadedDatabase, tables: Mapping[str, OpenTable], written: Mapping[str, Source]
) -> bool:
    """Makes the facts of each person of tables as they stand; whether any table tells facts."""
    parts = [_person_facts(tables, written, table) for table in tables.values() if table.config.facts]
    if not parts:
        return False
    known = loaded.config.facts
    by_class = known is not None and known.among == "quasi_identifiers"
    texts = [column(name, "persons") for name in class_columns(loaded).values()] if by_class else []
    classes = exp.Array(expressions=texts or [exp.Literal.string("")])
    persons = exp.select(column("person", "persons"), exp.alias_(classes, "class"))
    list_facts(engine, parts, persons.from_(person_classes(loaded, written, _text).subquery("persons")))
    return True


def _told_values(loaded: LoadedDatabase, tables: Mapping[str, OpenTable], written: Mapping[str, Source]) -> exp.Select:
    """SELECT of the sensitive values of persons, each once, of all tables: (person, value)."""
    parts: list[exp.Expr] = []
    for name, columns in loaded.sensitive.items():
        source, table = written[name], tables[name]
        for held in columns:
            if table.config.is_unit:
                rows = _select(source, [(loaded.config.unit.key, "person")])
                value = _text(source, held, "written")
            else:
                rows, value = _owners(tables, written, table), _text(source, held, "facts_of")
            # Texts that mean missing stand in the release as they are; the search takes them for no value either.
            value = null_for(value, table.source.missing if table.source.column(held).is_text else ())
            named = exp.Array(expressions=[exp.Literal.string(f"{name}.{held}"), value])
            rows = rows.select(exp.alias_(named, "value"), copy=False)
            parts.append(rows.where(exp.not_(exp.Is(this=value.copy(), expression=exp.null())), copy=False))
    return exp.select("person", "value").distinct().from_(rows_of(parts, "told"))


def _dangling(
    engine: Engine,
    loaded: LoadedDatabase,
    tables: Mapping[str, OpenTable],
    written: Mapping[str, Source],
    homes: Mapping[str, Sequence[str]],
) -> tuple[int, list[str]]:
    """(how many columns of keys were looked at, those with values that lead nowhere)."""
    looked_at: set[tuple[str, str]] = set()
    problems: list[str] = []
    for key, home in [(key, home) for key, at_home in homes.items() for home in at_home]:
        if key not in tables[home].keys:
            continue
        at_home = _select(written[home], [(tables[home].keys[key].name, "key")])
        for name, table in tables.items():
            for held in _columns_of(loaded, table, key):
                if name == home and held == key:
                    continue
                looked_at.add((name, held))
                dangling = dangling_keys(engine, _select(written[name], [(held, "key")]), at_home)
                if dangling:
                    problems.append(f"{dangling:,} values of {held!r} in {name} lead to no row of {home}")
    return len(looked_at), problems


def _columns_of(loaded: LoadedDatabase, table: OpenTable, key: str) -> list[str]:
    """The columns of a table that hold a key."""
    return [name for name, of in loaded.key_names(table.config, list(table.keys)).items() if of == key]


def _person_facts(tables: Mapping[str, OpenTable], written: Mapping[str, Source], table: OpenTable) -> exp.Select:
    """SELECT of the facts that a table tells, each as text with the person: (person, fact)."""
    source = written[table.name]
    values = [exp.Literal.string(table.name), *(_text(source, name, "facts_of") for name in table.config.facts)]
    fact = exp.cast(exp.Anonymous(this="to_json", expressions=[exp.Array(expressions=values)]), "VARCHAR")
    return _owners(tables, written, table).select(exp.alias_(fact, "fact"), copy=False).distinct()


def _owners(tables: Mapping[str, OpenTable], written: Mapping[str, Source], table: OpenTable) -> exp.Select:
    """SELECT of the person of each row of a table, whose columns are those of `facts_of`."""
    owner, joins = _owner(tables, written, table, "facts_of")
    statement = exp.select(exp.alias_(owner, "person"))
    statement = statement.from_(written[table.name].relation.copy().subquery("facts_of"))
    for joined, condition in joins:
        statement = statement.join(joined, on=condition, copy=False)
    return statement


def _owner(
    tables: Mapping[str, OpenTable], written: Mapping[str, Source], table: OpenTable, name: str
) -> tuple[exp.Expr, list[tuple[exp.Subquery, exp.Expr]]]:
    """(the key of a row's person, the joins that lead to it)."""
    joins: list[tuple[exp.Subquery, exp.Expr]] = []
    here, link, source = name, table.config.link, written[table.name]
    while link is not None and link.through is not None:
        own = _text(source, link.column, here)
        source, here = written[link.through], f"owner_{len(joins)}"
        condition = exp.EQ(this=own, expression=_text(source, link.column, here))
        joins.append((source.relation.copy().subquery(here), condition))
        link = tables[link.through].config.link
    assert link is not None
    return _text(source, link.column, here), joins


def _text(source: Source, name: str, table: str | None = None) -> exp.Expr:
    """A value as text, NULL where it is missing."""
    key = source.column(name).key
    value: exp.Expr = column(key) if table is None else column(key, table)
    return exp.cast(null_for(value, ("",) if source.only_texts else ()), "VARCHAR")


def _select(source: Source, named: list[tuple[str, str]]) -> exp.Select:
    """SELECT of columns of a table as texts, NULL where they are missing."""
    values = [exp.alias_(_text(source, name, "written"), alias, quoted=True) for name, alias in named]
    return exp.select(*values).from_(source.relation.copy().subquery("written"))
