"""The report's entry `privacy`: for every model asked for, what was required and what was reached."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from kanon_sql.privacy import parameters as privacy
from kanon_sql.privacy.model import models_of
from kanon_sql.privacy.parameters import Alone, PrivacyConfig
from kanon_sql.recount.counting import Measured
from kanon_sql.settings.part import Part

Json = dict[str, Any]


def privacy_entries(config: PrivacyConfig, fewest: int | None, measured: Sequence[Measured]) -> Json:
    """The entry: models in the form in which they were asked for, alone or in a list.

    `fewest` are the rows (or entities) of the smallest class, `measured` what each model reached; without a table that
    was counted None and nothing.
    """
    entries: Json = {"k": {"required": config.k, "actual": fewest}}
    if config.entity is not None:
        entries["k"]["counts"] = "entities"
    models = models_of(config)
    for position, model in enumerate(models):
        reached = measured[position] if measured else Measured(None, None, 0)
        entry = {
            **({"column": model.column} if model.column is not None else {}),
            **_options(model.spec),
            **_reached(model.spec, reached),
        }
        if isinstance(getattr(config, model.key), Alone):
            entries[model.key] = entry
        else:
            entries.setdefault(model.key, []).append(entry)
    return entries


def _options(spec: Part) -> Json:
    if isinstance(spec, privacy.LDiversity):
        return {"variant": spec.variant, **({"c": number(spec.c)} if spec.c is not None else {})}
    if isinstance(spec, privacy.TCloseness):
        return {"distance": spec.distance}
    return {"variant": spec.variant} if isinstance(spec, privacy.Beta) else {}


def _reached(spec: Part, reached: Measured) -> Json:
    if isinstance(spec, privacy.DeltaPresence):
        return {
            "required": {"min": number(spec.min), "max": number(spec.max)},
            "actual": {"min": reached.least, "max": reached.most},
        }
    if isinstance(spec, privacy.LDiversity):
        # The exponential of an entropy errs in the last digits: five values equally frequent are five.
        actual = reached.least if reached.least is None else round(reached.least, 9)
        return {"required": number(spec.l), "actual": actual}
    if isinstance(spec, privacy.KMap):
        return {"required": spec.k, "actual": reached.least}
    required = next(getattr(spec, name) for name in ("t", "alpha", "beta", "delta") if hasattr(spec, name))
    # A distance of 0 errs in the last digits.
    actual = reached.most if reached.most is None or reached.most > 1e-12 else 0
    return {"required": number(required), "actual": actual}


def number(value: Decimal) -> int | float:
    """A threshold as JSON has it."""
    return int(value) if value == value.to_integral_value() else float(value)
