"""Each quasi-identifier for the page: its hierarchy, the level chosen, how its labels are distributed.

Labels are those of the release and those above them; the source is counted under these only.
"""

from __future__ import annotations

from dataclasses import replace

from kanon_sql.measures.evidence.at_levels import of_classes
from kanon_sql.measures.evidence.at_one_level import of_one_level
from kanon_sql.measures.evidence.gathered import Gathered
from kanon_sql.report.page.model import ColumnFacts, PageFacts
from kanon_sql.report.page.withheld import left_out


def measure(gathered: Gathered, facts: PageFacts) -> tuple[ColumnFacts, ...]:
    """The facts of each quasi-identifier, in the configuration's order."""
    of = of_one_level if gathered.full_domain else of_classes
    measured = tuple(of(gathered, index, name) for index, name in enumerate(gathered.names))
    if not left_out(facts.report):
        return measured
    lost = facts.loss["attributes"] if facts.loss else {}
    return tuple(replace(column, loss=lost.get(column.name)) for column in measured)
