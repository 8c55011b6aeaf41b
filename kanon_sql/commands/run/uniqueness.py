"""Columns released unchanged that tell single rows apart: a quasi-identifier may have been missed."""

from __future__ import annotations

from kanon_sql.search.problem import SearchProblem

_SHARES = {"insensitive": 0.05, "sensitive": 0.5}  # a sensitive value may be rare; that most are is another matter


def unique_columns(prepared: SearchProblem) -> list[str]:
    """A warning for each insensitive column in which more than 5 % of the rows hold a value of their own, and for each
    sensitive one in which half of them do.
    """
    roles, source = prepared.roles, prepared.source
    most = {item: _SHARES[roles.of(item)] for item in roles.released if roles.of(item) in _SHARES}
    return [
        f"{roles.of(one.column)} column {one.column.name!r} holds a value of its own in {one.rows} of {one.looked_at} "
        "rows: is it a quasi-identifier or an identifier?"
        for one in (source.backend.alone(source, prepared.rows, prepared.n, most) if most else ())
    ]
