"""What models ask of the values that persons hold in other tables, such as the diagnoses of each: by TABLE.COLUMN.

A person may hold several values of such a column, or none. What the models count are pairs of a person and a value, as
they do of the entities of one table: a value that a person has in several rows counts once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from kanon_sql.config.draft import Draft
from kanon_sql.errors import ConfigurationError
from kanon_sql.privacy.registry import MODELS, PrivacyConfig, entries_of

_OFFERED = ("l_diversity", "t_closeness")


@dataclass(frozen=True)
class HeldColumn:
    """A sensitive column of a table about persons."""

    table: str
    column: str


def held_columns(
    draft: Draft, unit: str, entries: Mapping[str, Any], privacy: Mapping[str, Any]
) -> dict[str, HeldColumn]:
    """The columns of other tables that models read, by TABLE.COLUMN.

    Args:
        draft: the configuration of the database.
        unit: the name of the table of persons.
        entries: all entries of `tables`.
        privacy: what the models ask for.

    Raises: ConfigurationError for a column that no table has among its sensitive ones, and for what is not counted of
        pairs of a person and a value.
    """
    own = _sensitive_of(entries.get(unit))
    offered = _offered(unit, entries)
    held: dict[str, HeldColumn] = {}
    problems: list[str] = []
    beside = {"group": entries.get(unit) or {}, "entity": privacy}
    # Both join persons, of whom pairs with a value are counted one by one.
    joining = [key for key, part in beside.items() if isinstance(part, Mapping) and part.get(key) is not None]
    for path, model, entry in entries_of(privacy):
        name = entry.get("column")
        if not isinstance(name, str) or name in own:
            continue
        fault = _fault(name, model.key, entry, offered, unit, joining)
        if fault is None:
            held[name] = offered[name][0]
        else:
            problems.append(f"{draft.place(('privacy', *path, 'column'))}: {fault}")
    if problems:
        raise ConfigurationError(problems)
    return held


def _fault(
    name: str,
    key: str,
    entry: Mapping[str, Any],
    offered: Mapping[str, list[HeldColumn]],
    unit: str,
    joining: Collection[str],
) -> str | None:
    """What is wrong with a model of a column that is none of the table of persons."""
    if name not in offered:
        expected = f"a sensitive column of {unit!r}, or of a table with link, as TABLE.COLUMN"
        names = f"; such are {', '.join(map(repr, list(offered)[:20]))}" if offered else "; name it in sensitive there"
        return f"{key}: column {name!r} is not among sensitive, expected {expected}{names}"
    if len(offered[name]) > 1:
        return f"{key}: several columns of several tables are called {name!r}; rename a table or a column"
    if key not in _OFFERED:
        return (
            f"{key} is of one value a row, and persons hold several of {name!r}; expected {' or '.join(_OFFERED)} there"
        )
    if entry.get("distance", "equal") != "equal":
        return f"t_closeness of {name!r}, of which persons hold several values, has distance: equal; remove distance"
    if joining:
        return f"{key} of {name!r}, a column of another table, does not go with {' or '.join(joining)}; remove one"
    return None


def _offered(unit: str, entries: Mapping[str, Any]) -> dict[str, list[HeldColumn]]:
    """The sensitive columns of tables about persons, by TABLE.COLUMN."""
    offered: dict[str, list[HeldColumn]] = {}
    for table, entry in entries.items():
        if table != unit and isinstance(entry, Mapping) and "via" not in entry:
            for column in _sensitive_of(entry):
                offered.setdefault(f"{table}.{column}", []).append(HeldColumn(table, column))
    return offered


def _sensitive_of(entry: Any) -> list[str]:
    named = entry.get("sensitive") if isinstance(entry, Mapping) else None
    return [name for name in named if isinstance(name, str)] if isinstance(named, (list, tuple)) else []


def without_models(privacy: PrivacyConfig, columns: Collection[str]) -> PrivacyConfig:
    """What is asked for, without the models of these columns."""
    return _chosen(privacy, lambda column: column not in columns)


def only_models(privacy: PrivacyConfig, columns: Collection[str]) -> PrivacyConfig:
    """What is asked for, with the models of these columns alone."""
    return _chosen(privacy, lambda column: column in columns)


def _chosen(privacy: PrivacyConfig, keeps: Callable[[str | None], bool]) -> PrivacyConfig:
    """What is asked for, with those models of whose column `keeps` is true, in the form in which they were given."""
    update = {}
    for key in MODELS:
        entries = getattr(privacy, key)
        update[key] = type(entries)(entry for entry in entries if keeps(getattr(entry, "column", None)))
    return privacy.model_copy(update=update)
