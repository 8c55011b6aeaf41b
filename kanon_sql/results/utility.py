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


class RowsKept(TypedDict):
    """The rows of a table in the source and in the release."""

    source: Count
    release: Count


class DaysMeans(TypedDict):
    """How many days lie between two dates of a row on average; None where no row has both."""

    source: float | None
    release: float | None


class DaysBetween(TypedDict):
    """Two columns of dates: how many days lie between them, and how far the distributions of these are apart."""

    columns: list[str]
    mean: DaysMeans
    total_variation: Share | None


class UtilityAboutPersons(Utility):
    """What the release of a table about persons is still good for."""

    rows: RowsKept
    days: list[DaysBetween]


class FactsKept(TypedDict):
    """How many sets of so many facts persons have, each counted once for a person, and how far their frequencies are
    apart.
    """

    together: Count
    source: Count
    release: Count
    kept: float | None
    total_variation: Share | None


class TableUtilityReport(Utility):
    """The report of `kanon-sql utility` of one table."""

    seconds: Seconds


class UtilityReport(TableUtilityReport):
    """The report of `kanon-sql utility`; of a whole database that of the table of persons, `tables` about them, and the
    `facts` of all together.
    """

    tables: NotRequired[dict[str, UtilityAboutPersons]]
    facts: NotRequired[list[FactsKept] | None]
