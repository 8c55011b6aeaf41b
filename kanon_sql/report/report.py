"""A configuration as reports and pages show it: what holds, without secrets.

The report's entry `privacy`: for every model asked for, what was required and what was reached.

The report of a run: what was asked, what was done, what it cost; counts only, no value of the data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from kanon_sql.config.load import LoadedConfig
from kanon_sql.errors import KanonError, NoReleaseError, OutOfTimeError, ReleasedError
from kanon_sql.privacy.base import PrivacyModel
from kanon_sql.privacy.registry import PrivacyConfig, SingleEntry, models_of, thresholds_of
from kanon_sql.recount.counting import ClassCounts, ModelMeasures
from kanon_sql.report.printable import to_json
from kanon_sql.settings.version import __version__
from kanon_sql.source.roles import Roles
from kanon_sql.targets.staging_permissions import write_output

if TYPE_CHECKING:
    from kanon_sql.results.run import (
        Advice,
        AlgorithmUsed,
        BesideRelease,
        EngineUsed,
        Forgotten,
        LedgerEntry,
        Loss,
        Privacy,
        ReleasedClasses,
        RunReport,
        RunRows,
        SearchEffort,
        Solution,
        SourceTable,
        Status,
        Verification,
    )
    from kanon_sql.results.utility import Utility

Json = dict[str, Any]

_PLACES = 10

MASK = "***"
# What is said with its defaults where the configuration says nothing: a later version might take others.
_SAID = ("unlisted", "missing", "suppression", "release")
_SECRET_KEY = re.compile(
    r"password|passwd|pwd|secret|token|credential|access[._-]?key|api[._-]?key|^key$", re.IGNORECASE
)
# user:password@ of a URL, up to its last @, for an @ in a password may stand as it is; password=... of its query or of
# words as libpq and ODBC take them, and signatures of addresses; all parameters of Spark Connect but a few.
_IN_URL = re.compile(r"(://[^\s:/@]*:)\S+(?=@)")
_ASSIGNED = re.compile(
    r"((?:[\w-]*(?:password|passwd|pwd|secret|token|credential|signature|api_?key|access_?key)[\w-]*|[\w-]*\bauth|\bsig)"
    r"\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&;]+)",
    re.IGNORECASE,
)
# A URL, or words as libpq takes them; of a text that is neither, nobody knows where its password stands.
_CONNECTION = re.compile(
    r"\w+://(?:[^\s:/@?#]*(?::[^\s/@?#]*)?@)?[^\s@]*|(?:\s*\w+\s*=\s*(?:'(?:[^'\\]|\\.)*'|[^\s']+)(?:\s+|$))+"
)
_OF_SPARK = re.compile(r"(;(?!(?:user_id|use_ssl|user_agent|session_id)=)[\w.-]+=)[^\s;]+")


def describe_configuration(loaded: LoadedConfig) -> Json:
    """The configuration as JSON: overrides applied, short forms written out, some defaults said.

    What `${NAME}` read stands as ${NAME}, passwords and keys as ***. `release.seed` is left out: whoever knows it knows
    the order of the rows.
    """
    config = loaded.config
    given = config.model_dump(exclude_unset=True)
    whole = config.model_dump(include=set(_SAID), exclude_none=True)
    given |= whole
    given["algorithm"] = config.algorithm.describe()
    given["release"].pop("seed", None)
    keys = [key for key in type(config).model_fields if key in given]
    described: Json = _plain({key: given[key] for key in keys}, loaded)
    return described


def _plain(value: Any, loaded: LoadedConfig, key: str = "") -> Any:
    if isinstance(value, Mapping):
        return {_masked(loaded.redact(str(name))): _plain(entry, loaded, str(name)) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry, loaded, key) for entry in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if not isinstance(value, str):
        return value
    redacted = loaded.redact(value)
    if _SECRET_KEY.search(key) and not re.fullmatch(r"\$\{\w+\}", redacted):
        return MASK
    if key == "postgres" and "${" not in redacted and not _CONNECTION.fullmatch(redacted):
        return MASK
    return _masked(redacted)


def _masked(text: str) -> str:
    if text.startswith("sc://"):
        text = _OF_SPARK.sub(rf"\1{MASK}", text)
    return _ASSIGNED.sub(rf"\1{MASK}", _IN_URL.sub(rf"\1{MASK}", text))


def rounded(figures: Any) -> Any:
    """Figures to ten places: beyond these, sums of floating-point numbers depend on the order in which threads add."""
    if isinstance(figures, dict):
        return {key: rounded(figure) for key, figure in figures.items()}
    if isinstance(figures, list):
        return [rounded(figure) for figure in figures]
    return round(figures, _PLACES) if isinstance(figures, float) else figures


def privacy_entries(config: PrivacyConfig, counts: ClassCounts | None) -> Privacy:
    """The entry: models in the form in which they were asked for, alone or in a list; `counts` of a table that was
    counted.
    """
    entries: Json = {"k": {"required": config.k, "actual": counts.fewest if counts else None}}
    if config.entity is not None:
        entries["k"]["counts"] = "entities"
    if config.known_columns is not None:
        known_columns = config.known_columns
        # Where there are no more columns those of all were counted.
        entries["known_columns"] = {
            "required": known_columns,
            "actual": max(known_columns, counts.columns) if counts else None,
        }
    models = models_of(config)
    for position, model in enumerate(models):
        reached = counts.models[position] if counts else ModelMeasures(None, None, 0)
        entry = {
            **({"column": model.column} if model.column is not None else {}),
            **{
                name: _plain_entry(value)
                for name in model.spec.options
                if (value := getattr(model.spec, name)) is not None
            },
            **_reached(model.spec, reached),
        }
        if isinstance(getattr(config, model.key), SingleEntry):
            entries[model.key] = entry
        else:
            entries.setdefault(model.key, []).append(entry)
    reached_of = {threshold.key: threshold.actual for threshold in counts.thresholds} if counts else {}
    for threshold in thresholds_of(config):
        entries[threshold.key] = {
            "required": _plain_entry(threshold.at_most),
            "actual": reached_of.get(threshold.key),
            **threshold.options(),
        }
    return cast("Privacy", entries)  # each model has a key of its own


def _reached(spec: PrivacyModel, reached: ModelMeasures) -> Json:
    """What was required and reached: two numbers where one threshold bounds, else by the names of the bounds."""
    ends = {"least": reached.least, "most": reached.most}
    required = {name: _plain_entry(getattr(spec, name)) for name in spec.thresholds}
    actual = {
        name: None if (value := ends[end]) is None else spec.shown(value) for name, end in spec.thresholds.items()
    }
    if len(required) == 1:
        return {"required": next(iter(required.values())), "actual": next(iter(actual.values()))}
    return {"required": required, "actual": actual}


def _plain_entry(value: Any) -> Any:
    """A threshold as JSON has it."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == value.to_integral_value() else float(value)


