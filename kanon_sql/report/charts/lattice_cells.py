"""A lattice of too many nodes to draw each: how many there are of a height and a loss, and how many of them satisfy."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.figure import WIDTH
from kanon_sql.report.charts.lattice_marks import Layout, look_of
from kanon_sql.report.charts.svg import Axis, tick_text, value_axis
from kanon_sql.report.page.model import NodeFacts

NOTE = (
    "Each square stands for the nodes of a height and a range of loss: the larger, the more. Full: all of them "
    "satisfy; half full: some; empty: none; a point: not known. A dark dot: minimal nodes are among them."
)

_AXIS = 34
_HEAD = 20
_COLUMNS = 24
_PITCH = 12
_SMALLEST, _LARGEST = 4.0, 11.0


@dataclass
class LatticeCell:
    """The nodes of a height, and of a loss from `low` to `high` percent (None: not known)."""

    height: int
    low: float | None
    high: float | None
    satisfying: int = 0
    failing: int = 0
    unknown: int = 0
    minimal: int = 0
    winner: bool = False

    @property
    def count(self) -> int:
        """All of its nodes."""
        return self.satisfying + self.failing + self.unknown

    def add(self, node: NodeFacts) -> None:
        """Counts a node."""
        self.unknown += node.satisfies is None
        self.satisfying += node.satisfies is True
        self.failing += node.satisfies is False
        self.minimal += node.minimal and node.satisfies is True
        self.winner = self.winner or node.winner


def draw_cells(nodes: Sequence[NodeFacts], width: int = WIDTH) -> tuple[Layout, list[LatticeCell]]:
    """The squares, the least height at the bottom, the least loss at the left; unknown losses at the right."""
    losses = [node.loss for node in nodes if node.loss is not None]
    columns = _COLUMNS * width // WIDTH
    end = width - 2 - (_PITCH + 10 if len(losses) < len(nodes) else 0)
    across = value_axis(losses, _AXIS, end, may_be_log=False, whole=False)
    pitch = (end - _AXIS) / columns
    cells = _counted(nodes, across.high, columns)
    low = min((cell.height for cell in cells), default=0)
    high = max((cell.height for cell in cells), default=0)
    drawing = svg.Drawing(width, _HEAD + (high - low + 1) * _PITCH)
    floor = drawing.height
    _add_axes(drawing, across, (low, high), lacks=len(losses) < len(nodes))
    most = max((cell.count for cell in cells), default=1)
    corners = []
    for cell in cells:
        column = _column(cell.low, across.high, columns)
        x = _AXIS + (column + 0.5) * pitch if column is not None else width - 7
        y = floor - (cell.height - low + 0.5) * _PITCH
        drawing.marks.append(_square(cell, x, y, most))
        corners.append((x - pitch / 2, y - _PITCH / 2))
    drawing.marks += [
        svg.star(corner[0] + pitch / 2, corner[1] + _PITCH / 2, 7)
        for cell, corner in zip(cells, corners, strict=True)
        if cell.winner
    ]
    drawing.height = floor + 36
    return Layout(drawing, corners, (pitch, _PITCH)), cells


def _add_axes(drawing: svg.Drawing, across: Axis, heights: tuple[int, int], *, lacks: bool) -> None:
    """Every second height at the left, the loss below; with `lacks` a column for those that are not known."""
    floor = drawing.height
    drawing.marks.append(svg.quiet(0, _HEAD - 8, "height", "start"))
    for height in range(heights[0], heights[1] + 1, 2):
        drawing.marks.append(svg.quiet(_AXIS - 9, floor - (height - heights[0]) * _PITCH - 2.5, str(height), "end"))
    for tick in across.ticks:
        x, words = across.at(tick), tick_text(tick)
        drawing.marks.append(svg.grid(f"M{x:.1f} {_HEAD}V{floor:.1f}"))
        held = min(x, drawing.width - svg.text_width(words, svg.SMALL) / 2)
        drawing.marks.append(svg.quiet(held, floor + 14, words, "middle"))
    drawing.marks.append(svg.quiet((_AXIS + across.end) / 2, floor + 29, "loss of the node, % (NCP)", "middle"))
    if lacks:
        drawing.marks.append(svg.quiet(drawing.width - 7, floor + 14, "?", "middle"))


def _counted(nodes: Sequence[NodeFacts], top: float, columns: int) -> list[LatticeCell]:
    cells: dict[tuple[int, int | None], LatticeCell] = {}
    for node in nodes:
        column = _column(node.loss, top, columns)
        key = (node.height, column)
        if key not in cells:
            bounds = (None, None) if column is None else (column * top / columns, (column + 1) * top / columns)
            cells[key] = LatticeCell(key[0], *bounds)
        cells[key].add(node)
    return [cells[key] for key in sorted(cells, key=lambda key: (key[0], math.inf if key[1] is None else key[1]))]


def _column(loss: float | None, top: float, columns: int) -> int | None:
    # A bound of a column, divided again, must stay in its column.
    return None if loss is None else min(int(loss / top * columns + 1e-9), columns - 1)


def _square(cell: LatticeCell, x: float, y: float, most: int) -> str:
    """The larger, the more nodes, on a logarithmic scale; filled as far as they satisfy."""
    side = _SMALLEST + (_LARGEST - _SMALLEST) * (math.log(cell.count) / math.log(most) if most > 1 else 1)
    left, top = x - side / 2, y - side / 2
    if cell.unknown == cell.count:
        return svg.tag("circle", cx=x, cy=y, r=side / 5, **look_of("unknown"))
    whole = {"x": left, "y": top, "width": side, "height": side}
    if not cell.failing:
        marks = [svg.tag("rect", **whole, **look_of("satisfying"))]
    else:
        marks = [svg.tag("rect", **whole, **look_of("failing"))]
        if cell.satisfying:
            half = {"x": left, "y": y, "width": side, "height": side / 2}
            marks.append(svg.tag("rect", **half, **look_of("satisfying")))
    if cell.minimal:
        marks.append(svg.tag("circle", cx=x, cy=y, r=2.2, **look_of("minimal")))
    return "".join(marks)


def states_of(cells: Sequence[LatticeCell]) -> dict[str, int]:
    """The counts of the legend: minimal nodes are among those that satisfy."""
    counts: dict[str, int] = defaultdict(int)
    for cell in cells:
        counts["satisfying"] += cell.satisfying - cell.minimal
        counts["minimal"] += cell.minimal
        counts["failing"] += cell.failing
        counts["unknown"] += cell.unknown
        counts["winner"] += cell.winner
    return counts
