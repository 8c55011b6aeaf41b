"""What the statements of a release do with classes of a few rows."""

from __future__ import annotations

from collections import Counter
from datetime import date

import pytest
from queried import answers, differing_classes
from shared_engine import attached
from sqlglot import exp

from kanon_sql.sql.template import Item, column, parse, render

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
        "tuples": ("c BIGINT, row_count BIGINT", [(1, 4), (2, 5), (3, 1), (3, 2)]),
        "drop_classes": ("c BIGINT", [(2,)]),
    }
    names = {"node_classes": "node_classes"}
    then = "SELECT part, c FROM node_classes ORDER BY part"
    assert answers("release/node_classes", tables, names=names, lists={"key": KEY}, then=then) == [(1, 1), (2, 3)]


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


def test_values_that_are_equal_in_their_type_are_the_sources_however_they_are_written() -> None:
    tables = {
        "written": ("qi VARCHAR", [("01.0",), ("2",), ("2",), ("*",), (None,), ("",), ("unknown",)]),
        "mapping": ("value DOUBLE, lab VARCHAR", [(1.0, "1.0"), (None, "unknown")]),
    }
    number = exp.TryCast(this=column("value", "present"), to=exp.DataType.build("DOUBLE"))
    names = {"typed_value": number, "label": "lab"}
    lists = {"qi": [{"value": "qi"}]}
    query, values = "release/verify_typed_members", {"masked": True}
    assert answers(query, tables, names=names, lists=lists, values=values) == [(1,)]


def test_a_text_that_is_no_number_is_no_missing_number() -> None:
    tables = {
        "written": ("qi VARCHAR", [("1",), ("x",), (None,)]),
        "mapping": ("value DOUBLE, lab VARCHAR", [(1.0, "1.0"), (None, None)]),
    }
    number = exp.TryCast(this=column("value", "present"), to=exp.DataType.build("DOUBLE"))
    names, lists = {"typed_value": number, "label": "lab"}, {"qi": [{"value": "qi"}]}
    query, values = "release/verify_typed_members", {"masked": False}
    assert answers(query, tables, names=names, lists=lists, values=values) == [(1,)]


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


def test_no_text_and_a_missing_one_are_of_one_class() -> None:
    names = {"row_total": exp.Count(this=exp.Star())}
    lists = {"label": [{"key": "q", "name": "shown"}]}
    shown = "shown VARCHAR, row_count BIGINT"
    tables = {"written": ("q VARCHAR", [(None,), ("",), ("",)]), "released_classes": (shown, [("", 3)])}
    assert answers("release/verify_partitions", tables, names=names, lists=lists) == [(0,)]
    tables["released_classes"] = (shown, [(None, 1), ("", 2)])
    assert answers("release/verify_partitions", tables, names=names, lists=lists) == [(0,)]


def test_values_are_looked_up_before_classes_are() -> None:
    """Were the joins of values inner ones, the engine would put those of many quasi-identifiers in a bad order."""
    numbers = range(3)
    lists: dict[str, list[Item]] = {
        "out": [{"value": exp.column("label", "classes"), "name": "released"}],
        "qi": [{"mapping": f"domain_{i}", "key": f"q{i}"} for i in numbers],
        "tuple": [{"assigned": "assigned"}],
        "place": [{"position": f"p{i}", "mapping": f"domain_{i}"} for i in numbers],
        "label": [{"classes": "classes", "part": exp.column("part", "assigned")}],
        **{name: [] for name in ("value", "mask", "drop", "class", "group", "sort")},
    }
    with attached() as connection:
        connection.execute(
            "CREATE TABLE rows AS SELECT range % 3 AS q0, range % 5 AS q1, range % 7 AS q2 FROM range(105)"
        )
        for i in numbers:
            connection.execute(f"CREATE TABLE domain_{i} AS SELECT DISTINCT q{i} AS value, q{i} AS position FROM rows")
        connection.execute("CREATE TABLE assigned AS SELECT q0 AS p0, q1 AS p1, q2 AS p2, q0 AS part FROM rows")
        connection.execute("CREATE TABLE classes AS SELECT range AS part, 'of ' || range AS label FROM range(3)")
        statement = render("release/release", {"source": "rows"}, lists)
        plan = connection.execute(f"EXPLAIN {statement}").fetchall()[0][1]
        rows = connection.execute(f"SELECT released, count(*) FROM ({statement}) GROUP BY ALL ORDER BY ALL").fetchall()
    assert plan.count("LEFT") == len(numbers)
    assert rows == [("of 0", 35), ("of 1", 35), ("of 2", 35)]


