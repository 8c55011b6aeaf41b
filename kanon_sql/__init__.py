"""kanon-sql: k-anonymous releases of tables where they live, by SQL.

import kanon_sql

result = kanon_sql.anonymize(frame, quasi_identifiers=["age", "zip"], k=5, sensitive=["diagnosis"])
print(result)
released = result.df()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kanon_sql.settings.version import __version__

if TYPE_CHECKING:
    from kanon_sql.api import (
        EngineOptions,
        RunResult,
        anonymize,
        apply,
        attack,
        check,
        check_releases,
        compile,
        init,
        lattice,
        link,
        list_releases,
        report_release,
        risk,
        run,
        show_release,
        sweep,
        utility,
    )

__all__ = [
    "EngineOptions",
    "RunResult",
    "__version__",
    "anonymize",
    "apply",
    "attack",
    "check",
    "check_releases",
    "compile",
    "init",
    "lattice",
    "link",
    "list_releases",
    "report_release",
    "risk",
    "run",
    "show_release",
    "sweep",
    "utility",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    # The engine is only imported when it is used: `kanon-sql --help` answers at once.
    if name in __all__:
        from kanon_sql import api

        return getattr(api, name)
    raise AttributeError(f"module 'kanon_sql' has no attribute {name!r}")
