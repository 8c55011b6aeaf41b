"""How well the rows of the release can be told from those of the source: pMSE.

A logistic regression on main effects is fitted to the rows of both; pMSE is the mean squared distance of the fitted
propensities from the share of the release: 0 where nothing tells them apart, c (1 - c) with the share c where
everything does, 0.25 for tables of one size (J. Snoke, G. Raab, B. Nowok, C. Dibben, A. Slavkovic: General and specific
utility measures for synthetic data, JRSS A 2018, section 3). An effect is the share of a row's label in a group of the
values of a column. It is fitted by iteratively reweighted least squares: the engine sums, Python solves the small
system.

How well sensitive columns are predicted from the quasi-identifiers: in the source, in the release, and by guessing.

A decision tree has seen two thirds of the rows and is asked about the third, each third in its turn; what counts is the
share of the rows that it is right about. Python gets no row and no value: numbers of groups of values, of which a label
has its shares, and how many rows have them. This is what ARX calls classification performance (F. Prasser, J. Eicher,
R. Bild, H. Spengler, K. Kuhn: A tool for optimizing de-identified health data for use in statistical classification,
CBMS 2017).
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations_with_replacement
from math import inf, log
from typing import TYPE_CHECKING

from kanon_sql.measures.release_pair import ReleasePair
from kanon_sql.measures.utility.compared import MOST_BINS, Coded, coded_table
from kanon_sql.sql import template
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Fill, Item

if TYPE_CHECKING:
    import numpy

    from kanon_sql.results.utility import Prediction


MOST_EFFECTS, MOST_GROUPS, MOST_ROWS = 30, 10, 100_000
_STEPS, _NEAR, _RIDGE, _SLACK = 60, 1e-6, 1e-8, 1e-12

_Fitted = tuple[float, float, list[float], list[list[float]]]


@dataclass(frozen=True)
class Effects:
    """The effects of one column: `size` groups of its bins beside the first."""

    coded: Coded
    size: int

    @property
    def names(self) -> list[str]:
        """The columns of the effects."""
        return [f"f{self.coded.column.index}_{group}" for group in range(1, self.size + 1)]

    @property
    def profiles(self) -> str:
        """The table of the labels' shares."""
        return self.coded.column.table("profiles")

    @property
    def vectors(self) -> str:
        """The table of the shares of each kind of labels."""
        return self.coded.column.table("vectors")

    @property
    def kind(self) -> str:
        """The column of kinds."""
        return f"k{self.coded.column.index}"


def measure_propensity(subject: ReleasePair, columns: Sequence[Coded], deadline: Deadline) -> float | None:
    """The pMSE, None where no column has two values, or one side no rows. Raises TimeUpError."""
    effects = make_effects(subject, [coded for coded in columns if not coded.summed])
    if not effects:
        return None
    draw_kinds(subject, effects, None)
    items: list[Item] = [{"kind": effect.kind, "vectors": effect.vectors} for effect in effects]
    parts: list[Item] = [
        {"feature": template.column(name, effect.vectors), "name": name} for effect in effects for name in effect.names
    ]
    subject.engine.query("measures/utility/design", lists={"item": items, "part": parts})
    return _fit(subject, ["x0", *(name for effect in effects for name in effect.names)], deadline)


