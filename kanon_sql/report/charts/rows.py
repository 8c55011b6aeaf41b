"""Drawings with one band a height: the labels at the left, and edges from band to band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import Diagram

AXIS = 56
_PADDING = 8
_FEW_EDGES = 400

Point = tuple[float, float]


@dataclass(frozen=True)
class Band:
    """The strip of one height, between two lines."""

    height: int
    top: float
    bottom: float


def add_bands(drawing: svg.Drawing, bands: Sequence[Band]) -> None:
    """A pale strip behind each height, and its number at the left; the word above the topmost one."""
    for band in bands:
        middle = (band.top + band.bottom) / 2
        drawing.marks += [
            svg.tag(
                "rect",
                class_="band",
                x=0,
                y=band.top - _PADDING,
                width=drawing.width,
                height=band.bottom - band.top + 2 * _PADDING,
                rx=6,
                fill=svg.GRID,
            ),
            svg.text(AXIS / 2, middle + 5, str(band.height), 14, fill=svg.QUIET, text_anchor="middle"),
        ]
    if bands:
        top = min(band.top for band in bands)
        drawing.marks.append(svg.text(0, top - _PADDING - 5, "height", 11, fill=svg.QUIET))


def left_of(count: int, pitch: float, gap: float, width: float) -> float:
    """Where a row of so many nodes begins, centred beside the axis."""
    return AXIS + (width - AXIS) / 2 - (count * pitch - gap) / 2


def add_edges(drawing: svg.Drawing, diagram: Diagram, corners: dict[int, Point], size: Point) -> None:
    """A line from the upper side of each node to the lower side of its direct successors; nodes have one size."""
    highs = {node: (x + size[0] / 2, y) for node, (x, y) in corners.items()}
    lows = {node: (x, y + size[1]) for node, (x, y) in highs.items()}
    width = 1 if len(diagram.edges) <= _FEW_EDGES else 0.6
    for colour, satisfying in ((svg.EDGE, False), (svg.EDGE_SATISFYING, True)):
        lines = [
            _edge(highs[lower], lows[upper])
            for lower, upper in diagram.edges
            if (diagram.nodes[lower].satisfies and diagram.nodes[upper].satisfies) is satisfying
        ]
        if lines:
            drawing.marks.append(svg.tag("g", *lines, class_="edges", stroke=colour, stroke_width=width))


def _edge(start: Point, end: Point) -> str:
    return svg.tag("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1])
