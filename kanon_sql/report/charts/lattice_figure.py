"""The lattice that was searched, as a figure of a page."""

from __future__ import annotations

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import number
from kanon_sql.report.charts.figure import WIDTH, Figure, Panel
from kanon_sql.report.charts.paired import add_head
from kanon_sql.report.page.model import LatticeFacts, NodeFacts


def draw_lattice(facts: LatticeFacts, name: str = "lattice") -> Figure:
    """Every choice of levels by its height: which satisfy, the minimal ones and the winner."""
    title = f"The lattice of {facts.size:,} choices of levels"
    drawing = svg.Drawing(WIDTH, 0)
    add_head(drawing, title)
    rows: dict[int, list[NodeFacts]] = {}
    for node in facts.nodes:
        rows.setdefault(sum(node.levels), []).append(node)
    for height in sorted(rows, reverse=True):
        drawing.height += 14
        for place, node in enumerate(rows[height][:24]):
            fill = svg.WINNER if node.winner else svg.SATISFYING if node.satisfies else svg.FAILING
            box = {"x": 24 + 12 * place, "y": drawing.height, "width": 10, "height": 10}
            drawing.marks.append(svg.tag("rect", **box, fill=fill, stroke=svg.BORDER, class_="node"))
    drawing.height += 16
    alt = f"{len(facts.nodes):,} of {facts.size:,} nodes"
    listed = [node for node in facts.nodes if node.winner or node.minimal]
    table = tuple(
        (",".join(map(str, n.levels)), number(n.suppressed, 0), number(n.classes, 0), number(n.loss, 2)) for n in listed
    )
    return Figure(
        name, title, alt, (Panel(title, alt, drawing),), (), ("levels", "suppressed", "classes", "loss %"), table
    )
