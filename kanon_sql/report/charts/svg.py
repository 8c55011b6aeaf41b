"""The pieces that the SVG drawings are made of, and their look.

Linear and logarithmic axes: where a value lies, and which values are marked.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from kanon_sql.report.charts.diagram import clean

INK = "#1A1A1A"
QUIET = "#555555"
GRID = "#F4F4F4"
EDGE = "#B4B4B4"
EDGE_SATISFYING = "#6C9CC0"
BORDER = "#8C8C8C"
FAILING = "#FFFFFF"
SATISFYING = "#ABD5F2"
SATISFYING_SMALL = "#6DB3E3"
MINIMAL = "#00507D"
WINNER = "#FFC94D"
STAR = "#B84300"

QUIET_LOOK: dict[str, str | float] = {"class_": "quiet", "fill": QUIET}
# Signs that some fonts draw nearly as wide as high.
_SIGNS = "=<>+~#&^\N{RIGHTWARDS ARROW}\N{MULTIPLICATION SIGN}\N{HORIZONTAL ELLIPSIS}"
TITLE, TEXT, SMALL = 18, 12.5, 11
FONT = "Helvetica, Arial, 'Liberation Sans', sans-serif"


@dataclass
class Drawing:
    """Marks on a sheet of a size, the upper left corner at 0, 0."""

    width: float
    height: float
    marks: list[str] = field(default_factory=list)

    def add_title(self, words: Iterable[str], x: float, room: float, rise: float = 6) -> None:
        """Adds a title in lines of at most `room`, each so far above the new end of the sheet."""
        for line in wrapped(words, room, TITLE):
            self.height += TITLE + 6
            self.marks.append(text(x, self.height - rise, line, TITLE, font_weight="bold"))

    def moved(self, x: int, y: float, name: str) -> str:
        """The marks as a part of another sheet, where their corner is at x, y."""
        return tag("g", "\n".join(self.marks), class_=name, transform=f"translate({x} {y:.1f})")


def tag(name: str, *children: str, **attributes: str | float) -> str:
    """An element; `_` in the name of an attribute stands for `-`, and one at its end is dropped."""
    opened = name + "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items()
    )
    return f"<{opened}>{''.join(children)}</{name}>" if children else f"<{opened}/>"


def text(x: float, y: float, content: str, size: float = 12, **attributes: str | float) -> str:
    """A line of text on its baseline."""
    return tag("text", escape(clean(content), quote=False), x=x, y=y, font_size=size, **attributes)


def quiet(x: float, y: float, content: str, anchor: str) -> str:
    """A small line of text that names what is beside it."""
    return text(x, y, content, SMALL, text_anchor=anchor, **QUIET_LOOK)


def grid(path: str) -> str:
    """A line that marks a value through a panel."""
    return tag("path", d=path, class_="grid", stroke="#E0E0E0", stroke_width=1)


def tooltip(content: str) -> str:
    """What a viewer shows of the element around it, line by line."""
    return tag("title", escape("\n".join(map(clean, content.split("\n"))), quote=False))


def star(x: float, y: float, radius: float) -> str:
    """The mark of the winner."""
    points = (
        (x + reach * math.sin(turn * math.pi / 5), y - reach * math.cos(turn * math.pi / 5))
        for turn, reach in enumerate([radius, radius * 0.42] * 5)
    )
    return tag(
        "polygon",
        class_="star",
        points=" ".join(f"{_value(px)},{_value(py)}" for px, py in points),
        fill=STAR,
        stroke="#FFFFFF",
        pointer_events="none",
        stroke_width=1,
    )


def text_width(content: str, size: float) -> float:
    """About the width of a text, rather more than less."""
    return size * sum(map(_em, content))


def wrapped(pieces: Iterable[str], width: float, size: float) -> list[str]:
    """The pieces joined by blanks into lines that fit; a piece that is too long is shortened."""
    lines: list[str] = []
    for piece in pieces:
        short = shortened(piece, width, size)
        joined = f"{lines[-1]} {short}" if lines else short
        if lines and text_width(joined, size) <= width:
            lines[-1] = joined
        else:
            lines.append(short)
    return lines


def shortened(content: str, width: float, size: float) -> str:
    """The text, cut with an ellipsis where it does not fit."""
    room = width
    for position, character in enumerate(content):
        room -= size * _em(character)
        if room < -1e-6:
            return content[: max(position - 1, 0)] + "\N{HORIZONTAL ELLIPSIS}"
    return content


def document(drawing: Drawing, title: str) -> str:
    """The whole file."""
    width, height = math.ceil(drawing.width), math.ceil(drawing.height)
    sheet = tag("rect", width=width, height=height, fill="#FFFFFF")
    root = tag(
        "svg",
        "\n",
        "\n".join([tooltip(title), sheet, *drawing.marks]),
        "\n",
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        viewBox=f"0 0 {width} {height}",
        font_family=FONT,
        fill=INK,
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}\n'


def _value(value: str | float) -> str:
    if isinstance(value, str):
        return escape(value, quote=False).replace('"', "&quot;")
    return f"{value:.1f}".removesuffix(".0")


def _em(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in "mwMW@%":
        return 0.95
    if character in _SIGNS:
        return 0.85
    if character in ",.:;'|!ijl ":
        return 0.32
    return 0.74 if character.isupper() else 0.62


_STEPS = (1, 2, 2.5, 5, 10)
_WIDE = 20.0


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` on a stretch from `start` to `end`; `ticks` are the marked ones."""

    low: float
    high: float
    start: float
    end: float
    log: bool
    ticks: tuple[float, ...] = ()

    def at(self, value: float) -> float:
        """Where a value lies; in the middle when the axis has one value only."""
        along: Callable[[float], float] = math.log if self.log else float
        span = along(self.high) - along(self.low)
        share = (along(value) - along(self.low)) / span if span else 0.5
        return self.start + share * (self.end - self.start)


