"""The lattice as a file: `lattice --plot FILE`, drawn of the parts that the pages of releases have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.errors import ConfigurationError
from kanon_sql.report.charts import svg
from kanon_sql.report.charts.dot import draw_dot
from kanon_sql.report.charts.figure import Panel, page
from kanon_sql.report.charts.lattice_figure import draw_lattice, draw_nodes, title_of
from kanon_sql.report.charts.lattice_marks import Layout
from kanon_sql.report.charts.sheet import draw_sheet
from kanon_sql.report.page.model import LatticeFacts, NodeFacts
from kanon_sql.targets.staging_permissions import write_output

if TYPE_CHECKING:
    from kanon_sql.results.searched import LatticeNode, LatticeReport

SUFFIXES = (".html", ".svg", ".dot")

_WIDTH = 920  # of squares and cells on a sheet


def draw_html(data: LatticeReport) -> str:
    """What `lattice --json` prints with zoom and the details of each node, as a page that needs nothing else."""
    facts = facts_of(data)
    return page(title_of(facts), [draw_lattice(facts)])


def draw_svg(data: LatticeReport) -> str:
    """What `lattice --json` prints as a self-contained SVG file.

    Boxes with labels where they fit, small squares in wide lattices, and cells of nodes in those so large that a
    drawing of every node would say nothing. Each tells its details where it is pointed at.
    """
    facts = facts_of(data)
    figure, layout, details = draw_nodes(facts, _WIDTH)
    drawing = layout.drawing
    drawing.marks += _pointed_at(layout, details)
    panel = Panel("", figure.alt, drawing)
    return draw_sheet(title_of(facts), figure.legend, [panel], 1, (figure.alt, figure.note))


def write_plot(path: Path, data: LatticeReport) -> None:
    """Writes the drawing that the suffix asks for; a file that is there is replaced.

    Raises ConfigurationError for another suffix, EngineError where it cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ConfigurationError(
            f"{path}: a drawing of a lattice is .html, .svg or .dot; name a file with one of these suffixes"
        )
    text = draw_dot(title_of(facts := facts_of(data)), facts) if suffix == ".dot" else _DRAWN[suffix](data)
    write_output(path, text, "drawing")


_DRAWN = {".html": draw_html, ".svg": draw_svg}


def facts_of(data: LatticeReport) -> LatticeFacts:
    """What `lattice --json` prints, as figures read it."""
    names = tuple(data["quasi_identifiers"])
    nodes = tuple(_node(node, names) for node in data["nodes"])
    highs = tuple(max((node.levels[place] for node in nodes), default=0) for place in range(len(names)))
    labels = tuple(tuple(f"level {level}" for level in range(high + 1)) for high in highs)
    return LatticeFacts(names, highs, labels, len(nodes), data["k"], data["limit"], nodes)


def _node(node: LatticeNode, names: tuple[str, ...]) -> NodeFacts:
    return NodeFacts(
        levels=tuple(node["levels"][name] for name in names),
        loss=None if node["lm"] is None else 100 * node["lm"] / len(names),
        suppressed=node["suppressed"],
        classes=node["classes"],
        satisfies=node["satisfies"],
        minimal=node["minimal"],
        winner=node["winner"],
    )


def _pointed_at(layout: Layout, details: list[str]) -> list[str]:
    """Above each thing that is drawn an area that shows its details."""
    width, height = layout.size
    return [
        svg.tag(
            "rect",
            svg.tooltip(described),
            class_="pointed",
            x=x,
            y=y,
            width=width,
            height=height,
            fill="none",
            pointer_events="all",
        )
        for (x, y), described in zip(layout.corners, details, strict=True)
    ]
