"""What `kanon-sql risk --json` prints, key by key; what each figure means says docs/report.md."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from kanon_sql.results.figures import ClassSizes, Count, Rows, RowShare, Seconds, Share

Side = Literal["before", "after"]

# By call, for `from` is no name of an attribute.
SizeBin = TypedDict("SizeBin", {"from": Count, "to": Count, "classes": Count, "rows": Count, "share": Share})


class UniqueRows(RowShare):
    """The rows that are alone in their class, and those of them that are so in the population, where it is known."""

    in_population: Count | None


class RowRisk(TypedDict):
    """The risk of rows, and those whose risk is above the threshold."""

    highest: Share
    average: Share
    above: RowShare


class JournalistRisk(RowRisk):
    """The risk by a population; its average as the population tells it by itself."""

    average_from_population: float


class MarketerRisk(TypedDict):
    """The share, and the number, of the rows that are named right where all are linked."""

    average: Share
    rows: float


class PopulationUniqueness(TypedDict):
    """The share of the persons that each model estimates to be unique; 0 of those without an estimate."""

    pitman: float
    zayatz: float
    snb: float
    dankar: float
    chosen: str
    without_estimate: list[str]
    population_size: float
    sampling_fraction: float


class WeightedUnique(TypedDict):
    """The unique rows of a weighted table, and how many of them are expected to be so in the population."""

    rows: Count
    in_population: float | None


class WeightedRisk(RowRisk):
    """The risk by the weights of the rows."""

    column: str
    population_size: float
    below_one: Count
    reidentifications: float
    unique: WeightedUnique


class HouseholdShare(RowShare):
    """Households, and their rows."""

    households: Count


class AnyFound(TypedDict):
    """The risk that any row of a household is found."""

    highest: Share
    average: Share
    above: HouseholdShare


class HouseholdRisk(AnyFound):
    """The risk where each row has that of the most exposed row of its household."""

    any_found: AnyFound


class Households(TypedDict):
    """The households of a table."""

    count: Count
    largest: Count
    unique: HouseholdShare
    prosecutor: HouseholdRisk
    journalist: HouseholdRisk | None


class SubsetSearch(TypedDict):
    """How many subsets of the columns there are, and how many were counted before the time limit."""

    count: Count
    counted: Count


class Scores(TypedDict):
    """The scores of the rows that hold a special unique."""

    min: float
    mean: float
    median: float
    p95: float
    max: float


class MatchProbability(TypedDict):
    """DIS-SUDA: how likely a match with a unique row is right, and that of each row by its score."""

    fraction: float
    unique: Count
    pairs: Count
    probability: float
    mean: float
    median: float
    p95: float
    max: float
    above: Count


class ScoredValue(TypedDict):
    """A value, and its share of what its column adds to the scores."""

    value: str | None
    share: float


class SpecialUniques(RowShare):
    """The minimal sample uniques of a table, and the scores of its rows."""

    size: Count
    sets: SubsetSearch
    entities: Count | None
    msus: dict[str, Count]
    columns: dict[str, float]
    scores: Scores | None
    dis: MatchProbability | None
    values: dict[str, list[ScoredValue]] | None


class ColumnSubset(TypedDict):
    """A subset of the columns: how far it tells the rows apart."""

    columns: list[str]
    combinations: Count
    unique: Count
    unique_share: Share
    distinction: float
    separation: float | None
    holds_key: bool


class ColumnSubsets(SubsetSearch):
    """The subsets of the columns up to the largest size, the riskiest first."""

    columns: list[str]
    largest: Count
    listed: list[ColumnSubset]


class ExposedClass(TypedDict):
    """One of the smallest classes with its values as texts."""

    rows: Count
    values: dict[str, str | None]


class ClassRisk(TypedDict):
    """What the sizes of the classes tell of the risk of their rows."""

    classes: ClassSizes
    unique: UniqueRows
    population_uniqueness: PopulationUniqueness | None
    prosecutor: RowRisk
    journalist: JournalistRisk | None
    marketer: MarketerRisk | None
    sizes: list[SizeBin]


class CountedRisk(ClassRisk):
    """The classes of a table with its rows, and the smallest of them where values may be seen."""

    rows: Rows
    exposed: list[ExposedClass] | None


class PageTable(CountedRisk):
    """The risk of one table as far as a page shows it."""

    table: str
    quasi_identifiers: list[str]


class TableRisk(PageTable):
    """The risk of one table."""

    subsets: ColumnSubsets
    weighted: WeightedRisk | None
    households: Households | None
    special_uniques: SpecialUniques | None


class Population(TypedDict):
    """The population that was counted."""

    table: str
    rows: Count
    combinations: Count
    unique: Count


class MeasuredRisk(TypedDict):
    """The risk of the source and of its release, where there is one."""

    status: Literal["measured"]
    threshold: Share
    population: Population | None
    population_uniqueness: PopulationUniqueness | None
    before: TableRisk
    after: TableRisk | None


class RiskReport(MeasuredRisk):
    """The report of `kanon-sql risk`."""

    warnings: list[str]
    seconds: Seconds
