"""The integer program of local recoding, and its relaxation, by HiGHS (the extra `highs`).

A variable for each pair of a label and a tuple says how many of the tuple's rows are released there, and one for each
label, between 0 and 1, whether it is: all rows of a tuple have a label, one that is taken has k rows, and no tuple has
more rows there than it has where it is taken. With labels that may be taken in part that is a linear program, and
what a row more of a tuple would lose (its dual value) is the price that proves most.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from math import ceil, inf
from typing import Any

from kanon_sql.sql.deadline import Deadline

_INTEGRAL = 1e-6
_GAP = 1e-3  # of the loss: what is left unproven
_SEED = 1
_PRIMAL = 4  # simplex
# Steps for a work of 1: about a second on a machine of 2024.
_ITERATIONS = 4e8  # times entries of the matrix
_LOOKS, _USUAL, _FEWEST_LOOKS = 3.5, 40_000, 8  # of an integer program with so many entries
_MOST_ITERATIONS = 2**31 - 1


def is_installed() -> bool:
    """Whether the extra is there."""
    return find_spec("highspy") is not None and find_spec("numpy") is not None


@dataclass(frozen=True)
class Problem:
    """Arrays: `rows` of each tuple; for each pair its `label` and `cell`, from 0 on, and `cost`, what a row loses."""

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
    """What a relaxation found: its least loss, a price a tuple, how far labels are taken, rows a tuple without label.

    `names` are those of the labels of `problem`, `basis` is the solver's; a further relaxation can begin there.
    """

    loss: float
    prices: Any
    taken: Any
    unplaced: Any
    problem: Problem
    names: Any
    basis: Any


@dataclass(frozen=True)
class Chosen:
    """The rows of each pair, whole numbers, None where no classes were found; their loss, and the least of any."""

    rows: Any | None
    loss: float
    bound: float


def relax(problem: Problem, names: Any, caps: Any, before: Relaxed | None, solver: Any) -> Relaxed | None:
    """The linear program, where a row may have no label at the loss of its tuple's cap: so no price is above it.

    It begins where the one `before` ended, of fewer pairs of the same tuples. None where the solver's work ended.
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
    found, pairs = solver.getSolution(), len(problem.cell)
    values = _array(found.col_value)
    taken = values[pairs : pairs + problem.labels]
    prices = _array(found.row_dual)[: len(problem.rows)]
    unplaced = values[pairs + problem.labels :]
    loss = float(solver.getInfo().objective_function_value)
    return Relaxed(loss, prices, taken, unplaced, problem, names, solver.getBasis())


def _enlarged(before: Relaxed, problem: Problem, names: Any) -> Any:
    """The basis of another problem's relaxation, where labels and pairs that are new there have no part in it."""
    import highspy
    import numpy as np

    old, status = before.problem, highspy.HighsBasisStatus
    tuples, pairs, labels = len(old.rows), len(old.cell), old.labels
    label = _found(before.names, names)
    pair = _found(before.names[old.label] * tuples + old.cell, names[problem.label] * tuples + problem.cell)
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


def _found(known: Any, wanted: Any) -> Any:
    """Where each of the wanted stands among those known, which are in order; -1 where it does not."""
    import numpy as np

    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[at] == wanted, at, -1)


