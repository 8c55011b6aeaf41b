"""A restricted integer program for few columns: the labels that were worth opening, and the rows under each of them.

The relaxation over the known labels gives prices, pricing all labels by SQL proves a bound and finds labels that are
worth more than nothing at these prices, and so on until there are none (column generation). Then the classes are chosen
among labels that a relaxation opened, where those that it opened wholly stay (as in E. Danna, E. Rothberg, C. Le Pape:
Exploring relaxation induced neighborhoods. 2005). That is no proof: other labels could lose less.

So they are chosen once more, among all pairs of a label and a tuple that better classes could have. By the prices,
releasing a row under a label raises the proven bound by a known amount; if it is then no less than the loss of the
classes found, the pair is out. What leaves the engine are numbers of labels and of distinct tuples with their losses
and counts; no value does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kanon_sql.search.local import highs
from kanon_sql.search.local.queries import Queries, own_tables

ROUNDS = 16  # of relaxations
_FEW_CELLS = {"default": 1_000_000, "best": 8_000_000}  # tuples times labels above one
_MOST_PAIRS = {"default": 60_000, "best": 300_000}
_WORK = {"default": 12.0, "best": 90.0}  # of a relaxation, and of a choice: about so many seconds
_LAST = 0.5  # of that work, for the last choice
_PROVEN_PAIRS = {"default": 15_000, "best": 60_000}  # of the last choice, at most
_LEAST_ROOM = 0.1  # of what is unproven: there is no last choice that could prove less
_MUCH_LARGER = 1.5  # times as many pairs: the solver is faster without the last basis
_NEW_LABELS = 8_000  # of one relaxation
_NEARLY = 0.001  # of the greatest loss of k rows: labels worth less are added
_FILLERS = 3  # times k: the rows of a label that are always added
_FURTHER = 0.01  # of the greatest loss of a row: the margin of further ones
_CAP, _LEAST_CAP, _HIGHER = 1.5, 0.05, 3.0  # of first prices, of the greatest loss of a row; to raise a low cap
_ALL = -1  # the number of the label of all rows
_LARGEST = 100_000_000  # rows of a tuple: sums of floats beyond it are not exact counts
_CONVERGED = 1e-3
_NOT_TAKEN, _WHOLE = 1e-6, 1 - 1e-6
_SLACK = 1e-4  # of the loss: the error of the solver's bound, whose tolerances are below 1e-6 a row


def is_few(cells: int, effort: str) -> bool:
    """Whether so many tuples times labels are few enough, and the extra is installed."""
    return cells <= _FEW_CELLS[effort] and highs.is_installed()


@dataclass
class Program:
    """A program that grows by the labels of the tables covers and label_values, and the tuples of the table prices."""

    queries: Queries
    k: int
    top: float
    effort: str
    units: float  # of a loss of 1
    is_better: bool = False  # whether the table members has its classes
    _caps: Any = None
    _relaxed: highs.Relaxed | None = None  # the last relaxation
    _best: dict[tuple[int, int], int] = field(default_factory=dict)  # rows by label and tuple

    def begin(self) -> None:
        """Makes the table program with the label of all rows alone."""
        self.queries.run("no_program", {"top": self.top})

    def improve(self, bound: float) -> bool:
        """Makes the table prices from the relaxation over the labels that are worth opening now.

        False if the proven `bound` leaves nothing to gain, or if there are too many pairs.
        """
        most = _NEARLY * self.top * self.k
        values = {"labels": _NEW_LABELS, "most": most, "known_too": True}
        values |= {"fillers": _FILLERS * self.k, "margin": _FURTHER * self.top}
        self.queries.run("more_active", values, {"active": own_tables()["program"]})
        pairs, (cells, rows, prices) = self._pairs()
        if len(pairs) > _MOST_PAIRS[self.effort] or rows.max() > _LARGEST:
            return False
        if self._caps is None:
            self._caps = _CAP * prices + _LEAST_CAP * self.top
        names, problem = self._problem(pairs, cells, rows)
        solver = highs.solver_for(_WORK[self.effort], self.queries.deadline)
        before = self._relaxed
        if before is not None and len(pairs) > _MUCH_LARGER * len(before.problem.cell):
            before = None
        relaxed = highs.relax(problem, names, self._caps, before, solver)
        if relaxed is None:
            return False
        self._relaxed = relaxed
        is_short = relaxed.unplaced > _CONVERGED
        self._caps[is_short] *= _HIGHER
        if not is_short.any() and relaxed.loss - bound <= _CONVERGED * relaxed.loss:
            return False
        values = {"cells": cells.tolist(), "prices": relaxed.prices.tolist(), "units": self.units}
        self.queries.run("prices_of_program", values)
        return True

    def choose(self, upper: float) -> float:
        """Makes the table members from labels that a relaxation opened, if these classes lose less than `upper`.

        Returns the loss then.
        """
        relaxed = self._relaxed
        if relaxed is None:
            return upper
        taken = {_ALL, *relaxed.names[relaxed.taken > _NOT_TAKEN].tolist()}
        whole = set(relaxed.names[relaxed.taken > _WHOLE].tolist())
        pairs = [pair for pair in self._pairs()[0] if pair[0] in taken]
        return min(upper, self._chosen(pairs, upper, whole, _WORK[self.effort]).loss)

    def prove(self, upper: float, proven: float) -> float:
        """A lower bound of the loss of all rows, from the table priced_pairs of all pairs; or better classes.

        `proven` is the bound of their prices, `upper` the loss of the classes. Better classes are then in the table
        members.
        """
        unproven, most = upper - proven, _PROVEN_PAIRS[self.effort]
        if self._relaxed is None or unproven <= _SLACK * upper:
            return proven
        near = self.queries.run("program_reach", {"k": self.k, "room": unproven, "pairs": most})
        room = near[-1][3] if len(near) == most else unproven
        if room < _LEAST_ROOM * unproven:
            return proven
        pairs = {(label, cell): cost for label, cell, cost, raised in near if raised < room}
        kept = {pair[:2]: pair[2] for pair in self._pairs()[0] if pair[0] == _ALL or pair[:2] in self._best}
        listed = sorted((*pair, cost) for pair, cost in {**kept, **pairs}.items())
        chosen = self._chosen(listed, upper, set(), _LAST * _WORK[self.effort])
        return float(max(proven, min(chosen.bound - _SLACK * upper, proven + room)))

    def _chosen(self, pairs: Sequence[tuple[Any, ...]], upper: float, sure: set[int], work: float) -> highs.Chosen:
        """Chooses among pairs, and makes the table members if that is better."""
        import numpy as np

        cells, rows, _ = self._pairs()[1]
        names, problem = self._problem(pairs, cells, rows)
        start = np.array([self._best.get(pair[:2], 0) for pair in pairs]) if self._best else None
        whole = np.array([name in sure for name in names.tolist()])
        chosen = highs.choose(problem, whole, start, highs.solver_for(work, self.queries.deadline))
        if chosen.rows is None or chosen.loss >= upper:
            return chosen
        kept = np.flatnonzero(chosen.rows)
        self._best = {pairs[number][:2]: int(chosen.rows[number]) for number in kept.tolist()}
        values = {
            "parts": (problem.label[kept] + 1).tolist(),
            "cells": cells[problem.cell[kept]].tolist(),
            "counts": chosen.rows[kept].tolist(),
        }
        self.queries.run("members_of_program", values)
        self.is_better = True
        return chosen

    def _pairs(self) -> tuple[list[tuple[Any, ...]], list[Any]]:
        """(label, tuple, loss) of each pair; the tuples, which are all below one label, their rows and prices."""
        import numpy as np

        rows = self.queries.run("program_pairs")
        tuples = [(cell, row_count, price) for label, cell, _, row_count, price in rows if label == _ALL]
        return [row[:3] for row in rows], [np.array(numbers) for numbers in zip(*tuples, strict=True)]

    def _problem(self, pairs: Sequence[tuple[Any, ...]], cells: Any, rows: Any) -> tuple[Any, highs.FacilityProblem]:
        """The numbers of the labels, sorted, and the problem."""
        import numpy as np

        label, cell, cost = (np.array(numbers) for numbers in zip(*pairs, strict=True))
        names, numbered = np.unique(label, return_inverse=True)
        return names, highs.FacilityProblem(rows, numbered, np.searchsorted(cells, cell), cost, self.k)
