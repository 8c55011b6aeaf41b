"""A lattice drawn node by node, one band a height: labelled boxes where they fit, else small squares with tooltips."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import Diagram, PlotNode
from kanon_sql.report.charts.order import ordered_rows

AXIS = 56
_PADDING = 8
_FEW_EDGES = 400
_HEADROOM = 26
_LABEL, _SMALL = 13, 10
_BOX_HEIGHT = 48
_BOX_GAP = 16
_LEAST_RISE, _GREATEST_RISE = 46, 120
_SIDE = 11
_PITCH = 16
_RISE = 20
_LONGEST, _LONGEST_WITH_EDGES = 75, 150

NOTE = "In a box: the levels, the suppressed rows (sup.) and the loss (lm)."

Point = tuple[float, float]
Lines = list[list[int]]


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
            svg.tag("line", x1=highs[lower][0], y1=highs[lower][1], x2=lows[upper][0], y2=lows[upper][1])
            for lower, upper in diagram.edges
            if (diagram.nodes[lower].satisfies and diagram.nodes[upper].satisfies) is satisfying
        ]
        if lines:
            drawing.marks.append(svg.tag("g", *lines, class_="edges", stroke=colour, stroke_width=width))


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


def draw_compact(diagram: Diagram, least_width: float, edges: bool) -> svg.Drawing:
    """A band of squares a height, the least at the bottom; a long row is broken into lines."""
    bands = list(_lines(diagram, edges))
    longest = max(len(line) for lines in bands for line in lines)
    width = max(AXIS + (longest + 1) * _PITCH, least_width)
    rise = min(max(0.055 * width, 40), 110) if edges else _RISE
    corners, strips, bottom = _placed(diagram, bands, width, rise)
    drawing = svg.Drawing(width, bottom + 10)
    add_bands(drawing, strips)
    if edges:
        add_edges(drawing, diagram, corners, (_SIDE, _SIDE))
    squares = [_square(diagram, diagram.nodes[node], corner) for node, corner in corners.items()]
    drawing.marks += squares + [
        svg.star(x + _SIDE, y, 11) for node, (x, y) in corners.items() if diagram.nodes[node].winner
    ]
    return drawing


def _lines(diagram: Diagram, edges: bool) -> Iterator[Lines]:
    """Each row in lines of about the same length."""
    longest = _LONGEST_WITH_EDGES if edges else _LONGEST
    for row in ordered_rows(diagram) if edges else diagram.rows.values():
        length = -(-len(row) // -(-len(row) // longest))
        yield [row[start : start + length] for start in range(0, len(row), length)]


def _placed(
    diagram: Diagram, bands: list[Lines], width: float, rise: float
) -> tuple[dict[int, Point], list[Band], float]:
    """The corner of each square, the strip of each height, and where the lowest one ends."""
    corners: dict[int, Point] = {}
    strips: list[Band] = []
    top: float = _HEADROOM
    for height, lines in zip(reversed(diagram.rows), reversed(bands), strict=True):
        left = left_of(len(lines[0]), _PITCH, _PITCH - _SIDE, width)
        for number, line in enumerate(lines):
            for place, node in enumerate(line):
                corners[node] = (left + place * _PITCH, top + number * _PITCH)
        bottom = top + (len(lines) - 1) * _PITCH + _SIDE
        strips.append(Band(height, top, bottom))
        top = bottom + rise
    return corners, strips, top - rise


def _square(diagram: Diagram, node: PlotNode, corner: Point) -> str:
    return svg.tag(
        "rect",
        svg.tooltip(f"{node.label}\n{diagram.details(node)}"),
        class_="node",
        x=corner[0],
        y=corner[1],
        width=_SIDE,
        height=_SIDE,
        rx=2,
        **svg.node_look(node, svg.SATISFYING_SMALL),
    )
