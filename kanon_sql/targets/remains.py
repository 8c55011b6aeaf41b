"""Values of before that stand in the new files: those that rows of the tables still there show are no remains."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, state

HITS = "hits"  # the table of values that were found, by `state` where it is used
# Values that a row has as a whole are told by one join; only for the others each text is looked into.
_WAYS = ("shown", "unexplained")


def texts_of(engine: Engine, rows: exp.Table) -> list[Item]:
    """The columns of rows as texts."""
    described = engine.run(exp.Describe(this=exp.select("*").from_(rows.copy())))
    return [{"text": exp.cast(column(str(row[0])), "VARCHAR")} for row in described]


def count_remains(engine: Engine, tables: Sequence[exp.Table], left: Callable[[], int]) -> int:
    """How many values were found that no row of the tables shows; `left` counts those that are left at a time."""
    for way in _WAYS:
        if not left():
            return 0
        for rows in tables:
            names = {"live_rows": rows, HITS: state(HITS)}
            engine.query(f"targets/remains/{way}", names=names, lists={"item": texts_of(engine, rows)})
    return left()
