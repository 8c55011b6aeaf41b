"""Columns released unchanged that tell single rows apart: a quasi-identifier may have been missed."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from kanon_sql.engines.counting import alone_warning, columns_of_their_own
from kanon_sql.search.problem import SearchProblem
from kanon_sql.source.model import Column
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, state

_SHARES = {"insensitive": 0.05, "sensitive": 0.5}  # a sensitive value may be rare; that most are is another matter
_TOGETHER = 50  # columns that are counted by one statement, which keeps them in memory or the spill folder


def unique_columns(engine: Engine, prepared: SearchProblem) -> list[str]:
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
    estimates = engine.query(
        "commands/run/distinct_estimates", names=names, lists={"out": [{"key": c.key} for c in columns]}
    )[0]
    # An estimate errs by a few percent; where it is well below the share no count is needed.
    near = [item for item, estimate in zip(columns, estimates, strict=True) if estimate > columns[item] * n * 0.8]
    return [
        alone_warning(f"{roles.of(item)} column {item.name!r}", alone, n)
        for item, alone in zip(near, _values_of_their_own(engine, prepared, near), strict=True)
        if alone > columns[item] * n
    ]


def _values_of_their_own(engine: Engine, prepared: SearchProblem, columns: Sequence[Column]) -> list[int]:
    """For each column how many rows are alone with their value, many columns in one statement.

    Of a source that is dear to read the columns are kept while they are counted, so that it is read once for all.
    """
    counted: list[int] = []
    rows = state("released_rows")
    for start in range(0, len(columns), _TOGETHER):
        some = columns[start : start + _TOGETHER]
        read = exp.select(*(column(item.key) for item in some)).from_(prepared.rows.subquery(state("rows")))
        counts = [
            exp.Subquery(
                this=template.fill(
                    "commands/run/values_of_their_own", names={"source": rows}, lists={"out": [{"key": item.key}]}
                ),
                alias=exp.TableAlias(this=template.quoted(item.key)),
            )
            for item in some
        ]
        statement = exp.select(*counts).with_(
            template.quoted(rows), as_=read, materialized=not prepared.source.columnar
        )
        counted += map(int, engine.run(statement)[0])
    return counted
