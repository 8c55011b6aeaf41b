"""What a hierarchy is to the rest of the program."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.source.model import Column


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


@dataclass(frozen=True)
class Input:
    """A column of which the hierarchy is not in the engine yet, or that has none; `index` names its tables.

    `distinct` selects the distinct raw values as `value`, `counted` those of the source with their rows as `row_count`,
    where its rows are read. `missing` are the texts of a text column that are read as
    NULL, `released_missing` the text under which missing values are released below the top, None for NULL. `place` is
    where the configuration names the column.
    """

    index: int
    column: Column
    spec: QuasiIdentifier
    distinct: exp.Select
    hierarchy: Hierarchy | None = None
    missing: tuple[str, ...] = ()
    released_missing: str | None = None
    place: str = ""
    counted: exp.Select | None = None

    @property
    def where(self) -> str:
        """What problems begin with."""
        return self.place or f"quasi-identifier {self.column.name!r}"

    @property
    def type(self) -> exp.DataType:
        """The type of the column."""
        return exp.DataType.build(self.column.type, dialect="duckdb")

    @property
    def absent(self) -> list[str | None]:
        """The values that are read as missing."""
        return [None, *dict.fromkeys(self.missing if self.column.is_text else ())]
