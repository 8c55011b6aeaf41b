"""The histogram of class sizes before and after: `risk --plot FILE.html`, `FILE.svg` or `FILE.png`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.axes import Axis, tick_text, value_axis
from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.page import page
from kanon_sql.report.charts.sweep import write_drawing
from kanon_sql.report.charts.sweep_panel import COLOURS, Json

HEAD = ("table", "rows in the class", "rows", "rows %", "classes")

_MARGIN = 24
_WIDTH = 968
_LABEL, _COLUMN = 92, 78
_BAR, _GAP = 11, 11
_LINE = 22
_COLOUR = {"before": 1, "after": 0}


@dataclass(frozen=True)
class _Side:
    """One table of the report; `word` tells it from the other, and is empty where there is none."""

    key: str
    word: str
    data: Json

    @property
    def colour(self) -> int:
        return _COLOUR[self.key]

    @property
    def legend(self) -> str:
        rows, risk = self.data["rows"]["measured"], self.data["prosecutor"]
        word = f"{self.word}: " if self.word else ""
        return (
            f"{word}{clean(self.data['table'])}, {rows:,} rows; prosecutor risk highest {risk['highest']:.3g}, "
            f"average {risk['average']:.3g}"
        )


def write_risk_plot(path: Path, data: Json) -> None:
    """Writes the drawing that the suffix asks for. Raises ConfigurationError or EngineError as write_drawing does."""
    write_drawing(path, data, draw_svg, draw_html)


def draw_html(data: Json) -> str:
    """The drawing with the table of its numbers as a page that needs nothing else."""
    rows = [
        [
            side.word or clean(side.data["table"]),
            size_text(one),
            f"{one['rows']:,}",
            f"{100 * one['share']:.2f}",
            f"{one['classes']:,}",
        ]
        for side in _sides(data)
        for one in side.data["sizes"]
    ]
    notes = [f"{side.legend}; quasi-identifiers {', '.join(side.data['quasi_identifiers'])}" for side in _sides(data)]
    return page(f"Class sizes of {clean(data['before']['table'])}", draw_svg(data), HEAD, rows, notes)


def draw_svg(data: Json) -> str:
    """What `risk --json` prints as a self-contained SVG file: for each size of class the share of the rows in it."""
    sides = _sides(data)
    sheet = svg.Drawing(_WIDTH, _MARGIN)
    _add_head(sheet, sides)
    panel = svg.Drawing(_WIDTH - 2 * _MARGIN, 0)
    _add_bars(panel, sides, data["threshold"])
    sheet.marks.append(panel.moved(_MARGIN, sheet.height, "panel"))
    sheet.height += panel.height + _MARGIN
    return svg.document(sheet, f"Class sizes of {clean(data['before']['table'])}")


def size_text(one: Json) -> str:
    """A range of class sizes."""
    low, high = one["from"], one["to"]
    return f"{low:,}" if low == high else f"{low:,}\N{EN DASH}{high:,}"


def _sides(data: Json) -> list[_Side]:
    keys = [key for key in _COLOUR if data[key] is not None]
    return [_Side(key, key if len(keys) > 1 else "", data[key]) for key in keys]


def _add_head(sheet: svg.Drawing, sides: Sequence[_Side]) -> None:
    """Title and legend at the top of the sheet."""
    names = clean(", ".join(sides[0].data["quasi_identifiers"]))
    title = f"How many rows share their values of {names}?"
    room = _WIDTH - 2 * _MARGIN
    sheet.add_title(title.split(), _MARGIN, room)
    for place, side in enumerate(sides):
        sheet.height += _LINE
        y = sheet.height
        swatch = svg.tag("rect", x=_MARGIN, y=y - 10, width=22, height=_BAR, fill="currentColor", **_of(side))
        text = svg.text(_MARGIN + 30, y, svg.shortened(side.legend, room - 30, svg.TEXT), svg.TEXT)
        sheet.marks.append(svg.tag("g", svg.tooltip(side.legend), swatch, text, class_="entry", data_line=str(place)))
    sheet.height += 18


def _add_bars(panel: svg.Drawing, sides: Sequence[_Side], threshold: float) -> None:
    numbers = 2 * len(sides)
    right = panel.width - numbers * _COLUMN - 8
    highest = max(100 * one["share"] for side in sides for one in side.data["sizes"])
    across = value_axis([highest], _LABEL, right, may_be_log=False, whole=False)
    pitch = len(sides) * _BAR + _GAP
    sizes = sides[0].data["sizes"]
    top, floor = 44.0, 44.0 + len(sizes) * pitch
    columns = [right + 8 + _COLUMN * (place + 1) for place in range(numbers)]
    _add_frame(panel, sides, across, columns, top, floor)
    for place, one in enumerate(sizes):
        y = top + place * pitch
        middle = y + (pitch + 8) / 2
        panel.marks.append(svg.text(_LABEL - 8, middle, _label(one), svg.SMALL, text_anchor="end"))
        for row, side in enumerate(sides):
            panel.marks.append(_bar(side, row, place, across, y + _GAP / 2 + row * _BAR))
        panel.marks += _counts(sides, place, columns, middle)
    above = sum(1 / one["to"] > threshold for one in sizes)
    if 0 < above < len(sizes) and 1 / sizes[above]["from"] <= threshold:
        y = top + above * pitch
        panel.marks += [
            svg.tag("path", d=f"M{_LABEL} {y:.1f}H{right:.1f}", stroke=svg.QUIET, stroke_dasharray="4 3"),
            svg.quiet(right - 4, y - 4, f"above this line prosecutor risk is above {threshold:g}", "end"),
        ]
    panel.height = floor + 24


def _add_frame(
    panel: svg.Drawing, sides: Sequence[_Side], across: Axis, columns: Sequence[float], top: float, floor: float
) -> None:
    panel.marks.append(svg.quiet(_LABEL - 8, top - 8, "rows in the class", "end"))
    panel.marks.append(svg.quiet(_LABEL, top - 26, "share of all rows that are in classes of this size, %", "start"))
    for tick in across.ticks:
        x = across.at(tick)
        panel.marks += [svg.grid(f"M{x:.1f} {top}V{floor:.1f}"), svg.quiet(x, floor + 16, tick_text(tick), "middle")]
    for place, x in enumerate(columns):
        what, side = divmod(place, len(sides))
        word = sides[side].word
        panel.marks.append(svg.quiet(x, top - 8, word, "end"))
        if side == len(sides) - 1:
            panel.marks.append(svg.quiet(x, top - 26, ("rows", "classes")[what], "end"))


def _bar(side: _Side, row: int, place: int, across: Axis, y: float) -> str:
    one = side.data["sizes"][place]
    width = across.at(100 * one["share"]) - across.start
    said = svg.tooltip(
        f"{side.word or 'the table'}\nclasses of {size_text(one)} rows\n"
        f"{one['rows']:,} rows, {100 * one['share']:.2f} %\n{one['classes']:,} classes"
    )
    drawn = max(width, 1.5) if one["rows"] else 0.0
    bar = svg.tag("rect", x=across.start, y=y, width=drawn, height=_BAR - 1, fill="currentColor", class_="bar")
    return svg.tag("g", said, bar, data_line=str(row), **_of(side, "line "))


def _counts(sides: Sequence[_Side], place: int, columns: Sequence[float], y: float) -> list[str]:
    counts = [side.data["sizes"][place][key] for key in ("rows", "classes") for side in sides]
    return [
        svg.text(x, y, f"{count:,}" if count else "\N{EN DASH}", svg.SMALL, text_anchor="end")
        for x, count in zip(columns, counts, strict=True)
    ]


def _label(one: Json) -> str:
    """A range of class sizes in the room that there is."""
    if one["to"] < 10_000:
        return size_text(one)
    return f"from {tick_text(one['from'])}"


def _of(side: _Side, more: str = "") -> dict[str, str | float]:
    return {"class_": f"{more}c{side.colour}", "color": COLOURS[side.colour]}
