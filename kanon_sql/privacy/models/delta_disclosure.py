"""delta-disclosure privacy: how much a class may reveal of a sensitive value, as a logarithm."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from kanon_sql.privacy.base import COLUMN, Ends, Number, PrivacyModel, Threshold
from kanon_sql.settings.part import ColumnName


class DeltaDisclosure(PrivacyModel):
    """delta-disclosure privacy of a sensitive column (Brickell and Shmatikov, KDD 2008)."""

    key = "delta_disclosure"
    position = 5
    summary = "how much a class may reveal of a sensitive value, as a logarithm"
    asks = (
        "no value of {column} is in a class more or less frequent than in all rows by more than e to the power of "
        "{required}"
    )
    thresholds: ClassVar[Ends] = {"delta": "most"}
    needs_sizes = True

    column: ColumnName = Field(description=COLUMN)
    delta: Threshold = Field(
        gt=0, description="bound on the logarithm of a value's share of a class by its share of all rows"
    )

    @property
    def tallied(self) -> str | None:
        """It compares each count."""
        return self._file("tallied")

    @property
    def portable(self) -> bool:
        """True: it compares shares of counted values, which every engine can."""
        return True

    def numbers(self) -> dict[str, Number]:
        return {"delta": self.delta}
