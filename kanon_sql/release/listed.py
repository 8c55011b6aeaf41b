"""Text columns released as they are: of few values they are written to files as of an ENUM type."""

from __future__ import annotations

from sqlglot import exp

from kanon_sql.release.release import Writing
from kanon_sql.search.problem import SearchProblem
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.enum import MOST_LABELS, enum_type
from kanon_sql.sql.template import Fill, Item, column, state

_FEW = min(1_000, MOST_LABELS)  # values, about
_MANY = 1_000_000  # rows: with fewer the statements that list the values cost more than is gained


def listed_rows(engine: Engine, problem: SearchProblem, writing: Writing) -> exp.Select:
    """The rows of a problem, texts of few values as ENUM types where that pays and the target takes them."""
    source, roles = problem.source, problem.roles
    # A treated value is dear: it is not made again to be listed.
    plain = [item for item in roles.released if item.is_text and item.name not in source.treatments]
    texts = [item for item in plain if item not in roles.quasi_identifiers]
    here = source.backend.abilities.rows and source.columnar and not writing.plain_text
    if not texts or not here or not _FEW or problem.n < _MANY:
        return problem.rows
    rows: dict[str, Fill] = {"source": problem.rows}
    keys: list[Item] = [{"key": item.key} for item in texts]
    estimates = engine.query("source/distinct_estimates", names=rows, lists={"out": keys})[0]
    few = {item.key for item, estimate in zip(texts, estimates, strict=True) if estimate <= _FEW}
    listed: list[Item] = []
    for key in sorted(few):
        table, present = state(f"listed_texts_{key}"), column(key, "source")
        values = exp.select(present).distinct().from_(problem.rows.copy().subquery("source"))
        kind = enum_type(engine, state(f"listed_{key}"), values.where(present.is_(exp.null()).not_()))
        names: dict[str, Fill] = {**rows, "listed_texts": table, "out_key": key}
        names["listed_label"] = exp.Cast(this=column("value", "present"), to=kind)
        engine.query("release/listed_texts", names=names)
        listed.append({"listed": table, "key": key})
    if not listed:
        return problem.rows
    others: list[Item] = [{"key": item.key} for item in source.columns if item.key not in few]
    made = template.fill("release/listed_rows", names=rows, lists={"out": others, "text": listed})
    assert isinstance(made, exp.Select)
    return made
