"""What a summary is made of, and how it is printed where no terminal is: as plain lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

# How a part looks in colour: nothing is told by the look alone.
Look = Literal["", "good", "bad", "quiet", "head", "before", "after"]


@dataclass(frozen=True)
class Line:
    """One line; without a text it parts what stands above from what stands below."""

    text: str = ""
    look: Look = ""


@dataclass(frozen=True)
class FactList:
    """Names and what is known of each: `width` characters for the names, after `indent` blanks."""

    entries: Sequence[tuple[str, str, Look]]
    width: int
    indent: int = 2


@dataclass(frozen=True)
class Grid:
    """Columns of text, numbers to the right; `texts` are the columns of words, None where each cell tells by itself.

    `looks` are those of the rows, or of none. `bars` are shares (0 to 1) that a terminal draws behind the column of
    that number, with the look of the bars.
    """

    head: Sequence[str] | None
    rows: Sequence[Sequence[str]]
    texts: int | tuple[int, ...] | None = None
    looks: Sequence[Look] = ()
    bars: Mapping[int, tuple[Sequence[float | None], Look]] = field(default_factory=dict)

    def is_number(self, place: int, content: str) -> bool:
        """Whether a cell goes to the right."""
        if self.texts is None:
            return content[:1].isdigit()
        return place not in ((self.texts,) if isinstance(self.texts, int) else self.texts)


Part: TypeAlias = "Line | FactList | Grid"
Parts: TypeAlias = "Sequence[Part]"


def plain(parts: Parts) -> str:
    """All parts as text."""
    return "\n".join(map(_plain, parts))


def _plain(part: Part) -> str:
    if isinstance(part, Line):
        return part.text
    if isinstance(part, FactList):
        return "\n".join(f"{' ' * part.indent}{name.ljust(part.width)}{text}" for name, text, _ in part.entries)
    lines = [*([] if part.head is None else [part.head]), *part.rows]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]

    def cell(place: int, content: str) -> str:
        return content.rjust(widths[place]) if part.is_number(place, content) else content.ljust(widths[place])

    return "\n".join("  " + "  ".join(cell(*numbered) for numbered in enumerate(line)).rstrip() for line in lines)


def table(head: Sequence[str] | None, rows: Sequence[Sequence[str]], text: int | tuple[int, ...] | None = None) -> str:
    """Columns of text as `Grid` has them."""
    return _plain(Grid(head, rows, text))
