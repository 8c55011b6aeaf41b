"""The population from which a table was drawn: how many of its persons fall under each class of the table.

A class of the table as it was collected is matched by equal values. A released value stands for every value below it
in its hierarchy, and `*` for every value. Where all values of a released column are labels of one level, as
full-domain generalization releases them, they are read at the lowest such level; else each at the highest at which it
is a label. Classes are matched level by level, and so by grouping the population a few times, never row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from sqlglot import exp

from kanon_sql.commands.risk.table import RiskTable, read_tuples, value_name
from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.hierarchy.hierarchy import Input
from kanon_sql.hierarchy.mapping import Mapping, build_mapping
from kanon_sql.progress import Progress
from kanon_sql.search.prepare import load_hierarchies
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.columns import read_columns, refuse_misfits
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.opening import open_described
from kanon_sql.source.values import counted_values, normalized
from kanon_sql.sql import tables
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, state

_TUPLES = state("risk_population")


def open_population(engine: Engine, loaded: LoadedConfig, path: Path, source: Source) -> Source:
    """Opens the population's file. Raises ConfigurationError where a quasi-identifier is not among its columns."""
    names = list(loaded.config.quasi_identifiers)
    described = SourceConfig(path=str(path.absolute()), missing=list(source.missing) or None)
    opened = open_described(engine, described, loaded.base, names, "--population")
    columns = loaded.config.source.columns
    opened = read_columns(opened, columns, partial(loaded.place, "source", "columns"), only_there=True)
    present = {item.name for item in opened.columns}
    problems = [
        f"--population {path}: there is no column {name!r}; expected every quasi-identifier, under its name"
        for name in names
        if name not in present
    ]
    if problems:
        raise ConfigurationError(problems)
    return replace(opened, label=str(path))


@dataclass(frozen=True)
class Population:
    """The persons of the population in the engine.

    `combinations` of quasi-identifier values are among its `rows`, `alone` persons have one of their own; `mappings`
    are the hierarchies of the quasi-identifiers, where they have any and a table may be generalized.
    """

    label: str
    rows: int
    combinations: int
    alone: int
    mappings: tuple[Mapping | None, ...]
    warnings: tuple[str, ...]


def read_population(
    engine: Engine, loaded: LoadedConfig, population: Source, table: RiskTable, *, raw: bool, generalized: bool
) -> Population:
    """Counts the population, its values in the types of the table's columns.

    With `generalized` the hierarchies of the configuration are laid over it; `raw` says that the table's values are
    leaves of theirs. Raises EngineError for values that do not fit the types, ConfigurationError for hierarchies.
    """
    items = [population.column(name) for name in table.names]
    with telling_faults(engine, population):
        refuse_misfits(engine, population)
        _refuse_lost(engine, population, items, table)
        values = [_fitted(item, own, population) for item, own in zip(items, table.quasi_identifiers, strict=True)]
        read_tuples(engine, population.relation, _TUPLES, values)
        rows, combinations, alone = engine.query("commands/risk/rows", names={"tuples": _TUPLES})[0]
    mappings = _mappings(engine, loaded, table, population.missing, raw) if generalized else [None] * len(items)
    cells: list[Item] = []
    for i, mapping in enumerate(mappings):
        _make_ladder(engine, i, mapping)
        for level in range(mapping.height + 1 if mapping else 1):
            cells.append({"ladder": _ladder(i), "rung": f"rung_{level}", "name": _code(i, level)})
    joins: list[Item] = [{"ladder": _ladder(i), "name": value_name(i)} for i in range(len(items))]
    names = {"tuples": _TUPLES, "population_steps": state("risk_population_steps")}
    engine.query("commands/risk/population_steps", names=names, lists={"cell": cells, "qi": joins})
    warnings = _uncovered(engine, table, mappings)
    return Population(population.label, int(rows), int(combinations), int(alone), tuple(mappings), tuple(warnings))


def unmatched(loaded: LoadedConfig) -> list[str]:
    """The quasi-identifiers of which a release of this configuration holds ranges or sets, which are not matched."""
    config = loaded.config
    if config.algorithm.declared.full_domain:
        return []
    return [name for name, spec in config.quasi_identifiers.items() if spec.hierarchy is None and spec.builtin is None]


def count_persons(
    engine: Engine, population: Population, table: RiskTable, progress: Progress, *, generalized: bool
) -> str:
    """Makes a table (size, persons) of the table's classes, persons NULL where nobody falls under; its name.

    Where classes are numbered, it has their numbers (id) as well.
    """
    sized = state("risk_sized")
    kept: list[Item] = [{"name": "id"}] if table.members is not None else []
    items: list[Item] = []
    for i, mapping in enumerate(population.mappings):
        _make_steps(engine, i, table, mapping if generalized else None, generalized=generalized)
        items.append({"steps": _steps(i), "name": value_name(i), "level": f"level_{i}", "rung": f"rung_{i}"})
    steps = {"class_steps": state("risk_class_steps")}
    names = {**steps, "class_list": table.classes}
    engine.query("commands/risk/class_steps", names=names, lists={"qi": items, "kept": kept})
    columns = {"size": "BIGINT", "persons": "BIGINT", **({"id": "BIGINT"} if kept else {})}
    engine.run(tables.empty(sized, columns))
    for shape in engine.query("commands/risk/shapes", names=steps, lists={"qi": items}):
        grouped: list[Item] = [
            {"code": _code(i, level), "rung": f"rung_{i}"} for i, level in enumerate(shape) if level >= 0
        ]
        everywhere: list[Item] = [{"level": f"level_{i}", "number": level} for i, level in enumerate(shape)]
        engine.query(
            "commands/risk/sized",
            names={**steps, "sized_classes": sized, "population_steps": state("risk_population_steps")},
            lists={"this": grouped, "all": everywhere, "kept": kept},
        )
        progress.advance(1, "combinations of levels")
    return sized


