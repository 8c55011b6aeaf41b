"""The population from which a table was drawn: how many of its persons fall under each class of the table.

A class of the table as it was collected is matched by equal values. A released value stands for every value below it
in its hierarchy, and `*` for every value. Where all values of a released column are labels of one level, as
full-domain generalization releases them, they are read at the lowest such level; else each at the highest at which it
is a label. Classes are matched level by level, and so by grouping the population a few times, never row by row.

How many persons of the population are unique, where its size is known and its table is not.

The table is taken to be a random sample. The models are those of `kanon_sql.privacy.uniqueness`; they read how many
classes there are of each size, and nothing else.

The risk of a sample whose rows have weights: each stands for so many persons of the population.

The persons F of the population who fall under a class of f rows are not known. Given f they are taken to have the
negative binomial distribution of f successes with the chance p, estimated as f / the sum of the weights in the class;
the risk of a row is the expected 1/F. With weights of 1 the table is its population, and that is 1/f.

R. Benedetti, L. Franconi: Statistical and technological solutions for controlled data dissemination. Pre-proceedings of
New Techniques and Technologies for Statistics 1, 1998; L. Franconi, S. Polettini: Individual risk estimation in
mu-Argus: a review. Privacy in Statistical Databases, LNCS 3050, 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.errors import ConfigurationError, EngineError, UnfittingSourceError
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn
from kanon_sql.hierarchy.mapping import MappingTable, build_mapping
from kanon_sql.measures.risk.table import RiskTable, count_tuples, value_name
from kanon_sql.privacy.uniqueness import ClassSizes, estimate_uniqueness
from kanon_sql.progress import Progress
from kanon_sql.report.report import rounded
from kanon_sql.search.prepare import load_hierarchies
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.columns import counted_values, normalized, person, read_columns, refuse_misfits
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.opening import open_described
from kanon_sql.sql import tables
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.tables import NUMERIC
from kanon_sql.sql.template import Item, column, fill, state

if TYPE_CHECKING:
    from kanon_sql.results.risk import PopulationUniqueness, WeightedRisk

_TUPLES = "risk_population"


def open_population(engine: Engine, loaded: LoadedConfig, path: Path, source: Source) -> Source:
    """Opens the population's file. Raises ConfigurationError where a quasi-identifier is not among its columns."""
    names = list(loaded.config.quasi_identifiers)
    described = SourceConfig(path=str(path.absolute()), missing=list(source.missing) or None)
    opened = open_described(engine, described, loaded.base, names, "--population")
    columns = loaded.config.source.columns
    opened = read_columns(opened, columns, partial(loaded.place, "source", "columns"), only_there=True)
    present = {population_column.name for population_column in opened.columns}
    problems = [
        f"--population {path}: there is no column {name!r}; expected every quasi-identifier, under its name"
        for name in names
        if name not in present
    ]
    if problems:
        raise ConfigurationError(problems)
    return replace(opened, label=str(path))


@dataclass(frozen=True)
class CountedPopulation:
    """The persons of the population in the engine.

    `combinations` of quasi-identifier values are among its `rows`, `alone` persons have one of their own; `mappings`
    are the hierarchies of the quasi-identifiers, where they have any and a table may be generalized.
    """

    label: str
    rows: int
    combinations: int
    alone: int
    mappings: tuple[MappingTable | None, ...]
    warnings: tuple[str, ...]


def read_population(
    engine: Engine, loaded: LoadedConfig, population: Source, table: RiskTable, *, raw: bool, generalized: bool
) -> CountedPopulation:
    """Counts the population, its values in the types of the table's columns.

    With `generalized` the hierarchies of the configuration are laid over it; `raw` says that the table's values are
    leaves of theirs. Raises EngineError for values that do not fit the types, ConfigurationError for hierarchies.
    """
    items = [population.column(name) for name in table.names]
    with telling_faults(engine, population):
        refuse_misfits(engine, population)
        _refuse_lost(engine, population, items, table)
        values = [
            _fitted(population_column, own, population)
            for population_column, own in zip(items, table.quasi_identifiers, strict=True)
        ]
        count_tuples(engine, population.relation, state(_TUPLES), values)
        rows, combinations, alone = engine.query("measures/risk/rows", names={"tuples": state(_TUPLES)})[0]
    mappings = _mappings(engine, loaded, table, population.missing, raw) if generalized else [None] * len(items)
    cells: list[Item] = []
    for i, mapping in enumerate(mappings):
        _make_ladder(engine, i, mapping)
        for level in range(mapping.height + 1 if mapping else 1):
            cells.append({"ladder": _ladder(i), "rung": f"rung_{level}", "name": _code(i, level)})
    joins: list[Item] = [{"ladder": _ladder(i), "name": value_name(i)} for i in range(len(items))]
    engine.query("measures/risk/population_steps", names={"tuples": state(_TUPLES)}, lists={"cell": cells, "qi": joins})
    warnings = _uncovered(engine, table, mappings)
    return CountedPopulation(
        population.label, int(rows), int(combinations), int(alone), tuple(mappings), tuple(warnings)
    )


