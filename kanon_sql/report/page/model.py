"""What the page of a release shows, part by part: numbers and texts that may be shown, and nothing else.

No label is here that the release does not hold, and no count of fewer than k rows of the source: such a count is None,
and is shown as "< k".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kanon_sql.results.told import ToldLoss, ToldReport, ToldTables, ToldUtility


@dataclass(frozen=True)
class PageTable:
    """A table of the page; the columns at the places `texts` hold words, all others numbers."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Bar:
    """The rows of one label; a label None is a missing value, a count None is one below k that is not told."""

    label: str | None
    source: int | None
    release: int


@dataclass(frozen=True)
class Step:
    """One level of a hierarchy: how many labels it has there, and some that the release holds or that lie above them.

    `labels` is empty for levels finer than what was released. `rows` are the rows released at the level.
    """

    level: int
    count: int
    labels: tuple[str, ...] = ()
    rows: int = 0


@dataclass(frozen=True)
class ColumnFacts:
    """A quasi-identifier: its hierarchy, the level chosen (None where classes have levels of their own), what is left.

    `loss` is 0 to 1. `bars` are the most frequent labels of the release, in order where `ordered`; `others` are all
    further ones together, among them those of the source that the release does not hold. `note` says why there are no
    bars, or no counts of the source.
    """

    name: str
    generalized_by: str  # "hierarchy FILE", "intervals 5, 10", "ranges" ...
    steps: tuple[Step, ...]
    level: int | None
    loss: float | None
    labels: tuple[str, ...]
    ordered: bool
    bars: tuple[Bar, ...] = ()
    others: Bar | None = None
    distinct: tuple[int | None, int] = (None, 0)  # distinct values of the source and of the release
    note: str | None = None


@dataclass(frozen=True)
class UniqueColumn:
    """A column that is released as it is: how many of the released rows hold a value that no other holds."""

    name: str
    role: str  # sensitive or insensitive
    rows: int
    of: int


@dataclass(frozen=True)
class AttackRow:
    """An attack: how often it succeeds on rows of the source, blindly and on the control group, the risk, its interval.

    All are whole percents.
    """

    name: str
    success: int
    blind: int
    control: int | None
    risk: int
    interval: tuple[int, int]


@dataclass(frozen=True)
class AttackFacts:
    """The attacks that were played on the released rows; `held_out` of the source's rows were kept out for control."""

    rows: tuple[AttackRow, ...]
    controlled: bool
    held_out: float | None = None


@dataclass(frozen=True)
class NodeFacts:
    """A node of the lattice; `suppressed` and `classes` are None where the search inferred it without counting.

    `satisfies` is None where nobody knows; `loss` is the ncp of the node in percent, its lower bound where not `exact`.
    """

    levels: tuple[int, ...]
    loss: float | None
    suppressed: int | None
    classes: int | None
    satisfies: bool | None
    minimal: bool = False
    winner: bool = False
    exact: bool = True

    @property
    def height(self) -> int:
        """The sum of the levels."""
        return sum(self.levels)

    @property
    def label(self) -> str:
        """The levels, as in `0,1,2`."""
        return ",".join(map(str, self.levels))


@dataclass(frozen=True)
class LatticeFacts:
    """The lattice that was searched, of `size` nodes; `nodes` are all of them, or those that are known.

    `labels` gives for each quasi-identifier a word for each of its levels: a sample label of the release's level and
    those above, else "level 0".
    """

    names: tuple[str, ...]
    highs: tuple[int, ...]
    labels: tuple[tuple[str, ...], ...]
    size: int
    k: int
    limit: int
    nodes: tuple[NodeFacts, ...]


@dataclass(frozen=True)
class ClassBand:
    """Classes of a range of sizes: how many, their rows, the mean loss of these rows (0 to 1)."""

    least: int
    most: int
    classes: int
    rows: int
    loss: float | None


@dataclass(frozen=True)
class Recount:
    """A statement that anybody can run with DuckDB alone, and the one row that it must give."""

    title: str
    sql: str
    expected: tuple[Any, ...]


@dataclass(frozen=True)
class FileFacts:
    """A table that was read or written: SHA-256 (hexadecimal, of one file) and size in bytes where it is a file.

    Of the source neither is here, but a `salted` digest: whoever can guess few rows would try which make that file.
    """

    label: str
    sha256: str | None = None
    size: int | None = None
    rows: int | None = None
    note: str | None = None
    salted: str | None = None


@dataclass(frozen=True)
class HierarchyFacts:
    """A hierarchy that was used: where it comes from, its digest, salted, its levels."""

    column: str
    origin: str
    digest: str
    levels: int


@dataclass(frozen=True)
class Evidence:
    """What somebody needs to come to the same counts again."""

    configuration: str  # YAML, resolved, secrets masked
    source: FileFacts
    release: FileFacts
    hierarchies: tuple[HierarchyFacts, ...]
    recounts: tuple[Recount, ...]
    versions: tuple[tuple[str, str], ...]  # (program, version)
    machine: tuple[tuple[str, str], ...]  # (what, text)
    ledger: tuple[tuple[str, str], ...] = ()  # (what, text) of the entry


@dataclass(frozen=True)
class Audience:
    """For whom the release is, as the configuration says it; None where it does not.

    `means` are what the recipient has and can do to find somebody, `as_of` and `review` the dates of the data and of
    the next look at the release.
    """

    recipient: str | None = None
    means: str | None = None
    as_of: str | None = None
    review: str | None = None

    @property
    def lines(self) -> tuple[tuple[str, str | None], ...]:
        """(what, text) as the page shows them."""
        return (
            ("Recipient", self.recipient),
            ("Means of the recipient", self.means),
            ("Data as of", self.as_of),
            ("To be judged again on", self.review),
        )


@dataclass(frozen=True)
class PageFacts:
    """All that the page shows, and what it leaves out (see told). `report` is the JSON report (docs/report.md), `risk`
    that of `kanon-sql risk`, `loss` that of the report as far as it may be told where rows were suppressed.

    `notes` say for parts (by the names of these fields) why they are not there. `created` among them says that the
    report is not of the run that made the release: its time is that of the page.
    """

    title: str
    report: ToldReport
    loss: ToldLoss | None = None
    risk: ToldTables | None = None
    columns: tuple[ColumnFacts, ...] = ()
    unique: tuple[UniqueColumn, ...] = ()  # those in which most rows are so
    utility: ToldUtility | None = None
    attacks: AttackFacts | None = None
    lattice: LatticeFacts | None = None
    classes: tuple[ClassBand, ...] = ()
    evidence: Evidence | None = None
    removed: tuple[str, ...] = ()  # columns of the source that are not in the release
    recipe: str | None = None  # the preset that report.for names
    audience: Audience = field(default_factory=Audience)
    notes: dict[str, str] = field(default_factory=dict)
