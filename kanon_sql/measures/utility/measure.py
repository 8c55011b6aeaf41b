"""What the data of a release are still good for: how far it is from its source, in figures that users can judge by.

A released label stands for the values of the source that lie below it (those below a label of its hierarchy, within a
range, in a set; * for every value), each with equal weight. Source and release are so compared on the values that the
source holds.

How far the distribution of a column is from that of the source: total variation is the largest difference of the
shares of any set of values, half the sum of the differences. The earth mover's distance of ordered values is that of
N. Li, T. Li, S. Venkatasubramanian: t-closeness, ICDE 2007, section 4: neighbouring values are 1 / (m - 1) apart, so
that it runs from 0 to 1; a missing value comes first.

How strongly two columns are associated in the source, and in the release:

* Two columns of categories: Cramér's V (H. Cramér: Mathematical Methods of Statistics, 1946, section 21.9), the rows of
  a label spread over the values that it stands for.
* Categories and numbers: the correlation ratio, the square root of the share of the variance of the numbers that lies
  between the categories (K. Pearson: On the general theory of skew correlation, 1905).
* Two columns of numbers or dates: Pearson's correlation, with its sign.

The number of a label is the mean of the values that it stands for; rows without a number are left out. Where a column
has no more than one value there is no association: 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import copysign, sqrt
from typing import TYPE_CHECKING

from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.frequency.dimensions import Kind
from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.measures.utility.compared import (
    MOST_BINS,
    SIDES,
    Coded,
    ComparedColumn,
    Reader,
    code_sides,
    coded_table,
    compared_columns,
    fold,
    make_bins,
    make_label_bins,
    span,
    tuples,
)
from kanon_sql.measures.utility.counting_queries import count_values, make_domain, make_runs, measure_queries
from kanon_sql.measures.utility.prediction import can_predict, measure_prediction, measure_propensity
from kanon_sql.report.report import rounded
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.sql.template import Item

if TYPE_CHECKING:
    from kanon_sql.results.utility import ColumnDistance, Measure, PairAssociation, TogetherUtility, Utility


def measure_column(engine: Engine, compared: ComparedColumn, *, ordered: bool) -> ColumnDistance:
    """The distances of one column, `earth_mover` None where its values have no order."""
    names = {name: compared.table(name) for name in ("ranks", "runs", "labels", "shares")}
    engine.query("measures/utility/shares", names=names)
    varied, moved = engine.query("measures/utility/distances", names={"shares": names["shares"]})[0]
    return {"total_variation": _bounded(varied), "earth_mover": _bounded(moved) if ordered else None}


def _bounded(distance: float) -> float:
    """Without what the sums of floating point numbers leave beyond the ends."""
    return min(max(float(distance), 0.0), 1.0)


# What is left of a variance by the sums of floating point numbers is none. It is a share of the mean square: where the
# release lacks the largest numbers, those that it has are all near 0.
_NOTHING = 1e-12

_Found = dict[tuple[int, int], float]


def measure_pairs(
    subject: ReleasePair, reader: Reader, columns: Sequence[Coded], deadline: Deadline
) -> Iterator[PairAssociation]:
    """The association of each pair, in the order of the columns. Raises TimeUpError."""
    sides = [_associations(subject, reader, side, columns, deadline) for side in SIDES]
    for first, other in combinations(columns, 2):
        key = (first.column.index, other.column.index)
        source, release = (side[key] for side in sides)
        yield {
            "columns": [first.name, other.name],
            "measure": _measure(first, other),
            "source": source,
            "release": release,
        }


def _measure(coded: Coded, other: Coded) -> Measure:
    if coded.ordered and other.ordered:
        return "pearson"
    return "correlation_ratio" if coded.ordered or other.ordered else "cramers_v"


def _associations(
    subject: ReleasePair, reader: Reader, side: str, columns: Sequence[Coded], deadline: Deadline
) -> _Found:
    numbers = [coded for coded in columns if coded.ordered]
    categories = [coded for coded in columns if not coded.ordered]
    associations = _correlations(subject, reader, side, numbers)
    for category in categories:
        deadline.check()
        associations |= _ratios(subject, side, category, numbers)
    for category, other in combinations(categories, 2):
        deadline.check()
        names = {
            "coded": coded_table(side),
            "first_code": category.code,
            "second_code": other.code,
            "first_bins": category.bins(side),
            "second_bins": other.bins(side),
        }
        row = subject.engine.query("measures/utility/contingency", names=names)[0]
        associations[_key(category, other)] = _cramers_v(float(row[0]), int(row[1]), int(row[2]))
    return associations


def _key(coded: Coded, other: Coded) -> tuple[int, int]:
    first, second = sorted((coded.column.index, other.column.index))
    return first, second


def _correlations(subject: ReleasePair, reader: Reader, side: str, numbers: Sequence[Coded]) -> _Found:
    """Pearson's correlation of each pair of numbers."""
    associations: _Found = {}
    pairs = [
        (first, other) if other.summed <= first.summed else (other, first) for first, other in combinations(numbers, 2)
    ]
    kept = [pair for pair in pairs if not pair[1].summed]
    if kept:
        items: list[Item] = [{"x": second.x, **first.sums} for first, second in kept]
        row = subject.engine.query(
            "measures/utility/numbers", names={"coded": coded_table(side)}, lists={"pair": items}
        )[0]
        associations |= {_key(*pair): _pearson(*map(float, sums)) for pair, sums in zip(kept, row, strict=True)}
    raw = [pair for pair in pairs if pair[1].summed]
    if raw:
        items = [
            {
                "first": reader.raw_number(side, first.column.index),
                "second": reader.raw_number(side, other.column.index),
            }
            for first, other in raw
        ]
        names = {"source": reader.rows(side)}
        row = subject.engine.query("measures/utility/raw_numbers", names=names, lists={"pair": items})[0]
        associations |= {_key(*pair): _pearson(*map(float, sums)) for pair, sums in zip(raw, row, strict=True)}
    return associations


