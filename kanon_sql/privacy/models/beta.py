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
        """With either variant."""
        return self._file("keeps")

    @property
    def portable(self) -> bool:
        """It is."""
        return True

    def numbers(self) -> dict[str, Number]:
        """$beta, and as a ratio."""
        return {"beta": self.beta, **ratio(self.beta)}
