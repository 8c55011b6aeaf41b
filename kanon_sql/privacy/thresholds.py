"""Thresholds on a released table as a whole, where k and the models speak of each class.

A release keeps the classes of at least k' rows, k' being the least number, k or more, with which every threshold holds:
the rows of the smallest classes are suppressed first. So the search, the release and every engine need no more than
another k.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from kanon_sql.privacy.uniqueness import ClassSizes, estimate_uniqueness
from kanon_sql.settings import rules
from kanon_sql.settings.part import Part

_PERCENT = r"^\s*[0-9]+(\.[0-9]*)?\s*%\s*$"
_SHARE = {"anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": 1}, {"type": "string", "pattern": _PERCENT}]}


def _share(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("expected a share, got a truth value")
    if isinstance(value, str) and value.strip().endswith("%"):
        return Decimal(value.strip()[:-1].strip()) / 100
    return value


Share = Annotated[Decimal, Field(gt=0, le=1, max_digits=18), BeforeValidator(_share), WithJsonSchema(_SHARE)]


class Threshold(Part):
    """An upper bound on a figure of the released table."""

    key: ClassVar[str]
    asks: ClassVar[str]  # in a sentence of the page, with {required}

    at_most: Share = Field(description="the greatest value that a release may have")

    @abstractmethod
    def actual(self, sizes: ClassSizes) -> float:
        """The figure of a table with these classes."""

    @abstractmethod
    def holds(self, sizes: ClassSizes) -> bool:
        """Whether the figure is within the bound; once it is, leaving out the smallest classes keeps it so."""

    @property
    @abstractmethod
    def sufficient(self) -> int:
        """A k with which the threshold holds, whatever the table."""

    def least_lost(self, sizes: ClassSizes) -> int:
        """A lower bound on the rows suppressed at this node of the lattice and at every node below; 0 by default."""
        return 0

    def options(self) -> dict[str, Any]:
        """The entry's further parameters, which the report repeats."""
        return {}


class AverageRisk(Threshold):
    """The mean of 1/f over the released rows, f being the size of a row's class: classes / rows."""

    key = "average_risk"
    asks = (
        "who knows that a person is in the release points at the right row with a probability of at most {required} on "
        "average"
    )

    def actual(self, sizes: ClassSizes) -> float:
        return sizes.classes / sizes.rows

    def holds(self, sizes: ClassSizes) -> bool:
        return sizes.classes <= Fraction(self.at_most) * sizes.rows

    @property
    def sufficient(self) -> int:
        return ceil(1 / Fraction(self.at_most))

    def least_lost(self, sizes: ClassSizes) -> int:
        """The fewest rows that any choice of classes leaves out.

        Of all choices of so many classes, that of the largest has the most rows; so the largest are kept, one by one,
        as long as the mean allows. A choice at a node of the lattice is one at every node above too, where its classes
        lie in no more classes of no fewer rows: upwards, no more is lost.
        """
        most, of = Fraction(self.at_most).as_integer_ratio()
        kept = classes = 0
        for size, count in reversed(list(sizes)):
            over = of - most * size
            allowed = count if over <= 0 else min(count, (most * kept - of * classes) // over)
            kept, classes = kept + allowed * size, classes + allowed
            if allowed < count:
                break
        return sizes.rows - kept


class UniquenessThreshold(Threshold):
    """The share of a population's persons who are unique, estimated by the rule of Dankar et al. from the release."""

    key = "population_uniqueness"
    asks = (
        "of the persons of the population a share of {required} is estimated to be unique by the released columns at "
        "most"
    )

    fraction: Share = Field(description="the share of the population that the released rows are")

    def actual(self, sizes: ClassSizes) -> float:
        return estimate_uniqueness(sizes, float(sizes.rows / Fraction(self.fraction))).dankar

    def holds(self, sizes: ClassSizes) -> bool:
        return not sizes.alone or Fraction(self.actual(sizes)) <= Fraction(self.at_most)

    @property
    def sufficient(self) -> int:
        return 2

    def options(self) -> dict[str, Any]:
        return {"fraction": float(self.fraction)}


THRESHOLDS: dict[str, type[Threshold]] = {threshold.key: threshold for threshold in (UniquenessThreshold, AverageRisk)}


def least_size(sizes: ClassSizes, k: int, thresholds: Sequence[Threshold]) -> int:
    """The least k' >= k such that the classes of at least k' rows hold every threshold; `sizes` are at least k."""
    occurring = [size for size, _ in sizes]

    def hold(index: int) -> bool:
        kept = sizes.at_least(occurring[index])
        return all(threshold.holds(kept) for threshold in thresholds)

    dropped = bisect_left(range(len(occurring)), True, key=hold)
    return occurring[dropped - 1] + 1 if dropped else k


def sufficient_k(k: int, thresholds: Sequence[Threshold]) -> int:
    """A k with which every threshold holds, whatever the classes are."""
    return max([k, *(threshold.sufficient for threshold in thresholds)])


def threshold_faults(config: Mapping[str, Any]) -> rules.Faults:
    """The errors of a raw configuration whose other keys do not go with a threshold."""
    part = config.get("privacy")
    if not isinstance(part, Mapping):
        return
    algorithm = config.get("algorithm")
    blind = algorithm.get("blind") if isinstance(algorithm, Mapping) else None
    for key in THRESHOLDS:
        if part.get(key) is None:
            continue
        if blind is True:
            text = f"{key} is of the classes that are left, which algorithm.blind does not know yet; remove one"
            yield ("privacy", key), text
        if part.get("entity") is not None:
            yield ("privacy", key), f"{key} counts rows, not the entities that k counts; remove one"
        if part.get("known_columns") is not None:
            yield ("privacy", key), f"{key} is of classes of all quasi-identifiers, not with known_columns; remove one"
        if config.get("group") is not None:
            yield ("privacy", key), f"{key} leaves out single classes, not with group; remove one"
