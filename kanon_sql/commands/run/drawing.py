"""Some rows of a source, in which what columns tell together is measured.

Of rows in DuckDB every one by their numbers. Another engine draws of each combination of values as many as its share of
rows says, so that the same rows give the same sample; values of columns that are looked at leave it as digests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.frequency.table import participants
from kanon_sql.search.problem import SearchProblem
from kanon_sql.source.columns import text_there
from kanon_sql.source.model import Column
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.dialects import Dialect, own
from kanon_sql.sql.template import Fill, Item, column, state

_PART = 64  # of so many combinations one is looked at
_FEW_ROWS = 4  # a combination may have without being drawn twice
_REPEATED = 0.01  # of the rows may be of combinations that were drawn twice
_EXPECTED = 0.8  # of as many rows as were to be drawn, where a part of the combinations stands for all


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
    brought, unit = _bring(engine, prepared, looking)
    names: dict[str, Fill] = {"brought": brought, "drawn_value": looking.codes[0], "unit": unit}
    values = template.fill("commands/run/drawn", names)
    assert isinstance(values, exp.Select)
    return values


def _draw_there(engine: Engine, prepared: SearchProblem, looking: Looking) -> None:
    brought, unit = _bring(engine, prepared, looking)
    lists: dict[str, list[Item]] = {
        "seen": [{"code": seen.key} for seen in looking.columns],
        "qi": [{"finer": table, "code": code} for table, code in zip(looking.finer, looking.codes, strict=True)],
    }
    engine.query("commands/run/sample_brought", names={"brought": brought, "unit": unit}, lists=lists)


def _bring(engine: Engine, prepared: SearchProblem, looking: Looking) -> tuple[exp.Select, int]:
    """(SELECT in DuckDB of the combinations of which rows are drawn, with how many times a unit these are; the unit).

    Where most rows differ, to count all combinations means to send nearly all rows through the network. So a part of
    the combinations is counted, and all only where these have too many rows for such a part: several of a combination,
    or hardly any in that part.
    """
    if looking.by is not None:
        return _bring_rows(engine, prepared, looking, 1), 1
    part = max(_FEW_ROWS, looking.step // _PART)
    if part < looking.step:
        brought = _bring_rows(engine, prepared, looking, part)
        names: dict[str, Fill] = {"brought": brought.copy(), "unit": part}
        rows, repeated = engine.query("commands/run/sample_repeated", names=names)[0]
        if repeated <= _REPEATED * rows and rows >= _EXPECTED * prepared.n / looking.step:
            return brought, part
    return _bring_rows(engine, prepared, looking, looking.step), looking.step


def _bring_rows(engine: Engine, prepared: SearchProblem, looking: Looking, part: int) -> exp.Select:
    """Brings combinations of `part` in `step`, each with its rows and less than `part` by chance.

    So of one of r rows, r <= part, a row is drawn with the chance r / step, as of any r rows. Rows that are drawn by a
    column come all or not at all: of one part, with nothing by chance.
    """
    backend, codes, qis = prepared.source.backend, looking.codes, list(looking.finer.values())
    dialect, step = backend.dialect, looking.step
    values = [exp.cast(column(qi.key), "VARCHAR") if qi.is_text else column(qi.key) for qi in qis]
    drawn_by = [looking.by] if looking.by else [*looking.columns, *qis]
    rest = exp.Mod(this=column("drawn_number"), expression=exp.Literal.number(step))
    least = exp.Literal.number(step - part)
    rows = exp.Add(this=column("row_count"), expression=rest.copy())
    names: dict[str, Fill] = {
        "given_rows": participants(prepared.source, prepared.roles, looking.policy),
        "drawn_by": dialect.hashed(
            [column(each.key) for each in drawn_by], [text_there(each, dialect) for each in drawn_by]
        ),
        "is_looked_at": exp.GTE(this=rest, expression=least),
        "drawn": exp.Sub(this=rows, expression=least.copy()),
        "unit": part,
    }
    lists: dict[str, list[Item]] = {
        "seen": [{"digest": _digest(dialect, seen), "code": seen.key} for seen in looking.columns],
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
