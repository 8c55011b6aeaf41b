"""What the statements of the ledger do with a few rows."""

from __future__ import annotations

from queried import answers
from sqlglot import exp


def test_classes_below_k_are_small() -> None:
    tables = {"written": ("q VARCHAR", [("a",), ("a",), ("a",), ("b",), ("b",), ("c",)])}
    names = {"held_count": exp.Count(this=exp.Star())}
    rows = answers("ledger/small_classes", tables, names=names, lists={"known": [{"key": "q"}]}, values={"k": 3})
    assert rows == [(2, 3)]


def test_only_the_release_that_is_named_is_forgotten() -> None:
    tables = {"kanon_sql_releases": ("id BIGINT", [(1,), (2,), (3,)])}
    then = "SELECT id FROM kanon_sql_releases ORDER BY id"
    assert answers("ledger/remove", tables, values={"id": 2}, then=then) == [(1,), (3,)]
