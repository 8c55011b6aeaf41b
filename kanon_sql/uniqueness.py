"""Columns released unchanged that tell single rows apart: a quasi-identifier may have been missed."""

from __future__ import annotations

from kanon_sql.engine.connection import Engine
from kanon_sql.engines.counting import alone_warning, columns_of_their_own
from kanon_sql.prepared import Prepared

_SHARES = {"insensitive": 0.05, "sensitive": 0.5}  # a sensitive value may be rare; that most are is another matter


def unique_columns(engine: Engine, prepared: Prepared) -> list[str]:
    """A warning for each insensitive column in which more than 5 % of the rows hold a value of their own, and for each
    sensitive one in which half of them do.
    """
    roles = prepared.roles
    columns = {item: _SHARES[roles.of(item)] for item in roles.released if roles.of(item) in _SHARES}
    if not columns:
        return []
    n = prepared.n
    if prepared.source.home is not None:
        return columns_of_their_own(prepared.source, n, columns, roles)
    names = {"source": prepared.rows}
    estimates = engine.query("distinct_estimates", names=names, lists={"out": [{"key": c.key} for c in columns]})[0]
    warnings = []
    for item, estimate in zip(columns, estimates, strict=True):
        share = columns[item]
        if estimate <= share * n * 0.8:  # the estimate errs by a few percent; below this no count is needed
            continue
        alone = int(engine.query("values_of_their_own", names=names, lists={"out": [{"key": item.key}]})[0][0])
        if alone > share * n:
            warnings.append(alone_warning(f"{roles.of(item)} column {item.name!r}", alone, n))
    return warnings
