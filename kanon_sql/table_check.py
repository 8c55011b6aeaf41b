"""Measuring a table as it stands: is it k-anonymous in its quasi-identifiers?"""

from __future__ import annotations

from typing import Any

from kanon_sql.config.load import LoadedConfig
from kanon_sql.engine.connection import Engine
from kanon_sql.errors import EngineError
from kanon_sql.frequency import count_rows, normalized, participants
from kanon_sql.progress import Progress, Stopwatch
from kanon_sql.source.csv import ragged_rows
from kanon_sql.source.model import Source
from kanon_sql.source.roles import assign_roles
from kanon_sql.verify import count_classes


def check_table(
    engine: Engine, loaded: LoadedConfig, source: Source, progress: Progress, watch: Stopwatch
) -> dict[str, Any]:
    """The report of a check: `status` is satisfied or violated. Texts that mean missing are read as NULL.

    Raises ConfigurationError for columns that are not there, EngineError for a table that cannot be read,
    NoReleaseError for one without rows.
    """
    config = loaded.config
    roles = assign_roles(source, loaded, measured_only=True)
    rows = participants(source, roles, config.missing)
    try:
        with progress.step("counting classes", engine.progress), watch.part("check"):
            total, n = count_rows(engine, source, roles, config.missing)
            values = [normalized(item, source.missing) for item in roles.quasi_identifiers]
            counts = count_classes(engine, rows, values, config.privacy.k)
    except EngineError as error:
        ragged = ragged_rows(engine, source) if source.kind == "csv" else None
        raise EngineError(ragged or [f"{source.label}: {problem}" for problem in error.problems]) from error
    satisfied = counts.violating_classes == 0
    return {
        "status": "satisfied" if satisfied else "violated",
        "table": source.label,
        "rows": {"source": total, "missing": total - n, "measured": n},
        "quasi_identifiers": [item.name for item in roles.quasi_identifiers],
        "classes": {
            "count": counts.classes,
            "min": counts.smallest,
            "max": counts.largest,
            "average": counts.average,
        },
        "privacy": {"k": {"required": config.privacy.k, "actual": counts.smallest}},
        "violations": {
            "classes": counts.violating_classes,
            "rows": counts.violating_rows,
            "unique": counts.unique_rows,
        },
        "seconds": {name: round(seconds, 4) for name, seconds in {**watch.seconds, "total": watch.total()}.items()},
    }
