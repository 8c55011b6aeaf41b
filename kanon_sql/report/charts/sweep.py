"""What a sweep shows, in tables and drawings alike: the measures, the lines of points, and a panel for each measure.

A sweep as small multiples that share the k axis: `sweep --plot FILE.html`, `FILE.svg` or `FILE.png`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from kanon_sql.errors import ConfigurationError
from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import clean, number
from kanon_sql.report.charts.figure import WIDTH, Figure, LegendEntry, Panel, page
from kanon_sql.report.charts.sheet import draw_sheet
from kanon_sql.report.charts.svg import Axis, tick_text, value_axis
from kanon_sql.report.words import joined
from kanon_sql.targets.staging_permissions import write_output

if TYPE_CHECKING:
    from kanon_sql.results.searched import SweepPoint, SweepReport


Drawn = TypeVar("Drawn")
_STATUS = {"no-release": "no release", "timed-out": "timed out"}
_MOST_LISTED = 12

HEIGHT = 236

# Okabe and Ito: told apart also by people who see few colours; shapes and dashes differ besides.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#B0528C", "#B87900", "#3A93C8", "#4D4D4D")
_DASHES = ("none", "7 4", "2 3", "9 3 2 3")
_SHAPES = ("circle", "square", "diamond", "up", "down", "plus")

_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 34, 44
_SIZE = 4.6
_REACH = 9
_LABEL_GAP = 5
_MOST_HIDDEN = 2
_PLUS = ((-1, -3), (1, -3), (1, -1), (3, -1), (3, 1), (1, 1), (1, 3), (-1, 3), (-1, 1), (-3, 1), (-3, -1), (-1, -1))
_CROSS_PITCH = 9

_Piece = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Measure:
    """A column of the table, and a panel of the drawing; `log` lets its axis be logarithmic."""

    key: Literal["ncp", "c_avg", "classes", "suppressed", "seconds"]
    head: str
    title: str
    unit: str
    digits: int
    log: bool = False

    def value(self, point: SweepPoint) -> float:
        """The value of a point that has a release."""
        value = point[self.key]
        assert value is not None
        return value

    def text(self, point: SweepPoint) -> str:
        """The value of a point as everybody sees it; empty where there is none."""
        value = point[self.key]
        return "" if value is None else number(value, self.digits)


LOSS = Measure("ncp", "loss %", "Loss", "NCP, % of the worst", 2)
C_AVG = Measure("c_avg", "C_AVG", "Class size", "C_AVG: average class / k", 3, log=True)
CLASSES = Measure("classes", "classes", "Classes", "number", 0, log=True)
SUPPRESSED = Measure("suppressed", "suppressed", "Suppressed rows", "number", 0)
SECONDS = Measure("seconds", "seconds", "Search time", "seconds", 3, log=True)

TABLE = (CLASSES, C_AVG, LOSS, SUPPRESSED, SECONDS)
HEAD = ("series", "k", "limit", *(measure.head for measure in TABLE))


@dataclass(frozen=True)
class Series:
    """Points that belong together, by k; the name tells them from the other lines."""

    name: str
    points: tuple[SweepPoint, ...]


def cells(point: SweepPoint) -> list[str]:
    """A point as a row of the table; one without a release says so under the classes."""
    texts = [measure.text(point) for measure in TABLE]
    if point["status"] != "released":
        texts[0] = _STATUS[point["status"]]
    return [clean(point["series"]), f"{point['k']:,}", limit_text(point["limit"]), *texts]


def limit_text(limit: int | str) -> str:
    """A number of rows with separators, a share as it is."""
    return f"{limit:,}" if isinstance(limit, int) else limit


def lines_of(data: SweepReport) -> list[Series]:
    """One line for each series and limit; limits that make no difference to a series are one line."""
    lines = []
    for series in data["series"]:
        merged: list[tuple[list[str], list[SweepPoint]]] = []
        for limit in data["limits"]:
            own = [p for p in data["points"] if p["series"] == series["name"] and p["limit"] == limit]
            same = next((limits for limits, points in merged if _agree(points, own)), None)
            if own and same is not None:
                same.append(limit_text(limit))
            elif own:
                merged.append(([limit_text(limit)], own))
        for limits, points in merged:
            name = clean(series["name"])
            several = f"{name}, limit {' or '.join(limits)}"
            lines.append(Series(several if len(merged) > 1 else name, tuple(points)))
    return lines


def _agree(points: Sequence[SweepPoint], others: Sequence[SweepPoint]) -> bool:
    """Whether they are the same searches: then the seconds agree as well."""
    varying = ("limit", "limit_rows", "problem")
    first, second = ([{k: v for k, v in p.items() if k not in varying} for p in some] for some in (points, others))
    return first == second


def title_of(data: SweepReport) -> str:
    """What was swept."""
    configurations = list(dict.fromkeys(clean(series["configuration"].strip("<>")) for series in data["series"]))
    ks, limits = [f"{k:,}" for k in data["k"]], list(map(limit_text, data["limits"]))
    return f"{_listed(configurations)}: k = {_listed(ks)}, suppression limit {_listed(limits)}"


def _listed(texts: Sequence[str]) -> str:
    if len(texts) > _MOST_LISTED:
        return f"{texts[0]} to {texts[-1]} ({len(texts)})"
    return joined(texts)


def draw_panel(measure: Measure, lines: Sequence[Series], ks: Sequence[int], crosses: bool) -> svg.Drawing:
    """The panel; with `crosses` it marks where a line has no release."""
    drawing = svg.Drawing(WIDTH, HEIGHT)
    across = Axis(min(ks), max(ks), _LEFT + 10, WIDTH - _RIGHT - 10, True, tuple(map(float, ks)))
    values = [measure.value(point) for line in lines for point in line.points if point["status"] == "released"]
    up = value_axis(values, HEIGHT - _BOTTOM, _TOP, may_be_log=measure.log, whole=measure.digits == 0)
    _add_frame(drawing, measure, across, up)
    for place in range(len(lines)):
        _add_line(drawing, measure, lines, place, across, up)
    if crosses:
        _add_crosses(drawing, lines, across)
    return drawing


def sample(place: int, x: float, y: float) -> str:
    """A piece of the line with its mark, for the legend."""
    piece = svg.tag("path", d=f"M{x:.1f} {y:.1f}h26", **_stroke(place))
    return svg.tag("g", piece, _mark(place, x + 13, y), **_of_line(place))


def cross(x: float, y: float) -> str:
    """The mark of a point without a release."""
    return svg.tag(
        "path", d=f"M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6", stroke="currentColor", stroke_width=1.8, fill="none"
    )


def _add_frame(drawing: svg.Drawing, measure: Measure, across: Axis, up: Axis) -> None:
    left, right, floor = _LEFT, WIDTH - _RIGHT, HEIGHT - _BOTTOM
    unit = f"{measure.unit}, log scale" if up.log else measure.unit
    title = svg.tag("tspan", escape(measure.title, quote=False), font_weight="bold", font_size=13)
    quiet = svg.tag("tspan", escape(unit, quote=False), **svg.QUIET_LOOK, dx=8)
    drawing.marks.append(svg.tag("text", title, quiet, x=0, y=16, font_size=svg.SMALL))
    for tick in up.ticks:
        y = up.at(tick)
        drawing.marks += [
            svg.grid(f"M{left} {y:.1f}H{right}"),
            svg.quiet(left - 7, y + 4, tick_text(tick), "end"),
        ]
    drawing.marks.append(_axis(f"M{left} {floor}H{right}"))
    labelled = set(_labelled(across))
    for k in across.ticks:
        x, length = across.at(k), 6 if k in labelled else 3
        drawing.marks.append(_axis(f"M{x:.1f} {floor}v{length}"))
        if k in labelled:
            drawing.marks.append(svg.quiet(x, floor + 20, limit_text(int(k)), "middle"))
    drawing.marks.append(svg.quiet((left + right) / 2, floor + 37, "k: least rows of a class, log scale", "middle"))


def _axis(path: str) -> str:
    return svg.tag("path", d=path, class_="axis", stroke=svg.BORDER, stroke_width=1.2)


def _labelled(across: Axis) -> Iterator[float]:
    """The k whose labels have room: the greatest, and from the least on all that do not touch another."""
    last = across.ticks[-1]
    wall = across.at(last) - _half(last) if len(across.ticks) > 1 else math.inf
    reached = -math.inf
    for k in across.ticks[:-1]:
        x = across.at(k)
        if x - _half(k) >= reached + _LABEL_GAP and x + _half(k) <= wall - _LABEL_GAP:
            yield k
            reached = x + _half(k)
    yield last


def _half(k: float) -> float:
    return svg.text_width(limit_text(int(k)), svg.SMALL) / 2


def _add_line(drawing: svg.Drawing, measure: Measure, lines: Sequence[Series], place: int, *axes: Axis) -> None:
    across, up = axes
    later = [_pieces(measure, line) for line in lines[place + 1 :]]

    def spot(point: SweepPoint) -> tuple[float, float]:
        return across.at(point["k"]), up.at(measure.value(point))

    def hidden(piece: _Piece) -> int:
        """How many lines drawn later go the same way: this one is drawn wider there, so that all are seen."""
        return min(sum(piece in pieces for pieces in later), _MOST_HIDDEN)

    pieces = _pieces(measure, lines[place])
    marks = [
        svg.tag("path", d=_path(map(spot, ends), ""), **_stroke(place, 2 + 2.5 * hidden(piece)))
        for piece, ends in pieces.items()
        if len(ends) == 2
    ]
    for piece, ends in pieces.items():
        if len(ends) == 1:
            (x, y), point = spot(ends[0]), ends[0]
            around = svg.tag("circle", cx=x, cy=y, r=_REACH, fill="none", pointer_events="all")
            tip = svg.tooltip(f"{lines[place].name}\nk = {point['k']:,}\n{measure.head}: {measure.text(point)}")
            mark = _mark(place, x, y, _SIZE * (1 + 0.3 * hidden(piece)))
            marks.append(svg.tag("g", tip, around, mark, class_="point"))
    if marks:
        drawing.marks.append(svg.tag("g", *marks, **_of_line(place)))


def _pieces(measure: Measure, line: Series) -> dict[_Piece, tuple[SweepPoint, ...]]:
    """The points that are shown, and the pairs of neighbours among them, by what makes them lie where they do."""
    ends = [(point,) for point in line.points] + list(pairwise(line.points))
    shown = [some for some in ends if all(point["status"] == "released" for point in some)]
    return {tuple((point["k"], measure.value(point)) for point in some): some for some in shown}


def _add_crosses(drawing: svg.Drawing, lines: Sequence[Series], across: Axis) -> None:
    """Above the foot of the panel, one height for each line that lacks a release somewhere."""
    lacking = [place for place, line in enumerate(lines) if any(p["status"] != "released" for p in line.points)]
    for height, place in enumerate(lacking):
        y = HEIGHT - _BOTTOM - 7 - _CROSS_PITCH * (height % 12)
        marks = [
            svg.tag(
                "g",
                svg.tooltip(f"{lines[place].name}\nk = {point['k']:,}\n{cells(point)[3]}"),
                svg.tag(
                    "circle", cx=across.at(point["k"]), cy=y, r=_CROSS_PITCH / 2, fill="none", pointer_events="all"
                ),
                cross(across.at(point["k"]), y),
                class_="lacking",
            )
            for point in lines[place].points
            if point["status"] != "released"
        ]
        drawing.marks.append(svg.tag("g", *marks, **_of_line(place)))


def _of_line(place: int) -> dict[str, str | float]:
    number = place % len(COLOURS)
    return {"class_": f"line c{number}", "data_line": str(place), "color": COLOURS[number]}


def _stroke(place: int, width: float = 2) -> dict[str, str | float]:
    dash = _DASHES[place // len(COLOURS) % len(_DASHES)]
    ends = {"stroke_linecap": "butt" if dash != "none" else "round", "fill": "none"}
    return {"stroke": "currentColor", "stroke_width": width, "stroke_dasharray": dash, **ends}


def _mark(place: int, x: float, y: float, s: float = _SIZE) -> str:
    d = {
        "circle": f"M{x - s:.1f} {y:.1f}a{s:.1f} {s:.1f} 0 1 0 {2 * s:.1f} 0a{s:.1f} {s:.1f} 0 1 0 {-2 * s:.1f} 0z",
        "square": _path((x + s * 0.9 * a, y + s * 0.9 * b) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))),
        "diamond": _path((x + s * 1.3 * a, y + s * 1.3 * b) for a, b in ((0, -1), (1, 0), (0, 1), (-1, 0))),
        "up": _path((x + s * a, y + s * b) for a, b in ((0, -1.2), (1.15, 0.8), (-1.15, 0.8))),
        "down": _path((x + s * a, y + s * b) for a, b in ((0, 1.2), (1.15, -0.8), (-1.15, -0.8))),
        "plus": _path((x + s * 0.45 * a, y + s * 0.45 * b) for a, b in _PLUS),
    }[_SHAPES[place % len(_SHAPES)]]
    return svg.tag("path", d=d, class_="mark", fill="currentColor", stroke="#FFFFFF", stroke_width=1)


def _path(corners: Iterable[tuple[float, float]], end: str = "z") -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + end


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


def write_plot(path: Path, data: SweepReport) -> None:
    """Writes the drawing that the suffix asks for; a file that is there is replaced.

    Raises ConfigurationError as refuse_plot does, EngineError where it cannot be written.
    """
    write_drawing(path, data, draw_svg, draw_html)


def write_drawing(path: Path, data: Drawn, as_svg: Callable[[Drawn], str], as_html: Callable[[Drawn], str]) -> None:
    """Writes what one of the two makes of the data, as the suffix asks; for a .png the SVG as pixels.

    Raises ConfigurationError as refuse_plot does, EngineError where it cannot be written.
    """
    refuse_plot(path)
    suffix = path.suffix.lower()
    content = pixels(as_svg(data)) if suffix == ".png" else (as_html if suffix == ".html" else as_svg)(data).encode()
    write_output(path, content, "drawing")


def draw_svg(data: SweepReport) -> str:
    """What `sweep --json` prints as a self-contained SVG file, without the table."""
    figure = _figure(data)
    return draw_sheet(figure.title, figure.legend, figure.panels, _COLUMNS)


def draw_html(data: SweepReport) -> str:
    """The drawings with the table of their numbers as a page that needs nothing else."""
    notes = [
        f"{series['name']}: {series['rows']:,} rows, quasi-identifiers {', '.join(series['quasi_identifiers'])}"
        for series in data["series"]
    ]
    return page(f"k sweep of {title_of(data)}", [replace(_figure(data), title=_CAPTION)], notes)


def _figure(data: SweepReport) -> Figure:
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
    legend = [LegendEntry(sample(place, -13, 0), line.name, str(place)) for place, line in enumerate(lines)]
    if lacking:
        mark = svg.tag("g", cross(0, 0), color=svg.QUIET, class_="quiet-mark")
        legend.append(LegendEntry(mark, "no release, or time ran out: no point in any panel, a cross in the first"))
    alt = f"Loss, class size, classes, suppressed rows and search time for {len(data['k'])} values of k."
    rows = tuple(tuple(cells(point)) for point in data["points"])
    title = f"k sweep of {title_of(data)}"
    return Figure("sweep", title, alt, tuple(panels), tuple(legend), HEAD, rows)


def pixels(drawing: str) -> bytes:
    """A PNG of an SVG, by the renderer of the plot extra and in its font, since a machine may have none."""
    renderer: Any = import_module(_RENDERER)
    (fonts,) = import_module(_FONT).__path__
    return bytes(renderer.svg_to_bytes(svg_string=drawing, font_dirs=[fonts], sans_serif_family=_FAMILY, zoom=_ZOOM))
