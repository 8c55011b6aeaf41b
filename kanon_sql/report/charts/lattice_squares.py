"""A lattice as small squares: a strip for each height, in it the nodes from the least loss to the greatest."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.figure import WIDTH
from kanon_sql.report.charts.lattice_marks import Layout, squares, state_of
from kanon_sql.report.charts.paired import SMALL
from kanon_sql.report.page.model import NodeFacts

NOTE = "The height is the sum of the levels; in a strip of squares the loss grows from left to right."

_AXIS = 30
_HEAD = 20
_GAP = 5
# The pitch of squares for as many nodes in the width of a panel.
_PITCHES = ((300, 14), (800, 11), (2_000, 8))
_DENSEST = 6


def draw_squares(nodes: Sequence[NodeFacts], width: int = WIDTH) -> Layout:
    """The squares, the least height at the bottom."""
    pitch = next((pitch for most, pitch in _PITCHES if len(nodes) * WIDTH <= most * width), _DENSEST)
    side = pitch - 2
    line = (width - _AXIS) // pitch
    rows: dict[int, list[int]] = defaultdict(list)
    for place, node in enumerate(nodes):
        rows[node.height].append(place)
    drawing = svg.Drawing(width, _HEAD)
    drawing.marks.append(svg.quiet(0, _HEAD - 7, "height", "start"))
    corners: list[tuple[float, float]] = [(0, 0)] * len(nodes)
    named = -math.inf
    for height in sorted(rows, reverse=True):
        row = sorted(rows[height], key=lambda place: (_loss(nodes[place]), nodes[place].levels))
        lines = -(-len(row) // line)
        top = drawing.height
        strip = {"x": _AXIS - 4, "y": top - 2, "width": width - _AXIS + 4, "height": lines * pitch + 2}
        drawing.marks.append(svg.tag("rect", **strip, rx=2, class_="strip", fill=svg.GRID))
        middle = top + lines * pitch / 2 + 3
        if middle - named >= SMALL + 1:
            drawing.marks.append(svg.quiet(_AXIS - 9, middle, str(height), "end"))
            named = middle
        for position, place in enumerate(row):
            corners[place] = (_AXIS + position % line * pitch, top + position // line * pitch)
        drawing.height += lines * pitch + _GAP
    places: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for node, corner in zip(nodes, corners, strict=True):
        places[state_of(node)].append(corner)
    drawing.marks += squares(places, side)
    drawing.height += 4
    return Layout(drawing, corners, (side, side))


def _loss(node: NodeFacts) -> float:
    return math.inf if node.loss is None else node.loss
