"""The risk of both tables for the page: what `kanon-sql risk` measures, and of the source what may be told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from kanon_sql.measures.evidence.gathered import Gathered
from kanon_sql.measures.evidence.labels import hide_small_classes
from kanon_sql.measures.risk.measure import THRESHOLD, describe_classes, pad_sizes, sum_sizes
from kanon_sql.report.page.model import PageFacts
from kanon_sql.search.full_domain.problem import FullDomain
from kanon_sql.sql.connection import Row
from kanon_sql.sql.template import state

if TYPE_CHECKING:
    from kanon_sql.results.figures import Rows
    from kanon_sql.results.risk import CountedRisk, PageTable
    from kanon_sql.results.told import ToldTables


def measure(gathered: Gathered, facts: PageFacts) -> ToldTables:
    """The entries of `kanon-sql risk --json` but those of a population and of subsets.

    What tells of fewer than k rows of the source is None, and ranges of its histogram are joined.
    """
    subject, rows = gathered.subject, facts.report["rows"]
    names = list(gathered.names)
    after: PageTable = {
        "table": facts.title,
        "quasi_identifiers": names,
        **_describe(gathered, _sizes(gathered)),
    }
    before: PageTable | None = None
    if gathered.problem is not None:
        measured = _describe(gathered, _sizes_of_source(gathered))
        before = {"table": gathered.problem.source.label, "quasi_identifiers": names, **measured}
        before["rows"] = cast("Rows", {**measured["rows"], "source": rows["source"], "missing": rows["missing"]})
        pad_sizes(before, after)
        pad_sizes(after, before)
        hide_small_classes(before, after, subject.loaded.config.privacy.k, THRESHOLD)
    # As far as it may be told: figures that were taken out are None.
    return cast(
        "ToldTables",
        {"status": "measured", "threshold": THRESHOLD, "population": None, "before": before, "after": after},
    )


def _sizes(gathered: Gathered) -> list[Row]:
    """(size, classes) of the release."""
    return gathered.subject.engine.query("measures/evidence/sizes", names={"tuples": gathered.tuples})


def _sizes_of_source(gathered: Gathered) -> list[Row]:
    """(size, classes) of the source."""
    problem = gathered.problem
    if isinstance(problem, FullDomain):
        return problem.nodes.query("measures/evidence/sizes", names={"tuples": state("tuples")})
    return gathered.subject.engine.query("measures/evidence/sizes", names={"tuples": state("frequency")})


def _describe(gathered: Gathered, sizes: Sequence[Row]) -> CountedRisk:
    """What is said of the classes of one table."""
    engine = gathered.subject.engine
    values = {"sizes": [int(row[0]) for row in sizes], "counts": [int(row[1]) for row in sizes]}
    engine.query("measures/evidence/class_sizes", values=values)
    sums = sum_sizes(engine, THRESHOLD)
    return {
        "rows": {"source": sums.rows, "missing": 0, "measured": sums.rows},
        **describe_classes(engine, sums),
        "exposed": None,
    }
