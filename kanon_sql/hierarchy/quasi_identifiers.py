"""The quasi-identifiers of a source with what generalizes them, before their hierarchies are in the engine."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.config.load import LoadedConfig
from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.file import Hierarchy
from kanon_sql.hierarchy.mapping import Mapping, build_mapping
from kanon_sql.source.model import Column
from kanon_sql.source.roles import Roles
from kanon_sql.source.values import distinct_values
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

_NESTED = ("STRUCT", "MAP", "UNION", "BLOB", "BIT", "VARIANT", "GEOMETRY")


@dataclass(frozen=True)
class Input:
    """A quasi-identifier of which the hierarchy is not in the engine yet."""

    index: int
    column: Column
    spec: QuasiIdentifier
    hierarchy: Hierarchy | None
    distinct: exp.Select
    missing: tuple[str, ...]
    released_missing: str | None
    place: str


def input_of(
    engine: Engine,
    loaded: LoadedConfig,
    index: int,
    item: Column,
    resolved: tuple[QuasiIdentifier, Hierarchy | None],
    tuples: exp.Select,
    missing: tuple[str, ...],
    warnings: list[str],
) -> Input:
    """The quasi-identifier `item`, of which `tuples` hold the values; adds to `warnings`."""
    texts = missing if item.is_text else ()
    return Input(
        index=index,
        column=item,
        spec=resolved[0],
        hierarchy=resolved[1],
        distinct=distinct_values(tuples, item),
        missing=texts,
        released_missing=_released_missing(engine, item, tuples, texts, warnings),
        place=loaded.place("quasi_identifiers", item.name),
    )


def mapping_of(engine: Engine, one: Input) -> Mapping:
    """Makes the mapping table of a quasi-identifier."""
    return build_mapping(
        engine,
        index=one.index,
        column=one.column.name,
        column_type=one.column.type,
        spec=one.spec,
        hierarchy=one.hierarchy,
        distinct=one.distinct,
        missing=one.missing,
        released_missing=one.released_missing,
        place=one.place,
    )


def _released_missing(
    engine: Engine, item: Column, tuples: exp.Select, missing: tuple[str, ...], warnings: list[str]
) -> str | None:
    """The text under which missing values of a quasi-identifier are released below the top of its hierarchy.

    Where the source writes them in several ways they are released in one, or a class would be told apart.
    """
    texts = [text for text in missing if text != ""] if missing else []
    if not texts:
        return None
    values = [exp.Literal.string(text) for text in missing]
    value = column("value")
    absent = exp.or_(exp.In(this=value, expressions=values), exp.Is(this=value.copy(), expression=exp.null()))
    found = engine.run(exp.select("value").from_(distinct_values(tuples, item).subquery("present")).where(absent))
    present = {row[0] for row in found}
    if len(present) > 1:
        warnings.append(f"column {item.name!r} writes missing values in {len(present)} ways; they are released as one")
    if None in present or not present:
        return None
    return next(text for text in missing if text in present)


def refuse_nested(roles: Roles, loaded: LoadedConfig) -> None:
    """Refuses quasi-identifiers of types that have no order and no text. Raises ConfigurationError."""
    problems = [
        f"{loaded.place('quasi_identifiers', item.name)}: column {item.name!r} is of type {item.type[:40]}; "
        "expected a text, number, date, timestamp or boolean: cast it in source.query"
        for item in roles.quasi_identifiers
        if item.type.startswith(_NESTED) or item.type.endswith("]")
    ]
    if problems:
        raise ConfigurationError(problems)
