"""The tuples that a sweep leaves over: too few rows for a class of their own."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.engine import template
from kanon_sql.engine.template import Fill, Item
from kanon_sql.local.queries import TABLES, Queries
from kanon_sql.local.trees import SearchTree


class Leftovers:
    """Places the tuples of the table rest, of fewer than k rows together, in the classes of the table members."""

    def __init__(self, queries: Queries, trees: Sequence[SearchTree], k: int) -> None:
        self.queries = queries
        self.k = k
        self._items = [_items(tree) for tree in trees]
        self._texts: dict[tuple[str, str], str] = {}

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
            self._cost("joined")
            self._run("join_offers", "join_spans")
            self.queries.run("join")
            waiting = self.queries.count("still_waiting")
        self._cost("joined")
        return self._total()[0]

    def _borrow(self) -> float | None:
        """One class of all and of the rows that lose least by it; None where no class can spare enough."""
        self._cost("members")
        self._run("lenders", "lend_spans", values={"k": self.k})
        self.queries.run("lent", {"k": self.k})
        self.queries.run("borrowed")
        self._cost("borrowed")
        cost, smallest = self._total()
        return cost if smallest >= self.k else None

    def _cost(self, classed: str) -> None:
        """Makes the table class_costs of the classes in a table."""
        self._run("class_costs", "class_spans", classed)

    def _total(self) -> tuple[float, int]:
        cost, smallest = self.queries.run("total_cost")[0]
        return float(cost), int(smallest)

    def _run(self, name: str, spans: str, classed: str = "members", values: dict[str, int] | None = None) -> None:
        """Runs a file on what spans of positions lose; these are what another file selects."""
        text = self._texts.get((name, classed))
        if text is None:
            text = self._texts[name, classed] = template.text(self._filled(name, spans, TABLES[classed]))
        self.queries.run_text(text, values)

    def _filled(self, name: str, spans: str, classed: str) -> exp.Expr:
        lists = {"this": self._items}
        spanned = template.fill(f"local/{spans}", {**TABLES, "classed": classed}, lists)
        costed = template.fill("local/costed", {**TABLES, "spanned": spanned}, lists)
        return template.fill(f"local/{name}", {**TABLES, "costed": costed})


def _items(tree: SearchTree) -> Item:
    d = tree.dimension
    names: dict[str, Fill] = {key: f"{key}_{d.index}" for key in ("low", "high", "level", "node")}
    this = {f"this_{key}": value for key, value in names.items()}
    filled = template.fill("local/common_ancestor", {**this, "this_lowest": tree.lowest}, {"level": tree.level_items})
    level, node = (one.this for one in filled.args["expressions"])
    return {**names, "position": d.position, "costs": tree.costs, "common_level": level, "common_node": node}
