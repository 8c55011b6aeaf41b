"""The optimal search of lattices that may take long: good nodes first, and bounds that are nearer.

After a few checks, which settle what is easy, it dives for good nodes and works on bounds of groups of columns, each in
turn with the proof and for as many checks.
"""

from __future__ import annotations

from collections.abc import Iterator

from kanon_sql.search.full_domain.dive import Dive
from kanon_sql.search.full_domain.floors import FlooredLoss, Floors
from kanon_sql.search.full_domain.objectives import Loss
from kanon_sql.search.full_domain.optimal import OptimalSearch

_AT_FIRST = 30  # checks: a few are enough where little has to be generalized


class LargeSearch(OptimalSearch):
    """One search; `run` gives its result."""

    def search(self) -> None:
        if self.go_on(_AT_FIRST):
            return
        dive = Dive(self.lattice, self.checker, self.objective, self.evaluate).rounds()
        next(dive, None)
        turns: list[Iterator[object]] = [dive]
        if isinstance(self.objective, Loss):
            floors = Floors(self.lattice, self.checker, self.objective, self.deadline)
            floors.make_tables()
            self.objective = FlooredLoss(self.objective, floors)
            turns.append(floors.rounds())
        while turns:
            for turn in list(turns):
                before = self.checker.checked
                if next(turn, turns) is turns:
                    turns.remove(turn)
                if self.go_on(self.checker.checked - before):
                    return
        self.go_on()

    def bound(self) -> float:
        return max(super().bound(), min(self.objective.bound(self.lattice.lows), self.best_value))
