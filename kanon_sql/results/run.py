"""The report of a run, key by key; what each of them means says docs/report.md.

What is registered (algorithms, models, thresholds) adds keys of its own; report/schema.py names them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import NotRequired, TypedDict, final

from kanon_sql.results.figures import Count, Seconds, Share
from kanon_sql.results.utility import Utility

Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Moment = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$")]
Figures = float | dict[str, float | None]  # of one threshold, or by the names of the bounds

# Compiled is what `kanon-sql compile` reports of a statement.
Status = Literal["released", "dry-run", "no-release", "timed-out", "failed", "compiled"]


class SourceTable(TypedDict):
    """The table that was read, as it was then."""

    table: str | None
    sha256: Digest | None
    encoding: NotRequired[str | None]
    salt: NotRequired[Digest]
    snapshot: NotRequired[str]


class Groups(TypedDict):
    """Groups of rows that are released together."""

    taking_part: Count
    released: Count
    split: Count


class RunRows(TypedDict):
    """The rows of the source, and what became of them; None where only the release is there."""

    source: Count | None
    missing: Count | None
    suppressed: Count | None
    masked: Count | None
    released: Count
    groups: NotRequired[Groups]


class EngineUsed(TypedDict):
    """The engine that read and wrote."""

    name: str
    search_in: NotRequired[Literal["duckdb", "engine"]]
    statements: NotRequired[Count]


class AlgorithmUsed(TypedDict):
    """The algorithm with its options."""

    name: str
    blind: NotRequired[bool]
    reserve: NotRequired[int | str]
    strata: NotRequired[list[str]]


@final
class LevelsSolution(TypedDict):
    """One level for each column."""

    levels: dict[str, Count]
    height: Count


@final
class PartitionsSolution(TypedDict):
    """Classes that were divided."""

    partitions: Count
    depth: NotRequired[Count]


@final
class RowsByLevelSolution(TypedDict):
    """Levels of the cells: of each column how many rows have each."""

    rows_by_level: dict[str, dict[str, Count]]


Solution = LevelsSolution | PartitionsSolution | RowsByLevelSolution


class ReleasedClasses(TypedDict):
    """The classes of the release."""

    count: Count
    min: Count
    max: Count
    average: float | None
    digest: NotRequired[str]


class Verification(TypedDict):
    """What was compared with what was written."""

    compared: Literal["rows", "counts"]
    columns: NotRequired[Count]


class KReached(TypedDict):
    """k as it was asked for, and the smallest class; whether entities are counted."""

    required: Count
    actual: Count | None
    counts: NotRequired[Literal["entities"]]


class ColumnsReached(TypedDict):
    """Of how many known columns k was asked for, and holds."""

    required: Count
    actual: Count | None


class ModelReached(TypedDict):
    """A model as it was asked for, with its options, and as the classes reach it."""

    required: Figures
    actual: Figures | None
    column: NotRequired[str]


class ThresholdReached(TypedDict):
    """A threshold of the whole table."""

    required: float
    actual: float | None
    fraction: NotRequired[float]


class Privacy(TypedDict):
    """What was required and what was reached; each model that is asked for has a key of its own."""

    k: KReached
    known_columns: NotRequired[ColumnsReached]


class SuppressionLimit(TypedDict):
    """How many rows might be suppressed."""

    limit: Count | None


class Loss(TypedDict):
    """What the release costs, by each measure; `attributes` is the loss of each column."""

    lm: float
    ncp: float
    geometric_mean: float
    objective: float
    c_avg: float
    average_class_size: float
    discernibility: float
    precision: float | None
    entropy: float | None
    attributes: dict[str, Share]
    sse: NotRequired[Share]


class NodeFigures(TypedDict):
    """A node of the lattice, measured."""

    levels: dict[str, Count]
    height: Count
    suppressed: Count
    classes: Count
    lm: float


class BlindSearch(TypedDict):
    """What a blind search has in hand."""

    suppressed: Count
    in_all: Count
    reserve: Count
    proven: bool


class SearchEffort(TypedDict):
    """How the search went; which counts there are depends on the algorithm."""

    proven: bool
    bound: float | None
    notes: list[str]
    gap: NotRequired[float | None]
    lattice_nodes: NotRequired[Count]
    checked: NotRequired[Count]
    left_by_bound: NotRequired[Count]
    tuples: NotRequired[Count]
    rounds: NotRequired[Count]
    cuts: NotRequired[Count]
    finished: NotRequired[bool]
    interrupted: NotRequired[bool]
    blind: NotRequired[BlindSearch]
    minimal: NotRequired[list[NodeFigures]]
    ties: NotRequired[list[dict[str, Count]]]


class AdvisedLoss(TypedDict):
    """The loss by other settings."""

    ncp: float


class Advice(TypedDict):
    """Other settings, and what they would lose; `without` a column in place of what the others lose now."""

    change: dict[str, Any]
    loss: AdvisedLoss
    suppressed: Count
    exact: bool
    instead_of: AdvisedLoss | None
    without: NotRequired[str]


class ReleasedTable(TypedDict):
    """Where the release is, and in which order its rows are."""

    order: Literal["random", "none"] | None
    target: str | None
    sha256: Digest | None


class LedgerViolations(TypedDict):
    """Classes that were suppressed for what earlier releases tell."""

    classes: Count
    rows: Count


class LedgerEntry(TypedDict):
    """The release in its ledger."""

    path: str
    id: Count
    earlier: list[Count]
    built_on: Count | None
    known: NotRequired[list[str]]
    violating: NotRequired[LedgerViolations]


class Forgotten(TypedDict):
    """What a lake, or a database of SQLite, holds no more of the replaced table."""

    snapshots: Count
    files: Count
    searched: Count
    found: Count


class BesideRelease(TypedDict, total=False):
    """What only some runs have."""

    ledger: LedgerEntry
    forgotten: Forgotten


class RunFacts(TypedDict):
    """What the report of every run has."""

    status: Status
    created: Moment
    version: str
    configuration: dict[str, Any]
    source: SourceTable
    rows: RunRows
    engine: EngineUsed
    algorithm: AlgorithmUsed
    treatments: dict[str, dict[str, Any]]
    given_up: list[str]
    verification: Verification | None
    privacy: Privacy
    suppression: SuppressionLimit
    advice: list[Advice]
    utility: Utility | None
    release: ReleasedTable
    ledger: NotRequired[LedgerEntry]
    forgotten: NotRequired[Forgotten]
    warnings: list[str]
    errors: list[str]
    seconds: Seconds


class RunReport(RunFacts):
    """The report of a run of kanon-sql."""

    solution: Solution | None
    labels: dict[str, str | None] | None
    classes: ReleasedClasses | None
    loss: Loss | None
    search: SearchEffort | None


class ReleasedReport(RunFacts):
    """The report of a run that made a release, or would make one."""

    solution: Solution
    labels: dict[str, str | None]
    classes: ReleasedClasses
    loss: Loss
    search: SearchEffort
