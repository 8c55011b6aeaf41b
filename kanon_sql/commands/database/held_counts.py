"""What models ask of the values that persons hold in other tables, counted in tables as they stand.

The tables are joined, each person beside her values or beside none, and pairs of a person and a value are counted as a
table is whose models count entities: by the measures of these models, not by what the search reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from kanon_sql.commands.database.standing import (
    class_columns,
    owners_of,
    person_classes,
    quasi_identifiers,
    text_of,
    with_present_keys,
)
from kanon_sql.commands.database.tables import OpenTable
from kanon_sql.config.database import LoadedDatabase
from kanon_sql.config.database_held import HeldColumn, only_models
from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.privacy.registry import MODELS, models_of
from kanon_sql.recount.counting import ClassCounts, ModelMeasures, count_classes
from kanon_sql.recount.statement import Question, Table
from kanon_sql.report.report import Json, privacy_entries
from kanon_sql.source.columns import null_for
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import understood
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, quoted

_VALUE = Column("value", "value", "VARCHAR")
Tables = Mapping[str, OpenTable]


def count_held(
    engine: Engine, loaded: LoadedDatabase, tables: Tables, written: Mapping[str, Source], compared: Tables | None
) -> tuple[Json, dict[str, str]]:
    """What a report's entry `privacy` says of the models of values that persons hold; what does not hold, by column.

    Args:
        engine: the engine.
        loaded: the configuration.
        tables: the tables of the configuration.
        written: the tables as they stand.
        compared: the tables whose persons t-closeness compares with; None for those that are counted.

    Raises: EngineError.
    """
    held, privacy = loaded.unit.held, loaded.unit.privacy
    if not held or privacy is None:
        return {}, {}
    configured = only_models(privacy, held)
    persons = person_classes(loaded, written, text_of)
    sources = written if compared is None else _read_by_run(loaded, compared)
    all_persons = persons if compared is None else _taking_part(loaded, sources)
    keys = [column(name) for name in class_columns(loaded).values()]
    models = models_of(configured)
    measures: dict[int, ModelMeasures] = {}
    problems: dict[str, str] = {}
    for name, where in held.items():
        speaking = tuple(model for model in models if model.column == name)
        emptied = written[where.table].only_texts
        rows = _with_values(persons, tables, written, where, emptied=emptied)
        reference = _with_values(all_persons, tables, sources, where, emptied=emptied)
        of_persons = Table(reference, (), {name: column("value")}, column("person"))
        attribute = Sensitive(0, replace(_VALUE, name=name), by_entity=True, kind="text")
        question = Question(1, speaking, {name: attribute}, of_persons)
        counts = count_classes(engine, Table(rows, keys, {name: column("value")}, column("person")), question)
        violated = [
            f"{reached.violating_classes:,} classes of persons violate {model.key} of {name}"
            for model, reached in zip(speaking, counts.models, strict=True)
            if reached.violating_classes
        ]
        measures |= dict(zip(map(id, speaking), counts.models, strict=True))
        if violated:
            problems[name] = "; ".join(violated)
    counted = ClassCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, models=tuple(measures[id(model)] for model in models))
    return {key: entry for key, entry in privacy_entries(configured, counted).items() if key in MODELS}, problems


def lists_hold(
    engine: Engine, loaded: LoadedDatabase, compared: Tables, released: Source, lists: Mapping[str, str]
) -> bool:
    """Whether the classes of released persons hold the models of values of which they have lists.

    Args:
        engine: the engine.
        loaded: the configuration.
        compared: the tables of the source, with whose persons t-closeness compares.
        released: the released persons, with all their quasi-identifiers.
        lists: by TABLE.COLUMN the tables (key, list) of what each person still has (see held_left.sql).

    Raises: EngineError.
    """
    assert loaded.unit.privacy is not None
    models = models_of(only_models(loaded.unit.privacy, lists))
    of_source = _taking_part(loaded, _read_by_run(loaded, compared))
    keys = [column(released.column(name).key) for name in quasi_identifiers(loaded)]
    for name, left in lists.items():
        speaking = tuple(model for model in models if model.column == name)
        own_key = exp.cast(column(released.column(loaded.config.unit.key).key, "released"), "VARCHAR")
        persons = exp.select(*(column(key.name, "released") for key in keys)).from_(
            released.relation.copy().subquery("released")
        )
        everybody = exp.select().from_(of_source.copy().subquery("everybody"))
        attribute = Sensitive(0, replace(_VALUE, name=name), by_entity=False, kind="text", several=True)
        compare = Table(_beside(everybody, column("person", "everybody"), left), (), {name: column("list")})
        rows = Table(_beside(persons, own_key, left), keys, {name: column("list")})
        counts = count_classes(engine, rows, Question(1, speaking, {name: attribute}, compare))
        if any(reached.violating_classes for reached in counts.models):
            return False
    return True


def _read_by_run(loaded: LoadedDatabase, compared: Tables) -> dict[str, Source]:
    """The tables of the source that a run compares with, by their names."""
    return {name: with_present_keys(loaded, table.config, table.source) for name, table in compared.items()}


def _beside(persons: exp.Select, own_key: exp.Expr, lists: str) -> exp.Select:
    """SELECT of persons beside their list."""
    same = exp.EQ(this=column("key", lists), expression=own_key)
    return persons.select(column("list", lists)).join(exp.Table(this=quoted(lists)), on=same)


def with_counted(privacy: Json, counted: Json) -> Json:
    """A report's entry `privacy` with the entries of models that were `counted` in place of its own."""
    whole = dict(privacy)
    for key, entries in counted.items():
        if not isinstance(entries, list):
            whole[key] = entries
            continue
        left, columns = iter(entries), {entry["column"] for entry in entries}
        whole[key] = [next(left) if entry["column"] in columns else entry for entry in privacy[key]]
    return whole


