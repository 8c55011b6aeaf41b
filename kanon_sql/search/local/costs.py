"""What classes lose, found by the lowest common ancestors of what they hold; by that tuples left over are placed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from kanon_sql.search.local.queries import Queries, own_tables
from kanon_sql.search.local.trees import SearchTree, level_items
from kanon_sql.sql import template
from kanon_sql.sql.template import Fill, Item


class Costs:
    """Losses of spans of positions along the search's trees, weighted."""

    def __init__(self, queries: Queries, trees: Sequence[SearchTree]) -> None:
        self.queries = queries
        self._items = [_items(tree) for tree in trees]
        self._texts: dict[tuple[str, str], str] = {}

    def total(self, classed: str) -> tuple[float, int]:
        """What the classes of a table lose together, all rows added up, and the rows of the smallest.

        Makes the table class_costs of these classes.
        """
        self.run("class_costs", "class_spans", classed)
        cost, smallest = self.queries.run("total_cost")[0]
        return float(cost), int(smallest)

    def run(self, name: str, spans: str, classed: str = "members", values: Mapping[str, int] | None = None) -> int:
        """Runs a file on what spans of positions lose; these are what another file selects from a table of classes.

        How many rows the file makes.
        """
        text = self._texts.get((name, classed))
        if text is None:
            text = self._texts[name, classed] = template.text(self._filled(name, spans, own_tables()[classed]))
        return int(self.queries.run_text(text, values)[0][0])

    def place_leftovers(self, k: int) -> None:
        """Places the tuples of the table rest, of fewer than k rows together, in the classes of the table members.

        Two ways are tried, and the one is taken that loses less in all: either each tuple joins a class, or all become
        one class with rows that other classes can spare.
        """
        joined, borrowed = self._join(), self._borrow(k)
        self.queries.copy("members", "borrowed" if borrowed is not None and borrowed < joined else "joined")

    def _join(self) -> float:
        """Each tuple joins the class that it makes dearer by least, in rounds, since that widens classes."""
        self.queries.copy("joined", "members")
        waiting = self.queries.count("waiting")
        while waiting:
            self.total("joined")
            self.run("join_offers", "join_spans")
            self.queries.run("join")
            waiting = self.queries.count("still_waiting")
        return self.total("joined")[0]

    def _borrow(self, k: int) -> float | None:
        """One class of all and of the rows that lose least by it; None where no class can spare enough."""
        self.total("members")
        self.run("lenders", "lend_spans", values={"k": k})
        self.queries.run("lent", {"k": k})
        self.queries.run("borrowed")
        cost, smallest = self.total("borrowed")
        return cost if smallest >= k else None

    def _filled(self, name: str, spans: str, classed: str) -> exp.Expr:
        lists = {"this": self._items}
        spanned = template.fill(f"search/local/{spans}", lists=lists, scope={**own_tables(), "classed": classed})
        costed = template.fill("search/local/costed", {"spanned": spanned}, lists)
        return template.fill(f"search/local/{name}", {"costed": costed}, scope=own_tables())


def _items(tree: SearchTree) -> Item:
    d = tree.dimension
    names: dict[str, Fill] = {key: f"{key}_{d.index}" for key in ("low", "high", "level", "node")}
    this = {f"this_{key}": value for key, value in names.items()}
    lists = {"level": level_items(tree.shifts)}
    filled = template.fill("search/local/common_ancestor", {"this_lowest": tree.lowest}, lists, this, part=True)
    level, node = (one.this for one in filled.args["expressions"])
    return {**names, "position": d.position, "costs": tree.costs, "common_level": level, "common_node": node}
