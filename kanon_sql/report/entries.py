"""The report's entry `privacy`: for every model asked for, what was required and what was reached."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from kanon_sql.privacy.base import PrivacyModel
from kanon_sql.privacy.registry import Alone, PrivacyConfig, models_of, thresholds_of
from kanon_sql.recount.counting import ClassCounts, Measured

Json = dict[str, Any]


def privacy_entries(config: PrivacyConfig, counts: ClassCounts | None) -> Json:
    """The entry: models in the form in which they were asked for, alone or in a list; `counts` of a table that was
    counted.
    """
    entries: Json = {"k": {"required": config.k, "actual": counts.fewest if counts else None}}
    if config.entity is not None:
        entries["k"]["counts"] = "entities"
    if config.known_columns is not None:
        known = config.known_columns
        # Where there are no more columns those of all were counted.
        entries["known_columns"] = {"required": known, "actual": max(known, counts.columns) if counts else None}
    models = models_of(config)
    for position, model in enumerate(models):
        reached = counts.models[position] if counts else Measured(None, None, 0)
        entry = {
            **({"column": model.column} if model.column is not None else {}),
            **{name: _plain(value) for name in model.spec.options if (value := getattr(model.spec, name)) is not None},
            **_reached(model.spec, reached),
        }
        if isinstance(getattr(config, model.key), Alone):
            entries[model.key] = entry
        else:
            entries.setdefault(model.key, []).append(entry)
    reached_of = {one.key: one.actual for one in counts.thresholds} if counts else {}
    for one in thresholds_of(config):
        entries[one.key] = {"required": _plain(one.at_most), "actual": reached_of.get(one.key), **one.options()}
    return entries


def _reached(spec: PrivacyModel, reached: Measured) -> Json:
    """What was required and reached: two numbers where one threshold bounds, else by the names of the bounds."""
    ends = {"least": reached.least, "most": reached.most}
    required = {name: _plain(getattr(spec, name)) for name in spec.thresholds}
    actual = {
        name: None if (value := ends[end]) is None else spec.shown(value) for name, end in spec.thresholds.items()
    }
    if len(required) == 1:
        return {"required": next(iter(required.values())), "actual": next(iter(actual.values()))}
    return {"required": required, "actual": actual}


def _plain(value: Any) -> Any:
    """A threshold as JSON has it."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == value.to_integral_value() else float(value)
