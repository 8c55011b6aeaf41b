"""Better classes for the rows of a few classes that are near each other, in many places at once.

The classes of several tuples are put in zones. Those of a zone give up their rows, which make classes anew: first the
label that loses least a row beyond their prices, where k rows are lacking with rows lent by classes of one tuple that
have more. A zone where all rows lose less together than before stays so, the others as they were. Every step is one
grouped statement over all zones; so a pass takes about as many as a zone makes classes, one after another.

Without prices each class is a zone, which is split where others can lend what its parts lack. With the prices of a
Lagrangean relaxation zones of several classes are ruined and recreated, prices are raised and lowered by chance, and at
first zones may lose a little more (G. Schrimpf et al.: Record breaking optimization results using the ruin and recreate
principle. 2000).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from kanon_sql.search.local.costs import Costs
from kanon_sql.search.local.halves import HALVES, Keys, of_half
from kanon_sql.search.local.queries import Queries, own_tables
from kanon_sql.search.local.trees import SearchTree
from kanon_sql.search.local.whole_domain import SLACK
from kanon_sql.sql import tables

_MOST_KEPT = 3_000_000  # half labels above half tuples: more take too much memory beside the sweep's
_FEWEST_SPARE = 2  # rows of classes of several for a row that can be lent; Adult at k = 5 has 12 and gains 0.1 %
_KEPT = ("kept_a", "kept_b", "near_pairs", "zone_offers", "zone_fillers", "zone_takes", "recreated")
# Of passes one after another: by how much prices change, and how often zones are joined.
_NOISES = (0.05, 0.1, 0.02)
_JOINS = (2, 3, 3)
_SLACK = 0.06  # of the most that a row can lose: by how much it may lose more than before
_WARM = 0.003  # of the most that k rows can lose: how much more a zone may lose at first


@dataclass(frozen=True)
class Settings:
    """How a pass goes: how far prices change, how often zones are joined, what a row and a zone may lose more."""

    noise: float = 0.0
    joins: int = 0
    slack: float = 0.0
    temperature: float = 0.0


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
    _chance: random.Random = field(default_factory=lambda: random.Random(0))

    def lend(self, keys: Keys) -> bool:
        """Splits classes with rows that others can spare, if they are many; whether it lost less by it."""
        self._measure()
        spare, dear = self.queries.run("spare_rows")[0]
        if not spare * _FEWEST_SPARE >= dear > 0:
            return False
        values = {"k": self.k, "label_shift": keys.bits[1], "scale": keys.scale}
        self.queries.run("no_prices")
        self.queries.run("near_pairs", values)
        self.queries.run("fillers", values)
        return self.run(Settings()) > 0

    def guided(self, passes: int, top: float, bound: float) -> None:
        """So many passes with the labels and prices of a bound; the best classes are kept in the table kept_members.

        A row loses `top` at most, all rows together lose `bound` at least. Raises TimeUpError once the deadline has
        passed.
        """
        self.queries.run("active_pairs")
        best = self._measure()
        for number in range(passes):
            if best <= bound * (1 + SLACK):
                return
            at = number % len(_NOISES)
            warm = max(0.0, 1 - number / (passes * 0.8)) * _WARM * self.k * top
            self.run(Settings(_NOISES[at], _JOINS[at], _SLACK * top, warm))
            loss = self._measure()
            if loss < best:
                best = loss
                self.queries.copy("kept_members", "members")

    def run(self, settings: Settings) -> int:
        """One pass over all zones; how many of them have other classes then."""
        queries = self.queries
        queries.run("zones")
        for _ in range(settings.joins):
            queries.run("zones_joined", {"seed": self._seed()})
        queries.run("freed", {"noise": settings.noise, "seed": self._seed()})
        queries.run("spare_with_freed")
        queries.run("zone_offers", {"k": self.k, "slack": settings.slack})
        queries.run("zone_fillers")
        queries.run("no_recreated")
        while self._settle():
            pass
        gaining = queries.count("gaining", {"temperature": settings.temperature, "seed": self._seed()})
        while gaining and (left := queries.count("gaining_left")) != gaining:
            gaining = left
        if gaining:
            queries.run("members_recreated")
        return gaining

    def drop(self) -> None:
        """Frees the memory of what was looked up."""
        for name in _KEPT:
            self.queries.run_text(tables.drop(own_tables()[name]))

    def _measure(self) -> float:
        loss = self.costs.total("members")[0]
        self.queries.run("standing")
        self.queries.run("spare", {"k": self.k})
        return loss

    def __post_init__(self) -> None:
        self.costs = Costs(self.queries, self.trees)

    def _settle(self) -> bool:
        """Makes the classes that no tuple has a better label for; whether there was one."""
        self.queries.run("zone_takes", {"k": self.k})
        if not self.queries.count("zone_made"):
            return False
        for name in ("recreate", "lendable_left", "zone_offers_left"):
            self.queries.run(name)
        return True

    def _seed(self) -> int:
        return self._chance.getrandbits(30)
