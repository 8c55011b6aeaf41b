"""The lattice as a Hasse diagram: `lattice --plot FILE.svg` or `FILE.dot`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kanon_sql.errors import ConfigurationError
from kanon_sql.report.charts import bars, labelled, svg
from kanon_sql.report.charts.compact import draw_compact
from kanon_sql.report.charts.diagram import Diagram, build_diagram
from kanon_sql.report.charts.dot import draw_dot
from kanon_sql.report.charts.legend import Look, legend
from kanon_sql.targets.staging_permissions import write_output

__all__ = ["draw_dot", "draw_svg", "write_plot"]

MOST_LABELLED_IN_A_ROW = 40
MOST_DRAWN_NODES = 5_000
MOST_DRAWN_EDGES = 3_000

_MARGIN = 24
_LEAST_WIDTH = 560
_NAME = "Generalization lattice"


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
    write_output(path, draw(nodes, title, winner), "drawing", private=False)


def _body(diagram: Diagram) -> tuple[svg.Drawing, str, Look]:
    """The drawing below the legend, the note that explains it, and its colours."""
    if not diagram.nodes:
        return svg.Drawing(_LEAST_WIDTH, 0), "There are no nodes.", Look()
    if len(diagram.nodes) > MOST_DRAWN_NODES:
        drawing = bars.draw_bars(diagram, _LEAST_WIDTH)
        return drawing, bars.NOTE, Look(svg.SATISFYING_SMALL, minimal_border=False)
    edges = len(diagram.edges) <= MOST_DRAWN_EDGES
    note = _edge_note(diagram, edges)
    if diagram.widest <= MOST_LABELLED_IN_A_ROW:
        return labelled.draw_labelled(diagram, _LEAST_WIDTH, edges), f"{labelled.NOTE} {note}", Look()
    return draw_compact(diagram, _LEAST_WIDTH, edges), note, Look(svg.SATISFYING_SMALL)


def _edge_note(diagram: Diagram, edges: bool) -> str:
    if edges:
        return "A line leads up to a node with one level more in one quasi-identifier."
    return f"The {len(diagram.edges):,} lines from node to successor are left out."
