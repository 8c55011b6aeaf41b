"""What the recount says of classes of a few rows."""

from __future__ import annotations

from queried import Row, answers
from sqlglot import exp

QI = [{"value": "qi"}]
SIZES = ("qi VARCHAR, size BIGINT, holders BIGINT", [("a", 3, 3), ("b", 2, 2), ("c", 5, 1)])


def test_classes_are_judged_and_listed_by_what_k_counts() -> None:
    rows = answers("recount/judged_k", {"sizes": SIZES}, lists={"qi": QI}, values={"k": 3})
    assert sorted(row[::3] for row in rows) == [("a", False), ("b", True), ("c", True)]
    assert sorted(answers("recount/violating_k", {"sizes": SIZES}, values={"k": 3})) == [(2, 2.0), (5, 1.0)]


def test_a_class_with_a_missing_value_is_listed() -> None:
    tables = {
        "measured": ("qi VARCHAR, measure DOUBLE, violates BOOLEAN", [(None, 0.5, True), ("a", 0.1, False)]),
        "sizes": ("qi VARCHAR, size BIGINT", [(None, 4), ("a", 2)]),
    }
    assert answers("recount/violating_model", tables, lists={"qi": QI}) == [(4, 0.5)]


def test_rows_without_a_group_are_groups_of_their_own() -> None:
    tables = {
        "taking_part": ("entity VARCHAR", [("a",), ("a",), ("b",), ("b",), ("c",), ("d",), (None,), (None,)]),
        "released": ("entity VARCHAR", [("a",), ("b",), ("b",), (None,)]),
    }
    names = {"taking_part_rows": 1, "released_rows": 1}
    assert answers("recount/groups", tables, names=names) == [(6, 3, 1)]


def test_days_that_no_row_of_the_source_has_are_counted() -> None:
    tables = {
        "written": ("written_gap BIGINT", [(1,), (1,), (1,), (7,), (None,)]),
        "source": ("source_gap BIGINT", [(1,), (None,)]),
    }
    assert answers("recount/intervals", tables) == [(3,)]


def test_classes_of_the_population_have_no_rows() -> None:
    tables = {
        "sizes": ("qi VARCHAR, size BIGINT", [("a", 2)]),
        "population": ("qi VARCHAR, persons BIGINT", [("a", 5), (None, 3)]),
    }
    assert set(answers("recount/matched", tables, lists={"qi": QI})) == {("a", 2, 5), (None, 0, 3)}


def test_rows_too_many_and_too_few_are_differences() -> None:
    tables = {
        "written": ("qi VARCHAR, written_rows BIGINT", [("a", 2), ("b", 1), (None, 1)]),
        "generalized": ("qi VARCHAR, generalized_rows BIGINT", [("a", 1), ("b", 2), (None, 1)]),
    }
    assert answers("recount/differences", tables, lists={"qi": QI}) == [(2,)]


def test_a_class_violates_where_any_model_refuses_it() -> None:
    judged = [("a", 3, 3, False), ("a", None, None, True), ("b", 2, 2, False), ("nobody", 0, 0, False)]
    tables = {
        "judged": ("qi VARCHAR, size BIGINT, holders BIGINT, violates BOOLEAN", judged),
        "model_measured": ("measure DOUBLE, violates BOOLEAN", [(0.25, False), (0.75, True)]),
    }
    models = [{"measured": "model_measured", "least": "least", "most": "most", "violating": "violating"}]
    rows = answers("recount/classes", tables, lists={"qi": QI, "model": models}, values={"apart": False})
    assert rows == [(5, 2, 2, 3, 0, 1, 3, 0, 2, 0.25, 0.75, 1)]


def test_rows_of_stars_are_counted_apart() -> None:
    judged = [("*", 4, 4, True), ("a", 1, 1, True), ("b", 2, 2, False), (None, 3, 3, False)]
    columns = "qi VARCHAR, size BIGINT, holders BIGINT, violates BOOLEAN"
    lists = {"qi": QI, "model": []}
    rows = answers("recount/classes", {"judged": (columns, judged)}, lists=lists, values={"apart": True})
    assert rows == [(10, 3, 1, 3, 4, 2, 5, 1, 1)]
    rows = answers("recount/classes", {"judged": (columns, judged)}, lists=lists, values={"apart": False})
    assert rows == [(10, 4, 1, 4, 0, 2, 5, 1, 1)]
    rows = answers("recount/classes", {"judged": (columns, [])}, lists=lists, values={"apart": True})
    assert rows == [(0,) * 9]


