"""Thresholds on a released table as a whole, where k and the models speak of each class.

A release keeps the classes of at least k' rows, k' being the least number, k or more, with which every threshold holds:
the rows of the smallest classes are suppressed first. For the search, the release and every engine it is one number
more that is k.
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


def _share(value: Any) -> Any:
    """A number, or a percentage as a text."""
    if isinstance(value, bool):
        raise ValueError("expected a share, got a truth value")
    if isinstance(value, str) and value.strip().endswith("%"):
        return Decimal(value.strip()[:-1].strip()) / 100
    return value


_PERCENT = r"^\s*[0-9]+(\.[0-9]*)?\s*%\s*$"
_SHARE = {"anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": 1}, {"type": "string", "pattern": _PERCENT}]}
Share = Annotated[Decimal, Field(gt=0, le=1, max_digits=18), BeforeValidator(_share), WithJsonSchema(_SHARE)]


class Threshold(Part):
    """What a figure of the released table is at most."""

    key: ClassVar[str]

    at_most: Share = Field(description="the greatest value that a release may have")

    @abstractmethod
    def actual(self, sizes: ClassSizes) -> float:
        """The figure of a table with these classes."""

    @abstractmethod
    def holds(self, sizes: ClassSizes) -> bool:
        """Whether it is small enough; where it is, it stays so when the smallest classes are left out."""

    @property
    @abstractmethod
    def sufficient(self) -> int:
        """The k with which it holds of every table."""

    def least_lost(self, sizes: ClassSizes) -> int:
        """Rows that are lost for sure here, and at least as many below in a lattice, whatever is suppressed there."""
        return 0

    def options(self) -> dict[str, Any]:
        """Other parameters that the report repeats."""
        return {}


class AverageRisk(Threshold):
    """The mean of 1/f over the released rows, f being the size of a row's class: classes / rows."""

    key = "average_risk"

    def actual(self, sizes: ClassSizes) -> float:
        return sizes.classes / sizes.rows

    def holds(self, sizes: ClassSizes) -> bool:
        return sizes.classes <= Fraction(self.at_most) * sizes.rows

    @property
    def sufficient(self) -> int:
        return ceil(1 / Fraction(self.at_most))

    def least_lost(self, sizes: ClassSizes) -> int:
        """The rows that any choice of classes leaves out.

        Of all choices with so many classes that of the largest has the most rows, so they are kept one by one as long
        as the mean allows. A choice at a node of a lattice is one at every node above, where its classes lie in no more
        classes, which have no fewer rows: upwards, no more is lost.
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


class PopulationUniqueness(Threshold):
    """The share of a population's persons who are unique, estimated by the rule of Dankar et al. from the release."""

    key = "population_uniqueness"

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


THRESHOLDS: dict[str, type[Threshold]] = {one.key: one for one in (PopulationUniqueness, AverageRisk)}


def least_size(sizes: ClassSizes, k: int, thresholds: Sequence[Threshold]) -> int:
    """The least k' >= k with which the classes of at least k' rows hold every threshold; `sizes` are at least k."""
    there = [size for size, _ in sizes]

    def hold(place: int) -> bool:
        kept = sizes.at_least(there[place])
        return all(one.holds(kept) for one in thresholds)

    dropped = bisect_left(range(len(there)), True, key=hold)
    return there[dropped - 1] + 1 if dropped else k


def sufficient_k(k: int, thresholds: Sequence[Threshold]) -> int:
    """The k with which every threshold holds, whatever the classes are."""
    return max([k, *(one.sufficient for one in thresholds)])


def threshold_faults(config: Mapping[str, Any]) -> rules.Faults:
    """What of a raw configuration does not go with a threshold."""
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