def _taking_part(loaded: LoadedDatabase, sources: Mapping[str, Source]) -> exp.Select:
    """SELECT of the persons of the source who take part (person): of whom nothing is missing that must be there."""
    unit, assumed = sources[loaded.config.unit.table], loaded.unit.loaded
    assert assumed is not None
    policy = assumed.config.missing

    def present(source: Source, name: str, table: str) -> exp.Expr:
        col = source.column(name)
        value: exp.Expr = column(col.key, table)
        texts = source.missing if col.is_text else ()
        if source is not unit:  # what is missing of persons is missing there, too
            value = exp.cast(value, "VARCHAR") if unit.only_texts else value
            of_persons = (*unit.missing, "") if unit.only_texts else unit.missing
            texts = (*texts, *(of_persons if col.is_text or unit.only_texts else ()))
        return null_for(value, texts)

    persons = person_classes(loaded, sources, present)
    if policy == "drop-any":
        for col in unit.columns:
            persons = persons.where(_is_there(present(unit, col.name, "written")))
    own = exp.select("person").from_(persons.subquery("taking_part"))
    if policy != "keep":
        own = own.where(*(_is_there(column(name)) for name in class_columns(loaded).values()))
    return own


def _is_there(value: exp.Expr) -> exp.Expr:
    return exp.not_(exp.Is(this=value, expression=exp.null()))


def _with_values(
    persons: exp.Select, tables: Tables, standing: Mapping[str, Source], held: HeldColumn, *, emptied: bool
) -> exp.Select:
    """SELECT of persons beside their values, or NULL: the columns of `persons`, and value.

    What is `emptied` does not tell an empty text from a missing one.
    """
    table, source = tables[held.table], standing[held.table]
    of_source = table.source.column(held.column)
    missing = (*table.source.missing, *([""] if emptied else [])) if of_source.is_text else ()
    value = understood(null_for(text_of(source, held.column, "facts_of"), missing), of_source.reading)
    values = owners_of(tables, standing, table).select(exp.alias_(value, "value"), copy=False).distinct()
    joined = exp.select("persons.*", column("value", "held")).from_(persons.copy().subquery("persons"))
    same = exp.EQ(this=column("person", "held"), expression=column("person", "persons"))
    return joined.join(values.subquery("held"), on=same, join_type="left")
