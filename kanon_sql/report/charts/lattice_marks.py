"""How a node of the lattice looks in the figures of a page: the state tells its shape, not its colour alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.figure import LegendEntry
from kanon_sql.report.page.model import NodeFacts

# The states from the back to the front.
STATES = ("failing", "unknown", "satisfying", "minimal", "winner")
STAR = 8

_FILLS = {
    "failing": (svg.FAILING, svg.BORDER),
    "unknown": (svg.BORDER, "none"),
    "satisfying": (svg.SATISFYING_SMALL, svg.MINIMAL),
    "minimal": (svg.MINIMAL, svg.MINIMAL),
    "winner": (svg.WINNER, svg.STAR),
}
_WORDS = {
    "satisfying": "satisfies",
    "minimal": "minimal: no lower one satisfies",
    "failing": "fails",
    "unknown": "not known",
    "winner": "the winner",
}


@dataclass(frozen=True)
class Layout:
    """A drawing of things (nodes, or cells of them), and where each of them lies: its upper left corner."""

    drawing: svg.Drawing
    corners: Sequence[tuple[float, float]]
    size: tuple[float, float]


def state_of(node: NodeFacts) -> str:
    """The one of STATES that is shown; a minimal node satisfies, the winner may be minimal."""
    if node.winner:
        return "winner"
    if node.satisfies is None:
        return "unknown"
    if not node.satisfies:
        return "failing"
    return "minimal" if node.minimal else "satisfying"


def look_of(state: str) -> dict[str, str | float]:
    """The attributes of a shape of that state."""
    fill, stroke = _FILLS[state]
    return {"class_": f"node {state}", "fill": fill, "stroke": stroke}


def legend_of(counts: Mapping[str, int]) -> tuple[LegendEntry, ...]:
    """The states that there are, each with its count."""
    return tuple(
        LegendEntry(_sample(state), _WORDS[state] if state == "winner" else f"{_WORDS[state]} ({counts[state]:,})")
        for state in ("satisfying", "minimal", "failing", "unknown", "winner")
        if counts.get(state)
    )


def squares(corners: Mapping[str, Sequence[tuple[float, float]]], side: float) -> list[str]:
    """All squares of a state as one mark, since there may be thousands; the winner has its star."""
    marks = []
    for state in STATES:
        places = corners.get(state, ())
        if places:
            path = "".join(map(_square_of(state, side), places))
            marks.append(svg.tag("path", d=path, stroke_width=1, **look_of(state)))
    marks += [svg.star(x + side / 2, y + side / 2, STAR) for x, y in corners.get("winner", ())]
    return marks


def _square_of(state: str, side: float) -> Callable[[tuple[float, float]], str]:
    """The path of one square; a node that nobody knows is a small point."""
    inset = 0.38 * side if state == "unknown" else 0.5
    inner = side - 2 * inset

    def path(corner: tuple[float, float]) -> str:
        x, y = corner
        return f"M{x + inset:.4g} {y + inset:.5g}h{inner:.3g}v{inner:.3g}h{-inner:.3g}z"

    return path


def _sample(state: str) -> str:
    return "".join(squares({state: [(-5.5, -5.5)]}, 11))
