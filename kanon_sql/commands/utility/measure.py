"""What the data of a release are still good for: how far it is from its source, in figures that users can judge by.

A released label stands for the values of the source that lie below it (those below a label of its hierarchy, within a
range, in a set; * for every value), each with equal weight. Source and release are so compared on the values that the
source holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kanon_sql.commands.subject import Subject
from kanon_sql.commands.utility.coding import (
    MOST_BINS,
    SIDES,
    Coded,
    code_sides,
    fold,
    make_bins,
    make_label_bins,
    span,
)
from kanon_sql.commands.utility.columns import measure_column
from kanon_sql.commands.utility.compared import Compared, Reader, compared_columns, tuples
from kanon_sql.commands.utility.counting import measure_queries
from kanon_sql.commands.utility.domain import count_values, make_domain, make_runs
from kanon_sql.commands.utility.pairs import measure_pairs
from kanon_sql.commands.utility.prediction import can_predict, measure_prediction
from kanon_sql.commands.utility.propensity import measure_propensity
from kanon_sql.errors import ConfigurationError
from kanon_sql.frequency.dimensions.dimension import Kind
from kanon_sql.report.report import Json
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.sql.template import Item

MOST_COLUMNS = 20  # that are looked at together
MOST_VALUES = 1_000_000  # of a column that is released as it is
_PLACES = 10  # of a figure: beyond these it would depend on the order in which the engine's threads sum


def measure_utility(subject: Subject, deadline: Deadline) -> Json:
    """The `utility` entry of the report: every figure compares the release with its source.

    * `columns`: by name, `total_variation` (0 to 1) and, for numbers and dates, `earth_mover` (0 to 1), else None;
      of one with treatments `compared_with`: the "untreated" values of the source, or the "treated" ones;
    * `pairs`: a list of `columns` (two names), `measure` (cramers_v, correlation_ratio or pearson) and its value in
      `source` and `release`;
    * `queries`: `count`, `median_relative_error` and `p95_relative_error` of random counting queries;
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
    measuring = _Measuring(subject, Reader(subject, source, columns), deadline, columns, warnings=warnings)
    try:
        with subject.engine.until(deadline):
            measuring.measure()
    except TimeUpError:
        warnings.append("time ran out: not all figures of utility were measured")
    return measuring.entry()


@dataclass
class _Measuring:
    """One measurement, and what is found on the way."""

    subject: Subject
    reader: Reader
    deadline: Deadline
    columns: list[Compared]
    found: dict[str, Json] = field(default_factory=dict)
    coded: dict[int, Coded] = field(default_factory=dict)
    others: Json = field(default_factory=lambda: {"pairs": [], "queries": None, "pmse": None, "prediction": None})
    warnings: list[str] = field(default_factory=list)

    def entry(self) -> Json:
        """What was found, columns in their order."""
        measured = {one.name: self.found[one.name] for one in self.columns if one.name in self.found}
        return {"columns": _rounded(measured), **_rounded(self.others), "warnings": self.warnings}

    def measure(self) -> None:
        """Measures everything. Raises TimeUpError."""
        if not self.reader.has_rows("release"):
            self.warnings.append("the release has no rows: there is nothing to compare")
            return
        many = self._many()
        for one in many:
            self.deadline.check()
            self.reader.count("source", one)
            self.reader.add_treated(one)
            kind = make_domain(self.subject, one)
            self.reader.count("release", one)
            self._measure_column(one, kind, many=True)
        together = self._together(many)
        self._read(together)
        for one in together:
            if one.index not in self.coded:
                self.deadline.check()
                count_values(self.subject, "source", one)
                self.reader.add_treated(one)
                kind = make_domain(self.subject, one)
                count_values(self.subject, "release", one)
                self._measure_column(one, kind, many=False)
        coded = [self.coded[one.index] for one in together]
        code_sides(self.subject, coded)
        self.others["pairs"] = list(measure_pairs(self.subject, self.reader, coded, self.deadline))
        names = {"tuples": tuples("source")}
        rows = int(self.subject.engine.query("commands/risk/rows", names=names)[0][0])
        self.others["queries"] = measure_queries(self.subject, coded, rows, self.deadline)
        self.others["pmse"] = measure_propensity(self.subject, coded, self.deadline)
        if can_predict():
            self.others["prediction"] = measure_prediction(self.subject, coded, self.deadline)

    def _many(self) -> list[Compared]:
        """The columns of many values that are released as they are."""
        released = [one for one in self.columns if not one.generalized]
        counts = self.reader.distinct(released)
        for one, count in zip(released, counts, strict=True):
            if count > MOST_VALUES:
                self.warnings.append(f"column {one.name!r} has more than {MOST_VALUES:,} values: it is not compared")
                self.columns.remove(one)
        return [one for one, count in zip(released, counts, strict=True) if MOST_BINS < count <= MOST_VALUES]

    def _measure_column(self, one: Compared, kind: Kind, *, many: bool) -> None:
        """Compares one column, of which the domain is made and the labels are counted."""
        engine, ordered = self.subject.engine, kind in ("number", "date")
        make_runs(self.subject, one, kind)
        self.found[one.name] = measure_column(engine, one, ordered=ordered)
        if one.name in self.reader.treated:
            self.found[one.name]["compared_with"] = "treated" if one.treated is None else "untreated"
        make_bins(engine, one, ordered=ordered)
        make_label_bins(engine, one)
        self.coded[one.index] = Coded(one, kind, summed=many and ordered)

    def _together(self, many: Sequence[Compared]) -> list[Compared]:
        """The columns that are looked at together: the first ones, quasi-identifiers before others."""
        summed = [one.index for one in many if self.coded[one.index].summed]
        kept = [one for one in self.columns if not (self.reader.weighted and one.index in summed)]
        if len(kept) > MOST_COLUMNS:
            self.warnings.append(
                f"pairs, queries and pmse are of the first {MOST_COLUMNS} of {len(kept)} columns, quasi-identifiers "
                "and sensitive ones before others"
            )
        return kept[:MOST_COLUMNS]

    def _read(self, together: Sequence[Compared]) -> None:
        """Makes the frequency tables of both sides."""
        engine = self.subject.engine
        known = [self.coded[one.index] for one in together if one.index in self.coded]
        summed = [one for one in known if one.summed]
        folds = [one.column for one in known if not one.summed]
        spans = {one.column.index: span(engine, one.column) for one in summed}
        for one in folds:
            fold(engine, one)
        read = [one for one in together if one.index not in spans]
        for side in SIDES:
            sums: list[Item] = [
                {**one.sums, "number": self.reader.number(side, one.column, one.kind, spans[one.column.index])}
                for one in summed
            ]
            self.reader.read(side, read, folds, sums)


def _rounded(figures: Any) -> Any:
    if isinstance(figures, dict):
        return {key: _rounded(figure) for key, figure in figures.items()}
    if isinstance(figures, list):
        return [_rounded(figure) for figure in figures]
    return round(figures, _PLACES) if isinstance(figures, float) else figures
