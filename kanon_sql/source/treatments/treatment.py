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
    """One kind of treatment: what is done to the values of a column before anything is counted.

    A treatment is a subclass in a module beside this one, a line in `registry.TREATMENTS`, whose order is that in which
    treatments act, and a field of `key`'s name in settings.treatments.TreatmentConfig, None where it is not asked for.

    `needs` says what the column must hold; its texts are then understood as that, so that `cell.value` is a plain
    numeral or an ISO text. `dialects` are those that its SQL is written in; in others it is refused. SQL is built as
    trees of sqlglot, never as text: a value is an expression, and what it is made of is copied.

    Only `value` and `describe` must be implemented. Who implements `holds` has every released value checked after it
    was written, by a condition that shares no SQL with `value`.

    Examples:
        Texts in capitals, asked for by `transform: {name: {upper: true}}`:

        >>> from sqlglot import exp
        >>> from kanon_sql.settings.treatments import TreatmentConfig
        >>> from kanon_sql.source.model import Column
        >>> from kanon_sql.source.treatments.keys import KeysBound
        >>> from kanon_sql.source.treatments.treatment import TreatedValue, Treatment
        >>> from kanon_sql.sql.dialects import find_dialect
        >>> class Upper(Treatment):
        ...     key = "upper"
        ...     dialects = ("duckdb", "spark", "databricks", "postgres")
        ...
        ...     def problem(self, source, column, config):
        ...         return None if column.is_text else "only texts have capitals; remove upper"
        ...
        ...     def value(self, cell):
        ...         return exp.Upper(this=cell.value.copy())
        ...
        ...     def holds(self, value, column, config, dialect):
        ...         small = exp.Literal.string("[a-z]")
        ...         return exp.not_(exp.RegexpLike(this=value.copy(), expression=small))
        ...
        ...     def broken(self, config):
        ...         return "are not in capitals"
        ...
        ...     def describe(self, config):
        ...         return {"upper": True}
        >>> name, duckdb = exp.column("c0"), find_dialect("duckdb")
        >>> column, config = Column("name", "c0", "VARCHAR"), TreatmentConfig.model_construct()
        >>> cell = TreatedValue(name, name, column, config, duckdb, KeysBound(), (), {})
        >>> Upper().value(cell).sql("duckdb")
        'UPPER(c0)'
    """

    key: ClassVar[str]
    needs: ClassVar[Literal["number", "moment"] | None] = None
    dialects: ClassVar[tuple[str, ...]]

    def problem(self, source: Source, column: Column, config: TreatmentConfig) -> str | None:
        """Why this treatment does not go with a column, by its type or its source; asked before any row is read.

        Args:
            source: the source of the column.
            column: the column as it is read.
            config: what is asked for of the column, all of its treatments.

        Returns: the rest of a message that begins with the column, or None where it goes (as by default).
        """
        return None

    def settle(self, treated: TreatedColumn) -> TreatmentConfig:
        """Fills in settings that depend on the data, such as the number that 1 % of the rows reach.

        Args:
            treated: the column, and behind how many rows or persons what is found must stand.

        Returns: the settings to go on with; those of the configuration by default.

        Raises: UnfittingSourceError where the data has no such setting.
        """
        return treated.config

    def outside(self, cell: TreatedValue) -> exp.Expr | None:
        """Which values of the source cannot be treated. They are counted, and the run is refused where there are any.

        Args:
            cell: the value before the treatment, never a missing one.

        Returns: the condition that the value is such, or None where every value can be treated (as by default).
        """
        return None

    def outside_problem(self, config: TreatmentConfig) -> str:
        """What a message says of values that are `outside`: the rest of "12 values ...", such as "lie beyond 9999"."""
        return "cannot be treated"

    @abstractmethod
    def value(self, cell: TreatedValue) -> exp.Expr:
        """The treated value. It is a function of the row alone, so that equal rows stay equal on every engine.

        Args:
            cell: the value, never a missing one: those stay as they are, and are not asked about.

        Returns: an expression in `cell.dialect`: a text for a text, otherwise a value of the column's type (or of the
            one that `becomes` gives), NULL for NULL.
        """

    def becomes(self, column: Column, config: TreatmentConfig) -> Column:
        """The column after the treatment, for the treatments that follow and for the release.

        Args:
            column: the column before it.
            config: what is asked for of the column.

        Returns: the column with the type of `value`; unchanged by default.
        """
        return column

    def holds(self, value: exp.Expr, column: Column, config: TreatmentConfig, dialect: Dialect) -> exp.Expr | None:
        """What a released value must be, counted in what was written: it shares no SQL with `value`, which it checks.

        Args:
            value: a written value that is not missing.
            column: the column as it is released.
            config: what was asked for of the column.
            dialect: that of the statement.

        Returns: the condition that the treatment may have left this value, or None where any may be (as by default).
        """
        return None

    def broken(self, config: TreatmentConfig) -> str:
        """What a message says of values for which `holds` fails: the rest of "3 values ...", such as "are no years"."""
        return "are not what the treatment leaves"

    @abstractmethod
    def describe(self, config: TreatmentConfig) -> Json:
        """The treatment as reports and pages name it.

        Args:
            config: what was asked for of the column, settled.

        Returns: a mapping that JSON holds, with no key and no value of the data that is not released.
        """

    def recorded(self, config: TreatmentConfig) -> Json:
        """The treatment as the ledger keeps it: equal in two releases where equal values become equal in both.

        By it a later release knows whether a column joins it to this one. It holds no secret.
        """
        return self.describe(config)
