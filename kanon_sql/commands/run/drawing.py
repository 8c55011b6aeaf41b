"""Some rows of a source, in which what columns tell together is measured.

Of rows in DuckDB every one by their numbers. Another engine draws of each combination of values as many as its share of
rows says, so that the same rows give the same sample; values of columns that are looked at leave it as digests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from kanon_sql.frequency.table import participants
from kanon_sql.search.problem import SearchProblem
from kanon_sql.source.columns import text_there
from kanon_sql.source.model import Column
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects import Dialect, own
from kanon_sql.sql.template import Fill, Item, column, state

_TOGETHER = 50  # texts that one call puts together
_DIGITS = 15  # of a digest, by which a number is made


@dataclass(frozen=True)
class Looking:
    """Rows that are looked at: their `columns`, and quasi-identifiers by the tables of their codes.

    One of `step` rows is drawn, or all rows of one of so many values of the column `by`. `policy` says which rows of
    another engine take part.
    """

    columns: Sequence[Column]
    finer: Mapping[str, Column]
    step: int
    policy: str
    by: Column | None = None

    @property
    def codes(self) -> list[str]:
        """What the quasi-identifiers are called in the sample."""
        return [f"q{i}" for i in range(len(self.finer))]


def draw_rows(engine: Engine, prepared: SearchProblem, looking: Looking) -> None:
    """Makes the table run_sample."""
    if prepared.source.backend.weighted:
        _draw_there(engine, prepared, looking)
        return
    by = looking.by
    names: dict[str, Fill] = {
        "given_rows": prepared.rows,
        "drawn_by": column(by.key if by else "number", "source"),
        "step": looking.step,
    }
    coded = zip(looking.finer.items(), looking.codes, strict=True)
    lists: dict[str, list[Item]] = {
        "seen": [{"key": seen.key, "code": seen.key} for seen in looking.columns],
        "qi": [{"finer": table, "key": qi.key, "code": code} for (table, qi), code in coded],
    }
    engine.query("commands/run/sample", names=names, lists=lists)


def drawn_values(engine: Engine, prepared: SearchProblem, value: Column, count: int, policy: str) -> exp.Select:
    """SELECT in DuckDB of the values of a column in about so many rows of another engine."""
    looking = Looking((), {value.name: value}, max(1, prepared.n // count), policy)
    brought = _bring(engine, prepared, looking)
    names: dict[str, Fill] = {"brought": brought, "drawn_value": looking.codes[0], "step": looking.step}
    values = template.fill("commands/run/drawn", names)
    assert isinstance(values, exp.Select)
    return values


def _draw_there(engine: Engine, prepared: SearchProblem, looking: Looking) -> None:
    brought = _bring(engine, prepared, looking)
    lists: dict[str, list[Item]] = {
        "seen": [{"code": seen.key} for seen in looking.columns],
        "qi": [{"finer": table, "code": code} for table, code in zip(looking.finer, looking.codes, strict=True)],
    }
    engine.query("commands/run/sample_brought", names={"brought": brought, "step": looking.step}, lists=lists)


def _bring(engine: Engine, prepared: SearchProblem, looking: Looking) -> exp.Select:
    """SELECT in DuckDB of the combinations of which rows are drawn, with how many times `step` these are."""
    backend, codes, qis = prepared.source.backend, looking.codes, list(looking.finer.values())
    values = [exp.cast(column(qi.key), "VARCHAR") if qi.is_text else column(qi.key) for qi in qis]
    names: dict[str, Fill] = {
        "given_rows": participants(prepared.source, prepared.roles, looking.policy),
        "drawn": _drawn(backend.dialect, looking),
        "step": looking.step,
    }
    lists: dict[str, list[Item]] = {
        "seen": [{"digest": _digest(backend.dialect, seen), "code": seen.key} for seen in looking.columns],
        "qi": [{"value": value, "code": code} for value, code in zip(values, codes, strict=True)],
    }
    statement = template.fill("commands/run/sample_there", names, lists)
    described = [*((seen.key, "VARCHAR") for seen in looking.columns)]
    described += zip(codes, (qi.type for qi in qis), strict=True)
    return backend.bring(engine, statement, [*described, ("drawn_rows", "BIGINT")], state("run_drawn"))


def _digest(dialect: Dialect, seen: Column) -> exp.Expr:
    """What tells a value of a column from others, and from NULL."""
    value = own("concat", "v", text_there(seen, dialect))
    is_null = exp.Is(this=column(seen.key), expression=exp.null())
    return dialect.md5_digits(exp.Case(ifs=[exp.If(this=is_null, true=exp.Literal.string("n"))], default=value))


def _drawn(dialect: Dialect, looking: Looking) -> exp.Expr:
    """The rows of a combination that are drawn, times `step`: by a number that digests give."""
    rows, step = column("row_count"), looking.step
    if looking.by is not None:
        is_drawn = exp.EQ(this=_remainder(dialect, column(looking.by.key), step), expression=exp.Literal.number(0))
        many = exp.Mul(this=rows, expression=exp.Literal.number(step))
        return exp.Case(ifs=[exp.If(this=is_drawn, true=many)], default=exp.Literal.number(0))
    qis = [replace(qi, key=code) for qi, code in zip(looking.finer.values(), looking.codes, strict=True)]
    texts: list[exp.Expr] = [*(column(seen.key) for seen in looking.columns), *(text_there(qi, dialect) for qi in qis)]
    while len(texts) > 1:
        texts = [own("concat", *texts[start : start + _TOGETHER]) for start in range(0, len(texts), _TOGETHER)]
    return exp.Add(this=rows, expression=_remainder(dialect, dialect.md5_digits(texts[0]), step))


def _remainder(dialect: Dialect, digits: exp.Expr, step: int) -> exp.Expr:
    number = dialect.whole_number(own("substr", digits, 1, _DIGITS))
    return exp.Mod(this=exp.paren(number), expression=exp.Literal.number(step))
