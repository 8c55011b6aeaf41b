"""A small lattice as boxes with labels, a line for each step up: for screens that have room for it."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import Diagram, build_diagram, number
from kanon_sql.report.charts.lattice_marks import Layout, look_of, state_of
from kanon_sql.report.charts.order import ordered_rows
from kanon_sql.report.page.model import NodeFacts
from kanon_sql.report.words import UNKNOWN

MOST_NODES = 200
MOST_WIDTH = 1_200

_AXIS = 40
_HEAD = 22
_BOX, _RISE, _GAP = 38, 44, 8
_LABEL, _SMALL = 12, 11


def draw_boxes(nodes: Sequence[NodeFacts], names: Sequence[str]) -> Layout | None:
    """The boxes, the least height at the bottom; None where they would be too many or too wide."""
    if len(nodes) > MOST_NODES:
        return None
    box = max((_width(node) for node in nodes), default=44.0)
    heights = [node.height for node in nodes]
    widest = max((heights.count(height) for height in set(heights)), default=0)
    width = max(_AXIS + widest * (box + _GAP) + _GAP, 320.0)
    if width > MOST_WIDTH:
        return None
    diagram = build_diagram(nodes, names)
    rows = ordered_rows(diagram)
    drawing = svg.Drawing(width, _HEAD + len(rows) * (_BOX + _RISE) - _RISE + 8)
    drawing.marks.append(svg.quiet(0, _HEAD - 9, "height", "start"))
    placed: dict[tuple[int, ...], tuple[float, float]] = {}
    for place, row in enumerate(reversed(rows)):
        top = _HEAD + place * (_BOX + _RISE)
        left = _AXIS + (width - _AXIS) / 2 - (len(row) * (box + _GAP) - _GAP) / 2
        height = str(diagram.nodes[row[0]].height)
        drawing.marks.append(svg.quiet(_AXIS / 2, top + _BOX / 2 + 4, height, "middle"))
        for position, node in enumerate(row):
            placed[diagram.nodes[node].levels] = (left + position * (box + _GAP), top)
    drawing.marks += _edges(diagram, placed, box)
    corners = [placed[node.levels] for node in nodes]
    drawing.marks += [_box(node, corner, box) for node, corner in zip(nodes, corners, strict=True)]
    return Layout(drawing, corners, (box, _BOX))


def _edges(diagram: Diagram, placed: dict[tuple[int, ...], tuple[float, float]], box: float) -> list[str]:
    """The steps as two marks: those above a node that satisfies have the colour of these."""
    paths: dict[bool, list[str]] = {False: [], True: []}
    for lower, upper in diagram.edges:
        x, y = placed[diagram.nodes[lower].levels]
        to_x, to_y = placed[diagram.nodes[upper].levels]
        both = bool(diagram.nodes[lower].satisfies and diagram.nodes[upper].satisfies)
        paths[both].append(f"M{x + box / 2:.1f} {y:.1f}L{to_x + box / 2:.1f} {to_y + _BOX:.1f}")
    looks = {False: ("edge", svg.EDGE), True: ("edge above", svg.EDGE_SATISFYING)}
    return [
        svg.tag("path", d="".join(path), class_=looks[both][0], fill="none", stroke=looks[both][1])
        for both, path in paths.items()
        if path
    ]


def _loss(node: NodeFacts) -> str:
    least = "" if node.exact else "\N{GREATER-THAN OR EQUAL TO} "
    return UNKNOWN if node.loss is None else f"{least}{number(float(node.loss), 1)} %"


def _width(node: NodeFacts) -> float:
    return max(svg.text_width(node.label, _LABEL), svg.text_width(_loss(node), _SMALL), 30) + 12


def _box(node: NodeFacts, corner: tuple[float, float], width: float) -> str:
    x, y = corner
    state = state_of(node)
    look = look_of(state)
    if state == "minimal" or node.minimal:
        look |= {"stroke_width": 3}
    if state == "minimal":  # its text must be read: the border tells it apart
        look |= {"class_": "node satisfying thick", "fill": svg.SATISFYING_SMALL}
    if state == "unknown":
        look |= {"fill": "none", "stroke": svg.BORDER, "stroke_dasharray": "3 3", "class_": "node dashed"}
    middle = x + width / 2
    marks = [
        svg.tag("rect", x=x, y=y, width=width, height=_BOX, rx=5, **look),
        svg.text(middle, y + 16, node.label, _LABEL, font_weight="bold"),
        svg.text(middle, y + 31, _loss(node), _SMALL),
    ]
    if node.winner:
        marks.append(svg.star(x + width - 2, y + 2, 9))
    return svg.tag("g", *marks, text_anchor="middle")