@dataclass
class ReportDraft:
    """Filled in as a run goes on, so that a report can be written however it ends."""

    algorithm: AlgorithmUsed
    privacy: PrivacyConfig
    configuration: Json
    created: str = field(default_factory=lambda: datetime.now(timezone.utc).isoformat(timespec="seconds"))
    status: Status = "failed"
    source_rows: int = 0
    missing: int = 0
    suppressed: int = 0
    masked: int = 0
    released: int = 0
    limit: int | None = None
    solution: Solution | None = None
    search: SearchEffort | None = None
    loss: Loss | None = None
    counts: ClassCounts | None = None
    verification: Verification | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    order: Literal["random", "none"] | None = None
    source: str | None = None
    source_sha256: str | None = None
    snapshot: str | None = None
    encoding: str | None = None
    source_salt: str | None = None
    target: str | None = None
    release_sha256: str | None = None
    utility: Utility | None = None
    ledger: LedgerEntry | None = None
    forgotten: Forgotten | None = None
    roles: Roles | None = None  # for the lineage, not for the report
    engine: EngineUsed = field(default_factory=lambda: cast("EngineUsed", {"name": "duckdb"}))
    labels: dict[str, str | None] | None = None
    given_up: list[str] = field(default_factory=list)
    advice: list[Advice] = field(default_factory=list)
    treatments: dict[str, Json] = field(default_factory=dict)

    @classmethod
    def of(cls, loaded: LoadedConfig) -> ReportDraft:
        """The draft of a job that begins with this configuration."""
        config = loaded.config
        algorithm = cast("AlgorithmUsed", config.algorithm.describe())
        return cls(algorithm, config.privacy, describe_configuration(loaded))

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

    def to_dict(self) -> RunReport:
        """The report as JSON data."""
        has_release = self.status in ("released", "compiled", "dry-run")
        return {
            "status": self.status,
            "created": self.created,
            "version": __version__,
            "configuration": self.configuration,
            "source": self._source_table(),
            "rows": self._rows(),
            "engine": self.engine,
            "algorithm": self.algorithm,
            "solution": self.solution if has_release else None,
            "labels": self.labels if has_release else None,
            "treatments": self.treatments,
            "given_up": self.given_up if has_release else [],
            "classes": self._classes(),
            "verification": self.verification,
            "privacy": privacy_entries(self.privacy, self.counts),
            "suppression": {"limit": self.limit},
            "loss": self.loss if has_release else None,
            "search": self.search,
            "advice": self.advice,
            "utility": self.utility,
            "release": {"order": self.order, "target": self.target, "sha256": self.release_sha256},
            **self._beside(),
            "warnings": self.warnings,
            "errors": self.errors,
            "seconds": self.seconds,
        }

    def _beside(self) -> BesideRelease:
        """What a run has that keeps a ledger, or releases into a lake that forgets."""
        beside: BesideRelease = {}
        if self.ledger is not None:
            beside["ledger"] = self.ledger
        if self.forgotten is not None:
            beside["forgotten"] = self.forgotten
        return beside

    def _source_table(self) -> SourceTable:
        table: SourceTable = {"table": self.source, "sha256": self.source_sha256, "encoding": self.encoding}
        if self.source_salt is not None:
            table["salt"] = self.source_salt
        if self.snapshot is not None:
            table["snapshot"] = self.snapshot
        return table

    def _rows(self) -> RunRows:
        """The rows, and how many groups there are, where their rows are released together."""
        rows: RunRows = {
            "source": self.source_rows,
            "missing": self.missing,
            "suppressed": self.suppressed,
            "masked": self.masked,
            "released": self.released,
        }
        if self.counts is not None and self.counts.groups is not None:
            groups = self.counts.groups
            rows["groups"] = {"taking_part": groups.taking_part, "released": groups.released, "split": groups.split}
        return rows

    def _classes(self) -> ReleasedClasses | None:
        """Classes of the release without its masked rows; rows that are * everywhere anyway are a class of it."""
        counts = self.counts
        if counts is None:
            return None
        starred = counts.starred - self.masked
        sizes = [size for size in (counts.smallest, counts.largest, starred) if size > 0]
        count = counts.classes + (starred > 0)
        classes: ReleasedClasses = {
            "count": count,
            "min": min(sizes, default=0),
            "max": max(sizes, default=0),
            "average": self.released / count if count else None,
        }
        if counts.digest is not None:
            classes["digest"] = counts.digest
        return classes


def levels_of(solution: Solution | None) -> dict[str, int] | None:
    """The level of each quasi-identifier; None where classes have levels of their own, or nothing was found."""
    return solution["levels"] if solution is not None and "levels" in solution else None


def write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Writes a report all or nothing, for its owner alone unless it replaces a file with other rights. EngineError."""
    write_output(path, to_json(data), "report")
