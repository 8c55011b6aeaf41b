"""What the verification says of written tables of a few rows, each wrong in its own way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from shared_engine import attached, insert
from sqlglot import exp

from kanon_sql.errors import VerificationError
from kanon_sql.privacy.thresholds import AverageRisk
from kanon_sql.recount.counting import GroupCounts
from kanon_sql.recount.statement import Question, Table
from kanon_sql.release.verify import ExpectedClasses, Groups, compared_columns, verify
from kanon_sql.source.duckdb import opened
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import state

CLASSES = [("x", 3), ("y", 2)]
ROWS = ["x", "x", "x", "y", "y"]
EXPECTED = ExpectedClasses(
    columns=["a"], rows=5, masked=0, question=Question(2), recounted=None, again=None, labels={"a": "label_a"}
)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with attached() as connection:
        yield Engine(connection)


def written(engine: Engine, rows: list[Any], classes: list[tuple[str | None, int]] | None = None) -> Source:
    """A table with one column `a`, made of `classes` by the search."""
    released = exp.table_(state("released_classes"), quoted=True).sql("duckdb")
    engine.connection.execute(f"CREATE OR REPLACE TABLE {released} (label_a VARCHAR, row_count BIGINT)")
    for label, number in CLASSES if classes is None else classes:
        engine.connection.execute(f"INSERT INTO {released} VALUES (?, ?)", [label, number])
    engine.connection.execute("CREATE OR REPLACE TABLE w (a VARCHAR)")
    for value in rows:
        engine.connection.execute("INSERT INTO w VALUES (?)", [value])
    return opened(engine, exp.to_table("w"), "w", "w", ())


def problems(engine: Engine, source: Source, expected: ExpectedClasses = EXPECTED) -> list[str]:
    try:
        verify(engine, source, expected)
    except VerificationError as error:
        return list(error.problems)
    return []


def test_what_is_as_it_should_be_is_counted(engine: Engine) -> None:
    counts = verify(engine, written(engine, ROWS), EXPECTED)
    assert (counts.rows, counts.classes, counts.smallest, counts.largest, counts.starred) == (5, 2, 2, 3, 0)
    assert counts.digest is not None


@pytest.mark.parametrize("rows", [ROWS[:-1], [*ROWS, "y"], ROWS[1:], []])
def test_a_row_more_or_less_is_wrong(engine: Engine, rows: list[str]) -> None:
    classes: list[tuple[str | None, int]] = [(name, rows.count(name)) for name in sorted(set(rows))]
    messages = problems(engine, written(engine, rows, classes), replace(EXPECTED, question=Question(1)))
    assert [f"{len(rows):,} rows were written, expected 5" in text for text in messages] == [True]


def test_a_class_below_k_is_told_with_its_rows(engine: Engine) -> None:
    assert problems(engine, written(engine, ROWS), replace(EXPECTED, question=Question(3))) == [
        "1 equivalence classes (2 rows) hold fewer than 3 rows"
    ]


@pytest.mark.parametrize(
    ("classes", "different"),
    [
        ([("x", 3), ("y", 3)], 2),
        ([("x", 3), ("y", 2), ("z", 1)], 1),
        ([("x", 3)], 1),
        ([("x", 1), ("x", 2), ("y", 2)], 0),  # two partitions of one label
    ],
)
def test_classes_are_those_of_the_partitions(engine: Engine, classes: list[Any], different: int) -> None:
    messages = problems(engine, written(engine, ROWS, classes))
    assert [text.split()[0] for text in messages] == [str(different)] * (different > 0)


def test_a_missing_label_is_an_empty_text(engine: Engine) -> None:
    expected = replace(EXPECTED, rows=2, question=Question(1))
    assert problems(engine, written(engine, [None, ""], [(None, 1), ("", 1)]), expected) == []


@pytest.mark.parametrize(("starred", "masked", "wrong"), [(2, 2, False), (1, 2, True), (3, 2, False), (0, 1, True)])
def test_masked_rows_are_there(engine: Engine, starred: int, masked: int, wrong: bool) -> None:
    classes: list[tuple[str | None, int]] = [("x", 3), ("y", 2), *([("*", starred)] if starred else [])]
    source = written(engine, ROWS + ["*"] * starred, classes)
    expected = replace(EXPECTED, rows=5 + starred, masked=masked, question=Question(1))
    assert problems(engine, source, expected) == [f"{starred} masked rows were written, expected {masked}"] * wrong


def test_masked_rows_are_a_class_that_must_hold_k(engine: Engine) -> None:
    source = written(engine, [*ROWS, "*"], [("x", 3), ("y", 2), ("*", 1)])
    assert problems(engine, source, replace(EXPECTED, rows=6, masked=1)) == [
        "1 equivalence classes (1 rows) hold fewer than 2 rows"
    ]


def test_rows_of_stars_are_a_class_like_others_where_nothing_is_masked(engine: Engine) -> None:
    source = written(engine, [*ROWS, "*", "*"], [("x", 3), ("y", 2), ("*", 2)])
    counts = verify(engine, source, replace(EXPECTED, rows=7))
    assert (counts.classes, counts.starred) == (3, 0)
    counts = verify(engine, source, replace(EXPECTED, rows=7, masked=2))
    assert (counts.classes, counts.starred, counts.rows) == (2, 2, 7)


def test_a_threshold_that_is_passed_is_told(engine: Engine) -> None:
    source = written(engine, ROWS)
    for bound, wrong in (("0.4", False), ("0.39", True)):
        question = Question(2, thresholds=(AverageRisk.model_validate({"at_most": bound}),))
        messages = problems(engine, source, replace(EXPECTED, question=question))
        assert messages == ["average_risk is 0.4, more than was asked for"] * wrong


def test_other_columns_are_wrong(engine: Engine) -> None:
    source = written(engine, ROWS)
    assert "expected 2, found 1" in problems(engine, source, replace(EXPECTED, columns=["a", "b"]))[0]
    assert "expected 1, found 1" in problems(engine, source, replace(EXPECTED, columns=["b"]))[0]


def given(engine: Engine, name: str, columns: str, rows: Sequence[tuple[Any, ...]]) -> exp.Table:
    engine.connection.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
    if rows:
        insert(engine.connection, name, rows)
    return exp.to_table(name)


def test_entities_are_counted_in_the_source_and_its_classes_compared(engine: Engine) -> None:
    source = written(engine, ROWS)
    persons = [("x", "p"), ("x", "q"), ("x", "q"), ("y", "p"), ("y", "p")]

    def problems_of_entities(rows: Sequence[tuple[str | None, str | None]], k: int) -> list[str]:
        table = given(engine, "g", "a VARCHAR, p VARCHAR", rows)
        recounted = Table(table, [exp.column("a")], entity=exp.column("p"))
        return problems(engine, source, replace(EXPECTED, recounted=recounted, question=Question(k)))

    assert problems_of_entities(persons, 1) == []
    assert problems_of_entities(persons, 2) == ["1 equivalence classes (2 rows) hold fewer than 2 rows"]
    assert problems_of_entities([*persons[:-1], ("y", None)], 2) == []
    assert problems_of_entities([*persons[:-2], ("y", None), ("y", None)], 2) == [
        "1 equivalence classes (2 rows) hold fewer than 2 rows"
    ]
    assert problems_of_entities([*persons[:-1], ("x", "p")], 1) == ["2 equivalence classes are not those of the source"]


def test_groups_are_released_as_a_whole(engine: Engine) -> None:
    source = written(engine, ROWS)
    persons = [("g",), ("g",), ("h",), (None,), (None,), ("i",)]

    def problems_of_groups(released: list[tuple[str | None]], again: list[str]) -> list[str]:
        taking_part, kept = given(engine, "t", "g VARCHAR", persons), given(engine, "r", "g VARCHAR", released)
        groups = Groups(
            Table(taking_part, (), entity=exp.column("g")),
            Table(kept, (), entity=exp.column("g")),
            Table(given(engine, "s", "a VARCHAR", [(name,) for name in again]), [exp.column("a")]),
        )
        return problems(engine, source, replace(EXPECTED, groups=groups))

    assert problems_of_groups([("g",), ("g",), ("h",), (None,), (None,)], ROWS) == []
    counts = Groups(
        Table(exp.to_table("t"), (), entity=exp.column("g")),
        Table(exp.to_table("r"), (), entity=exp.column("g")),
        Table(exp.to_table("s"), [exp.column("a")]),
    ).count(engine, Table(exp.to_table("s"), [exp.column("a")]))
    assert counts == (GroupCounts(taking_part=5, released=4, split=0), [])
    assert problems_of_groups([("g",), ("h",), ("i",), (None,)], ROWS) == ["1 groups are released in part"]
    assert problems_of_groups([("g",), ("g",)], ["x", "x", "y", "y", "y"]) == [
        "2 equivalence classes are not those of the source"
    ]


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ([(1, "a"), (2, None), (2, None)], None),
        ([(2, None), (1, "a"), (2, None)], None),  # any order
        ([(1, "a"), (2, None)], ""),
        ([(1, "a"), (1, "a"), (2, None)], "'n', 't'"),
        ([(1, "a"), (2, None), (2, "")], "'t'"),
        ([(1, None), (2, "a"), (2, None)], ""),  # each column as it was, in other rows
        ([(1, "a"), (2, None), (3, None)], "'n'"),
        ([(1, "a"), (3, None), (3, None)], "'n'"),
    ],
)
def test_every_row_is_compared(engine: Engine, rows: Sequence[tuple[Any, ...]], wrong: str | None) -> None:
    given(engine, "meant", "n INTEGER, t VARCHAR", [(1, "a"), (2, None), (2, None)])
    source = opened(engine, given(engine, "w", "n INTEGER, t VARCHAR", rows), "w", "w", ())
    release = exp.select(exp.column("n"), exp.column("t")).from_("meant")
    if wrong is None:
        assert compared_columns(engine, release, source) == 2
        return
    with pytest.raises(VerificationError) as refused:
        compared_columns(engine, release, source)
    named = f"column {wrong} holds other values" if wrong else "not those to be released;"
    if rows != [(1, "a"), (2, None)]:
        assert named in str(refused.value)
