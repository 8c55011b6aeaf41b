"""What no release of a table can satisfy, told by its sensitive values alone, before any search.

Every bound here is on all releases at once. Take the released rows as one class: they are all rows but at most `limit`.
An entropy is concave, the greatest share of a value convex in the distribution of a class, so that where each class
holds an entropy of ln(l) or a greatest share of alpha the one class does. With recursive (c,l)-diversity the most
frequent value of the one class has at most the sum of those of the classes, and its rest from the l-th value on at
least the sum of theirs, so that it holds what they all hold. And of all ways to suppress `limit` rows the one that
takes them from the most frequent values, until these are equally frequent, leaves the most even distribution: nothing
else has more entropy, or a smaller greatest value or share. What this one does not hold, no release holds. The converse
is not said. Where entities are counted, classes that are joined count an entity once: there only the number of
different values bounds.

t-closeness, beta-likeness and delta-disclosure compare with all rows, which as one class always satisfy them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from kanon_sql.privacy import parameters as privacy
from kanon_sql.privacy.model import Model, Models
from kanon_sql.sql.connection import Engine

# Floats may be off by as much; what is only just impossible is left to the search.
_MARGIN = 1e-6


class _MostEven(NamedTuple):
    """A column's values with `limit` rows suppressed so that they are most even; None where no row need be left."""

    values: int
    left: int
    level: float | None
    entropy: float | None
    tail: int


def impossible(engine: Engine, models: Models, limit: int) -> list[str]:
    """Why no release that suppresses at most `limit` rows satisfies the models, one line for each; empty if unknown."""
    found = (_problem(engine, models, model, limit) for model in models.models)
    return [problem for problem in found if problem is not None]


def _problem(engine: Engine, models: Models, model: Model, limit: int) -> str | None:
    spec, name = model.spec, model.column
    if name is None or not isinstance(spec, (privacy.LDiversity, privacy.AlphaK)):
        return None
    of_each = int(spec.l) if isinstance(spec, privacy.LDiversity) else 1
    row = engine.query(
        "search/most_even",
        names={"reference": models.columns[name].reference},
        values={"limit": limit, "least": 1 if isinstance(spec, privacy.LDiversity) else 0, "l": of_each},
    )[0]
    most = _MostEven(int(row[0]), int(row[1] or 0), row[2], row[3], int(row[4]))
    if models.by_entity:
        most = most._replace(level=None, entropy=None)
    if isinstance(spec, privacy.AlphaK):
        return _too_frequent(spec, most, limit)
    return _too_few(spec, most, limit)


def _too_few(spec: privacy.LDiversity, most: _MostEven, limit: int) -> str | None:
    """Of l-diversity: too few values, or too uneven ones."""
    wanted = f"no release satisfies {spec.variant} l = {spec.l} in {spec.column!r}"
    values = f"{most.values:,} different value{'s' * (most.values != 1)}"
    if most.values < (float(spec.l) * (1 - _MARGIN) if spec.variant == "entropy" else int(spec.l)):
        return f"{wanted}: the rows that take part have only {values}; ask for less"
    allowed = f"with {limit:,} row{'s' * (limit != 1)} suppressed"
    if spec.variant == "entropy" and most.entropy is not None and most.entropy < math.log(spec.l) - _MARGIN:
        return (
            f"{wanted}: {allowed} the {values} are at best as diverse as {math.exp(most.entropy):.4g} equally frequent "
            "ones; ask for less, or raise suppression.limit"
        )
    bound = float(spec.c or 0) * most.tail
    if spec.variant == "recursive" and most.level is not None and most.level > bound * (1 + _MARGIN):
        return (
            f"{wanted}, c = {spec.c}: {allowed} the most frequent value still has {most.level:,.6g} rows, those from "
            f"the {int(spec.l)}th on {most.tail:,}; ask for less, or raise suppression.limit"
        )
    return None


def _too_frequent(spec: privacy.AlphaK, most: _MostEven, limit: int) -> str | None:
    """Of (alpha, k)-anonymity: a value that is too frequent in what is left, or too few values for any class."""
    least = 1 / most.values if most.level is None else most.level / most.left
    if float(spec.alpha) >= least - _MARGIN:
        return None
    allowed = f"with {limit:,} row{'s' * (limit != 1)} suppressed"
    return (
        f"no release satisfies alpha = {spec.alpha} in {spec.column!r}: {allowed} the most frequent of {most.values:,} "
        f"values has a share of {least:.4g} at least; ask for less, or raise suppression.limit"
    )
