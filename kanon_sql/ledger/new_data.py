"""What keeps a release from being gone on with when its source gets new rows, said when the first one is made."""

from __future__ import annotations

from kanon_sql.config.load import LoadedConfig
from kanon_sql.privacy.registry import models_of


def no_new_data(loaded: LoadedConfig) -> list[str]:
    """A warning where `apply` will refuse releases of this configuration; nothing where it takes them."""
    config = loaded.config
    reasons = []
    if not config.algorithm.declared.full_domain:
        reasons.append(f"{config.algorithm.name}, which has no levels (algorithm: optimal has)")
    if config.privacy.entity is not None:
        reasons.append("entity, which no release holds (without it k counts rows: one row a person)")
    if config.privacy.known_columns is not None:
        reasons.append("known_columns (k alone is held for all columns together)")
    if config.group is not None:
        reasons.append("group")
    reasons += dict.fromkeys(model.key for model in models_of(config.privacy) if model.population is not None)
    if any(spec.aggregate is not None for spec in config.quasi_identifiers.values()):
        reasons.append("aggregate (a hierarchy has labels instead)")
    if not reasons:
        return []
    return [
        f"{loaded.place('releases')}: kanon-sql apply will refuse new data beside it, for {'; '.join(reasons)}; "
        "change that before the first release where rows will be added or removed, for a later run from the same place "
        "counts as a second release of the same rows"
    ]
