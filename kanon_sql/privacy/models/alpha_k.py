"""(alpha, k)-anonymity: how frequent a sensitive value may be in a class."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from kanon_sql.privacy.base import COLUMN, MARGIN, AskEven, Ends, Number, PrivacyModel, Threshold, allowed, ratio
from kanon_sql.settings.part import ColumnName


class AlphaK(PrivacyModel):
    """(alpha, k)-anonymity of a sensitive column (Wong, Li, Fu and Wang, KDD 2006)."""

    key = "alpha_k"
    position = 3
    summary = "how frequent a sensitive value may be in a class"
    asks = "no value of {column} makes up more than {required} of a class"
    thresholds: ClassVar[Ends] = {"alpha": "most"}

    column: ColumnName = Field(description=COLUMN)
    alpha: Threshold = Field(gt=0, le=1, description="the greatest share of a class that one value may have")

    @property
    def tallied(self) -> str | None:
        """It compares each count."""
        return self._file("tallied")

    @property
    def portable(self) -> bool:
        """True: shares are compared in whole numbers, in any engine."""
        return True

    def numbers(self) -> dict[str, Number]:
        """alpha as the ratio $numerator and $denominator."""
        return ratio(self.alpha)

    def impossible(self, most_even: AskEven, limit: int) -> str | None:
        """The most frequent value stays too frequent after suppression, or there are too few values for any class."""
        most = most_even(0, 1)
        least = 1 / most.values if most.level is None else most.level / most.left
        if float(self.alpha) >= least - MARGIN:
            return None
        return (
            f"no release satisfies alpha = {self.alpha} in {self.column!r}: {allowed(limit)} the most frequent of "
            f"{most.values:,} values has a share of {least:.4g} at least; ask for less, or raise suppression.limit"
        )
