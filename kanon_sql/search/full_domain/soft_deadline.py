"""A search that starts no statement after its deadline, and interrupts none that runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kanon_sql.frequency.table import Frequency
from kanon_sql.search.full_domain.checker import Counter
from kanon_sql.sql.connection import Row
from kanon_sql.sql.deadline import SoftlyEnded, Work
from kanon_sql.sql.template import Item, Statement

_STATEMENT, _CELL = 0.002, 3e-8  # the work of any statement, and that of each code of a distinct tuple


def price_of(frequency: Frequency) -> float:
    """The estimated work of a statement that counts the classes of a node."""
    return _STATEMENT + _CELL * frequency.tuples * len(frequency.mappings)


class UninterruptedNodes(SoftlyEnded):
    """Counts the classes of nodes without interrupts.

    It is for work beside a run, and for engines behind a connection. If the deadline is one of work, a statement spends
    `price` of it.
    """

    def __init__(self, nodes: Counter, price: float = 0.0) -> None:
        super().__init__()
        self._nodes = nodes
        self._price = price
        self.searched_in = nodes.searched_in
        self.packs = nodes.packs

    def query(self, name: Statement, *, values: Mapping[str, Any] | None = None, **holes: Any) -> list[Row]:
        """Runs a statement over the tables of the search; its rows. Raises TimeUpError."""
        self._deadline.check()
        if isinstance(self._deadline, Work):
            self._deadline.spend(self._price)
        return self._nodes.query(name, values=values, **holes)

    def list_suppressed(self, statement: Statement, values: Mapping[str, int], keys: Sequence[Item]) -> None:
        """Makes DuckDB's table suppressed_classes from the statement of a node's violating classes."""
        self._nodes.list_suppressed(statement, values, keys)
