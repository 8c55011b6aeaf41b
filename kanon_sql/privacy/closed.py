"""What goes with `privacy.known_columns` and with `group`, with which rows are suppressed until nothing changes.

Both suppress rows whose loss can make other classes small (k^m-anonymity; groups released together). The largest set of
rows that remains is unique where a model is monotone: what holds in two sets of rows holds in their union.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from kanon_sql.privacy.base import PrivacyModel
from kanon_sql.privacy.registry import entries_of
from kanon_sql.settings import rules
from kanon_sql.settings.algorithms import ALGORITHMS
from kanon_sql.settings.yaml import KeyPath


def closed_faults(config: Mapping[str, Any], show: Callable[[KeyPath, str], str]) -> rules.Faults:
    """The errors of keys that do not go with known_columns or group; `show` gives the text for the name at a path."""
    part = config.get("privacy")
    part = part if isinstance(part, Mapping) else {}
    group, known_columns = config.get("group"), part.get("known_columns")
    keys = [key for key, value in (("known_columns", known_columns), ("group", group)) if value is not None]
    if not keys:
        return
    yield from _of_models(part, keys[0])
    columns = config.get("quasi_identifiers")
    columns = columns if isinstance(columns, Mapping) else {}
    if isinstance(group, str) and group in columns:
        shown = show(("group",), group)
        yield ("group",), f"column {shown} is a quasi-identifier, which is generalized; name a column that is none"
    if config.get("search_in") == "engine":
        yield ("search_in",), f"with {keys[0]} combinations are searched in DuckDB; remove it"
    algorithm = config.get("algorithm")
    name = algorithm.get("name", "optimal") if isinstance(algorithm, Mapping) else algorithm or "optimal"
    full_domain = not isinstance(name, str) or name not in ALGORITHMS or ALGORITHMS[name].full_domain
    if group is not None and not full_domain:
        yield (
            ("group",),
            f"{name} finds classes of its own, which no household bears on; expected a full-domain algorithm, such as "
            "optimal",
        )
    for column, entry in columns.items() if full_domain else ():
        if isinstance(entry, Mapping) and entry.get("aggregate") is not None:
            text = f"an aggregate of a class tells of fewer rows than k where {keys[0]} is set; remove one"
            yield ("quasi_identifiers", column, "aggregate"), text


def _of_models(part: Mapping[str, Any], key: str) -> rules.Faults:
    """Models that count in a population, or are not monotone: these need not hold in a union of sets of rows."""
    for path, model, entry in entries_of(part):
        if "population" in model.model_fields:
            yield ("privacy", *path), f"{model.key} counts classes of a population, not with {key}; remove one"
        elif _is_not_monotone(model, entry):
            text = f"with {key} rows fall until nothing changes, which only k and distinct l-diversity go with"
            yield ("privacy", *path), f"{text}; remove one"


def _is_not_monotone(model: type[PrivacyModel], entry: Mapping[str, Any]) -> bool:
    try:
        return not model.model_validate(dict(entry)).monotone
    except ValidationError:  # reported elsewhere
        return False
