"""The lattice for Graphviz, one rank a height."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import Diagram, build_diagram, clean
from kanon_sql.report.charts.lattice_figure import described, level_ranges, loss_of
from kanon_sql.report.page.model import LatticeFacts, NodeFacts

_HEAD = """\
graph lattice {
  graph [charset="UTF-8", rankdir=BT, labelloc=t, labeljust=l, bgcolor=white, ranksep=0.6, nodesep=0.2,
         fontname="Helvetica", fontsize=14];
  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, margin="0.08,0.05"];
  edge [color="#909090"];
"""
_KEY = "Blue: satisfies. White: fails. Thick border: minimal."


def draw_dot(title: str, facts: LatticeFacts) -> str:
    """The lattice as a Graphviz graph: all nodes that are known, least height at the bottom."""
    diagram = build_diagram(facts.nodes, facts.names)
    statements = [
        f"label={_quoted(_caption(title, facts))};",
        *_heights(diagram),
        *(_node(facts, position, node) for position, node in enumerate(diagram.nodes)),
        *(f"n{lower} -- n{upper};" for lower, upper in diagram.edges),
    ]
    return _HEAD + "".join(f"  {statement}\n" for statement in statements) + "}\n"


def _caption(title: str, facts: LatticeFacts) -> list[str]:
    has_winner = any(node.winner for node in facts.nodes)
    key = f"{_KEY} Yellow, double border: the winner." if has_winner else _KEY
    return [title, f"Order of the levels: {level_ranges(facts)}", key]


def _heights(diagram: Diagram) -> list[str]:
    """A label for each height, on one rank with its nodes; invisible lines keep the ranks in order."""
    labels = [f'h{height} [shape=plaintext, style="", label="height {height}"];' for height in diagram.rows]
    heights = list(diagram.rows)
    chain = [f"h{low} -- h{high} [style=invis];" for low, high in pairwise(heights)]
    ranks = [
        f"{{ rank=same; h{height}; {' '.join(f'n{position};' for position in row)} }}"
        for height, row in diagram.rows.items()
    ]
    return labels + chain + ranks


def _node(facts: LatticeFacts, position: int, node: NodeFacts) -> str:
    fill = svg.WINNER if node.winner else svg.SATISFYING if node.satisfies else svg.FAILING
    attributes = {
        "label": _quoted([node.label, loss_of(node)], "\\n"),
        "tooltip": _quoted(described(facts, node).split("\n"), "\\n"),
        "fillcolor": f'"{fill}"',
        "color": f'"{svg.MINIMAL if node.minimal or node.winner else svg.BORDER}"',
        "penwidth": "3" if node.minimal else "1",
        **({"peripheries": "2"} if node.winner else {}),
    }
    return f"n{position} [{', '.join(f'{key}={value}' for key, value in attributes.items())}];"


def _quoted(lines: Sequence[str], end: str = "\\l") -> str:
    """A quoted text; `end` is the escape after each line: \\l to the left, \\n centred."""
    escaped = [escape(clean(line), quote=False).replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    joined = end.join(escaped)
    return f'"{joined}{end}"' if end == "\\l" and lines else f'"{joined}"'
