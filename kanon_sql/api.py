"""kanon-sql from Python: the same jobs as the commands, for notebooks and pipelines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.compilation import Compiled, compile_configuration, describe_compiled
from kanon_sql.config.load import LoadedConfig, from_mapping, load_config
from kanon_sql.config.model import EngineConfig
from kanon_sql.config.source import SourceConfig
from kanon_sql.dbt.model import DbtModel, write_model
from kanon_sql.deadline import Deadline
from kanon_sql.engine.connection import Engine, EngineOptions, open_engine
from kanon_sql.engines.handed_in import SessionJob, handed_in_session, is_session
from kanon_sql.engines.opening import open_reading, refuse_elsewhere
from kanon_sql.errors import ConfigurationError, KanonError
from kanon_sql.full_domain import FULL_DOMAIN, FullDomain
from kanon_sql.handed_in import Job, handed_in
from kanon_sql.linking.run import Pair, run_link
from kanon_sql.listing import list_lattice
from kanon_sql.pipeline import (
    allow_paths,
    configured_warnings,
    describe_algorithm,
    refuse_report,
    run_configuration,
)
from kanon_sql.plot.risk import write_risk_plot
from kanon_sql.preparation import load_hierarchies, prepare_search
from kanon_sql.prepared import Prepared
from kanon_sql.progress import Progress, Stopwatch
from kanon_sql.release.compiled_source import Statement
from kanon_sql.releases.apply import apply_release
from kanon_sql.releases.apply_request import ApplyRequest
from kanon_sql.releases.ledger import Entry, find_entry, read_ledger
from kanon_sql.releases.run import run_check
from kanon_sql.report import ReportDraft, write_json
from kanon_sql.risks.request import THRESHOLD, RiskRequest
from kanon_sql.risks.run import measure_risk
from kanon_sql.source.opening import open_source
from kanon_sql.source.roles import assign_roles
from kanon_sql.sqlmesh.model import SqlmeshModel
from kanon_sql.sqlmesh.model import write_model as write_sqlmesh
from kanon_sql.sweep_plan import DEFAULT_KS, Given, Outputs, plan_sweep
from kanon_sql.sweeping import run_plan, write_outputs
from kanon_sql.table_check import check_table

if TYPE_CHECKING:
    import duckdb
    from pyspark.sql import DataFrame, SparkSession

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
    connection: duckdb.DuckDBPyConnection | SparkSession | None = None,
    source: str | duckdb.DuckDBPyRelation | DataFrame | None = None,
    target: str | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Anonymizes what a configuration names, and verifies what was written.

    With a `connection` of DuckDB, `source` (a table or view of it, or a relation) and `target` (the table to make in
    it) stand for those of the configuration, which then needs neither; nothing else of the connection is changed. With
    a Spark session that executes the job: its `source` (a table, view or DataFrame) and `target` (a table) may stand
    for those of the configuration.
    `overrides` are pairs such as ("privacy.k", 5). Raises the errors of kanon_sql.errors; the source and an existing
    target are then untouched.
    """
    options, progress = options or EngineOptions(), progress or Progress()
    job: Job | SessionJob | None
    if is_session(connection):
        loaded, job = handed_in_session(config, connection, source, target, overrides)
    elif connection is not None:
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
    reference: str | os.PathLike[str] | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measures the configuration's source, or `data`, as it stands; the report of `kanon-sql check`.

    Distributions of sensitive values are compared with those of the file `reference`, else with the table's own. Its
    "status" is "satisfied" or "violated". Raises the errors of kanon_sql.errors when it cannot be measured.
    """
    loaded = load(config, overrides)
    if data is not None:
        loaded = with_source(loaded, Path(data))
    watch = Stopwatch()
    with open_reading(loaded, options or EngineOptions()) as (engine, opened):
        compared = open_source(engine, with_source(loaded, Path(reference))) if reference is not None else None
        allow_paths(engine, loaded, opened, None, [compared] if compared else [])
        return check_table(engine, loaded, opened, progress or Progress(), watch, compared)


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
    dialect: str = "duckdb",
    source_table: str | None = None,
    mappings: str = "inline",
    mapping_folder: str | os.PathLike[str] | None = None,
    mapping_prefix: str = "kanon_sql_",
    check: bool = False,
    release_table: str | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> str:
    """The release as one self-contained SELECT in a dialect, after the search: what `kanon-sql compile` prints.

    `source_table` is the table to read, else the source itself (DuckDB) or a table of its name. With `mappings`
    "table" the mapping tables are written to `mapping_folder` as CSV and named `mapping_prefix`...; with `check` it is
    the statement that returns violating classes, of the table `release_table` or of the release as the statement would
    make it. Raises the errors of kanon_sql.errors.
    """
    folder = None if mapping_folder is None else Path(mapping_folder)
    statement = Statement(dialect, source_table, mappings, folder, mapping_prefix, check, release_table)
    path = None if report is None else Path(report)
    data = compile_report(load(config, overrides), statement, options, time_limit, path, progress)
    return str(data["statement"]["sql"])


def compile_report(
    loaded: LoadedConfig,
    statement: Statement,
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: Path | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """What `kanon-sql compile --json` prints; written to `report` however it ends. Raises as `compile` does."""
    return _compiled(loaded, statement, options, time_limit, report, progress)[0]


def dbt_model(
    config: Configuration,
    project: str | os.PathLike[str],
    name: str,
    relation: str,
    *,
    dialect: str = "duckdb",
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Searches and writes the release into a dbt project: what `kanon-sql dbt compile` does.

    The model `name` reads `relation`, as "ref('people')"; its mapping tables are seeds. The report of `compile`, with
    "files". Raises the errors of kanon_sql.errors; nothing is replaced.
    """
    asked = DbtModel(Path(project), name, relation, dialect)
    asked.refuse()
    loaded, path = load(config, overrides), None if report is None else Path(report)

    def compile_with(table: str, prefix: str, folder: Path) -> tuple[dict[str, Any], Compiled]:
        statement = Statement(dialect, table, "table", folder, prefix)
        return _compiled(loaded, statement, options, time_limit, path, progress)

    data = write_model(asked, loaded, compile_with)
    if path is not None:
        write_json(path, data)
    return data


