"""The head of an SVG drawing: its title, the order of the quasi-identifiers and what the colours say."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import Diagram

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
