"""kanon-sql from Python: the same jobs as the commands, for notebooks and pipelines."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kanon_sql.api.compiling import compile, compile_report, dbt_model, sqlmesh_model
    from kanon_sql.api.measuring import attack, check, lattice, link, risk, sweep, utility
    from kanon_sql.api.opening import Configuration, Overrides, load
    from kanon_sql.api.proposing import init
    from kanon_sql.api.releases import apply, check_releases, list_releases, report_release, show_release
    from kanon_sql.api.results import RunResult
    from kanon_sql.api.running import anonymize, run
    from kanon_sql.sql.connection import EngineOptions

# A command imports what it needs: the module of each function is only imported when that is used.
_HOMES = {
    "kanon_sql.api.compiling": ("compile", "compile_report", "dbt_model", "sqlmesh_model"),
    "kanon_sql.api.measuring": ("attack", "check", "lattice", "link", "risk", "sweep", "utility"),
    "kanon_sql.api.opening": ("Configuration", "Overrides", "load"),
    "kanon_sql.api.proposing": ("init",),
    "kanon_sql.api.releases": ("apply", "check_releases", "list_releases", "report_release", "show_release"),
    "kanon_sql.api.results": ("RunResult",),
    "kanon_sql.api.running": ("anonymize", "run"),
    "kanon_sql.sql.connection": ("EngineOptions",),
}

__all__ = [
    "Configuration",
    "EngineOptions",
    "Overrides",
    "RunResult",
    "anonymize",
    "apply",
    "attack",
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
    "report_release",
    "risk",
    "run",
    "show_release",
    "sqlmesh_model",
    "sweep",
    "utility",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'kanon_sql.api' has no attribute {name!r}")
