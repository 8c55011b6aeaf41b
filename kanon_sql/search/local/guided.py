"""Better classes for the rows of a few classes that are near each other, in many places at once, guided by prices.

Ruin and recreate (G. Schrimpf et al.: Record breaking optimization results using the ruin and recreate principle.
2000) with the prices of a Lagrangean relaxation: zones of a few classes that share labels give up their rows, most
classes stand. The rows of a zone make classes anew of the labels that lose least a row beyond their prices, which
chance raises or lowers; or they join classes that stand, which only become larger by it, so that zones do not depend on
each other. A zone whose rows lose no more than before stays so. Every step is one grouped statement over all zones.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.search.local.costs import Costs
from kanon_sql.search.local.queries import Queries
from kanon_sql.search.local.trees import SearchTree
from kanon_sql.search.local.whole_domain import SLACK

_WIDEST = 10  # classes of a zone beside its seed
_NOISE = 0.3  # the share by which a price changes at most


@dataclass(frozen=True)
class Guided:
    """Improves the table labelled(label, cell, row_count, cost): the classes of members, by their labels."""

    queries: Queries
    trees: Sequence[SearchTree]
    k: int
    units: float  # of a loss of 1

    def begin(self) -> None:
        """Makes the table labelled of the table members, and lists the labels that prices were improved by."""
        Costs(self.queries, self.trees).total("members")
        self.queries.run("labelled")
        self.queries.run("label_pairs")

    def run(self, passes: int, bound: float) -> None:
        """So many passes, fewer where all rows together lose no more than `bound` allows.

        Raises TimeUpError once the deadline has passed; the table labelled is of the last whole pass then.
        """
        chance = random.Random(0)
        for _ in range(passes):
            if self.queries.run("labelled_loss")[0][0] <= bound * (1 + SLACK):
                return
            self._ruin(chance.getrandbits(30), _NOISE * chance.random())
            while self._recreate():
                pass
            self.queries.run("label_made_of_rest")
            if self.queries.count("better"):
                self.queries.run("labelled_anew")

    def _ruin(self, seed: int, noise: float) -> None:
        queries = self.queries
        queries.run("seeds", {"seed": seed, "widest": _WIDEST})
        queries.run("ruined", {"seed": seed})
        queries.run("ruined_rows", {"noise": noise, "seed": seed, "units": self.units})
        queries.run("label_offers", {"k": self.k})
        queries.run("no_label_made")

    def _recreate(self) -> bool:
        """Places the rows that have no better label than theirs; whether there were any."""
        if not self.queries.count("label_takes", {"k": self.k}):
            return False
        self.queries.run("label_made")
        self.queries.run("label_offers_left", {"k": self.k})
        return True