# Two codes, of which a column has a mapping; groups of rows are suppressed with their class.
ROWS_OF_GROUPS = (
    "(VALUES (1, 'a', 'g'), (2, 'a', 'h'), (3, 'b', 'g'), (4, NULL, NULL), (5, NULL, 'h')) AS t(id, q, grp)"
)
SUPPRESSED = "(VALUES (10, 'g'), (30, NULL)) AS t(c0, grp)"
MAPPED = "(VALUES ('a', 10), ('b', 20), (NULL, 30)) AS t(value, level_1)"


def released_of_groups(**parts: list[Item]) -> list[tuple[object, ...]]:
    """The released rows, of which the class 10 of group g and the class 30 of no group are suppressed."""
    lists: dict[str, list[Item]] = {
        "out": [{"value": exp.column("id", "source"), "name": "id"}],
        "qi": [{"mapping": "mapped", "key": "q"}],
        "class": [{"code": "c0", "mapping": "mapped", "level": "level_1"}],
        "group": [{"name": "grp", "value": exp.column("grp", "source")}],
        **{name: [] for name in ("value", "mask", "drop", "tuple", "place", "label", "sort")},
        **parts,
    }
    with attached() as connection:
        for name, rows in (("source_rows", ROWS_OF_GROUPS), ("suppressed", SUPPRESSED), ("mapped", MAPPED)):
            connection.execute(f"CREATE TABLE {name} AS FROM {rows}")
        connection.execute("CREATE TABLE shown AS SELECT 10 AS c0, 'mean of a' AS mean")
        statement = render("release/release", {"source": exp.to_table("source_rows").as_("source")}, lists)
        return sorted(connection.execute(statement).fetchall())


def test_rows_of_a_suppressed_group_of_a_class_are_left_out_and_no_others() -> None:
    assert released_of_groups(drop=[{"classes": "suppressed"}]) == [(2,), (3,), (5,)]
    assert released_of_groups(drop=[{"classes": "suppressed"}], group=[]) == [(3,)]


def test_rows_of_a_suppressed_group_of_a_class_are_masked_and_no_others() -> None:
    masked = exp.Is(this=exp.column("c0", "suppressed"), expression=exp.null())
    out: list[Item] = [
        {"value": exp.column("id", "source"), "name": "id"},
        {"value": masked, "name": "is_shown"},
    ]
    rows = released_of_groups(mask=[{"classes": "suppressed"}], out=out)
    assert rows == [(1, False), (2, True), (3, True), (4, False), (5, True)]


def test_what_no_released_class_shows_is_missing() -> None:
    out: list[Item] = [
        {"value": exp.column("id", "source"), "name": "id"},
        {"value": exp.column("mean", "shown"), "name": "mean"},
    ]
    rows = released_of_groups(value=[{"classes": "shown"}], out=out)
    assert rows == [(1, "mean of a"), (2, "mean of a"), (3, None), (4, None), (5, None)]


def test_a_label_is_all_there_is_where_every_class_has_it() -> None:
    def shown(*labels: str | None) -> list[tuple[str, bool]]:
        tables = {"released_classes": ("part BIGINT, row_count BIGINT, l VARCHAR", [*enumerate_classes(labels)])}
        return answers("release/labels_of_classes", tables, lists={"this": [{"name": "l", "only": "only_l"}]})

    def enumerate_classes(labels: tuple[str | None, ...]) -> list[tuple[int, int, str | None]]:
        return [(part, 5 + part % 2, label) for part, label in enumerate(labels)]

    assert shown("a", "a", "a") == [("a", True)]
    assert shown("a", "b", "a") == [("b", False)]  # of the largest class
    assert shown("a", "a", None) == [("a", False)]


