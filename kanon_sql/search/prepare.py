"""From a configuration to the tables that a search works on: source, roles, hierarchies, frequency table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

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
    Carried,
    Frequency,
    build_frequency,
    cell_items,
    count_rows,
    count_tuples,
    leaf_items,
    participants,
    stage_tuples,
)
from kanon_sql.hierarchy.file import read_hierarchy
from kanon_sql.hierarchy.hierarchy import Hierarchy, Input, inputs_of, refuse_nested
from kanon_sql.hierarchy.mapping import MappingTable, build_mapping
from kanon_sql.hierarchy.ready import find_hierarchy
from kanon_sql.hierarchy.uncovered import locating_uncovered, refuse_uncovered
from kanon_sql.privacy.registry import thresholds_of
from kanon_sql.privacy.thresholds import sufficient_k
from kanon_sql.progress import Progress
from kanon_sql.search.full_domain.checker import NodesHere
from kanon_sql.search.full_domain.lattice import Lattice
from kanon_sql.search.full_domain.problem import FullDomain
from kanon_sql.search.full_domain.pushdown import Kept, frequency_there, keep_combinations, models_there
from kanon_sql.search.problem import Request, SearchProblem
from kanon_sql.settings.algorithms import full_domain
from kanon_sql.source.columns import refuse_misfits
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles
from kanon_sql.source.treatments.applying import refuse_outside
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, state

_MOST_DIMENSIONS = 126  # as many as the engine's whole numbers have bits


def load_hierarchies(loaded: LoadedConfig, *, show_values: bool) -> dict[str, tuple[QuasiIdentifier, Hierarchy | None]]:
    """The hierarchy files of a configuration, read and checked before any row is.

    A quasi-identifier that names a ready built-in gets its options. Raises ConfigurationError with the problems of
    all files.
    """
    declared, strata = loaded.config.algorithm.declared, loaded.config.algorithm.strata or ()
    found: dict[str, tuple[QuasiIdentifier, Hierarchy | None]] = {}
    problems: list[str] = []
    for name, asked in loaded.config.quasi_identifiers.items():
        place = loaded.place("quasi_identifiers", name)
        shown = asked.aggregate or (None if name in strata else declared.aggregate)
        spec = asked if shown == asked.aggregate else asked.model_copy(update={"aggregate": shown})
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
            found[name] = (spec, None)
            continue
        try:
            resolved = find_hierarchy(spec.hierarchy, loaded.base, place=place)
            if isinstance(resolved, QuasiIdentifier):
                given = {key: getattr(spec, key) for key in spec.model_fields_set if key != "hierarchy"}
                found[name] = (resolved.model_copy(update=given), None)
            else:
                found[name] = (spec, read_hierarchy(resolved, show_values=show_values))
        except KanonError as error:
            problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return found


def prepare_search(
    engine: Engine,
    loaded: LoadedConfig,
    source: Source,
    roles: Roles,
    hierarchies: dict[str, tuple[QuasiIdentifier, Hierarchy | None]],
    progress: Progress,
) -> SearchProblem:
    """Reads the source once (or column by column where that is cheap) into the frequency table.

    Raises ConfigurationError for values without a place in their hierarchy and for columns that cannot be
    generalized, EngineError for sources that cannot be read, NoReleaseError when no row takes part.
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
    read = [*columns, *(item for item in model_columns(loaded, source) if item not in columns)]
    warnings = [*source.warnings, *(told for _, one in hierarchies.values() if one for told in one.warnings)]
    kept = keep_combinations(loaded, backend, rows, read)
    if kept is not None and kept.searched:
        values = [kept.bring_values(engine, [item], state(f"values_{i}")) for i, item in enumerate(columns)]
        inputs = inputs_of(engine, loaded, source, hierarchies, values, warnings, weighted=True)
        models, sensitive = models_there(engine, loaded, source, kept)
        rows = sensitive if sensitive is not None else values[0]
        n, models, build = _lattice_there(engine, kept, inputs, models)
    else:
        rows = backend.given(engine, rows, read) if kept is None else kept.bring(engine)
        staged = backend.weighted or not source.columnar
        tuples = rows if backend.weighted or source.columnar else stage_tuples(engine, rows, read)
        inputs = inputs_of(engine, loaded, source, hierarchies, [tuples] * len(columns), warnings, weighted=staged)
        judged = read_models(engine, loaded, source, tuples)
        reading = _Reading(tuples, judged, judged.carried(source), staged=staged, warnings=warnings)
        counting = _lattice if loaded.config.algorithm.declared.full_domain else _dimensions
        n, models, build = counting(engine, loaded, reading, inputs)
    return build(source, roles, rows, models, n, _source_rows(counted, n), tuple(warnings))


