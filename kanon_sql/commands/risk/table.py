"""A table whose risk is measured: its frequency table and its equivalence classes in the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from kanon_sql.errors import NoReleaseError
from kanon_sql.source.formats.registry import telling_faults
from kanon_sql.source.model import Column, Source
from kanon_sql.source.values import normalized
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, state


@dataclass(frozen=True)
class RiskTable:
    """A table that was counted: `n` of `source_rows` rows take part.

    `columns` are all that are looked at, the quasi-identifiers first; the values of column i stand under
    `value_name(i)` in the frequency table `tuples`, those of the quasi-identifiers alone in `classes`, both with
    row_count.
    """

    label: str
    source_rows: int
    n: int
    columns: tuple[Column, ...]
    quasi_identifiers: tuple[Column, ...]
    tuples: str
    classes: str

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the quasi-identifiers."""
        return tuple(item.name for item in self.quasi_identifiers)


def value_name(index: int) -> str:
    """The column of the frequency table that holds the values of column `index`."""
    return f"v{index}"


def count_table(
    engine: Engine,
    side: str,
    source: Source,
    quasi_identifiers: Sequence[Column],
    others: Sequence[Column],
    rows: exp.Select,
) -> RiskTable:
    """Reads the rows of one table once, into its frequency table; `side` tells its tables from those of others.

    Texts that mean missing are read as NULL. Raises NoReleaseError when no row takes part, EngineError for a table
    that cannot be read.
    """
    columns = (*quasi_identifiers, *others)
    tuples, classes = state(f"risk_{side}_tuples"), state(f"risk_{side}_classes")
    with telling_faults(engine, source):
        read_tuples(engine, rows, tuples, [normalized(item, source.missing) for item in columns])
        n, _, _ = engine.query("commands/risk/rows", names={"tuples": tuples})[0]
        total = n if rows == source.relation else _count(engine, source.relation)
    if not n:
        why = "has no row" if not total else "has no row left without missing values"
        error = NoReleaseError(f"{source.label} {why}; there is no risk to measure")
        error.source_rows = int(total)
        raise error
    if others:
        items: list[Item] = [{"name": value_name(i)} for i in range(len(quasi_identifiers))]
        engine.query("commands/risk/classes", names={"tuples": tuples, "class_list": classes}, lists={"qi": items})
    else:
        classes = tuples
    return RiskTable(source.label, int(total), int(n), columns, tuple(quasi_identifiers), tuples, classes)


def read_tuples(engine: Engine, rows: exp.Select, table: str, values: Sequence[exp.Expr]) -> None:
    """Makes the frequency table of the rows over the values, each under its `value_name`."""
    items: list[Item] = [{"value": value, "name": value_name(i)} for i, value in enumerate(values)]
    engine.query("commands/risk/tuples", names={"source": rows, "tuples": table}, lists={"item": items})


def _count(engine: Engine, relation: exp.Select) -> int:
    counted = exp.select(exp.Count(this=exp.Star())).from_(relation.copy().subquery(state("rows")))
    return int(engine.run(template.text(counted))[0][0])
