"""A restricted integer program for few columns: labels that were worth taking, and the rows that each of them takes.

The relaxation over the labels that are known gives prices, pricing all labels by SQL proves a bound and finds labels
that are worth more than nothing at these prices, and so on until there are none (column generation). Then the classes
are chosen among labels that a relaxation took, which is no proof: other labels could lose less. What leaves the engine
are numbers of labels and of distinct tuples with their losses and counts; no value does.
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
_SECONDS = {"default": 12.0, "best": 90.0}  # of processor time for the choice, as many for each relaxation
_NEW_LABELS = 8_000  # at once
_NEARLY = 0.001  # of k rows at the most that a row can lose
_FILLERS = 3  # times k
_FURTHER = 0.01
_CAP, _LEAST_CAP, _HIGHER = 1.5, 0.05, 3.0  # of first prices, of the most that a row can lose; where too low
_LARGEST = 100_000_000  # rows of a tuple: beyond it sums of floats are no counts
_CONVERGED = 1e-3


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
    _caps: Any = None
    _taken: set[int] = field(default_factory=set)

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
        found = highs.relax(problem, self._caps, _SECONDS[self.effort], self.queries.deadline)
        if found is None:
            return False
        self._taken.update(names[found.taken].tolist())
        is_short = found.unplaced > _CONVERGED
        self._caps[is_short] *= _HIGHER
        if not is_short.any() and found.loss - bound <= _CONVERGED * found.loss:
            return False
        self.queries.run("prices_of_program", {"cells": cells.tolist(), "prices": found.prices.tolist()})
        return True

    def choose(self) -> bool:
        """Makes the table members of the best classes of labels that a relaxation took; whether there are any."""
        import numpy as np

        if not self._taken:
            return False
        taken = self._taken | {-1}
        pairs = [pair for pair in self._pairs() if pair[0] in taken]
        cells, rows, _ = (np.array(column) for column in zip(*self.queries.run("program_tuples"), strict=True))
        _, problem = self._problem(pairs, cells, rows)
        chosen = highs.choose(problem, _SECONDS[self.effort], self.queries.deadline)
        if chosen is None:
            return False
        kept = np.flatnonzero(chosen)
        values = {
            "parts": (problem.label[kept] + 1).tolist(),
            "cells": cells[problem.cell[kept]].tolist(),
            "counts": chosen[kept].tolist(),
        }
        self.queries.run("members_of_program", values)
        return True

    def _pairs(self) -> Sequence[tuple[Any, ...]]:
        return self.queries.run("program_pairs")

    def _problem(self, pairs: Sequence[tuple[Any, ...]], cells: Any, rows: Any) -> tuple[Any, highs.Problem]:
        """The numbers of the labels, in their order, and the problem."""
        import numpy as np

        label, cell, cost = (np.array(column) for column in zip(*pairs, strict=True))
        names, numbered = np.unique(label, return_inverse=True)
        return names, highs.Problem(rows, numbered, np.searchsorted(cells, cell), cost, self.k)
