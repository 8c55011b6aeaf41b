"""The report of a run: what was asked, what was done, what it cost; counts only, no value of the data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import KanonError, NoReleaseError, OutOfTimeError, ReleasedError
from kanon_sql.privacy.registry import PrivacyConfig
from kanon_sql.recount.counting import ClassCounts
from kanon_sql.report.configuration import describe_configuration
from kanon_sql.report.entries import privacy_entries
from kanon_sql.report.printable import to_json
from kanon_sql.settings.version import __version__
from kanon_sql.targets.staging_permissions import write_output

Json = dict[str, Any]


@dataclass
class ReportDraft:
    """Filled in as a run goes on, so that a report can be written however it ends."""

    algorithm: Json
    privacy: PrivacyConfig
    configuration: Json
    created: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds"))
    status: str = "failed"
    source_rows: int = 0
    missing: int = 0
    suppressed: int = 0
    masked: int = 0
    released: int = 0
    limit: int | None = None
    solution: Json | None = None
    search: Json | None = None
    loss: Json | None = None
    counts: ClassCounts | None = None
    verification: Json | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    order: str | None = None
    source: str | None = None
    source_sha256: str | None = None
    encoding: str | None = None
    source_salt: str | None = None
    target: str | None = None
    release_sha256: str | None = None
    utility: Json | None = None
    ledger: Json | None = None
    engine: Json = field(default_factory=lambda: {"name": "duckdb"})
    labels: dict[str, str | None] | None = None
    given_up: list[str] = field(default_factory=list)
    advice: list[Json] = field(default_factory=list)
    treatments: Json = field(default_factory=dict)

    @classmethod
    def of(cls, loaded: LoadedConfig) -> ReportDraft:
        """The draft of a job that begins with this configuration."""
        config = loaded.config
        return cls(config.algorithm.describe(), config.privacy, describe_configuration(loaded))

    def fail(self, error: KanonError) -> None:
        """Records how a run ended that released nothing, or what failed once the release was in its place."""
        self.errors = list(error.problems)
        if self.status == "released" or isinstance(error, ReleasedError):
            self.status = "released"
            return
        self.status = (
            "no-release"
            if isinstance(error, NoReleaseError)
            else "timed-out"
            if isinstance(error, OutOfTimeError)
            else "failed"
        )
        self.released = 0
        self.counts = self.verification = None
        if isinstance(error, NoReleaseError) and error.source_rows is not None:
            self.source_rows = self.missing = error.source_rows
        self.masked, self.suppressed = 0, self.source_rows - self.missing

    def to_dict(self) -> Json:
        """The report as JSON data."""
        found = self.status in ("released", "compiled", "dry-run")
        return {
            "status": self.status,
            "created": self.created,
            "version": __version__,
            "configuration": self.configuration,
            "source": {
                "table": self.source,
                "sha256": self.source_sha256,
                "encoding": self.encoding,
                **({} if self.source_salt is None else {"salt": self.source_salt}),
            },
            "rows": {
                "source": self.source_rows,
                "missing": self.missing,
                "suppressed": self.suppressed,
                "masked": self.masked,
                "released": self.released,
                **self._groups(),
            },
            "engine": self.engine,
            "algorithm": self.algorithm,
            "solution": self.solution if found else None,
            "labels": self.labels if found else None,
            "treatments": self.treatments,
            "given_up": self.given_up if found else [],
            "classes": self._classes(),
            "verification": self.verification,
            "privacy": privacy_entries(self.privacy, self.counts),
            "suppression": {"limit": self.limit},
            "loss": self.loss if found else None,
            "search": self.search,
            "advice": self.advice,
            "utility": self.utility,
            "release": {"order": self.order, "target": self.target, "sha256": self.release_sha256},
            **({} if self.ledger is None else {"ledger": self.ledger}),
            "warnings": self.warnings,
            "errors": self.errors,
            "seconds": self.seconds,
        }

    def _groups(self) -> Json:
        """How many groups there are, where their rows are released together."""
        groups = self.counts.groups if self.counts else None
        return {"groups": asdict(groups)} if groups else {}

    def _classes(self) -> Json | None:
        """Classes of the release without its masked rows; rows that are * everywhere anyway are a class of it."""
        counts = self.counts
        if counts is None:
            return None
        starred = counts.starred - self.masked
        sizes = [size for size in (counts.smallest, counts.largest, starred) if size > 0]
        count = counts.classes + (starred > 0)
        return {
            "count": count,
            "min": min(sizes, default=0),
            "max": max(sizes, default=0),
            "average": self.released / count if count else None,
            **({} if counts.digest is None else {"digest": counts.digest}),
        }


def write_json(path: Path, data: Json) -> None:
    """Writes a report all or nothing, for its owner alone unless it replaces a file with other rights. EngineError."""
    write_output(path, to_json(data), "report")
