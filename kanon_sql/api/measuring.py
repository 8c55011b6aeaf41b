"""What is measured and not released: a table as it stands, the lattice, choices of k, risks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from kanon_sql.api.measured import Measured
from kanon_sql.api.opening import Configuration, Overrides, hand, load, open_prepared, without_causes
from kanon_sql.commands.attack import ATTACKS, AttackRequest, play_attacks
from kanon_sql.commands.check import Expected, check_table, read_manifest, without_absent_entity
from kanon_sql.commands.database.compare import attack_database, compare_database
from kanon_sql.commands.database.measure import check_database, risk_database
from kanon_sql.commands.lattice import list_lattice
from kanon_sql.commands.link import LinkRequest, Pair, run_link
from kanon_sql.commands.risk import RiskRequest, measure_risk
from kanon_sql.commands.sweep import DEFAULT_KS, Given, Outputs, plan_sweep, run_plan, write_outputs
from kanon_sql.commands.utility import compare_release
from kanon_sql.config.database import is_database, load_database
from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import EngineConfig
from kanon_sql.engines.duckdb.connection import UserInput, open_duckdb, open_given
from kanon_sql.engines.duckdb.frames import is_frame, rereadable
from kanon_sql.engines.lockdown import allow_paths
from kanon_sql.engines.opening import job_of, refuse_kinds
from kanon_sql.errors import ConfigurationError
from kanon_sql.measures.risk.measure import THRESHOLD
from kanon_sql.measures.risk.population import Sampling
from kanon_sql.privacy.registry import models_of
from kanon_sql.progress import Progress
from kanon_sql.report.call import Call
from kanon_sql.report.charts.attack import write_attack_page
from kanon_sql.report.charts.risk import write_risk_plot
from kanon_sql.search.full_domain.problem import FullDomain
from kanon_sql.settings.algorithms import full_domain
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.model import Source
from kanon_sql.source.opening import open_source, read_source_columns
from kanon_sql.sql.connection import Engine, EngineOptions
from kanon_sql.targets.outputs import refuse_outputs

if TYPE_CHECKING:
    from kanon_sql.engines.opening import Data, DuckDBConnection


@without_causes
def check(
    config: Configuration,
    data: Data | None = None,
    *,
    connection: DuckDBConnection | None = None,
    reference: Data | None = None,
    manifest: str | os.PathLike[str] | None = None,
    released: bool = False,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Measures a table as it stands by what a configuration asks for: what `kanon-sql check --json` prints.

    Args:
        config: Path of a configuration, or a mapping of its keys.
        data: The table to measure, a file or frame, or a table of the `connection`; default: the configuration's
            source.
        connection: The DuckDB connection in which the work is done.
        reference: Table with whose distributions of sensitive values those of the classes are compared; default: the
            measured one itself.
        manifest: The JSON report of a run, whose release the table must be: equal classes, in whatever order, format
            and place.
        released: Whether the table is a release: a column that the configuration does not release is a violation.
        overrides: Keys that replace those of the configuration, as pairs such as ("privacy.k", 5).
        options: Threads, memory limit and folder for temporary data of the engine.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        "status" is "satisfied" or "violated", "privacy" has what was required and what is reached. Of a release
        without the column of privacy.entity rows are counted, and a warning says so.

    Raises:
        KanonError: One of kanon_sql.errors where it cannot be measured.

    Examples:
        >>> import kanon_sql
        >>> report = kanon_sql.check("examples/adult/config.yaml")
        >>> report["status"], report["privacy"]["k"]
        ('violated', {'required': 5, 'actual': 1})
    """
    call = Call.of(options, progress)
    if is_database(config):
        _refuse_beside_tables(connection=connection, reference=reference, manifest=manifest, released=released or None)
        if data is not None and not isinstance(data, (str, os.PathLike)):
            raise ConfigurationError("data= of a configuration with tables is a folder or a database of DuckDB")
        place = None if data is None else Path(data)
        return check_database(load_database(config, overrides), place, call)
    loaded, handed = hand(config, overrides, data, connection)
    treatments, target = loaded.config.transform, loaded.config.target
    is_release = released or data is not None or (target is not None and target.in_place)
    if data is not None:
        loaded = _with_source(loaded, Path(data)) if _is_file(data, connection) else _as_it_stands(loaded)
    with job_of(loaded, handed).read(call.options) as (engine, opened):
        compared = None if reference is None else _open_reference(engine, loaded, reference)
        allow_paths(engine, loaded, opened, None, [compared] if compared else [])
        loaded, warnings = without_absent_entity(loaded, opened) if is_release else (loaded, [])
        digest = None if manifest is None else read_manifest(Path(manifest))
        expected = Expected(treatments, digest, released)
        report = check_table(engine, loaded, opened.untreated or opened, call, compared, expected)
        return Measured("check", {**report, "warnings": [*opened.warnings, *warnings]})


