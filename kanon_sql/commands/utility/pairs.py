"""How strongly pairs of columns are associated in the source, and in the release.

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
from itertools import combinations
from math import copysign, sqrt

from kanon_sql.commands.subject import Subject
from kanon_sql.commands.utility.coding import SIDES, Coded, coded_table
from kanon_sql.commands.utility.compared import Reader
from kanon_sql.report.report import Json
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Item

# What is left of a variance by the sums of floating point numbers is none. It is a share of the mean square: where the
# release lacks the largest numbers, those that it has are all near 0.
_NOTHING = 1e-12

_Found = dict[tuple[int, int], float]


def measure_pairs(subject: Subject, reader: Reader, columns: Sequence[Coded], deadline: Deadline) -> Iterator[Json]:
    """The association of each pair, in the order of the columns. Raises TimeUpError."""
    sides = [_associations(subject, reader, side, columns, deadline) for side in SIDES]
    for one, other in combinations(columns, 2):
        key = (one.column.index, other.column.index)
        source, release = (side[key] for side in sides)
        yield {
            "columns": [one.name, other.name],
            "measure": _measure(one, other),
            "source": source,
            "release": release,
        }


def _measure(one: Coded, other: Coded) -> str:
    if one.ordered and other.ordered:
        return "pearson"
    return "correlation_ratio" if one.ordered or other.ordered else "cramers_v"


def _associations(subject: Subject, reader: Reader, side: str, columns: Sequence[Coded], deadline: Deadline) -> _Found:
    numbers = [one for one in columns if one.ordered]
    categories = [one for one in columns if not one.ordered]
    found = _correlations(subject, reader, side, numbers)
    for one in categories:
        deadline.check()
        found |= _ratios(subject, side, one, numbers)
    for one, other in combinations(categories, 2):
        deadline.check()
        names = {
            "coded": coded_table(side),
            "first_code": one.code,
            "second_code": other.code,
            "first_bins": one.bins(side),
            "second_bins": other.bins(side),
        }
        row = subject.engine.query("commands/utility/contingency", names=names)[0]
        found[_key(one, other)] = _cramers_v(float(row[0]), int(row[1]), int(row[2]))
    return found


def _key(one: Coded, other: Coded) -> tuple[int, int]:
    first, second = sorted((one.column.index, other.column.index))
    return first, second


def _correlations(subject: Subject, reader: Reader, side: str, numbers: Sequence[Coded]) -> _Found:
    """Pearson's correlation of each pair of numbers."""
    found: _Found = {}
    pairs = [(one, other) if other.summed <= one.summed else (other, one) for one, other in combinations(numbers, 2)]
    kept = [pair for pair in pairs if not pair[1].summed]
    if kept:
        items: list[Item] = [{"x": second.x, **first.sums} for first, second in kept]
        row = subject.engine.query(
            "commands/utility/numbers", names={"coded": coded_table(side)}, lists={"pair": items}
        )[0]
        found |= {_key(*pair): _pearson(*map(float, sums)) for pair, sums in zip(kept, row, strict=True)}
    raw = [pair for pair in pairs if pair[1].summed]
    if raw:
        items = [
            {"first": reader.raw_number(side, one.column.index), "second": reader.raw_number(side, other.column.index)}
            for one, other in raw
        ]
        names = {"source": reader.rows(side)}
        row = subject.engine.query("commands/utility/raw_numbers", names=names, lists={"pair": items})[0]
        found |= {_key(*pair): _pearson(*map(float, sums)) for pair, sums in zip(raw, row, strict=True)}
    return found


def _ratios(subject: Subject, side: str, one: Coded, numbers: Sequence[Coded]) -> _Found:
    """The correlation ratio of each column of numbers given one of categories."""
    if not numbers:
        return {}
    names = {"coded": coded_table(side), "this_code": one.code, "label_bins": one.bins(side)}
    items: list[Item] = [other.sums for other in numbers]
    row = subject.engine.query("commands/utility/ratios", names=names, lists={"number": items})[0]
    return {_key(one, other): _ratio(*map(float, sums)) for other, sums in zip(numbers, row, strict=True)}


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
    found = (product - first * second / rows) / (sqrt(spread) * sqrt(other))
    return found if abs(found) <= 1 else copysign(1.0, found)
