"""Summaries in a terminal: in colour, in columns that fit its width, with bars. What they say is what `plain` says."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from kanon_sql.report.views.parts import FactList, Grid, Line, Look, Parts, plain

_STYLES: dict[Look, str] = {
    "": "",
    "good": "bold green",
    "bad": "bold red",
    "quiet": "dim",
    "head": "bold",
    "before": "yellow",
    "after": "cyan",
}
_FULL, _PARTS = (
    "\N{FULL BLOCK}",
    "\N{LEFT ONE EIGHTH BLOCK}\N{LEFT ONE QUARTER BLOCK}\N{LEFT THREE EIGHTHS BLOCK}"
    + ("\N{LEFT HALF BLOCK}\N{LEFT FIVE EIGHTHS BLOCK}\N{LEFT THREE QUARTERS BLOCK}\N{LEFT SEVEN EIGHTHS BLOCK}"),
)
_RULE = "\N{BOX DRAWINGS LIGHT HORIZONTAL}"
_LONGEST_BAR, _SHORTEST_BAR = 16, 5
_MARGIN, _GAP = 2, 2
# What a column of words gets at least, and how many characters of a heading stay together, from roomy to narrow.
_WORDS = 12
_HEADS = (99, 12, 9, 6)


def print_parts(parts: Parts, console: Console | None = None) -> None:
    """Prints a summary to a terminal: standard output, unless a console is given."""
    console = console or Console(highlight=False, emoji=False, markup=False)
    for part in parts:
        if isinstance(part, Line):
            console.print(Text(part.text, _STYLES[part.look]))
        elif isinstance(part, FactList):
            _print_facts(part, console)
        else:
            _print_grid(part, console)


def _print_facts(facts: FactList, console: Console) -> None:
    """Names in a column; what is known of them stays beside them where it takes several lines."""
    widths = [facts.indent + facts.width, max(console.width - facts.indent - facts.width, 1)]
    for name, text, look in facts.entries:
        cells = [Text(" " * facts.indent + name, _STYLES["quiet"]), Text(text, _STYLES[look])]
        _print_row(cells, widths, ["left", "left"], console, gap=0)


def _print_grid(grid: Grid, console: Console) -> None:
    widths = _widths(grid, console.width)
    if widths is None:  # wider than the terminal, which breaks its lines
        console.print(Text(plain([grid])), soft_wrap=True)
        return
    room = console.width - _total(widths, _MARGIN)
    margin = _MARGIN if room >= 0 else 0
    bars = min(_LONGEST_BAR, room // len(grid.bars) - _GAP) if grid.bars else 0
    if not console.encoding.lower().startswith("utf"):
        bars = 0
    numbers = [_is_number(grid, place) for place in range(len(widths))]
    sides = ["right" if number else "left" for number in numbers]
    places = [(place, False) for place in range(len(widths))]
    if bars >= _SHORTEST_BAR:
        places = [column for place, _ in places for column in [(place, False), *[(place, True)] * (place in grid.bars)]]
    shown = [bars if drawn else widths[place] for place, drawn in places]
    aligned = ["left" if drawn else sides[place] for place, drawn in places]
    if grid.head is not None:
        names = [_breakable(name, width) for name, width in zip(grid.head, widths, strict=True)]
        head = [Text("" if drawn else names[place], _STYLES["head"]) for place, drawn in places]
        _print_row(head, shown, aligned, console, margin)
        rule = _RULE if console.encoding.lower().startswith("utf") else "-"
        console.print(Text(" " * margin + rule * _total(shown, 0), _STYLES["quiet"]))
    for number, row in enumerate(grid.rows):
        look = grid.looks[number] if grid.looks else ""
        cells = [
            Text(bar(grid.bars[place][0][number], bars), _STYLES[grid.bars[place][1]])
            if drawn
            else Text(row[place], _STYLES[look])
            for place, drawn in places
        ]
        _print_row(cells, shown, aligned, console, margin)


def _total(widths: Sequence[int], margin: int) -> int:
    return margin + sum(widths) + _GAP * (len(widths) - 1)


def _print_row(
    cells: Sequence[Text],
    widths: Sequence[int],
    sides: Sequence[str],
    console: Console,
    margin: int = 0,
    gap: int = _GAP,
) -> None:
    """Cells side by side, each in as many lines as it takes."""
    broken = [list(cell.wrap(console, width)) or [Text()] for cell, width in zip(cells, widths, strict=True)]
    for number in range(max(map(len, broken))):
        line = Text(" " * margin)
        for place, (lines, width, side) in enumerate(zip(broken, widths, sides, strict=True)):
            part = lines[number] if number < len(lines) else Text()
            part.rstrip()
            free = " " * (width - part.cell_len)
            line.append_text(Text(" " * gap if place else ""))
            line.append_text(Text.assemble(free, part) if side == "right" else Text.assemble(part, free))
        line.rstrip()
        console.print(line, soft_wrap=True)


def _is_number(grid: Grid, place: int) -> bool:
    """Whether a column goes to the right: its cells do, those that are empty or unknown aside."""
    cells = [row[place] for row in grid.rows if any(letter.isalnum() for letter in row[place])]
    return bool(cells) and all(grid.is_number(place, content) for content in cells)


def _widths(grid: Grid, room: int) -> list[int] | None:
    """What each column gets of the terminal, None where they do not fit: numbers are never broken, words may be."""
    columns = list(zip(*grid.rows, strict=True)) or [()] * len(grid.head or ())
    heads = list(grid.head or [""] * len(columns))
    longest = [max(map(cell_len, cells), default=0) for cells in columns]
    numbers = [_is_number(grid, place) for place in range(len(columns))]
    for most in _HEADS:
        least = [
            max(long if number else min(long, _WORDS), min(_longest_word(_breakable(head, 0)), most), 1)
            for long, number, head in zip(longest, numbers, heads, strict=True)
        ]
        margin = _MARGIN if _total(least, _MARGIN) <= room else 0
        spare = room - _total(least, margin)
        if spare >= 0:
            # Words first: a heading in two lines is read more easily than a cell.
            for wanted in (longest, [cell_len(head) for head in heads]):
                for place, want in enumerate(wanted):
                    more = max(min(spare, want - least[place]), 0)
                    least[place] += more
                    spare -= more
            return least
    return None


def _breakable(name: str, width: int) -> str:
    """A heading that may be broken where its words end, be they parted by blanks or not."""
    return name if cell_len(name) <= width else name.replace("_", "_ ").strip()


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def bar(share: float | None, width: int) -> str:
    """A bar of eighths of a character; what is not 0 is seen."""
    if not share:
        return ""
    eighths = max(round(min(share, 1.0) * width * 8), 1)
    whole, rest = divmod(eighths, 8)
    return _FULL * whole + (_PARTS[rest - 1] if rest else "")