def test_a_digest_is_of_values_and_of_all_their_rows() -> None:
    def digest(*rows: Row) -> object:
        tables = {"written": ("qi VARCHAR, n BIGINT", list(rows))}
        items = [{"value": "qi", "text": "qi"}]
        return answers("recount/digest", tables, lists={"qi": items}, names={"written_rows": "n"})[0][0]

    assert digest(("a", 2), ("b", 1), ("a", 3)) == digest(("b", 1), ("a", 5)) != digest(("a", 3), ("b", 1))
    assert digest((None, 1), ("", 1)) == digest(("", 2))
    for kept, equal in [("-0.0", "0.0"), ("[-0.0, -0.0]", "[0.0, 0.0]")]:
        assert digest((kept, 1)) == digest((equal, 1))
    for kept, different in [("-0.01", "0.01"), ("5-0.0", "50.0"), ("-0x0", "0x0")]:
        assert digest((kept, 1)) != digest((different, 1))


KNOWN = (
    "a VARCHAR, s VARCHAR",
    [("x", "1"), ("x", "1"), ("x", "2"), ("y", "1"), ("y", "1"), ("y", "1"), ("z", "1"), ("z", "2")],
)


def test_combinations_of_too_few_rows_or_values_are_short() -> None:
    names = {"row_total": exp.Count(this=exp.Star()), "holder_total": exp.Count(this=exp.Star())}
    columns = "a VARCHAR, s VARCHAR, row_count BIGINT"
    tables = {"known_rows": (columns, [(*row, 1) for row in KNOWN[1]])}
    lists = {"key": [{"code": "a"}], "model": [{"value": "s", "least": 2}]}
    rows = answers("recount/known/short", tables, names=names, lists=lists, values={"k": 3})
    assert sorted(row[0] for row in rows) == [3, 4, 5, 6, 7]


def test_of_each_set_the_fewest_values_count_once() -> None:
    names = {"set_number": 4, "holder_total": exp.Count(this=exp.Star())}
    model = {"value": "s", "least": 2, "fewest": "fewest_values", "violating": "violating_values"}
    lists = {"key": [{"code": "a"}], "model": [model]}
    rows = answers("recount/known/sizes", {"known_rows": KNOWN}, names=names, lists=lists, values={"k": 3})
    assert rows == [(4, 2, 2, 1, 1)]


def test_a_row_that_is_alone_in_any_set_is_alone() -> None:
    columns = "row_number BIGINT, row_count BIGINT, alone BOOLEAN"
    tables = {"known_fallen": (columns, [(1, 1, True), (2, 2, False)]), "short": (columns, [(1, 1, False)])}
    then = "SELECT * FROM known_fallen ORDER BY row_number"
    assert answers("recount/known/fallen", tables, then=then) == [(1, 1, True), (2, 2, False)]
    counted = {**tables, "known_rows": ("row_count BIGINT", [(1,), (2,), (5,)])}
    assert answers("recount/known/total", counted) == [(8, 3, 1)]


def test_rows_with_a_missing_value_have_a_number() -> None:
    tables = {
        "table_rows": ("a VARCHAR", [("x",), (None,), (None,)]),
        "key_numbers": ("value VARCHAR, code BIGINT", [("x", 1), (None, 2)]),
    }
    names = {"known_rows": "known_rows", "row_total": exp.Count(this=exp.Star())}
    lists = {"key": [{"numbers": "key_numbers", "value": "a", "code": "code"}], "other": []}
    then = "SELECT * FROM known_rows ORDER BY 1"
    assert answers("recount/known/coded", tables, names=names, lists=lists, then=then) == [(1, 1), (2, 2)]


