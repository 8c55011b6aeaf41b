"""What the statements of a release do with classes of a few rows."""

from __future__ import annotations

from queried import answers
from sqlglot import exp

KEY = [{"code": "c"}]


def test_only_classes_that_violate_are_suppressed() -> None:
    classes = ("c BIGINT, size BIGINT, violates BOOLEAN", [(1, 9, True), (2, 5, False), (3, 7, False)])
    then = "SELECT c FROM suppressed_classes"
    names = {"suppressed_classes": "suppressed_classes"}
    rows = answers("release/suppressed_classes", {"classes": classes}, names=names, lists={"key": KEY}, then=then)
    assert rows == [(1,)]
    assert answers("release/largest_class", {"classes": classes}, lists={"key": KEY}) == [(3, 7)]


def test_suppressed_classes_have_no_number() -> None:
    tables = {
        "tuples": ("c BIGINT, row_count BIGINT", [(1, 2), (2, 5), (3, 1), (3, 2)]),
        "drop_classes": ("c BIGINT", [(2,)]),
    }
    names = {"node_classes": "node_classes"}
    then = "SELECT part, c FROM node_classes ORDER BY part"
    assert answers("release/node_classes", tables, names=names, lists={"key": KEY}, then=then) == [(1, 3), (2, 1)]


def test_rows_that_are_masked_anyway_are_judged_with_the_suppressed() -> None:
    tables = {
        "judged_rows": ("c BIGINT, stars BOOLEAN", [(1, False), (2, True), (3, False)]),
        "suppressed_classes": ("c BIGINT", [(1,)]),
    }
    rows = answers("release/masked_rows", tables, names={"starred": "stars"}, lists={"key": KEY})
    assert sorted(rows) == [(1, False), (2, True)]


def test_labels_that_no_hierarchy_has_are_foreign() -> None:
    tables = {
        "written": ("qi VARCHAR", [("a",), ("x",), ("*",), ("x",)]),
        "mapping": ("lab VARCHAR", [("a",)]),
    }
    names = {"qi_value": "qi", "label": "lab"}
    assert answers("release/verify_members", tables, names=names, values={"masked": True}) == [(1,)]
    assert answers("release/verify_members", tables, names=names, values={"masked": False}) == [(2,)]


def test_classes_that_two_have_share_tuples() -> None:
    assert answers("release/sharers", {"shares": ("sharers BIGINT", [(1,), (2,)])}) == [(True,)]
    assert answers("release/sharers", {"shares": ("sharers BIGINT", [(1,), (1,)])}) == [(False,)]


def test_a_row_that_is_there_twice_counts_twice() -> None:
    table = {"table_rows": ("h UBIGINT", [(1,), (1,), (2,)])}
    assert answers("release/fingerprint", table, lists={"cell": [{"hash": "h"}]})[0][0] == 3


def test_classes_that_only_the_release_or_only_the_search_has_differ() -> None:
    names = {"row_total": exp.Count(this=exp.Star())}
    lists = {"label": [{"key": "q", "name": "shown"}]}
    tables = {
        "written": ("q VARCHAR", [("a",), (None,), ("b",)]),
        "released_classes": ("shown VARCHAR, row_count BIGINT", [("a", 1), (None, 1)]),
    }
    assert answers("release/verify_partitions", tables, names=names, lists=lists) == [(1,)]
    tables["released_classes"] = (tables["released_classes"][0], [("a", 1), (None, 1), ("b", 1), ("c", 2)])
    assert answers("release/verify_partitions", tables, names=names, lists=lists) == [(1,)]
