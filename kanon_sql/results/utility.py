"""What `kanon-sql utility --json` prints, which is the entry `utility` of a run; docs/report.md says what it means."""

from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict

from kanon_sql.results.figures import Count, Seconds, Share

Measure = Literal["pearson", "correlation_ratio", "cramers_v"]


class ColumnDistance(TypedDict):
    """How far the distribution of a column is from that of the source; `earth_mover` of ordered values."""

    total_variation: Share
    earth_mover: Share | None
    compared_with: NotRequired[Literal["treated", "untreated"]]


class PairAssociation(TypedDict):
    """How strongly two columns go together in the source and in the release."""

    columns: list[str]
    measure: Measure
    source: float
    release: float


class QueryErrors(TypedDict):
    """By how much random counting queries are wrong."""

    count: Count
    median_relative_error: float
    p95_relative_error: float


class Prediction(TypedDict):
    """The share of the rows whose value is predicted rightly, by the source, by the release and by guessing."""

    source: Share | None
    release: Share | None
    guessing: Share | None


class TogetherUtility(TypedDict):
    """What is measured of the columns together."""

    pairs: list[PairAssociation]
    queries: QueryErrors | None
    pmse: float | None
    prediction: dict[str, Prediction] | None


class Utility(TogetherUtility):
    """What a release is still good for; None is what there was no time for."""

    columns: dict[str, ColumnDistance]
    warnings: list[str]


class TableUtilityReport(Utility):
    """The report of `kanon-sql utility` of one table."""

    seconds: Seconds


class UtilityReport(TableUtilityReport):
    """The report of `kanon-sql utility`; of a whole database that of the table of persons, and `tables` about them."""

    tables: NotRequired[dict[str, Utility]]
