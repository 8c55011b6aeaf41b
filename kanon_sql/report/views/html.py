"""A view as HTML for the cell of a notebook: it needs nothing from elsewhere, on light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from kanon_sql.report.views.parts import FactList, Grid, Line, Part, Parts

# Grey that lets light and dark pages through, and a blue that stands out on both.
_TRACK, _BAR = "rgba(128,128,128,.25)", "#4c8bd0"
_RULE = "1px solid rgba(128,128,128,.35)"
_CELL = f"padding:2px 10px;border:0;border-bottom:{_RULE};background:none;color:inherit"


def in_html(parts: Parts) -> str:
    """All parts, one below the other."""
    return f'<div style="font-size:90%;line-height:1.5">{"".join(map(_part, parts))}</div>'


def _part(part: Part) -> str:
    if isinstance(part, Line):
        text = escape(part.text.strip()) or "&nbsp;"
        return f"<div><b>{text}</b></div>" if part.look == "head" else f"<div>{text}</div>"
    if isinstance(part, FactList):
        return "".join(
            f'<div><b style="display:inline-block;min-width:8em">{escape(name)}</b> {escape(text)}</div>'
            for name, text, _ in part.entries
        )
    head = "" if part.head is None else f"<thead><tr>{_cells(part, part.head, 'th')}</tr></thead>"
    body = "".join(f"<tr>{_cells(part, row, 'td', number)}</tr>" for number, row in enumerate(part.rows))
    table = "margin:6px 0;border-collapse:collapse;background:none;color:inherit"
    return f'<table style="{table}">{head}<tbody>{body}</tbody></table>'


def _cells(grid: Grid, row: Sequence[str], tag: str, number: int | None = None) -> str:
    """The cells of a heading, or of the row of that number, with its bars."""
    shown = []
    for place, content in enumerate(row):
        side = "right" if grid.is_number(place, content) else "left"
        bar = "" if number is None or place not in grid.bars else _bar(grid.bars[place][0][number])
        shown.append(f'<{tag} style="{_CELL};text-align:{side}">{bar}{escape(content.strip())}</{tag}>')
    return "".join(shown)


def _bar(share: float | None) -> str:
    """A bar as long as the share is of all, before its number."""
    percent = 100 * min(1.0, max(0.0, share or 0.0))
    full = f'<span style="display:block;width:{percent:.1f}%;height:100%;background:{_BAR};border-radius:2px"></span>'
    track = f"display:inline-block;width:100px;height:.7em;margin-right:.5em;background:{_TRACK};border-radius:2px"
    return f'<span style="{track}">{full}</span>'
