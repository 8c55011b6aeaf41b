"""The classes of Mondrian and local recoding by size and loss, counted again by the labels of the release.

What the release loses, without what only suppressed rows tell: their values may be the ends of a column's range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kanon_sql.measures.evidence.at_levels import know_in_tree
from kanon_sql.measures.evidence.gathered import Gathered
from kanon_sql.measures.evidence.labels import count_labels
from kanon_sql.measures.risk.measure import size_bounds
from kanon_sql.measures.risk.table import value_name
from kanon_sql.report.page.model import ClassBand, PageFacts
from kanon_sql.report.page.withheld import left_out
from kanon_sql.search.full_domain.measures import CostModel, geometric_mean
from kanon_sql.search.full_domain.problem import FullDomain
from kanon_sql.search.multidimensional import Multidimensional
from kanon_sql.search.problem import SearchProblem
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.template import Fill, Item, state

if TYPE_CHECKING:
    from kanon_sql.results.told import ToldLoss

_SLACK = 1e-6  # of the loss: labels are read as floating-point numbers


def measure_classes(gathered: Gathered, _: PageFacts) -> tuple[ClassBand, ...]:
    """The classes by the ranges of sizes of the risk's histogram; none where all rows are at one level.

    Losses are None where the labels alone do not tell what the report says of all rows: of a name that two nodes of a
    hierarchy have, of ranges whose end is a missing value.
    """
    if gathered.full_domain:
        return ()
    engine, tuples = gathered.subject.engine, gathered.tuples
    costs: list[Item] = []
    for i in range(len(gathered.names)):
        count_labels(gathered, i)
        _cost(engine, gathered.problem, i)
        costs.append({"costs": _costs(i), "name": value_name(i)})
    sizes = engine.query("measures/evidence/sizes", names={"tuples": tuples})
    bounds = size_bounds(max(int(row[0]) for row in sizes))
    rows = engine.query(
        "measures/evidence/class_bands",
        names={"tuples": tuples, "width": len(costs)},
        values={"lows": [low for low, _ in bounds], "highs": [high for _, high in bounds]},
        lists={"item": costs},
    )
    agrees = _agrees(gathered, rows)
    return tuple(
        ClassBand(int(low), int(high), int(classes), int(rows), float(loss) / int(rows) if agrees else None)
        for low, high, classes, rows, loss, _ in rows
    )


def _costs(index: int) -> str:
    return state(f"page_costs_{index}")


def _cost(engine: Engine, problem: SearchProblem | None, index: int) -> None:
    """Makes the table costs_i of what each label of a column costs."""
    costs: dict[str, Fill] = {"costs": _costs(index)}
    if not isinstance(problem, Multidimensional):
        engine.query("measures/evidence/no_costs", names=costs)
        return
    d, grid = problem.tuples.dimensions[index], problem.grids.get(index)
    if d.tree is not None:
        know_in_tree(engine, d)
        engine.query("measures/evidence/tree_costs", names={**costs, "nodes": d.nodes})
        return
    labels: dict[str, Fill] = {"labels": state("page_range_labels")}
    spans: dict[str, Fill] = {"spans": state("page_spans")}
    engine.query("measures/evidence/range_labels", names=labels)
    if d.kind == "text":
        engine.query("measures/evidence/set_costs", names={**costs, **labels}, values={"values": d.values})
    elif d.kind == "number":
        engine.query("measures/link/number_spans", names={**labels, **spans})
        engine.query("measures/evidence/number_costs", names={**costs, **labels, **spans, "places": d.places})
    elif grid is not None:
        engine.query("measures/link/date_spans", names={**labels, **spans})
        names = {**costs, **labels, **spans, "places": d.places}
        engine.query("measures/evidence/period_costs", names=names, values={"span": grid.span})
    else:
        engine.query("measures/evidence/date_costs", names={**costs, **labels, "places": d.places})


def _agrees(gathered: Gathered, bands: Sequence[Row]) -> bool:
    """Whether the losses of all classes add up to what the report says."""
    reported = gathered.loss["ncp"] if gathered.loss else None
    if reported is None or any(row[5] for row in bands):
        return False
    loss = math.fsum(float(row[4]) for row in bands) / sum(int(row[3]) for row in bands)
    return abs(100 * loss - float(reported)) <= 100 * _SLACK


def measure_loss(gathered: Gathered, facts: PageFacts) -> ToldLoss | None:
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
    losses = tuple((loss * rows + hidden) / (rows + hidden) for loss in of_released)
    lm, reported = math.fsum(losses), facts.report["loss"]
    if reported is None:
        return None
    # Of the report those that are functions of the released classes, the levels and how many rows were suppressed.
    return {
        "c_avg": reported["c_avg"],
        "average_class_size": reported["average_class_size"],
        "discernibility": reported["discernibility"],
        "precision": reported["precision"],
        "lm": lm,
        "ncp": 100 * lm / len(losses),
        "geometric_mean": geometric_mean(losses),
        "entropy": costs.entropy(node),
        "attributes": dict(zip(problem.names, losses, strict=True)),
    }
