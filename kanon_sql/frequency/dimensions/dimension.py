"""What a dimension is to the rest of the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kanon_sql.source.model import Column
from kanon_sql.sql.template import state

Kind = Literal["number", "date", "text", "tree"]


@dataclass(frozen=True)
class Tree:
    """The hierarchy of a dimension: the node of a position at level j is the position shifted right by `shifts[j]`.

    At the top, the last level, every position is node 0. A release goes no lower than `min_level`. Missing values, the
    first child at every level, are at the position `missing`.
    """

    shifts: tuple[int, ...]
    min_level: int
    missing: int

    @property
    def top(self) -> int:
        """The number of the top level."""
        return len(self.shifts) - 1


@dataclass(frozen=True)
class Dimension:
    """A quasi-identifier whose values are in the engine, in order.

    Its table domain(value, position) has one row for each raw value. Positions of an ordered dimension count its
    distinct values from 1, 0 is missing; those of a hierarchy are packed ways from its top. The table
    places(position, label, bound, measure) says what an ordered position is released as and where it lies between
    0 and 1; nodes(level, node, label, cost) says so of a hierarchy. `values` are the distinct values, missing ones not
    counted. `released_missing` is the text under which missing values are released, None for NULL. Where the dimension
    keeps values `apart`, a class has one value of it, which is released as it is.
    """

    index: int
    column: Column
    kind: Kind
    values: int
    has_missing: bool
    weight: float
    released_missing: str | None
    tree: Tree | None = None
    apart: bool = False

    @property
    def domain(self) -> str:
        """The table of raw values and their positions."""
        return state(f"domain_{self.index}")

    @property
    def places(self) -> str:
        """The table of an ordered dimension's positions."""
        return state(f"places_{self.index}")

    @property
    def nodes(self) -> str:
        """The table of a hierarchy's nodes."""
        return state(f"nodes_{self.index}")

    @property
    def position(self) -> str:
        """The column that holds this dimension's positions in tables of tuples."""
        return f"p{self.index}"

    @property
    def has_ranges(self) -> bool:
        """Whether it is released as ranges from a lower to an upper value."""
        return self.kind in ("number", "date")
