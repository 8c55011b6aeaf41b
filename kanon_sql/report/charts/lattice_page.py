"""What `lattice --json` prints as a page: `lattice --plot FILE.html`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.report.charts.figure import page
from kanon_sql.report.charts.lattice_figure import draw_lattice
from kanon_sql.report.page.model import LatticeFacts, NodeFacts

if TYPE_CHECKING:
    from kanon_sql.results.searched import LatticeNode, LatticeReport


def draw_lattice_page(data: LatticeReport) -> str:
    """The lattice with zoom and the details of each node, as a page that needs nothing else."""
    facts = _facts(data)
    rows = "no row" if not facts.limit else f"at most {facts.limit:,} rows"
    return page(f"Lattice of {', '.join(facts.names)}: k = {facts.k:,}, {rows} suppressed", [draw_lattice(facts)])


def _facts(data: LatticeReport) -> LatticeFacts:
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
