"""The tables and statements of microaggregation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Fill, Item, Statement, state

_TABLES = (
    "scale",
    "cells",
    "blocks",
    "grouped",
    "members",
    "centres",
    "near",
    "placed",
    "wishes",
    "exchanges",
    "chosen",
    "violating",
    "joins",
)


def own_tables() -> dict[str, str]:
    """The names of the search's tables, as the query files call them."""
    own = {name: state(f"micro_{name}") for name in _TABLES}
    return {**own, "frequency": state("frequency"), "assigned": state("assigned")}


@dataclass(frozen=True)
class Queries:
    """Runs files of queries/search/microaggregation on the search's tables, `axes` columns of a point.

    Raises TimeUpError once the deadline has passed.
    """

    engine: Engine
    axes: int
    deadline: Deadline = field(default_factory=Deadline)

    def run(
        self,
        name: Statement,
        values: Mapping[str, Any] | None = None,
        names: Mapping[str, Fill] | None = None,
        lists: Mapping[str, Sequence[Item]] | None = None,
    ) -> list[Row]:
        """Runs one file, its holes filled, or a statement that was put together; its rows."""
        statement = f"search/microaggregation/{name}" if isinstance(name, str) else name
        if template.mentions(statement, "axis"):
            lists = {**(lists or {}), "axis": [{"number": place} for place in range(1, self.axes + 1)]}
        return self.run_text(template.render(statement, names, lists, own_tables()), values)

    def run_text(self, statement: str, values: Mapping[str, Any] | None = None) -> list[Row]:
        """Runs a statement that is filled already; its rows."""
        self.deadline.check()
        return self.engine.run(statement, values)

    def count(self, name: str, values: Mapping[str, Any] | None = None) -> int:
        """Runs one file that makes or adds rows; how many."""
        return int(self.run(name, values)[0][0])