def sqlmesh_model(
    config: Configuration,
    project: str | os.PathLike[str],
    name: str,
    relation: str,
    *,
    dialect: str = "duckdb",
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Searches and writes the release into a SQLMesh project: what `kanon-sql sqlmesh compile` does.

    The model `name` reads the model or table `relation`; its mapping tables are in its text. The report of `compile`,
    with "files". Raises the errors of kanon_sql.errors; nothing is replaced.
    """
    asked = SqlmeshModel(Path(project), name, relation, dialect)
    asked.refuse()
    loaded, path = load(config, overrides), None if report is None else Path(report)
    statement = Statement(dialect, relation)
    data = write_sqlmesh(asked, loaded, lambda: _compiled(loaded, statement, options, time_limit, path, progress))
    if path is not None:
        write_json(path, data)
    return data


def _compiled(
    loaded: LoadedConfig,
    statement: Statement,
    options: EngineOptions | None,
    time_limit: float | None,
    report: Path | None,
    progress: Progress | None,
) -> tuple[dict[str, Any], Compiled]:
    statement.refuse()
    shown, watch = progress or Progress(), Stopwatch()
    draft = ReportDraft(describe_algorithm(loaded.config.algorithm), loaded.config.privacy)
    configured_warnings(loaded, draft)
    if report is not None:
        refuse_report(loaded, report)
    try:
        with _prepared(loaded, options, shown) as (engine, prepared):
            compiled = compile_configuration(engine, loaded, prepared, statement, draft, shown, Deadline(time_limit))
    except KanonError as error:
        error.redact(loaded.redact)
        draft.fail(error)
        draft.seconds = {"total": watch.total()}
        error.report = draft.to_dict()
        if report is not None:
            write_json(report, error.report)
        raise
    draft.seconds = {"total": watch.total()}
    data = describe_compiled(draft, statement, compiled)
    if report is not None:
        write_json(report, data)
    return data, compiled


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


def risk(
    config: Configuration,
    *,
    population: str | os.PathLike[str] | None = None,
    threshold: float = THRESHOLD,
    subsets: int | None = None,
    all_columns: bool = False,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    plot: str | os.PathLike[str] | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measures the risk of re-identification in the configuration's source, and in its target where that exists.

    What `kanon-sql risk --json` prints: "before" and "after" with prosecutor, journalist (only with the file
    `population`) and marketer risk, the rows above `threshold`, class sizes, and every subset of up to `subsets` of the
    quasi-identifiers, or with `all_columns` of all columns. `plot` names the drawing to write (.html, .svg or .png).
    Raises the errors of kanon_sql.errors; EngineError where the population contradicts the table.
    """
    loaded = load(config, overrides)
    files = (None if path is None else Path(path) for path in (population, plot, report))
    asked = RiskRequest(threshold, subsets, all_columns, *files)
    asked.refuse()
    refuse_elsewhere(loaded, "risk")
    watch = Stopwatch()
    with open_engine(options or EngineOptions()) as engine:
        data = measure_risk(engine, loaded, asked, progress or Progress(), watch, time_limit)
    if asked.plot is not None:
        write_risk_plot(asked.plot, data)
    if asked.report is not None:
        write_json(asked.report, data)
    return data


def link(
    release: str | os.PathLike[str],
    external: str | os.PathLike[str],
    on: Sequence[Pair],
    *,
    release_config: Configuration | None = None,
    missing: Sequence[str] = (),
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Joins an external table about persons (one row each) to a table or release: what `kanon-sql link --json` prints.

    `on` names the columns to compare, or pairs (column of the release, column of the external table). With
    `release_config`, the configuration that the release was made by, a generalized value matches every value below it;
    without it values match when they are equal, or *. `missing` are texts of the external table that mean missing.
    Raises the errors of kanon_sql.errors.
    """
    loaded = None if release_config is None else load(release_config, overrides)
    data = run_link(
        Path(release), Path(external), on, loaded, missing, options or EngineOptions(), progress or Progress()
    )
    if report is not None:
        write_json(Path(report), data)
    return data


def check_releases(
    first: str | os.PathLike[str],
    second: str | os.PathLike[str],
    quasi_identifiers: Sequence[str] = (),
    *,
    on: Sequence[str] = (),
    k: int | None = None,
    source: str | os.PathLike[str] | None = None,
    config: Configuration | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Joins two releases of the same rows: what `kanon-sql releases check --json` prints.

    Rows match when they are equal in the columns `on` and their values of the quasi-identifiers overlap, through the
    hierarchies of `config`, which also stands in for `quasi_identifiers` and `k`. "status" is "violated" where a
    combined tuple stands for fewer than k rows: at most, or with `source` counted there. Raises the errors of
    kanon_sql.errors.
    """
    loaded = None if config is None else load(config, overrides)
    if k is None:
        if loaded is None:
            raise ConfigurationError("k is not given; expected k, or a configuration with privacy.k")
        k = loaded.config.privacy.k
    data = run_check(
        Path(first),
        Path(second),
        quasi_identifiers,
        on,
        k,
        None if source is None else Path(source),
        loaded,
        options or EngineOptions(),
        progress or Progress(),
    )
    if report is not None:
        write_json(Path(report), data)
    return data


def list_releases(ledger: str | os.PathLike[str]) -> dict[str, Any]:
    """The releases of a ledger, or of the ledger that a configuration names: `kanon-sql releases list --json`.

    Raises ConfigurationError and EngineError.
    """
    path, entries = _ledger(ledger)
    return {"ledger": str(path), "releases": [entry.to_dict() for entry in entries]}


def show_release(ledger: str | os.PathLike[str], number: int) -> dict[str, Any]:
    """One release of a ledger: what `kanon-sql releases show --json` prints. Raises ConfigurationError, EngineError."""
    path, entries = _ledger(ledger)
    return find_entry(entries, number, path).to_dict()


def apply(
    number: int,
    data: str | os.PathLike[str],
    *,
    ledger: str | os.PathLike[str] = "ledger.duckdb",
    output: str | os.PathLike[str] | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Releases new data at the levels of release `number` of a ledger: what `kanon-sql apply --json` prints.

    What the new release and each earlier one have in common, what was added and what was removed satisfy k and every
    model as the release itself does; rows that cannot be released so yet are suppressed. `ledger` may be a
    configuration that names one. Without `output` the release goes beside the first, with a number. Raises the errors
    of kanon_sql.errors; an existing target and the ledger are then untouched.
    """
    path, entries = _ledger(ledger)
    request = ApplyRequest(
        number, Path(data), path, entries, None if output is None else Path(output), tuple(overrides)
    )
    return apply_release(
        request,
        options or EngineOptions(),
        progress or Progress(),
        time_limit=time_limit,
        report=None if report is None else Path(report),
    )


def _ledger(named: str | os.PathLike[str]) -> tuple[Path, list[Entry]]:
    is_config = Path(named).suffix.lower() in (".yaml", ".yml", ".json")
    return read_ledger(str(named), load(named) if is_config else None)


def with_source(loaded: LoadedConfig, data: Path) -> LoadedConfig:
    """The configuration with another file as source, read by DuckDB with the same texts for missing."""
    source = SourceConfig(path=str(data.absolute()), missing=loaded.config.source.missing)
    changed = {"source": source, "engine": EngineConfig(name="duckdb")}
    return replace(loaded, config=loaded.config.model_copy(update=changed))


@contextmanager
def _prepared(
    loaded: LoadedConfig, options: EngineOptions | None, progress: Progress | None
) -> Iterator[tuple[Engine, Prepared]]:
    options = options or EngineOptions()
    hierarchies = load_hierarchies(loaded, show_values=options.show_values)
    with open_reading(loaded, options) as (engine, source):
        roles = assign_roles(source, loaded)
        allow_paths(engine, loaded, source, None)
        yield engine, prepare_search(engine, loaded, source, roles, hierarchies, progress or Progress())


def _report_path(loaded: LoadedConfig, given: str | os.PathLike[str] | None) -> Path | None:
    if given is not None:
        return Path(given)
    return loaded.base / loaded.config.report if loaded.config.report is not None else None