def test_members_without_a_class_are_of_none() -> None:
    tables = {
        "tuples": ("c BIGINT, v BIGINT, row_count BIGINT", [(1, 7, 4), (2, 8, 5)]),
        "node_classes": ("part BIGINT, c BIGINT", [(1, 1)]),
    }
    names = {"value_code": "v"}
    rows = answers("release/class_members", tables, names=names, lists={"key": KEY})
    assert sorted(rows, key=str) == [(1, 7, 4), (None, 8, 5)]


def test_rows_without_a_text_are_released_too() -> None:
    source = {"source": ("a VARCHAR, b BIGINT", [("x", 1), (None, 2)])}
    texts = {"listed_0": ("value VARCHAR, label VARCHAR", [("x", '["x"]')])}
    lists = {"out": [{"key": "b"}], "text": [{"listed": "listed_0", "key": "a"}]}
    rows = answers("release/listed_rows", source, lists=lists, listed=texts)
    assert sorted(rows) == [(1, '["x"]'), (2, None)]


def test_rows_of_shared_tuples_are_dealt_out_whole() -> None:
    """Of five rows of a tuple two classes take two and three; a missing value has its class, as others."""
    source = {
        "source": ("q VARCHAR", [("a",), ("a",), (None,), ("a",), ("b",), ("a",), (None,), ("a",)]),
        "shares": (
            "part BIGINT, p BIGINT, rows_before BIGINT, last_row BIGINT, tuple BIGINT, sharers BIGINT",
            [(1, 1, 0, 2, 1, 2), (2, 1, 2, 5, 1, 2), (3, 2, 0, 1, 3, 1), (4, 3, 0, 1, 4, 2), (5, 3, 1, 2, 4, 2)],
        ),
    }
    domain = {"domain_0": ("value VARCHAR, position BIGINT", [("a", 1), ("b", 2), (None, 3)])}
    lists = {"qi": [{"domain": "domain_0", "key": "q", "position": "p"}], "deal": [{"key": column("q", "numbered")}]}
    rows = answers("release/dealt_rows", source, lists=lists, listed=domain)
    assert sorted(row[1] for row in rows) == list(range(1, 9))
    assert Counter((row[0], row[2]) for row in rows) == {
        ("a", 1): 2,
        ("a", 2): 3,
        ("b", 3): 1,
        (None, 4): 1,
        (None, 5): 1,
    }


def test_released_tuples_keep_their_missing_values() -> None:
    """Statements for other engines: missing values have no label, values beside the mapping are left out."""
    mapping = {"mapping_0": ("value VARCHAR, label VARCHAR", [("a", "A"), ("b", "B")])}
    lists: dict[str, list[Item]] = {
        "out": [{"value": column("label", "mapping_0"), "column": "o", "name": "released", "released": column("o")}],
        "class": [],
        "number": [],
        "qi": [{"mapping": "mapping_0", "key": "q"}],
        "listed": [],
        "shown": [],
        "group": [],
        "sort": [],
    }
    rows = {"source_rows": ("q VARCHAR", [("a",), (None,), ("c",), ("b",)])}
    names = {"violates": exp.false(), "is_kept": exp.true()}
    released = answers("release/compiled_levels", rows, names=names, lists=lists, listed=mapping)
    assert sorted(released, key=str) == [("A",), ("B",), (None,)]


def test_of_a_class_the_groups_that_are_listed_are_left_out() -> None:
    """Statements for other engines: rows without a group are one where the class falls as a whole."""
    rows = {"source_rows": ("q BIGINT, house VARCHAR", [(1, "a"), (1, "b"), (1, None), (2, None), (2, "a"), (2, "")])}
    listed = {"violating": ("n BIGINT, household VARCHAR, is_listed BIGINT", [(1, "a", 1), (2, None, 1), (2, "a", 1)])}
    lists: dict[str, list[Item]] = {
        "out": [
            {"value": column(name), "column": name, "name": name, "released": column(name)} for name in ("q", "house")
        ],
        "class": [{"value": column("q"), "column": "n"}],
        "group": [{"column": "household", "carried": "house"}],
        "listed": [{"violating": "violating"}],
        **{name: [] for name in ("number", "qi", "shown", "sort")},
    }
    names = {
        "violates": exp.column("is_listed", "violating").eq(exp.Literal.number(1)),
        "is_kept": column("left_out").eq(exp.Literal.number(0)),
    }
    released = answers("release/compiled_levels", rows, names=names, lists=lists, listed=listed)
    assert sorted(released, key=str) == [(1, "b"), (1, None), (2, "")]
    suppressed = {"suppressed_classes": ("c BIGINT, household DATE", [(2, None), (1, date(2001, 2, 3)), (2, None)])}
    codes: dict[str, list[Item]] = {"class": [{"code": "c"}], "group": [{"code": "household"}]}
    assert answers("release/compiled_violating", suppressed, lists=codes) == [(1, "2001-02-03"), (2, None)]
    assert answers("release/compiled_violating", suppressed, lists={**codes, "group": []}) == [(1,), (2,)]


