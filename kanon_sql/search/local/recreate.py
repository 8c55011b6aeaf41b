"""Better classes for the rows of a few classes that are near each other, in many places at once.

The classes of several tuples are put in zones. Those of a zone give up their rows, which make classes anew: the label
first that loses least a row, where k rows are lacking with rows lent by classes of one tuple that have more (a zone of
one class is split so). A zone where all rows lose less together than before stays so, the others as they were. Every
step is one grouped statement over all zones; so a pass takes as many as a zone makes classes, one after another.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.search.local.costs import Costs
from kanon_sql.search.local.halves import HALVES, Keys, of_half
from kanon_sql.search.local.queries import Queries, own_tables
from kanon_sql.search.local.trees import SearchTree
from kanon_sql.sql import tables
from kanon_sql.sql.template import Item

_MOST_KEPT = 3_000_000  # half labels above half tuples: more take too much memory beside the sweep's
_FEWEST_SPARE = 2  # rows of classes of several for a row that can be lent; Adult at k = 5 has 12 and gains 0.1 %
_KEPT = ("kept_a", "kept_b", "near_pairs", "fillers", "zone_offers", "zone_fillers", "recreated")


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
    keys: Keys
    k: int
    seed: int = 0

    def __post_init__(self) -> None:
        self.costs = Costs(self.queries, self.trees)
        self._chance = random.Random(self.seed)

    def can_lend(self) -> bool:
        """Whether classes of one tuple have so many rows more than k that lending them is worth a look."""
        self._measure()
        spare, dear = self.queries.run("spare_rows")[0]
        return bool(spare * _FEWEST_SPARE >= dear > 0)

    def find_labels(self) -> int:
        """Lists the labels near the tuples of classes of several, and what can be lent to them; how many pairs."""
        values = {"k": self.k, "label_shift": self.keys.bits[1], "scale": self.keys.scale}
        pairs = self.queries.count("near_pairs", values)
        self.queries.run("fillers", values)
        return pairs

    def run(self, classes: int) -> int:
        """One pass over zones of so many classes; how many of them lose less."""
        self._measure()
        self.queries.run("zones", {"classes": classes, "seed": self._chance.getrandbits(30)}, None, self._sorted())
        self.queries.run("freed")
        self.queries.run("spare_with_freed")
        self.queries.run("zone_offers", {"k": self.k})
        self.queries.run("zone_fillers")
        self.queries.run("no_recreated")
        while self._settle():
            pass
        gaining, left = self.queries.count("gaining"), -1
        while left != gaining:
            gaining, left = left if left >= 0 else gaining, self.queries.count("gaining_left")
        if left:
            self.queries.run("members_recreated")
        return left

    def _measure(self) -> None:
        self.costs.total("members")
        self.queries.run("standing")
        self.queries.run("spare", {"k": self.k})

    def _settle(self) -> bool:
        """Makes the classes that no tuple has a better label for; whether there was one."""
        self.queries.run("zone_scores", {"k": self.k})
        if not self.queries.count("zone_takers", {"k": self.k}):
            return False
        self.queries.run("zone_borrowed")
        made = self.queries.count("recreate")
        self.queries.run("lendable_left")
        self.queries.run("zone_offers_left")
        return made > 0

    def _sorted(self) -> dict[str, list[Item]]:
        """The dimensions in an order by chance, each by the nodes of a level by chance."""
        trees = self._chance.sample(list(self.trees), len(self.trees))
        return {
            "sort": [
                {"low": f"low_{tree.dimension.index}", "shift": self._chance.choice(tree.shifts)} for tree in trees
            ]
        }

    def drop(self) -> None:
        """Frees the memory of what was looked up."""
        for name in _KEPT:
            self.queries.run_text(tables.drop(own_tables()[name]))
