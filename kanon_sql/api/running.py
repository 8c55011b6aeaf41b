"""A release made and verified: what `kanon-sql run` does."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kanon_sql.api.opening import Configuration, Overrides, load, without_causes
from kanon_sql.commands.run.pipeline import run_configuration
from kanon_sql.engines.job import Job
from kanon_sql.engines.opening import handed_in, job_of
from kanon_sql.progress import Progress
from kanon_sql.report.call import Call
from kanon_sql.sql.connection import EngineOptions

if TYPE_CHECKING:
    from kanon_sql.engines.opening import Connection, Table


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


@without_causes
def run(
    config: Configuration,
    *,
    connection: Connection | None = None,
    source: Table | None = None,
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
    job: Job
    if connection is not None:
        job = handed_in(config, connection, source, target, overrides)
    else:
        job = job_of(load(config, overrides))
    configured = job.loaded.config.report
    if report is None and configured is not None:
        report = job.loaded.base / configured
    draft = run_configuration(job, Call.of(options, progress, time_limit, report))
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
