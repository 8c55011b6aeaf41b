"""Figures as one HTML page that loads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.figure import SCRIPT, STYLE, Figure, figure_html

_STYLE = f"""
:root {{ color-scheme: light dark; }}
body {{ margin: 0 auto; padding: 1rem; max-width: 1100px; background: #fff; color: #1a1a1a;
  font: 15px/1.45 {svg.FONT}; }}
h1 {{ font-size: 1.3rem; overflow-wrap: anywhere; }}
main > p {{ overflow-wrap: anywhere; margin: .2rem 0; }}
@media screen and (prefers-color-scheme: dark) {{ body {{ background: #15181c; color: #e8e8e8; }} }}
@media print {{ :root {{ color-scheme: light; }} }}
"""


def page(title: str, figures: Sequence[Figure], notes: Iterable[str] = ()) -> str:
    """The page: each figure with its numbers unfolded, then notes."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(clean(title))}</title>",
        f"<style>{_STYLE}{STYLE}</style></head>",
        f"<body><main><h1>{escape(clean(title))}</h1>",
        *(figure_html(figure, unfolded=True) for figure in figures),
        *(f"<p>{escape(clean(note))}</p>" for note in notes),
        "</main>",
        f"<script>{SCRIPT}</script>",
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"
