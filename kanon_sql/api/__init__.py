"""kanon-sql from Python: the same jobs as the commands, for notebooks and pipelines."""

from __future__ import annotations

from kanon_sql.api.anonymizing import anonymize
from kanon_sql.api.compiling import compile, compile_report, dbt_model, sqlmesh_model
from kanon_sql.api.measuring import check, lattice, link, risk, sweep
from kanon_sql.api.opening import Configuration, Overrides, load
from kanon_sql.api.proposing import init
from kanon_sql.api.releases import apply, check_releases, list_releases, show_release
from kanon_sql.api.results import RunResult
from kanon_sql.api.running import run
from kanon_sql.sql.connection import EngineOptions

__all__ = [
    "Configuration",
    "EngineOptions",
    "Overrides",
    "RunResult",
    "anonymize",
    "apply",
    "check",
    "check_releases",
    "compile",
    "compile_report",
    "dbt_model",
    "init",
    "lattice",
    "link",
    "list_releases",
    "load",
    "risk",
    "run",
    "show_release",
    "sqlmesh_model",
    "sweep",
]
