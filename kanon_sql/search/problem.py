"""A source that was read for a search, and what a search of it ends with, whatever the algorithm.

What no release of a table can satisfy, told by its sensitive values alone, before any search.

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

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlglot import exp

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.frequency.judged import Models
from kanon_sql.privacy.base import MostEven
from kanon_sql.privacy.registry import Model
from kanon_sql.progress import Progress
from kanon_sql.source.model import Source
from kanon_sql.source.roles import Roles
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline

Json = dict[str, Any]

_SLACK = 1e-9  # of an objective: sums in another order differ by less


def gap(objective: float | None, bound: float | None) -> float | None:
    """The share by which the objective can be above the least there is; None where the bound does not tell."""
    if objective is None or bound is None:
        return None
    above = max(objective - bound, 0.0)
    if above <= _SLACK * abs(objective):
        return 0.0
    return above / bound if bound > 0 else None


@dataclass(frozen=True)
class Request:
    """What is asked of every release: the smallest class, the suppressed rows allowed, weights of the loss."""

    k: int
    limit: int
    weights: tuple[float, ...]


@dataclass(frozen=True)
class SearchProblem(ABC):
    """An opened source, with the tables that a search works on in the engine.

    `rows` selects the `n` rows that take part of its `source_rows`; `models` judge its classes.
    Where it is `weighted`, `rows` selects their distinct tuples, with the rows of each as row_count.
    """

    source: Source
    roles: Roles
    rows: exp.Select
    models: Models
    n: int
    source_rows: int
    warnings: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the configuration's order."""
        return tuple(item.name for item in self.roles.quasi_identifiers)

    @property
    def weighted(self) -> bool:
        """Whether `rows` selects distinct tuples, since another engine holds the rows."""
        return self.source.backend.weighted

    def describe_engine(self) -> Json:
        """The report's entry `engine`: which holds the rows, and where the distinct tuples are searched."""
        return {"name": self.source.backend.abilities.name, "search_in": "duckdb"}

    @abstractmethod
    def solve(
        self, engine: Engine, algorithm: AlgorithmConfig, request: Request, deadline: Deadline, progress: Progress
    ) -> SearchResult:
        """Searches; may be called again for another request. Never raises for want of a release or of time."""


class SearchResult(ABC):
    """What a search chose, or why it chose nothing; only `require` and `describe_search` serve in either case."""

    problem: SearchProblem
    request: Request

    @property
    @abstractmethod
    def suppressed(self) -> int:
        """The rows of classes that violate what is asked for."""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """What a user is to be warned of."""

    @abstractmethod
    def require(self) -> None:
        """Raises NoReleaseError or OutOfTimeError where there is nothing to release."""

    @abstractmethod
    def describe(self) -> Json:
        """The report's entry `solution`."""

    @abstractmethod
    def least_levels(self) -> dict[str, int]:
        """The lowest level that a released row shows, of each quasi-identifier; without a hierarchy 0 is a value."""

    @abstractmethod
    def describe_search(self) -> Json:
        """The report's entry `search`; also of a search that found nothing."""

    @abstractmethod
    def describe_loss(self) -> Json:
        """The report's entry `loss`."""

    @abstractmethod
    def class_count(self) -> int:
        """How many classes the search counted, masked rows left out."""


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
