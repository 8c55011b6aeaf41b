"""From a configuration to the tables on which a search works: source, roles, hierarchies, frequency table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.config.arguments import in_line
from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import Config, QuasiIdentifier
from kanon_sql.errors import ConfigurationError, EngineError, KanonError
from kanon_sql.frequency.aggregated import Aggregated, read_aggregated, refuse_aggregates
from kanon_sql.frequency.dimensions import Dimension, Grid, find_grid, ordered_dimension, stratum, tree_dimension
from kanon_sql.frequency.judged import Models, count_models, model_columns, read_models
from kanon_sql.frequency.population import read_populations
from kanon_sql.frequency.table import (
    Frequency,
    FurtherColumns,
    build_frequency,
    cell_items,
    count_rows,
    count_tuples,
    leaf_items,
    participants,
    stage_tuples,
)
from kanon_sql.hierarchy.file import read_hierarchy
from kanon_sql.hierarchy.hierarchy import GeneralizedColumn, Hierarchy, inputs_of, refuse_nested
from kanon_sql.hierarchy.mapping import MappingTable, build_mapping
from kanon_sql.hierarchy.ready import find_hierarchy
from kanon_sql.hierarchy.uncovered import locating_uncovered, refuse_uncovered
from kanon_sql.privacy.registry import thresholds_of
from kanon_sql.privacy.thresholds import sufficient_k
from kanon_sql.progress import Progress
from kanon_sql.search.full_domain.checker import DuckdbNodes
from kanon_sql.search.full_domain.lattice import Lattice
from kanon_sql.search.full_domain.problem import FullDomain
from kanon_sql.search.full_domain.pushdown import (
    RemoteCombinations,
    keep_combinations,
    refuse_uncovered_alone,
    remote_frequency,
    remote_models,
    remote_tuples,
)
from kanon_sql.search.problem import Request, SearchProblem
from kanon_sql.settings.algorithms import full_domain
from kanon_sql.source.columns import refuse_misfits
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles
from kanon_sql.source.treatments.applying import refuse_outside
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, quoted, state

if TYPE_CHECKING:
    from kanon_sql.search.multidimensional import Multidimensional

_MOST_DIMENSIONS = 126  # the bits of a whole number in DuckDB


def load_hierarchies(loaded: LoadedConfig, *, show_values: bool) -> dict[str, tuple[QuasiIdentifier, Hierarchy | None]]:
    """The hierarchy files of a configuration, read and checked before any row of the source.

    A quasi-identifier that names a ready built-in gets its options. Raises ConfigurationError with the problems of all
    files.
    """
    declared, strata = loaded.config.algorithm.declared, loaded.config.algorithm.strata or ()
    hierarchies: dict[str, tuple[QuasiIdentifier, Hierarchy | None]] = {}
    problems: list[str] = []
    for name, configured in loaded.config.quasi_identifiers.items():
        place = loaded.place("quasi_identifiers", name)
        aggregate = configured.aggregate or (None if name in strata else declared.aggregate)
        spec = configured
        if aggregate != configured.aggregate:
            spec = configured.model_copy(update={"aggregate": aggregate})
        if declared.numeric and (spec.hierarchy is not None or spec.builtin is not None):
            problems.append(
                f"{place}: quasi-identifier {name!r} has a hierarchy; {loaded.config.algorithm.name} takes numbers and "
                "dates by their values: remove it, or set algorithm: local"
            )
            continue
        if spec.hierarchy is None:
            if spec.builtin is None and declared.full_domain:
                problems.append(
                    f"{place}: quasi-identifier {name!r} has no hierarchy; expected a hierarchy file, a ready one "
                    "or a builtin (suppress, prefix, intervals, date ...), or algorithm: mondrian, which needs none"
                )
            hierarchies[name] = (spec, None)
            continue
        try:
            resolved = find_hierarchy(spec.hierarchy, loaded.base, place=place)
            if isinstance(resolved, QuasiIdentifier):
                options = {key: getattr(spec, key) for key in spec.model_fields_set if key != "hierarchy"}
                hierarchies[name] = (resolved.model_copy(update=options), None)
            else:
                hierarchies[name] = (spec, read_hierarchy(resolved, show_values=show_values))
        except KanonError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return hierarchies


def prepare_search(
    engine: Engine,
    loaded: LoadedConfig,
    source: Source,
    roles: Roles,
    hierarchies: dict[str, tuple[QuasiIdentifier, Hierarchy | None]],
    progress: Progress,
) -> SearchProblem:
    """Reads the source into the frequency table, at once or, where that is cheap, column by column.

    Raises ConfigurationError for values that no hierarchy covers and for columns that cannot be generalized,
    EngineError for sources that cannot be read, NoReleaseError if no row takes part.
    """
    policy = loaded.config.missing
    rows = participants(source, roles, policy)
    refuse_nested(roles, loaded)
    with (
        telling_faults(engine, source),
        progress.step("reading the source", engine.progress),
        locating_uncovered(engine, source),
    ):
        return _read(engine, loaded, source, roles, hierarchies, rows)


def _read(
    engine: Engine,
    loaded: LoadedConfig,
    source: Source,
    roles: Roles,
    hierarchies: dict[str, tuple[QuasiIdentifier, Hierarchy | None]],
    rows: exp.Select,
) -> SearchProblem:
    columns, backend = roles.quasi_identifiers, source.backend
    policy = loaded.config.missing
    refuse_misfits(engine, source.untreated or source)
    refuse_outside(source)
    counted = count_rows(source, roles, policy) if policy != "keep" else None
    read = [*columns, *(col for col in model_columns(loaded, source) if col not in columns)]
    files = [hierarchy for _, hierarchy in hierarchies.values() if hierarchy]
    warnings = [*source.warnings, *(warning for hierarchy in files for warning in hierarchy.warnings)]
    kept = keep_combinations(loaded, backend, rows, read)
    if kept is not None and kept.searched:
        values = [kept.bring_values(engine, [qi], state(f"values_{i}")) for i, qi in enumerate(columns)]
        inputs = inputs_of(engine, loaded, source, hierarchies, values, warnings, weighted=True)
        searching = _lattice_there if loaded.config.algorithm.declared.full_domain else _dimensions_there
        n, rows, models, build = searching(engine, loaded, source, kept, inputs, warnings)
    else:
        rows = backend.given(engine, rows, read) if kept is None else kept.bring(engine)
        staged = backend.weighted or not source.columnar
        tuples = rows if backend.weighted or source.columnar else stage_tuples(engine, rows, read)
        inputs = inputs_of(engine, loaded, source, hierarchies, [tuples] * len(columns), warnings, weighted=staged)
        models = read_models(engine, loaded, source, tuples)
        reading = _Reading(tuples, models, models.further_columns(source), staged=staged, warnings=warnings)
        counting = _lattice if loaded.config.algorithm.declared.full_domain else _dimensions
        n, models, build = counting(engine, loaded, reading, inputs)
    if counted and counted[1] != n:
        raise EngineError("the source changed while it was read; run again")
    return build(source, roles, rows, models, n, counted[0] if counted else n, tuple(warnings))


_Build = Callable[[Source, Roles, exp.Select, Models, int, int, tuple[str, ...]], SearchProblem]


@dataclass(frozen=True)
class _Reading:
    """What the frequency table is counted from: rows or, if `staged`, distinct raw tuples, with the models.

    Warnings are appended to `warnings`.
    """

    tuples: exp.Select
    models: Models
    further: FurtherColumns
    staged: bool
    warnings: list[str]


def _lattice_there(
    engine: Engine,
    loaded: LoadedConfig,
    source: Source,
    kept: RemoteCombinations,
    inputs: Sequence[GeneralizedColumn],
    warnings: list[str],
) -> tuple[int, exp.Select, Models, _Build]:
    """(rows that take part, those in DuckDB that models read, models, the constructor of the full-domain problem).

    The combinations stay in the engine that holds the rows.
    """
    models, sensitive = remote_models(engine, loaded, source, kept)
    mappings = [build_mapping(engine, qi) for qi in inputs]
    frequency, nodes = remote_frequency(engine, kept, inputs, mappings, models)
    build = partial(FullDomain, frequency=frequency, lattice=_levels(mappings, frequency), nodes=nodes)
    return frequency.n, _values_of(inputs) if sensitive is None else sensitive, models, build


def _dimensions_there(
    engine: Engine,
    loaded: LoadedConfig,
    source: Source,
    kept: RemoteCombinations,
    inputs: Sequence[GeneralizedColumn],
    warnings: list[str],
) -> tuple[int, exp.Select, Models, _Build]:
    """(rows that take part, values in DuckDB, models, the constructor of the multidimensional problem).

    The combinations stay in the engine that holds the rows.
    """
    dimensions, trees, grids = _ordered_or_trees(engine, loaded, inputs, warnings)
    refuse_uncovered_alone(engine, trees)
    models, sensitive = remote_models(engine, loaded, source, kept)
    tuples, rounds = remote_tuples(engine, kept, dimensions, models)
    build = partial(_multidimensional(), tuples=tuples, bounds=_bounds(loaded), grids=grids, rounds=rounds)
    return tuples.n, _values_of(inputs) if sensitive is None else sensitive, models, build


def _values_of(inputs: Sequence[GeneralizedColumn]) -> exp.Select:
    """SELECT in DuckDB of the values of the first column, with their numbers of rows."""
    return exp.select("*").from_(exp.Table(this=quoted(state(f"values_{inputs[0].index}"))))


def _lattice(
    engine: Engine, loaded: LoadedConfig, reading: _Reading, inputs: Sequence[GeneralizedColumn]
) -> tuple[int, Models, _Build]:
    """(rows that take part, models, the constructor of the full-domain problem)."""
    mappings = [build_mapping(engine, qi) for qi in inputs]
    columns, places = [qi.column for qi in inputs], [qi.place for qi in inputs]
    frequency = build_frequency(
        engine, reading.tuples, columns, mappings, reading.further, staged=reading.staged, places=places
    )
    models = count_models(engine, reading.models, leaf_items(mappings), cell_items(mappings))
    populations = read_populations(engine, loaded, reading.models.models, inputs, mappings)
    by_input = zip(inputs, mappings, strict=True)
    aggregated = [read_aggregated(engine, qi, mapping.table, "level_0") for qi, mapping in by_input]
    _refuse_populations(loaded, reading.models, aggregated)
    build = partial(
        FullDomain,
        frequency=frequency,
        lattice=_levels(mappings, frequency),
        nodes=DuckdbNodes(engine),
        populations=populations,
        aggregated=_with_aggregate(engine, aggregated),
    )
    return frequency.n, models, build


def _refuse_populations(loaded: LoadedConfig, models: Models, aggregated: Sequence[Aggregated | None]) -> None:
    """Refuses aggregates together with models that look for released values in a population: nobody has a mean there.

    Raises ConfigurationError.
    """
    problems = [
        f"{qi.place}: aggregate: {qi.aggregate} does not go with {model.key}, which looks for released values in "
        "a population; remove one"
        for qi in aggregated
        for model in models.models
        if qi is not None and model.population is not None
    ]
    if problems:
        raise ConfigurationError(problems)


def _with_aggregate(engine: Engine, columns: Sequence[Aggregated | None]) -> tuple[Aggregated, ...]:
    """The columns that show an aggregate. Raises ConfigurationError if their values do not have it."""
    aggregated = tuple(qi for qi in columns if qi is not None)
    refuse_aggregates(engine, aggregated)
    return aggregated


def _levels(mappings: Sequence[MappingTable], frequency: Frequency) -> Lattice:
    return Lattice(tuple(m.min_level for m in mappings), tuple(m.max_level for m in mappings), frequency.heights)


def _dimensions(
    engine: Engine, loaded: LoadedConfig, reading: _Reading, inputs: Sequence[GeneralizedColumn]
) -> tuple[int, Models, _Build]:
    """(rows that take part, models, the constructor of the multidimensional problem)."""
    for model in reading.models.models:
        if model.population is not None:
            raise ConfigurationError(
                f"{loaded.place('privacy', model.key)}: {model.key} counts classes of a population, which have no "
                f"class in a release by {loaded.config.algorithm.name}; expected one of {', '.join(full_domain())}"
            )
    if loaded.config.algorithm.cut == "relaxed" and not reading.models.only_k:
        raise ConfigurationError(
            f"{loaded.place('algorithm', 'cut')}: a relaxed cut deals out rows of the same values, whose sensitive "
            "values it does not see; with models beyond k expected cut: strict or strict-le"
        )
    if len(inputs) > _MOST_DIMENSIONS:
        raise ConfigurationError(
            f"{loaded.place('quasi_identifiers')}: {len(inputs)} quasi-identifiers are more than "
            f"{loaded.config.algorithm.name} takes, at most {_MOST_DIMENSIONS}; leave some out"
        )
    dimensions, trees, grids = _ordered_or_trees(engine, loaded, inputs, reading.warnings)
    if loaded.config.algorithm.declared.numeric:
        _refuse_texts(loaded, dimensions)
    by_input = zip(inputs, dimensions, strict=True)
    aggregated = _with_aggregate(engine, [read_aggregated(engine, qi, d.domain, "position", d) for qi, d in by_input])
    tuples = count_tuples(engine, reading.tuples, dimensions, reading.further, staged=reading.staged)
    if trees:
        holes: list[Item] = [
            {"mapping": mapping.table, "key": qi.column.key, "leaf": dimensions[qi.index].position}
            for qi, mapping in trees
        ]
        columns, places = [qi.column for qi, _ in trees], [qi.place for qi, _ in trees]
        refuse_uncovered(engine, reading.tuples, columns, [mapping for _, mapping in trees], places, holes)
    models = count_models(engine, reading.models, [{"leaf": dimension.position} for dimension in dimensions], [])
    build = partial(_multidimensional(), tuples=tuples, bounds=_bounds(loaded), grids=grids, aggregated=aggregated)
    return tuples.n, models, build


def _multidimensional() -> type[Multidimensional]:
    """The problem of classes, of which a search of a lattice needs nothing."""
    from kanon_sql.search.multidimensional import Multidimensional

    return Multidimensional


def _bounds(loaded: LoadedConfig) -> bool:
    """Whether ranges are released as two columns."""
    return loaded.config.release.ranges == "columns"


def _refuse_texts(loaded: LoadedConfig, dimensions: Sequence[Dimension]) -> None:
    """Raises ConfigurationError for columns of texts, unless they are strata."""
    names = [d.column.name for d in dimensions if d.kind == "text" and not d.apart]
    if names:
        raise ConfigurationError(
            f"{loaded.place('quasi_identifiers', name)}: column {name!r} holds texts; {loaded.config.algorithm.name} "
            f"makes groups of numbers and dates: with strata: [{in_line(name)}] in the algorithm groups never mix its "
            "values, which are released as they are; or leave the column out, or set algorithm: local"
            for name in names
        )


def _ordered_or_trees(
    engine: Engine, loaded: LoadedConfig, inputs: Sequence[GeneralizedColumn], warnings: list[str]
) -> tuple[list[Dimension], list[tuple[GeneralizedColumn, MappingTable]], dict[int, Grid]]:
    """(dimensions, those with a hierarchy, grids of those whose ranges are widened); appends to `warnings`.

    A set of texts, or a range of them, names values of its class: where ranges are widened it is released as *.
    """
    widened = loaded.config.release.ranges == "widened"
    strata = loaded.config.algorithm.strata or ()
    dimensions: list[Dimension] = []
    trees: list[tuple[GeneralizedColumn, MappingTable]] = []
    grids: dict[int, Grid] = {}
    for configured in inputs:
        qi = configured
        if qi.column.name in strata:
            dimensions.append(stratum(engine, qi))
            continue
        if qi.hierarchy is None and qi.spec.builtin is None:
            ordered = ordered_dimension(engine, qi)
            whole = not widened or qi.spec.aggregate is not None
            grid = None if whole else find_grid(engine, ordered, qi.place)
            if grid is not None:
                grids[qi.index] = grid
            if grid is not None or whole:
                dimensions.append(ordered)
                continue
            warnings.append(
                f"{qi.column.name!r} is text without hierarchy: with ranges: widened several values of it are "
                "released as *; a hierarchy keeps more"
            )
            qi = replace(configured, spec=configured.spec.model_copy(update={"builtin": "suppress"}))
        mapping = build_mapping(engine, qi)
        trees.append((qi, mapping))
        dimensions.append(tree_dimension(engine, qi, mapping))
    return dimensions, trees, grids


def request_of(config: Config, n: int) -> Request:
    """What a configuration requires of a release of `n` rows."""
    weights = tuple(spec.weight for spec in config.quasi_identifiers.values())
    return Request(searched_k(config, config.privacy.k), config.suppression.rows(n), weights)


def searched_k(config: Config, k: int) -> int:
    """The k to search for.

    Algorithms without a lattice cannot check thresholds of the whole table, so they get a larger k that implies them.
    """
    return k if config.algorithm.declared.full_domain else sufficient_k(k, thresholds_of(config.privacy))
