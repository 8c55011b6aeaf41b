"""Counts what somebody finds who knows few columns: every combination of values in so many quasi-identifiers.

The rows are read twice: once for the values of all columns, which are numbered, and once to be kept by these numbers.
Then many sets of columns are counted in one statement, as many as its memory allows. Sets of exactly so many columns
are enough: a combination of fewer columns holds all rows of one of more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

from sqlglot import exp

from kanon_sql.recount.statement import HOLDERS, Question, Table, named_rows, row_total
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.tables import drop, empty, union_all
from kanon_sql.sql.template import Fill, Item, column, quoted, state

_SETS = 50  # counted in one statement
_COMBINATIONS = 2_000_000  # held by it at most, about
_TABLES = ("known_values", "known_rows", "known_fallen")
_FALLEN = {"row_number": "BIGINT", "row_count": "BIGINT", "alone": "BOOLEAN"}


@dataclass(frozen=True)
class FewColumns:
    """Combinations of values in `known` columns each: the rows or entities of the smallest, and what violates.

    `violating` combinations are too small or violate a model; `rows` have such a one, `alone` rows share some
    combination with no other row. `models` are (the fewest values of a combination, combinations that violate) of each
    model.
    """

    known: int
    fewest: int
    violating: int
    rows: int
    alone: int
    models: tuple[tuple[int | None, int], ...]


def count_few_columns(engine: Engine, table: Table, question: Question) -> FewColumns:
    """Counts every set of `known_columns` quasi-identifiers; models are distinct l-diversity, and NULL is a value."""
    counting = _Counting(engine, table, question)
    try:
        return counting.count()
    finally:
        counting.clear()


def violating_combinations(table: Table, question: Question) -> tuple[exp.CTE, list[tuple[str, exp.Select]]]:
    """(the rows, named `table_rows`; for each set of columns, the requirement and the SELECT of what violates it).

    For a statement that others run: each set is counted in the rows as they are.
    """
    rows = exp.CTE(this=named_rows(table, question.attributes), alias=exp.TableAlias(this=quoted("table_rows")))
    total = row_total(weighted=table.weighted)
    holders = template.parse(HOLDERS) if table.entity is not None else total
    required: list[tuple[str, exp.Expr, int]] = [("k" if table.entity is None else "k entities", holders, question.k)]
    for model in question.models:
        values = exp.Distinct(expressions=[column(question.columns[model.column or ""].code)])
        required.append((f"{model.key} of {model.column}", exp.Count(this=values), int(model.spec.numbers()["l"])))
    selects = []
    for columns in combinations(range(len(table.quasi_identifiers)), question.known_columns or 0):
        for name, counted, least in required:
            names: dict[str, Fill] = {"row_total": total, "found": counted, "least": least}
            lists: dict[str, list[Item]] = {"key": [{"value": f"v{i}"} for i in columns]}
            select = template.fill("recount/known/violating", names, lists, part=True)
            assert isinstance(select, exp.Select)
            selects.append((name, select))
    return rows, selects


class _Counting:
    def __init__(self, engine: Engine, table: Table, question: Question) -> None:
        assert question.known_columns is not None
        self._engine = engine
        self._table = table
        self._question = question
        self._known = question.known_columns
        self._keys: list[Item] = [
            {"value": f"v{i}", "code": f"c{i}", "position": i, "numbers": state(f"known_numbers_{i}")}
            for i in range(len(table.quasi_identifiers))
        ]
        self._models: list[Item] = [
            {
                "value": question.columns[model.column or ""].code,
                "least": int(model.spec.numbers()["l"]),
                "fewest": f"fewest_{i}",
                "violating": f"violating_{i}",
            }
            for i, model in enumerate(question.models)
        ]
        total = row_total(weighted=True)
        holders = template.parse(HOLDERS) if table.entity is not None else total
        self._totals: dict[str, Fill] = {"row_total": total, "holder_total": holders}
        self._all = 0

    def count(self) -> FewColumns:
        values = self._read()
        counts: list[Row] = []
        rows = alone = 0
        for sets in self._batches(values):
            sizes = self._engine.run(self._each("recount/known/sizes", sets), {"k": self._question.k})
            counts += sizes
            short = [sets[number] for number, _, violating, *_ in sizes if violating]
            if short and alone < self._all:
                fallen = exp.Subquery(this=self._each("recount/known/short", short))
                names: dict[str, Fill] = {"short": fallen}
                self._engine.query("recount/known/fallen", names=names, values={"k": self._question.k})
                _, rows, alone = self._fallen()
        return FewColumns(
            known=self._known,
            fewest=min((row[1] for row in counts if row[1] is not None), default=0),
            violating=sum(row[2] for row in counts),
            rows=rows,
            alone=alone,
            models=tuple(
                (min((row[i] for row in counts if row[i] is not None), default=None), sum(row[i + 1] for row in counts))
                for i in range(3, 3 + 2 * len(self._models), 2)
            ),
        )

    def clear(self) -> None:
        """Drops the tables of the count."""
        for name in (*_TABLES, *(str(key["numbers"]).removeprefix(state("")) for key in self._keys)):
            self._engine.run(drop(state(name)))

    def _read(self) -> list[int]:
        """Keeps the rows with numbers for their values; gives how many values each column has."""
        question = self._question
        others: list[Item] = [{"value": attr.code} for attr in question.attributes]
        others += [{"value": "entity"}] if self._table.entity is not None else []
        rows = named_rows(self._table, question.attributes)
        keys = {"key": self._keys}
        self._engine.query("recount/known/values", names={"table_rows": rows}, lists=keys)
        for key in self._keys:
            numbering: dict[str, Fill] = {"key_value": key["value"], "key_numbers": key["numbers"]}
            self._engine.query("recount/known/numbers", names=numbering, values={"position": key["position"]})
        self._engine.query(
            "recount/known/coded",
            names={"table_rows": rows, "row_total": row_total(weighted=self._table.weighted)},
            lists={**keys, "other": others},
        )
        self._engine.run(empty(state("known_fallen"), _FALLEN))
        self._all = self._fallen()[0]
        return [int(count) for _, count in self._engine.query("recount/known/counted")]

    def _batches(self, values: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
        """The sets of columns, in lists that may be counted in one statement."""
        batch: list[tuple[int, ...]] = []
        held = 0
        for columns in combinations(range(len(values)), self._known):
            expected = min(prod(values[i] for i in columns), self._all)
            if batch and (len(batch) == _SETS or held + expected > _COMBINATIONS):
                yield batch
                batch, held = [], 0
            batch.append(columns)
            held += expected
        yield batch

    def _each(self, file: str, sets: Sequence[tuple[int, ...]]) -> exp.Expr:
        """One query over all of the sets, numbered by their index."""
        return union_all(
            [
                template.fill(
                    file,
                    lists={"key": [self._keys[i] for i in columns], "model": self._models},
                    scope={**self._totals, "set_number": number},
                    part=True,
                )
                for number, columns in enumerate(sets)
            ]
        )

    def _fallen(self) -> tuple[int, int, int]:
        """(all rows, those with a short combination so far, those alone in one)."""
        names: dict[str, Fill] = {name: state(name) for name in ("known_rows", "known_fallen")}
        rows, fallen, alone = self._engine.query("recount/known/total", names=names)[0]
        return int(rows), int(fallen), int(alone)
