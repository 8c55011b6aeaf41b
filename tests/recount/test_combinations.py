"""Combinations of few columns, counted again: compared with plain loops over every set of columns."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from queried import answers
from shared_engine import insert
from sqlglot import exp

from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.privacy.models.l_diversity import LDiversity
from kanon_sql.privacy.registry import Model
from kanon_sql.recount import combinations as counted_sets
from kanon_sql.recount.counting import ClassCounts, count_classes
from kanon_sql.recount.statement import Question, Table
from kanon_sql.source.model import Column
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column, parse

Row = tuple[Any, ...]  # three quasi-identifiers, a sensitive value, an entity, how many rows it stands for
_VALUE = st.sampled_from([None, "a", "b", "*"])
_ROWS = st.lists(
    st.tuples(_VALUE, _VALUE, _VALUE, st.sampled_from([None, "x", "y", "z"]), _VALUE, st.integers(1, 2)),
    min_size=1,
    max_size=12,
)


def _counted(rows: list[Row], question: Question, *, by_entity: bool, weighted: bool) -> ClassCounts:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (a VARCHAR, b VARCHAR, c VARCHAR, s VARCHAR, e VARCHAR, row_count BIGINT)")
    insert(connection, "t", rows)
    quasi = [column(name) for name in "abc"]
    entity = column("e") if by_entity else None
    table = Table(exp.to_table("t"), quasi, {"s": column("s")}, entity, weighted=weighted)
    counts = count_classes(Engine(connection), table, question)
    left = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE temporary").fetchall()
    assert left == [(0,)]
    return counts


@given(_ROWS, st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.booleans(), st.booleans(), st.booleans())
def test_every_combination_is_counted(
    rows: list[Row], known: int, k: int, least: int, diverse: bool, by_entity: bool, weighted: bool
) -> None:
    models = (Model(LDiversity(column="s", l=least), None),) if diverse else ()
    sensitive = Sensitive(0, Column("s", "s", "VARCHAR"), by_entity, "text", None)
    question = Question(k, models, {"s": sensitive}, known_columns=known)
    counts = _counted(rows, question, by_entity=by_entity, weighted=weighted)

    holders, values, violating = list[int](), list[int](), 0
    fallen, alone = set[int](), set[int]()
    too_few = 0
    for chosen in combinations(range(3), known):
        rows_by_values = defaultdict(list)
        for number, row in enumerate(rows):
            rows_by_values[tuple(row[i] for i in chosen)].append(number)
        for numbers in rows_by_values.values():
            size = sum(rows[i][5] if weighted else 1 for i in numbers)
            held: int = len({rows[i][4] for i in numbers}) if by_entity else size
            different = len({rows[i][3] for i in numbers} - {None})
            holders.append(held)
            values.append(different)
            too_few += int(diverse and different < least)
            if held < k or (diverse and different < least):
                violating += 1
                fallen.update(numbers)
                alone.update(numbers if size == 1 else ())
    assert counts.fewest == min(holders)
    assert counts.violating_classes == violating
    assert counts.columns == known
    if known < 3:  # else they are the classes, of which rows and unique ones are counted as ever
        assert counts.unique_rows == sum(rows[i][5] if weighted else 1 for i in alone)
    assert counts.violating_rows == sum(rows[i][5] if weighted else 1 for i in fallen)
    assert [(model.least, model.violating_classes) for model in counts.models] == (
        [(min(values), too_few)] if diverse else []
    )
    assert counts.classes == len({row[:3] for row in rows})


@pytest.mark.parametrize("at_once", [1, 50])
def test_rows_fall_by_any_set_whichever_statement_counts_it(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of eight rows one falls by the first column and another by the last."""
    monkeypatch.setattr(counted_sets, "_SETS", at_once)
    rows: list[Row] = [("a", "a", "a", None, None, 1)] * 6
    rows += [("b", "a", "a", None, None, 1), ("a", "a", "b", None, None, 1)]
    counts = _counted(rows, Question(2, known_columns=1), by_entity=False, weighted=False)
    assert (counts.fewest, counts.violating_classes, counts.violating_rows, counts.unique_rows) == (1, 2, 2, 2)


def test_a_statement_of_others_finds_every_combination_below_what_is_asked_for() -> None:
    rows = {"table_rows": ("v0 VARCHAR", [("a",)] * 2 + [("b",)] * 3 + [(None,)])}
    names = {"row_total": parse("count(*)"), "found": parse("count(*)"), "least": 3}
    short = answers("recount/known/violating", rows, names=names, lists={"key": [{"value": "v0"}]})
    assert sorted(short) == [(1, 1.0), (2, 2.0)]
