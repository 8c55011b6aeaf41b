"""A drawing and the table of its numbers as one HTML page that loads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import clean

_STYLE = (
    """
:root { color-scheme: light dark; --ink: #1a1a1a; --quiet: #555; --sheet: #fff; --rule: #e0e0e0; }
body { margin: 1.5rem auto; padding: 0 1rem; max-width: 1020px; background: var(--sheet); color: var(--ink);
  font: 15px/1.45 """
    + svg.FONT
    + """; }
svg { display: block; width: 100%; min-width: 760px; height: auto; fill: var(--ink); }
svg > rect { fill: var(--sheet); }
.quiet { fill: var(--quiet); }
.quiet-mark { color: var(--quiet); }
.grid { stroke: var(--rule); }
.mark { stroke: var(--sheet); }
.scripted .entry { cursor: pointer; }
.scripted .entry:focus-visible { outline: 2px solid currentColor; }
.off { opacity: .25; }
.line.off { display: none; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .5rem 0 1.5rem; }
caption { text-align: left; font-weight: bold; padding: .4rem 0; }
th, td { padding: .25rem .8rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
tbody tr.first td { border-top: 2px solid var(--quiet); }
p { color: var(--quiet); margin: .2rem 0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --quiet: #a9b0b8; --sheet: #15181c; --rule: #343a42; }
  .c0 { color: #4db1ec; } .c1 { color: #ff8a3d; } .c2 { color: #2fc79a; } .c3 { color: #e08fc0; }
  .c4 { color: #e6b34a; } .c5 { color: #9ad2f5; } .c6 { color: #c4c4c4; }
}
@media print { :root { color-scheme: light; } }
"""
)

# The page says everything without it: a click on the legend hides or shows a line.
_SCRIPT = """
document.documentElement.classList.add("scripted");
for (const entry of document.querySelectorAll(".entry")) {
  const toggle = () => {
    const off = entry.classList.toggle("off");
    entry.setAttribute("aria-pressed", String(!off));
    document.querySelectorAll(`.panel .line[data-line="${entry.dataset.line}"]`)
      .forEach((line) => line.classList.toggle("off", off));
  };
  entry.setAttribute("tabindex", "0");
  entry.setAttribute("role", "button");
  entry.setAttribute("aria-pressed", "true");
  entry.addEventListener("click", toggle);
  entry.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); }
  });
}
"""


def page(
    title: str, drawing: str, head: Sequence[str], rows: Sequence[Sequence[str]], notes: Iterable[str] = ()
) -> str:
    """The page: the drawing, an SVG file, then the table, then notes."""
    shown = drawing.partition("\n")[2].strip()
    starts = [place == 0 or row[0] != rows[place - 1][0] for place, row in enumerate(rows)]
    lines = [
        f"<tr{' class=first' if first and place else ''}>{_row('td', row)}</tr>"
        for place, (first, row) in enumerate(zip(starts, rows, strict=True))
    ]
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style></head>",
        "<body>",
        f'<div class="scroll">{shown}</div>',
        '<div class="scroll"><table><caption>The numbers of the drawing</caption>',
        f"<thead><tr>{_row('th', head)}</tr></thead>",
        "<tbody>",
        *lines,
        "</tbody></table></div>",
        *(f"<p>{escape(clean(note))}</p>" for note in notes),
        f"<script>{_SCRIPT}</script>",
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _row(name: str, texts: Iterable[str]) -> str:
    scope = ' scope="col"' if name == "th" else ""
    return "".join(f"<{name}{scope}>{escape(text)}</{name}>" for text in texts)
