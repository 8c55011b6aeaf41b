"""A sweep as small multiples that share the k axis: `sweep --plot FILE.html`, `FILE.svg` or `FILE.png`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kanon_sql.errors import ConfigurationError
from kanon_sql.report.charts import svg
from kanon_sql.report.charts.figure import Figure, Key, Panel
from kanon_sql.report.charts.page import page
from kanon_sql.report.charts.sheet import draw_sheet
from kanon_sql.report.charts.sweep_panel import (
    C_AVG,
    CLASSES,
    HEAD,
    LOSS,
    SECONDS,
    SUPPRESSED,
    Json,
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

_COLUMNS = 3
_CAPTION = "What a larger k costs"
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
    write_output(path, content, "drawing")


def draw_svg(data: Json) -> str:
    """What `sweep --json` prints as a self-contained SVG file, without the table."""
    figure = _figure(data)
    return draw_sheet(figure.title, figure.legend, figure.panels, _COLUMNS)


def draw_html(data: Json) -> str:
    """The drawings with the table of their numbers as a page that needs nothing else."""
    notes = [
        f"{one['name']}: {one['rows']:,} rows, quasi-identifiers {', '.join(one['quasi_identifiers'])}"
        for one in data["series"]
    ]
    return page(f"k sweep of {title_of(data)}", [replace(_figure(data), title=_CAPTION)], notes)


def _figure(data: Json) -> Figure:
    """A panel for each measure, a line in each of them for each series and limit."""
    lines = lines_of(data)
    lacking = any(point["status"] != "released" for point in data["points"])
    suppresses = any(point["suppressed"] for point in data["points"])
    measures = [LOSS, C_AVG, CLASSES, *([SUPPRESSED] if suppresses else []), SECONDS]
    panels = [
        Panel(
            f"{measure.title} over k",
            f"{measure.title} ({measure.unit}) of {len(lines):,} series, over k.",
            draw_panel(measure, lines, data["k"], lacking and measure is LOSS),
        )
        for measure in measures
    ]
    legend = [Key(sample(place, -13, 0), line.name, str(place)) for place, line in enumerate(lines)]
    if lacking:
        mark = svg.tag("g", cross(0, 0), color=svg.QUIET, class_="quiet-mark")
        legend.append(Key(mark, "no release, or time ran out: no point in any panel, a cross in the first"))
    alt = f"Loss, class size, classes, suppressed rows and search time for {len(data['k'])} values of k."
    rows = tuple(tuple(cells(point)) for point in data["points"])
    title = f"k sweep of {title_of(data)}"
    return Figure("sweep", title, alt, tuple(panels), tuple(legend), HEAD, rows)


def pixels(drawing: str) -> bytes:
    """A PNG of an SVG, by the renderer of the plot extra and in its font, since a machine may have none."""
    renderer: Any = import_module(_RENDERER)
    (fonts,) = import_module(_FONT).__path__
    return bytes(renderer.svg_to_bytes(svg_string=drawing, font_dirs=[fonts], sans_serif_family=_FAMILY, zoom=_ZOOM))
