"""What a search ends with, whatever the algorithm: something that can be released, verified, reported, compiled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from kanon_sql.recount.counting import ClassCounts
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine

if TYPE_CHECKING:
    from kanon_sql.commands.run.betraying import Finer
    from kanon_sql.release.body import Asked, Body

Json = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """What is asked of every release: the smallest class, the suppressed rows allowed, weights of the loss."""

    k: int
    limit: int
    weights: tuple[float, ...]


@dataclass(frozen=True)
class Writing:
    """How a release is written.

    With `plain_text` generalized values are VARCHAR; else they may be of an ENUM type, which files store as text and
    write faster. With `as_text` every quasi-identifier is VARCHAR, as where rows may be masked. `masked` says that
    suppressed rows stay as `*`. `seed` is for tests: it makes the random order repeatable.
    """

    order: str
    seed: int | None
    plain_text: bool
    as_text: bool
    masked: bool = False


class Solution(ABC):
    """The release that a search chose, or why there is none."""

    request: Request
    suppressed: int
    notes: tuple[str, ...]

    @abstractmethod
    def require(self) -> None:
        """Raises NoReleaseError or OutOfTimeError where there is nothing to release."""

    @abstractmethod
    def describe(self) -> Json:
        """The report's entry `solution`."""

    @abstractmethod
    def describe_search(self) -> Json:
        """The report's entry `search`; also of a search that found nothing."""

    @abstractmethod
    def describe_loss(self) -> Json:
        """The report's entry `loss`."""

    @abstractmethod
    def class_count(self) -> int:
        """How many classes the search counted, masked rows left out."""

    @abstractmethod
    def can_mask(self) -> bool:
        """Whether the suppressed rows, with released ones that are * everywhere anyway, make a class that satisfies."""

    @abstractmethod
    def columns(self) -> list[str]:
        """The names of the released columns in order."""

    @abstractmethod
    def finer(self) -> list[Finer]:
        """The quasi-identifiers that are generalized, and where their finer values are."""

    @abstractmethod
    def select(self, writing: Writing) -> exp.Expr:
        """SELECT of the released rows under their real names."""

    @abstractmethod
    def verify(self, engine: Engine, written: Source, masked: int) -> ClassCounts:
        """Counts what was written again. Raises VerificationError with every point that does not hold."""

    @abstractmethod
    def compiled(self, asked: Asked) -> Body:
        """The release as one SELECT over the source, for others to execute."""