def value_axis(values: Sequence[float], start: float, end: float, *, may_be_log: bool, whole: bool) -> Axis:
    """An axis that holds the values: from 0, or where they are far apart and positive by powers of ten."""
    high = max(values, default=0.0)
    low = min(values, default=0.0)
    if may_be_log and low > 0 and high / low >= _WIDE:
        ticks = _powers(low, high)
        return Axis(ticks[0], ticks[-1], start, end, True, ticks)
    ticks = _rounded(high, whole)
    return Axis(0.0, ticks[-1], start, end, False, ticks)


def tick_text(value: float) -> str:
    """A marked value, short."""
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:,.0f}" if value == round(value) else f"{value:g}"


def _rounded(high: float, whole: bool) -> tuple[float, ...]:
    """Multiples of a round step from 0 up to the first that is not below `high`."""
    if high <= 0:
        return (0.0, 1.0)
    size = 10 ** math.floor(math.log10(high / 4))
    step = next(size * factor for factor in _STEPS if high / (size * factor) <= 5)
    if whole:
        step = max(math.ceil(step), 1)
    count = math.ceil(round(high / step, 9))
    return tuple(round(step * i, 12) for i in range(count + 1))


def _powers(low: float, high: float) -> tuple[float, ...]:
    """Powers of ten around the values, the outermost replaced by twice or five times them where that is enough."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    least = max(factor * 10**first for factor in (1, 2, 5) if factor * 10**first <= low)
    most = min(factor * 10 ** (last - 1) for factor in (2, 5, 10) if factor * 10 ** (last - 1) >= high)
    between = [10.0**power for power in range(first, last + 1) if least < 10.0**power < most]
    return tuple(float(f"{value:.12g}") for value in (least, *between, most))


def decimal_top(high: float) -> float:
    """The least of 1, 2, 4, 10 and so on, at most 100, that a share in percent is not above: four even parts."""
    return next((float(top) for top in (1, 2, 4, 10, 20, 40) if high <= top), 100.0)
