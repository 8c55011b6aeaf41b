"""The tuples that a sweep leaves over: too few rows for a class of their own."""

from __future__ import annotations

from kanon_sql.search.local.costs import Costs
from kanon_sql.search.local.queries import TABLES, Queries


class Leftovers:
    """Places the tuples of the table rest, of fewer than k rows together, in the classes of the table members."""

    def __init__(self, queries: Queries, costs: Costs, k: int) -> None:
        self.queries = queries
        self.costs = costs
        self.k = k

    def place(self) -> None:
        """Two ways are tried, and the one is taken that loses less in all.

        Either each tuple joins a class, or all become one class with rows that other classes can spare.
        """
        joined, borrowed = self._join(), self._borrow()
        better = "borrowed" if borrowed is not None and borrowed < joined else "joined"
        self.queries.run("better", names={"better": TABLES[better]})

    def _join(self) -> float:
        """Each tuple joins the class that it makes dearer by least, in rounds, since that widens classes."""
        self.queries.run("joined")
        waiting = self.queries.count("waiting")
        while waiting:
            self.costs.total("joined")
            self.costs.run("join_offers", "join_spans")
            self.queries.run("join")
            waiting = self.queries.count("still_waiting")
        return self.costs.total("joined")[0]

    def _borrow(self) -> float | None:
        """One class of all and of the rows that lose least by it; None where no class can spare enough."""
        self.costs.total("members")
        self.costs.run("lenders", "lend_spans", values={"k": self.k})
        self.queries.run("lent", {"k": self.k})
        self.queries.run("borrowed")
        cost, smallest = self.costs.total("borrowed")
        return cost if smallest >= self.k else None
