"""l-diversity: how many values of a sensitive column each class holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, ClassVar, Literal

from pydantic import Field

from kanon_sql.privacy.base import COLUMN, MARGIN, AskEven, Ends, Exact, Number, PrivacyModel, Threshold, allowed, ratio
from kanon_sql.settings.part import ColumnName
from kanon_sql.settings.rules import WHOLE, Faults, GoesWith, Needs, Odd, numbers_of, only_with, when


def _whole(entry: Mapping[str, Any]) -> Faults:
    """l counts values, so it is a whole number; only an entropy may lie between."""
    variant, least = entry.get("variant", "distinct"), numbers_of([entry.get("l")])
    if least and least[0].denominator != 1 and variant != "entropy":
        yield ("l",), f"expected a whole number with variant: {variant}; only entropy takes fractions"


class LDiversity(PrivacyModel):
    """l-diversity of a sensitive column (Machanavajjhala et al., TKDD 2007)."""

    key = "l_diversity"
    position = 1
    summary = "how many values of a sensitive column each class holds"
    asks: ClassVar[Mapping[str, str]] = {
        "distinct": "every class holds at least {required} different values of {column}",
        "entropy": "in every class the values of {column} are as varied as {required} equally frequent ones",
        "recursive": "in every class the most frequent value of {column} is rarer than {c} times all those from the "
        "{required}th on together",
    }
    thresholds: ClassVar[Ends] = {"l": "least"}
    options = ("variant", "c")
    files_by = "variant"
    test = "l_diverse"
    between = (
        GoesWith(
            "c",
            "variant",
            "c goes with variant: recursive, not with {value}; remove it",
            ("recursive",),
            default="distinct",
        ),
        Needs("variant", "recursive", "c", "variant: recursive needs c, such as c: 4; add it"),
        Odd(_whole, {"allOf": [when({"not": only_with("variant", "entropy")}, {"properties": {"l": WHOLE}})]}),
    )

    column: ColumnName = Field(description=COLUMN)
    l: Threshold = Field(ge=1, description="how many values a class holds at least, or as good as holds")  # noqa: E741
    variant: Literal["distinct", "entropy", "recursive"] = Field("distinct", description="what counts as diverse")
    c: Exact | None = Field(None, gt=0, description="recursive: how much the most frequent value may outweigh")

    @property
    def monotone(self) -> bool:
        """Only distinct l-diversity: suppression can spoil an evenness, never a number of values."""
        return self.variant == "distinct"

    @property
    def tallied(self) -> str | None:
        """The distinct variant, a number of values."""
        return self._file("tallied") if self.variant == "distinct" else None

    @property
    def portable(self) -> bool:
        """All but the recursive variant, whose lists only DuckDB has."""
        return self.variant != "recursive"

    def numbers(self) -> dict[str, Number]:
        """$l, and c as the ratio $numerator and $denominator."""
        return {"l": self.l if self.variant == "entropy" else int(self.l), **ratio(self.c or Decimal(0))}

    def shown(self, measure: float) -> float:
        """The exponential of an entropy errs in the last digits: five equally frequent values are to be 5."""
        return round(measure, 9)

    def impossible(self, most_even: AskEven, limit: int) -> str | None:
        """The rows that can be left have too few values, or too uneven ones."""
        most = most_even(1, int(self.l))
        refused = f"no release satisfies {self.variant} l = {self.l} in {self.column!r}"
        values = f"{most.values:,} different value{'s' * (most.values != 1)}"
        if most.values < (float(self.l) * (1 - MARGIN) if self.variant == "entropy" else int(self.l)):
            return f"{refused}: the rows that take part have only {values}; ask for less"
        if self.variant == "entropy" and most.entropy is not None and most.entropy < math.log(self.l) - MARGIN:
            return (
                f"{refused}: {allowed(limit)} the {values} are at best as diverse as {math.exp(most.entropy):.4g} "
                "equally frequent ones; ask for less, or raise suppression.limit"
            )
        bound = float(self.c or 0) * most.tail
        if self.variant == "recursive" and most.level is not None and most.level > bound * (1 + MARGIN):
            return (
                f"{refused}, c = {self.c}: {allowed(limit)} the most frequent value still has {most.level:,.6g} rows, "
                f"those from the {int(self.l)}th on {most.tail:,}; ask for less, or raise suppression.limit"
            )
        return None
