"""Population tables: the number of persons of each class in a population of which the source is a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.frequency.judged import population_table
from kanon_sql.frequency.table import code_name
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn
from kanon_sql.hierarchy.mapping import MappingTable, build_mapping
from kanon_sql.privacy.base import strangers
from kanon_sql.privacy.registry import Model, models_of
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.columns import normalized, read_columns, refuse_misfits
from kanon_sql.source.model import Column, Source
from kanon_sql.source.opening import open_described
from kanon_sql.source.roles import Roles
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Fill, Item, column, state

_FIRST = 2000  # the mapping tables of populations are numbered from here, those of the source from 0
_MOST_COLUMNS = 200  # numbers that each population takes


@dataclass(frozen=True)
class Population:
    """A population in the engine: its rows, the quasi-identifiers among its columns, and their mapping tables."""

    rows: exp.Select
    columns: tuple[exp.Expr, ...]
    mappings: tuple[MappingTable, ...]

    def persons(self, levels: Sequence[int]) -> exp.Expr:
        """SELECT of the classes at these levels, with their numbers of persons.

        Their columns are the texts v0, v1 ... of their labels, and persons.
        """
        joined = self.rows.copy().subquery("everyone")
        labels = [
            exp.cast(column("value" if _is_unchanged(mapping, level) else f"label_{level}", f"m{i}"), "VARCHAR")
            for i, (mapping, level) in enumerate(zip(self.mappings, levels, strict=True))
        ]
        named = [exp.alias_(label, f"v{i}", quoted=True) for i, label in enumerate(labels)]
        select = exp.select(*named, exp.alias_(exp.Count(this=exp.Star()), "persons")).from_(joined)
        for i, mapping in enumerate(self.mappings):
            condition = exp.NullSafeEQ(this=column("value", f"m{i}"), expression=self.columns[i].copy())
            table = exp.alias_(exp.Table(this=exp.to_identifier(mapping.table, quoted=True)), f"m{i}", table=True)
            select = select.join(table, on=condition, join_type="left")
        return select.group_by(*(label.copy() for label in labels))


def population_configs(loaded: LoadedConfig) -> list[tuple[SourceConfig, str]]:
    """The populations that the models name, in their order, and where the configuration names them."""
    models = [model for model in models_of(loaded.config.privacy) if model.population is not None]
    return [(getattr(model.spec, "population"), loaded.place("privacy", model.key)) for model in models]  # noqa: B009


def open_populations(engine: Engine, loaded: LoadedConfig) -> list[Source]:
    """Opens the populations of the models. Raises ConfigurationError for one that lacks a quasi-identifier."""
    names = list(loaded.config.quasi_identifiers)
    opened = []
    for config, place in population_configs(loaded):
        source = open_described(engine, config, loaded.base, names, place)
        source = read_columns(source, config.columns, f"{place}: population.columns.{{}}".format)
        lacking = [name for name in names if name not in {present.name for present in source.columns}]
        if lacking:
            raise ConfigurationError(
                f"{place}: the population {source.label} lacks {', '.join(map(repr, lacking))}; expected a column for "
                "each quasi-identifier"
            )
        opened.append(source)
    return opened


def read_populations(
    engine: Engine,
    loaded: LoadedConfig,
    models: Sequence[Model],
    inputs: Sequence[GeneralizedColumn],
    mappings: Sequence[MappingTable],
) -> tuple[Population, ...]:
    """The populations of the models, counted by the codes of every level in the tables population_<index>.

    `inputs` are the quasi-identifiers of the source, with their `mappings`. Raises ConfigurationError for values that
    no hierarchy covers, EngineError if the table has more rows of a combination of values than the population has
    persons.
    """
    comparing = [model for model in models if model.population is not None]
    populations = []
    for index, (source, model) in enumerate(zip(open_populations(engine, loaded), comparing, strict=True)):
        place = loaded.place("privacy", model.key)
        values = _values(source, [qi.column for qi in inputs])
        rows = _taking_part(source, values, loaded.config.missing)
        everyone = source.relation.subquery("everyone")
        refuse_misfits(engine, source)
        numbered = [
            replace(
                qi,
                index=_FIRST + _MOST_COLUMNS * index + qi.index,
                column=replace(qi.column, reading=source.column(qi.column.name).reading),
                missing=(),
                place=place,
            )
            for qi in inputs
        ]
        coded = [
            _own_codes(engine, qi, mapping, value, everyone)
            if mapping.builtin is not None
            else (mapping, mapping.table)
            for qi, mapping, value in zip(numbered, mappings, values, strict=True)
        ]
        _count(engine, index, rows, values, mappings, [table for _, table in coded])
        _refuse_uncovered(engine, index, mappings, place, source.label)
        if model.spec.contains_table:
            _refuse_rows_without_person(engine, index, mappings)
        populations.append(Population(rows, tuple(values), tuple(mapping for mapping, _ in coded)))
    return tuple(populations)


def _own_codes(
    engine: Engine, qi: GeneralizedColumn, of_source: MappingTable, value: exp.Expr, everyone: exp.Subquery
) -> tuple[MappingTable, str]:
    """(the mapping of the population's values by a built-in, the table of their codes)."""
    named = exp.alias_(value.copy(), "value", quoted=True)
    mapping = build_mapping(engine, replace(qi, distinct=exp.select(named).from_(everyone.copy()).distinct()))
    return mapping, _joint_codes(engine, mapping, of_source)


def _count(
    engine: Engine,
    index: int,
    rows: exp.Select,
    values: Sequence[exp.Expr],
    mappings: Sequence[MappingTable],
    tables: Sequence[str],
) -> None:
    """Makes the table population_<index>; `tables` have the codes of the values."""
    leaves: list[Item] = [{"mapping": table, "value": value} for table, value in zip(tables, values, strict=True)]
    levels: list[Item] = [
        {"mapping": table, "level": f"level_{level}", "name": code_name(mapping.index, level)}
        for table, mapping in zip(tables, mappings, strict=True)
        for level in range(mapping.height + 1)
    ]
    names: dict[str, Fill] = {"population": population_table(index), "source": rows}
    engine.query("frequency/population", names=names, lists={"qi": leaves, "cell": levels})


def _joint_codes(engine: Engine, mapping: MappingTable, of_source: MappingTable) -> str:
    """The codes of a built-in's values: those of the source for a label that it has, else negative ones."""
    table = state(f"joint_{mapping.index}")
    steps: list[Item] = []
    for level in range(mapping.height + 1):
        source_codes = (
            exp.select(
                exp.alias_(exp.cast(column(f"label_{level}"), "VARCHAR"), "label"),
                exp.alias_(column(f"level_{level}"), "code"),
            )
            .from_(exp.Table(this=exp.to_identifier(of_source.table, quoted=True)))
            .distinct()
        )
        steps.append(
            {
                "known": source_codes,
                "table": f"known_{level}",
                "label": f"label_{level}",
                "code": f"level_{level}",
                "name": f"level_{level}",
            }
        )
    engine.query("frequency/joint_codes", names={"joint": table, "mapping": mapping.table}, lists={"step": steps})
    return table


def _refuse_uncovered(engine: Engine, index: int, mappings: Sequence[MappingTable], place: str, label: str) -> None:
    """Raises ConfigurationError for persons with a value that no hierarchy covers."""
    uncovered = _number(engine, "frequency/population_uncovered", {"population": population_table(index)}, mappings)
    if uncovered:
        raise ConfigurationError(
            f"{place}: {uncovered:,} rows of the population {label} hold values that a hierarchy does not cover; "
            "expected a row of the hierarchy for every value"
        )


def _refuse_rows_without_person(engine: Engine, index: int, mappings: Sequence[MappingTable]) -> None:
    """Raises EngineError where a combination of values has more rows in the table than persons in the population."""
    names = {"population": population_table(index)}
    rows = _number(engine, "frequency/strangers", names, mappings)
    if rows:
        raise EngineError(strangers(f"{rows:,}"))


def _number(engine: Engine, file: str, names: Mapping[str, Fill], mappings: Sequence[MappingTable]) -> int:
    """The number that a query gives about the tuples by their leaf codes."""
    leaves: list[Item] = [{"leaf": code_name(mapping.index, 0)} for mapping in mappings]
    return int(engine.query(file, names=names, lists={"qi": leaves})[0][0])


def persons_by_values(source: Source, roles: Roles, policy: str) -> exp.Expr:
    """SELECT of the combinations of raw values in a population, as texts v0, v1 ..., with their numbers of persons."""
    values = [exp.cast(value, "VARCHAR") for value in _values(source, roles.quasi_identifiers)]
    rows = _taking_part(source, _values(source, roles.quasi_identifiers), policy)
    named = [exp.alias_(value.copy(), f"v{i}", quoted=True) for i, value in enumerate(values)]
    counted = exp.alias_(exp.Count(this=exp.Star()), "persons")
    return exp.select(*named, counted).from_(rows.subquery("everyone")).group_by(*values)


def _is_unchanged(mapping: MappingTable, level: int) -> bool:
    """Whether the values of a level are released in their own type, as they are."""
    return not level and mapping.height > 0 and mapping.column_type != "VARCHAR"


def _values(source: Source, columns: Sequence[Column]) -> list[exp.Expr]:
    """The population's quasi-identifiers in the types of the source."""
    values = []
    for source_column in columns:
        counterpart = source.column(source_column.name)
        value = normalized(counterpart, source.missing)
        if counterpart.type != source_column.type:
            value = exp.cast(value, source_column.type, dialect="duckdb")
        values.append(value)
    return values


def _taking_part(source: Source, values: Sequence[exp.Expr], policy: str) -> exp.Select:
    rows = source.relation.copy()
    if policy == "keep":
        return rows
    present = [exp.Is(this=value.copy(), expression=exp.null()).not_() for value in values]
    return exp.select("*").from_(rows.subquery("everyone")).where(*present)
