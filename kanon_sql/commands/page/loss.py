"""What the release loses, without what only suppressed rows tell: their values may be the ends of a column's range."""

from __future__ import annotations

import math

from kanon_sql.commands.page.gathered import Gathered
from kanon_sql.report.page.model import Json, PageFacts
from kanon_sql.report.page.told import left_out
from kanon_sql.search.full_domain.measures import CostModel, geometric_mean
from kanon_sql.search.full_domain.problem import FullDomain

# Functions of the released classes, the levels, and the number of suppressed rows.
_OF_THE_RELEASE = ("c_avg", "average_class_size", "discernibility", "precision")


def measure(gathered: Gathered, facts: PageFacts) -> Json | None:
    """The entry `loss` with the values of the released rows as all that there are, each suppressed row lost as a whole.

    None where no row was suppressed: the report's own entry is so. `entropy` is that of the released rows alone.
    """
    hidden = left_out(facts.report)
    if not hidden:
        return None
    problem, levels, rows = gathered.problem, gathered.levels, facts.report["rows"]["released"]
    if not isinstance(problem, FullDomain) or levels is None:
        return None
    node = tuple(levels[name] for name in problem.names)
    costs = CostModel(problem.frequency)
    of_released = [costs.loss(place, level) for place, level in enumerate(node)]
    losses = tuple((one * rows + hidden) / (rows + hidden) for one in of_released)
    lm, said = math.fsum(losses), facts.report["loss"]
    return {
        "lm": lm,
        "ncp": 100 * lm / len(losses),
        "geometric_mean": geometric_mean(losses),
        **{name: said[name] for name in _OF_THE_RELEASE},
        "entropy": costs.entropy(node),
        "attributes": dict(zip(problem.names, losses, strict=True)),
    }
