"""The quasi-identifiers of a source with what generalizes them, before their hierarchies are in the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.hierarchy import Hierarchy, Input
from kanon_sql.source.model import Column, Source, is_nested
from kanon_sql.source.roles import Roles
from kanon_sql.source.values import counted_values, distinct_values, means_missing
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

_WITHOUT_TEXT = ("BLOB", "BIT", "VARIANT", "GEOMETRY")

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
) -> list[Input]:
    """The quasi-identifiers with what generalizes them; `values` select tables of them, one each, `weighted` ones with
    their rows as row_count.

    Adds to `warnings`.
    """
    inputs = []
    for index, (name, tuples) in enumerate(zip(loaded.config.quasi_identifiers, values, strict=True)):
        (spec, hierarchy), item = hierarchies[name], source.column(name)
        distinct = distinct_values(tuples, item)
        missing = source.missing if item.is_text else ()
        released = _released_missing(engine, item, distinct, missing, warnings)
        place = loaded.place("quasi_identifiers", name)
        counted = counted_values(tuples, item, weighted=weighted)
        inputs.append(Input(index, item, spec, distinct, hierarchy, missing, released, place, counted))
    return inputs


def _released_missing(
    engine: Engine, item: Column, distinct: exp.Select, missing: tuple[str, ...], warnings: list[str]
) -> str | None:
    """The text under which missing values of a quasi-identifier are released below the top of its hierarchy.

    Where the source writes them in several ways they are released in one, or a class would be told apart.
    """
    if not any(missing):
        return None
    absent = means_missing(column("value"), missing)
    found = engine.run(exp.select("value").from_(distinct.copy().subquery("present")).where(absent))
    present = {row[0] for row in found}
    if len(present) > 1:
        warnings.append(f"column {item.name!r} writes missing values in {len(present)} ways; they are released as one")
    if None in present or not present:
        return None
    return next(text for text in missing if text in present)


def without_text(described: str) -> bool:
    """Whether values of a type, as DuckDB describes it, have no order and no text: no quasi-identifier is of it."""
    return is_nested(described) or described.startswith(_WITHOUT_TEXT)


def refuse_nested(roles: Roles, loaded: LoadedConfig) -> None:
    """Refuses quasi-identifiers of types that have no order and no text. Raises ConfigurationError."""
    problems = [
        f"{loaded.place('quasi_identifiers', item.name)}: column {item.name!r} is of type {item.type[:40]}; "
        "expected a text, number, date, timestamp or boolean: cast it in source.query"
        for item in roles.quasi_identifiers
        if without_text(item.type)
    ]
    if problems:
        raise ConfigurationError(problems)
