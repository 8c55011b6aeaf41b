"""How well sensitive columns are predicted from the quasi-identifiers: in the source, in the release, and by guessing.

A decision tree has seen two thirds of the rows and is asked about the third, each third in its turn; what counts is the
share of the rows that it is right about. Python gets no row and no value: numbers of groups of values, of which a label
has its shares, and how many rows have them. This is what ARX calls classification performance (F. Prasser, J. Eicher,
R. Bild, H. Spengler, K. Kuhn: A tool for optimizing de-identified health data for use in statistical classification,
CBMS 2017).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kanon_sql.commands.subject import Subject
from kanon_sql.commands.utility.coding import Coded
from kanon_sql.commands.utility.propensity import Effects, draw_kinds, make_effects
from kanon_sql.report.report import Json
from kanon_sql.sql.deadline import Deadline
from kanon_sql.sql.template import Item, state

if TYPE_CHECKING:
    import numpy

FOLDS, DEPTH, LEAST = 3, 10, 0.001


def can_predict() -> bool:
    """Whether scikit-learn is there."""
    return find_spec("sklearn") is not None


def measure_prediction(subject: Subject, columns: Sequence[Coded], deadline: Deadline) -> Json:
    """For each sensitive column of codes the share of rows that is predicted rightly. Raises TimeUpError."""
    targets = [one for one in columns if one.column.role == "sensitive" and not one.summed]
    found: Json = {}
    effects = make_effects(subject, [one for one in columns if one.column.generalized]) if targets else []
    vectors = [_vectors(subject, one) for one in effects]
    for target in targets if effects else ():  # nothing can be told from quasi-identifiers of one value
        deadline.check()
        draw_kinds(subject, effects, target)
        sides = [_drawn(subject, effects, vectors, number) for number in (0, 1)]
        source, release = (_accuracy(*side) for side in sides)
        _, labels, rows = sides[0]
        found[target.name] = {"source": source, "release": release, "guessing": _most(labels, rows)}
    return found


def _vectors(subject: Subject, one: Effects) -> dict[int, list[float]]:
    """The shares of each kind of labels."""
    items: list[Item] = [{"name": name} for name in one.names]
    found = subject.engine.query(
        "commands/utility/listed_vectors", names={"vectors": one.vectors}, lists={"feature": items}
    )
    return {int(kind): list(map(float, shares)) for kind, *shares in found}


def _drawn(
    subject: Subject, effects: Sequence[Effects], vectors: Sequence[dict[int, list[float]]], number: int
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """The vectors of the quasi-identifiers, the labels to predict and the rows of a side."""
    import numpy

    items: list[Item] = [{"kind": one.kind} for one in effects]
    found = subject.engine.query(
        "commands/utility/listed_kinds",
        names={"drawn": state("utility_drawn")},
        lists={"item": items},
        values={"side": number},
    )
    shares = [
        [share for kind, known in zip(kinds, vectors, strict=True) for share in known[int(kind)]]
        for _, _, *kinds in found
    ]
    labels = numpy.array([int(label) for label, *_ in found])
    rows = numpy.array([int(count) for _, count, *_ in found])
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
        asked = (starts + rows - fold + FOLDS - 1) // FOLDS - (starts - fold + FOLDS - 1) // FOLDS
        seen = rows - asked
        if not asked.sum():
            continue
        if not seen.sum():
            return None
        tree = DecisionTreeClassifier(max_depth=DEPTH, min_weight_fraction_leaf=LEAST, random_state=0)
        known = seen > 0
        with warnings.catch_warnings():
            # Where nearly every row has a label of its own, and that is what the figure shall show.
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            tree.fit(shares[known], labels[known], sample_weight=seen[known])
        right += int(asked[tree.predict(shares) == labels].sum())
    return right / int(rows.sum())


def _most(labels: numpy.ndarray, rows: numpy.ndarray) -> float | None:
    """The share of the most frequent label."""
    import numpy

    if not rows.sum():
        return None
    return float(numpy.bincount(labels, weights=rows).max() / rows.sum())
