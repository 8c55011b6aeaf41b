"""Panels and their legend on one sheet: the SVG file of a drawing, from which the pixels of a PNG are made."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.figure import WIDTH, LegendEntry, Panel

_MARGIN = 24
_GAP = 28
_LINE = 24
_MARK = 34
_WORDS = 640  # the least width of sentences


def draw_sheet(
    title: str, legend: Sequence[LegendEntry], panels: Sequence[Panel], columns: int, words: Sequence[str] = ()
) -> str:
    """The whole file: the title, `words` below it, the legend, then so many panels a row."""
    drawn = max(panel.drawing.width for panel in panels)
    room = max(columns * WIDTH + (columns - 1) * _GAP, drawn, _WORDS if words else 0)
    sheet = svg.Drawing(2 * _MARGIN + room, _MARGIN)
    sheet.add_title(clean(title).split(), _MARGIN, sheet.width - 2 * _MARGIN)
    for sentence in words:
        for line in svg.wrapped(clean(sentence).split(), room, svg.TEXT):
            sheet.height += _LINE - 5
            sheet.marks.append(svg.text(_MARGIN, sheet.height, line, svg.TEXT))
    _add_legend(sheet, legend)
    sheet.height += 12
    for start in range(0, len(panels), columns):
        row = panels[start : start + columns]
        for place, panel in enumerate(row):
            sheet.marks.append(panel.drawing.moved(_MARGIN + place * (WIDTH + _GAP), sheet.height, "panel"))
        sheet.height += max(panel.drawing.height for panel in row) + 18
    sheet.height += _MARGIN - 18
    return svg.document(sheet, clean(title))


def _add_legend(sheet: svg.Drawing, legend: Sequence[LegendEntry]) -> None:
    room = sheet.width - 2 * _MARGIN
    x, y = float(_MARGIN), sheet.height + _LINE
    for key in legend:
        words = clean(key.words)
        name = svg.shortened(words, room - _MARK - 6, svg.TEXT)
        needed = _MARK + svg.text_width(name, svg.TEXT)
        if x > _MARGIN and x + needed > sheet.width - _MARGIN:
            x, y = float(_MARGIN), y + _LINE
        mark = svg.tag("g", key.mark, transform=f"translate({x + 13:.1f} {y - 4.5:.1f})")
        inside = [svg.tooltip(words), mark, svg.text(x + _MARK, y, name, svg.TEXT)]
        sheet.marks.append(svg.tag("g", *inside, class_="entry", **({"data_line": key.line} if key.line else {})))
        x += needed + 18
    sheet.height = y + 8
