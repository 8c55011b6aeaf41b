"""What the data of a release are still good for: how far it is from its source, in figures that users can judge by.

A released label stands for the values of the source that lie below it (those below a label of its hierarchy, within a
range, in a set; * for every value), each with equal weight. Source and release are so compared on the values that the
source holds.
"""

from __future__ import annotations

from kanon_sql.commands.subject import Subject
from kanon_sql.commands.utility.columns import measure_column
from kanon_sql.commands.utility.compared import compared_columns, read_sides
from kanon_sql.commands.utility.domain import make_domain, make_runs
from kanon_sql.errors import ConfigurationError
from kanon_sql.report.report import Json
from kanon_sql.sql.deadline import Deadline, TimeUpError


def measure_utility(subject: Subject, deadline: Deadline) -> Json:
    """The `utility` entry of the report: every figure compares the release with its source.

    * `columns`: by name, `total_variation` (0 to 1) and, for numbers and dates, `earth_mover` (0 to 1), else None;
    * `pairs`: a list of `columns` (two names), `measure` (cramers_v, correlation_ratio or pearson) and its value in
      `source` and `release`, None where it is not defined;
    * `queries`: `median_relative_error` and `p95_relative_error` of random counting queries;
    * `pmse`: 0 where nothing tells the rows of both sides apart, 0.25 where everything does;
    * `prediction`: None without scikit-learn; else for each sensitive column the accuracy of predicting it;
    * `warnings`: what was left out.

    What the deadline leaves no time for is None, and a warning says so. Raises ConfigurationError where the source is
    no longer there or the release lacks columns, EngineError for tables that cannot be read.
    """
    source = subject.source
    if source is None:
        raise ConfigurationError(
            f"{subject.loaded.place('target')}: utility compares a release with its source, which is not there any "
            "more; expected a target beside the source"
        )
    columns, warnings = compared_columns(subject, source)
    entry: Json = {"columns": {}, "pairs": [], "queries": None, "pmse": None, "prediction": None, "warnings": warnings}
    try:
        with subject.engine.until(deadline):
            read_sides(subject, source, columns)
            for one in columns:
                deadline.check()
                ordered = make_domain(subject, one)
                make_runs(subject, one)
                entry["columns"][one.name] = measure_column(subject.engine, one, ordered=ordered)
    except TimeUpError:
        warnings.append("time ran out: not all figures of utility were measured")
    return entry