def _code(index: int, level: int) -> str:
    return f"q{index}_{level}"


def _ladder(index: int) -> str:
    return state(f"risk_ladder_{index}")


def _steps(index: int) -> str:
    return state(f"risk_steps_{index}")


def _fitted(item: Column, own: Column, population: Source) -> exp.Expr:
    """A value of the population in the type of the table's column."""
    value = normalized(item, population.missing)
    return value if item.type == own.type else exp.TryCast(this=value, to=_type(own))


def _refuse_lost(engine: Engine, population: Source, items: Sequence[Column], table: RiskTable) -> None:
    problems = []
    for item, own in zip(items, table.quasi_identifiers, strict=True):
        if item.type == own.type or own.is_text:
            continue
        value, fitted = normalized(item, population.missing), _fitted(item, own, population)
        lost: exp.Expr = exp.Is(this=fitted, expression=exp.null())
        if not item.is_text:
            back = exp.TryCast(this=fitted.copy(), to=_type(item))
            lost = exp.or_(lost, exp.NullSafeNEQ(this=back, expression=value.copy()))
        lost = exp.and_(exp.Is(this=value, expression=exp.null()).not_(), lost)
        names = {"source": population.relation, "raw_value": column(item.key), "lost_value": lost}
        count = engine.query("commands/risk/lost", names=names)[0][0]
        if count:
            problems.append(
                f"column {item.name!r} holds {count} distinct values that are no {own.type}, its type in "
                f"{table.label}; mend them, or name those that mean missing in source.missing"
            )
    if problems:
        raise EngineError(problems)


def _type(item: Column) -> exp.DataType:
    return exp.DataType.build(item.type, dialect="duckdb")


def _mappings(
    engine: Engine, loaded: LoadedConfig, table: RiskTable, missing: tuple[str, ...], raw: bool
) -> list[Mapping | None]:
    """The hierarchies of the quasi-identifiers over the values of the population, and of the table where it is raw."""
    # Here no column needs a hierarchy: without one it is matched by its values.
    optional = loaded.config.model_copy(update={"algorithm": AlgorithmConfig(name="mondrian")})
    hierarchies = load_hierarchies(replace(loaded, config=optional), show_values=engine.show_values)
    made: list[Mapping | None] = []
    for i, own in enumerate(table.quasi_identifiers):
        spec, hierarchy = hierarchies[own.name]
        if hierarchy is None and spec.builtin is None:
            made.append(None)
            continue
        read = [_TUPLES, table.classes] if raw else [_TUPLES]
        distinct = [exp.select(exp.alias_(column(value_name(i)), "value")).from_(exp.to_table(one)) for one in read]
        values = exp.union(*distinct) if raw else distinct[0].distinct()
        present = exp.select("value").from_(values.subquery("present"))
        place = loaded.place("quasi_identifiers", own.name)
        counted = None
        if raw:
            value = replace(own, key=value_name(i))
            counted = counted_values(exp.select("*").from_(exp.to_table(table.classes)), value, weighted=True)
        one = Input(i, own, spec, present, hierarchy, missing, place=place, counted=counted)
        made.append(build_mapping(engine, one))
    return made


def _make_ladder(engine: Engine, index: int, mapping: Mapping | None) -> None:
    names = {"ladder": _ladder(index), "tuples": _TUPLES, "qi_name": value_name(index)}
    if mapping is None:
        engine.query("commands/risk/plain_ladder", names=names)
        return
    levels: list[Item] = [{"code": f"level_{level}", "rung": f"rung_{level}"} for level in range(1, mapping.height + 1)]
    engine.query("commands/risk/ladder", names={**names, "mapping": mapping.table}, lists={"level": levels})


def _make_steps(engine: Engine, index: int, table: RiskTable, mapping: Mapping | None, *, generalized: bool) -> None:
    """Finds the level of each value that the table has in one column."""
    labels = {"labels": state("risk_labels")}
    if mapping is None:
        engine.query("commands/risk/plain_labels", names={**labels, "ladder": _ladder(index)})
    else:
        names = {**labels, "ladder": _ladder(index), "weight": mapping.weight_table}
        engine.query("commands/risk/labels", names=names)
    here = {**labels, "class_list": table.classes, "qi_name": value_name(index)}
    level = engine.query("commands/risk/common_level", names=here)[0][0] if generalized else 0
    engine.query(
        "commands/risk/steps",
        names={**here, "steps": _steps(index)},
        values={"level": level, "generalized": generalized},
    )


def _uncovered(engine: Engine, table: RiskTable, mappings: Sequence[Mapping | None]) -> list[str]:
    warnings = []
    names = {"population_steps": state("risk_population_steps")}
    for i, mapping in enumerate(mappings):
        if mapping is None or mapping.height == 0:
            continue
        persons = engine.query("commands/risk/uncovered", names={**names, "code": _code(i, 1)})[0][0]
        if persons:
            warnings.append(
                f"{persons} rows of the population hold values of {table.names[i]!r} that its hierarchy does not "
                "cover; of released values they fall under * and their own text alone"
            )
    return warnings
