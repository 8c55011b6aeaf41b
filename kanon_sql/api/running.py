"""A release made and verified: what `kanon-sql run` does."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.api.opening import Configuration, Overrides, load, without_causes
from kanon_sql.api.results import RunResult
from kanon_sql.commands.run.pipeline import run_configuration
from kanon_sql.config.load import LoadedConfig
from kanon_sql.engines.duckdb.connection import HandedIn
from kanon_sql.engines.job import Job
from kanon_sql.engines.opening import hand_in, job_of, session_job
from kanon_sql.errors import ConfigurationError
from kanon_sql.progress import Progress
from kanon_sql.report.call import ON_INTERRUPT, Call
from kanon_sql.settings.report import ReportConfig
from kanon_sql.sql.connection import EngineOptions

if TYPE_CHECKING:
    from kanon_sql.engines.opening import Connection, Data, Table


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
) -> RunResult:
    """Anonymizes what a configuration names, and verifies what was written.

    `data` stands for the configured source: a DataFrame of polars or pandas, an Arrow table, a relation of DuckDB,
    anything with `__arrow_c_stream__`, or the path of a file. `target` is the file to write, in the place of the
    configured one. Without a target the release is made in memory, where the result has it.
    With a `connection` of DuckDB the work is done in that: `source`, or `data`, may be a table or view of it, and
    `target` is the table to make in it; nothing else of it is changed. With a Spark
    session that executes the job: its `source` (a table, view or DataFrame) and `target` (a table) may stand for those
    of the configuration.
    `overrides` are pairs such as ("privacy.k", 5). With `advice` settings that would lose less are looked for, in about
    a tenth of the run's time. `report` and `html` are where the JSON report and the page for people are written, in the
    place of those configured. A `dry_run` writes nothing else; its result holds no release. With `on_interrupt`
    "release" the first interrupt ends the search as `time_limit` does, and the best found so far is released. In a
    `strict` run a warning raises WarnedError, and only the JSON report is written. Raises the errors of
    kanon_sql.errors; the source and an existing target are then untouched.
    """
    if on_interrupt not in ON_INTERRUPT:
        raise ConfigurationError(f"on_interrupt={on_interrupt!r}: expected {' or '.join(map(repr, ON_INTERRUPT))}")
    if data is not None and source is not None:
        raise ConfigurationError("data= and source= both name the rows; keep one")
    if source is not None and connection is None:
        raise ConfigurationError(
            "source= is a table, view or relation of connection=; add that, or hand it in as data="
        )
    handed = HandedIn(data if source is None else source, connection, target)
    job: Job | None = session_job(config, handed, overrides)
    if job is None:
        job = job_of(*hand_in(config, handed, overrides, load))
    call = telling(Call.of(options, progress, time_limit, report), job.loaded, html)
    call = replace(call, advice=advice, dry_run=dry_run, strict=strict, releases=on_interrupt == "release")
    draft = run_configuration(job, call)
    return RunResult.of(draft.to_dict(), job, call.options, owned=connection is None)


def telling(call: Call, loaded: LoadedConfig, html: str | os.PathLike[str] | None) -> Call:
    """The call with the report and the page that the configuration asks for, where no others are given."""
    told = loaded.config.report or ReportConfig()
    report, page = (None if path is None else loaded.base / path for path in (told.data, told.page))
    given = page if html is None else Path(html)
    return replace(call, report=call.report or report, page=given, recipe=told.recipe)
