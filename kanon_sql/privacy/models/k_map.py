"""k-map: persons of a population that each class stands for."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from kanon_sql.privacy.base import POPULATION, Ends, Number, Persons, Population, PrivacyModel


class KMap(PrivacyModel):
    """k-map (Sweeney, PhD thesis 2001): classes counted in a population table."""

    key = "k_map"
    position = 6
    summary = "persons of a population that each class stands for"
    asks = "every class stands for at least {required} persons of the population"
    thresholds: ClassVar[Ends] = {"k": "least"}
    replaces_k = True

    k: Persons = Field(ge=1, description="persons of the population that each class stands for at least")
    population: Population = Field(description=POPULATION)

    @property
    def monotone(self) -> bool:
        """True: joining classes only adds persons."""
        return True

    def numbers(self) -> dict[str, Number]:
        """$k_map, as $k is that of k-anonymity."""
        return {"k_map": self.k}
