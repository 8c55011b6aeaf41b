"""kanon-sql from Python: the same jobs as the commands, for notebooks and pipelines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.compilation import compile_solution
from kanon_sql.config.load import LoadedConfig, from_mapping, load_config
from kanon_sql.config.model import SourceConfig
from kanon_sql.deadline import Deadline
from kanon_sql.engine.connection import Engine, EngineOptions, open_engine
from kanon_sql.errors import ConfigurationError
from kanon_sql.full_domain import FULL_DOMAIN, FullDomain
from kanon_sql.handed_in import handed_in
from kanon_sql.listing import list_lattice
from kanon_sql.pipeline import allow_paths, request_of, run_configuration
from kanon_sql.preparation import load_hierarchies, prepare_search
from kanon_sql.prepared import Prepared
from kanon_sql.progress import Progress, Stopwatch
from kanon_sql.source.opening import open_source
from kanon_sql.source.roles import assign_roles
from kanon_sql.sweep_plan import DEFAULT_KS, Given, Outputs, plan_sweep
from kanon_sql.sweeping import run_plan, write_outputs
from kanon_sql.table_check import check_table

if TYPE_CHECKING:
    import duckdb

Configuration = str | os.PathLike[str] | Mapping[str, Any] | LoadedConfig
Overrides = Iterable[tuple[str, Any]]


@dataclass(frozen=True)
class RunResult:
    """What a run did. `report` is the whole JSON report; the rest is what most people look at."""

    status: str
    levels: dict[str, int]
    released: int
    suppressed: int
    classes: int
    smallest_class: int
    lm: float
    proven: bool
    warnings: tuple[str, ...]
    target: str
    report: dict[str, Any]


def load(config: Configuration, overrides: Overrides = ()) -> LoadedConfig:
    """A configuration from a file's path or a mapping. Raises ConfigurationError with every problem."""
    if isinstance(config, LoadedConfig):
        return config
    if isinstance(config, Mapping):
        return from_mapping(config, overrides=overrides)
    return load_config(config, overrides)


def run(
    config: Configuration,
    *,
    connection: duckdb.DuckDBPyConnection | None = None,
    source: str | duckdb.DuckDBPyRelation | None = None,
    target: str | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Anonymizes what a configuration names, and verifies what was written.

    With `connection`, `source` (a table or view of it, or a relation) and `target` (the table to make in it) stand
    for those of the configuration, which then needs neither; nothing else of the connection is changed.
    `overrides` are pairs such as ("privacy.k", 5). Raises the errors of kanon_sql.errors; the source and an existing
    target are then untouched.
    """
    options, progress = options or EngineOptions(), progress or Progress()
    if connection is not None:
        loaded, job = handed_in(config, connection, source, target, overrides)
    else:
        loaded, job = load(config, overrides), None
    path = _report_path(loaded, report)
    draft = run_configuration(loaded, options, progress, time_limit=time_limit, report=path, job=job)
    data = draft.to_dict()
    return RunResult(
        status=data["status"],
        levels=data["solution"].get("levels", {}),
        released=data["rows"]["released"],
        suppressed=data["rows"]["suppressed"],
        classes=data["classes"]["count"],
        smallest_class=data["classes"]["min"],
        lm=data["loss"]["lm"],
        proven=data["search"]["proven"],
        warnings=tuple(data["warnings"]),
        target=data["release"]["target"],
        report=data,
    )


def check(
    config: Configuration,
    data: str | os.PathLike[str] | None = None,
    *,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measures the configuration's source, or `data`, as it stands; the report of `kanon-sql check`.

    Its "status" is "satisfied" or "violated". Raises the errors of kanon_sql.errors when it cannot be measured.
    """
    loaded = load(config, overrides)
    if data is not None:
        loaded = with_source(loaded, Path(data))
    watch = Stopwatch()
    with open_engine(options or EngineOptions()) as engine:
        opened = open_source(engine, loaded)
        allow_paths(engine, loaded, opened, None)
        return check_table(engine, loaded, opened, progress or Progress(), watch)


def lattice(
    config: Configuration,
    *,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Every node of the full-domain lattice with its measures: what `kanon-sql lattice --json` prints.

    Raises the errors of kanon_sql.errors.
    """
    loaded = load(config, overrides)
    if loaded.config.algorithm.name not in FULL_DOMAIN:
        raise ConfigurationError(
            f"{loaded.place('algorithm')}: {loaded.config.algorithm.name} has no lattice; expected one of "
            f"{', '.join(FULL_DOMAIN)}: set algorithm"
        )
    with _prepared(loaded, options, progress) as (engine, prepared):
        assert isinstance(prepared, FullDomain)
        return list_lattice(engine, loaded, prepared, progress or Progress(), time_limit).data


def compile(
    config: Configuration,
    *,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    progress: Progress | None = None,
    dialect: str = "duckdb",
) -> str:
    """The release as one self-contained SELECT, after the search has chosen the levels.

    Raises the errors of kanon_sql.errors.
    """
    loaded = load(config, overrides)
    shown = progress or Progress()
    with _prepared(loaded, options, progress) as (engine, prepared):
        request = request_of(loaded.config, prepared.n)
        with shown.step("searching"):
            solution = prepared.solve(engine, loaded.config.algorithm, request, Deadline(time_limit), shown)
        return compile_solution(loaded, prepared, solution, dialect)


def sweep(
    configs: Given | Sequence[Given],
    *,
    k: Iterable[int | str] = DEFAULT_KS,
    limits: Iterable[int | str] | None = None,
    algorithms: Sequence[str | Mapping[str, Any]] = (),
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    output: str | os.PathLike[str] | None = None,
    plot: str | os.PathLike[str] | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Searches for every k and suppression limit, releasing nothing: what `kanon-sql sweep --json` prints.

    Each source is read once. Without `limits` each configuration's own holds; `algorithms` take the place of the
    configuration's. `output` names the table to write (.csv or .json), `plot` the drawing (.html, .svg or .png);
    `time_limit` is that of each search. A point without a release has another "status" than "released"; the errors
    of kanon_sql.errors are raised for everything else.
    """
    given = [configs] if isinstance(configs, (str, os.PathLike, Mapping)) else list(configs)
    outputs = Outputs(*(None if path is None else Path(path) for path in (output, plot, report)))
    plan = plan_sweep(load, given, k, limits, algorithms, overrides, outputs)
    shown = progress or Progress()
    data = run_plan(plan, lambda loaded: _prepared(loaded, options, shown), shown, time_limit)
    write_outputs(data, outputs)
    return data


def with_source(loaded: LoadedConfig, data: Path) -> LoadedConfig:
    """The configuration with another file as source, read with the same texts for missing."""
    source = SourceConfig(path=str(data.absolute()), missing=loaded.config.source.missing)
    return replace(loaded, config=loaded.config.model_copy(update={"source": source}))


@contextmanager
def _prepared(
    loaded: LoadedConfig, options: EngineOptions | None, progress: Progress | None
) -> Iterator[tuple[Engine, Prepared]]:
    options = options or EngineOptions()
    hierarchies = load_hierarchies(loaded, show_values=options.show_values)
    with open_engine(options) as engine:
        source = open_source(engine, loaded)
        roles = assign_roles(source, loaded)
        allow_paths(engine, loaded, source, None)
        yield engine, prepare_search(engine, loaded, source, roles, hierarchies, progress or Progress())


def _report_path(loaded: LoadedConfig, given: str | os.PathLike[str] | None) -> Path | None:
    if given is not None:
        return Path(given)
    return loaded.base / loaded.config.report if loaded.config.report is not None else None
