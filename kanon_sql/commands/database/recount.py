"""What a database holds as it stands: classes of persons, keys that lead nowhere, how few persons have a set of facts.

It is counted by statements that share nothing with the search, of the tables that a run has written, or of others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from kanon_sql.commands.database.held_counts import count_held
from kanon_sql.commands.database.standing import class_columns, owners_of, person_classes, text_of, texts_of
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
from kanon_sql.report.report import Json
from kanon_sql.report.words import counted
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
    models: Json  # of values that persons hold, what a report's entry privacy says of them
    violated: dict[str, str]  # of `problems` those of these models, by column


def recount_tables(
    engine: Engine,
    loaded: LoadedDatabase,
    tables: Mapping[str, OpenTable],
    written: Mapping[str, Source],
    homes: Mapping[str, Sequence[str]],
    compared: Mapping[str, OpenTable] | None = None,
) -> DatabaseCounts:
    """Counts the tables `written`; `homes` has of each key the tables that it belongs to. Raises EngineError.

    Models that compare with all persons do so with those of the tables `compared`, or of the written ones themselves.
    """
    rows = {
        name: int(engine.run(exp.select(exp.Count(this=exp.Star())).from_(source.relation.subquery("rows")))[0][0])
        for name, source in written.items()
    }
    keys, problems = _dangling(engine, loaded, tables, written, homes)
    classes = person_classes(loaded, written, text_of)
    persons = count_persons(engine, classes, list(map(column, class_columns(loaded).values())), loaded.k)
    problems += list(_problems_of_joined(engine, loaded, written))
    if persons.below_k:
        are = counted(persons.below_k, "person is", "persons are")
        problems.append(f"{are} in classes of fewer than k = {loaded.k}")
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
        problems.append(f"a set of facts is had by {counted(actual, 'person')}, fewer than k = {loaded.k}")
    models, violated = count_held(engine, loaded, tables, written, compared)
    problems += violated.values()
    by_rows = {
        table.name: count_by_rows(engine, owners_of(tables, written, table), loaded.k)
        for table in tables.values()
        if tells_persons(tables, table)
    }
    return DatabaseCounts(rows, persons, keys, actual, problems, confidence, by_rows, models, violated)


def confidence_of(loaded: LoadedDatabase, counts: DatabaseCounts) -> dict[str, dict[str, float | None]]:
    """What a report says of the confidence with which facts tell sensitive values, where it is bounded."""
    known = loaded.config.facts
    if known is None or known.confidence is None:
        return {}
    return {"confidence": {"required": float(known.confidence), "actual": counts.confidence}}


def persons_with_several(
    engine: Engine, loaded: LoadedDatabase, written: Mapping[str, Source]
) -> Iterator[tuple[TableConfig, int]]:
    """Each table with quasi-identifiers of persons, and how many of these find several rows there."""
    unit = written[loaded.config.unit.table]
    for table in loaded.tables.values():
        if table.via is not None:
            keys = texts_of(written[table.name], [(table.via.key, "key")])
            yield table, count_several(engine, texts_of(unit, [(table.via.column, "key")]), keys)


def _problems_of_joined(engine: Engine, loaded: LoadedDatabase, written: Mapping[str, Source]) -> Iterator[str]:
    """What tells apart persons of one class in tables with quasi-identifiers of theirs."""
    for table, several in persons_with_several(engine, loaded, written):
        source, via = written[table.name], table.via
        assert via is not None
        if several:
            yield f"{counted(several, 'person finds', 'persons find')} several rows in {table.name} by {via.key!r}"
        if via.column in loaded.shared:
            values = [(name, f"value_{i}") for i, name in enumerate(table.joined)]
            repeated = count_repeated(engine, texts_of(source, values), [alias for _, alias in values])
            if repeated:
                yield (
                    f"{repeated:,} rows of {table.name} have the quasi-identifiers of another row: persons of one "
                    "class are told apart by which they have"
                )


def list_written_facts(
    engine: Engine, loaded: LoadedDatabase, tables: Mapping[str, OpenTable], written: Mapping[str, Source]
) -> bool:
    """Makes the facts of each person of tables as they stand; whether any table tells facts."""
    parts = [person_facts(tables, written, table) for table in tables.values() if table.config.facts]
    if not parts:
        return False
    known = loaded.config.facts
    by_class = known is not None and known.among == "quasi_identifiers"
    texts = [column(name, "persons") for name in class_columns(loaded).values()] if by_class else []
    classes = exp.Array(expressions=texts or [exp.Literal.string("")])
    persons = exp.select(column("person", "persons"), exp.alias_(classes, "class"))
    list_facts(engine, parts, persons.from_(person_classes(loaded, written, text_of).subquery("persons")))
    return True


def _told_values(loaded: LoadedDatabase, tables: Mapping[str, OpenTable], written: Mapping[str, Source]) -> exp.Select:
    """SELECT of the sensitive values of persons, each once, of all tables: (person, value)."""
    parts: list[exp.Expr] = []
    for name, columns in loaded.sensitive.items():
        source, table = written[name], tables[name]
        for held in columns:
            if table.config.is_unit:
                rows = texts_of(source, [(loaded.config.unit.key, "person")])
                value = text_of(source, held, "written")
            else:
                rows, value = owners_of(tables, written, table), text_of(source, held, "facts_of")
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
        at_home = texts_of(written[home], [(tables[home].keys[key].name, "key")])
        for name, table in tables.items():
            for held in _columns_of(loaded, table, key):
                if name == home and held == key:
                    continue
                looked_at.add((name, held))
                dangling = dangling_keys(engine, texts_of(written[name], [(held, "key")]), at_home)
                if dangling:
                    problems.append(f"{dangling:,} values of {held!r} in {name} lead to no row of {home}")
    return len(looked_at), problems


def _columns_of(loaded: LoadedDatabase, table: OpenTable, key: str) -> list[str]:
    """The columns of a table that hold a key."""
    return [name for name, of in loaded.key_names(table.config, list(table.keys)).items() if of == key]


def person_facts(tables: Mapping[str, OpenTable], written: Mapping[str, Source], table: OpenTable) -> exp.Select:
    """SELECT of the facts that a table as it stands tells, each as text with the person: (person, fact)."""
    source = written[table.name]
    values = [exp.Literal.string(table.name), *(text_of(source, name, "facts_of") for name in table.config.facts)]
    fact = exp.cast(exp.Anonymous(this="to_json", expressions=[exp.Array(expressions=values)]), "VARCHAR")
    return owners_of(tables, written, table).select(exp.alias_(fact, "fact"), copy=False).distinct()
