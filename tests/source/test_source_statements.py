"""What the statements about a source say of a few rows."""

from __future__ import annotations

import pytest
from queried import answers

from kanon_sql.sql.template import column


def test_missing_values_are_no_values() -> None:
    tables = {"kept": ("p VARCHAR, m BOOLEAN", [("a", False), ("a", False), ("b", False), (None, True)])}
    assert answers("source/collisions", tables, names={"kept_pseudonym": "p", "kept_missing": "m"}) == [(3, 1)]


def test_the_nearest_number_that_enough_rows_reach() -> None:
    tables = {"numbers": ("distance BIGINT", [(0,), (4,), (9,), (9,), (None,)])}
    names = {"least": 2, "part": 0, "whole": 1}
    assert answers("source/threshold", tables, names=names) == [("4",)]
    assert answers("source/threshold", tables, names={**names, "least": 5}) == [(None,)]


def test_a_value_of_two_rows_is_not_alone() -> None:
    tables = {"source": ("q VARCHAR", [("a",), ("b",), ("b",)])}
    assert answers("source/values_of_their_own", tables, names={"out_key": "q"}) == [(1,)]


def test_the_nearest_number_is_behind_the_share_and_the_least_rows() -> None:
    tables = {"numbers": ("distance BIGINT", [(distance,) for distance in (0, 0, 1, 2, 3, 4, 5, 6, 7, 8)])}
    for least, part, reached in ((1, 3, "1"), (4, 3, "2"), (1, 0, "0"), (3, 10, "8")):
        assert answers("source/threshold", tables, names={"least": least, "part": part, "whole": 10}) == [(reached,)]


def test_a_value_is_missing_where_a_row_has_none() -> None:
    assert answers("source/missing_kept", {"kept": ("original VARCHAR", [("a",), (None,)])}) == [(True,)]
    assert answers("source/missing_kept", {"kept": ("original VARCHAR", [("a",), ("b",)])}) == [(False,)]


def test_a_key_is_repeated_where_any_record_repeats_it() -> None:
    held = ['{"a": 1, "b": 2}', '{"a": 1, "a": 2}', '{"a": 1}', "{}", "[1]"]
    rows = answers("source/json_keys", {"records": ("json JSON", [(text,) for text in held])})
    assert rows == [("a", 3, 3, True), (None, 2, 1, False), ("b", 1, 1, False)]


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        (['"a"', "true", None], 1 | 2),
        (["[1]", "{}"], 4),
        (["1.5", "1e400"], 8 | 16),
        (["999999999999999", "-9007199254740992", "9007199254740992"], 32),
        (["9007199254740993"], 64),
        (["-9223372036854775808", "9223372036854775807"], 64),
        (["9223372036854775808"], 128),
        (["1" * 40], 16),
    ],
)
def test_numbers_are_of_the_kind_that_holds_them(values: list[str | None], kinds: int) -> None:
    tables = {"records": ("v VARCHAR", [(value,) for value in values])}
    assert answers("source/json_kinds", tables, lists={"key": [{"value": "v", "name": "v"}]}) == [(kinds,)]


def test_records_are_misread_where_all_are_of_another_encoding() -> None:
    columns = "line BIGINT, error_type VARCHAR"
    for kinds, misread in ((["INVALID ENCODING"] * 2, True), (["INVALID ENCODING", "CAST"], False), ([], False)):
        rows = [(3 - place, kind) for place, kind in enumerate(kinds)]
        lines = sorted(line for line, _ in rows) or None
        answer = answers("source/rejected_records", {"reject_errors": (columns, rows)})
        assert answer == [(len(rows), lines, misread)]


def test_empty_texts_are_counted_and_nulls_are_not() -> None:
    tables = {"written": ("v VARCHAR", [("",), ("a",), (None,), ("",), (" ",), ("b",)])}
    assert answers("source/parquet_empty_texts", tables, lists={"text": [{"key": "v"}]}) == [(2,)]


def test_what_fits_or_cannot_be_told_is_no_misfit() -> None:
    tables = {"source": ("v BOOLEAN", [(True,), (False,), (None,), (True,)])}
    assert answers("source/misfits", tables, lists={"read": [{"misfit": column("v"), "key": "n"}]}) == [(2,)]


def test_rows_are_counted_by_all_their_values() -> None:
    tables = {"source": ("a VARCHAR, b VARCHAR", [("x", "y"), ("x", "y"), ("x", None), (None, None), (None, None)])}
    items = [{"value": column("a"), "key": "k1"}, {"value": column("b"), "key": "k2"}]
    rows = answers("source/counted", tables, lists={"qi": items})
    assert set(rows) == {("x", "y", 2), ("x", None, 1), (None, None, 2)} and len(rows) == 3
