"""The report of a run of a whole database, filled in as it goes on; and where it may not be written."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from kanon_sql.commands.database.tables import OpenTable
from kanon_sql.config.database import LoadedDatabase
from kanon_sql.errors import ConfigurationError, KanonError, NoReleaseError, OutOfTimeError, ReleasedError
from kanon_sql.report.report import Json
from kanon_sql.settings.version import __version__
from kanon_sql.targets.outputs import refuse_reports


@dataclass
class DatabaseDraft:
    """The report of a database's run, filled in as it goes on."""

    loaded: LoadedDatabase
    created: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds"))
    status: str = "failed"
    unit: Json | None = None
    persons: Json | None = None
    tables: Json = field(default_factory=dict)
    facts: Json | None = None
    verification: Json | None = None
    warnings: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    source: str | None = None
    target: str | None = None

    def fail(self, error: KanonError) -> None:
        """Records how a run ended that released nothing."""
        kinds = {NoReleaseError: "no-release", OutOfTimeError: "timed-out", ReleasedError: "released"}
        self.errors = list(error.problems)
        self.status = next((status for kind, status in kinds.items() if isinstance(error, kind)), "failed")

    def to_dict(self) -> Json:
        """The report as JSON data."""
        unit = self.unit or {}
        whole = self.status in ("released", "dry-run")
        return {
            "status": self.status,
            "created": self.created,
            "version": __version__,
            "source": {"database": self.source},
            "release": {"target": self.target},
            "persons": self.persons,
            "tables": self.tables,
            "facts": self.facts if whole else None,
            **{
                key: unit.get(key)
                for key in (
                    "algorithm",
                    "solution",
                    "classes",
                    "privacy",
                    "suppression",
                    "loss",
                    "search",
                    "treatments",
                )
            },
            "advice": [],
            "verification": self.verification if whole else None,
            "warnings": self.warnings,
            "errors": self.errors,
            "seconds": self.seconds,
        }


def describe_table(table: OpenTable) -> Json:
    """What a table is, how its rows find their person, and its released columns."""
    link, via = table.config.link, table.config.via
    return {
        "is": _kind(table),
        "link": None if link is None else {"column": link.column, "through": link.through},
        "via": None if via is None else {"column": via.column, "key": via.key},
        "facts": list(table.config.facts),
        "columns": [col.name for col in table.columns],
    }


def _kind(table: OpenTable) -> str:
    if table.config.is_unit:
        return "unit"
    if table.config.via is not None:
        return "quasi-identifiers"
    return "list" if table.config.loaded is None else "persons"


def refuse_outputs_of(loaded: LoadedDatabase, report: Path | None, page: Path | None = None) -> None:
    """Raises ConfigurationError for a report or page in the place of what is read or released, or of each other, and
    EngineError where there is no folder for one.
    """
    source, target = loaded.config.source, loaded.config.target
    named = [source.path, source.database, *([target.path, target.database] if target is not None else [])]
    for what, path in (("the report", report), ("the page", page)):
        for place in [(loaded.base / name).resolve() for name in named if name is not None]:
            if path is not None and (path.resolve() == place or place in path.resolve().parents):
                raise ConfigurationError(
                    f"{path}: {what} would lie in {place}, which is read or replaced; name another"
                )
    configurations = [table.loaded for table in loaded.tables.values() if table.loaded is not None]
    refuse_reports(configurations, report, page)
