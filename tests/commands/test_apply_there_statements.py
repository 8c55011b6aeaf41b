"""What the statements say of a few rows that decide on new data where another engine holds them."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from typing import Any

import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from queried import answers, rows_of_table
from sqlglot import exp

from kanon_sql.commands.apply.there import _key
from kanon_sql.sql.template import column

Rows = list[tuple[Any, ...]]
APPLY = "commands/apply"
# Classes of the new data (release 0) and of two earlier releases, by rows with one sensitive value.
COUNTS = (
    "release BIGINT, class_key VARCHAR, row_key VARCHAR, s0 VARCHAR, row_count BIGINT",
    [
        (0, "a", "a1", "x", 3),
        (0, "a", "a2", None, 2),
        (0, "b", "b1", "x", 4),
        (0, "c", "c1", "y", 5),
        (1, "a", "a1", "x", 2),
        (1, "b", "b1", "x", 6),
        (1, "d", "d1", "x", 7),
        (2, "a", "a2", None, 9),
    ],
)
SENSITIVE = [{"code": "s0"}]
table_of = partial(rows_of_table, APPLY)


def sets(rows: Rows, held: int) -> Counter[tuple[Any, ...]]:
    """What queries/commands/apply/there/sets says of some counts, held against a release."""
    found = answers(
        f"{APPLY}/there/sets",
        {"counts": (COUNTS[0], rows)},
        names={"held_release": held},
        lists={"sensitive": SENSITIVE},
    )
    return Counter({(key, release, side, value): count for release, key, value, side, count in found})


def plainly(rows: Rows, held: int) -> Counter[tuple[Any, ...]]:
    """The same by multisets of Python."""
    tables: dict[int, Counter[tuple[Any, ...]]] = {}
    for release, key, row, value, count in rows:
        tables.setdefault(release, Counter())[key, row, value] += count
    new = tables.get(0, Counter()) & tables.get(held, Counter())
    found: Counter[tuple[Any, ...]] = Counter()
    for (key, _, value), count in new.items():
        found[key, 0, 0, value] += count
    for release, past in tables.items():
        both = new & past
        for side, these in enumerate((both, new - past, past - new), 1) if release else ():
            for (key, _, value), count in these.items():
                if any(entry[0] == key for entry in both):
                    found[key, release, side, value] += count
    return found


def test_sides_are_what_both_hold_what_came_and_what_went() -> None:
    assert sets(COUNTS[1], 0) == {
        ("a", 0, 0, "x"): 3,
        ("a", 0, 0, None): 2,
        ("b", 0, 0, "x"): 4,
        ("c", 0, 0, "y"): 5,
        ("a", 1, 1, "x"): 2,
        ("a", 1, 2, "x"): 1,
        ("a", 1, 2, None): 2,
        ("a", 2, 1, None): 2,
        ("a", 2, 2, "x"): 3,
        ("a", 2, 3, None): 7,
        ("b", 1, 1, "x"): 4,
        ("b", 1, 3, "x"): 2,
    }
    for held in range(3):
        assert sets(COUNTS[1], held) == plainly(COUNTS[1], held)


_ROWS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab"), st.sampled_from("12"), st.integers(1, 5)))


@pytest.mark.slow
@settings(max_examples=tries(60))
@given(_ROWS)
def test_sides_of_any_rows_are_those_of_multisets(drawn: list[tuple[int, str, str, int]]) -> None:
    distinct = {(release, key, key + row): (release, key, key + row, row, n) for release, key, row, n in drawn}
    for held in range(3):
        assert sets(list(distinct.values()), held) == plainly(list(distinct.values()), held)


def test_rows_are_counted_by_the_keys_of_their_texts() -> None:
    rows = ("c0 VARCHAR, c1 DOUBLE", [("f", 1.5), ("f", 1.5), (None, 1.5), ("", None)])
    cells = [{"name": "q0", "text": column("c0")}, {"name": "o0", "text": exp.cast(column("c1"), "VARCHAR")}]
    keys: list[dict[str, Any]] = [{"name": str(cell["name"])} for cell in cells]
    names = {"class_text": _key(keys[:1]), "row_text": _key(keys), "release_number": 2}
    lists = {"cell": cells, "sensitive": [{"code": "s0", "value": column("c1")}]}
    counted = answers(f"{APPLY}/there/texts", {"table_rows": rows}, names=names, lists=lists)
    assert sorted(counted, key=str) == [
        (2, ",-", ",-,3:1.5", 1.5, 1),
        (2, ",0:", ",0:,-", None, 1),
        (2, ",1:f", ",1:f,3:1.5", 1.5, 2),
    ]
    tables = {"counts": COUNTS, "open_keys": ("class_key VARCHAR", [("b",)])}
    assert sorted(answers(f"{APPLY}/there/classes", tables)) == [("a", 5), ("b", 4), ("c", 5)]
    assert len(answers(f"{APPLY}/there/open", tables, lists={"sensitive": SENSITIVE})) == 2
    values = answers(f"{APPLY}/there/values", {"all_rows": rows}, names={"cell_value": column("c1")})
    assert sorted(values, key=str) == [(1.5,), (None,)]


@settings(max_examples=tries(60))
@given(st.lists(st.tuples(st.none() | st.text(",-:1é", max_size=3), st.none() | st.text(",-:1é", max_size=3))))
def test_the_key_of_a_row_is_that_of_no_other(pairs: list[tuple[str | None, str | None]]) -> None:
    keys: list[dict[str, Any]] = [{"name": "q0"}, {"name": "o0"}]
    lists = {"cell": [{"name": "q0", "text": column("a")}, {"name": "o0", "text": column("b")}], "sensitive": []}
    names = {"class_text": _key(keys[:1]), "row_text": _key(keys), "release_number": 0}
    rows = answers(f"{APPLY}/there/texts", {"table_rows": ("a VARCHAR, b VARCHAR", pairs)}, names=names, lists=lists)
    assert Counter(row[-1] for row in rows) == Counter(Counter(pairs).values())
    assert len({row[2] for row in rows}) == len(set(pairs))


def test_of_listed_classes_as_many_rows_are_released_as_a_release_holds() -> None:
    tables: dict[str, Any] = {
        "candidates": ("c0 VARCHAR", [("a1",)] * 3 + [("a2",)] * 2 + [("b1",)] * 4 + [("c1",)] * 5),
        "counts": COUNTS,
        "waiting": ("class_key VARCHAR, held_by BIGINT", [("a", 2), ("b", -1)]),
    }
    lists: dict[str, Any] = {
        "cell": [{"name": "q0", "text": column("c0")}],
        "out": [{"key": "c0", "name": "x"}],
        "sort": [],
    }
    names = {"class_text": exp.func("LEFT", column("q0"), exp.Literal.number(1)), "row_text": column("q0")}
    rows = answers(f"{APPLY}/there/release", tables, names=names, lists=lists)
    assert Counter(rows) == {("a2",): 2, ("c1",): 5}


def test_what_two_releases_tell_apart_is_counted_from_both() -> None:
    draw = random.Random(1)
    tables = [[(draw.choice("ab"), draw.choice(["x", "y", None])) for _ in range(20)] for _ in range(2)]
    tables[0].append(("c", None))
    tables[1].append(("d", None))
    lists: dict[str, Any] = {
        "qi": [{"name": "q0"}],
        "cell": [{"name": "q0", "fresh": "a", "past": "a"}, {"name": "o0", "fresh": "b", "past": "b"}],
        "sensitive": [{"code": "s0", "fresh": "b", "past": "b"}],
    }
    kinds = "a VARCHAR, b VARCHAR"
    read = {"written": (kinds, tables[0]), "earlier": (kinds, tables[1])}
    found = answers(f"{APPLY}/there/told_apart", read, lists=lists)
    new, past = Counter(tables[0]), Counter(tables[1])
    sides = dict(zip((2, 3, 4), (new & past, new - past, past - new), strict=True))
    for place, these in sides.items():
        assert Counter({row[:2]: row[place] for row in found if row[place]}) == these
    told = {"told_apart": ("q0 VARCHAR, s0 VARCHAR, kept BIGINT, added BIGINT, removed BIGINT", found)}
    for name, place, least in (("kept", 2, 0), ("added", 3, 0), ("removed", 4, 1)):
        names = {"side_count": name, "least_kept": least}
        rows = answers(f"{APPLY}/side", told, names=names, lists={"qi": [{"name": "q0"}]})
        expected = {key: count for key, count in sides[place].items() if not (name == "removed" and key[0] == "d")}
        assert {row[:2]: row[-1] for row in rows} == expected


def test_what_the_engine_counted_is_judged_class_by_class() -> None:
    brought = ("class_key VARCHAR, row_count BIGINT", [("b", 4), ("a", 5), ("c", 9)])
    columns = "release, class, cell, class_key, row_count"
    counts = table_of("brought_classes", {"brought": brought}, "counts", columns)
    assert counts == [(0, 1, 1, "a", 5), (0, 2, 2, "b", 4), (0, 3, 3, "c", 9)]
    tables: dict[str, Any] = {
        "counts": ("release BIGINT, class BIGINT, cell BIGINT, class_key VARCHAR, row_count BIGINT", counts),
        "open_classes": ("class BIGINT", [(1,), (3,)]),
        "brought": (
            "release BIGINT, class_key VARCHAR, s0 DOUBLE, side BIGINT, row_count BIGINT",
            [(0, "a", 1.5, 0, 3), (0, "a", None, 0, 2), (1, "a", 1.5, 2, 3), (0, "b", 1.5, 0, 4), (1, "d", None, 3, 1)],
        ),
        "codes": ("text VARCHAR, code BIGINT", [("1.5", 1), (None, 0)]),
    }
    lists = {"sensitive": [{"codes": "codes", "code": "code", "value": column("s0")}]}
    rows = table_of(
        *("brought_sets", tables, "sets", "class, release, side, code, row_count"),
        lists=lists,
        listed={"codes": tables["codes"]},
    )
    assert rows == [(1, 0, 0, 0, 2), (1, 0, 0, 1, 3), (1, 1, 2, 1, 3)]
    read = {"sets": ("class BIGINT, release BIGINT, side BIGINT, code BIGINT, row_count BIGINT", rows)}
    assert table_of("brought_tried", read, "tried", "class, cell, quota") == [(1, 1, 5)]
    assert sorted(answers(f"{APPLY}/open_keys", tables)) == [("a",), ("c",)]
    assert answers(f"{APPLY}/is_open", tables) == [(True,)]
    assert answers(f"{APPLY}/is_open", {"open_classes": ("class BIGINT", [])}) == [(False,)]
    quotas = ("cell BIGINT, attempt BIGINT", [(1, 0), (2, 1)])
    waiting = answers(f"{APPLY}/waiting", {**tables, "quotas": quotas}, values={"earlier": 3})
    assert sorted(waiting) == [("b", 3), ("c", -1)]
