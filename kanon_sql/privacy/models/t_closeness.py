"""t-closeness: how near each class is to all rows in a sensitive column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from kanon_sql.privacy.base import COLUMN, Number, PrivacyModel, Threshold, ratio
from kanon_sql.settings import rules
from kanon_sql.settings.conditions import needs, only_with, when
from kanon_sql.settings.part import ColumnName, Name


class TCloseness(PrivacyModel):
    """t-closeness of a sensitive column (Li, Li and Venkatasubramanian, ICDE 2007)."""

    key = "t_closeness"
    position = 2
    summary = "how near each class is to all rows in a sensitive column"
    thresholds: ClassVar = {"t": "most"}
    options = ("distance",)
    files_by = "distance"
    needs_sizes = True
    test = "t_close"
    between_keys: ClassVar = {
        "dependentSchemas": {"hierarchy": only_with("distance", "hierarchical")},
        "allOf": [when(only_with("distance", "hierarchical"), needs("hierarchy"))],
    }

    column: ColumnName = Field(description=COLUMN)
    t: Threshold = Field(ge=0, le=1, description="how far the values of a class may be from those of all rows")
    distance: Literal["equal", "ordered", "hierarchical"] = Field("equal", description="between two values")
    hierarchy: Name | None = Field(None, description="hierarchical: a hierarchy file, or the name of a ready one")

    @staticmethod
    def faults(given: Mapping[str, Any]) -> rules.Faults:
        """The hierarchy goes with the distance that it is for."""
        hierarchical = given.get("distance") == "hierarchical"
        if hierarchical and not rules.given_of(given, "hierarchy"):
            yield ("distance",), "distance: hierarchical needs the hierarchy of the column; add hierarchy"
        if not hierarchical and rules.given_of(given, "hierarchy"):
            yield ("hierarchy",), "hierarchy goes with distance: hierarchical; remove it, or say so"

    @property
    def needs_order(self) -> bool:
        """With the ordered distance."""
        return self.distance == "ordered"

    def numbers(self) -> dict[str, Number]:
        """$t, and as a ratio."""
        return {"t": self.t, **ratio(self.t)}
