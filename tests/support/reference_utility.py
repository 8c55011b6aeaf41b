"""What kanon-sql must find of a release beside its source, by brute force: each row spread over all it stands for.

Written from the definitions alone; it shares no code with the package.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Value = str | None
Row = Mapping[str, Value]
Spread = list[tuple[float, dict[str, Value]]]


@dataclass(frozen=True)
class Both:
    """Source and release, and what each label of a column stands for; `numbers` are ordered by what they mean."""

    source: Sequence[Row]
    release: Sequence[Row]
    stands: Mapping[str, Mapping[Value, Sequence[Value]]]
    numbers: frozenset[str]

    def domain(self, name: str) -> list[Value]:
        """The values of the source, a missing one first, then what the release alone holds."""
        values = {row[name] for row in self.source}
        order = (
            (lambda v: (v is not None, float(v or 0))) if name in self.numbers else (lambda v: (v is not None, v or ""))
        )
        ordered = sorted(values, key=order)
        return ordered + sorted({v for row in self.release for v in self.stands[name][row[name]]} - values, key=str)

    def shares(self, name: str) -> tuple[list[float], list[float]]:
        """The distribution of both sides over the domain."""
        before = Counter(row[name] for row in self.source)
        after: dict[Value, float] = defaultdict(float)
        for row in self.release:
            below = self.stands[name][row[name]]
            for value in below:
                after[value] += 1 / len(below)
        domain = self.domain(name)
        return [before[v] / len(self.source) for v in domain], [after[v] / len(self.release) for v in domain]

    def total_variation(self, name: str) -> float:
        return sum(abs(p - q) for p, q in zip(*self.shares(name), strict=True)) / 2

    def earth_mover(self, name: str) -> float | None:
        """By the ordered distance of t-closeness."""
        if name not in self.numbers:
            return None
        differences = [p - q for p, q in zip(*self.shares(name), strict=True)]
        steps = [abs(sum(differences[: i + 1])) for i in range(len(differences) - 1)]
        return sum(steps) / max(len(differences) - 1, 1)

    def association(self, first_name: str, second_name: str) -> tuple[float, float]:
        """In the source, and in the release."""
        same = {name: {row[name]: [row[name]] for row in self.source} for name in (first_name, second_name)}
        before = _association(self.source, first_name, second_name, same, self.numbers)
        return before, _association(self.release, first_name, second_name, self.stands, self.numbers)

    def answers(self, taken: Mapping[str, set[Value]]) -> tuple[int, float]:
        """How many rows of the source fall under a query, and how many the release expects."""
        before = sum(all(row[name] in values for name, values in taken.items()) for row in self.source)
        after = 0.0
        for row in self.release:
            after += math.prod(
                sum(value in values for value in self.stands[name][row[name]]) / len(self.stands[name][row[name]])
                for name, values in taken.items()
            )
        return before, after


def _mean(values: Sequence[Value]) -> float | None:
    present = [float(value) for value in values if value is not None]
    return sum(present) / len(present) if present else None


def _association(
    rows: Sequence[Row],
    first_name: str,
    second_name: str,
    stands: Mapping[str, Mapping[Value, Sequence[Value]]],
    numbers: frozenset[str],
) -> float:
    if {first_name, second_name} <= numbers:
        pairs = [
            (_mean(stands[first_name][row[first_name]]), _mean(stands[second_name][row[second_name]])) for row in rows
        ]
        return _pearson([(x, y) for x, y in pairs if x is not None and y is not None])
    if first_name in numbers or second_name in numbers:
        number, category = (first_name, second_name) if first_name in numbers else (second_name, first_name)
        weighted = []
        for row in rows:
            mean = _mean(stands[number][row[number]])
            below = stands[category][row[category]]
            weighted += [(1 / len(below), value, mean) for value in below if mean is not None]
        return _ratio(weighted)
    cells: dict[tuple[Value, Value], float] = defaultdict(float)
    for row in rows:
        first, second = stands[first_name][row[first_name]], stands[second_name][row[second_name]]
        for pair in itertools.product(first, second):
            cells[pair] += 1 / len(first) / len(second)
    return _cramer(cells)


def _pearson(pairs: Sequence[tuple[float, float]]) -> float:
    if not pairs:
        return 0.0
    means = [sum(pair[i] for pair in pairs) / len(pairs) for i in (0, 1)]
    spreads = [sum((pair[i] - means[i]) ** 2 for pair in pairs) for i in (0, 1)]
    if min(spreads) < 1e-9:
        return 0.0
    return sum((x - means[0]) * (y - means[1]) for x, y in pairs) / math.sqrt(spreads[0] * spreads[1])


def _ratio(weighted: Sequence[tuple[float, Value, float]]) -> float:
    rows = sum(weight for weight, _, _ in weighted)
    if not rows:
        return 0.0
    mean = sum(weight * number for weight, _, number in weighted) / rows
    whole = sum(weight * (number - mean) ** 2 for weight, _, number in weighted)
    between = 0.0
    for category in {value for _, value, _ in weighted}:
        own = [(weight, number) for weight, value, number in weighted if value == category]
        size = sum(weight for weight, _ in own)
        between += size * (sum(weight * number for weight, number in own) / size - mean) ** 2
    return math.sqrt(between / whole) if whole > 1e-9 else 0.0


def _cramer(cells: Mapping[tuple[Value, Value], float]) -> float:
    rows = sum(cells.values())
    first: dict[Value, float] = defaultdict(float)
    second: dict[Value, float] = defaultdict(float)
    for (a, b), count in cells.items():
        first[a] += count
        second[b] += count
    least = min(len(first), len(second)) - 1
    if not least:
        return 0.0
    chi = sum(
        (cells.get((a, b), 0.0) - first[a] * second[b] / rows) ** 2 / (first[a] * second[b] / rows)
        for a in first
        for b in second
    )
    return math.sqrt(chi / rows / least)
