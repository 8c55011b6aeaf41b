"""Releases made and verified, of a configuration or of a table by keywords: `kanon_sql.run`, `kanon_sql.anonymize`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_sql.api.opening import Configuration, Overrides, load, without_causes
from kanon_sql.api.results import RunResult
from kanon_sql.commands.run.pipeline import run_configuration
from kanon_sql.config.arguments import of_each, read_hierarchy
from kanon_sql.config.database import LoadedDatabase, is_database, load_database
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.duckdb.connection import UserInput
from kanon_sql.engines.job import Job
from kanon_sql.engines.opening import job_of, resolve_input, session_job
from kanon_sql.errors import ConfigurationError
from kanon_sql.progress import Progress
from kanon_sql.report.call import ON_INTERRUPT, Call
from kanon_sql.settings.report import ReportConfig
from kanon_sql.sql.connection import EngineOptions

if TYPE_CHECKING:
    from kanon_sql.engines.opening import Connection, Data, Table
    from kanon_sql.progress import Progress


@without_causes
def run(
    config: Configuration,
    *,
    data: Data | None = None,
    connection: Connection | None = None,
    source: Table | None = None,
    target: str | os.PathLike[str] | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    html: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
    advice: bool = True,
    dry_run: bool = False,
    on_interrupt: str = "nothing",
    strict: bool = False,
    lineage: str | os.PathLike[str] | None = None,
) -> RunResult:
    """Anonymizes what a configuration names, and verifies what was written.

    Args:
        config: Path of a configuration, or a mapping of its keys; of one table or of a whole database.
        data: Rows in the place of the configured source: a DataFrame of polars or pandas, an Arrow table, a relation
            of DuckDB, anything with `__arrow_c_stream__`, or the path of a file.
        connection: A DuckDB connection in which the work is done, nothing else of it being changed, or a Spark session
            that executes the job.
        source: Table, view or DataFrame of the `connection` in the place of the configured source.
        target: File to write in the place of the configured one; with a connection the table to make in it. Without a
            target the release is in memory, where the result has it.
        overrides: Keys that replace those of the configuration, as pairs such as ("privacy.k", 5).
        options: Threads, memory limit and folder for temporary data of the engine.
        time_limit: Seconds after which the search ends with the best release that it has found.
        report: File of the JSON report, in the place of the configured one.
        html: File of the page for people, in the place of the configured one.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.
        advice: Whether settings that would lose less are looked for, in about a tenth of the run's time.
        dry_run: Do everything but writing the release; the result then holds none.
        on_interrupt: "release": the first interrupt ends the search as `time_limit` does; "nothing": it ends the run.
        strict: A warning raises WarnedError, and only the JSON report is written.
        lineage: File to which OpenLineage events of the run are appended, or the URL of a server that takes them.

    Returns:
        The report, and the release where it is in memory or in a file that can be read.

    Raises:
        KanonError: One of kanon_sql.errors; the source and an existing target are then untouched. NoReleaseError where
            nothing satisfies what was asked for, ConfigurationError with all problems of the configuration at once.

    Examples:
        >>> import kanon_sql
        >>> result = kanon_sql.run("examples/adult/config.yaml", target="release.parquet", advice=False)
        >>> result.report["privacy"]["k"]
        {'required': 5, 'actual': 5}
        >>> result.report["rows"]["released"] + result.report["rows"]["suppressed"]
        32561
    """
    if on_interrupt not in ON_INTERRUPT:
        raise ConfigurationError(f"on_interrupt={on_interrupt!r}: expected {' or '.join(map(repr, ON_INTERRUPT))}")
    if is_database(config):
        if data is not None or source is not None or connection is not None or target is not None:
            raise ConfigurationError("a configuration with tables names its source and target itself; leave them out")
        if lineage is not None:
            raise ConfigurationError("lineage= goes with a configuration of one table; leave it out")
        call = replace(Call.of(options, progress, time_limit, report), dry_run=dry_run, strict=strict, advice=False)
        return _run_tables(load_database(config, overrides), call, html)
    if data is not None and source is not None:
        raise ConfigurationError("data= and source= both name the rows; keep one")
    if source is not None and connection is None:
        raise ConfigurationError(
            "source= is a table, view or relation of connection=; add that, or hand it in as data="
        )
    handed = UserInput(data if source is None else source, connection, target)
    job: Job | None = session_job(config, handed, overrides)
    if job is None:
        job = job_of(*resolve_input(config, handed, overrides, load))
    call = telling(Call.of(options, progress, time_limit, report), job.loaded, html)
    events = None if lineage is None else os.fspath(lineage)
    releases = on_interrupt == "release"
    call = replace(call, advice=advice, dry_run=dry_run, strict=strict, releases=releases, lineage=events)
    draft = run_configuration(job, call)
    return RunResult.of({**draft.to_dict()}, job, call.options, owned=connection is None)


def _run_tables(loaded: LoadedDatabase, call: Call, html: str | os.PathLike[str] | None) -> RunResult:
    """A whole database of persons, anonymized as its configuration says."""
    from kanon_sql.commands.database.run import run_database  # a run of one table starts sooner without it

    call = _with_outputs(call, loaded.config.report, loaded.base, html)
    return RunResult.of_tables(run_database(loaded, call).to_dict())


def telling(call: Call, loaded: LoadedConfig, html: str | os.PathLike[str] | None) -> Call:
    """The call with the report and the page that the configuration asks for, where no others are given."""
    call = _with_outputs(call, loaded.config.report, loaded.base, html)
    return replace(call, recipe=(loaded.config.report or ReportConfig()).recipe)


def _with_outputs(call: Call, config: ReportConfig | None, base: Path, html: str | os.PathLike[str] | None) -> Call:
    """The call with the report and the page of a configuration in the folder `base`, where no others are given."""
    config = config or ReportConfig()
    report, page = (None if path is None else base / path for path in (config.data, config.page))
    return replace(call, report=call.report or report, page=page if html is None else Path(html))


Hierarchy = str | os.PathLike[str] | Mapping[str, Any] | None


@without_causes
def anonymize(
    data: Data,
    quasi_identifiers: Sequence[str] | Mapping[str, Hierarchy],
    k: int,
    *,
    sensitive: Sequence[str] = (),
    insensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    unlisted: str = "error",
    l: float | None = None,  # noqa: E741 - as the model is called
    t: float | None = None,
    privacy: Mapping[str, Any] | None = None,
    limit: int | str = 0,
    missing: str = "keep",
    algorithm: str | Mapping[str, Any] | None = None,
    target: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    connection: Connection | None = None,
    overrides: Overrides = (),
    options: EngineOptions | None = None,
    time_limit: float | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | bool | None = None,
) -> RunResult:
    """Releases a table so that each row is like at least k - 1 others in the quasi-identifiers, and verifies that.

    Every column must be one of the quasi-identifiers, sensitive, insensitive (both released as they are) or an
    identifier (never released), unless `unlisted` says what becomes of the others.

    Args:
        data: A DataFrame of polars or pandas, an Arrow table, a relation of DuckDB, anything with
            `__arrow_c_stream__`, the path of a file, or with a `connection` a table of it.
        quasi_identifiers: What others may know of a person: names of columns, or for each name how it is generalized:
            a hierarchy file, the name of a ready one, a text such as "intervals:5,10,20", "prefix:4,3,2",
            "date:month,year" or "suppress", a mapping as in a configuration, or None for the column's own order.
        k: Rows that every combination of quasi-identifiers stands for at least.
        sensitive: What nobody shall learn of a person.
        insensitive: Columns that nobody knows.
        identifiers: Columns that name a person.
        unlisted: What becomes of all other columns: "error", "drop" or "insensitive".
        l: Different values of each sensitive column that a class holds at least (l-diversity).
        t: How far the distribution of each sensitive column in a class may be from that of all rows, 0 to 1
            (t-closeness).
        privacy: Other models, as in a configuration.
        limit: Rows that may be suppressed, or a share of them such as "1%".
        missing: What becomes of rows with missing values: "keep", "drop" (all are missing) or "drop-any".
        algorithm: The search; default: "local" where a quasi-identifier has no hierarchy, else "optimal".
        target: File to write, with a connection the table to make in it; without it the release is in memory.
        connection: The DuckDB connection in which the work is done.
        overrides: Everything else, as pairs such as ("release.order", "none").
        options: Threads, memory limit and folder for temporary data of the engine.
        time_limit: Seconds after which the search ends with the best release that it has found.
        report: File of the JSON report.
        progress: True for bars on standard error, or what shows them; default: bars in a notebook alone.

    Returns:
        The report and the release: `.df()`, `.pl()`, `.arrow()`, `.relation`.

    Raises:
        KanonError: One of kanon_sql.errors, as `run` raises them.

    Examples:
        >>> import kanon_sql
        >>> quasi = {"age": "intervals:5,10,20", "sex": "suppress"}
        >>> table = "examples/adult/adult.parquet"
        >>> result = kanon_sql.anonymize(table, quasi, k=10, sensitive=["occupation"], unlisted="drop")
        >>> result.report["privacy"]["k"]["actual"] >= 10
        True
        >>> sorted(result.df().columns)
        ['age', 'occupation', 'sex']
    """
    hierarchies = _hierarchies(quasi_identifiers)
    by_order = [name for name, entry in hierarchies.items() if not entry]
    listed = {"sensitive": sensitive, "insensitive": insensitive, "identifiers": identifiers}
    models = {"l_diversity": of_each(sensitive, "l", l, "l"), "t_closeness": of_each(sensitive, "t", t, "t")}
    config: dict[str, Any] = {
        "quasi_identifiers": hierarchies,
        **{key: _names(names) for key, names in listed.items() if len(names)},
        "unlisted": unlisted,
        "privacy": {"k": k, **{key: model for key, model in models.items() if model}, **(privacy or {})},
        "suppression": {"limit": limit},
        "missing": missing,
        "algorithm": algorithm if algorithm is not None else "local" if by_order else "optimal",
    }
    if isinstance(target, Mapping):
        config["target"], target = target, None
    return run(
        config,
        data=data,
        connection=connection,
        target=target,
        overrides=overrides,
        options=options,
        time_limit=time_limit,
        report=report,
        progress=progress,
    )


def _names(names: Sequence[str]) -> list[str]:
    """Names of columns; one alone is no list of its letters."""
    return [names] if isinstance(names, str) else list(names)


def _hierarchies(given: Sequence[str] | Mapping[str, Hierarchy]) -> dict[str, Any]:
    """The entries of a configuration. Raises ConfigurationError with all that is wrong."""
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, Mapping):
        if not all(isinstance(name, str) for name in given):
            raise ConfigurationError("quasi_identifiers: expected names of columns, or a mapping of them")
        repeated = sorted({name for name in given if list(given).count(name) > 1})
        if repeated:
            raise ConfigurationError(f"quasi_identifiers: {', '.join(map(repr, repeated))} is listed twice; remove one")
        return {name: {} for name in given}
    problems: list[str] = []
    entries: dict[str, Any] = {}
    for name, how in given.items():
        place = f"quasi_identifiers: {name!r}"
        if how is None or isinstance(how, Mapping):
            entries[name] = dict(how or {})
        elif isinstance(how, os.PathLike):
            entries[name] = {"hierarchy": os.fspath(how)}
        elif isinstance(how, str):
            entries[name] = read_hierarchy(how, place, problems)
        else:
            problems.append(
                f"{place} is of type {type(how).__name__}; expected a hierarchy file, a text such as "
                '"intervals:5,10", a mapping, or None'
            )
    if problems:
        raise ConfigurationError(problems)
    return entries
