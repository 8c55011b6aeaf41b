"""Local recoding with privacy models beyond k.

A label is accepted when the tuples that choose it satisfy all models, and so are tuples that choose it later if these
and those before do together. What no label is accepted for is joined with whole classes, those first that lose least
by it, until all models are satisfied: at the latest by all rows together.
"""

from __future__ import annotations

from sqlglot import exp

from kanon_sql.frequency.judged import Models, source_tables
from kanon_sql.privacy.statement import Tables
from kanon_sql.search.local.costs import Costs
from kanon_sql.search.local.queries import Queries, own_tables, table
from kanon_sql.sql.template import Composed, Item, compose, render, state


class Judge:
    """Judges classes of tuples, which are numbered as in the table cells."""

    def __init__(self, queries: Queries, models: Models, k: int, positions: dict[str, list[Item]]) -> None:
        self.queries = queries
        self.models = models
        self.k = k
        source = source_tables(models, state("frequency"))
        self._by_cell: dict[str, str] = {}
        holders = [str(source.holders)] if models.by_entity else []
        for judged in (*holders, *map(str, source.sensitive.values())):
            self._by_cell[judged] = table(f"cells_of_{judged.removeprefix(state(''))}")
            queries.run("judged_cells", None, {"judged": judged, "judged_cells": self._by_cell[judged]}, positions)
        self._source = source
        classes = self._classes(own_tables()["choices_with_taken"], "label")
        self._takers = compose("search/local/judged_takers", {"classes": classes}, scope=own_tables())

    def find_takers(self) -> None:
        """Makes the table takers of the tuples on offer."""
        self.queries.run("takers", {"k": self.k}, {"takers": own_tables()["choices"]})
        self.queries.run("choices_with_taken")
        self.queries.run_text(render(self._takers, lists={"key": [{"code": "label"}]}), {"k": self.k})

    def rest_satisfies(self) -> bool:
        """Whether the tuples without a class are one that satisfies."""
        return self._satisfies(compose("search/local/rest_as_one", scope=own_tables()))

    def merge_rest(self, costs: Costs) -> None:
        """Joins the tuples without a class with classes of the table members."""
        self.queries.run("members_with_rest")
        costs.total("members")
        classes = costs.run("merge_order", "merge_spans")
        places = min(1, classes)  # the rest alone was judged
        while places < classes and not self._merged_satisfies(places):
            places = min(2 * places + 1, classes)
        self.queries.run("merge", {"places": places})

    def _merged_satisfies(self, places: int) -> bool:
        values = {"places": exp.Literal.number(places)}
        return self._satisfies(compose("search/local/merged", values=values, scope=own_tables()))

    def _satisfies(self, classed: Composed) -> bool:
        """Whether tuples that are one class satisfy."""
        statement = compose("search/full_domain/node_check", {"classes": self._classes(classed, "part")})
        return not self.queries.run_text(render(statement, lists={"key": []}), {"k": self.k})[0][0]

    def _classes(self, classed: str | Composed, key: str) -> Composed:
        def judged(name: str) -> Composed:
            names = {"judged_cells": self._by_cell[name], "classed": classed, "class_key": key}
            return compose("search/local/judged_of", names)

        tables = Tables(
            classed,
            judged(str(self._source.holders)) if self.models.by_entity else None,
            {name: judged(str(made)) for name, made in self._source.sensitive.items()},
        )
        return self.models.classes(tables)
