"""The distinct tuples of positions: what partitions are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.errors import NoReleaseError
from kanon_sql.frequency.dimensions.dimension import Dimension
from kanon_sql.frequency.table import Carried, count_records
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, state


@dataclass(frozen=True)
class Tuples:
    """The frequency table by positions: `n` rows in `count` distinct tuples, column p0, p1 ... for each dimension."""

    dimensions: tuple[Dimension, ...]
    n: int
    count: int

    @property
    def table(self) -> str:
        """The table with a row for each tuple and its row_count."""
        return state("frequency")


def count_tuples(
    engine: Engine, rows: exp.Select, dimensions: Sequence[Dimension], carried: Carried, *, staged: bool
) -> Tuples:
    """Counts the rows that take part by the positions of their values. Raises NoReleaseError without any row."""
    items: list[Item] = [
        {
            "mapping": dimension.domain,
            "key": dimension.column.key,
            "leaf": dimension.position,
            "code": "position",
        }
        for dimension in dimensions
    ]
    count_records(engine, rows, items, carried, staged=staged)
    count, n = engine.query("frequency/tuple_count", names={"tuples": state("frequency")})[0]
    if not n:
        raise NoReleaseError("the source has no row; there is nothing to release")
    return Tuples(tuple(dimensions), int(n), int(count))


def position_items(dimensions: Sequence[Dimension]) -> list[Item]:
    """The list hole `this`: number, position column and bit of each dimension."""
    return [{"number": d.index, "position": d.position, "bit": 1 << d.index} for d in dimensions]
