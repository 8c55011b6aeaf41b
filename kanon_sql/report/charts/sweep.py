"""A sweep as small multiples that share the k axis: `sweep --plot FILE.html`, `FILE.svg` or `FILE.png`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kanon_sql.errors import ConfigurationError
from kanon_sql.report.charts import svg
from kanon_sql.report.charts.page import page
from kanon_sql.report.charts.sweep_panel import (
    C_AVG,
    CLASSES,
    HEAD,
    HEIGHT,
    LOSS,
    SECONDS,
    SUPPRESSED,
    WIDTH,
    Json,
    Line,
    cells,
    cross,
    draw_panel,
    lines_of,
    sample,
    title_of,
)
from kanon_sql.targets.staging_permissions import write_output

__all__ = ["draw_html", "draw_svg", "refuse_plot", "write_plot"]

SUFFIXES = (".html", ".svg", ".png")

_MARGIN = 24
_GAP = 28
_COLUMNS = 2
_LINE = 24
_ZOOM = 2.0
_RENDERER = "resvg_py"
_FONT, _FAMILY = "font_lato", "Lato"


def refuse_plot(path: Path) -> None:
    """Raises ConfigurationError where a drawing cannot be made as the suffix says."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ConfigurationError(f"--plot {path}: expected a file that ends in .html, .svg or .png")
    if suffix == ".png" and None in (find_spec(_RENDERER), find_spec(_FONT)):
        raise ConfigurationError(
            f"--plot {path}: a .png needs the plot extra: pip install 'kanon-sql[plot]'; or name a .html or .svg"
        )


def write_plot(path: Path, data: Json) -> None:
    """Writes the drawing that the suffix asks for; a file that is there is replaced.

    Raises ConfigurationError as refuse_plot does, EngineError where it cannot be written.
    """
    write_drawing(path, data, draw_svg, draw_html)


def write_drawing(path: Path, data: Json, as_svg: Callable[[Json], str], as_html: Callable[[Json], str]) -> None:
    """Writes what one of the two makes of the data, as the suffix asks; for a .png the SVG as pixels.

    Raises ConfigurationError as refuse_plot does, EngineError where it cannot be written.
    """
    refuse_plot(path)
    suffix = path.suffix.lower()
    content = pixels(as_svg(data)) if suffix == ".png" else (as_html if suffix == ".html" else as_svg)(data).encode()
    write_output(path, content, "drawing", private=False)


def draw_svg(data: Json) -> str:
    """What `sweep --json` prints as a self-contained SVG file."""
    lines = lines_of(data)
    lacking = any(point["status"] != "released" for point in data["points"])
    width = 2 * _MARGIN + _COLUMNS * WIDTH + _GAP
    sheet = svg.Drawing(width, _MARGIN)
    _add_head(sheet, title_of(data), lines, lacking)
    top = sheet.height + 12
    suppresses = any(point["suppressed"] for point in data["points"])
    measures = [LOSS, C_AVG, CLASSES, *([SUPPRESSED] if suppresses else []), SECONDS]
    for place, measure in enumerate(measures):
        row, column = divmod(place, _COLUMNS)
        panel = draw_panel(measure, lines, data["k"], lacking and measure is LOSS)
        x, y = _MARGIN + column * (WIDTH + _GAP), top + row * (HEIGHT + 10)
        sheet.marks.append(panel.moved(x, y, "panel"))
    rows = -(-len(measures) // _COLUMNS)
    sheet.height = top + rows * (HEIGHT + 10) + _MARGIN - 10
    return svg.document(sheet, f"k sweep of {title_of(data)}")


def draw_html(data: Json) -> str:
    """The drawing with the table of its numbers as a page that needs nothing else."""
    notes = [
        f"{one['name']}: {one['rows']:,} rows, quasi-identifiers {', '.join(one['quasi_identifiers'])}"
        for one in data["series"]
    ]
    return page(f"k sweep of {title_of(data)}", draw_svg(data), HEAD, [cells(point) for point in data["points"]], notes)


def pixels(drawing: str) -> bytes:
    """A PNG of an SVG, by the renderer of the plot extra and in its font, since a machine may have none."""
    renderer: Any = import_module(_RENDERER)
    (fonts,) = import_module(_FONT).__path__
    return bytes(renderer.svg_to_bytes(svg_string=drawing, font_dirs=[fonts], sans_serif_family=_FAMILY, zoom=_ZOOM))


def _add_head(sheet: svg.Drawing, title: str, lines: Sequence[Line], lacking: bool) -> None:
    """Title and legend at the top of the sheet."""
    room = sheet.width - 2 * _MARGIN
    sheet.add_title(["k", "sweep", "of", *title.split()], _MARGIN, room)
    x, y = float(_MARGIN), sheet.height + _LINE
    for place, line in enumerate(lines):
        name = svg.shortened(line.name, room - 40, svg.TEXT)
        needed = 34 + svg.text_width(name, svg.TEXT)
        if x > _MARGIN and x + needed > sheet.width - _MARGIN:
            x, y = float(_MARGIN), y + _LINE
        inside = [svg.tooltip(line.name), sample(place, x, y - 4.5), svg.text(x + 34, y, name, svg.TEXT)]
        sheet.marks.append(svg.tag("g", *inside, class_="entry", data_line=str(place)))
        x += needed + 18
    if lacking:
        y += _LINE
        note = "no release, or time ran out: no point in any panel, a cross in the first"
        sheet.marks.append(svg.tag("g", cross(_MARGIN + 13, y - 4.5), color=svg.QUIET, class_="quiet-mark"))
        sheet.marks.append(svg.text(_MARGIN + 34, y, note, svg.TEXT, **svg.QUIET_LOOK))
    sheet.height = y + 8
