"""What a treatment of values is: how it is written in SQL, what it needs of a column, and what it must leave."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from sqlglot import exp

from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.model import Column, Source
from kanon_sql.source.treatments.keys import KeySource
from kanon_sql.sql.dialects import Dialect

Json = dict[str, Any]


@dataclass(frozen=True)
class TreatedValue:
    """A value in a statement, as one treatment of its column sees it; never a missing one.

    For a text that stands for a number or a moment `value` is the plain numeral or the ISO text and `written` the text
    as it stands; otherwise both are the value. `missing` are the texts that mean missing. `others` are the columns of
    the source as they are read, by name, each with its value. `sought` has, by the key of a treatment, the SELECT of an
    end that the treatment must not be told, as no release shows it. Copy its expressions, never change them.
    """

    value: exp.Expr
    written: exp.Expr
    column: Column
    config: TreatmentConfig
    dialect: Dialect
    keys: KeySource
    missing: tuple[str, ...]
    others: Mapping[str, tuple[Column, exp.Expr]]
    sought: Mapping[str, exp.Expr] = field(default_factory=dict)


@dataclass(frozen=True)
class TreatedColumn:
    """A column of a source as it is read, for a treatment whose settings depend on the data.

    At least `k` rows must be behind whatever is found, or as many persons where `entity` is the column that names them;
    `place` is where the configuration asks for the treatment.
    """

    source: Source
    column: Column
    config: TreatmentConfig
    k: int
    place: str
    entity: Column | None
    dialect: Dialect


class Treatment(ABC):
    """One kind of treatment, asked for by the `key` of a column's entry.

    `needs` says what the column must hold; its texts are then understood as that. `dialects` are those that its SQL is
    written in.
    """

    key: ClassVar[str]
    needs: ClassVar[Literal["number", "moment"] | None] = None
    dialects: ClassVar[tuple[str, ...]]

    def problem(self, source: Source, column: Column, config: TreatmentConfig) -> str | None:
        """What is wrong with the column for this treatment; None where nothing is."""
        return None

    def settle(self, treated: TreatedColumn) -> TreatmentConfig:
        """The column's settings with what depends on the data filled in. Raises UnfittingSourceError."""
        return treated.config

    def outside(self, cell: TreatedValue) -> exp.Expr | None:
        """The condition that a value of the source cannot be treated; None where every value can."""
        return None

    def outside_problem(self, config: TreatmentConfig) -> str:
        """What a message says of such values, as "lie ..."."""
        return "cannot be treated"

    @abstractmethod
    def value(self, cell: TreatedValue) -> exp.Expr:
        """The treated value: a text for a text, otherwise a value of the column's type; NULL for NULL."""

    def becomes(self, column: Column, config: TreatmentConfig) -> Column:
        """The column after the treatment, which may have another type."""
        return column

    def holds(self, value: exp.Expr, column: Column, config: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        """The condition that a written value, not missing, is one that the treatment leaves; None where any may be.

        `column` is the column as it is released. The condition shares no SQL with `value`, which it checks.
        """
        return None

    def broken(self, config: TreatmentConfig) -> str:
        """What a message says of values that violate it, as "are ..."."""
        return "are not what the treatment leaves"

    @abstractmethod
    def describe(self, config: TreatmentConfig) -> Json:
        """The report's entry."""

    def recorded(self, config: TreatmentConfig) -> Json:
        """The ledger's entry: equal where equal values become equal; it holds no secret."""
        return self.describe(config)