def unmatched(loaded: LoadedConfig) -> list[str]:
    """The quasi-identifiers of which a release of this configuration holds ranges or sets, which are not matched."""
    config = loaded.config
    if config.algorithm.declared.full_domain:
        return []
    return [name for name, spec in config.quasi_identifiers.items() if spec.hierarchy is None and spec.builtin is None]


def count_persons(
    engine: Engine, population: CountedPopulation, table: RiskTable, progress: Progress, *, generalized: bool
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
    engine.query("measures/risk/class_steps", names={"class_list": table.classes}, lists={"qi": items, "kept": kept})
    columns = {"size": "BIGINT", "persons": "BIGINT", **({"id": "BIGINT"} if kept else {})}
    engine.run(tables.empty(sized, columns))
    for shape in engine.query("measures/risk/shapes", lists={"qi": items}):
        grouped: list[Item] = [
            {"code": _code(i, level), "rung": f"rung_{i}"} for i, level in enumerate(shape) if level >= 0
        ]
        everywhere: list[Item] = [{"level": f"level_{i}", "number": level} for i, level in enumerate(shape)]
        engine.query(
            "measures/risk/sized",
            names={"sized_classes": sized},
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


def _fitted(population_column: Column, own: Column, population: Source) -> exp.Expr:
    """A value of the population in the type of the table's column."""
    value = normalized(population_column, population.missing)
    return value if population_column.type == own.type else exp.TryCast(this=value, to=_type(own))


def _refuse_lost(engine: Engine, population: Source, items: Sequence[Column], table: RiskTable) -> None:
    problems = []
    for population_column, own in zip(items, table.quasi_identifiers, strict=True):
        if population_column.type == own.type or own.is_text:
            continue
        value, fitted = normalized(population_column, population.missing), _fitted(population_column, own, population)
        lost: exp.Expr = exp.Is(this=fitted, expression=exp.null())
        if not population_column.is_text:
            back = exp.TryCast(this=fitted.copy(), to=_type(population_column))
            lost = exp.or_(lost, exp.NullSafeNEQ(this=back, expression=value.copy()))
        lost = exp.and_(exp.Is(this=value, expression=exp.null()).not_(), lost)
        names = {"source": population.relation, "raw_value": column(population_column.key), "lost_value": lost}
        count = engine.query("measures/risk/lost", names=names)[0][0]
        if count:
            problems.append(
                f"column {population_column.name!r} holds {count:,} distinct values that are no {own.type}, its type "
                f"in {table.label}; mend them, or name those that mean missing in source.missing"
            )
    if problems:
        raise EngineError(problems)


def _type(population_column: Column) -> exp.DataType:
    return exp.DataType.build(population_column.type, dialect="duckdb")


def _mappings(
    engine: Engine, loaded: LoadedConfig, table: RiskTable, missing: tuple[str, ...], raw: bool
) -> list[MappingTable | None]:
    """The hierarchies of the quasi-identifiers over the values of the population, and of the table where it is raw."""
    # Here no column needs a hierarchy: without one it is matched by its values.
    optional = loaded.config.model_copy(update={"algorithm": AlgorithmConfig(name="mondrian")})
    hierarchies = load_hierarchies(replace(loaded, config=optional), show_values=engine.show_values)
    mappings: list[MappingTable | None] = []
    for i, own in enumerate(table.quasi_identifiers):
        spec, hierarchy = hierarchies[own.name]
        if hierarchy is None and spec.builtin is None:
            mappings.append(None)
            continue
        read = [state(_TUPLES), table.classes] if raw else [state(_TUPLES)]
        distinct = [exp.select(exp.alias_(column(value_name(i)), "value")).from_(exp.to_table(table)) for table in read]
        values = exp.union(*distinct) if raw else distinct[0].distinct()
        present = exp.select("value").from_(values.subquery("present"))
        place = loaded.place("quasi_identifiers", own.name)
        counted = None
        if raw:
            value = replace(own, key=value_name(i))
            counted = counted_values(exp.select("*").from_(exp.to_table(table.classes)), value, weighted=True)
        hierarchy_input = GeneralizedColumn(i, own, spec, present, hierarchy, missing, place=place, counted=counted)
        mappings.append(build_mapping(engine, hierarchy_input))
    return mappings


def _make_ladder(engine: Engine, index: int, mapping: MappingTable | None) -> None:
    names = {"ladder": _ladder(index), "tuples": state(_TUPLES), "qi_name": value_name(index)}
    if mapping is None:
        engine.query("measures/risk/plain_ladder", names=names)
        return
    levels: list[Item] = [{"code": f"level_{level}", "rung": f"rung_{level}"} for level in range(1, mapping.height + 1)]
    engine.query("measures/risk/ladder", names={**names, "mapping": mapping.table}, lists={"level": levels})


def _make_steps(
    engine: Engine, index: int, table: RiskTable, mapping: MappingTable | None, *, generalized: bool
) -> None:
    """Finds the level of each value that the table has in one column."""
    if mapping is None:
        engine.query("measures/risk/plain_labels", names={"ladder": _ladder(index)})
    else:
        names = {"ladder": _ladder(index), "weight": mapping.weight_table}
        engine.query("measures/risk/labels", names=names)
    here = {"class_list": table.classes, "qi_name": value_name(index)}
    level = engine.query("measures/risk/common_level", names=here)[0][0] if generalized else 0
    engine.query(
        "measures/risk/steps",
        names={**here, "steps": _steps(index)},
        values={"level": level, "generalized": generalized},
    )


def _uncovered(engine: Engine, table: RiskTable, mappings: Sequence[MappingTable | None]) -> list[str]:
    warnings = []
    for i, mapping in enumerate(mappings):
        if mapping is None or mapping.height == 0:
            continue
        persons = engine.query("measures/risk/uncovered", names={"code": _code(i, 1)})[0][0]
        if persons:
            warnings.append(
                f"{persons:,} rows of the population hold values of {table.names[i]!r} that its hierarchy does not "
                "cover; of released values they fall under * and their own text alone"
            )
    return warnings


_MODELS = ("pitman", "zayatz", "snb")


@dataclass(frozen=True)
class Sampling:
    """What is known of the population: its persons, the share of them that the table holds, or the column that says for
    how many of them each row stands; none of it is allowed.
    """

    population_size: int | None = None
    fraction: float | None = None
    weights: str | None = None

    def faults(self) -> list[str]:
        """What is wrong with them."""
        problems = []
        size, fraction = self.population_size, self.fraction
        if size is not None and fraction is not None:
            problems.append("--population-size and --sampling-fraction say the same; expected one of them")
        if self.weights is not None and (size is not None or fraction is not None):
            option = "--sampling-fraction" if size is None else "--population-size"
            problems.append(
                f"--weights and {option} both say how many persons the population has, the weights as their sum; "
                "expected one of them"
            )
        if size is not None and size < 1:
            problems.append(f"--population-size {size}: expected the persons of the population, at least 1")
        if fraction is not None and not (isfinite(fraction) and 0 < fraction <= 1):
            problems.append(f"--sampling-fraction {fraction:g}: expected a share above 0 and at most 1, such as 0.01")
        return problems

    def persons(self, rows: int, label: str, weighted: WeightedRisk | None) -> float | None:
        """The persons of whom a table of so many rows is a sample, `weighted` perhaps; None where nothing is known.

        Raises ConfigurationError where they are fewer than the rows.
        """
        if weighted is not None:
            return float(max(rows, weighted["population_size"]))
        if self.fraction is not None:
            return rows / self.fraction
        if self.population_size is not None and self.population_size < rows:
            raise ConfigurationError(
                [
                    f"--population-size {self.population_size}: {label} has {rows:,} rows; expected at least as many "
                    "persons, of whom the rows are a sample"
                ]
            )
        return self.population_size


def describe_uniqueness(engine: Engine, persons: float) -> PopulationUniqueness:
    """The report's entry on the classes of the table class_sizes; 0 is the share of a model without an estimate."""
    sizes = ClassSizes.of(engine.query("measures/risk/counts"))
    estimate = estimate_uniqueness(sizes, persons)
    shares = {"pitman": estimate.pitman, "zayatz": estimate.zayatz, "snb": estimate.snb}
    return {
        "pitman": estimate.pitman or 0.0,
        "zayatz": estimate.zayatz or 0.0,
        "snb": estimate.snb or 0.0,
        "dankar": estimate.dankar,
        "chosen": estimate.chosen,
        "without_estimate": [model for model, share in shares.items() if share is None],
        "population_size": persons,
        "sampling_fraction": estimate.fraction,
    }


OPTION = "--weights"

_MOST = 10**15  # persons for whom one row may stand
# Decimals add up to the same sum in every order.
_NUMBER = exp.DataType.build("DECIMAL(38, 12)", dialect="duckdb")
_FEW = 19  # rows of the largest class whose risk is not taken from the series where p is small
_TERMS = 64  # beyond them the series adds less than the last digit of a double


def find_weights(source: Source, name: str) -> Column:
    """The column of weights. Raises UnfittingSourceError where there is none of this name, or it holds no numbers."""
    weight_column = next((own_column for own_column in source.columns if own_column.name == name), None)
    if weight_column is None:
        raise UnfittingSourceError(
            f"{OPTION} {name}: there is no column {name!r} in {source.label}; expected the column that says for how "
            "many persons of the population each row stands"
        )
    if not (weight_column.is_text or weight_column.type.startswith(NUMERIC)):
        raise UnfittingSourceError(
            f"{OPTION} {name}: column {name!r} is of type {weight_column.type[:40]}; expected numbers above 0: "
            "cast the column in source.query"
        )
    return weight_column


def measure_weights(
    engine: Engine, source: Source, quasi_identifiers: Sequence[Column], weights: Column, rows: exp.Select, limit: float
) -> WeightedRisk:
    """The report's part on the weighted rows of one table, with those whose risk is above the `limit`.

    Raises UnfittingSourceError where rows have no weight above 0.
    """
    number = exp.TryCast(this=person(weights, source.missing), to=_NUMBER)
    with telling_faults(engine, source):
        read: exp.Expr = source.backend.given(engine, rows, list(dict.fromkeys([*quasi_identifiers, weights])))
        if source.weighted or source.backend.weighted:
            keys: list[Item] = [
                {"key": key} for key in dict.fromkeys([weights.key, *(qi.key for qi in quasi_identifiers)])
            ]
            read = fill("measures/risk/weights/each_row", names={"source": read}, lists={"out": keys})
        names = {"source": read, "raw_weight": normalized(weights, source.missing), "weight_number": number}
        counts = engine.query("measures/risk/weights/faults", names=names, values={"most": _MOST})[0]
        persons, missing, unreadable, too_low, below_one = counts
        _refuse(weights, source, missing, unreadable, too_low)
        del names["raw_weight"]
        values = [{"value": normalized(qi, source.missing)} for qi in quasi_identifiers]
        engine.query("measures/risk/weights/classes", names=names, lists={"item": values})
    engine.query("measures/risk/weights/risks", values={"few": _FEW, "terms": _TERMS})
    row = engine.query("measures/risk/weights/measures", values={"threshold": limit})[0]
    n, highest, found_again, above, alone, alone_in_population = row
    return {
        "column": weights.name,
        "population_size": persons,
        "below_one": below_one,
        "highest": highest,
        "average": found_again / n,
        "above": {"rows": above, "share": above / n},
        "reidentifications": found_again,
        "unique": {"rows": alone, "in_population": rounded(alone_in_population)},
    }


def _refuse(weights: Column, source: Source, missing: int, unreadable: int, too_low: int) -> None:
    counts = ((missing, "no value"), (unreadable, "a value that is no number"), (too_low, "a number that is 0 or less"))
    faults = [f"{what} in {rows:,} rows" for rows, what in counts if rows]
    if faults:
        raise UnfittingSourceError(
            f"{OPTION} {weights.name}: column {weights.name!r} of {source.label} has {', '.join(faults)}; expected in "
            "each row a number above 0, the persons of the population for whom it stands"
        )
