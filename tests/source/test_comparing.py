"""Values that mean missing, persons, and texts that are compared between tables, by what the engine makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import pytest
from sqlglot import exp

from kanon_sql.settings.columns import ColumnConfig
from kanon_sql.source.columns import as_written, means_missing, normalized, null_for, or_missing, person, read_value
from kanon_sql.source.columns import text_of as text_of_column
from kanon_sql.source.model import Column
from kanon_sql.source.reading import Reading
from kanon_sql.sql.dialects import find_dialect

V = exp.column("v")


def evaluated(expression: exp.Expr, values: Sequence[Any], kind: str = "VARCHAR") -> list[Any]:
    statement = f"SELECT {expression.sql('duckdb')} FROM (SELECT unnest($1)::{kind} AS v)"
    return [row[0] for row in duckdb.execute(statement, [list(values)]).fetchall()]


def test_every_text_that_means_missing_is_null() -> None:
    texts = ["", "?", "n/a", "x", None, " ", "N/A"]
    for missing in ((), ("?",), ("", "?", "n/a")):
        wanted = [None if text in missing else text for text in texts]
        assert evaluated(null_for(V, missing), texts) == wanted
        assert evaluated(means_missing(V, missing), texts) == [text is None for text in wanted]
        assert evaluated(normalized(Column("v", "v", "VARCHAR"), missing), texts) == wanted


def test_numbers_do_not_mean_missing() -> None:
    assert evaluated(normalized(Column("v", "v", "INTEGER"), ("1", "2")), [1, 2, None], "INTEGER") == [1, 2, None]


def test_a_person_is_one_however_the_number_is_written() -> None:
    texts, number = ["7", "7.0", "07", "?", "x"], Column("v", "v", "VARCHAR", Reading("number"))
    persons = evaluated(person(number, ("?",)), texts)
    assert persons[0] == persons[1] == persons[2]
    assert persons[3] is None
    assert evaluated(person(Column("v", "v", "VARCHAR"), ("?",)), texts) == ["7", "7.0", "07", None, "x"]


@pytest.mark.parametrize(
    ("kind", "values", "texts"),
    [
        ("DECIMAL(6, 3)", ["1.500", "100", "0.010", "-0.5", None], ["1.5", "100", "0.01", "-0.5", None]),
        ("DOUBLE", ["1.50", "100", "-0", "1e20"], ["1.5", "100", "0", "1e+20"]),
        ("TIMESTAMP", ["2024-05-01", "2024-05-01 00:00:01"], ["2024-05-01", "2024-05-01 00:00:01"]),
        ("TIMESTAMP WITH TIME ZONE", ["2024-05-01 02:00:00+02"], ["2024-05-01"]),
        ("INTEGER", ["100", "0"], ["100", "0"]),
        ("VARCHAR", ["1.50", ""], ["1.50", ""]),
    ],
)
def test_a_value_is_compared_by_the_text_that_a_release_writes(kind: str, values: list[Any], texts: list[Any]) -> None:
    assert evaluated(as_written(V, kind), values, kind) == texts


def test_labels_among_numbers_stay_as_they_are() -> None:
    column = Column("v", "v", "VARCHAR", Reading("number"))
    assert evaluated(text_of_column(column, ("?",)), ["1.50", "1.5", "10-20", "?", None])[2:] == ["10-20", None, None]
    first, second = evaluated(text_of_column(column, ("?",)), ["1.50", "1.5"])
    assert first == second


def test_a_missing_value_finds_the_absent_partner_and_no_other() -> None:
    partner = or_missing(V, exp.column("v").copy(), exp.Literal.string("absent"))
    assert evaluated(partner, ["a", None, ""]) == ["a", "absent", ""]
    assert evaluated(or_missing(V, V.copy(), None), ["a", None]) == ["a", None]


def test_what_does_not_fit_is_null_only_where_it_may_be() -> None:
    texts, dialect = ["1", "x", "?", None], find_dialect("duckdb")
    for invalid, wanted in (("missing", ["1", None, "?", None]), ("error", ["1", "x", "?", None])):
        config = ColumnConfig.model_validate({"type": "number", "invalid": invalid})
        assert evaluated(read_value(V, config, ("?",), dialect), texts) == wanted
