"""Classes split where classes of one tuple can lend rows, in many places at once.

Each class of several tuples is a zone. It gives up its rows, which make classes anew: first the label that loses least
a row, where k rows are lacking with rows lent by classes of one tuple that have more. A zone whose rows lose less
together than before stays so, the others as they were. Every step is one grouped statement over all zones; so all takes
about as many as a zone makes classes, one after another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.search.local.costs import Costs
from kanon_sql.search.local.halves import HALVES, Keys, of_half
from kanon_sql.search.local.queries import Queries, own_tables
from kanon_sql.search.local.trees import SearchTree
from kanon_sql.sql import tables

_MOST_KEPT = 3_000_000  # half labels above half tuples: more take too much memory beside the sweep's
_FEWEST_SPARE = 2  # rows of classes of several for a row that can be lent; Adult at k = 5 has 12 and gains 0.1 %
_KEPT = ("kept_a", "kept_b", "near_pairs", "zone_offers", "zone_fillers", "zone_takes", "recreated")


def keep_halves(queries: Queries) -> bool:
    """Keeps the half labels of all tuples, which a sweep loses on its way; whether they are few enough."""
    pairs = sum(of_half(queries, half).count("half_pairs") for half in HALVES)
    if pairs > _MOST_KEPT:
        return False
    for half in HALVES:
        queries.copy(f"kept_{half}", f"above_{half}")
    queries.copy("cell_halves", "rest")
    return True


@dataclass
class Recreation:
    """Improves the classes of the table members. Each of them loses what its lowest common ancestors lose."""

    queries: Queries
    trees: Sequence[SearchTree]
    k: int

    def lend(self, keys: Keys) -> bool:
        """Splits classes with rows that others can spare, if they are many; whether it lost less by it."""
        self._measure()
        spare, dear = self.queries.run("spare_rows")[0]
        if not spare * _FEWEST_SPARE >= dear > 0:
            return False
        values = {"k": self.k, "label_shift": keys.bits[1], "scale": keys.scale}
        self.queries.run("near_pairs", values)
        self.queries.run("fillers", values)
        return self._run() > 0

    def drop(self) -> None:
        """Frees the memory of what was looked up."""
        for name in _KEPT:
            self.queries.run_text(tables.drop(own_tables()[name]))

    def _measure(self) -> None:
        Costs(self.queries, self.trees).total("members")
        self.queries.run("standing")
        self.queries.run("spare", {"k": self.k})

    def _run(self) -> int:
        """Makes the classes of all zones anew; how many of them have other classes then."""
        queries = self.queries
        queries.run("zones")
        queries.run("freed")
        queries.run("spare_with_freed")
        queries.run("zone_offers", {"k": self.k})
        queries.run("zone_fillers")
        queries.run("no_recreated")
        while self._settle():
            pass
        gaining = queries.count("gaining")
        while gaining and (left := queries.count("gaining_left")) != gaining:
            gaining = left
        if gaining:
            queries.run("members_recreated")
        return gaining

    def _settle(self) -> bool:
        """Makes the classes that no tuple has a better label for; whether there was one."""
        self.queries.run("zone_takes", {"k": self.k})
        if not self.queries.count("zone_made"):
            return False
        for name in ("recreate", "lendable_left", "zone_offers_left"):
            self.queries.run(name)
        return True
