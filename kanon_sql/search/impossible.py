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

from functools import partial

from kanon_sql.frequency.judged import Models
from kanon_sql.privacy.base import MostEven
from kanon_sql.privacy.registry import Model
from kanon_sql.sql.connection import Engine


def impossible(engine: Engine, models: Models, limit: int) -> list[str]:
    """Why no release that suppresses at most `limit` rows satisfies the models, one line for each; empty if unknown."""
    found = (model.spec.impossible(partial(_most_even, engine, models, model, limit), limit) for model in models.models)
    return [problem for problem in found if problem is not None]


def _most_even(engine: Engine, models: Models, model: Model, limit: int, least: int, from_the: int) -> MostEven:
    """The values of a model's column; how often each occurs says nothing where entities are counted."""
    assert model.column is not None
    row = engine.query(
        "privacy/most_even",
        names={"reference": models.columns[model.column].reference},
        values={"limit": limit, "least": least, "l": from_the},
    )[0]
    most = MostEven(int(row[0]), int(row[1] or 0), row[2], row[3], int(row[4]))
    return most._replace(level=None, entropy=None) if models.by_entity else most
