"""What goes with `privacy.known_columns` and with `group`, under which rows fall until nothing changes.

Both take rows away whose loss can make other classes small. The largest set of rows that remains is found, and is the
only one, where a model is monotone: what holds in two sets of rows holds in their union.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from kanon_sql.privacy.base import PrivacyModel
from kanon_sql.privacy.registry import entries_of
from kanon_sql.settings import rules
from kanon_sql.settings.algorithms import ALGORITHMS, ENGINES
from kanon_sql.settings.yaml import KeyPath


def closed_faults(config: Mapping[str, Any], show: Callable[[KeyPath, str], str]) -> rules.Faults:
    """What of a raw configuration does not go with known_columns or group; `show` gives the text for a name."""
    part = config.get("privacy")
    part = part if isinstance(part, Mapping) else {}
    group, known = config.get("group"), part.get("known_columns")
    asked = [key for key, value in (("known_columns", known), ("group", group)) if value is not None]
    if not asked:
        return
    yield from _of_models(part, asked[0])
    columns = config.get("quasi_identifiers")
    columns = columns if isinstance(columns, Mapping) else {}
    if isinstance(group, str) and group in columns:
        shown = show(("group",), group)
        yield ("group",), f"column {shown} is a quasi-identifier, which is generalized; name a column that is none"
    if config.get("search_in") == "engine":
        yield (
            ("search_in",),
            f"with {asked[0]} combinations are searched in DuckDB; remove it",
        )
    engine = config.get("engine")
    outside = [name for name in ENGINES if name != "duckdb" and isinstance(engine, Mapping) and engine.get(name)]
    if group is not None and outside:
        yield ("group",), f"groups are released together by engine: duckdb, not by {outside[0]}; remove it"
    algorithm = config.get("algorithm")
    name = algorithm.get("name", "optimal") if isinstance(algorithm, Mapping) else algorithm or "optimal"
    full_domain = not isinstance(name, str) or name not in ALGORITHMS or ALGORITHMS[name].full_domain
    if group is not None and not full_domain:
        yield ("group",), f"{name} finds classes of its own, which no household bears on; {_FULL_DOMAIN}"
    for column, entry in columns.items() if full_domain else ():
        if isinstance(entry, Mapping) and entry.get("aggregate") is not None:
            text = f"an aggregate of a class tells of fewer rows than k where {asked[0]} is set; remove one"
            yield ("quasi_identifiers", column, "aggregate"), text


_FULL_DOMAIN = "expected a full-domain algorithm, such as optimal"


def _of_models(part: Mapping[str, Any], asked: str) -> rules.Faults:
    """Models that count in a population, and those that need not hold in a union of sets of rows."""
    for path, model, entry in entries_of(part):
        if "population" in model.model_fields:
            yield ("privacy", *path), f"{model.key} counts classes of a population, not with {asked}; remove one"
        elif any(not one.monotone for one in _read(model, entry)):
            text = f"with {asked} rows fall until nothing changes, which only k and distinct l-diversity go with"
            yield ("privacy", *path), f"{text}; remove one"


def _read(model: type[PrivacyModel], entry: Mapping[str, Any]) -> Iterator[PrivacyModel]:
    """The entry, unless something else is wrong with it."""
    try:
        yield model.model_validate(dict(entry))
    except ValidationError:
        return
