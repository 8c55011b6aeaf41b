"""How far the distribution of each column of the release is from that of the source.

Total variation is the largest difference of the shares of any set of values: half the sum of the differences. The earth
mover's distance of ordered values is that of N. Li, T. Li, S. Venkatasubramanian: t-closeness, ICDE 2007, section 4:
neighbouring values are 1 / (m - 1) apart, so that it runs from 0 to 1; a missing value comes first.
"""

from __future__ import annotations

from kanon_sql.commands.utility.compared import Compared
from kanon_sql.report.report import Json
from kanon_sql.sql.connection import Engine


def measure_column(engine: Engine, one: Compared, *, ordered: bool) -> Json:
    """The distances of one column, `earth_mover` None where its values have no order."""
    names = {name: one.table(name) for name in ("ranks", "runs", "labels", "shares")}
    engine.query("commands/utility/shares", names=names)
    varied, moved = engine.query("commands/utility/distances", names={"shares": names["shares"]})[0]
    return {"total_variation": _bounded(varied), "earth_mover": _bounded(moved) if ordered else None}


def _bounded(distance: float) -> float:
    """Without what the sums of floating point numbers leave beyond the ends."""
    return min(max(float(distance), 0.0), 1.0)