def _source_rows(counted: tuple[int, int] | None, n: int) -> int:
    """The rows of the source, of which `n` take part. Raises EngineError where they are not those counted before."""
    if counted and counted[1] != n:
        raise EngineError("the source changed while it was read; run again")
    return counted[0] if counted else n


_Build = Callable[[Source, Roles, exp.Select, Models, int, int, tuple[str, ...]], SearchProblem]


@dataclass(frozen=True)
class _Reading:
    """What is counted: distinct raw tuples (`staged`) or rows, with the columns that the models read.

    `warnings` are added to.
    """

    tuples: exp.Select
    judged: Models
    carried: Carried
    staged: bool
    warnings: list[str]


def _lattice(
    engine: Engine, loaded: LoadedConfig, reading: _Reading, inputs: Sequence[Input]
) -> tuple[int, Models, _Build]:
    """(rows that take part, models, how the full-domain problem is put together)."""
    mappings = [build_mapping(engine, one) for one in inputs]
    columns, places = [one.column for one in inputs], [one.place for one in inputs]
    frequency = build_frequency(
        engine, reading.tuples, columns, mappings, reading.carried, staged=reading.staged, places=places
    )
    models = count_models(engine, reading.judged, leaf_items(mappings), cell_items(mappings))
    populations = read_populations(engine, loaded, reading.judged.models, inputs, mappings)
    shown = [read_aggregated(engine, one, m.table, "level_0") for one, m in zip(inputs, mappings, strict=True)]
    _refuse_populations(loaded, reading.judged, shown)
    build = partial(
        FullDomain,
        frequency=frequency,
        lattice=_levels(mappings, frequency),
        nodes=NodesHere(engine),
        populations=populations,
        aggregated=_accepted(engine, shown),
    )
    return frequency.n, models, build


def _refuse_populations(loaded: LoadedConfig, judged: Models, shown: Sequence[Aggregated | None]) -> None:
    """Refuses aggregates beside models that compare with a population, of whose persons none has the mean of a class.

    Raises ConfigurationError.
    """
    problems = [
        f"{one.place}: aggregate: {one.aggregate} does not go with {model.key}, which looks for released values in "
        "a population; remove one"
        for one in shown
        for model in judged.models
        if one is not None and model.population is not None
    ]
    if problems:
        raise ConfigurationError(problems)


def _accepted(engine: Engine, shown: Sequence[Aggregated | None]) -> tuple[Aggregated, ...]:
    """Those that show an aggregate. Raises ConfigurationError where their values have none."""
    found = tuple(one for one in shown if one is not None)
    refuse_aggregates(engine, found)
    return found


def _lattice_there(engine: Engine, kept: Kept, inputs: Sequence[Input], models: Models) -> tuple[int, Models, _Build]:
    """The same where the combinations stay in the engine that holds the rows."""
    mappings = [build_mapping(engine, one) for one in inputs]
    frequency, nodes = frequency_there(engine, kept, inputs, mappings, models)
    build = partial(FullDomain, frequency=frequency, lattice=_levels(mappings, frequency), nodes=nodes)
    return frequency.n, models, build


def _levels(mappings: Sequence[MappingTable], frequency: Frequency) -> Lattice:
    return Lattice(tuple(m.min_level for m in mappings), tuple(m.max_level for m in mappings), frequency.heights)


