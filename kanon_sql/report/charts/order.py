"""The order of the nodes within each height, so that few edges cross."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from kanon_sql.report.charts.diagram import Diagram

_SWEEPS = 8

Rows = list[list[int]]


def ordered_rows(diagram: Diagram) -> Rows:
    """The rows of the diagram, least height first, in the best order found.

    Few edges of a lattice cross when its rows are in lexicographic order, but it matters which quasi-identifier
    comes first: barycentre sweeps start from several of these orders.
    """
    below: dict[int, list[int]] = {}
    above: dict[int, list[int]] = {}
    for lower, upper in diagram.edges:
        above.setdefault(lower, []).append(upper)
        below.setdefault(upper, []).append(lower)
    swept = (_best_of_sweeps(start, below, above) for start in _starts(diagram))
    return min(swept, key=lambda entry: entry[0])[1]


def _starts(diagram: Diagram) -> Iterator[Rows]:
    """The rows in lexicographic order, by each rotation of the quasi-identifiers and its reverse."""
    names = list(range(len(diagram.names)))
    rotations = [names[first:] + names[:first] for first in names or [0]]
    for order in dict.fromkeys(tuple(order) for turned in rotations for order in (turned, turned[::-1])):
        levels = [tuple(node.levels[place] for place in order) for node in diagram.nodes]
        yield [sorted(row, key=levels.__getitem__) for row in diagram.rows.values()]


def _best_of_sweeps(
    rows: Rows, below: Mapping[int, Sequence[int]], above: Mapping[int, Sequence[int]]
) -> tuple[int, Rows]:
    best, fewest = rows, crossings(rows, above)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        rows = _swept(rows, below) if sweep % 2 == 0 else _swept(rows[::-1], above)[::-1]
        count = crossings(rows, above)
        if count < fewest:
            best, fewest = rows, count
    return fewest, best


def crossings(rows: Sequence[Sequence[int]], above: Mapping[int, Iterable[int]]) -> int:
    """How many pairs of edges between neighbouring rows cross."""
    return sum(_crossings(lower, upper, above) for lower, upper in pairwise(rows))


def _crossings(lower: Sequence[int], upper: Sequence[int], above: Mapping[int, Iterable[int]]) -> int:
    places = {node: place for place, node in enumerate(upper)}
    seen: list[int] = []
    count = 0
    for node in lower:
        ends = sorted(places[end] for end in above.get(node, ()) if end in places)
        count += sum(len(seen) - bisect_right(seen, end) for end in ends)
        for end in ends:
            insort(seen, end)
    return count


def _swept(rows: Rows, neighbours: Mapping[int, Sequence[int]]) -> Rows:
    swept = [rows[0]] if rows else []
    for row in rows[1:]:
        swept.append(_by_barycentre(row, swept[-1], neighbours))
    return swept


def _by_barycentre(row: list[int], fixed: list[int], neighbours: Mapping[int, Sequence[int]]) -> list[int]:
    """The row by the mean place of each node's neighbours in the fixed row, places scaled to 0..1."""
    scaled = {node: (place + 0.5) / len(fixed) for place, node in enumerate(fixed)}
    keys: dict[int, float] = {}
    for place, node in enumerate(row):
        ends = [scaled[end] for end in neighbours.get(node, ()) if end in scaled]
        keys[node] = sum(ends) / len(ends) if ends else (place + 0.5) / len(row)
    return sorted(row, key=lambda node: round(keys[node], 9))
