"""What the ledger keeps of a release: digests of its rows and places, and what its levels mean."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kanon_sql.config.model import QuasiIdentifier
from kanon_sql.hierarchy.builtin import describe
from kanon_sql.hierarchy.hierarchy import Hierarchy
from kanon_sql.ledger.there import sums_of_rows
from kanon_sql.source.columns import text_of
from kanon_sql.source.model import Column, Source
from kanon_sql.source.roles import Roles
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item

Json = dict[str, Any]
Hierarchies = Mapping[str, tuple[QuasiIdentifier, Hierarchy | None]]


@dataclass(frozen=True)
class Overview:
    """What one scan of a table tells: its fingerprint, its rows, about how many values each column has, by name.

    Of tables of other engines nothing is said of the values.
    """

    fingerprint: str
    rows: int
    estimates: Sequence[int]


def fingerprint(engine: Engine, table: Source) -> str:
    """A text that is equal for tables of equal columns and rows, in whatever order and format; it takes one scan."""
    return overview(engine, table).fingerprint


def overview(engine: Engine, table: Source) -> Overview:
    """The fingerprint of a table, and what else its scan tells.

    Of a source it is taken as it stands: read in another way it holds the same persons.
    """
    table = table.unread or table
    columns = sorted(table.columns, key=lambda column: column.name)
    rows: Any
    sums: Sequence[Any]
    estimates: Sequence[int] = ()
    if table.backend.weighted:
        rows, *sums = sums_of_rows(table)
    else:
        items: list[Item] = [{"value": text_of(column, ()), "text": f"text_{i}"} for i, column in enumerate(columns)]
        names = {"table_rows": table.relation}
        rows, *sums, estimates = engine.query("ledger/fingerprint", names=names, lists={"cell": items})[0]
    return Overview(
        digest(json.dumps([[column.name for column in columns], *map(str, [rows, *sums])])), rows, estimates
    )


def digest(text: str) -> str:
    """Of a text, 128 bits as hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def basis_of(roles: Roles, hierarchies: Hierarchies, levels: Mapping[str, int]) -> Json:
    """The entry of the ledger: for each released column its type, for a quasi-identifier its hierarchy as well."""
    described: Json = {column.name: {"type": _type(column)} for column in roles.released}
    for qi in roles.quasi_identifiers:
        spec, hierarchy = hierarchies[qi.name]
        if hierarchy is None:
            described[qi.name]["builtin"] = describe(spec)
        else:
            count = len(hierarchy.leaves)
            described[qi.name].update(values=count, digest=_digest(hierarchy, levels[qi.name], count))
    return described


def changes(kept: Json, roles: Roles, hierarchies: Hierarchies, levels: Mapping[str, int]) -> list[str]:
    """How these columns and hierarchies differ from those that the ledger kept.

    A hierarchy file may have grown at its end: values that it did not cover were in no data then.
    """
    names = {column.name for column in roles.released}
    if names != set(kept):
        lacking, more = set(kept) - names, names - set(kept)
        differing = [*(f"without {name!r}" for name in sorted(lacking)), *(f"with {name!r}" for name in sorted(more))]
        return [f"other columns are released now: {', '.join(differing)}"]
    problems = [
        f"column {column.name!r} is of type {_type(column)[:40]} now, it was {kept[column.name]['type'][:40]}"
        for column in roles.released
        if kept[column.name]["type"] != _type(column)
    ]
    for qi in roles.quasi_identifiers:
        (spec, hierarchy), before = hierarchies[qi.name], kept[qi.name]
        if hierarchy is None:
            same = before.get("builtin") == describe(spec)
        else:
            level, count = levels[qi.name], before.get("values", 0)
            comparable = level <= hierarchy.height and count <= len(hierarchy.leaves)
            same = comparable and before.get("digest") == _digest(hierarchy, level, count)
        if not same:
            problems.append(
                f"the hierarchy of {qi.name!r} is another at level {levels[qi.name]}; new values may only be added "
                "at its end"
            )
    return problems


def ambiguous_labels(
    roles: Roles, hierarchies: Hierarchies, levels: Mapping[str, int], missing: Sequence[str]
) -> list[str]:
    """The quasi-identifiers of which a generalized value reads as a missing one, so that both cannot be told apart."""
    return [
        qi.name
        for qi in roles.quasi_identifiers
        if (hierarchy := hierarchies[qi.name][1]) is not None
        and 0 < levels[qi.name] < hierarchy.height
        and set(hierarchy.levels[levels[qi.name]]) & set(missing)
    ]


def counted_anew(hierarchies: Hierarchies, levels: Mapping[str, int]) -> list[str]:
    """The quasi-identifiers whose labels are made of counts, which are others in other data."""
    return [
        name
        for name, (spec, _) in hierarchies.items()
        if spec.builtin == "merge-rare" and 0 < levels[name] <= len(spec.below or [])
    ]


def _type(column: Column) -> str:
    """The type, of an ENUM without its values."""
    return column.type.partition("(")[0] if "'" in column.type else column.type


def _digest(hierarchy: Hierarchy, level: int, count: int) -> str:
    return digest(json.dumps([hierarchy.leaves[:count], hierarchy.levels[level][:count]]))