def _ratios(subject: ReleasePair, side: str, coded: Coded, numbers: Sequence[Coded]) -> _Found:
    """The correlation ratio of each column of numbers given one of categories."""
    if not numbers:
        return {}
    names = {"coded": coded_table(side), "this_code": coded.code, "label_bins": coded.bins(side)}
    items: list[Item] = [other.sums for other in numbers]
    row = subject.engine.query("measures/utility/ratios", names=names, lists={"number": items})[0]
    return {_key(coded, other): _ratio(*map(float, sums)) for other, sums in zip(numbers, row, strict=True)}


def _cramers_v(phi_square: float, first: int, second: int) -> float:
    least = min(first, second) - 1
    return min(sqrt(max(phi_square, 0.0) / least), 1.0) if least > 0 and phi_square > _NOTHING else 0.0


def _ratio(rows: float, total: float, square: float, between: float) -> float:
    if not rows:
        return 0.0
    whole, part = square - total * total / rows, between - total * total / rows
    return min(sqrt(max(part, 0.0) / whole), 1.0) if min(whole, part) > _NOTHING * square else 0.0


def _pearson(
    rows: float, first: float, first_square: float, second: float, second_square: float, product: float
) -> float:
    if not rows:
        return 0.0
    spread, other = first_square - first * first / rows, second_square - second * second / rows
    if spread <= _NOTHING * first_square or other <= _NOTHING * second_square:
        return 0.0
    correlation = (product - first * second / rows) / (sqrt(spread) * sqrt(other))
    return correlation if abs(correlation) <= 1 else copysign(1.0, correlation)


MOST_COLUMNS = 20  # that are looked at together
MOST_VALUES = 1_000_000  # of a column that is released as it is


def measure_utility(subject: ReleasePair, deadline: Deadline) -> Utility:
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
    no longer there or the release lacks columns, NoReleaseError where the source has no rows, EngineError for tables
    that cannot be read.
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


def _nothing_together() -> TogetherUtility:
    """What is there before the columns are looked at together."""
    return {"pairs": [], "queries": None, "pmse": None, "prediction": None}


