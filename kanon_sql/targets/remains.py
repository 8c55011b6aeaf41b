"""Values of before that stand in the new files: those that rows of the tables still there show are no remains."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column, state

HITS = "hits"  # the table of values that were found, by `state` where it is used


def texts_of(engine: Engine, rows: exp.Table) -> list[Item]:
    """The columns of rows as texts."""
    return [{"text": exp.cast(column(name), "VARCHAR")} for name, _ in _columns(engine, rows)]


def count_remains(engine: Engine, tables: Sequence[exp.Table], left: Callable[[], int]) -> int:
    """How many values were found that no row of the tables shows; `left` counts those that are left at a time.

    Values that a row has as a whole are told by the first rows, then column by column, as long as some are left; only
    for the others each text is looked into.
    """
    if not left():
        return 0
    for rows in tables:
        names = {"live_rows": rows, HITS: state(HITS)}
        engine.query("targets/remains/shown_first", names=names, lists={"item": texts_of(engine, rows)})
    for rows in tables:
        for name, kind in _columns(engine, rows):
            if not left():
                return 0
            names = {"live_values": _values(rows, name, kind), HITS: state(HITS)}
            engine.query("targets/remains/shown", names=names)
    for rows in tables:
        if not left():
            return 0
        names = {"live_rows": rows, HITS: state(HITS)}
        engine.query("targets/remains/unexplained", names=names, lists={"item": texts_of(engine, rows)})
    return left()


def _columns(engine: Engine, rows: exp.Table) -> list[tuple[str, str]]:
    """(name, type) of each column of rows."""
    described = engine.run(exp.Describe(this=exp.select("*").from_(rows.copy())))
    return [(str(row[0]), str(row[1])) for row in described]


def _values(rows: exp.Table, name: str, kind: str) -> exp.Expr:
    """The values of a column; each once where they are no texts yet, since to make texts costs most."""
    values = exp.select(column(name).as_("value")).from_(rows.copy())
    return values if kind == "VARCHAR" else values.distinct()
