"""Class sizes and risks, before and after: `risk --plot FILE.html`, `FILE.svg` or `FILE.png`."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from kanon_sql.report.charts.before_after import Json, draw_class_sizes, draw_risks, size_text
from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.figure import Figure
from kanon_sql.report.charts.page import page
from kanon_sql.report.charts.sheet import draw_sheet
from kanon_sql.report.charts.sweep import write_drawing

__all__ = ["draw_html", "draw_svg", "size_text", "write_risk_plot"]

_COLUMNS = 2
_MOST_SHARES = 5  # columns that are named with what they add to the scores of special uniques


def write_risk_plot(path: Path, data: Json) -> None:
    """Writes the drawing that the suffix asks for. Raises ConfigurationError or EngineError as write_drawing does."""
    write_drawing(path, data, draw_svg, draw_html)


def draw_html(data: Json) -> str:
    """What `risk --json` prints as a page that needs nothing else: figures, and their numbers side by side."""
    return page(_title(data), _figures(data), _notes(data))


def draw_svg(data: Json) -> str:
    """What `risk --json` prints as a self-contained SVG file, without the numbers."""
    sizes, risks = _figures(data)
    legend = [replace(key, words=words) for key, words in zip(sizes.legend, _tables(data), strict=True)]
    return draw_sheet(_title(data), legend, (*sizes.panels, *risks.panels), _COLUMNS)


def _figures(data: Json) -> tuple[Figure, Figure]:
    """The sizes, with a line between the classes whose rows are above the threshold and the others; the risks."""
    threshold = data["threshold"]
    safe = math.ceil(1 / threshold - 1e-9)
    words = f"above this line: prosecutor risk above {threshold:g}"
    return draw_class_sizes(data, safe, words=words), draw_risks(data)


def _title(data: Json) -> str:
    return f"Class sizes and risk of {clean(data['before']['table'])}"


def _notes(data: Json) -> list[str]:
    sides = [data[key] for key in ("before", "after") if data[key] is not None]
    return [
        f"{words}; quasi-identifiers {', '.join(side['quasi_identifiers'])}"
        f"{_weighted(side)}{_uniqueness(side)}{_special(side)}"
        for words, side in zip(_tables(data), sides, strict=True)
    ]


def _uniqueness(side: Json) -> str:
    """The estimate for the population, as words that follow."""
    found = side["population_uniqueness"]
    if found is None:
        return ""
    size = round(found["population_size"])
    return f"; {100 * found['dankar']:.2f} % of {size:,} persons estimated to be unique in the population (Dankar)"


def _weighted(side: Json) -> str:
    """The risk by weights, as words that follow."""
    found = side.get("weighted")
    if found is None:
        return ""
    return f"; {found['reidentifications']:,.1f} rows are expected to be found again, by the weights of the rows"


def _special(side: Json) -> str:
    """What is said of the special uniques of one table, where they were looked for."""
    found = side.get("special_uniques")
    if found is None:
        return ""
    shares = sorted(found["columns"].items(), key=lambda one: -one[1])
    most = ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares[:_MOST_SHARES] if share)
    return (
        f"; {found['rows']:,} rows hold minimal sample uniques of up to {found['size']} columns"
        f"{f', their scores by columns: {most}' if most else ''}"
    )


def _tables(data: Json) -> list[str]:
    """Each table with its rows, and with a word where there are two."""
    keys = [key for key in ("before", "after") if data[key] is not None]
    return [
        f"{f'{key}: ' if len(keys) > 1 else ''}{clean(data[key]['table'])}, {data[key]['rows']['measured']:,} rows"
        for key in keys
    ]
