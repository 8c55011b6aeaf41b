"""Two values of each measure, before and after, as two marks on one line: their names above, their numbers beside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.axes import Axis
from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.figure import WIDTH, Key
from kanon_sql.report.charts.paired import AFTER, BEFORE, SIZE, Pair, add_axis, add_head

_PITCH, _TRACK = 40, 28
_RADIUS = 5.5
_INSET = 12


@dataclass(frozen=True)
class Track:
    """The line that the marks are on; a `bound` is marked on each of them, with its words above."""

    title: str
    unit: str
    low: float
    high: float
    log: bool = False
    bound: float | None = None
    bound_words: str = ""


def dot_legend(sides: Sequence[bool]) -> tuple[Key, ...]:
    """The marks of the sides that there are: True for before, False for after."""
    words = {True: "before: the source", False: "after: the release"}
    return tuple(Key(dot(0, 0, before=side), words[side]) for side in sides)


def dot(x: float, y: float, *, before: bool) -> str:
    """A ring for the source, a full point for the release."""
    look: dict[str, str | float] = {"class_": "before" if before else "after", "color": BEFORE if before else AFTER}
    if before:
        look |= {"fill": "none", "stroke": "currentColor", "stroke_width": 2.5}
        return svg.tag("circle", cx=x, cy=y, r=_RADIUS, **look)
    return svg.tag("circle", cx=x, cy=y, r=_RADIUS - 1, fill="currentColor", **look)


def draw_dumbbells(track: Track, pairs: Sequence[Pair]) -> svg.Drawing:
    """A line for each of the pairs; a value that is not known has no mark."""
    drawing = svg.Drawing(WIDTH, 0)
    add_head(drawing, track.title)
    if track.bound_words:
        drawing.height += 14
    across = _axis(track)
    top = drawing.height + 2
    floor = top + len(pairs) * _PITCH
    add_axis(drawing, across, top, floor, track.unit)
    if track.bound is not None and track.low <= track.bound <= track.high:
        x = across.at(track.bound)
        half = svg.text_width(track.bound_words, SIZE) / 2
        at = min(max(x, half), WIDTH - half)
        look: dict[str, str | float] = {"stroke": svg.QUIET, "stroke_width": 2, "class_": "rule"}
        path = "".join(f"M{x:.1f} {top + place * _PITCH + _TRACK - 8:.1f}v16" for place in range(len(pairs)))
        drawing.marks.append(svg.tag("path", d=path, **look))
        drawing.marks.append(svg.quiet(at, top - 4, track.bound_words, "middle"))
    for place, pair in enumerate(pairs):
        drawing.marks.append(_row(pair, across, top + place * _PITCH))
    drawing.height = floor + 34
    return drawing


def _row(pair: Pair, across: Axis, y: float) -> str:
    numbers = " \N{RIGHTWARDS ARROW} ".join(filter(None, pair.texts))
    label = svg.shortened(clean(pair.label), WIDTH - svg.text_width(numbers, SIZE) - 10, SIZE)
    line = y + _TRACK
    marks = [
        svg.tooltip(f"{clean(pair.label)}\n{numbers}"),
        svg.text(0, y + 15, label, SIZE),
        svg.text(WIDTH, y + 15, numbers, SIZE, text_anchor="end"),
    ]
    ends = [across.at(_held(across, value)) for value in (pair.before, pair.after) if value is not None]
    path = f"M{across.start:.1f} {line:.1f}H{across.end:.1f}"
    marks.append(svg.tag("path", d=path, class_="axis", stroke=svg.BORDER, stroke_width=1))
    if len(ends) == 2:
        between = f"M{ends[0]:.1f} {line:.1f}H{ends[1]:.1f}"
        marks.append(svg.tag("path", d=between, class_="between", stroke=svg.QUIET, stroke_width=3))
    for value, before in ((pair.before, True), (pair.after, False)):
        if value is not None:
            marks.append(dot(across.at(_held(across, value)), line, before=before))
    return svg.tag("g", *marks, class_="pair")


def _held(across: Axis, value: float) -> float:
    """The value, or the end of the axis that is nearest to it."""
    return min(max(value, across.low), across.high)


def _axis(track: Track) -> Axis:
    if track.log:
        first, last = math.floor(math.log10(track.low)), math.ceil(math.log10(track.high))
        step = max(-(-(last - first) // 6), 1)
        ticks = tuple(10.0**power for power in range(last, first - 1, -step))[::-1]
        return Axis(10.0**first, 10.0**last, _INSET, WIDTH - _INSET, True, ticks)
    ticks = tuple(track.low + (track.high - track.low) * part / 4 for part in range(5))
    return Axis(track.low, track.high, _INSET, WIDTH - _INSET, False, ticks)
