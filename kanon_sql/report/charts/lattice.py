"""The lattice as a Hasse diagram: `lattice --plot FILE.svg` or `FILE.dot`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kanon_sql.errors import ConfigurationError
from kanon_sql.report.charts import bars, svg
from kanon_sql.report.charts.diagram import Diagram, build_diagram
from kanon_sql.report.charts.dot import draw_dot
from kanon_sql.report.charts.nodes import NOTE, draw_compact, draw_labelled
from kanon_sql.targets.staging_permissions import write_output

__all__ = ["draw_dot", "draw_svg", "write_plot"]

MOST_LABELLED_IN_A_ROW = 40
MOST_DRAWN_NODES = 5_000
MOST_DRAWN_EDGES = 3_000

_MARGIN = 24
_LEAST_WIDTH = 560
_NAME = "Generalization lattice"
_WIDEST = 1100
_TEXT = 12
_LINE = 20
_SWATCH_WIDTH, _SWATCH_HEIGHT = 22, 13
_GAP = 16


@dataclass(frozen=True)
class Look:
    """The colour of satisfying nodes in a drawing, and how its minimal ones differ."""

    satisfying: str = svg.SATISFYING
    minimal_border: bool = True


def legend(diagram: Diagram, note: str, look: Look, width: float) -> svg.Drawing:
    """Title and legend, no wider than `width`."""
    drawing = svg.Drawing(min(width, _WIDEST), 0)
    if diagram.title:
        drawing.add_title(diagram.title.split(), 0, drawing.width, rise=4)
        drawing.height += 4
    if diagram.nodes:
        ranges = diagram.level_ranges()
        order = [*(f"{piece}," for piece in ranges[:-1]), *ranges[-1:]]
        _add_lines(drawing, ["Order of the levels:", *order])
        _add_swatches(drawing, diagram, look)
    _add_lines(drawing, note.split())
    return drawing


def _add_lines(drawing: svg.Drawing, pieces: list[str]) -> None:
    for line in svg.wrapped(pieces, drawing.width, _TEXT):
        drawing.height += _LINE
        drawing.marks.append(svg.text(0, drawing.height - 6, line, _TEXT))


def _add_swatches(drawing: svg.Drawing, diagram: Diagram, look: Look) -> None:
    x = 0.0
    drawing.height += _LINE + 2
    for kind, words in _entries(diagram):
        needed = _SWATCH_WIDTH + 7 + svg.text_width(words, _TEXT)
        if x and x + needed > drawing.width:
            x = 0.0
            drawing.height += _LINE + 2
        drawing.marks.append(_swatch(kind, look, x, drawing.height - 6))
        drawing.marks.append(svg.text(x + _SWATCH_WIDTH + 7, drawing.height - 6, words, _TEXT))
        x += needed + _GAP


def _entries(diagram: Diagram) -> list[tuple[str, str]]:
    failing = len(diagram.nodes) - diagram.satisfying
    entries = [
        ("satisfies", f"satisfies ({diagram.satisfying:,})"),
        ("minimal", f"minimal ({diagram.minimal:,})"),
        ("fails", f"fails ({failing:,})"),
    ]
    if diagram.winner is not None:
        entries.append(("winner", f"the winner ({diagram.winner.label})"))
    return entries


def _swatch(kind: str, look: Look, x: float, baseline: float) -> str:
    y = baseline - _SWATCH_HEIGHT + 2
    fill = {"fails": svg.FAILING, "winner": svg.WINNER}.get(kind, look.satisfying)
    if kind == "minimal" and not look.minimal_border:
        fill = svg.MINIMAL
    box = svg.tag(
        "rect",
        x=x + 1.5,
        y=y,
        width=_SWATCH_WIDTH - 3,
        height=_SWATCH_HEIGHT,
        rx=3,
        fill=fill,
        stroke=svg.MINIMAL if kind in ("minimal", "winner") else svg.BORDER,
        stroke_width=3 if kind == "minimal" and look.minimal_border else 1,
    )
    return box + (svg.star(x + _SWATCH_WIDTH - 3, y + 1, 7) if kind == "winner" else "")


def draw_svg(nodes: Sequence[Mapping[str, Any]], title: str = "", winner: Mapping[str, int] | None = None) -> str:
    """The nodes that `lattice --json` lists as a self-contained SVG file.

    Boxes with labels where they fit, small squares in wide lattices, and one bar a height in those so large
    that a drawing of every node would say nothing.
    """
    diagram = build_diagram(nodes, title, winner)
    body, note, look = _body(diagram)
    head = legend(diagram, note, look, body.width)
    sheet = svg.Drawing(body.width + 2 * _MARGIN, head.height + body.height + 2 * _MARGIN + 8)
    sheet.marks = [
        head.moved(_MARGIN, _MARGIN, "legend"),
        body.moved(_MARGIN, _MARGIN + head.height + 8, "lattice"),
    ]
    return svg.document(sheet, diagram.title or _NAME)


def write_plot(
    path: Path, nodes: Sequence[Mapping[str, Any]], title: str = "", winner: Mapping[str, int] | None = None
) -> None:
    """Writes the drawing that the suffix asks for; a file that is there is replaced.

    Raises ConfigurationError for another suffix, EngineError where it cannot be written.
    """
    draw = {".svg": draw_svg, ".dot": draw_dot}.get(path.suffix.lower())
    if draw is None:
        raise ConfigurationError(f"{path}: a drawing is .svg or .dot; name a file with one of these suffixes")
    write_output(path, draw(nodes, title, winner), "drawing")


def _body(diagram: Diagram) -> tuple[svg.Drawing, str, Look]:
    """The drawing below the legend, the note that explains it, and its colours."""
    if not diagram.nodes:
        return svg.Drawing(_LEAST_WIDTH, 0), "There are no nodes.", Look()
    if len(diagram.nodes) > MOST_DRAWN_NODES:
        drawing = bars.draw_bars(diagram, _LEAST_WIDTH)
        return drawing, bars.NOTE, Look(svg.SATISFYING_SMALL, minimal_border=False)
    edges = len(diagram.edges) <= MOST_DRAWN_EDGES
    note = "A line leads up to a node with one level more in one quasi-identifier."
    if not edges:
        note = f"The {len(diagram.edges):,} lines from node to successor are left out."
    if diagram.widest <= MOST_LABELLED_IN_A_ROW:
        return draw_labelled(diagram, _LEAST_WIDTH, edges), f"{NOTE} {note}", Look()
    return draw_compact(diagram, _LEAST_WIDTH, edges), note, Look(svg.SATISFYING_SMALL)
