"""What is measured and not released: a table as it stands, the lattice, choices of k, risks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kanon_sql.api.opening import Configuration, Overrides, load, open_prepared, without_causes
from kanon_sql.commands.check import check_table
from kanon_sql.commands.lattice import list_lattice
from kanon_sql.commands.link.run import Pair, run_link
from kanon_sql.commands.risk.run import THRESHOLD, RiskRequest, measure_risk
from kanon_sql.commands.run.pipeline import allow_paths
from kanon_sql.commands.sweep.plan import DEFAULT_KS, Given, Outputs, plan_sweep
from kanon_sql.commands.sweep.sweeping import run_plan, write_outputs
from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import EngineConfig
from kanon_sql.engines.opening import job_of, require_rows
from kanon_sql.errors import ConfigurationError
from kanon_sql.progress import Progress
from kanon_sql.report.call import Call
from kanon_sql.report.charts.risk import write_risk_plot
from kanon_sql.search.full_domain.problem import FullDomain
from kanon_sql.settings.algorithms import full_domain
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.opening import open_source
from kanon_sql.sql.connection import EngineOptions, open_engine
from kanon_sql.targets.outputs import refuse_outputs


@without_causes
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
        loaded = _with_source(loaded, Path(data))
    call = Call.of(options, progress)
    with job_of(loaded).read(call.options) as (engine, opened):
        compared = open_source(engine, _with_source(loaded, Path(reference))) if reference is not None else None
        allow_paths(engine, loaded, opened, None, [compared] if compared else [])
        return check_table(engine, loaded, opened, call, compared)


@without_causes
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
    if not loaded.config.algorithm.declared.full_domain:
        raise ConfigurationError(
            f"{loaded.place('algorithm')}: {loaded.config.algorithm.name} has no lattice; expected one of "
            f"{', '.join(full_domain())}: set algorithm"
        )
    with open_prepared(loaded, options, progress) as (engine, prepared):
        assert isinstance(prepared, FullDomain)
        return list_lattice(engine, loaded, prepared, Call.of(options, progress, time_limit))


@without_causes
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
    call = Call.of(options, progress, time_limit)
    data = run_plan(plan, lambda loaded: open_prepared(loaded, call.options, call.progress), call)
    write_outputs(data, outputs)
    return data


@without_causes
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
    require_rows(loaded, "risk")
    call = Call.of(options, progress, time_limit, report)
    with open_engine(call.options) as engine:
        data = measure_risk(engine, loaded, asked, call)
    if asked.plot is not None:
        write_risk_plot(asked.plot, data)
    return call.write(data)


@without_causes
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
    call = Call.of(options, progress, report=report)
    read = [("the release", Path(release)), ("the external table", Path(external))]
    refuse_outputs([loaded] if loaded else [], [("--report", call.report)], read)
    return call.write(run_link(Path(release), Path(external), on, loaded, missing, call))


def _with_source(loaded: LoadedConfig, data: Path) -> LoadedConfig:
    """The configuration with another file as source, read by DuckDB with the same texts for missing."""
    source = SourceConfig(path=str(data.absolute()), missing=loaded.config.source.missing, csv=loaded.release_csv())
    changed = {"source": source, "engine": EngineConfig(name="duckdb")}
    return replace(loaded, config=loaded.config.model_copy(update=changed))
