"""What is drawn: the nodes of a lattice by height, and which of them follow each other directly."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})


@dataclass(frozen=True)
class PlotNode:
    """One node of the lattice; None stands for a measure that was not computed."""

    levels: tuple[int, ...]
    height: int
    suppressed: int | None
    classes: int | None
    lm: float | None
    satisfies: bool
    minimal: bool
    winner: bool

    @property
    def label(self) -> str:
        """The levels, as in `0,1,2`."""
        return ",".join(map(str, self.levels))

    @property
    def small(self) -> list[str]:
        """The measures, short, one line each."""
        return [f"{number(self.suppressed, 0)} sup.", f"lm {number(self.lm, 3)}"]


@dataclass(frozen=True)
class Diagram:
    """The nodes of a lattice sorted, and the names of its quasi-identifiers; no text holds control characters."""

    title: str
    names: tuple[str, ...]
    nodes: tuple[PlotNode, ...]

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

    @property
    def winner(self) -> PlotNode | None:
        """The node that was chosen, when it is known and among the nodes."""
        return next((node for node in self.nodes if node.winner), None)

    @property
    def satisfying(self) -> int:
        """How many nodes satisfy the models."""
        return sum(node.satisfies for node in self.nodes)

    @property
    def minimal(self) -> int:
        """How many nodes are minimal."""
        return sum(node.minimal for node in self.nodes)

    def level_ranges(self) -> list[str]:
        """Each quasi-identifier with the levels that occur, as in `age 0-4`."""
        columns = zip(*(node.levels for node in self.nodes), strict=True)
        ranges = [(min(column), max(column)) for column in columns]
        return [
            f"{name} {low}\N{EN DASH}{high}" if low < high else f"{name} {low}"
            for name, (low, high) in zip(self.names, ranges, strict=True)
        ]

    def details(self, node: PlotNode) -> str:
        """All that is known of a node, one line each."""
        levels = [f"{name}: {level}" for name, level in zip(self.names, node.levels, strict=True)]
        standing = ["satisfies" if node.satisfies else "fails"]
        standing += ["minimal"] if node.minimal else []
        standing += ["the winner"] if node.winner else []
        measures = [
            f"suppressed rows: {number(node.suppressed, 0)}",
            f"classes: {number(node.classes, 0)}",
            f"lm: {number(node.lm, 6)}",
        ]
        return "\n".join([*levels, f"height: {node.height}", *measures, ", ".join(standing)])


def build_diagram(
    nodes: Sequence[Mapping[str, Any]], title: str = "", winner: Mapping[str, int] | None = None
) -> Diagram:
    """The diagram of the nodes that `lattice --json` lists, sorted by height and levels."""
    keys = list(nodes[0]["levels"]) if nodes else []
    chosen = None if winner is None else tuple(winner.get(key) for key in keys)
    listed = [_node(node, keys, chosen) for node in nodes]
    listed.sort(key=lambda node: (node.height, node.levels))
    return Diagram(clean(title), tuple(map(clean, keys)), tuple(listed))


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


def _node(node: Mapping[str, Any], keys: Sequence[str], chosen: tuple[int | None, ...] | None) -> PlotNode:
    levels = tuple(int(node["levels"][key]) for key in keys)
    lm = node.get("lm")
    return PlotNode(
        levels=levels,
        height=int(node["height"]),
        suppressed=node.get("suppressed"),
        classes=node.get("classes"),
        lm=None if lm is None else float(lm),
        satisfies=bool(node.get("satisfies")),
        minimal=bool(node.get("minimal")),
        winner=levels == chosen,
    )
