"""Population tables: how many persons there are of each class, in the table or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.frequency.judged import population_table
from kanon_sql.frequency.table import cell_items
from kanon_sql.hierarchy.hierarchy import Input
from kanon_sql.hierarchy.mapping import Mapping, build_mapping
from kanon_sql.privacy.base import strangers
from kanon_sql.privacy.registry import Model, models_of
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.model import Column, Source
from kanon_sql.source.opening import open_described
from kanon_sql.source.roles import Roles
from kanon_sql.source.values import normalized
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, state

_FIRST = 2000  # mapping tables of populations stand beside those of the source, numbered from here
_MANY = 200


@dataclass(frozen=True)
class Population:
    """A population in the engine: its rows, the quasi-identifiers among its columns, and their mapping tables."""

    rows: exp.Select
    columns: tuple[exp.Expr, ...]
    mappings: tuple[Mapping, ...]

    def persons(self, levels: Sequence[int]) -> exp.Expr:
        """SELECT of the classes at these levels by the texts of their labels v0, v1 ..., with their persons."""
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


def _is_unchanged(mapping: Mapping, level: int) -> bool:
    """Whether values of a level are released in their own type, as they are."""
    return not level and mapping.height > 0 and mapping.column_type != "VARCHAR"


def population_configs(loaded: LoadedConfig) -> list[tuple[SourceConfig, str]]:
    """The populations that the models name, in their order, and where the configuration names them."""
    models = [model for model in models_of(loaded.config.privacy) if model.population is not None]
    return [(getattr(model.spec, "population"), loaded.place("privacy", model.key)) for model in models]  # noqa: B009


def open_populations(engine: Engine, loaded: LoadedConfig) -> list[Source]:
    """Opens the populations. Raises ConfigurationError for one that lacks a quasi-identifier."""
    names = list(loaded.config.quasi_identifiers)
    opened = []
    for config, place in population_configs(loaded):
        source = open_described(engine, config, loaded.base, names, place)
        lacking = [name for name in names if name not in {item.name for item in source.columns}]
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
    columns: Sequence[Column],
    specs: Sequence[QuasiIdentifier],
    mappings: Sequence[Mapping],
    released_missing: Sequence[str | None],
) -> tuple[Population, ...]:
    """The populations of the models, counted. Raises EngineError for one that the source is no part of."""
    found = []
    for index, source in enumerate(open_populations(engine, loaded)):
        model = next(model for model in models if model.population == index)
        place = loaded.place("privacy", model.key)
        policy = loaded.config.missing
        found.append(_read(engine, index, source, columns, specs, mappings, released_missing, policy, place))
        if model.spec.contains_table:
            _refuse_rows_without_person(engine, index, mappings)
    return tuple(found)


def _read(
    engine: Engine,
    index: int,
    source: Source,
    columns: Sequence[Column],
    specs: Sequence[QuasiIdentifier],
    mappings: Sequence[Mapping],
    released_missing: Sequence[str | None],
    policy: str,
    place: str,
) -> Population:
    """Counts a population by the codes of every level in the table population_<index>.

    `columns` are the quasi-identifiers of the source. Raises ConfigurationError for values without a place in a
    hierarchy.
    """
    values = _values(source, columns)
    rows = _taking_part(source, values, policy)
    own: list[Mapping] = []
    items: list[Item] = []
    for position, (item, spec, of_source) in enumerate(zip(columns, specs, mappings, strict=True)):
        mapping, table = of_source, of_source.table
        if of_source.builtin is not None:
            number = _FIRST + _MANY * index + position
            named = exp.alias_(values[position].copy(), "value", quoted=True)
            distinct = exp.select(named).from_(source.relation.copy().subquery("everyone")).distinct()
            released = released_missing[position]
            given = Input(number, item, spec, distinct, released_missing=released, place=place)
            mapping = build_mapping(engine, given)
            table = _joint_codes(engine, number, mapping, of_source)
        own.append(mapping)
        items.append({"mapping": table, "value": values[position]})
    cells = [
        {"mapping": items[m.index]["mapping"], "level": f"level_{level}", "name": cell["name"]}
        for (m, level), cell in zip(
            ((m, level) for m in mappings for level in range(m.height + 1)), cell_items(mappings), strict=True
        )
    ]
    engine.query(
        "frequency/population",
        names={"population": population_table(index), "source": rows},
        lists={"qi": items, "cell": cells},
    )
    uncovered = engine.query(
        "frequency/population_uncovered",
        names={"population": population_table(index)},
        lists={"qi": [{"leaf": f"q{m.index}_0"} for m in mappings]},
    )[0][0]
    if uncovered:
        raise ConfigurationError(
            f"{place}: {uncovered} rows of the population {source.label} hold values that a hierarchy does not cover; "
            "expected a row of the hierarchy for every value"
        )
    return Population(rows, tuple(values), tuple(own))


def _joint_codes(engine: Engine, number: int, mapping: Mapping, of_source: Mapping) -> str:
    """Codes of a built-in's values by their labels: those of the source where it has the label, else negative ones."""
    table = state(f"joint_{number}")
    steps: list[Item] = []
    for level in range(mapping.height + 1):
        known = (
            exp.select(
                exp.alias_(exp.cast(column(f"label_{level}"), "VARCHAR"), "label"),
                exp.alias_(column(f"level_{level}"), "code"),
            )
            .from_(exp.Table(this=exp.to_identifier(of_source.table, quoted=True)))
            .distinct()
        )
        steps.append(
            {
                "known": known,
                "table": f"known_{level}",
                "label": f"label_{level}",
                "code": f"level_{level}",
                "name": f"level_{level}",
            }
        )
    engine.query("frequency/joint_codes", names={"joint": table, "mapping": mapping.table}, lists={"step": steps})
    return table


def _values(source: Source, columns: Sequence[Column]) -> list[exp.Expr]:
    """The population's quasi-identifiers in the types of the source."""
    values = []
    for item in columns:
        there = source.column(item.name)
        value = normalized(there, source.missing)
        if there.type != item.type:
            value = exp.cast(value, item.type, dialect="duckdb")
        values.append(value)
    return values


def _taking_part(source: Source, values: Sequence[exp.Expr], policy: str) -> exp.Select:
    rows = source.relation.copy()
    if policy == "keep":
        return rows
    present = [exp.Is(this=value.copy(), expression=exp.null()).not_() for value in values]
    return exp.select("*").from_(rows.subquery("everyone")).where(*present)


def persons_as_they_stand(source: Source, roles: Roles, policy: str) -> exp.Expr:
    """SELECT of a population's classes by the texts of its values v0, v1 ..., with their persons."""
    values = [exp.cast(value, "VARCHAR") for value in _values(source, roles.quasi_identifiers)]
    rows = _taking_part(source, _values(source, roles.quasi_identifiers), policy)
    named = [exp.alias_(value.copy(), f"v{i}", quoted=True) for i, value in enumerate(values)]
    counted = exp.alias_(exp.Count(this=exp.Star()), "persons")
    return exp.select(*named, counted).from_(rows.subquery("everyone")).group_by(*values)


def _refuse_rows_without_person(engine: Engine, index: int, mappings: Sequence[Mapping]) -> None:
    """Raises EngineError where a combination of values has more rows in the table than persons in the population."""
    found = engine.query(
        "frequency/strangers",
        names={"tuples": state("tuples"), "population": population_table(index)},
        lists={"qi": [{"leaf": f"q{m.index}_0"} for m in mappings]},
    )[0][0]
    if found:
        raise EngineError(strangers(f"{found}"))
