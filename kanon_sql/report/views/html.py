"""A view as HTML for the cell of a notebook: it needs nothing from elsewhere, on light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from kanon_sql.report.views.parts import FactList, Grid, Line, Part, Parts

_RULE = "1px solid rgba(128,128,128,.35)"
_CELL = f"padding:2px 10px;border:0;border-bottom:{_RULE};background:none;color:inherit"


def in_html(parts: Parts | str) -> str:
    """All parts, one below the other; text that is laid out already as it is."""
    if isinstance(parts, str):
        return f"<pre>{escape(parts)}</pre>"
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
    body = "".join(f"<tr>{_cells(part, row, 'td')}</tr>" for row in part.rows)
    table = "margin:6px 0;border-collapse:collapse;background:none;color:inherit"
    return f'<table style="{table}">{head}<tbody>{body}</tbody></table>'


def _cells(grid: Grid, row: Sequence[str], tag: str) -> str:
    sides = ("right" if grid.is_number(place, content) else "left" for place, content in enumerate(row))
    return "".join(
        f'<{tag} style="{_CELL};text-align:{side}">{escape(content.strip())}</{tag}>'
        for side, content in zip(sides, row, strict=True)
    )
