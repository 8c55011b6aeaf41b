"""Horizontal bars before and after, one pair a row, on one scale.

Two values of each measure, before and after, as two marks on one line: their names above, their numbers beside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kanon_sql.report.charts import svg
from kanon_sql.report.charts.diagram import clean
from kanon_sql.report.charts.figure import WIDTH, LegendEntry
from kanon_sql.report.charts.svg import Axis, tick_text, value_axis

# Okabe and Ito's vermilion and blue; an outlined bar and a full one.
BEFORE, AFTER = "#D55E00", "#0072B2"
SIZE, SMALL, HEAD = 11.5, 10.5, 13
_BAR, _GAP = 11, 8
_EDGE = 14
_LABELS = (44.0, 126.0)


@dataclass(frozen=True)
class Pair:
    """A row: its label, a value before and after (None: not known or not told), and how they read.

    `said` is what a pointer that rests on it shows.
    """

    label: str
    before: float | None
    after: float | None
    texts: tuple[str, str]
    said: str = ""


@dataclass(frozen=True)
class Frame:
    """What stands around the bars: a title (may be empty), the unit of the axis; a line across, and its words.

    The line lies below so many rows, which may be a fraction.
    """

    title: str
    unit: str
    whole: bool = False
    line: float | None = None
    line_words: str = ""


def legend(before: str = "before: the source", after: str = "after: the release") -> tuple[LegendEntry, ...]:
    """The two marks of a figure of pairs; an empty word leaves out its mark."""
    marks = ((before, True), (after, False))
    return tuple(LegendEntry(bar(-11, -5, 22, 10, before=first), words) for words, first in marks if words)


def bar(x: float, y: float, width: float, height: float, *, before: bool) -> str:
    """One bar: outlined for the source, full for the release."""
    look: dict[str, str | float] = {"class_": "before" if before else "after", "color": BEFORE if before else AFTER}
    if before:
        inner = {"x": x + 0.6, "y": y + 0.6, "width": max(width - 1.2, 0.6), "height": height - 1.2}
        return svg.tag("rect", **inner, fill="currentColor", fill_opacity="0.2", stroke="currentColor", **look)
    return svg.tag("rect", x=x, y=y, width=width, height=height, fill="currentColor", **look)


def draw_pairs_of_bars(frame: Frame, pairs: Sequence[Pair], sides: Sequence[bool] = (True, False)) -> svg.Drawing:
    """The bars of `pairs`; `sides` are those there are: True for before, False for after."""
    drawing = svg.Drawing(WIDTH, 0)
    add_head(drawing, frame.title)
    labels = [clean(pair.label) for pair in pairs]
    room = min(max([svg.text_width(label, SIZE) for label in labels] + [_LABELS[0]]), _LABELS[1]) + 6
    values = [value for pair in pairs for value in (pair.before, pair.after) if value is not None]
    across = _fitting(value_axis(values, room, WIDTH - _EDGE, may_be_log=False, whole=frame.whole), pairs)
    pitch, top = len(sides) * _BAR + _GAP, drawing.height + 4
    floor = top + len(pairs) * pitch
    add_axis(drawing, across, top, floor, frame.unit)
    for place, (pair, label) in enumerate(zip(pairs, labels, strict=True)):
        y = top + place * pitch + _GAP / 2
        drawing.marks.append(_row(pair, label, across, y, room, sides))
    if frame.line is not None and 0 < frame.line < len(pairs):
        y = top + frame.line * pitch
        line = svg.tag("path", d=f"M0 {y:.1f}H{WIDTH}", class_="rule", stroke=svg.QUIET, stroke_dasharray="4 3")
        drawing.marks += [line, svg.text(WIDTH, y - 3, frame.line_words, SMALL, text_anchor="end", **svg.QUIET_LOOK)]
    drawing.height = floor + 34
    return drawing


def _fitting(across: Axis, pairs: Sequence[Pair]) -> Axis:
    """The axis, as much shorter as the numbers beside the bars need."""
    end = across.end
    for pair in pairs:
        for value, words in zip((pair.before, pair.after), pair.texts, strict=True):
            share = (value or 0) / across.high
            if share:
                end = min(end, across.start + (WIDTH - 6 - svg.text_width(words, SMALL) - across.start) / share)
    return replace(across, end=max(end, across.start + 60))


def add_head(drawing: svg.Drawing, title: str) -> None:
    """The title at the top, in as many lines as it needs; none for an empty one."""
    for line in svg.wrapped(title.split(), drawing.width, HEAD):
        drawing.height += HEAD + 5
        drawing.marks.append(svg.text(0, drawing.height - 4, line, HEAD, font_weight="bold"))


def add_axis(drawing: svg.Drawing, across: Axis, top: float, floor: float, unit: str) -> None:
    """Lines at round values through the rows, their numbers and the unit below."""
    for tick in across.ticks:
        x, words = across.at(tick), tick_text(tick)
        drawing.marks.append(svg.grid(f"M{x:.1f} {top:.1f}V{floor:.1f}"))
        drawing.marks.append(_centred(x, floor + 13, words))
    drawing.marks.append(_centred((across.start + across.end) / 2, floor + 28, unit))


def _centred(x: float, y: float, words: str) -> str:
    """Small words around x, but on the sheet."""
    half = min(svg.text_width(words, SMALL) / 2, WIDTH / 2)
    return svg.text(min(max(x, half), WIDTH - half), y, words, SMALL, text_anchor="middle", **svg.QUIET_LOOK)


def _row(pair: Pair, label: str, across: Axis, y: float, room: float, sides: Sequence[bool]) -> str:
    middle = y + len(sides) * _BAR / 2
    marks = [svg.tooltip(pair.said)] if pair.said else []
    words = svg.shortened(label, room - 6, SIZE)
    marks.append(svg.text(room - 6, middle + 4, words, SIZE, text_anchor="end"))
    for place, before in enumerate(sides):
        value = pair.before if before else pair.after
        top = y + place * _BAR
        end = across.start
        if value:
            width = max(across.at(value) - across.start, 1.5)
            marks.append(bar(across.start, top + 0.5, width, _BAR - 1, before=before))
            end += width
        marks.append(svg.text(end + 4, top + _BAR - 2, pair.texts[0 if before else 1], SMALL, class_="number"))
    return svg.tag("g", *marks, class_="pair")


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


def dot_legend(sides: Sequence[bool]) -> tuple[LegendEntry, ...]:
    """The marks of the sides that there are: True for before, False for after."""
    words = {True: "before: the source", False: "after: the release"}
    return tuple(LegendEntry(dot(0, 0, before=side), words[side]) for side in sides)


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
        drawing.marks.append(_dumbbell(pair, across, top + place * _PITCH))
    drawing.height = floor + 34
    return drawing


def _dumbbell(pair: Pair, across: Axis, y: float) -> str:
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
