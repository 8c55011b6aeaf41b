"""A lattice too large to draw node by node: one stacked bar a height."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import Diagram
from kanon_sql.report.charts.nodes import AXIS

_BAR_HEIGHT = 18
_PITCH = 25
_HEADROOM = 26
_COLUMN = 74
_LEAST_PART = 2.5
_BAR_ROOM = 460

NOTE = "Too many nodes to draw one by one: each bar counts those of a height."


@dataclass(frozen=True)
class _Counts:
    height: int
    nodes: int
    satisfying: int
    minimal: int
    winner: bool

    @property
    def parts(self) -> list[tuple[int, str, str]]:
        """Count, colour and word of each part of the bar."""
        return [
            (self.minimal, svg.MINIMAL, "minimal"),
            (self.satisfying - self.minimal, svg.SATISFYING_SMALL, "satisfying, not minimal"),
            (self.nodes - self.satisfying, svg.FAILING, "failing"),
        ]


def draw_bars(diagram: Diagram, least_width: float) -> svg.Drawing:
    """One bar a height, the least at the bottom, with the counts at its right."""
    counts = [_counts(diagram, height, row) for height, row in reversed(diagram.rows.items())]
    width = max(AXIS + _BAR_ROOM + 4 * _COLUMN, least_width)
    drawing = svg.Drawing(width, _HEADROOM + len(counts) * _PITCH + 4)
    room = width - AXIS - 4 * _COLUMN
    scale = room / max(count.nodes for count in counts)
    columns = [AXIS + room + _COLUMN * (i + 1) for i in range(4)]
    drawing.marks.append(svg.text(0, _HEADROOM - 9, "height", 11, fill=svg.QUIET))
    drawing.marks += _cells(columns, _HEADROOM - 9, ["nodes", "satisfying", "minimal", "failing"], svg.QUIET)
    for place, count in enumerate(counts):
        drawing.marks += _bar(count, _HEADROOM + place * _PITCH, scale, columns)
    return drawing


def _counts(diagram: Diagram, height: int, row: Sequence[int]) -> _Counts:
    nodes = [diagram.nodes[position] for position in row]
    return _Counts(
        height,
        len(nodes),
        sum(node.satisfies for node in nodes),
        sum(node.minimal and node.satisfies for node in nodes),
        any(node.winner for node in nodes),
    )


def _bar(count: _Counts, y: float, scale: float, columns: Sequence[float]) -> list[str]:
    baseline = y + _BAR_HEIGHT - 4.5
    marks = [svg.text(AXIS / 2, baseline, str(count.height), 14, fill=svg.QUIET, text_anchor="middle")]
    x: float = AXIS
    for size, colour, word in count.parts:
        if size:
            width = max(size * scale, _LEAST_PART)
            box = {"x": x, "y": y, "width": width, "height": float(_BAR_HEIGHT)}
            look: dict[str, str | float] = {"fill": colour, "stroke": svg.BORDER, "stroke_width": 0.7}
            label = svg.tooltip(f"height {count.height}: {size:,} {word}")
            marks.append(svg.tag("rect", label, class_="bar", **box, **look))
            x += width
    numbers = [count.nodes, count.satisfying, count.minimal, count.nodes - count.satisfying]
    marks += _cells(columns, baseline, [f"{value:,}" for value in numbers], svg.INK)
    if count.winner:
        marks.append(svg.star(AXIS - 9, y + _BAR_HEIGHT / 2, 9))
    return marks


def _cells(columns: Sequence[float], baseline: float, texts: Sequence[str], colour: str) -> list[str]:
    return [
        svg.text(right, baseline, content, 11, fill=colour, text_anchor="end")
        for right, content in zip(columns, texts, strict=True)
    ]
