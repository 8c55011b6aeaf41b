"""The lattice for Graphviz, one rank a height."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import Diagram, PlotNode, build_diagram

_HEAD = """\
graph lattice {
  graph [charset="UTF-8", rankdir=BT, labelloc=t, labeljust=l, bgcolor=white, ranksep=0.6, nodesep=0.2,
         fontname="Helvetica", fontsize=14];
  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, margin="0.08,0.05"];
  edge [color="#909090"];
"""
_KEY = "Blue: satisfies. White: fails. Thick border: minimal."


def draw_dot(nodes: Sequence[Mapping[str, Any]], title: str = "", winner: Mapping[str, int] | None = None) -> str:
    """The nodes that `lattice --json` lists as a Graphviz graph: all of them, least height at the bottom."""
    diagram = build_diagram(nodes, title, winner)
    statements = [
        f"label={_quoted(_caption(diagram))};",
        *_heights(diagram),
        *(_node(diagram, position, node) for position, node in enumerate(diagram.nodes)),
        *(f"n{lower} -- n{upper};" for lower, upper in diagram.edges),
    ]
    return _HEAD + "".join(f"  {statement}\n" for statement in statements) + "}\n"


def _caption(diagram: Diagram) -> list[str]:
    lines = [diagram.title] if diagram.title else []
    if diagram.nodes:
        key = _KEY if diagram.winner is None else f"{_KEY} Yellow, double border: the winner."
        lines += [f"Order of the levels: {', '.join(diagram.level_ranges())}", key]
    return lines


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


def _node(diagram: Diagram, position: int, node: PlotNode) -> str:
    look = svg.node_look(node)
    attributes = {
        "label": _quoted([node.label, *node.small], "\\n"),
        "tooltip": _quoted(diagram.details(node).split("\n"), "\\n"),
        "fillcolor": f'"{look["fill"]}"',
        "color": f'"{look["stroke"]}"',
        "penwidth": str(look["stroke_width"]),
        **({"peripheries": "2"} if node.winner else {}),
    }
    return f"n{position} [{', '.join(f'{key}={value}' for key, value in attributes.items())}];"


def _quoted(lines: Sequence[str], end: str = "\\l") -> str:
    """A quoted text; `end` is the escape after each line: \\l to the left, \\n centred."""
    escaped = [escape(line, quote=False).replace("\\", "\\\\").replace('"', '\\"') for line in lines]
    joined = end.join(escaped)
    return f'"{joined}{end}"' if end == "\\l" and lines else f'"{joined}"'
