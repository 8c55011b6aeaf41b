"""Query files: every one parses, and their holes are filled in the tree whatever the names hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from kanon_sql.sql import template

FILES = sorted(template.queries_folder().rglob("*.sql"))
PARTS = 10  # in which the files are looked at


# Numbers that depend on the order of rows; without one the engine gives them as its threads come.
_NUMBERED = (exp.RowNumber, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
_LISTED = (exp.ArrayAgg, exp.GroupConcat, exp.First, exp.Last, exp.List)
# Of a row text so many rows are taken, whichever they are: they are alike.
_ALIKE = {"commands/apply/release", "commands/apply/unreleased"}
# Some rows are looked at before all are: which ones changes what is found in them, but not what is found in the end.
_SOME = {"targets/lake/remembered", "targets/remains/shown_first"}


@pytest.mark.parametrize("part", range(PARTS))
def test_no_query_takes_an_order_for_granted(part: int) -> None:
    """A window with nothing in OVER () alone keeps the order of its rows; which the file's comment speaks of."""
    for path in FILES[part::PARTS]:
        try:
            _takes_no_order_for_granted(path)
        except AssertionError as error:
            raise AssertionError(f"{path}: {error}") from error


def _takes_no_order_for_granted(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    name = str(path.relative_to(template.queries_folder()).with_suffix(""))
    tree = template.load(name)
    statements = (exp.Select, exp.SetOperation, exp.Create, exp.Insert, exp.Delete, exp.Update, exp.Alter, exp.Drop)
    assert text.startswith("-- ") and isinstance(tree, statements), "one statement, and what it is for before it"
    for window in tree.find_all(exp.Window):
        if isinstance(window.this, _NUMBERED) and not window.args.get("order") and not window.args.get("alias"):
            assert not window.args.get("partition_by") or name in _ALIKE
            assert "order" in "".join(line for line in text.splitlines() if line.startswith("--"))
    for listed in tree.find_all(*_LISTED):
        assert listed.find(exp.Order)
    for select in tree.find_all(exp.Select):
        assert not select.args.get("limit") or select.args.get("order") or name in _SOME


def test_a_condition_around_a_subquery_is_not_repeated_with_it() -> None:
    tree = template.fill(
        "release/release",
        names={"source": "s"},
        lists={
            "out": [{"value": exp.column("a", "source"), "name": "a"}],
            "qi": [{"mapping": "m0", "key": "a"}, {"mapping": "m1", "key": "b"}],
            "class": [
                {"code": "q0_1", "mapping": "m0", "level": "level_1"},
                {"code": "q1_2", "mapping": "m1", "level": "level_2"},
            ],
            "drop": [{"classes": "x"}],
            **{prefix: [] for prefix in ("mask", "value", "tuple", "label", "place", "sort")},
        },
    )
    assert len(list(tree.find_all(exp.Exists))) == 1
    assert len(list(tree.find_all(exp.Join))) == 2
    assert template.text(tree).count("level_") == 2
    assert tree.args.get("order") is None


def test_nothing_is_left_of_an_empty_list() -> None:
    text = template.text(template.fill("privacy/k", names={"tuples": "t"}, lists={"key": []}))
    assert "GROUP BY" not in text
    assert duckdb.execute(f"WITH t AS (SELECT 3 AS row_count) {text}", {"k": 4}).fetchall() == [(3, True)]


hostile = st.text(min_size=1, max_size=12).filter(lambda name: "\0" not in name)


@given(names=st.lists(hostile, min_size=1, max_size=4, unique_by=str.casefold))
def test_hostile_names_stay_names(names: list[str]) -> None:
    text = template.render("recount/sizes", names={"table_rows": "w"}, lists={"qi": [{"value": n} for n in names]})
    parsed = template.parse(text)
    grouped = parsed.find(exp.Group)
    assert grouped is not None
    assert [column.name for column in grouped.expressions] == names


@given(
    columns=st.lists(st.from_regex(r"q[0-9]_[0-9]", fullmatch=True), max_size=5),
    table=st.sampled_from(["tuples_a", "tuples_b"]),
    levels=st.lists(st.integers(0, 300), min_size=5, max_size=5),
)
def test_rendered_text_is_the_filled_text(columns: list[str], table: str, levels: list[int]) -> None:
    lists: dict[str, list[dict[str, template.Fill]]] = {
        "cost": [
            {"code": name, "costs": f"costs_{name}", "level": level, "cost": f"cost_{name}"}
            for name, level in zip(columns, levels, strict=False)
        ],
    }
    for _ in range(2):  # the second call takes the remembered text
        rendered = template.render("search/full_domain/node_suppressed_units", names={"classes": table}, lists=lists)
        filled = template.fill("search/full_domain/node_suppressed_units", names={"classes": table}, lists=lists)
        assert rendered == template.text(filled)


@pytest.mark.parametrize("name", ['x"y', "kanon_sql_hole.", "kanon_sql_hole..0.tuples", "a\nb", "sum", "--", ""])
def test_a_column_of_a_table_is_rendered_in_whatever_order_it_was_made(name: str) -> None:
    table, this = template.quoted("t"), template.quoted(name)
    for reference in (exp.Column(this=this, table=table), exp.Column(table=table, this=this), exp.Column(this=this)):
        lists: dict[str, list[dict[str, template.Fill]]] = {"part": [{"key": reference.copy()}]}
        filled = template.text(template.fill("targets/repeated", {"table_rows": "w"}, lists))
        assert template.render("targets/repeated", {"table_rows": "w"}, lists) == filled


@pytest.mark.parametrize(
    ("holes", "fault"),
    [
        ({"names": {"tuples": "t", "holders": "h"}, "lists": {"key": []}}, "privacy/k mentions no holders"),
        ({"names": {"tuples": "t"}, "lists": {"key": [], "qi": [{"leaf": "l0"}]}}, "privacy/k mentions no qi_..."),
        ({"lists": {"key": []}}, "privacy/k has no table for tuples"),
        (
            {"names": {"tuples": "t"}, "lists": {"key": [{"level": 1}]}},
            "privacy/k is not told, for an item of key, code",
        ),
    ],
)
def test_unknown_names_and_holes_that_stay_open_are_refused(holes: dict[str, Any], fault: str) -> None:
    for refused in (template.fill, template.render):
        with pytest.raises(template.HoleError, match=f"^{fault}$"):
            refused("privacy/k", **holes)


def test_a_call_without_its_list_and_a_table_that_a_file_lacks_are_refused() -> None:
    with pytest.raises(template.HoleError, match=r"is given no list for .*qi_leaf"):
        template.render("frequency/population_uncovered", {"population": "p"})
    with pytest.raises(template.HoleError, match="privacy/k mentions no holders"):
        template.compose("privacy/k", {"holders": "h"})


def test_a_file_takes_of_a_scope_what_it_mentions() -> None:
    scope = {"tuples": "t", "holders": "h"}
    filled = template.fill("privacy/k", lists={"key": []}, scope=scope)
    assert template.text(filled) == template.render("privacy/k", {"tuples": "t"}, {"key": []})
    assert "FROM t " in template.text(template.compose("privacy/k", scope=scope).tree)


def test_a_part_may_read_what_the_statement_around_it_names() -> None:
    assert template.text(template.fill("privacy/k", lists={"key": []}, part=True)).endswith("FROM tuples")