def make_effects(subject: ReleasePair, columns: Sequence[Coded]) -> list[Effects]:
    """Groups the bins of each column, and makes the tables of its profiles and vectors."""
    most = min(max(MOST_EFFECTS // max(len(columns), 1) + 1, 2), MOST_GROUPS)
    all_effects = []
    for coded in columns:
        groups = _groups(subject, coded, most)
        size = max(groups.values())
        if not size:
            continue
        effects = Effects(coded, size)
        values = {"bins": json.dumps(list(groups)), "groups": json.dumps(list(groups.values()))}
        subject.engine.query("measures/utility/grouped", values=values)
        names = {"profiles": effects.profiles}
        names |= {f"{side}_bins": coded.bins(side) for side in ("source", "release")}
        items: list[Item] = [{"name": name, "number": number} for number, name in enumerate(effects.names, 1)]
        subject.engine.query("measures/utility/profiles", names=names, lists={"feature": items})
        names = {"profiles": effects.profiles, "vectors": effects.vectors}
        subject.engine.query("measures/utility/vectors", names=names, lists={"feature": items})
        all_effects.append(effects)
    return all_effects


def _groups(subject: ReleasePair, coded: Coded, most: int) -> dict[int, int]:
    """The group of each bin, numbered from 0: of about as many rows where there is an order, else the most frequent.

    What stands for no value of the source is a group of its own.
    """
    engine = subject.engine
    names = {"bins": coded.column.table("bins"), "ranks": coded.column.table("ranks")}
    rows = {int(bin_): int(count) for bin_, count in engine.query("measures/utility/listed_bins", names=names)}
    grouped = _grouped(rows, most, ordered=coded.ordered)
    released = {"label_bins": coded.bins("release")}
    if engine.query("measures/utility/strangers", names=released, values={"most": MOST_BINS})[0][0]:
        grouped[MOST_BINS] = max(grouped.values()) + 1
    return grouped


def _grouped(rows: dict[int, int], most: int, *, ordered: bool) -> dict[int, int]:
    if len(rows) <= most:
        return {bin_: number for number, bin_ in enumerate(rows)}
    if not ordered:
        by_rows = sorted(rows, key=lambda bin_: (-rows[bin_], bin_))
        return {bin_: min(number, most - 1) for number, bin_ in enumerate(by_rows)}
    whole, so_far, groups = sum(rows.values()), 0.0, {}
    for bin_, count in rows.items():
        groups[bin_] = int(most * (so_far + count / 2) / whole)
        so_far += count
    dense = {group: number for number, group in enumerate(sorted(set(groups.values())))}
    return {bin_: dense[group] for bin_, group in groups.items()}


def draw_kinds(subject: ReleasePair, effects: Sequence[Effects], target: Coded | None) -> None:
    """Makes the table drawn(is_release, target, kinds, row_count) of both sides, at most about MOST_ROWS rows."""
    items: list[Item] = [
        {"kind": effect.kind, "code": effect.coded.code, "profiles": effect.profiles} for effect in effects
    ]
    names: dict[str, Fill] = {}
    for number, side in enumerate(("source", "release")):
        coded: dict[str, Fill] = {"coded": coded_table(side), "side_number": number}
        coded["target_code"] = target.code if target else 0
        names[f"{side}_kinds"] = template.fill("measures/utility/kinds", names=coded, lists={"item": items})
    subject.engine.query("measures/utility/drawn", names=names, lists={"item": items}, values={"most": MOST_ROWS})


def _fit(subject: ReleasePair, parts: Sequence[str], deadline: Deadline) -> float | None:
    rows, released = (float(count or 0) for count in subject.engine.query("measures/utility/sides")[0])
    if not 0 < released < rows:
        return None  # of a few rows beside very many none may have been drawn
    share = released / rows
    pairs = list(combinations_with_replacement(range(len(parts)), 2))
    statement = template.render(
        "measures/utility/newton",
        lists={
            "part": [{"x": name, "number": number} for number, name in enumerate(parts, 1)],
            "pair": [{"first": parts[i], "second": parts[j]} for i, j in pairs],
        },
    )

    def fitted(beta: list[float]) -> _Fitted:
        deadline.check()
        row = list(map(float, subject.engine.run(statement, {"beta": beta, "share": share})[0]))
        matrix = [[0.0] * len(parts) for _ in parts]
        for (i, j), second in zip(pairs, row[len(parts) + 2 :], strict=True):
            matrix[i][j] = matrix[j][i] = second
        return row[0], row[1], row[2 : len(parts) + 2], matrix

    maximum = largest(fitted, [log(share / (1 - share)), *(0.0 for _ in parts[1:])], rows)
    return maximum if maximum > 1e-12 else 0.0


def largest(fitted: Callable[[list[float]], _Fitted], start: list[float], rows: float) -> float:
    """The mean squared distance where the likelihood of `rows` rows is largest, by Newton's method from `start`.

    `fitted` gives for coefficients this distance, the logarithm of the likelihood, its gradient and the matrix of its
    second derivatives, with the sign turned. A step that leads downhill is halved: whole ones may go to and fro.
    """
    # Where everything is told apart there is no largest likelihood: it is bounded a little.
    ridge = _RIDGE * rows
    here, step, highest, last = start, [0.0] * len(start), -inf, 0.0
    for _ in range(_STEPS):
        there = [value + change for value, change in zip(here, step, strict=True)]
        distance, likelihood, gradient, matrix = fitted(there)
        height = likelihood - ridge / 2 * sum(value * value for value in there[1:])
        if height < highest - _SLACK * rows:
            step = [change / 2 for change in step]
            continue
        is_near = highest > -inf and abs(distance - last) <= _NEAR
        here, highest, last = there, height, distance
        if is_near:
            break
        for i, value in enumerate(here):
            matrix[i][i] += ridge
            gradient[i] -= ridge * value * (i > 0)
        step = solved(matrix, gradient)
    return last


def solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a system of linear equations, by Gauss with the largest pivot of each column."""
    size = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for place in range(size):
        best = max(range(place, size), key=lambda i: abs(rows[i][place]))
        rows[place], rows[best] = rows[best], rows[place]
        pivot = rows[place]
        for below in rows[place + 1 :]:
            factor = below[place] / pivot[place]
            if factor:
                for i in range(place, size + 1):
                    below[i] -= factor * pivot[i]
    solution = [0.0] * size
    for place in reversed(range(size)):
        settled = sum(rows[place][i] * solution[i] for i in range(place + 1, size))
        solution[place] = (rows[place][size] - settled) / rows[place][place]
    return solution


FOLDS, DEPTH, LEAST = 3, 10, 0.001


def can_predict() -> bool:
    """Whether scikit-learn is there."""
    return find_spec("sklearn") is not None


def measure_prediction(subject: ReleasePair, columns: Sequence[Coded], deadline: Deadline) -> dict[str, Prediction]:
    """For each sensitive column of codes the share of rows that is predicted rightly. Raises TimeUpError."""
    targets = [coded for coded in columns if coded.column.role == "sensitive" and not coded.summed]
    measured: dict[str, Prediction] = {}
    effects = make_effects(subject, [coded for coded in columns if coded.column.generalized]) if targets else []
    vectors = [_vectors(subject, effect) for effect in effects]
    for target in targets if effects else ():  # nothing can be told from quasi-identifiers of one value
        deadline.check()
        draw_kinds(subject, effects, target)
        sides = [_drawn(subject, effects, vectors, number) for number in (0, 1)]
        source, release = (_accuracy(*side) for side in sides)
        _, labels, rows = sides[0]
        measured[target.name] = {"source": source, "release": release, "guessing": _most(labels, rows)}
    return measured


def _vectors(subject: ReleasePair, effects: Effects) -> dict[int, list[float]]:
    """The shares of each kind of labels."""
    items: list[Item] = [{"name": name} for name in effects.names]
    rows = subject.engine.query(
        "measures/utility/listed_vectors", names={"vectors": effects.vectors}, lists={"feature": items}
    )
    return {int(kind): list(map(float, shares)) for kind, *shares in rows}


def _drawn(
    subject: ReleasePair, effects: Sequence[Effects], vectors: Sequence[dict[int, list[float]]], number: int
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """The vectors of the quasi-identifiers, the labels to predict and the rows of a side."""
    import numpy

    items: list[Item] = [{"kind": effect.kind} for effect in effects]
    counts = subject.engine.query(
        "measures/utility/listed_kinds",
        lists={"item": items},
        values={"side": number},
    )
    shares = [
        [share for kind, by_kind in zip(kinds, vectors, strict=True) for share in by_kind[int(kind)]]
        for _, _, *kinds in counts
    ]
    labels = numpy.array([int(label) for label, *_ in counts])
    rows = numpy.array([int(count) for _, count, *_ in counts])
    return numpy.array(shares), labels, rows


def _accuracy(shares: numpy.ndarray, labels: numpy.ndarray, rows: numpy.ndarray) -> float | None:
    import numpy
    from sklearn.tree import DecisionTreeClassifier

    if not rows.sum():
        return None  # of a few rows beside very many none may have been drawn
    starts = numpy.cumsum(rows) - rows
    right = 0
    for fold in range(FOLDS):
        # Of the rows of a combination every third is in a fold, counted on from those before.
        tested = (starts + rows - fold + FOLDS - 1) // FOLDS - (starts - fold + FOLDS - 1) // FOLDS
        seen = rows - tested
        if not tested.sum():
            continue
        if not seen.sum():
            return None
        tree = DecisionTreeClassifier(max_depth=DEPTH, min_weight_fraction_leaf=LEAST, random_state=0)
        trained = seen > 0
        with warnings.catch_warnings():
            # Where nearly every row has a label of its own, and that is what the figure shall show.
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            tree.fit(shares[trained], labels[trained], sample_weight=seen[trained])
        right += int(tested[tree.predict(shares) == labels].sum())
    return right / int(rows.sum())


def _most(labels: numpy.ndarray, rows: numpy.ndarray) -> float | None:
    """The share of the most frequent label."""
    import numpy

    if not rows.sum():
        return None
    return float(numpy.bincount(labels, weights=rows).max() / rows.sum())
