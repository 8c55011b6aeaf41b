"""The pieces that the SVG drawings are made of, and their look."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

from kanon_sql.report.charts.diagram import PlotNode, clean

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


def node_look(node: PlotNode, satisfying: str = SATISFYING) -> dict[str, str | float]:
    """Fill and border of a node's shape."""
    fill = satisfying if node.satisfies else FAILING
    return {
        "fill": WINNER if node.winner else fill,
        "stroke": MINIMAL if node.minimal or node.winner else BORDER,
        "stroke_width": 3 if node.minimal else 1,
    }


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
