"""What the recount takes for left by treatments, in written tables of a few rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from shared_engine import attached
from sqlglot import exp

from kanon_sql.recount.treated import broken_treatments, other_intervals
from kanon_sql.settings.treatments import TreatmentConfig
from kanon_sql.source.duckdb import opened
from kanon_sql.source.model import Column, Source
from kanon_sql.source.reading import Reading
from kanon_sql.sql.connection import Engine


@pytest.fixture
def engine() -> Iterator[Engine]:
    with attached() as connection:
        yield Engine(connection)


def table(
    engine: Engine, columns: str, rows: Sequence[tuple[Any, ...]], kind: str = "table", name: str = "w"
) -> Source:
    engine.connection.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
    for row in rows:
        engine.connection.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(row))})", list(row))
    return opened(engine, exp.to_table(name), name, name, (), kind)


@pytest.mark.parametrize(
    ("text", "broken"),
    [("20", 0), ("10", 0), ("-30", 0), ("25", 1), ("20.5", 1), ("", 0), ("?", 0), ("n/a", 0), (None, 0)],
)
def test_a_text_that_is_no_such_number_is_broken_and_a_missing_one_is_not(
    engine: Engine, text: str | None, broken: int
) -> None:
    written = table(engine, "a VARCHAR", [("40",), (text,), (text,)])
    config = {"a": TreatmentConfig.model_validate({"round": 10})}
    problems = broken_treatments(written, config, [Column("a", "c0", "INTEGER")], ("?", "n/a"))
    assert problems == ["column 'a' holds 2 values that are no multiples of 10"] * broken


@pytest.mark.parametrize(("config", "said"), [({"top": 90}, "are above 90"), ({"bottom": 1}, "are below 1")])
def test_a_text_that_is_no_number_is_none_that_is_left(engine: Engine, config: dict[str, Any], said: str) -> None:
    written = table(engine, "a VARCHAR", [("40",), ("x",), ("1",), ("90",)])
    treatments = {"a": TreatmentConfig.model_validate(config)}
    problems = broken_treatments(written, treatments, [Column("a", "c0", "INTEGER")], ("?",))
    assert problems == [f"column 'a' holds 1 values that {said}"]


def test_every_treatment_and_column_is_looked_at(engine: Engine) -> None:
    written = table(engine, "a INTEGER, b INTEGER, c INTEGER", [(15, 30, 7), (120, 30, 7)])
    treatments = {
        "a": TreatmentConfig.model_validate({"round": 10, "top": 90}),
        "b": TreatmentConfig.model_validate({"bottom": 31}),
        "d": TreatmentConfig.model_validate({"round": 10}),  # which is generalized
    }
    columns = [Column(name, f"c{i}", "INTEGER") for i, name in enumerate("abc")]
    assert broken_treatments(written, treatments, columns, ()) == [
        "column 'a' holds 1 values that are no multiples of 10",
        "column 'a' holds 1 values that are above 90",
        "column 'b' holds 2 values that are below 31",
    ]


def test_ends_that_are_shares_of_rows_are_left_to_the_run(engine: Engine) -> None:
    written = table(engine, "a INTEGER", [(15,)])
    config = TreatmentConfig.model_validate({"round": 10, "top": "1%"})
    assert broken_treatments(written, {"a": config}, [Column("a", "c0", "INTEGER")], ()) == [
        "column 'a' holds 1 values that are no multiples of 10"
    ]


SHIFTED: dict[str, Any] = {"shift": {"days": 9, "by": "p", "key": "0f" * 32}}
CUT = {**SHIFTED, "cut": "month"}
OTHER: dict[str, Any] = {"shift": {"days": 9, "by": "p", "key": "f0" * 32}}


def intervals(
    engine: Engine, written: list[tuple[Any, ...]], treatments: dict[str, Any], columns: str = "ab", kind: str = "DATE"
) -> list[str]:
    source = table(engine, "a DATE, b DATE", [("2024-01-01", "2024-01-03"), ("2024-01-01", None)], name="s")
    configs = {name: TreatmentConfig.model_validate(entry) for name, entry in treatments.items()}
    treated = replace(source, untreated=source, treatments=configs)
    released = table(engine, f"a {kind}, b {kind}", written, "csv" if kind == "VARCHAR" else "table")
    return other_intervals(released, treated, [Column(name, f"c{i}", kind) for i, name in enumerate(columns)])


@pytest.mark.parametrize("kind", ["DATE", "VARCHAR"])
def test_days_between_dates_that_move_together_are_those_of_the_source(engine: Engine, kind: str) -> None:
    both = {"a": SHIFTED, "b": SHIFTED}
    assert intervals(engine, [("2024-02-01", "2024-02-03"), ("2024-05-05", None)], both, kind=kind) == []
    for begin, end in (("2024-02-01", "2024-02-04"), ("2024-02-03", "2024-02-01"), ("2024-02-01", "2024-02-01")):
        problems = intervals(engine, [(begin, end), ("2024-05-05", None)], both, kind=kind)
        assert problems == ["1 rows have other numbers of days between 'a' and 'b' than the source"]
    twice = [("2024-02-01", "2024-02-03"), ("2024-03-01", "2024-03-03")]
    assert len(intervals(engine, twice, both, kind=kind)) == 1


def test_dates_that_do_not_move_together_or_not_by_days_are_not_compared(engine: Engine) -> None:
    written = [("2024-02-01", "2024-02-09")]
    assert intervals(engine, written, {"a": SHIFTED, "b": OTHER}) == []
    assert intervals(engine, written, {"a": CUT, "b": CUT}) == []
    assert intervals(engine, written, {"a": SHIFTED, "b": SHIFTED}, columns="a") == []
    assert len(intervals(engine, written, {"a": {**SHIFTED, "cut": "day"}, "b": SHIFTED})) == 1


def test_each_column_of_a_shift_is_compared_with_the_first(engine: Engine) -> None:
    source = table(engine, "a DATE, b DATE, c DATE", [("2024-01-01", "2024-01-03", "2024-01-05")], name="s")
    configs = {name: TreatmentConfig.model_validate(SHIFTED) for name in "abc"}
    treated = replace(source, untreated=source, treatments=configs)
    for third, others in (("2024-02-05", 0), ("2024-02-06", 1)):
        released = table(engine, "a DATE, b DATE, c DATE", [("2024-02-01", "2024-02-03", third)])
        problems = other_intervals(released, treated, source.columns)
        assert problems == ["1 rows have other numbers of days between 'a' and 'c' than the source"] * others


def test_texts_that_mean_missing_have_no_days_between_them(engine: Engine) -> None:
    """Neither those of the source, whose days no release may have, nor the empty text of a file."""
    missing, columns = ("9999-01-01", "9999-01-03"), "a VARCHAR, b VARCHAR"
    source = table(engine, columns, [("2024-01-01", "2024-01-09"), missing, ("-", None)], name="s")
    read = tuple(replace(col, reading=Reading("timestamp")) for col in source.columns)
    source = replace(source, columns=read, missing=(*missing, "-"))
    configs = {name: TreatmentConfig.model_validate(SHIFTED) for name in "ab"}
    treated = replace(source, untreated=source, treatments=configs)
    for second, others in (("2024-02-09", 0), ("2024-02-03", 1)):
        rows = [("2024-02-01", second), ("", ""), ("", None), missing]
        released = replace(table(engine, columns, rows, "csv"), missing=missing)
        assert len(other_intervals(released, treated, read)) == others


def test_texts_of_a_format_have_the_days_of_their_format(engine: Engine) -> None:
    """What is a text in the source is read as the configuration says, and written so."""
    columns = "a VARCHAR, b VARCHAR"
    source = table(engine, columns, [("01.02.2024", "03.02.2024")], name="s")
    read = tuple(replace(col, reading=Reading("date", format="%d.%m.%Y")) for col in source.columns)
    source = replace(source, columns=read)
    configs = {name: TreatmentConfig.model_validate(SHIFTED) for name in "ab"}
    treated = replace(source, untreated=source, treatments=configs)
    for second, others in (("09.05.2024", 0), ("10.05.2024", 1)):
        released = table(engine, columns, [("07.05.2024", second)])
        assert len(other_intervals(released, treated, read)) == others


def test_an_end_that_is_a_share_is_left_to_the_run_whichever_it_is(engine: Engine) -> None:
    written = table(engine, "a INTEGER", [(15,)])
    config = TreatmentConfig.model_validate({"bottom": "1%", "top": 10})
    assert broken_treatments(written, {"a": config}, [Column("a", "c0", "INTEGER")], ()) == [
        "column 'a' holds 1 values that are above 10"
    ]
