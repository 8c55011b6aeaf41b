"""What `kanon-sql link --json` and `releases check --json` print; what each figure means says docs/report.md."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from kanon_sql.results.figures import Count, Seconds

# By call, for `from` is no name of an attribute.
MatchBin = TypedDict("MatchBin", {"from": Count, "to": Count, "count": Count})


class Linked(TypedDict):
    """Persons and rows that match anything."""

    persons: Count
    rows: Count


class LinkedUniquely(Linked):
    """Persons with exactly one row, rows with exactly one person, and pairs that are both."""

    both: Count


class LeastMatches(TypedDict):
    """The fewest matches of any person and of any row that has some."""

    of_a_person: Count | None
    of_a_row: Count | None


class ExpectedLinks(TypedDict):
    """The links that are expected to be right."""

    by_person: float
    by_row: float


class MatchHistogram(TypedDict):
    """Persons and rows by their number of matches."""

    persons: list[MatchBin]
    rows: list[MatchBin]


class Links(TypedDict):
    """What a link finds."""

    matched: Linked
    unique: LinkedUniquely
    least_matches: LeastMatches
    expected_links: ExpectedLinks
    histogram: MatchHistogram


class LinkedValues(TypedDict):
    """The values of a column, and those that match nothing."""

    distinct: Count
    unmatched: Count


class LinkedPair(TypedDict):
    """A pair of columns that is compared."""

    release: str
    external: str
    release_values: LinkedValues
    external_values: LinkedValues
    persons_unmatched: Count


class LinkExamples(TypedDict, total=False):
    """Persons with exactly one row, for who may see values."""

    examples: list[dict[str, str | None]]


class LinkReport(Links, LinkExamples):
    """The report of `kanon-sql link`."""

    status: Literal["measured"]
    release: str
    external: str
    on: list[LinkedPair]
    persons: Count
    rows: Count
    warnings: list[str]
    seconds: Seconds


class ViolatingTuples(TypedDict):
    """Combined tuples that stand for fewer rows than k, and these rows."""

    tuples: Count
    rows: Count


class TupleCounts(TypedDict):
    """What two releases say together."""

    tuples: Count
    smallest: Count
    violating: ViolatingTuples


class CombinedTuples(TupleCounts):
    """By the source whether the numbers are exact, and rows that fit several tuples; what is certain without it."""

    exact: bool
    certain: Count | None
    ambiguous_rows: Count | None


class SameOrder(TupleCounts):
    """Whether both releases stand in one order, and how likely that is by chance."""

    same: bool
    matching: Count | None
    chance: float | None


class PairedRelease(TypedDict):
    """One of the two releases."""

    table: str
    rows: Count
    smallest_class: Count


class PairedSource(TypedDict):
    """The table that both were made from."""

    table: str
    rows: Count | None


class TupleExample(TypedDict):
    """A combined tuple, and for how many rows it stands."""

    rows: Count
    says: dict[str, str | None]


class TupleExamples(TypedDict, total=False):
    """Combined tuples for fewer rows than k, for who may see values."""

    examples: list[TupleExample]


class PairReport(TupleExamples):
    """The report of `kanon-sql releases check`."""

    status: Literal["satisfied", "violated"]
    releases: list[PairedRelease]
    source: PairedSource | None
    quasi_identifiers: list[str]
    on: list[str]
    k: Count
    combined: CombinedTuples
    order: SameOrder
    warnings: list[str]
    seconds: Seconds
