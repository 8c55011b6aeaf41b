"""What a hierarchy is to the rest of the program."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hierarchy:
    """A hierarchy with all its values: `levels[0]` are the values themselves, the last level has one label.

    `levels[j][i]` is the label of value number i at level j; every level is a function of the level below. `warnings`
    are what its file says twice.
    """

    name: str
    leaves: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    warnings: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.levels) - 1
