"""delta-presence: how sure one may be that a person is in the table."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar

from pydantic import Field

from kanon_sql.privacy.base import POPULATION, Ends, Number, Population, PrivacyModel, Threshold, strangers
from kanon_sql.settings.rules import Faults, Odd, numbers_of


def _in_order(entry: Mapping[str, Any]) -> Faults:
    least, most = numbers_of([entry.get("min", 0)]), numbers_of([entry.get("max", 1)])
    if least and most and least[0] > most[0]:
        yield ("min",), "min is above max; exchange them"


class DeltaPresence(PrivacyModel):
    """delta-presence (Nergiz, Atzori and Clifton, SIGMOD 2007): how sure one may be that a person is in the table."""

    key = "delta_presence"
    position = 7
    summary = "how sure one may be that a person is in the table"
    asks = "of the persons of the population whom a class stands for a share of {required} is in the table"
    thresholds: ClassVar[Ends] = {"min": "least", "max": "most"}
    contains_table = True
    between = (Odd(_in_order),)

    min: Threshold = Field(
        Decimal(0), ge=0, le=1, description="the least share of a class of the population that is in the table"
    )
    max: Threshold = Field(Decimal(1), ge=0, le=1, description="the greatest share")
    population: Population = Field(description=POPULATION)

    @property
    def refuses_absent(self) -> bool:
        """True with min > 0: a class of the population of which nobody is in the table has a share of 0."""
        return self.min > 0

    def numbers(self) -> dict[str, Number]:
        """Both bounds as ratios."""
        (least, under), (most, most_under) = self.min.as_integer_ratio(), self.max.as_integer_ratio()
        return {"least_over": least, "least_under": under, "most_over": most, "most_under": most_under}

    def shown(self, measure: float) -> float:
        """The share, unrounded."""
        return measure

    def contradiction(self, most: float | None) -> str | None:
        """A class has more rows in the table than persons in the population that the table should be a part of."""
        return strangers("some") if most is None or most > 1 else None
