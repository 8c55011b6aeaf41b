"""The tuples that a sweep leaves over: too few rows for a class of their own."""

from __future__ import annotations

from kanon_sql.search.local.costs import Costs
from kanon_sql.search.local.queries import Queries


def place_leftovers(queries: Queries, costs: Costs, k: int) -> None:
    """Places the tuples of the table rest, of fewer than k rows together, in the classes of the table members.

    Two ways are tried, and the one is taken that loses less in all: either each tuple joins a class, or all become one
    class with rows that other classes can spare.
    """
    joined, borrowed = _join(queries, costs), _borrow(queries, costs, k)
    queries.copy("members", "borrowed" if borrowed is not None and borrowed < joined else "joined")


def _join(queries: Queries, costs: Costs) -> float:
    """Each tuple joins the class that it makes dearer by least, in rounds, since that widens classes."""
    queries.copy("joined", "members")
    waiting = queries.count("waiting")
    while waiting:
        costs.total("joined")
        costs.run("join_offers", "join_spans")
        queries.run("join")
        waiting = queries.count("still_waiting")
    return costs.total("joined")[0]


def _borrow(queries: Queries, costs: Costs, k: int) -> float | None:
    """One class of all and of the rows that lose least by it; None where no class can spare enough."""
    costs.total("members")
    costs.run("lenders", "lend_spans", values={"k": k})
    queries.run("lent", {"k": k})
    queries.run("borrowed")
    cost, smallest = costs.total("borrowed")
    return cost if smallest >= k else None
