"""A restricted integer program for few columns: labels that were worth taking, and the rows that each of them takes.

The relaxation over the labels that are known gives prices, pricing all labels by SQL proves a bound and finds labels
that are worth more than nothing at these prices, and so on until there are none (column generation). Then the classes
are chosen among labels that a relaxation took, where those that it took whole stay (as in E. Danna, E. Rothberg,
C. Le Pape: Exploring relaxation induced neighborhoods. 2005). That is no proof: other labels could lose less.

So they are chosen once more, among all pairs of a label and a tuple that classes which lose less could have. By the
prices a row released so raises what is proven by what is known of each pair, and where that is no less than the classes
found, the pair is out. What leaves the engine are numbers of labels and of distinct tuples with their losses and
counts; no value does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kanon_sql.search.local import highs
from kanon_sql.search.local.queries import Queries

ROUNDS = 16  # of relaxations
_FEW_CELLS = {"default": 1_000_000, "best": 8_000_000}  # tuples times labels above one
_MOST_PAIRS = {"default": 60_000, "best": 300_000}
_WORK = {"default": 12.0, "best": 90.0}  # for a relaxation, and for a choice: seconds, about
_LAST = 0.5  # of it for the last choice
_PROVEN_PAIRS = {"default": 15_000, "best": 60_000}  # of the last choice, at most
_LEAST_ROOM = 0.1  # of what is unproven: where the last choice could prove less it is left out
_MUCH_LARGER = 1.5  # times as many pairs: the solver is faster from nothing
_NEW_LABELS = 8_000  # at once
_NEARLY = 0.001  # of k rows at the most that a row can lose
_FILLERS = 3  # times k
_FURTHER = 0.01
_CAP, _LEAST_CAP, _HIGHER = 1.5, 0.05, 3.0  # of first prices, of the most that a row can lose; where too low
_ALL = -1  # the label that all rows fall under, by its number here
_LARGEST = 100_000_000  # rows of a tuple: beyond it sums of floats are no counts
_CONVERGED = 1e-3
_SHARES = (1.0, 0.6, 0.8, 1.0)  # of the way from prices that prove most to new ones, in the first relaxations and later
_NOT_TAKEN, _WHOLE = 1e-6, 1 - 1e-6
_SLACK = 1e-4  # of the loss, by which the solver's bound may be wrong: its tolerances are below 1e-6 a row


def share(number: int) -> float:
    """Which part of the way prices go to those that a relaxation gave, after so many others."""
    return _SHARES[min(number, len(_SHARES) - 1)]


def is_few(cells: int, effort: str) -> bool:
    """Whether so many tuples times labels are few enough, and the extra is installed."""
    return cells <= _FEW_CELLS[effort] and highs.is_installed()


@dataclass
class Program:
    """Grows by the labels of the tables covers and label_values, of tuples of the table prices."""

    queries: Queries
    k: int
    top: float
    effort: str
    units: float  # of a loss of 1
    is_better: bool = False  # whether the table members holds classes that were chosen
    _caps: Any = None
    _relaxed: highs.Relaxed | None = None  # the last relaxation
    _best: dict[tuple[int, int], int] = field(default_factory=dict)  # rows by label and tuple

    def begin(self) -> None:
        """Makes the table program of the label alone that all rows fall under."""
        self.queries.run("no_program", {"top": self.top})

    def improve(self, bound: float) -> bool:
        """Makes the table prices from the relaxation over the labels that are worth taking now.

        False where `bound`, which is proven, leaves nothing to gain, or where there are too many pairs.
        """
        import numpy as np

        most = _NEARLY * self.top * self.k
        values = {"labels": _NEW_LABELS, "most": most, "fillers": _FILLERS * self.k, "margin": _FURTHER * self.top}
        self.queries.run("more_program", values)
        pairs = self._pairs()
        tuples = self.queries.run("program_tuples")
        cells, rows, prices = (np.array(column) for column in zip(*tuples, strict=True))
        if len(pairs) > _MOST_PAIRS[self.effort] or rows.max() > _LARGEST:
            return False
        if self._caps is None:
            self._caps = _CAP * prices + _LEAST_CAP * self.top
        names, problem = self._problem(pairs, cells, rows)
        solver = highs.solver_for(_WORK[self.effort], self.queries.deadline)
        before = self._relaxed
        if before is not None and len(pairs) > _MUCH_LARGER * len(before.problem.cell):
            before = None
        found = highs.relax(problem, names, self._caps, before, solver)
        if found is None:
            return False
        self._relaxed = found
        is_short = found.unplaced > _CONVERGED
        self._caps[is_short] *= _HIGHER
        if not is_short.any() and found.loss - bound <= _CONVERGED * found.loss:
            return False
        values = {"cells": cells.tolist(), "prices": found.prices.tolist(), "units": self.units}
        self.queries.run("prices_of_program", values)
        return True

    def choose(self, upper: float) -> float:
        """Makes the table members of classes of labels that a relaxation took, if they lose less than `upper`.

        What is lost then.
        """
        relaxed = self._relaxed
        if relaxed is None:
            return upper
        taken = {_ALL, *relaxed.names[relaxed.taken > _NOT_TAKEN].tolist()}
        whole = set(relaxed.names[relaxed.taken > _WHOLE].tolist())
        pairs = [pair for pair in self._pairs() if pair[0] in taken]
        return min(upper, self._chosen(pairs, upper, whole, _WORK[self.effort]).loss)

    def prove(self, upper: float, proven: float) -> float:
        """What all rows lose together at least, from the table priced_pairs of all pairs; or better classes.

        `proven` is what their prices prove, `upper` what is lost. Better classes are then in the table members.
        """
        unproven, most = upper - proven, _PROVEN_PAIRS[self.effort]
        if self._relaxed is None or unproven <= _SLACK * upper:
            return proven
        near = self.queries.run("program_reach", {"k": self.k, "room": unproven, "pairs": most})
        room = near[-1][3] if len(near) == most else unproven
        if room < _LEAST_ROOM * unproven:
            return proven
        pairs = {(label, cell): cost for label, cell, cost, raised in near if raised < room}
        known = {pair[:2]: pair[2] for pair in self._pairs() if pair[0] == _ALL or pair[:2] in self._best}
        listed = sorted((*pair, cost) for pair, cost in {**known, **pairs}.items())
        chosen = self._chosen(listed, upper, set(), _LAST * _WORK[self.effort])
        return float(max(proven, min(chosen.bound - _SLACK * upper, proven + room)))

    def _chosen(self, pairs: Sequence[tuple[Any, ...]], upper: float, sure: set[int], work: float) -> highs.Chosen:
        """Chooses among pairs, and makes the table members if that is better."""
        import numpy as np

        cells, rows, _ = (np.array(column) for column in zip(*self.queries.run("program_tuples"), strict=True))
        names, problem = self._problem(pairs, cells, rows)
        start = np.array([self._best.get(pair[:2], 0) for pair in pairs]) if self._best else None
        whole = np.array([name in sure for name in names.tolist()])
        chosen = highs.choose(problem, whole, start, highs.solver_for(work, self.queries.deadline))
        if chosen.rows is None or chosen.loss >= upper:
            return chosen
        kept = np.flatnonzero(chosen.rows)
        self._best = {pairs[one][:2]: int(chosen.rows[one]) for one in kept.tolist()}
        values = {
            "parts": (problem.label[kept] + 1).tolist(),
            "cells": cells[problem.cell[kept]].tolist(),
            "counts": chosen.rows[kept].tolist(),
        }
        self.queries.run("members_of_program", values)
        self.is_better = True
        return chosen

    def _pairs(self) -> Sequence[tuple[Any, ...]]:
        return self.queries.run("program_pairs")

    def _problem(self, pairs: Sequence[tuple[Any, ...]], cells: Any, rows: Any) -> tuple[Any, highs.Problem]:
        """The numbers of the labels, in their order, and the problem."""
        import numpy as np

        label, cell, cost = (np.array(column) for column in zip(*pairs, strict=True))
        names, numbered = np.unique(label, return_inverse=True)
        return names, highs.Problem(rows, numbered, np.searchsorted(cells, cell), cost, self.k)
