"""What is drawn: the nodes of a lattice by height, and which of them follow each other directly."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from kanon_sql.report.page.model import NodeFacts

_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})


@dataclass(frozen=True)
class Diagram:
    """The nodes of a lattice, sorted, and the names of its quasi-identifiers."""

    names: tuple[str, ...]
    nodes: tuple[NodeFacts, ...]

    @cached_property
    def rows(self) -> dict[int, list[int]]:
        """The positions in `nodes` for each height, least height first."""
        rows: dict[int, list[int]] = {}
        for position, node in enumerate(self.nodes):
            rows.setdefault(node.height, []).append(position)
        return rows

    @cached_property
    def edges(self) -> list[tuple[int, int]]:
        """Positions of each node and its direct successors: one level more in one quasi-identifier."""
        positions = {node.levels: position for position, node in enumerate(self.nodes)}
        edges = (
            (position, positions.get((*node.levels[:i], level + 1, *node.levels[i + 1 :])))
            for position, node in enumerate(self.nodes)
            for i, level in enumerate(node.levels)
        )
        return [(lower, upper) for lower, upper in edges if upper is not None]

    @property
    def widest(self) -> int:
        """The most nodes of one height."""
        return max(map(len, self.rows.values()), default=0)


def build_diagram(nodes: Iterable[NodeFacts], names: Sequence[str]) -> Diagram:
    """The diagram of the nodes, sorted by height and levels."""
    return Diagram(tuple(names), tuple(sorted(nodes, key=lambda node: (node.height, node.levels))))


def clean(text: str) -> str:
    """The text on one line, without characters that no file can hold or that reorder the text."""
    return "".join(map(_printable, " ".join(text.split())))


def number(value: float | None, digits: int) -> str:
    """A count with separators, a measure with `digits` decimals, a dash for what is not known."""
    if value is None:
        return "\N{EN DASH}"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}"


def _printable(character: str) -> str:
    hostile = (
        unicodedata.category(character) in _UNPRINTABLE
        or character in _BIDIRECTIONAL
        or ord(character) & 0xFFFE == 0xFFFE
    )
    return "\N{REPLACEMENT CHARACTER}" if hostile else character
