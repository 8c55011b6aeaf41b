"""What the statements on whole databases say of a few rows: keys, persons, facts, and what each of them shows."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Any

from queried import answers, rows_of_table
from sqlglot import exp

from kanon_sql.sql.template import parse

Rows = list[tuple[Any, ...]]
DATABASE = "commands/database"
PERSONS = (
    "person BIGINT, key VARCHAR, is_released BOOLEAN",
    [(1, "a", True), (2, "b", True), (3, "c", False), (4, "d", True), (5, "e", False)],
)
FACTS: dict[str, Any] = {
    "fact_mapping": ("value VARCHAR, level_0 BIGINT", [("flu", 1), ("cold", 2), (None, 3)]),
    "leaves": ("leaf BIGINT, code BIGINT", [(11, 1), (12, 2), (13, 3)]),
    "leaf_leaves": ("leaf BIGINT, code BIGINT", [(11, 1), (12, 2), (13, 3)]),
}
FACT: dict[str, Any] = {"fact": [{"mapping": "fact_mapping", "key": "fact", "code": "code"}]}


def rows_of(name: str, tables: dict[str, Any], **options: Any) -> Rows:
    """The rows of a statement, in an order that goes by their texts."""
    return sorted(answers(f"{DATABASE}/{name}", tables, **options), key=str)


table_of = partial(rows_of_table, DATABASE)


def test_persons_are_numbered_and_released_ones_have_a_class() -> None:
    tables: dict[str, Any] = {
        "source": ("id BIGINT", [(7,), (3,), (5,), (9,)]),
        "released": ("id BIGINT, a VARCHAR, b VARCHAR", [(7, "x", None), (3, "y", None), (9, "x", None)]),
    }
    names: dict[str, Any] = {"unit_key": parse("source.id"), "released_key": parse("released.id")}
    lists: dict[str, Any] = {"qi": [{"value": "a"}, {"value": "b"}]}
    rows = table_of("persons", tables, "persons", names=names, lists=lists)
    assert rows == [(1, "3", True, 2), (2, "5", False, None), (3, "7", True, 1), (4, "9", True, 1)]


def test_one_row_is_one_person_with_a_key_of_its_own() -> None:
    tables: dict[str, Any] = {"source": ("id BIGINT", [(1,), (2,), (2,), (None,), (None,)])}
    assert rows_of("keys_of_persons", tables, names={"unit_key": "id"}) == [(5, 2, 2)]
    for keys, counted in (([1, 2], (2, 2, True)), ([1, 1], (2, 1, True)), ([1, None], (1, 1, False))):
        rows = {"table_rows": ("id BIGINT", [(key,) for key in keys])}
        assert rows_of("key_is_single", rows, names={"own_key": "id"}) == [counted]
    persons = {"table_rows": ("id BIGINT", [(1,), (None,), (2,)])}
    assert rows_of("held_by_persons", persons, names={"own_key": "id"}) == [("1", "1"), ("2", "2")]


def test_a_key_that_several_rows_have_is_no_key_to_go_through() -> None:
    rows = [(1, 5), (2, 6), (2, 6), (3, None), (4, 8), (4, None), (None, 9), (5, 7), (5, 3)]
    tables: dict[str, Any] = {"table_rows": ("id BIGINT, person BIGINT", rows)}
    links = table_of("links", tables, "links", names={"through_key": "id"})
    assert links == [("1", 5, True), ("2", 6, False), ("4", 8, True), ("5", 3, False)]
    tables = {"table_rows": ("id BIGINT, a VARCHAR", [(1, "x"), (2, "y"), (2, "y"), (None, "z"), (3, None)])}
    lists: dict[str, Any] = {"via": [{"value": "a", "name": "a"}]}
    joined = table_of("joined_rows", tables, "joined_rows", names={"own_key": "id"}, lists=lists)
    assert joined == [("1", True, "x"), ("2", False, "y"), ("3", True, None)]
    tables = {
        "persons": ("home BIGINT", [(1,), (2,), (2,), (2,), (9,), (None,)]),
        "joined_rows": ("key VARCHAR, is_single BOOLEAN", [row[:2] for row in joined]),
    }
    assert rows_of("joined_several", tables, names={"via_column": "home"}) == [(3,)]


def test_rows_find_their_person_or_none() -> None:
    tables: dict[str, Any] = {
        "source": ("c0 BIGINT, c1 VARCHAR", [(1, "x"), (9, "y"), (None, "z")]),
        "links": ("key VARCHAR, person BIGINT", [("1", 5)]),
        "days": ("person BIGINT, moved_by BIGINT", [(5, 3)]),
    }
    lists: dict[str, Any] = {"own": [{"key": "c1", "value": parse("source.c1")}], "since": []}
    names: dict[str, Any] = {"link_key": parse("source.c0")}
    for statement in ("linked", "shifted"):
        rows = rows_of(statement, tables, names=names, lists=lists)
        assert rows == [("x", 5), ("y", None), ("z", None)]
    since = {
        "own": [{"key": "c1", "value": parse("since_origins.origin")}],
        "since": [{"origins": "since_origins"}],
    }
    tables["since_origins"] = ("person BIGINT, origin BIGINT", [(5, 8), (6, 9)])
    for statement in ("linked", "shifted"):
        assert rows_of(statement, tables, names=names, lists=since) == [(8, 5), (None, None), (None, None)]
    moved = {"own": [{"key": "c1", "value": parse("days.moved_by")}], "since": []}
    assert rows_of("shifted", tables, names=names, lists=moved) == [(3, 5), (None, None), (None, None)]
    assert rows_of("rows", {"table_rows": ("person BIGINT", [(1,), (None,), (None,), (2,)])}) == [(4, 2)]


def test_dates_move_by_the_days_of_their_person_and_count_from_the_first() -> None:
    tables: dict[str, Any] = {
        "source": (
            "day DATE, id VARCHAR",
            [(date(2000, 6, 18), "a"), (date(2000, 6, 10), "b"), (date(2000, 6, 15), "x")],
        ),
        "persons": PERSONS,
    }
    options: dict[str, Any] = {"names": {"day_key": "day", "person_key": "id"}, "values": {"day": "2000-06-15"}}
    assert table_of("days", tables, "days", **options) == [(1, 3), (2, -5)]
    tables = {
        "source": (
            "day DATE, id VARCHAR",
            [(date(2020, 1, 9), "a"), (date(2020, 1, 5), "a"), (None, "a"), (None, "b")],
        ),
        "links": ("key VARCHAR, person BIGINT", [("a", 1), ("b", 2)]),
    }
    names: dict[str, Any] = {"day_value": parse("source.day"), "link_key": parse("source.id")}
    assert table_of("origins", tables, "origins", names=names) == [(1, date(2020, 1, 5)), (2, None)]
    texts = [("2020-01-05 11:00",), ("2020-01-99",), (None,), ("May",)]
    lists: dict[str, Any] = {"day": [{"text": "day"}]}
    assert rows_of("unread_dates", {"source": ("day VARCHAR", texts)}, lists=lists) == [([2],)]
    far = [("0001-01-10",), ("0001-01-11",), ("9999-12-21",), ("9999-12-22",), (None,), ("infinity",)]
    ends = {"first": "0001-01-11", "last": "9999-12-21"}
    days: Any = {"day": [{"value": "day", "key": "day"}]}
    assert rows_of("far_dates", {"source": ("day DATE", far)}, lists=days, values=ends) == [([3],)]


def test_new_keys_are_numbers_in_an_order_that_is_drawn() -> None:
    released = ("id BIGINT", [(number,) for number in range(40)] + [(7,), (None,)])
    values = table_of("key_values", {"released_rows": released}, "key_values", names={"own_key": "id"})
    assert sorted(int(key) for (key,) in values) == list(range(40))
    tables: dict[str, Any] = {"key_values": ("key VARCHAR", values)}
    orders = []
    for drawn in ("one", "two", "one"):
        rows = table_of("renumbered", tables, "key_map", values={"drawn": drawn})
        assert sorted(new for _, new in rows) == list(range(1, 41))
        orders.append([key for key, _ in sorted(rows, key=lambda row: row[1])])
    assert orders[0] == orders[2]
    assert orders[0] != orders[1]
    twice = {"key_values": ("key VARCHAR, pseudonym VARCHAR", [("a", "p"), ("b", "q")])}
    names: dict[str, Any] = {"key_before": "key", "key_after": "pseudonym"}
    assert table_of("pseudonyms", twice, "key_map", names=names) == [("a", "p"), ("b", "q")]
    several = {
        "key_values": ("key VARCHAR", [("a",), ("b",), ("c",)]),
        "further_values": ("key VARCHAR", [("c",), ("b",), ("b",)]),
    }
    assert table_of("common_values", several, "common") == [("b",), ("c",)]
    led = {
        "key_values": several["key_values"],
        "source_values": ("key VARCHAR", [("a",), ("b",)]),
        "released_values": ("key VARCHAR", [("b",), ("x",)]),
    }
    assert table_of("led_values", led, "led") == [("b",), ("c",)]


def test_lists_hold_each_value_of_a_person_once() -> None:
    tables: dict[str, Any] = {
        "table_rows": (
            "link BIGINT, value VARCHAR",
            [(1, "y"), (1, "x"), (1, "x"), (2, None), (2, "z"), (9, "w"), (None, "v")],
        ),
        "owners": ("key VARCHAR, owner VARCHAR", [("1", "a"), ("2", "b"), ("3", "c")]),
    }
    names: dict[str, Any] = {"link_key": parse("table_rows.link"), "held_value": parse("table_rows.value")}
    lists = table_of("held_lists", tables, "held_lists", names=names)
    assert lists == [("a", '["x","y"]'), ("b", '[null,"z"]')]
    tables["table_rows"] = ("id BIGINT, link BIGINT", [(10, 1), (11, 2), (11, 1), (12, 9), (None, 1)])
    names = {"link_key": parse("table_rows.link"), "own_key": parse("table_rows.id")}
    assert table_of("held_owners", tables, "held_owners", names=names) == [("10", "a"), ("11", "a")]
    left = {
        "persons": PERSONS,
        "held_lists": ("key VARCHAR, list VARCHAR", [("a", '["x","y"]'), ("b", '["x"]'), ("c", '["x"]')]),
        "left_rows": ("person BIGINT, value VARCHAR", [(1, "y"), (1, "y"), (2, "x"), (4, None)]),
    }
    assert table_of("held_left", left, "held_left") == [
        ("a", '{"held":["y"],"source":["x","y"]}'),
        ("b", '["x"]'),
        ("c", '["x"]'),
        ("d", "[null]"),
        ("e", "[null]"),
    ]


def test_persons_without_a_row_of_another_table_stay() -> None:
    tables: dict[str, Any] = {
        "persons": ("id VARCHAR, home BIGINT", [("a", 1), ("b", 9), ("c", None)]),
        "via_rows": ("key VARCHAR, city VARCHAR", [("1", "x")]),
        "held_lists": ("key VARCHAR, list VARCHAR", [("b", '["z"]')]),
    }
    lists: dict[str, Any] = {
        "out": [
            {"value": parse("persons.id"), "name": "id"},
            {"value": parse("via_rows.city"), "name": "city"},
            {"value": parse("held_lists.list"), "name": "list"},
        ],
        "via": [{"rows": "via_rows", "column": parse("persons.home")}],
        "held": [{"lists": "held_lists", "column": parse("persons.id")}],
    }
    assert rows_of("joined", tables, lists=lists) == [("a", "x", None), ("b", None, '["z"]'), ("c", None, None)]


def test_rows_of_other_tables_go_with_all_persons_who_lead_there() -> None:
    tables: dict[str, Any] = {
        "table_rows": ("id BIGINT", [(10,), (11,), (12,), (13,), (None,)]),
        "source": ("key VARCHAR, home BIGINT", [("a", 10), ("c", 10), ("c", 11), ("e", 11), ("b", 12), ("b", None)]),
        "persons": PERSONS,
    }
    names: dict[str, Any] = {
        "own_key": parse("table_rows.id"),
        "unit_key": parse("source.key"),
        "via_column": parse("source.home"),
    }
    assert rows_of("joined_counts", tables, names=names) == [(5, 2, 1)]
    tables = {
        "released": ("id BIGINT, a VARCHAR", [(1, "x"), (2, "x"), (3, None)]),
        "table_rows": ("key BIGINT, b VARCHAR", [(1, "p"), (4, "q")]),
        "persons": ("person BIGINT, key VARCHAR", [(7, "1"), (8, "3")]),
    }
    names = {"row_key": parse("table_rows.key"), "released_key": parse("released.id")}
    lists: dict[str, Any] = {
        "own": [{"value": parse("table_rows.b"), "name": "b"}, {"value": parse("released.a"), "name": "a"}]
    }
    assert rows_of("own_rows", tables, names=names, lists=lists) == [("p", "x"), (None, "x"), (None, None)]
    lists = {"own": [{"key": parse("released.a")}]}
    assert rows_of("released_persons", tables, names={"released_key": parse("released.id")}, lists=lists) == [
        ("x", 7),
        (None, 8),
    ]
    lists = {"own": [{"value": "a", "name": "a"}]}
    shared = rows_of("shared_rows", tables, names={"shared_key": "a", "key_name": "key"}, lists=lists)
    assert shared == [("x", "x"), (None, None)]


def test_facts_are_told_by_rows_with_a_person() -> None:
    rows = [(1, "flu"), (1, "flu"), (1, "cold"), (2, None), (None, "flu"), (None, "cough")]
    tables: dict[str, Any] = {**FACTS, "table_rows": ("person BIGINT, fact VARCHAR", rows)}
    leaves = table_of("leaves", tables, "leaves", names={"person": "person"}, lists=FACT, values={"first": 20})
    assert leaves == [(21, 1), (22, 2), (23, 3)]
    without = {**tables, "table_rows": (tables["table_rows"][0], [row for row in rows if row[1] != "cold"])}
    assert table_of("leaves", without, "leaves", lists=FACT, values={"first": 0}) == [(1, 1), (2, 3)]
    of_nobody = {**tables, "table_rows": (tables["table_rows"][0], [(1, "flu"), (None, "cold")])}
    assert table_of("leaves", of_nobody, "leaves", lists=FACT, values={"first": 0}) == [(1, 1)]
    assert table_of("person_leaves", tables, "person_leaves", lists=FACT) == [(1, 11), (1, 12), (2, 13)]
    sensitive = {"table_rows": ("person BIGINT, value VARCHAR", [(1, "x"), (1, "x"), (2, None), (None, "x"), (3, "y")])}
    names: dict[str, Any] = {"sensitive_value": "value", "sensitive_name": exp.Literal.string("t.c")}
    values = rows_of("sensitive_values", sensitive, names=names)
    assert values == [(1, "t.c", "x"), (3, "t.c", "y")]
    named = {
        "sensitive_values": ("person BIGINT, name VARCHAR, value VARCHAR", [*values, (4, "u", "x"), (5, "t.c", "x")])
    }
    assert table_of("told", named, "told") == [(1, 1), (3, 2), (4, 3), (5, 1)]


def test_a_row_needs_its_own_facts_and_those_of_the_rows_above() -> None:
    rows = [(1, 10, 5, "flu"), (2, 11, 5, None), (3, 12, 9, "flu"), (None, 13, 5, "flu")]
    tables: dict[str, Any] = {
        **FACTS,
        "table_rows": ("person BIGINT, id BIGINT, through BIGINT, fact VARCHAR", rows),
        "above_needs": ("key VARCHAR, needed BIGINT[]", [("5", [7, 8])]),
        "needs": ("key VARCHAR, needed BIGINT[]", [("5", [7, 8]), ("5", [6])]),
    }
    lists: dict[str, Any] = {
        **FACT,
        "leaf": [{"leaves": "leaf_leaves", "number": parse("leaf_leaves.leaf")}],
        "above": [
            {"needs": "above_needs", "column": parse("table_rows.through"), "needed": parse("above_needs.needed")}
        ],
    }
    needs = table_of("row_needs", tables, "needs", names={"own_key": parse("table_rows.id")}, lists=lists)
    assert needs == [("10", [11, 7, 8]), ("11", [13, 7, 8])]
    carriers = table_of("carriers", tables, "carriers", names={"through_key": "through"}, lists=FACT)
    assert carriers == [(1, 11, [6]), (1, 11, [7, 8]), (2, 13, [6]), (2, 13, [7, 8])]


def test_rows_are_released_of_persons_who_are_by_rows_and_facts_that_are() -> None:
    rows = [
        (1, 5, "flu", 10),
        (1, 5, "cold", 11),
        (1, 9, "flu", 12),
        (3, 5, "flu", 13),
        (None, 5, "flu", 14),
        (2, 5, None, 15),
    ]
    tables: dict[str, Any] = {
        **FACTS,
        "table_rows": ("person BIGINT, through BIGINT, fact VARCHAR, id BIGINT", rows),
        "owner_persons": PERSONS,
        "through_kept": ("key VARCHAR", [("5",)]),
        "leaf_kept": ("person BIGINT, leaf BIGINT", [(1, 11), (2, 13), (2, 12), (3, 11)]),
        "key_map": ("key VARCHAR, new_value BIGINT", [("10", 100)]),
    }
    lists: dict[str, Any] = {
        **FACT,
        "out": [
            {"value": parse("table_rows.id"), "name": "id"},
            {"value": parse("key_map.new_value"), "name": "new"},
        ],
        "owner": [{"persons": "owner_persons"}],
        "through": [{"kept": "through_kept", "column": parse("table_rows.through")}],
        "leaf": [{"leaves": "leaf_leaves", "kept": "leaf_kept", "number": parse("leaf_leaves.leaf")}],
        "key": [{"map": "key_map", "column": parse("table_rows.id")}],
        "sort": [],
    }
    assert rows_of("release", tables, lists=lists) == [(10, 100), (15, None)]