def test_each_class_takes_its_turns_of_a_shared_tuple() -> None:
    """Rows of one tuple go to two classes in the order of what was drawn, those of a missing value to a third."""
    source = {
        "source_rows": ("q VARCHAR, d BIGINT", [("a", 40), ("a", 10), (None, 5), ("a", 30), ("a", 20), ("x", 1)]),
        "tuples": (
            "p BIGINT, deal_before BIGINT, deal_last BIGINT, r BIGINT, part_number BIGINT",
            [(1, 0, 1, 3, 1), (1, 1, 4, 4, 1), (2, 0, 1, 7, 1)],
        ),
        "classes": (
            "part_number BIGINT, low BIGINT, high BIGINT, shown VARCHAR",
            [(1, 1, 3, "first"), (1, 4, 6, "second"), (1, 7, 7, "missing")],
        ),
    }
    domain = {"domain_0": ("value VARCHAR, position BIGINT", [("a", 1), ("none", 2)])}
    place = parse("CASE WHEN source_rows.q IS NULL THEN 2 ELSE domain_0.position END")
    lists: dict[str, list[Item]] = {
        "other": [{"value": column("d", "source_rows"), "column": "d"}],
        "qi": [{"domain": "domain_0", "key": "q", "place": place, "position": "p"}],
        "drawn": [{"value": column("d", "source_rows"), "name": "drawn"}],
        "range": [{"position": "r", "low": "low", "high": "high"}],
        "label": [{"name": "shown"}],
        "out": [
            {"value": column("d", "dealt"), "column": "d", "name": "d"},
            {"value": column("shown", "members"), "column": "s", "name": "s"},
        ],
        "sort": [],
    }
    rows = answers("release/compiled_classes", source, lists=lists, listed=domain)
    assert sorted(rows) == [(5, "missing"), (10, "first"), (20, "second"), (30, "second"), (40, "second")]


AGAIN = [
    ("mean", [2.0, 4.0, None], "3"),
    ("median", [1.0, 2.0, 9.0], "2"),
    ("geometric_mean", [2.0, 8.0], "4"),
    ("geometric_mean", [-3.0, 0.0, 8.0], "0"),
    ("geometric_mean", [0.0, 8.0], "0"),
    ("mode", [5.0, 3.0, 5.0, 3.0, 9.0], "3"),
    ("mode", [4.0], "4"),
    ("interval", [7.0, 7.0], "7"),
    ("interval", [1.0, 7.0], "1..7"),
    *((name, [None, None], "-") for name in ("mean", "median", "geometric_mean", "mode", "interval")),
]


@pytest.mark.parametrize(("aggregate", "numbers", "shown"), AGAIN)
def test_an_aggregate_is_found_again_in_the_rows_of_its_class(
    aggregate: str, numbers: list[float | None], shown: str
) -> None:
    """Of two classes one shows what it must, the other something else."""

    def different(said: str) -> int:
        least, _, most = said.partition("..")
        number = None if said == "-" or most else least
        columns = "k VARCHAR, shown VARCHAR, shown_number DOUBLE, number DOUBLE, said VARCHAR"
        held = [("c", said, number, n, None if n is None else str(n)) for n in numbers]
        ends = {"shown_number": number, "shown_least": least if most else None, "shown_most": most or None}
        names = {name: parse(f"CAST({end or 'NULL'} AS DOUBLE)") for name, end in ends.items()}
        return differing_classes(aggregate, (columns, held), 0, "-", names if aggregate in ("interval", "mean") else {})

    assert different(shown) == 0
    assert different("2.5") == 1
    assert different("1..8") == 1
    assert different("-") == (shown != "-")