@dataclass
class _Measuring:
    """One measurement, and what is found on the way."""

    subject: ReleasePair
    reader: Reader
    deadline: Deadline
    columns: list[ComparedColumn]
    distances: dict[str, ColumnDistance] = field(default_factory=dict)
    coded: dict[int, Coded] = field(default_factory=dict)
    others: TogetherUtility = field(default_factory=_nothing_together)
    warnings: list[str] = field(default_factory=list)

    def entry(self) -> Utility:
        """What was found, columns in their order."""
        measured = {
            compared.name: self.distances[compared.name] for compared in self.columns if compared.name in self.distances
        }
        together: TogetherUtility = rounded(self.others)
        return {"columns": rounded(measured), **together, "warnings": self.warnings}

    def measure(self) -> None:
        """Measures everything. Raises TimeUpError."""
        if not self.reader.has_rows("source"):
            raise NoReleaseError(f"{self.reader.label} has no row that takes part; there is nothing to compare")
        if not self.reader.has_rows("release"):
            self.warnings.append("the release has no rows: there is nothing to compare")
            return
        many = self._many()
        for compared in many:
            self.deadline.check()
            self.reader.count("source", compared)
            self.reader.add_treated(compared)
            kind = make_domain(self.subject, compared)
            self.reader.count("release", compared)
            self._measure_column(compared, kind, many=True)
        together = self._together(many)
        self._read(together)
        for compared in together:
            if compared.index not in self.coded:
                self.deadline.check()
                count_values(self.subject, "source", compared)
                self.reader.add_treated(compared)
                kind = make_domain(self.subject, compared)
                count_values(self.subject, "release", compared)
                self._measure_column(compared, kind, many=False)
        coded = [self.coded[compared.index] for compared in together]
        code_sides(self.subject, coded)
        self.others["pairs"] = list(measure_pairs(self.subject, self.reader, coded, self.deadline))
        names = {"tuples": tuples("source")}
        rows = int(self.subject.engine.query("measures/risk/rows", names=names)[0][0])
        self.others["queries"] = measure_queries(self.subject, coded, rows, self.deadline)
        self.others["pmse"] = measure_propensity(self.subject, coded, self.deadline)
        if can_predict():
            self.others["prediction"] = measure_prediction(self.subject, coded, self.deadline)

    def _many(self) -> list[ComparedColumn]:
        """The columns of many values that are released as they are."""
        released = [compared for compared in self.columns if not compared.generalized]
        counts = self.reader.distinct(released)
        for compared, count in zip(released, counts, strict=True):
            if count > MOST_VALUES:
                self.warnings.append(
                    f"column {compared.name!r} has more than {MOST_VALUES:,} values: it is not compared"
                )
                self.columns.remove(compared)
        return [compared for compared, count in zip(released, counts, strict=True) if MOST_BINS < count <= MOST_VALUES]

    def _measure_column(self, compared: ComparedColumn, kind: Kind, *, many: bool) -> None:
        """Compares one column, of which the domain is made and the labels are counted."""
        engine, ordered = self.subject.engine, kind in ("number", "date")
        make_runs(self.subject, compared, kind)
        self.distances[compared.name] = measure_column(engine, compared, ordered=ordered)
        if compared.name in self.reader.treated:
            self.distances[compared.name]["compared_with"] = "treated" if compared.treated is None else "untreated"
        make_bins(engine, compared, ordered=ordered)
        make_label_bins(engine, compared)
        self.coded[compared.index] = Coded(compared, kind, summed=many and ordered)

    def _together(self, many: Sequence[ComparedColumn]) -> list[ComparedColumn]:
        """The columns that are looked at together: the first ones, quasi-identifiers before others."""
        summed = [compared.index for compared in many if self.coded[compared.index].summed]
        kept = [compared for compared in self.columns if not (self.reader.weighted and compared.index in summed)]
        if len(kept) > MOST_COLUMNS:
            self.warnings.append(
                f"pairs, queries and pmse are of the first {MOST_COLUMNS} of {len(kept)} columns, quasi-identifiers "
                "and sensitive ones before others"
            )
        return kept[:MOST_COLUMNS]

    def _read(self, together: Sequence[ComparedColumn]) -> None:
        """Makes the frequency tables of both sides."""
        engine = self.subject.engine
        coded_columns = [self.coded[compared.index] for compared in together if compared.index in self.coded]
        summed = [coded for coded in coded_columns if coded.summed]
        folds = [coded.column for coded in coded_columns if not coded.summed]
        spans = {coded.column.index: span(engine, coded.column) for coded in summed}
        for compared in folds:
            fold(engine, compared)
        read = [compared for compared in together if compared.index not in spans]
        for side in SIDES:
            sums: list[Item] = [
                {**coded.sums, "number": self.reader.number(side, coded.column, coded.kind, spans[coded.column.index])}
                for coded in summed
            ]
            self.reader.read(side, read, folds, sums)
