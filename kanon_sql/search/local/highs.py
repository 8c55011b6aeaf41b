"""The integer program of local recoding, and its relaxation, by HiGHS (the extra `highs`).

A variable for each pair of a label and a tuple says how many of the tuple's rows are released there, and one for each
label, between 0 and 1, whether it is: all rows of a tuple have a label, one that is taken has k rows, and no tuple has
more rows there than it has where it is taken. With labels that may be taken in part that is a linear program, and
what a row more of a tuple would lose (its dual value) is the price that proves most.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from kanon_sql.sql.deadline import Deadline

_INTEGRAL = 1e-6
_OPENED = 1e-6
_GAP = 1e-3  # of the loss: what is left unproven
_SEED = 1


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
    """What a relaxation found: its least loss, a price a tuple, which labels are taken, rows a tuple without label."""

    loss: float
    prices: Any
    taken: Any
    unplaced: Any


def relax(problem: Problem, caps: Any, seconds: float, deadline: Deadline) -> Relaxed | None:
    """The linear program, where a row may have no label at the loss of its tuple's cap: so no price is above it.

    None where it takes more seconds of processor time, or the deadline passed.
    """
    import highspy

    solver = _solver(seconds, deadline)
    solver.passModel(_model(problem, caps))
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    found, pairs = solver.getSolution(), len(problem.cell)
    values = _array(found.col_value)
    taken = values[pairs : pairs + problem.labels] > _OPENED
    prices = _array(found.row_dual)[: len(problem.rows)]
    unplaced = values[pairs + problem.labels :]
    return Relaxed(float(solver.getInfo().objective_function_value), prices, taken, unplaced)


def choose(problem: Problem, seconds: float, deadline: Deadline) -> Any | None:
    """The rows of each pair, whole numbers, in the best classes found in so much processor time, before the deadline.

    Within 0.1 % of the least loss where it came to its end. None where no classes were found.
    """
    import highspy
    import numpy as np

    solver = _solver(seconds, deadline)
    model = _model(problem, None)
    whole, part = highspy.HighsVarType.kInteger, highspy.HighsVarType.kContinuous
    pairs = len(problem.cell)
    model.integrality_ = [part] * pairs + [whole] * problem.labels
    solver.setOptionValue("mip_rel_gap", _GAP)
    solver.passModel(model)
    solver.run()
    values = _array(solver.getSolution().col_value)
    if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible or not len(values):
        return None
    taken = values[pairs:] > 0.5
    kept = np.flatnonzero(taken[problem.label])
    placed = _place(problem, kept)
    if placed is None:
        return None
    rows: Any = np.zeros(pairs, dtype=np.int64)
    rows[kept] = placed
    return rows


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
    solver = _solver(float("inf"), Deadline())
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


def _solver(seconds: float, deadline: Deadline) -> Any:
    """Ends after so much processor time: a busy machine finds about what an idle one does."""
    import highspy

    solver = highspy.Highs()
    for name, value in (("output_flag", False), ("threads", 1), ("random_seed", _SEED)):
        solver.setOptionValue(name, value)
    end = time.process_time() + seconds

    def stop(event: Any) -> None:
        if time.process_time() > end or deadline.passed():
            event.interrupt()

    for callback in (solver.cbSimplexInterrupt, solver.cbMipInterrupt):
        callback.subscribe(stop)
    return solver


def _array(values: Any) -> Any:
    import numpy as np

    return np.array(values)
