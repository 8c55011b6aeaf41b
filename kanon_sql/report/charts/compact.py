"""The lattice with a small square for each node: no labels, but tooltips."""

from __future__ import annotations

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import Diagram, PlotNode
from kanon_sql.report.charts.order import ordered_rows
from kanon_sql.report.charts.rows import AXIS, Band, Point, add_bands, add_edges, left_of

_SIDE = 11
_PITCH = 16
_HEADROOM = 26
_RISE = 20
_LONGEST, _LONGEST_WITH_EDGES = 75, 150

Lines = list[list[int]]


def draw_compact(diagram: Diagram, least_width: float, edges: bool) -> svg.Drawing:
    """A band of squares a height, the least at the bottom; a long row is broken into lines."""
    bands = _lines(diagram, edges)
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


def _lines(diagram: Diagram, edges: bool) -> list[Lines]:
    rows = ordered_rows(diagram) if edges else list(diagram.rows.values())
    longest = _LONGEST_WITH_EDGES if edges else _LONGEST
    return [_broken(row, longest) for row in rows]


def _broken(row: list[int], longest: int) -> Lines:
    """The row in lines of about the same length."""
    count = -(-len(row) // longest)
    length = -(-len(row) // count)
    return [row[start : start + length] for start in range(0, len(row), length)]


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
