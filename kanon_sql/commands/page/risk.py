"""The risk of both tables for the page: what `kanon-sql risk` measures, and of the source what may be told."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.commands.page.gathered import Gathered
from kanon_sql.commands.page.hidden import join_ranges, told_count, told_ranges
from kanon_sql.commands.risk.measure import THRESHOLD, class_sizes, describe_classes, pad_sizes, sum_sizes
from kanon_sql.report.page.model import Json, PageFacts
from kanon_sql.search.full_domain.problem import FullDomain
from kanon_sql.sql.connection import Row
from kanon_sql.sql.template import state

THRESHOLDS = (0.05, 0.09, 0.1, 0.2, 0.33, 0.5)  # that authorities and authors name


def measure(gathered: Gathered, facts: PageFacts) -> Json:
    """The entries of `kanon-sql risk --json` but those of a population and of subsets; with `thresholds`, the rows
    above further ones.

    A count of the source is None where it is below k; ranges of its histogram are joined so that none is, and a
    threshold is left out where it would tell one.
    """
    subject, rows = gathered.subject, facts.report["rows"]
    names = {"quasi_identifiers": gathered.names}
    after = {"table": facts.title, **names, **_describe(gathered, _sizes(gathered))}
    before = None
    if gathered.problem is not None:
        found = _describe(gathered, _sizes_of_source(gathered))
        before = {"table": gathered.problem.source.label, **names, **found}
        before["rows"] = {**found["rows"], "source": rows["source"], "missing": rows["missing"]}
        pad_sizes(before, after)
        pad_sizes(after, before)
        _hide(before, after, subject.loaded.config.privacy.k)
    return {"status": "measured", "threshold": THRESHOLD, "population": None, "before": before, "after": after}


def _sizes(gathered: Gathered) -> list[Row]:
    """(size, classes) of the release."""
    return gathered.subject.engine.query("commands/page/sizes", names={"tuples": gathered.tuples})


def _sizes_of_source(gathered: Gathered) -> list[Row]:
    """(size, classes) of the source."""
    problem = gathered.problem
    if isinstance(problem, FullDomain):
        return problem.nodes.query("commands/page/sizes", names={"tuples": state("tuples")})
    return gathered.subject.engine.query("commands/page/sizes", names={"tuples": state("frequency")})


def _describe(gathered: Gathered, sizes: Sequence[Row]) -> Json:
    """What is said of the classes of one table."""
    engine = gathered.subject.engine
    values = {"sizes": [int(row[0]) for row in sizes], "counts": [int(row[1]) for row in sizes]}
    engine.query("commands/page/class_sizes", names={"class_sizes": class_sizes()}, values=values)
    sums = sum_sizes(engine, THRESHOLD)
    names = {"class_sizes": class_sizes()}
    above = engine.query("commands/page/rows_above", names=names, values={"thresholds": list(THRESHOLDS)})
    return {
        "rows": {"source": sums.rows, "missing": 0, "measured": sums.rows},
        **describe_classes(engine, sums),
        "thresholds": [
            {"threshold": float(threshold), "rows": int(rows), "share": int(rows) / sums.rows}
            for threshold, rows in above
        ],
        "exposed": None,
    }


def _hide(before: Json, after: Json, k: int) -> None:
    """Takes out of both tables what tells of fewer than k rows of the source."""
    told = before["unique"]["rows"]
    kept = []
    for one in reversed(before["thresholds"]):  # which rows are added to from the highest down
        if not 0 < one["rows"] - told < k:
            kept.append(told_count(one, k))
            told = one["rows"]
    together = told_ranges(before["sizes"], k)
    for part in (before, after):
        part["sizes"] = join_ranges(part["sizes"], together)
    thresholds = {one["threshold"] for one in kept}
    before["thresholds"] = kept[::-1]
    after["thresholds"] = [one for one in after["thresholds"] if one["threshold"] in thresholds]
    before["unique"] = told_count(before["unique"], k)
    before["prosecutor"]["above"] = told_count(before["prosecutor"]["above"], k)
