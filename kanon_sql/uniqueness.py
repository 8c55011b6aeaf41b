"""Columns released unchanged that tell single rows apart: a quasi-identifier may have been missed."""

from __future__ import annotations

from kanon_sql.engine.connection import Engine
from kanon_sql.engines.counting import alone_warning, columns_of_their_own
from kanon_sql.prepared import Prepared

_SHARE = 0.05


def unique_columns(engine: Engine, prepared: Prepared) -> list[str]:
    """A warning for each insensitive column in which more than 5 % of the rows hold a value of their own."""
    columns = [item for item in prepared.roles.released if prepared.roles.of(item) == "insensitive"]
    if not columns:
        return []
    n = prepared.n
    if prepared.source.home is not None:
        return columns_of_their_own(prepared.source, n, columns)
    names = {"source": prepared.rows}
    estimates = engine.query("distinct_estimates", names=names, lists={"out": [{"key": c.key} for c in columns]})[0]
    warnings = []
    for item, estimate in zip(columns, estimates, strict=True):
        if estimate <= _SHARE * n * 0.8:  # the estimate errs by a few percent; below this no count is needed
            continue
        alone = int(engine.query("values_of_their_own", names=names, lists={"out": [{"key": item.key}]})[0][0])
        if alone > _SHARE * n:
            warnings.append(alone_warning(item.name, alone, n))
    return warnings