def test_values_that_are_equal_in_the_order_are_one() -> None:
    """Of a column of numbers, 1 and 1.0 are two texts at one place: all of the class's rows stand there."""
    tables = {
        "counted": ("qi VARCHAR", [("a",), ("a",), ("b",)]),
        "shares": ("qi VARCHAR, value VARCHAR, share DOUBLE", [("a", "1", 0.5), ("a", "1.0", 0.5), ("b", "2", 1.0)]),
        "ranks": ("value VARCHAR, rank BIGINT", [("1", 1), ("1.0", 1), ("2", 2)]),
        "ranked": ("rank BIGINT, share DOUBLE", [(1, 0.75), (2, 0.25)]),
    }
    rows = answers("privacy/t_closeness/measure_ordered", tables, lists={"qi": QI}, values={"t": 0.25})
    assert sorted(rows) == [("a", 0.25, False), ("b", 0.75, True)]


def test_where_values_are_counted_anyway_a_class_has_all_their_rows() -> None:
    counted = ("qi VARCHAR, row_count BIGINT", [("a", 2), ("a", 5), (None, 3)])
    assert set(answers("recount/sizes_of_counted", {"counted": counted}, lists={"qi": QI})) == {
        ("a", 7, 7),
        (None, 3, 3),
    }


def test_rows_that_stand_for_several_count_as_many() -> None:
    written = ("qi VARCHAR, weight BIGINT", [("a", 2), ("a", 5), (None, 3)])
    names = {"written_rows": "weight", "recounted_classes": "recounted_classes"}
    then = "SELECT * FROM recounted_classes"
    rows = answers("recount/classes_as_table", {"written": written}, names=names, lists={"qi": QI}, then=then)
    assert set(rows) == {("a", 7), (None, 3)}


def test_sizes_are_counted_with_or_without_rows_of_stars() -> None:
    sizes = ("qi VARCHAR, size BIGINT", [("a", 1), ("b", 3), ("*", 3), (None, 3), ("nobody", 0)])
    for apart, counted in ((False, {(1, 1), (3, 3)}), (True, {(1, 1), (3, 2)})):
        rows = answers("recount/size_counts", {"sizes": sizes}, lists={"qi": QI}, values={"apart": apart})
        assert set(rows) == counted


def test_of_no_rows_there_are_no_groups() -> None:
    tables: dict[str, tuple[str, list[Row]]] = {name: ("entity VARCHAR", []) for name in ("taking_part", "released")}
    names = {"taking_part_rows": 1, "released_rows": 1}
    assert answers("recount/groups", tables, names=names) == [(0, 0, 0)]


def test_groups_of_rows_that_stand_for_several_are_split_by_what_these_stand_for() -> None:
    tables = {
        "taking_part": ("entity VARCHAR, weight BIGINT", [("a", 3), ("b", 2), ("b", 2), (None, 4)]),
        "released": ("entity VARCHAR, weight BIGINT", [("a", 2), ("b", 4), (None, 2)]),
    }
    names = {"taking_part_rows": "weight", "released_rows": "weight"}
    assert answers("recount/groups", tables, names=names) == [(6, 4, 1)]


def test_a_value_that_no_row_of_the_source_has_is_all_too_much() -> None:
    shares = ("qi VARCHAR, share DOUBLE, expected DOUBLE", [("a", 1.0, None), ("b", 0.5, None), ("b", 0.5, 0.5)])
    rows = answers("privacy/t_closeness/measure_equal", {"shares": shares}, lists={"qi": QI}, values={"t": 0.5})
    assert sorted(rows) == [("a", 1.0, True), ("b", 0.5, False)]


def test_rows_that_are_alike_are_so_many_rows() -> None:
    written = ("qi VARCHAR, written_rows BIGINT", [("a", 1), ("a", 1), ("b", 1)])
    tables = {"written": written, "generalized": ("qi VARCHAR, generalized_rows BIGINT", [("a", 1), ("b", 1)])}
    assert answers("recount/differences", tables, lists={"qi": QI}) == [(1,)]


def test_rows_without_a_group_are_never_split() -> None:
    tables = {"taking_part": ("entity VARCHAR", [("a",), (None,), (None,)])}
    tables["released"] = ("entity VARCHAR", [("a",), (None,)])
    names = {"taking_part_rows": 1, "released_rows": 1}
    assert answers("recount/groups", tables, names=names) == [(3, 2, 0)]
