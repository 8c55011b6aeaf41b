"""t-closeness: how near each class is to all rows in a sensitive column."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from kanon_sql.privacy.base import COLUMN, Ends, Number, PrivacyModel, Threshold, ratio
from kanon_sql.settings.part import ColumnName, Name
from kanon_sql.settings.rules import GoesWith, Needs


class TCloseness(PrivacyModel):
    """t-closeness of a sensitive column (Li, Li and Venkatasubramanian, ICDE 2007)."""

    key = "t_closeness"
    position = 2
    summary = "how near each class is to all rows in a sensitive column"
    asks = (
        "in every class the values of {column} are spread nearly as in all rows: a distance of at most {required} on a "
        "scale of 0 to 1"
    )
    thresholds: ClassVar[Ends] = {"t": "most"}
    options = ("distance",)
    files_by = "distance"
    needs_sizes = True
    test = "t_close"
    between = (
        GoesWith(
            "hierarchy",
            "distance",
            "hierarchy goes with distance: hierarchical; remove it, or say so",
            ("hierarchical",),
        ),
        Needs(
            "distance",
            "hierarchical",
            "hierarchy",
            "distance: hierarchical needs the hierarchy of the column; add hierarchy",
        ),
    )

    column: ColumnName = Field(description=COLUMN)
    t: Threshold = Field(ge=0, le=1, description="how far the values of a class may be from those of all rows")
    distance: Literal["equal", "ordered", "hierarchical"] = Field("equal", description="between two values")
    hierarchy: Name | None = Field(None, description="hierarchical: a hierarchy file, or the name of a ready one")

    @property
    def needs_order(self) -> bool:
        """With the ordered distance."""
        return self.distance == "ordered"

    @property
    def keeps(self) -> str | None:
        """All but the ordered distance have a bound."""
        return None if self.distance == "ordered" else self._file("keeps")

    @property
    def tallied(self) -> str | None:
        """With the equal distance, a sum over the values."""
        return self._file("tallied") if self.distance == "equal" else None

    @property
    def portable(self) -> bool:
        """With the equal distance, which needs neither an order nor a hierarchy."""
        return self.distance == "equal"

    def numbers(self) -> dict[str, Number]:
        """$t, and as a ratio $numerator and $denominator."""
        return {"t": self.t, **ratio(self.t)}

    def shown(self, measure: float) -> float:
        """To twelve places: beyond these, a sum over the values depends on the order in which threads add."""
        return round(super().shown(measure), 12)
