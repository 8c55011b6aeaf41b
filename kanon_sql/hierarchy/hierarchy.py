"""Hierarchies, and the quasi-identifiers of a source with what generalizes them, before this is in the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.source.columns import counted_values, distinct_values, means_missing
from kanon_sql.source.model import Column, Source, is_nested
from kanon_sql.source.roles import Roles
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, type_of

_WITHOUT_TEXT = ("BLOB", "BIT", "VARIANT", "GEOMETRY")


@dataclass(frozen=True)
class Hierarchy:
    """A hierarchy with all its values: `levels[0]` are the values themselves, the last level has one label.

    `levels[j][i]` is the label of value number i at level j; every level is a function of the level below. `warnings`
    are about rows that the file repeats.
    """

    name: str
    leaves: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    warnings: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.levels) - 1


@dataclass(frozen=True)
class GeneralizedColumn:
    """A column whose hierarchy is not in the engine yet, or that has none; `index` numbers its tables.

    `distinct` selects the distinct raw values as `value`; `counted`, if the rows of the source are read, selects them
    with their numbers of rows as `row_count`. `missing` are the texts of a text column that are read as NULL,
    `released_missing` is the text under which missing values are released below the top, None for NULL. `place` is
    where the configuration names the column.
    """

    index: int
    column: Column
    spec: QuasiIdentifier
    distinct: exp.Select
    hierarchy: Hierarchy | None = None
    missing: tuple[str, ...] = ()
    released_missing: str | None = None
    place: str = ""
    counted: exp.Select | None = None

    @property
    def where(self) -> str:
        """The beginning of a problem of the column."""
        return self.place or f"quasi-identifier {self.column.name!r}"

    @property
    def type(self) -> exp.DataType:
        """The type of the column."""
        return type_of(self.column.type)

    @property
    def absent(self) -> list[str | None]:
        """The raw values that are read as missing, NULL among them."""
        return [None, *dict.fromkeys(self.missing if self.column.is_text else ())]


Hierarchies = Mapping[str, tuple[QuasiIdentifier, Hierarchy | None]]


def inputs_of(
    engine: Engine,
    loaded: LoadedConfig,
    source: Source,
    hierarchies: Hierarchies,
    values: Sequence[exp.Select],
    warnings: list[str],
    *,
    weighted: bool,
) -> list[GeneralizedColumn]:
    """The quasi-identifiers with what generalizes them; adds to `warnings`.

    `values` has for each of them a SELECT of its values, of `weighted` rows with their row_count.
    """
    inputs = []
    for index, (name, tuples) in enumerate(zip(loaded.config.quasi_identifiers, values, strict=True)):
        (spec, hierarchy), col = hierarchies[name], source.column(name)
        distinct = distinct_values(tuples, col)
        missing = source.missing if col.is_text else ()
        released = _released_missing(engine, col, distinct, missing, warnings)
        place = loaded.place("quasi_identifiers", name)
        counted = counted_values(tuples, col, weighted=weighted)
        inputs.append(GeneralizedColumn(index, col, spec, distinct, hierarchy, missing, released, place, counted))
    return inputs


def _released_missing(
    engine: Engine, col: Column, distinct: exp.Select, missing: tuple[str, ...], warnings: list[str]
) -> str | None:
    """The text under which missing values of a quasi-identifier are released below the top; None for NULL.

    Where the source writes them in several ways they are released in one, or they would split a class.
    """
    if not any(missing):
        return None
    absent = means_missing(column("value"), missing)
    rows = engine.run(exp.select("value").from_(distinct.copy().subquery("present")).where(absent))
    present = {row[0] for row in rows}
    if len(present) > 1:
        warnings.append(f"column {col.name!r} writes missing values in {len(present)} ways; they are released as one")
    if None in present or not present:
        return None
    return next(text for text in missing if text in present)


def without_text(described: str) -> bool:
    """Whether values of a type, as DuckDB describes it, have no order and no text; no quasi-identifier may have it."""
    return is_nested(described) or described.startswith(_WITHOUT_TEXT)


def refuse_nested(roles: Roles, loaded: LoadedConfig) -> None:
    """Raises ConfigurationError for quasi-identifiers of types that have no order and no text."""
    problems = [
        f"{loaded.place('quasi_identifiers', col.name)}: column {col.name!r} is of type {col.type[:40]}; "
        "expected a text, number, date, timestamp or boolean: cast it in source.query"
        for col in roles.quasi_identifiers
        if without_text(col.type)
    ]
    if problems:
        raise ConfigurationError(problems)
