"""Groups that have too few rows, or violate a privacy model, join others."""

from __future__ import annotations

from kanon_sql.frequency.judged import Models, source_tables
from kanon_sql.privacy.statement import Tables
from kanon_sql.search.microaggregation.blocks import cut_centres
from kanon_sql.search.microaggregation.queries import Queries, own_tables
from kanon_sql.sql import template
from kanon_sql.sql.template import Composed, Item, compose, state

_MOST = 1_000  # groups that a violating one is compared with


def join_small(queries: Queries, k: int) -> None:
    """Groups of fewer than k rows join the nearest others of their stratum, until there is none; those of a stratum
    that has no others are left out.
    """
    while True:
        queries.run("centres")
        if not queries.count("too_small", {"k": k}):
            return
        _join(queries)


class Judging:
    """Judges the groups of the table members by privacy models."""

    def __init__(self, queries: Queries, models: Models, k: int, positions: list[Item]) -> None:
        self.queries = queries
        self.k = k
        source = source_tables(models, state("frequency"))
        holders = [str(source.holders)] if models.by_entity else []
        for judged in (*holders, *map(str, source.sensitive.values())):
            names = {"judged": judged, "judged_cells": _by_cell(judged), "cells": own_tables()["cells"]}
            queries.engine.query("search/local/judged_cells", names=names, lists={"this": positions})
        tables = Tables(
            compose("search/microaggregation/placed_rows", scope=own_tables()),
            _judged(str(source.holders)) if models.by_entity else None,
            {name: _judged(str(made)) for name, made in source.sensitive.items()},
        )
        classes = models.classes(tables)
        self._violating = compose("search/microaggregation/violating", {"classes": classes}, scope=own_tables())

    def join_violating(self) -> None:
        """Groups that violate a model join the nearest others of their stratum, or are left out, until none does."""
        while True:
            self.queries.run("centres")
            key: dict[str, list[Item]] = {"key": [{"code": "part"}]}
            made = self.queries.engine.run(template.render(self._violating, lists=key), {"k": self.k})
            if not made[0][0]:
                return
            _join(self.queries)


def _by_cell(judged: str) -> str:
    return state(f"micro_cells_of_{judged.removeprefix(state(''))}")


def _judged(name: str) -> Composed:
    names = {"judged_cells": _by_cell(name), "classed": own_tables()["members"], "class_key": "part"}
    return compose("search/local/judged_of", names)


def _join(queries: Queries) -> None:
    queries.run("not_lonely")
    cut_centres(queries, _MOST)
    queries.run("joins")
    queries.run("joined")
