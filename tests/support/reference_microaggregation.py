"""MDAV in plain Python, and what it loses: written from its definition alone, it shares no code with the package.

Domingo-Ferrer, Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation. Data Mining and
Knowledge Discovery 11, 2005.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from statistics import fmean, pstdev

Point = tuple[float, ...]


def standardized(rows: Sequence[Sequence[float]]) -> list[Point]:
    """Every column with mean 0 and standard deviation 1; one of a single value as 0."""
    columns = []
    for column in zip(*rows, strict=True):
        mean, spread = fmean(column), pstdev(column)
        columns.append([(value - mean) / spread if spread else 0.0 for value in column])
    return list(zip(*columns, strict=True))


def centre(points: Sequence[Point]) -> Point:
    return tuple(fmean(column) for column in zip(*points, strict=True))


def distance(a: Point, b: Point) -> float:
    return fsum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def share_lost(groups: Iterable[Sequence[Point]]) -> float:
    """SSE / SST."""
    held = [list(group) for group in groups]
    every = [point for group in held for point in group]
    middle = centre(every)
    total = fsum(distance(point, middle) for point in every)
    within = fsum(distance(point, at) for group, at in ((g, centre(g)) for g in held) for point in group)
    return within / total if total else 0.0


def mdav(points: Sequence[Point], k: int) -> list[list[Point]]:
    left, groups = list(points), []

    def take(seed: Point) -> None:
        left.sort(key=lambda point: distance(point, seed))
        groups.append(left[:k])
        del left[:k]

    while len(left) >= 3 * k:
        middle = centre(left)
        first = max(left, key=lambda point: distance(point, middle))
        second = max(left, key=lambda point: distance(point, first))
        take(first)
        take(second)
    if len(left) >= 2 * k:
        middle = centre(left)
        take(max(left, key=lambda point: distance(point, middle)))
    return [*groups, left] if left else groups