@without_causes
def lattice(
    config: Configuration,
    *,
    data: Data | None = None,
    connection: DuckDBConnection | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Measures every node of the full-domain lattice: what `kanon-sql lattice --json` prints.

    Args:
        config: Path of a configuration, or a mapping of its keys.
        data: Rows in the place of the configured source, as in `run`.
        connection: The DuckDB connection in which the work is done.
        overrides: Keys that replace those of the configuration, as pairs such as ("privacy.k", 5).
        options: Threads, memory limit and folder for temporary data of the engine.
        time_limit: Seconds after which OutOfTimeError is raised.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        "nodes": of each its levels, height, suppressed rows, classes, loss, whether it satisfies what is asked for,
        and whether none below it does.

    Raises:
        KanonError: One of kanon_sql.errors.

    Examples:
        >>> import kanon_sql
        >>> config = {"source": "examples/adult/adult.parquet", "quasi_identifiers": {"sex": "suppress"}}
        >>> nodes = kanon_sql.lattice({**config, "unlisted": "drop", "privacy": {"k": 5}})["nodes"]
        >>> [(node["levels"], node["satisfies"]) for node in nodes]
        [({'sex': 0}, True), ({'sex': 1}, True)]
    """
    loaded, handed = hand(config, overrides, data, connection)
    if not loaded.config.algorithm.declared.full_domain:
        raise ConfigurationError(
            f"{loaded.place('algorithm')}: {loaded.config.algorithm.name} has no lattice; expected one of "
            f"{', '.join(full_domain())}: set algorithm"
        )
    call = Call.of(options, progress, time_limit)
    with open_prepared(loaded, call.options, call.progress, handed) as (engine, prepared):
        assert isinstance(prepared, FullDomain)
        return Measured("lattice", list_lattice(engine, loaded, prepared, call))


@without_causes
def sweep(
    configs: Given | Sequence[Given],
    *,
    data: Data | None = None,
    connection: DuckDBConnection | None = None,
    k: Iterable[int | str] = DEFAULT_KS,
    limits: Iterable[int | str] | None = None,
    algorithms: Sequence[str | Mapping[str, Any]] = (),
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    output: str | os.PathLike[str] | None = None,
    plot: str | os.PathLike[str] | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Searches for every k and suppression limit, releasing nothing: what `kanon-sql sweep --json` prints.

    Args:
        configs: A configuration or several, paths or mappings; each source is read once.
        data: Rows in the place of the configured source, as in `run`, for all configurations.
        connection: The DuckDB connection in which the work is done.
        k: The k to search for.
        limits: Limits of suppression, in rows or shares such as "1%"; default: each configuration's own.
        algorithms: Searches in the place of the configuration's.
        overrides: Keys that replace those of the configurations, as pairs such as ("privacy.k", 5).
        options: Threads, memory limit and folder for temporary data of the engine.
        time_limit: Seconds of each search.
        output: File of the table, .csv or .json.
        plot: File of the drawing, .html, .svg or .png.
        report: File that the JSON is written to, too.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        "points", one for each search: what was asked for and what it came to; one without a release has another
        "status" than "released".

    Raises:
        KanonError: One of kanon_sql.errors for everything but a point without a release.

    Examples:
        >>> import kanon_sql
        >>> points = kanon_sql.sweep("examples/adult/config.yaml", k=[5, 50])["points"]
        >>> [point["k"] for point in points]
        [5, 50]
        >>> points[0]["ncp"] < points[1]["ncp"]
        True
    """
    if is_frame(configs):
        load(configs)  # type: ignore[arg-type]  # which refuses a table
    given = [configs] if isinstance(configs, (str, os.PathLike, Mapping)) else list(configs)
    outputs = Outputs(*(None if path is None else Path(path) for path in (output, plot, report)))
    rows, left = rereadable(data), UserInput()

    def load_given(config: Given, overrides: Overrides) -> LoadedConfig:
        nonlocal left
        loaded, left = hand(config, overrides, rows, connection)
        return loaded

    plan = plan_sweep(load_given, given, k, limits, algorithms, overrides, outputs)
    call = Call.of(options, progress, time_limit)
    sweep = run_plan(plan, lambda loaded: open_prepared(loaded, call.options, call.progress, left), call)
    write_outputs(sweep, outputs)
    return Measured("sweep", sweep)


@without_causes
def risk(
    config: Configuration,
    *,
    data: Data | None = None,
    connection: DuckDBConnection | None = None,
    population: str | os.PathLike[str] | None = None,
    population_size: int | None = None,
    sampling_fraction: float | None = None,
    weights: str | None = None,
    threshold: float = THRESHOLD,
    subsets: int | None = None,
    all_columns: bool = False,
    special_uniques: int | None = None,
    scores: str | os.PathLike[str] | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    plot: str | os.PathLike[str] | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Measures the risk of re-identification in a source, and in its release where there is one.

    Args:
        config: Path of a configuration, or a mapping of its keys.
        data: Rows in the place of the configured source, as in `run`.
        connection: The DuckDB connection in which the work is done.
        population: File of the persons among whom somebody is looked for: journalist and marketer risk.
        population_size: Persons of the population that the source is a sample of: estimates of who is unique there.
        sampling_fraction: The share of its population that the source is, in the place of its size.
        weights: Column that says for how many persons of the population each row stands.
        threshold: The risk of a row, 0 to 1, above which rows are counted.
        subsets: Columns of the largest subsets that are counted.
        all_columns: Count subsets of all columns, not of the quasi-identifiers alone.
        special_uniques: Columns of the largest minimal sample uniques that are looked for (SUDA2).
        scores: File of the scores of rows by these; needs options with show_values.
        overrides: Keys that replace those of the configuration, as pairs such as ("privacy.k", 5).
        options: Threads, memory limit and folder for temporary data of the engine.
        time_limit: Seconds after which no further subset is counted; a warning says how many were.
        plot: File of the drawing, .html, .svg or .png.
        report: File that the JSON is written to, too.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        What `kanon-sql risk --json` prints: "before" and "after" with "prosecutor", "journalist" and "marketer" risk,
        class sizes and subsets, "population_uniqueness" and "weighted" where these are asked for.

    Raises:
        KanonError: One of kanon_sql.errors; EngineError where the population contradicts the table.

    Examples:
        >>> import kanon_sql
        >>> before = kanon_sql.risk("examples/adult/config.yaml", subsets=1)["before"]
        >>> before["prosecutor"]["highest"]
        1.0
    """
    if is_database(config):
        _refuse_beside_tables(
            **{"data": data, "connection": connection, "population": population, "weights": weights, "plot": plot},
            **{"population_size": population_size, "sampling_fraction": sampling_fraction, "scores": scores},
            **{"subsets": subsets, "special_uniques": special_uniques, "all_columns": all_columns or None},
        )
        call = Call.of(options, progress, time_limit, report)
        return risk_database(load_database(config, overrides), call)
    loaded, handed = hand(config, overrides, data, connection)
    people, drawing, written, scored = (
        None if path is None else Path(path) for path in (population, plot, report, scores)
    )
    sampling = Sampling(population_size, sampling_fraction, weights)
    request = RiskRequest(threshold, subsets, all_columns, people, drawing, written, special_uniques, sampling, scored)
    request.refuse()
    call = Call.of(options, progress, time_limit, report)
    with job_of(loaded, handed).read(call.options) as (engine, source):
        measured = measure_risk(engine, loaded, source, request, call)
    if request.plot is not None:
        write_risk_plot(request.plot, measured)
    return Measured("risk", call.write(measured))


def _refuse_beside_tables(**given: Any) -> None:
    """Raises ConfigurationError for what does not go with a configuration of a whole database."""
    names = [f"{name}=" for name, value in given.items() if value is not None]
    if names:
        raise ConfigurationError(f"{', '.join(names)} goes with a configuration of one table; leave it out")


@without_causes
def utility(
    config: Configuration,
    *,
    data: Data | None = None,
    connection: DuckDBConnection | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Compares a release that is there with its source: what `kanon-sql utility --json` prints.

    Args:
        config: Path of the configuration that the release was made by, or a mapping of its keys.
        data: Rows in the place of the configured source, as in `run`.
        connection: The DuckDB connection in which the work is done.
        overrides: Keys that replace those of the configuration, as pairs such as ("target.path", "release.parquet").
        options: Threads, memory limit and folder for temporary data of the engine.
        time_limit: Seconds; what is left no time for is None.
        report: File that the JSON is written to, too.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        "columns" has the distances of the distributions, "pairs" the associations before and after, "queries" the
        errors of counting queries, "pmse" how well both tables are told apart, "prediction" (with scikit-learn) how
        well sensitive columns are predicted.

    Raises:
        KanonError: One of kanon_sql.errors.

    Examples:
        >>> import kanon_sql
        >>> config = "examples/adult/config.yaml"
        >>> result = kanon_sql.run(config, advice=False)
        >>> sorted(kanon_sql.utility(config))[:3]
        ['columns', 'pairs', 'pmse']
    """
    if is_database(config):
        _refuse_beside_tables(data=data, connection=connection)
        call = Call.of(options, progress, time_limit, report)
        return Measured("utility", call.write(compare_database(load_database(config, overrides), call)))
    loaded, handed = hand(config, overrides, data, connection)
    call = Call.of(options, progress, time_limit, report)
    with job_of(loaded, handed).read_rows(call.options) as (engine, source):
        return Measured("utility", call.write(compare_release(engine, loaded, source, call)))


@without_causes
def attack(
    config: Configuration,
    *,
    data: Data | None = None,
    connection: DuckDBConnection | None = None,
    control: str | os.PathLike[str] | None = None,
    hold_out: str | None = None,
    attacks: int = ATTACKS,
    seed: int = 1,
    method: bool = False,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    html: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Plays adversaries against a release that is there: what `kanon-sql attack --json` prints.

    Args:
        config: Path of the configuration that the release was made by, or a mapping of its keys.
        data: Rows in the place of the configured source, as in `run`.
        connection: The DuckDB connection in which the work is done.
        control: File of rows that were never released, the control group.
        hold_out: Share of the rows, such as "50%", that is the control group of a release made of the others, which is
            attacked and not kept.
        attacks: Number of guesses.
        seed: Draws the guesses.
        method: Play those who know the program and its configuration, instead.
        overrides: Keys that replace those of the configuration, as pairs such as ("target.path", "release.parquet").
        options: Threads, memory limit and folder for temporary data of the engine.
        time_limit: Seconds after which OutOfTimeError is raised.
        report: File that the JSON is written to, too.
        html: File of the page to write.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        "singling_out", "linkability" and, by column, "inference" with shares of success: "main" on rows of the source,
        "baseline" blindly, "control" on the control group; "risk" is main less control (without one, less baseline),
        with its "interval".

    Raises:
        KanonError: One of kanon_sql.errors.

    Examples:
        >>> import kanon_sql
        >>> config = "examples/adult/config.yaml"
        >>> result = kanon_sql.run(config, advice=False)
        >>> report = kanon_sql.attack(config, attacks=200)
        >>> 0 <= report["linkability"]["risk"] <= 1
        True
    """
    group, page = (None if path is None else Path(path) for path in (control, html))
    request = AttackRequest(group, hold_out, attacks, seed, page, method)
    call = Call.of(options, progress, time_limit, report)
    if is_database(config):
        _refuse_beside_tables(data=data, connection=connection)
        attacked = attack_database(load_database(config, overrides), request, call)
    else:
        loaded, handed = hand(config, overrides, data, connection)
        attacked = play_attacks(job_of(loaded, handed), request, call)
    if page is not None:
        write_attack_page(page, attacked)
    return Measured("attack", call.write(attacked))


@without_causes
def link(
    release: Data,
    external: Data,
    on: Sequence[Pair],
    *,
    connection: DuckDBConnection | None = None,
    release_config: Configuration | None = None,
    missing: Sequence[str] = (),
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Joins a table about persons, one row each, to a release: what `kanon-sql link --json` prints.

    Args:
        release: The table or release, a file or frame, a table of the `connection`, or where `release_config` names
            another engine a table of that one.
        external: What somebody has who looks for persons in it, likewise.
        on: Columns to compare, or pairs (column of the release, column of the external table).
        connection: The DuckDB connection in which the work is done.
        release_config: The configuration that the release was made by: a generalized value then matches every value
            below it. Without it values match where they are equal, or *.
        missing: Texts of the external table that mean missing.
        overrides: Keys that replace those of the configuration.
        options: Threads, memory limit and folder for temporary data of the engine.
        report: File that the JSON is written to, too.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        "matched" and "unique": how many persons match rows at all, and one row alone; "expected_links": how many of
        these links are right, on average.

    Raises:
        KanonError: One of kanon_sql.errors.

    Examples:
        >>> import kanon_sql
        >>> clinic, voters = "examples/linking/clinic.csv", "examples/linking/voters.csv"
        >>> kanon_sql.link(clinic, voters, ["sex", "zip", ("born", "birth_date")])["unique"]["persons"]
        16
    """
    loaded = None if release_config is None else load(release_config, overrides)
    call = Call.of(options, progress, report=report)
    tables = [_given(table, connection, what) for table, what in ((release, "release"), (external, "external"))]
    named = zip(("the release", "the external table"), tables, strict=True)
    read = [(what, path) for what, path in named if isinstance(path, Path)]
    refuse_outputs([loaded] if loaded else [], [("--report", call.report)], read)
    with open_duckdb(call.options, connection) as engine:
        request = LinkRequest(on, tuple(missing))
        return Measured("link", call.write(run_link(engine, (tables[0], tables[1]), request, loaded, call)))


def _given(data: Any, connection: Any, what: str) -> Any:
    """A file as its path; a frame, or a table of a connection, as it is. Raises ConfigurationError."""
    refuse_kinds(UserInput(data, connection), what)
    return Path(data) if _is_file(data, connection) else data


def _is_file(data: Any, connection: Any) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it is the path of a file, not a frame or a table of the connection."""
    return isinstance(data, os.PathLike) or (isinstance(data, str) and connection is None)


def _open_reference(engine: Engine, loaded: LoadedConfig, reference: Any) -> Source:
    given = _given(reference, None if engine.owned else engine.connection, "reference")
    if isinstance(given, Path):
        return open_source(engine, _with_source(loaded, given))
    opened = open_given(engine, given, tuple(loaded.config.source.missing or ()), "reference")
    return read_source_columns(opened, _as_it_stands(loaded))


def _as_it_stands(loaded: LoadedConfig) -> LoadedConfig:
    """The configuration for another table, of which only columns that models count are understood as it says."""
    privacy = loaded.config.privacy
    return loaded.as_it_stands({privacy.entity, *(model.column for model in models_of(privacy))})


def _with_source(loaded: LoadedConfig, data: Path) -> LoadedConfig:
    """The configuration with another file as source, read by DuckDB with the same texts for missing, as it stands."""
    standing = _as_it_stands(loaded)
    source_config = standing.config.source
    source = SourceConfig(
        path=str(data.absolute()),
        missing=source_config.missing,
        csv=loaded.release_csv(),
        columns=source_config.columns,
    )
    changed = {"source": source, "engine": EngineConfig(name="duckdb")}
    return replace(standing, config=standing.config.model_copy(update=changed))