def _dimensions(
    engine: Engine, loaded: LoadedConfig, reading: _Reading, inputs: Sequence[Input]
) -> tuple[int, Models, _Build]:
    """(rows that take part, models, how the multidimensional problem is put together)."""
    for model in reading.judged.models:
        if model.population is not None:
            raise ConfigurationError(
                f"{loaded.place('privacy', model.key)}: {model.key} counts classes of a population, which have no "
                f"class in a release by {loaded.config.algorithm.name}; expected one of {', '.join(full_domain())}"
            )
    if loaded.config.algorithm.cut == "relaxed" and not reading.judged.only_k:
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
    shown = [read_aggregated(engine, one, d.domain, "position", d) for one, d in zip(inputs, dimensions, strict=True)]
    aggregated = _accepted(engine, shown)
    counted = count_tuples(engine, reading.tuples, dimensions, reading.carried, staged=reading.staged)
    if trees:
        holes: list[Item] = [
            {"mapping": mapping.table, "key": one.column.key, "leaf": dimensions[one.index].position}
            for one, mapping in trees
        ]
        columns, places = [one.column for one, _ in trees], [one.place for one, _ in trees]
        refuse_uncovered(engine, reading.tuples, columns, [mapping for _, mapping in trees], places, holes)
    models = count_models(engine, reading.judged, [{"leaf": dimension.position} for dimension in dimensions], [])
    bounds = loaded.config.release.ranges == "columns"
    from kanon_sql.search.multidimensional import Multidimensional

    build = partial(Multidimensional, tuples=counted, bounds=bounds, grids=grids, aggregated=aggregated)
    return counted.n, models, build


def _refuse_texts(loaded: LoadedConfig, dimensions: Sequence[Dimension]) -> None:
    """Raises ConfigurationError for columns that hold no numbers or dates."""
    names = [d.column.name for d in dimensions if d.kind == "text" and not d.apart]
    if names:
        raise ConfigurationError(
            f"{loaded.place('quasi_identifiers', name)}: column {name!r} holds texts; {loaded.config.algorithm.name} "
            f"makes groups of numbers and dates: with strata: [{in_line(name)}] in the algorithm groups never mix its "
            "values, which are released as they are; or leave the column out, or set algorithm: local"
            for name in names
        )


def _ordered_or_trees(
    engine: Engine, loaded: LoadedConfig, inputs: Sequence[Input], warnings: list[str]
) -> tuple[list[Dimension], list[tuple[Input, MappingTable]], dict[int, Grid]]:
    """(dimensions, those that have a hierarchy, grids of those whose ranges are widened); adds to `warnings`.

    A set of texts says which values are in a class, with ends or without: where ranges are widened it is *.
    """
    widened = loaded.config.release.ranges == "widened"
    strata = loaded.config.algorithm.strata or ()
    dimensions: list[Dimension] = []
    trees: list[tuple[Input, MappingTable]] = []
    grids: dict[int, Grid] = {}
    for given in inputs:
        one = given
        if one.column.name in strata:
            dimensions.append(stratum(engine, one))
            continue
        if one.hierarchy is None and one.spec.builtin is None:
            ordered = ordered_dimension(engine, one)
            whole = not widened or one.spec.aggregate is not None
            grid = None if whole else find_grid(engine, ordered, one.place)
            if grid is not None:
                grids[one.index] = grid
            if grid is not None or whole:
                dimensions.append(ordered)
                continue
            warnings.append(
                f"{one.column.name!r} is text without hierarchy: with ranges: widened several values of it are "
                "released as *; a hierarchy keeps more"
            )
            one = replace(given, spec=given.spec.model_copy(update={"builtin": "suppress"}))
        mapping = build_mapping(engine, one)
        trees.append((one, mapping))
        dimensions.append(tree_dimension(engine, one, mapping))
    return dimensions, trees, grids


def request_of(config: Config, n: int) -> Request:
    """What a configuration asks of a release of `n` rows."""
    weights = tuple(spec.weight for spec in config.quasi_identifiers.values())
    return Request(searched_k(config, config.privacy.k), config.suppression.rows(n), weights)


def searched_k(config: Config, k: int) -> int:
    """The k that is searched for: algorithms without a lattice hold thresholds of the whole table by it alone."""
    return k if config.algorithm.declared.full_domain else sufficient_k(k, thresholds_of(config.privacy))
