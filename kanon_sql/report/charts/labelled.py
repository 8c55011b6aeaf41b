"""The Hasse diagram with a labelled box for each node."""

from __future__ import annotations

from collections.abc import Iterable

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import Diagram, PlotNode
from kanon_sql.report.charts.order import ordered_rows
from kanon_sql.report.charts.rows import AXIS, Band, Point, add_bands, add_edges, left_of

_LABEL, _SMALL = 13, 10
_BOX_HEIGHT = 48
_BOX_GAP = 16
_HEADROOM = 26
_LEAST_RISE, _GREATEST_RISE = 46, 120

NOTE = "In a box: the levels, the suppressed rows (sup.) and the loss (lm)."


def draw_labelled(diagram: Diagram, least_width: float, edges: bool) -> svg.Drawing:
    """One row of boxes a height, the least at the bottom."""
    box = _box_width(diagram.nodes)
    width = max(AXIS + diagram.widest * (box + _BOX_GAP) + _BOX_GAP, least_width)
    rise = min(max(0.05 * width, _LEAST_RISE), _GREATEST_RISE)
    count = len(diagram.rows)
    drawing = svg.Drawing(width, _HEADROOM + count * _BOX_HEIGHT + (count - 1) * rise + 10)
    tops = [_HEADROOM + (count - 1 - place) * (_BOX_HEIGHT + rise) for place in range(count)]
    add_bands(drawing, [Band(h, t, t + _BOX_HEIGHT) for h, t in zip(diagram.rows, tops, strict=True)])
    corners = _corners(diagram, tops, box, width)
    if edges:
        add_edges(drawing, diagram, corners, (box, _BOX_HEIGHT))
    drawing.marks += [_box(diagram, diagram.nodes[node], corner, box) for node, corner in corners.items()]
    return drawing


def _corners(diagram: Diagram, tops: Iterable[float], box: float, width: float) -> dict[int, Point]:
    """The upper left corner of each node's box, each row centred beside the axis."""
    corners: dict[int, Point] = {}
    for row, top in zip(ordered_rows(diagram), tops, strict=True):
        left = left_of(len(row), box + _BOX_GAP, _BOX_GAP, width)
        for place, node in enumerate(row):
            corners[node] = (left + place * (box + _BOX_GAP), top)
    return corners


def _box(diagram: Diagram, node: PlotNode, corner: Point, width: float) -> str:
    x, y = corner
    middle = x + width / 2
    shape = svg.tag("rect", x=x, y=y, width=width, height=_BOX_HEIGHT, rx=7, **svg.node_look(node))
    lines = [
        svg.text(middle, y + 17, node.label, _LABEL, font_weight="bold"),
        *(svg.text(middle, y + 30 + 12 * i, line, _SMALL) for i, line in enumerate(node.small)),
    ]
    mark = svg.star(x + width - 2, y + 2, 10) if node.winner else ""
    inside = [svg.tooltip(diagram.details(node)), shape, *lines, mark]
    return svg.tag("g", *inside, class_="node", text_anchor="middle")


def _box_width(nodes: Iterable[PlotNode]) -> float:
    widest = 44.0
    for node in nodes:
        small = max(svg.text_width(line, _SMALL) for line in node.small)
        widest = max(widest, svg.text_width(node.label, _LABEL) * 1.06, small)
    return widest + 14
