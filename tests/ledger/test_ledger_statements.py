"""What the statements of the ledger do with a few rows."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from queried import answers
from shared_engine import shared
from sqlglot import exp

from kanon_sql.sql.template import column, render


def test_classes_below_k_are_small() -> None:
    tables = {"written": ("q VARCHAR", [("a",), ("a",), ("a",), ("b",), ("b",), ("c",)])}
    names = {"held_count": exp.Count(this=exp.Star())}
    rows = answers("ledger/small_classes", tables, names=names, lists={"known": [{"key": "q"}]}, values={"k": 3})
    assert rows == [(2, 3)]


def test_only_the_release_that_is_named_is_forgotten() -> None:
    tables = {"kanon_sql_releases": ("id BIGINT", [(1,), (2,), (3,)])}
    then = "SELECT id FROM kanon_sql_releases ORDER BY id"
    assert answers("ledger/remove", tables, values={"id": 2}, then=then) == [(1,), (3,)]


def test_only_the_release_that_is_named_is_closed() -> None:
    tables = {"kanon_sql_releases": ("id BIGINT, details VARCHAR", [(1, "a"), (2, "b"), (3, "c")])}
    then = "SELECT details FROM kanon_sql_releases ORDER BY id"
    assert answers("ledger/close", tables, values={"id": 2, "details": "x"}, then=then) == [("a",), ("x",), ("c",)]


def test_releases_come_in_the_order_of_their_numbers() -> None:
    names = "id, made_at, program, origin, built_on, source, source_place, source_fingerprint, target, target_place, "
    names += "release_fingerprint, quasi_identifiers, released, details"
    columns = ", ".join(f"{name} BIGINT" for name in names.split(", "))
    rows = [(number, *[None] * 13) for number in (2, 3, 1)]
    assert [row[0] for row in answers("ledger/rows", {"kanon_sql_releases": (columns, rows)})] == [1, 2, 3]


@pytest.mark.parametrize(
    ("rows", "others"),
    [
        ([("a", "bc")], [("ab", "c")]),
        ([("a,b", "c")], [("a", "b,c")]),
        ([("a,1:b", "c")], [("a", "b,1:c")]),
        ([("a", "b"), ("c", "d")], [("a", "d"), ("c", "b")]),
        ([("a", "b"), ("a", "b")], [("a", "b"), ("c", "d")]),
        ([("a", "b"), ("a", "b"), ("c", "d"), ("c", "d")], [("e", "f"), ("e", "f"), ("g", "h"), ("g", "h")]),
    ],
)
def test_rows_of_other_values_have_another_fingerprint(
    rows: list[tuple[str, str]], others: list[tuple[str, str]]
) -> None:
    def print_of(held: list[tuple[str, str]]) -> tuple[object, ...]:
        cells = [{"value": name, "text": f"text_{name}"} for name in ("p", "q")]
        return answers("ledger/fingerprint", {"table_rows": ("p VARCHAR, q VARCHAR", held)}, lists={"cell": cells})[0][
            :3
        ]

    assert print_of(rows) != print_of(others)
    assert print_of(rows) == print_of(rows[::-1])


def prints(values: Sequence[str | None], key: str, *, few: bool = True) -> tuple[str, int]:
    """(the sum of the digests of a column, how many bits it says)."""
    nothing = exp.cast(exp.null(), "VARCHAR")
    number = exp.cast(exp.null(), "DOUBLE") if few else exp.TryCast(this=column("v"), to=exp.DataType.build("DOUBLE"))
    value = column("v")
    cell = {"few": value if few else nothing, "many": nothing if few else value, "number": number}
    lists = {"cell": [{**cell, "name": "name_0", "text": "text_0", "place": "place_0"}]}
    rows = {"table_rows": ("v VARCHAR", [(held,) for held in values])}
    then = render("ledger/column_prints").replace("$key", exp.Literal.string(key).sql("duckdb"))
    [(_, total, bits)] = answers("ledger/column_scan", rows, lists=lists, values={"key": key}, then=then)
    return total, bits


@pytest.mark.parametrize("few", [True, False])
def test_no_print_of_a_column_is_reckoned_without_the_key(few: bool) -> None:
    values = ["a", "b", "b", "c"]
    assert prints(values, "k", few=few)[0] == prints(values[::-1], "k", few=few)[0]
    assert prints(values, "k", few=few)[0] != prints(values, "l", few=few)[0]
    assert prints(values, "k", few=True)[0] == prints(values, "k", few=False)[0]


def test_a_column_says_what_its_rows_could_have_held() -> None:
    assert prints(["a"] * 40, "k")[1] == 0  # one value
    assert prints([str(number) for number in range(40)], "k")[1] == 0  # numbers of rows
    assert prints([str(number) for number in range(500)], "k", few=False)[1] == 0
    assert prints(["a", "b", "c"] * 20, "k")[1] == 3  # each as often: which values there are
    # How rarely rows that are drawn by these shares hold each value just so often.
    chance = math.comb(41, 20) * (20 / 41) ** 20 * (21 / 41) ** 21
    assert prints(["a"] * 20 + ["b"] * 21, "k")[1] == math.floor(-math.log2(chance))
    assert prints([f"x{number}" for number in range(80)], "k", few=False)[1] == 64


def test_only_evenly_spaced_numbers_and_moments_say_nothing() -> None:
    assert prints([f"2024-01-{day:02}" for day in range(1, 31)], "k")[1] == 0
    assert prints(["1", "2"] * 20, "k")[1] == 0
    assert prints(["1"] * 20 + ["2"] * 21, "k")[1] == prints(["a"] * 20 + ["b"] * 21, "k")[1] > 0  # not as often
    assert prints(["1", "x"] * 20, "k")[1] == 2  # not all are numbers
    assert prints(["1", "2", "98", "99"] * 20, "k")[1] == 4  # not evenly
    ends = [str(number + far) for far in (0, 1_000_000) for number in range(250)]
    assert prints(ends, "k", few=False)[1] == 64
    assert prints([None] * 40, "k", few=False) == ("0", 0)


def test_a_column_is_of_numbers_or_moments_where_all_its_values_are() -> None:
    rows = [("1", "2024-01-01", "1"), (None, "2024-01-02", "2024-01-01"), ("2.5", None, "x")]
    table = {"table_rows": ("a VARCHAR, b VARCHAR, c VARCHAR", rows)}
    lists = {"cell": [{"value": name} for name in "abc"]}
    assert answers("ledger/column_kinds", table, lists=lists) == [(["number", "moment", None],)]


def test_texts_of_both_a_hierarchys_leaves_and_labels_are_values() -> None:
    held = {"raw_values": ("value VARCHAR", [("a",), ("b",), ("b",), ("*",), ("x",), ("?",), (None,)])}
    values = {"leaves": '["a", "c"]', "labels": '["a", "b", "*"]', "missing": ["?"]}
    assert answers("ledger/labels_of_file", held, values=values) == [(2, 1, 1)]


@pytest.mark.parametrize(
    ("builtin", "texts", "counts"),
    [
        ("intervals", ["20-29", "<18", "18-24", "85-89", "7", "x", "*", "90-99", "25-26"], (6, 5, 2)),
        ("intervals", ["[2.5, 12.5)", "[80, 90)", "[18, 19.5)", "[3, 4)"], (3, 3, 1)),
        ("prefix", ["12*", "1**", "123", "*"], (2, 1, 0)),
        ("de-plz", ["12***", "123**", "12**", "1****", "12345"], (3, 3, 0)),
        ("date", ["2024-05", "2024-Q2", "2020-2029", "1900-1999", "2024", "2024-05-17", "x"], (3, 3, 3)),
    ],
)
def test_labels_of_builtin_hierarchies_have_their_shape(
    builtin: str, texts: list[str], counts: tuple[int, ...]
) -> None:
    values = {
        "builtin": builtin,
        "keep": [2],
        "widths": ["10"],
        "levels": ["month", "decade", "century"],
        "labels": ["<18"],
        "bottom": "18",
        "top": "90",
        "missing": ["?"],
    }
    rows = {"raw_values": ("value VARCHAR", [(text,) for text in (*texts, *texts[:1], "?")])}
    assert answers("ledger/labels_of_builtin", rows, values=values) == [counts]


def test_a_ledger_is_a_table_of_the_main_schema() -> None:
    with shared() as connection:
        before = connection.execute(render("ledger/is_there")).fetchall()[0]
        connection.execute("CREATE SCHEMA elsewhere")
        connection.execute("CREATE TABLE elsewhere.kanon_sql_releases (id BIGINT)")
        try:
            assert connection.execute(render("ledger/is_there")).fetchall() == [(before[0], before[1] + 1)]
        finally:
            connection.execute("DROP SCHEMA elsewhere CASCADE")
