"""What `kanon-sql lattice`, `sweep` and `check` print with `--json`; docs/report.md says what each figure means."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict

from kanon_sql.results.figures import Count, Rows, Seconds
from kanon_sql.results.run import NodeFigures, Privacy


class LatticeNode(NodeFigures):
    """A node beside what was asked for."""

    satisfies: bool
    minimal: bool
    winner: bool


class LatticeReport(TypedDict):
    """What `kanon-sql lattice` shows: all nodes, lowest first."""

    quasi_identifiers: list[str]
    k: Count
    limit: Count
    rows: Count
    nodes: list[LatticeNode]


class SweptSeries(TypedDict):
    """A configuration with one algorithm."""

    name: str
    configuration: str
    algorithm: dict[str, Any]
    quasi_identifiers: list[str]
    rows: Count


class SweepPoint(TypedDict):
    """One search; what only a release has is None where there is none, and `problem` then says why."""

    series: str
    configuration: str
    algorithm: str
    k: Count
    limit: int | str
    limit_rows: Count | None
    status: Literal["released", "no-release", "timed-out"]
    suppressed: Count | None
    classes: Count | None
    c_avg: float | None
    lm: float | None
    ncp: float | None
    discernibility: float | None
    seconds: float | None
    proven: bool | None
    problem: str | None


class SweepReport(TypedDict):
    """What `kanon-sql sweep` shows."""

    series: list[SweptSeries]
    k: list[Count]
    limits: list[int | str]
    points: list[SweepPoint]
    warnings: list[str]
    seconds: Seconds


class CheckedSource(TypedDict):
    """How the table was read."""

    encoding: str | None


class ClassDigest(TypedDict, total=False):
    """The digest of the classes, where it was asked for."""

    digest: str


class CheckedClasses(ClassDigest):
    """The classes of the table that was checked."""

    count: Count
    min: Count
    max: Count
    average: float | None


class Manifest(TypedDict):
    """The digest of the classes of a release, and whether the table has the same."""

    digest: str
    same: bool


class ComparedManifest(TypedDict, total=False):
    """The manifest, where one was given."""

    manifest: Manifest


class Violations(TypedDict):
    """The classes that do not hold what was asked for, the treatments that are not there, and with `--released` the
    columns that no release has.
    """

    classes: Count
    rows: Count
    unique: Count
    treatments: list[str]
    columns: NotRequired[list[str]]


class CheckedTable(ComparedManifest):
    """The table as it was checked."""

    status: Literal["satisfied", "violated"]
    table: str
    source: CheckedSource
    rows: Rows
    quasi_identifiers: list[str]
    classes: CheckedClasses
    privacy: Privacy
    reference: str
    violations: Violations
    seconds: Seconds


class CheckReport(CheckedTable):
    """The report of `kanon-sql check`."""

    warnings: list[str]
