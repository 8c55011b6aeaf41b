"""What charts draw of the risk and the utility of two tables: the reports of `kanon-sql risk` and `utility`, or as much
of them as may be told; a figure that is None is not told.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import NotRequired, ReadOnly, TypedDict

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
    """The smallest class."""

    min: ReadOnly[int | None]


class ToldShare(TypedDict):
    """A share of the rows."""

    share: ReadOnly[float | None]


class ToldAverage(TypedDict):
    """The average of a risk."""

    average: ReadOnly[float | None]


class ToldRisk(ToldAverage):
    """The risk of rows, and those above the threshold."""

    highest: ReadOnly[float | None]
    above: ReadOnly[ToldShare]


class ToldTable(TypedDict):
    """One table."""

    classes: ReadOnly[ToldClasses]
    unique: ReadOnly[ToldShare]
    prosecutor: ReadOnly[ToldRisk]
    journalist: ReadOnly[ToldRisk | None]
    marketer: ReadOnly[ToldAverage | None]
    weighted: NotRequired[ReadOnly[ToldRisk | None]]
    sizes: ReadOnly[Sequence[ToldBin]]


class ToldTables(TypedDict):
    """The source and its release, where each of them is there."""

    threshold: ReadOnly[float]
    before: ReadOnly[ToldTable | None]
    after: ReadOnly[ToldTable | None]


class ToldPair(TypedDict):
    """How strongly two columns go together."""

    columns: ReadOnly[Sequence[str]]
    measure: NotRequired[ReadOnly[str | None]]
    source: ReadOnly[float | None]
    release: ReadOnly[float | None]
