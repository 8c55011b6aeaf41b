"""What a treatment of values is: how it is written in SQL, what it needs, and what it must leave."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from sqlglot import exp

from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.model import Column, Source
from kanon_sql.source.treatments.keys import Keys
from kanon_sql.sql.dialects import Dialect

Json = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A value in a statement, as one treatment of its column sees it.

    `sought` are the statements that find what a treatment must not be told, by its key: ends that no release shows.

    It is never missing. Of a text that stands for a number or a moment `value` is the plain numeral or the ISO text,
    `written` the text as it stands; else both are the value. `missing` are texts that mean missing. `others` are the
    columns of the source as they are read, by their names, each with its value. Never change an expression of it: take
    copies.
    """

    value: exp.Expr
    written: exp.Expr
    item: Column
    one: TreatmentConfig
    dialect: Dialect
    keys: Keys
    missing: tuple[str, ...]
    others: Mapping[str, tuple[Column, exp.Expr]]
    sought: Mapping[str, exp.Expr] = field(default_factory=dict)


@dataclass(frozen=True)
class Settling:
    """What a treatment that looks at the data is given: the source as it is read, and the column in it.

    `k` rows at least must stand behind whatever it finds, or as many of the persons that `entity` names; `place` says
    where the configuration asks for it.
    """

    source: Source
    item: Column
    one: TreatmentConfig
    k: int
    place: str
    entity: Column | None
    dialect: Dialect


class Treatment(ABC):
    """One kind of treatment, asked for by the `key` of a column's entry.

    `needs` says what the column must hold; texts are understood as that then. It is written in the `dialects`.
    """

    key: ClassVar[str]
    needs: ClassVar[Literal["number", "moment"] | None] = None
    dialects: ClassVar[tuple[str, ...]] = ("duckdb", "spark", "databricks", "postgres")

    def problem(self, source: Source, item: Column, one: TreatmentConfig) -> str | None:
        """What is wrong with the column for this treatment; None where nothing is."""
        return None

    def settle(self, asked: Settling) -> TreatmentConfig:
        """The setting with what depends on the data found. Raises UnfittingSourceError."""
        return asked.one

    def outside(self, cell: Cell) -> exp.Expr | None:
        """Whether a value of the source is one that cannot be treated; None where any can."""
        return None

    def told_outside(self, one: TreatmentConfig) -> str:
        """What is said of such values: "lie ..."."""
        return "cannot be treated"

    @abstractmethod
    def value(self, cell: Cell) -> exp.Expr:
        """What becomes of a value: of a text a text, of another a value of the column's type; NULL of NULL."""

    def becomes(self, item: Column, one: TreatmentConfig) -> Column:
        """The column afterwards."""
        return item

    def holds(self, value: exp.Expr, item: Column, one: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        """Whether a written value, which is not missing, is one that the treatment leaves; None where any may be.

        `item` is the column as it is released. It is counted by SQL that shares nothing with `value`.
        """
        return None

    def broken(self, one: TreatmentConfig) -> str:
        """What is said of values for which that does not hold: "are ..."."""
        return "are not what the treatment leaves"

    @abstractmethod
    def describe(self, one: TreatmentConfig) -> Json:
        """The report's entry."""

    def recorded(self, one: TreatmentConfig) -> Json:
        """The ledger's entry: equal where the same value becomes the same; nothing in it is secret."""
        return self.describe(one)
