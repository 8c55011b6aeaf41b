"""Counting what somebody finds who knows few columns: every combination of values in so many quasi-identifiers.

The rows are read twice: once for the values of all columns, which are given numbers, and once to be kept by these. Then
many sets of columns are counted in one statement, as many as its memory allows. Sets of exactly so many columns are
enough: a combination of fewer columns holds all rows of one of more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

from sqlglot import exp

from kanon_sql.recount.statement import HOLDERS, Question, Table, named_rows, row_total, union_all
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine, Row
from kanon_sql.sql.tables import drop, empty
from kanon_sql.sql.template import Fill, Item, column, quoted, state

_SETS = 50  # counted in one statement
_COMBINATIONS = 2_000_000  # held by it at most, about
_TABLES = ("known_values", "known_rows", "known_fallen")
_FALLEN = {"row_number": "BIGINT", "row_count": "BIGINT", "alone": "BOOLEAN"}


@dataclass(frozen=True)
class FewColumns:
    """Combinations of values in `known` columns each: the rows or entities of the smallest, and what violates.

    `violating` combinations are too small or violate a model; `rows` have one that does, `alone` rows one that is no
    other row's. `models` are (the fewest values of a combination, combinations that violate) of each model.
    """

    known: int
    fewest: int
    violating: int
    rows: int
    alone: int
    models: tuple[tuple[int | None, int], ...]


def count_few_columns(engine: Engine, table: Table, question: Question) -> FewColumns:
    """The combinations of every set of `question.known_columns` quasi-identifiers; NULL is a value.

    Its models are distinct l-diversity. Raises EngineError for rows that cannot be read.
    """
    counting = _Counting(engine, table, question)
    try:
        return counting.count()
    finally:
        counting.clear()


def violating_combinations(table: Table, question: Question) -> tuple[exp.CTE, list[tuple[str, exp.Select]]]:
    """(the rows by the name of `table_rows`, what each set of columns must hold and the SELECT of what does not).

    It is for a statement that others run: each set is counted in the rows as they are.
    """
    rows = exp.CTE(this=named_rows(table, question.spoken), alias=exp.TableAlias(this=quoted("table_rows")))
    total = row_total(weighted=table.weighted)
    holders = template.parse(HOLDERS) if table.entity is not None else total
    asked: list[tuple[str, exp.Expr, int]] = [("k" if table.entity is None else "k entities", holders, question.k)]
    for model in question.models:
        values = exp.Distinct(expressions=[column(question.columns[model.column or ""].code)])
        asked.append((f"{model.key} of {model.column}", exp.Count(this=values), int(model.spec.numbers()["l"])))
    found = []
    for one in combinations(range(len(table.quasi_identifiers)), question.known_columns or 0):
        for name, counted, least in asked:
            names: dict[str, Fill] = {"row_total": total, "found": counted, "least": least}
            lists: dict[str, list[Item]] = {"key": [{"value": f"v{i}"} for i in one]}
            made = template.fill("recount/known/violating", names, lists, part=True)
            assert isinstance(made, exp.Select)
            found.append((name, made))
    return rows, found


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
        """What the combinations hold."""
        values = self._read()
        found: list[Row] = []
        rows = alone = 0
        for sets in self._batches(values):
            sizes = self._engine.run(self._each("recount/known/sizes", sets), {"k": self._question.k})
            found += sizes
            short = [sets[number] for number, _, violating, *_ in sizes if violating]
            if short and alone < self._all:
                rows, alone = self._fall(short)
        return FewColumns(
            known=self._known,
            fewest=min((row[1] for row in found if row[1] is not None), default=0),
            violating=sum(row[2] for row in found),
            rows=rows,
            alone=alone,
            models=tuple(
                (min((row[i] for row in found if row[i] is not None), default=None), sum(row[i + 1] for row in found))
                for i in range(3, 3 + 2 * len(self._models), 2)
            ),
        )

    def clear(self) -> None:
        """Drops what was kept."""
        for name in (*_TABLES, *(str(key["numbers"]).removeprefix(state("")) for key in self._keys)):
            self._engine.run(drop(state(name)))

    def _read(self) -> list[int]:
        """Keeps the rows by numbers for their values; how many values each column has."""
        question = self._question
        others: list[Item] = [{"value": one.code} for one in question.spoken]
        others += [{"value": "entity"}] if self._table.entity is not None else []
        rows = named_rows(self._table, question.spoken)
        names: dict[str, Fill] = {"known_values": state("known_values")}
        keys = {"key": self._keys}
        self._engine.query("recount/known/values", names={**names, "table_rows": rows}, lists=keys)
        for key in self._keys:
            made: dict[str, Fill] = {**names, "key_value": key["value"], "key_numbers": key["numbers"]}
            self._engine.query("recount/known/numbers", names=made, values={"position": key["position"]})
        self._engine.query(
            "recount/known/coded",
            names={
                "known_rows": state("known_rows"),
                "table_rows": rows,
                "row_total": row_total(weighted=self._table.weighted),
            },
            lists={**keys, "other": others},
        )
        self._engine.run(empty(state("known_fallen"), _FALLEN))
        self._all = self._fallen()[0]
        return [int(count) for _, count in self._engine.query("recount/known/counted", names=names)]

    def _batches(self, values: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
        """The sets of columns, as many at a time as may be counted in one statement."""
        batch: list[tuple[int, ...]] = []
        held = 0
        for one in combinations(range(len(values)), self._known):
            expected = min(prod(values[i] for i in one), self._all)
            if batch and (len(batch) == _SETS or held + expected > _COMBINATIONS):
                yield batch
                batch, held = [], 0
            batch.append(one)
            held += expected
        yield batch

    def _each(self, file: str, sets: Sequence[tuple[int, ...]]) -> exp.Expr:
        """A query of each of the sets, whose number is its place among them."""
        names: dict[str, Fill] = {"known_rows": state("known_rows"), **self._totals}
        return union_all(
            [
                template.fill(
                    file,
                    lists={"key": [self._keys[i] for i in one], "model": self._models},
                    scope={**names, "set_number": number},
                    part=True,
                )
                for number, one in enumerate(sets)
            ]
        )

    def _fall(self, sets: Sequence[tuple[int, ...]]) -> tuple[int, int]:
        """Notes the rows with a short combination in these sets; (all such rows so far, those alone in one)."""
        short = self._each("recount/known/short", sets)
        names: dict[str, Fill] = {"known_fallen": state("known_fallen"), "short": exp.Subquery(this=short)}
        self._engine.query("recount/known/fallen", names=names, values={"k": self._question.k})
        return self._fallen()[1:]

    def _fallen(self) -> tuple[int, int, int]:
        names: dict[str, Fill] = {name: state(name) for name in ("known_rows", "known_fallen")}
        rows, fallen, alone = self._engine.query("recount/known/total", names=names)[0]
        return int(rows), int(fallen), int(alone)
