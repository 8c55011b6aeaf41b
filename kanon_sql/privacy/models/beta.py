"""beta-likeness: how much a class may reveal of a sensitive value, relatively."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from kanon_sql.privacy.base import COLUMN, Ends, Number, PrivacyModel, Threshold, ratio
from kanon_sql.settings.part import ColumnName


class Beta(PrivacyModel):
    """beta-likeness of a sensitive column (Cao and Karras, PVLDB 2012)."""

    key = "beta"
    position = 4
    summary = "how much a class may reveal of a sensitive value, relatively"
    asks = "no value of {column} is in a class more frequent than in all rows by more than {required} times"
    thresholds: ClassVar[Ends] = {"beta": "most"}
    options = ("variant",)
    files_by = "variant"
    needs_sizes = True

    column: ColumnName = Field(description=COLUMN)
    beta: Threshold = Field(
        gt=0, description="how much more frequent than in all rows a value may be in a class, relatively"
    )
    variant: Literal["basic", "enhanced"] = Field("basic", description="enhanced bounds frequent values further")

    @property
    def keeps(self) -> str | None:
        """Both variants bound how many rows of a value a class can keep."""
        return self._file("keeps")

    @property
    def tallied(self) -> str | None:
        """Both variants compare each count."""
        return self._file("tallied")

    @property
    def portable(self) -> bool:
        """True: it compares shares of counted values, which every engine can."""
        return True

    def numbers(self) -> dict[str, Number]:
        """$beta, and as a ratio $numerator and $denominator."""
        return {"beta": self.beta, **ratio(self.beta)}
