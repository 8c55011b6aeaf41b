"""What pages and charts show of reports: the reports themselves, or as much of them as may be told.

A figure that is None is not told; keys that a report lacks are words in the place of figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import NotRequired, ReadOnly, TypedDict

from kanon_sql.results.run import (
    Advice,
    AlgorithmUsed,
    BlindSearch,
    Forgotten,
    LedgerEntry,
    Privacy,
    ReleasedClasses,
    ReleasedTable,
    RunRows,
    Solution,
    SourceTable,
    Status,
    SuppressionLimit,
    Verification,
)

# By call, for `from` is no name of an attribute.
ToldBin = TypedDict(
    "ToldBin",
    {
        "from": ReadOnly[int],
        "to": ReadOnly[int],
        "classes": ReadOnly["int | None"],
        "rows": ReadOnly["int | None"],
        "share": ReadOnly["float | None"],
    },
)


class ToldClasses(TypedDict):
    """The classes, and the smallest one."""

    count: ReadOnly[int | None]
    min: ReadOnly[int | None]


class ToldShare(TypedDict):
    """Rows, and their share of all."""

    rows: ReadOnly[int | None]
    share: ReadOnly[float | None]


class ToldUnique(ToldShare):
    """The rows that are alone in their class, and those of them that are so in the population."""

    in_population: ReadOnly[int | None]


class ToldMeasured(TypedDict):
    """The rows that take part."""

    measured: ReadOnly[int]


class ToldAverage(TypedDict):
    """The average of a risk."""

    average: ReadOnly[float | None]


class ToldRisk(ToldAverage):
    """The risk of rows, and those above the threshold."""

    highest: ReadOnly[float | None]
    above: ReadOnly[ToldShare]


class ToldMarketer(ToldAverage):
    """The rows that are named right where all are linked."""

    rows: ReadOnly[float | None]


class ToldSubset(TypedDict):
    """A subset of the columns: how far it tells the rows apart."""

    columns: ReadOnly[Sequence[str]]
    unique: ReadOnly[int | None]
    unique_share: ReadOnly[float | None]
    holds_key: ReadOnly[bool]


class ToldSubsets(TypedDict):
    """The subsets of the columns, the riskiest first."""

    listed: ReadOnly[Sequence[ToldSubset]]


class ToldTable(TypedDict):
    """One table."""

    table: ReadOnly[str]
    rows: ReadOnly[ToldMeasured]
    classes: ReadOnly[ToldClasses]
    unique: ReadOnly[ToldUnique]
    prosecutor: ReadOnly[ToldRisk]
    journalist: ReadOnly[ToldRisk | None]
    marketer: ReadOnly[ToldMarketer | None]
    weighted: NotRequired[ReadOnly[ToldRisk | None]]
    sizes: ReadOnly[Sequence[ToldBin]]
    subsets: NotRequired[ReadOnly[ToldSubsets | None]]


class ToldPopulation(TypedDict):
    """The population that was counted."""

    rows: ReadOnly[int]


class ToldTables(TypedDict):
    """The source and its release, where each of them is there."""

    threshold: ReadOnly[float]
    population: ReadOnly[ToldPopulation | None]
    before: ReadOnly[ToldTable | None]
    after: ReadOnly[ToldTable | None]


class ToldPair(TypedDict):
    """How strongly two columns go together; `untold` where the source is left out for what it links."""

    columns: ReadOnly[Sequence[str]]
    measure: NotRequired[ReadOnly[str | None]]
    source: ReadOnly[float | None]
    release: ReadOnly[float | None]
    word: NotRequired[ReadOnly[str]]
    untold: NotRequired[ReadOnly[bool]]


class ToldDistance(TypedDict):
    """How far the distribution of a column is from that of the source, and that in a word."""

    total_variation: ReadOnly[float | None]
    earth_mover: NotRequired[ReadOnly[float | None]]
    word: NotRequired[ReadOnly[str]]


class ToldErrors(TypedDict):
    """By how much random counting queries are wrong, or a word for it."""

    count: NotRequired[ReadOnly[int]]
    median_relative_error: ReadOnly[float | str | None]
    p95_relative_error: ReadOnly[float | str | None]


class ToldPrediction(TypedDict):
    """The share of the rows whose value is predicted rightly; the keys in `untold` are left out."""

    source: ReadOnly[float | None]
    release: ReadOnly[float | None]
    guessing: ReadOnly[float | None]
    untold: NotRequired[ReadOnly[Sequence[str]]]


class ToldUtility(TypedDict):
    """What a release is still good for."""

    columns: ReadOnly[Mapping[str, ToldDistance]]
    pairs: NotRequired[ReadOnly[Sequence[ToldPair] | None]]
    queries: NotRequired[ReadOnly[ToldErrors | None]]
    pmse: NotRequired[ReadOnly[float | str | None]]
    prediction: NotRequired[ReadOnly[Mapping[str, ToldPrediction] | None]]
    warnings: NotRequired[ReadOnly[Sequence[str]]]


class ToldSearch(TypedDict):
    """How the search went, without what it counted of other choices where that is not told."""

    proven: ReadOnly[bool]
    bound: ReadOnly[float | None]
    gap: NotRequired[ReadOnly[float | None]]
    lattice_nodes: NotRequired[ReadOnly[int]]
    checked: NotRequired[ReadOnly[int | None]]
    tuples: NotRequired[ReadOnly[int]]
    rounds: NotRequired[ReadOnly[int]]
    finished: NotRequired[ReadOnly[bool]]
    interrupted: NotRequired[ReadOnly[bool]]
    blind: NotRequired[ReadOnly[BlindSearch]]


class ToldLoss(TypedDict):
    """What the release costs; `objective` would tell of suppressed rows."""

    lm: ReadOnly[float]
    ncp: ReadOnly[float]
    geometric_mean: ReadOnly[float]
    objective: NotRequired[ReadOnly[float]]
    c_avg: ReadOnly[float]
    average_class_size: ReadOnly[float]
    discernibility: ReadOnly[float]
    precision: ReadOnly[float | None]
    entropy: ReadOnly[float | None]
    attributes: ReadOnly[Mapping[str, float]]


class ToldReport(TypedDict):
    """The report of a run as far as pages show it."""

    status: ReadOnly[Status]
    created: ReadOnly[str]
    version: ReadOnly[str]
    configuration: ReadOnly[Mapping[str, Any]]
    source: ReadOnly[SourceTable]
    rows: ReadOnly[RunRows]
    algorithm: ReadOnly[AlgorithmUsed]
    solution: ReadOnly[Solution | None]
    labels: NotRequired[ReadOnly[Mapping[str, str | None] | None]]
    classes: ReadOnly[ReleasedClasses | None]
    verification: ReadOnly[Verification | None]
    privacy: ReadOnly[Privacy]
    suppression: ReadOnly[SuppressionLimit]
    loss: ReadOnly[ToldLoss | None]
    search: ReadOnly[ToldSearch | None]
    advice: ReadOnly[Sequence[Advice]]
    utility: NotRequired[ReadOnly[object]]  # which the page has apart, as far as it is told
    release: ReadOnly[ReleasedTable]
    ledger: NotRequired[ReadOnly[LedgerEntry]]
    forgotten: NotRequired[ReadOnly[Forgotten]]
    warnings: ReadOnly[Sequence[str]]
    errors: ReadOnly[Sequence[str]]
    seconds: ReadOnly[Mapping[str, float]]
