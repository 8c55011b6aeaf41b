"""What a search starts from and ends with, whatever the algorithm, and bounds on every possible release.

A bound shows, before any search and from the sensitive values alone, that no release satisfies a model. Take the
released rows as one class: they are all rows but at most `limit`. An entropy is concave, the greatest share of a value
convex in the distribution of a class, so that where each class holds an entropy of ln(l) or a greatest share of alpha
the one class does. With recursive (c,l)-diversity the most frequent value of the one class has at most the sum of those
of the classes, and its rest from the l-th value on at least the sum of theirs, so that it holds what they all hold. And
of all ways to suppress `limit` rows the one that takes them from the most frequent values, until these are equally
frequent, leaves the most even distribution: nothing else has more entropy, or a smaller greatest value or share. What
this one does not hold, no release holds. The converse does not follow. Where entities are counted, classes that are
joined count an entity once, and where rows hold several values one that is suppressed takes several pairs: there only
the number of different values is a bound.

t-closeness, beta-likeness and delta-disclosure compare with all rows, which as one class always satisfy them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from kanon_sql.results.run import EngineUsed, Loss, SearchEffort, Solution

Json = dict[str, Any]

_SLACK = 1e-9  # relative: the same objective, summed in another order, differs by less


def gap(objective: float | None, bound: float | None) -> float | None:
    """The share by which the objective may be above the optimum; None where the bound says nothing."""
    if objective is None or bound is None:
        return None
    excess = max(objective - bound, 0.0)
    if excess <= _SLACK * abs(objective):
        return 0.0
    return excess / bound if bound > 0 else None


@dataclass(frozen=True)
class Request:
    """What a release must hold: the smallest class `k`, at most `limit` suppressed rows; and weights of the loss."""

    k: int
    limit: int
    weights: tuple[float, ...]


@dataclass(frozen=True)
class SearchProblem(ABC):
    """An opened source, with the tables on which a search works in the engine.

    `rows` selects the `n` rows that take part, of the `source_rows`; if it is `weighted`, their distinct tuples with
    row_count. `models` judge the classes.
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
        return tuple(qi.name for qi in self.roles.quasi_identifiers)

    @property
    def weighted(self) -> bool:
        """Whether `rows` selects distinct tuples, because another engine holds the rows."""
        return self.source.backend.weighted

    def describe_engine(self) -> EngineUsed:
        """The report's entry `engine`: the engine with the rows, and the one that searches the distinct tuples."""
        return {"name": self.source.backend.abilities.name, "search_in": "duckdb"}

    @abstractmethod
    def solve(
        self, engine: Engine, algorithm: AlgorithmConfig, request: Request, deadline: Deadline, progress: Progress
    ) -> SearchResult:
        """Searches, also again with another request. Does not raise if there is no release or no time for one."""


class SearchResult(ABC):
    """What a search chose, or why it chose nothing: then only `require` and `describe_search` may be called."""

    problem: SearchProblem
    request: Request

    @property
    @abstractmethod
    def suppressed(self) -> int:
        """The rows of classes that violate the request, which are suppressed."""

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """Warnings to the user."""

    @abstractmethod
    def require(self) -> None:
        """Raises NoReleaseError or OutOfTimeError if there is nothing to release."""

    @abstractmethod
    def describe(self) -> Solution:
        """The report's entry `solution`."""

    @abstractmethod
    def least_levels(self) -> dict[str, int]:
        """The lowest level of each quasi-identifier that a released row shows; without a hierarchy 0 are values."""

    @abstractmethod
    def describe_search(self) -> SearchEffort:
        """The report's entry `search`; also of a search that found nothing."""

    @abstractmethod
    def describe_loss(self) -> Loss:
        """The report's entry `loss`."""

    @abstractmethod
    def class_count(self) -> int:
        """How many classes the search counted, without masked rows."""


def impossible(engine: Engine, models: Models, limit: int) -> list[str]:
    """Why no release that suppresses at most `limit` rows satisfies the models, a line a reason; empty if unknown."""
    reasons = (
        model.spec.impossible(partial(_most_even, engine, models, model, limit), limit) for model in models.models
    )
    return [reason for reason in reasons if reason is not None]


def _most_even(engine: Engine, models: Models, model: Model, limit: int, least: int, from_the: int) -> MostEven:
    """The most even distribution of a model's column after suppression; of pairs only its number of values."""
    assert model.column is not None
    row = engine.query(
        "privacy/most_even",
        names={"reference": models.columns[model.column].reference},
        values={"limit": limit, "least": least, "l": from_the},
    )[0]
    most = MostEven(int(row[0]), int(row[1] or 0), row[2], row[3], int(row[4]))
    return most._replace(level=None, entropy=None) if models.counts_pairs(model.column) else most
