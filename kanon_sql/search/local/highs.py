"""The integer program of local recoding, and its relaxation, by HiGHS (the extra `highs`).

A variable for each pair of a label and a tuple is the number of the tuple's rows that are released under the label, and
one for each label, between 0 and 1, is whether it is opened: all rows of a tuple have a label, an opened one has k
rows, and no tuple has more rows under a label than it has if that is opened, none else. If labels may be opened in
part, that is a linear program, and the loss of one more row of a tuple (its dual value) is the price that proves most.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import ceil, inf
from typing import Any

from kanon_sql.sql.deadline import Deadline

_INTEGRAL = 1e-6
_GAP = 1e-3  # of the loss, that remains unproven
_SEED = 1
_PRIMAL = 4  # simplex
# Steps for a work of 1: about a second on a machine of 2024.
_ITERATIONS = 4e8  # iterations times entries of the matrix
_CALLBACKS, _USUAL, _FEWEST_CALLBACKS = 3.5, 40_000, 8  # of an integer program with so many entries
_MOST_ITERATIONS = 2**31 - 1


def is_installed() -> bool:
    """Whether the extra is installed."""
    return find_spec("highspy") is not None and find_spec("numpy") is not None


@dataclass(frozen=True)
class FacilityProblem:
    """Arrays: `rows` of each tuple; for each pair its `label` and `cell`, from 0, and `cost`, the loss of one row."""

    rows: Any
    label: Any
    cell: Any
    cost: Any
    k: int

    @property
    def labels(self) -> int:
        """How many labels there are."""
        return int(self.label.max()) + 1


@dataclass(frozen=True)
class Relaxed:
    """The solution of a relaxation: its loss, prices of the tuples, how far labels are `taken`, rows without a label.

    `names` are the labels of `problem`, `basis` is the solver's; a further relaxation can start there.
    """

    loss: float
    prices: Any
    taken: Any
    unplaced: Any
    problem: FacilityProblem
    names: Any
    basis: Any


@dataclass(frozen=True)
class Chosen:
    """The numbers of rows of each pair, None if no classes were found; their loss, and a lower bound of any."""

    rows: Any | None
    loss: float
    bound: float


def relax(problem: FacilityProblem, names: Any, caps: Any, before: Relaxed | None, solver: Any) -> Relaxed | None:
    """Solves the linear program, in which a row may have no label at the loss `caps` of its tuple: no price is above
    it.

    It starts where `before` ended, a relaxation with fewer pairs of the same tuples. None if the solver's work ended.
    """
    import highspy

    _pass(solver, _model(problem, caps))
    if before is not None:
        # What was optimal is feasible with more columns, and with other caps.
        solver.setOptionValue("simplex_strategy", _PRIMAL)
        solver.setBasis(_enlarged(before, problem, names))
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    solution, pairs = solver.getSolution(), len(problem.cell)
    values = _array(solution.col_value)
    taken = values[pairs : pairs + problem.labels]
    prices = _array(solution.row_dual)[: len(problem.rows)]
    unplaced = values[pairs + problem.labels :]
    loss = float(solver.getInfo().objective_function_value)
    return Relaxed(loss, prices, taken, unplaced, problem, names, solver.getBasis())


def _enlarged(before: Relaxed, problem: FacilityProblem, names: Any) -> Any:
    """The basis for another problem: its new labels and pairs are not in it."""
    import highspy
    import numpy as np

    old, status = before.problem, highspy.HighsBasisStatus
    tuples, pairs, labels = len(old.rows), len(old.cell), old.labels
    label = _positions(before.names, names)
    pair = _positions(before.names[old.label] * tuples + old.cell, names[problem.label] * tuples + problem.cell)
    columns, rows = np.array(before.basis.col_status), np.array(before.basis.row_status)
    basis = highspy.HighsBasis()
    basis.col_status = [
        *np.where(pair < 0, status.kLower, columns[pair]),
        *np.where(label < 0, status.kLower, columns[pairs + label]),
        *columns[pairs + labels :],
    ]
    basis.row_status = [
        *rows[:tuples],
        *np.where(label < 0, status.kBasic, rows[tuples + label]),
        *np.where(pair < 0, status.kBasic, rows[tuples + labels + pair]),
    ]
    basis.valid = True
    return basis


def _positions(sorted_names: Any, wanted: Any) -> Any:
    """The position of each wanted number among sorted ones; -1 if it is not there."""
    import numpy as np

    at = np.minimum(np.searchsorted(sorted_names, wanted), len(sorted_names) - 1)
    return np.where(sorted_names[at] == wanted, at, -1)


def choose(problem: FacilityProblem, sure: Any, start: Any | None, solver: Any) -> Chosen:
    """The best classes that the solver finds with its work; `bound` holds for these pairs alone.

    The labels `sure` are opened. `start` are the rows of each pair in known classes. The solver stops within 0.1 % of
    the bound.
    """
    import highspy
    import numpy as np

    model = _model(problem, None)
    whole, part = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
    pairs = len(problem.cell)
    model.integrality_ = [part] * pairs + [whole] * problem.labels
    model.col_lower_ = np.r_[np.zeros(pairs), sure]
    solver.setOptionValue("mip_rel_gap", _GAP)
    _pass(solver, model)
    if start is not None:
        solver.setSolution(_solution(problem, start))
    solver.run()
    info, values = solver.getInfo(), _array(solver.getSolution().col_value)
    status = highspy.HighsModelStatus
    ended = (status.kOptimal, status.kInterrupt, status.kTimeLimit)
    bound = float(info.mip_dual_bound) if solver.getModelStatus() in ended else -float("inf")
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible or not len(values):
        return Chosen(None, float("inf"), bound)
    kept = np.flatnonzero((values[pairs:] > 0.5)[problem.label])
    placed = _place(problem, kept)
    if placed is None:
        return Chosen(None, float("inf"), bound)
    rows: Any = np.zeros(pairs, dtype=np.int64)
    rows[kept] = placed
    return Chosen(rows, float((rows * problem.cost).sum()), bound)


def _solution(problem: FacilityProblem, rows: Any) -> Any:
    import highspy
    import numpy as np

    solution = highspy.HighsSolution()
    taken = np.bincount(problem.label, rows, problem.labels) > 0
    solution.col_value = np.r_[rows, taken].astype(float).tolist()
    return solution


def _place(problem: FacilityProblem, kept: Any) -> Any | None:
    """Rows for the pairs of opened labels: a transport problem, whose vertices are whole numbers."""
    import highspy
    import numpy as np

    _, label = np.unique(problem.label[kept], return_inverse=True)
    cell, pairs, tuples = problem.cell[kept], len(kept), len(problem.rows)
    labels = int(label.max()) + 1
    numbers = np.arange(pairs)
    model = _sized(pairs, tuples + labels)
    model.col_cost_ = problem.cost[kept]
    model.col_lower_, model.col_upper_ = np.zeros(pairs), problem.rows[cell]
    model.row_lower_ = np.r_[problem.rows, np.full(labels, float(problem.k))]
    model.row_upper_ = np.r_[problem.rows, np.full(labels, highspy.kHighsInf)]
    _fill(model, np.r_[cell, tuples + label], np.r_[numbers, numbers], np.ones(2 * pairs))
    solver = solver_for(inf, Deadline())
    solver.setOptionValue("solver", "simplex")
    solver.passModel(model)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    values = _array(solver.getSolution().col_value)
    whole = np.rint(values)
    sums, sizes = np.bincount(cell, whole, tuples), np.bincount(label, whole, labels)
    is_sound = np.abs(values - whole).max() <= _INTEGRAL and (sums == problem.rows).all() and sizes.min() >= problem.k
    return whole.astype(np.int64) if is_sound else None


def _model(problem: FacilityProblem, caps: Any | None) -> Any:
    """Columns: pairs, labels and, with caps, the rows of each tuple without label. Rows: tuples, labels, pairs."""
    import highspy
    import numpy as np

    label, cell, rows = problem.label, problem.cell, problem.rows
    pairs, labels, tuples = len(cell), problem.labels, len(rows)
    numbers, opened = np.arange(pairs), np.arange(labels)
    unlabelled = 0 if caps is None else tuples
    model = _sized(pairs + labels + unlabelled, tuples + labels + pairs)
    model.col_cost_ = np.r_[problem.cost, np.zeros(labels), np.zeros(0) if caps is None else caps]
    model.col_lower_ = np.zeros(pairs + labels + unlabelled)
    model.col_upper_ = np.r_[rows[cell], np.ones(labels), rows[:unlabelled]]
    model.row_lower_ = np.r_[rows, np.zeros(labels), np.full(pairs, -highspy.kHighsInf)]
    model.row_upper_ = np.r_[rows, np.full(labels, highspy.kHighsInf), np.zeros(pairs)]
    _fill(
        model,
        np.r_[
            cell,
            tuples + label,
            tuples + labels + numbers,
            tuples + opened,
            tuples + labels + numbers,
            np.arange(unlabelled),
        ],
        np.r_[numbers, numbers, numbers, pairs + opened, pairs + label, pairs + labels + np.arange(unlabelled)],
        np.r_[np.ones(3 * pairs), np.full(labels, -float(problem.k)), -rows[cell], np.ones(unlabelled)],
    )
    return model


def _sized(columns: int, rows: int) -> Any:
    import highspy

    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = columns, rows
    return model


def _fill(model: Any, rows: Any, columns: Any, values: Any) -> None:
    import highspy
    import numpy as np

    order = np.lexsort((columns, rows))
    matrix = model.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.start_ = np.searchsorted(rows[order], np.arange(model.num_row_ + 1)).astype(np.int32)
    matrix.index_, matrix.value_ = columns[order].astype(np.int32), values[order]


@cache
def _silent() -> Any:
    """The class of solvers without output.

    HiGHS 1.16 prints its name while a solver is made, before any option can be set; `enableCallbacks` is called in
    between.
    """
    import highspy

    class Silent(highspy.Highs):  # type: ignore[misc]
        def enableCallbacks(self) -> None:  # noqa: N802
            self.setOptionValue("output_flag", False)
            super().enableCallbacks()

    return Silent


def solver_for(work: float, deadline: Deadline) -> Any:
    """A solver that stops at the deadline, or after so much work: the same on every machine, however busy it is.

    Work is counted in iterations of the simplex for each entry of the matrix; in an integer program, in its callbacks.
    """
    solver = _silent()()
    for name, value in (("threads", 1), ("random_seed", _SEED)):
        solver.setOptionValue(name, value)
    remaining = deadline.remaining()
    if remaining is not None:
        solver.setOptionValue("time_limit", max(0.0, remaining))
    solver.work, solver.callbacks_left = work, inf

    def stop(event: Any) -> None:
        if deadline.passed():
            event.interrupt()

    def look(event: Any) -> None:
        solver.callbacks_left -= 1
        if solver.callbacks_left < 0 or deadline.passed():
            event.interrupt()

    solver.cbSimplexInterrupt.subscribe(stop)
    solver.cbMipInterrupt.subscribe(look)
    return solver


def _pass(solver: Any, model: Any) -> None:
    """Passes the program to the solver, with as many steps as its work allows for that size."""
    entries = max(len(model.a_matrix_.index_), 1)
    solver.passModel(model)
    solver.callbacks_left = max(_FEWEST_CALLBACKS, _CALLBACKS * solver.work * _USUAL / entries)
    iterations = _ITERATIONS * solver.work / entries
    if iterations < _MOST_ITERATIONS:
        solver.setOptionValue("simplex_iteration_limit", ceil(iterations))


def _array(values: Any) -> Any:
    import numpy as np

    return np.array(values)