def choose(problem: Problem, sure: Any, start: Any | None, solver: Any) -> Chosen:
    """The best classes found with the solver's work; `bound` is for these pairs alone.

    Labels that are `sure` are taken. `start` are the rows of each pair in classes that are known. It ends once what is
    found is within 0.1 % of the bound.
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


def _solution(problem: Problem, rows: Any) -> Any:
    import highspy
    import numpy as np

    solution = highspy.HighsSolution()
    taken = np.bincount(problem.label, rows, problem.labels) > 0
    solution.col_value = np.r_[rows, taken].astype(float).tolist()
    return solution


def _place(problem: Problem, kept: Any) -> Any | None:
    """Rows for the pairs of labels that are taken: a transport, whose vertices are whole numbers."""
    import highspy
    import numpy as np

    _, label = np.unique(problem.label[kept], return_inverse=True)
    cell, pairs, tuples = problem.cell[kept], len(kept), len(problem.rows)
    labels = int(label.max()) + 1
    here = np.arange(pairs)
    model = _sized(pairs, tuples + labels)
    model.col_cost_ = problem.cost[kept]
    model.col_lower_, model.col_upper_ = np.zeros(pairs), problem.rows[cell]
    model.row_lower_ = np.r_[problem.rows, np.full(labels, float(problem.k))]
    model.row_upper_ = np.r_[problem.rows, np.full(labels, highspy.kHighsInf)]
    _fill(model, np.r_[cell, tuples + label], np.r_[here, here], np.ones(2 * pairs))
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


def _model(problem: Problem, caps: Any | None) -> Any:
    """Columns: the pairs, the labels, with caps the tuples' rows without label. Rows: tuples, labels, pairs."""
    import highspy
    import numpy as np

    label, cell, rows = problem.label, problem.cell, problem.rows
    pairs, labels, tuples = len(cell), problem.labels, len(rows)
    here, opened = np.arange(pairs), np.arange(labels)
    loose = 0 if caps is None else tuples
    model = _sized(pairs + labels + loose, tuples + labels + pairs)
    model.col_cost_ = np.r_[problem.cost, np.zeros(labels), np.zeros(0) if caps is None else caps]
    model.col_lower_ = np.zeros(pairs + labels + loose)
    model.col_upper_ = np.r_[rows[cell], np.ones(labels), rows[:loose]]
    model.row_lower_ = np.r_[rows, np.zeros(labels), np.full(pairs, -highspy.kHighsInf)]
    model.row_upper_ = np.r_[rows, np.full(labels, highspy.kHighsInf), np.zeros(pairs)]
    _fill(
        model,
        np.r_[cell, tuples + label, tuples + labels + here, tuples + opened, tuples + labels + here, np.arange(loose)],
        np.r_[here, here, here, pairs + opened, pairs + label, pairs + labels + np.arange(loose)],
        np.r_[np.ones(3 * pairs), np.full(labels, -float(problem.k)), -rows[cell], np.ones(loose)],
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
    """The class of solvers that say nothing.

    HiGHS 1.16 names itself on standard output while one is made, before an option of it can be set; `enableCallbacks`
    is a part of that.
    """
    import highspy

    class Silent(highspy.Highs):  # type: ignore[misc]
        def enableCallbacks(self) -> None:  # noqa: N802
            self.setOptionValue("output_flag", False)
            super().enableCallbacks()

    return Silent


def solver_for(work: float, deadline: Deadline) -> Any:
    """A solver that ends at the deadline, or after so much work: the same on every machine, however busy it is.

    Work is counted in iterations of the simplex for each entry of the program's matrix, of an integer program in its
    looks at whether to go on.
    """
    solver = _silent()()
    for name, value in (("threads", 1), ("random_seed", _SEED)):
        solver.setOptionValue(name, value)
    remaining = deadline.remaining()
    if remaining is not None:
        solver.setOptionValue("time_limit", max(0.0, remaining))
    solver.work, solver.looks_left = work, inf

    def stop(event: Any) -> None:
        if deadline.passed():
            event.interrupt()

    def look(event: Any) -> None:
        solver.looks_left -= 1
        if solver.looks_left < 0 or deadline.passed():
            event.interrupt()

    solver.cbSimplexInterrupt.subscribe(stop)
    solver.cbMipInterrupt.subscribe(look)
    return solver


def _pass(solver: Any, model: Any) -> None:
    """Gives the solver its program, and as many steps as its work allows of that size."""
    entries = max(len(model.a_matrix_.index_), 1)
    solver.passModel(model)
    solver.looks_left = max(_FEWEST_LOOKS, _LOOKS * solver.work * _USUAL / entries)
    iterations = _ITERATIONS * solver.work / entries
    if iterations < _MOST_ITERATIONS:
        solver.setOptionValue("simplex_iteration_limit", ceil(iterations))


def _array(values: Any) -> Any:
    import numpy as np

    return np.array(values)
