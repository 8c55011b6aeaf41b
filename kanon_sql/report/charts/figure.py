"""A figure: small drawings side by side that say one thing, with its words and its numbers.

`figure_html` makes one of them a part of a page that holds `STYLE` once, and `SCRIPT` once at its end; the script may
be missing. Every text may come from the data: it is escaped here.

Figures as one HTML page that loads nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import clean

_ASSETS = Path(__file__).with_name("assets")

# What all figures of a page share.
STYLE = (_ASSETS / "figures.css").read_text(encoding="utf-8")
SCRIPT = (_ASSETS / "figures.js").read_text(encoding="utf-8")

# As many entries of a legend follow each other; more of them stand in columns.
_FEW_KEYS = 6
_LONGEST = 120
_UNFOLDED = ' open=""'

# The width that a panel is drawn for, in pixels: a telephone shows it as it is.
WIDTH = 320


@dataclass(frozen=True)
class Panel:
    """One drawing of a figure: what it shows in a few words, and in a sentence; `kind` is a class of its element."""

    title: str
    alt: str
    drawing: svg.Drawing
    kind: str = ""


@dataclass(frozen=True)
class LegendEntry:
    """An entry of a legend: a mark of at most 24 by 14 pixels around 0, 0 (an SVG text), and its words.

    Where it stands for a line of the drawings, `line` is the `data-line` of its marks: the script hides and shows it.
    """

    mark: str
    words: str
    line: str = ""


@dataclass(frozen=True)
class Figure:
    """Drawings that belong together.

    `name` is made of a-z, 0-9 and "-", and is used once on a page. `title` says what is shown, `alt` what is seen.
    `head` and `rows` are the numbers as a table. `details` are words and values of the one thing that is looked at.
    `data` is a JSON text for the script, empty where it needs none. `kind` are classes of the element.
    """

    name: str
    title: str
    alt: str
    panels: tuple[Panel, ...]
    legend: tuple[LegendEntry, ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    note: str = ""
    data: str = ""
    details: tuple[tuple[str, str], ...] = ()
    kind: str = ""


def figure_html(figure: Figure, *, unfolded: bool = False) -> str:
    """The figure as a `<figure>` element: title, legend, drawings, note, numbers, which may be folded."""
    kind = f"figure {figure.kind}".strip()
    data = f'<script type="application/json">{_json(figure.data)}</script>' if figure.data else ""
    parts = [
        f'<figure class="{kind}" id="figure-{figure.name}" data-figure="{figure.name}">',
        f"<figcaption>{_text(figure.title)}</figcaption>",
        f'<p class="alt">{_text(figure.alt)}</p>' if figure.alt else "",
        _legend(figure.legend),
        '<div class="view"><div class="panels">',
        *(panel_svg(panel, f"{figure.name}-{place}") for place, panel in enumerate(figure.panels)),
        "</div>",
        _details(figure.details),
        "</div>",
        f'<p class="note">{_text(figure.note)}</p>' if figure.note else "",
        _numbers(figure, unfolded),
        data,
        "</figure>",
    ]
    return "\n".join(filter(None, parts)) + "\n"


def cut(text: str, longest: int = _LONGEST) -> str:
    """A text of the data, no longer than anybody reads, or than there is room for."""
    return text if len(text) <= longest else f"{text[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"


def panel_svg(panel: Panel, name: str) -> str:
    """A panel as an `<svg>` element of a page; `name` is part of its ids."""
    width, height = math.ceil(panel.drawing.width), math.ceil(panel.drawing.height)
    return svg.tag(
        "svg",
        svg.tag("title", escape(clean(panel.title), quote=False), id=f"{name}-title"),
        svg.tag("desc", escape(clean(panel.alt), quote=False), id=f"{name}-desc"),
        "\n".join(panel.drawing.marks),
        class_=f"panel {panel.kind}".strip(),
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        width=width,
        height=height,
        viewBox=f"0 0 {width} {height}",
    )


def _legend(keys: tuple[LegendEntry, ...]) -> str:
    if not keys:
        return ""
    entries = "".join(
        f'<li{_line(key)}><svg aria-hidden="true" width="24" height="14" viewBox="-12 -7 24 14">{key.mark}</svg>'
        f"<span>{_text(key.words)}</span></li>"
        for key in keys
    )
    many = " many" if len(keys) > _FEW_KEYS else ""
    return f'<ul class="legend{many}">{entries}</ul>'


def _line(key: LegendEntry) -> str:
    return f' class="entry" data-line="{escape(key.line)}"' if key.line else ""


def _details(details: tuple[tuple[str, str], ...]) -> str:
    if not details:
        return ""
    pairs = "".join(f"<div><dt>{_text(what)}</dt><dd>{_text(value)}</dd></div>" for what, value in details)
    return f'<dl class="details">{pairs}</dl>'


def _numbers(figure: Figure, unfolded: bool) -> str:
    if not figure.rows:
        return ""
    head = "".join(f'<th scope="col">{_text(cell)}</th>' for cell in figure.head)
    rows = "\n".join(
        f'<tr><th scope="row">{_text(first)}</th>' + "".join(f"<td>{_text(cell)}</td>" for cell in more) + "</tr>"
        for first, *more in figure.rows
    )
    words = f"The numbers of: {_text(figure.title)}"
    return (
        f'<details class="numbers"{_UNFOLDED if unfolded else ""}><summary>The numbers</summary>\n'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{words}">\n'
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div></details>"
    )


def _text(content: str) -> str:
    return escape(clean(content))


def _json(data: str) -> str:
    """A JSON text that cannot end the element around it."""
    return data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


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
