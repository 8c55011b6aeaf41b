"""The problems of one hierarchy file, collected so that all of them are told at once."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 5


class Problems:
    """Problems of the file `name` as lines `FILE:LINE: what`; `show_values` adds the values that they are about."""

    def __init__(self, name: str, *, show_values: bool) -> None:
        self.name = name
        self.show_values = show_values
        self.found: list[str] = []

    def add(self, line: int | None, what: str, values: Sequence[str] = ()) -> None:
        """Adds a problem at a line, or of the whole file."""
        place = self.name if line is None else f"{self.name}:{line}"
        shown = ""
        if self.show_values and values:
            more = ", ..." if len(values) > _SHOWN else ""
            shown = f"; values: {', '.join(map(repr, values[:_SHOWN]))}{more}"
        self.found.append(f"{place}: {what}{shown}")

    def add_lines(self, lines: Sequence[int], what: str, values: Sequence[str] = ()) -> None:
        """Adds one problem that several lines have; the first of them are named."""
        told = f" (lines {_listed([str(line) for line in lines], ', ')})" if len(lines) > 1 else ""
        self.add(lines[0], what + told, values)

    def add_pairs(self, pairs: Sequence[tuple[int, int, str]], what: str) -> None:
        """Adds one problem of pairs of lines that contradict each other over a value: (earlier, later, value)."""
        told = [f"{earlier} and {later}" for earlier, later, _ in pairs]
        values = list(dict.fromkeys(value for _, _, value in pairs))
        self.add(pairs[0][1], f"{what} (lines {_listed(told, '; ')})", values)


def _listed(items: Sequence[str], separator: str) -> str:
    more = f"{separator}..." if len(items) > _SHOWN else ""
    return separator.join(items[:_SHOWN]) + more
