"""Which facts of persons a search counts, misses, takes and puts back, in tables of a few rows, by hand."""

from __future__ import annotations

from typing import Any

from queried import Row, answers

from kanon_sql.sql.template import column

PAIRS = "first_fact BIGINT, second_fact BIGINT, persons BIGINT"
KEPT = ("person BIGINT, fact BIGINT, worth BIGINT", [(1, 1, 9), (1, 2, 8), (2, 1, 7), (2, 2, 6), (2, 3, 5), (3, 3, 4)])


def made(name: str, tables: dict[str, Any], table: str, **more: Any) -> list[Row]:
    """The rows, in their order, of the table that a statement makes or adds to."""
    names = {**({} if table in tables else {table: table}), **more.pop("names", {})}
    return answers(name, tables, names=names, then=f"SELECT * FROM {table} ORDER BY ALL", **more)


def members(kept: tuple[str, Any]) -> dict[str, Any]:
    """A set's second and third fact, as lists name them, with the tables that they are read from."""
    before: Any = column("fact", "kept")
    items = []
    for number in (2, 3):
        view = f"kept{number}"
        items.append({"kept": view, "previous": before, "fact": f"fact{number}"})
        before = column("fact", view)
    return {"lists": {"member": items}, "listed": {"kept2": kept, "kept3": kept}}


def test_a_set_is_rare_that_fewer_than_k_persons_keep() -> None:
    rows = [(person, fact, 1) for person, facts in enumerate(["123", "123", "124", "12"]) for fact in map(int, facts)]
    kept = (KEPT[0], rows)
    for k, rare in ((1, []), (2, [(1, 1, 2, 4)]), (3, [(1, 1, 2, 3), (2, 1, 2, 4)])):
        found = made("search/facts/rare_sets", {"kept": kept}, "rare", values={"k": k}, **members(kept))
        assert sorted(row[1:] for row in found) == [row[1:] for row in rare]
        assert [row[0] for row in found] == list(range(1, len(found) + 1))


def test_pairs_are_counted_once_with_each_person() -> None:
    assert made("search/facts/pair_counts", {"kept": KEPT}, "pair_counts") == [(1, 2, 2), (1, 3, 1), (2, 3, 1)]


def test_pairs_of_facts_that_change_are_those_with_a_kept_one_and_each_once() -> None:
    tables = {"kept": KEPT, "changed": ("person BIGINT, fact BIGINT", [(2, 1), (2, 2), (1, 2), (3, 3)])}
    assert made("search/facts/pairs_touched", tables, "touched") == [(1, 2, 2), (1, 3, 1), (2, 3, 1)]
    tables["changed"] = ("person BIGINT, fact BIGINT", [(2, 3)])
    assert made("search/facts/pairs_touched", tables, "touched") == [(1, 3, 1), (2, 3, 1)]


def test_counts_of_pairs_that_changed_are_those_of_all() -> None:
    tables = {"pair_counts": (PAIRS, [(1, 2, 2), (1, 3, 1), (2, 3, 4)]), "touched": (PAIRS, [(1, 3, 1), (2, 3, 1)])}
    assert made("search/facts/pairs_less", tables, "remaining") == [(1, 2, 2), (2, 3, 3)]
    once = {"pair_counts": (PAIRS, [(1, 2, 1), (1, 4, 3)]), "touched": (PAIRS, [(1, 4, 1), (2, 4, 3)])}
    assert made("search/facts/pairs_less", once, "remaining") == [(1, 2, 1), (1, 4, 2)]
    tables["touched"] = (PAIRS, [(1, 2, 2), (1, 4, 5)])
    assert made("search/facts/pairs_more", tables, "remaining") == [(1, 2, 4), (1, 3, 1), (1, 4, 5), (2, 3, 4)]


def test_a_fact_is_untold_where_none_of_its_rows_is_left() -> None:
    tables = {
        "carriers": ("person BIGINT, leaf BIGINT", [(1, 1), (1, 2), (1, 3), (2, 1), (9, 1)]),
        "persons": ("person BIGINT, class BIGINT", [(1, 5), (2, 5)]),
        "numbered": ("class BIGINT, leaf BIGINT, fact BIGINT", [(5, 1, 11), (5, 2, 11), (5, 3, 13), (6, 1, 21)]),
        "untold_leaves": ("person BIGINT, leaf BIGINT", [(1, 1), (1, 3), (9, 1)]),
    }
    assert made("search/facts/untold_facts", tables, "untold_facts") == [(1, 13)]


def test_leaves_are_kept_of_released_persons_whose_fact_is() -> None:
    tables = {
        "person_leaves": ("person BIGINT, leaf BIGINT", [(1, 1), (1, 2), (2, 1), (3, 1)]),
        "persons": ("person BIGINT, class BIGINT, is_released BOOLEAN", [(1, 5, True), (2, 6, True), (3, 5, False)]),
        "numbered": (
            "class BIGINT, leaf BIGINT, fact BIGINT, loss BIGINT",
            [(5, 1, 11, 7), (5, 2, 12, 8), (6, 1, 21, 9)],
        ),
        "kept": ("person BIGINT, fact BIGINT", [(1, 11), (2, 21), (3, 11), (2, 12)]),
    }
    assert made("search/facts/kept_leaves", tables, "kept_leaves") == [(1, 1, 7), (2, 1, 9)]
    remaining = {
        "kept_leaves": ("person BIGINT, leaf BIGINT, loss BIGINT", [(1, 1, 7), (1, 2, 8), (2, 1, 9)]),
        "untold_leaves": ("person BIGINT, leaf BIGINT", [(1, 1), (2, 2)]),
    }
    assert made("search/facts/told_leaves", remaining, "remaining") == [(1, 2, 8), (2, 1, 9)]


def test_facts_are_numbered_by_class_and_by_what_they_become() -> None:
    tables: dict[str, Any] = {
        "person_leaves": ("person BIGINT, leaf BIGINT", [(1, 1), (1, 2), (2, 2), (3, 3), (4, 3), (4, 1)]),
        "persons": (
            "person BIGINT, class BIGINT, is_released BOOLEAN",
            [(1, 5, True), (2, 5, True), (3, 6, True), (4, 7, False)],
        ),
        "generalized": ("leaf BIGINT, fact BIGINT, loss BIGINT", [(1, 3, 10), (2, 3, 20), (3, 3, 30)]),
    }
    numbered = [(5, 1, 1, 10), (5, 2, 1, 20), (6, 3, 2, 30)]
    assert made("search/facts/numbered", tables, "numbered") == numbered
    tables["generalized"] = ("leaf BIGINT, fact BIGINT, loss BIGINT", [(1, 3, 10), (2, 1, 20), (3, 3, 30)])
    assert made("search/facts/numbered", tables, "numbered") == [(5, 1, 2, 10), (5, 2, 1, 20), (6, 3, 3, 30)]


def test_facts_of_a_table_are_numbered_behind_those_of_others_by_all_columns() -> None:
    tables = {"leaves": ("leaf BIGINT, a BIGINT, b BIGINT", [(1, 1, 1), (2, 1, 2), (3, 2, 1)])}
    ancestors = ("leaf_code BIGINT, code BIGINT, loss BIGINT", [(1, 7, 100), (2, 7, 301)])
    apart = (ancestors[0], [(1, 1, 0), (2, 2, 0)])
    items = [{"code": "a", "ancestors": "of_a"}, {"code": "b", "ancestors": "of_b"}]
    found = answers(
        "search/facts/generalized",
        tables,
        lists={"fact": items},
        listed={"of_a": ancestors, "of_b": apart},
        values={"first": 40, "columns": 2},
    )
    assert sorted(found) == [(1, 41, 50), (2, 42, 50), (3, 41, 150)]


def test_of_a_rare_set_each_fact_can_go_of_a_person_whose_turn_it_is() -> None:
    kept = (KEPT[0], [(1, 1, 2), (1, 2, 3), (1, 3, 4), (2, 1, 5), (2, 2, 6), (2, 3, 7), (3, 1, 8), (3, 2, 9)])
    tables = {
        "kept": kept,
        "rare": ("number BIGINT, first_fact BIGINT, member_fact BIGINT, last_fact BIGINT", [(4, 1, 2, 3)]),
        "support": ("fact BIGINT, persons BIGINT", [(1, 10), (2, 100), (3, 1000)]),
    }
    items = [{"kept": "kept2", "fact": "member_fact"}, {"kept": "kept3", "fact": "last_fact"}]
    more: dict[str, Any] = {"lists": {"member": items}, "listed": {"kept2": kept, "kept3": kept}}
    rows = made("search/facts/shortages", tables, "shortages", values={"turn": 0, "turns": 1}, **more)
    first, second = ([(1, 4, 1, 20), (1, 4, 2, 300), (1, 4, 3, 4000)], [(2, 4, 1, 50), (2, 4, 2, 600), (2, 4, 3, 7000)])
    assert rows == [*first, *second]
    for turn, wanted in ((1, first), (0, second)):
        assert made("search/facts/shortages", tables, "shortages", values={"turn": turn, "turns": 2}, **more) == wanted


SHORT = (
    "person BIGINT, number BIGINT, fact BIGINT, cost DOUBLE",
    [(1, 1, 1, 4), (1, 1, 2, 4), (1, 2, 2, 4), (2, 1, 1, 4)],
)


def test_of_a_person_the_fact_of_most_sets_at_least_cost_goes() -> None:
    values = {"most_chance": 0, "draw": 1}
    assert made("search/facts/victims", {"shortages": SHORT}, "victims", values=values) == [(1, 2), (2, 1)]
    dear = (SHORT[0], [(1, 1, 1, 1.0), (1, 1, 2, 9.0), (1, 2, 2, 9.0)])
    assert made("search/facts/victims", {"shortages": dear}, "victims", values=values) == [(1, 1)]
    alike = (SHORT[0], [(1, 1, 3, 4), (1, 1, 2, 4)])
    assert made("search/facts/victims", {"shortages": alike}, "victims", values=values) == [(1, 2)]


def test_sets_that_are_hit_are_ended_for_that_person_alone() -> None:
    tables = {"shortages": SHORT, "victims": ("person BIGINT, fact BIGINT", [(1, 1)])}
    assert made("search/facts/ended", tables, "remaining") == [(1, 2, 2, 4), (2, 1, 1, 4)]


def test_a_fact_is_put_back_where_it_makes_no_rare_pair() -> None:
    """Its fact and each pair with what the person keeps are to have k - 1 persons beside her."""
    tables = {
        "kept": KEPT,
        "held": (KEPT[0], [*KEPT[1], (3, 1, 5), (3, 2, 6), (1, 3, 7)]),
        "support": ("fact BIGINT, persons BIGINT", [(1, 9), (2, 9), (3, 9)]),
        "pair_counts": (PAIRS, [(1, 2, 2), (1, 3, 2)]),
    }
    wanted: dict[int, list[Row]] = {2: [(3, 1, 5)], 3: [(3, 1, 5)], 4: []}
    for k, restorable in wanted.items():
        assert made("search/facts/restorable", tables, "restorable", values={"k": k}) == restorable


def test_of_facts_that_can_be_put_back_a_person_gets_the_most_frequent() -> None:
    tables = {
        "kept": (KEPT[0], []),
        "held": (KEPT[0], [(1, 1, 5), (1, 2, 6), (1, 3, 7), (2, 3, 8)]),
        "support": ("fact BIGINT, persons BIGINT", [(1, 3), (2, 4), (3, 4)]),
        "pair_counts": (PAIRS, []),
    }
    assert made("search/facts/restorable", tables, "restorable", values={"k": 4}) == [(1, 2, 6), (2, 3, 8)]
    assert made("search/facts/restorable", tables, "restorable", values={"k": 5}) == [(1, 2, 6), (2, 3, 8)]
    assert made("search/facts/restorable", tables, "restorable", values={"k": 6}) == []


def told_of(values: list[tuple[int, str]], most: int, of: int) -> dict[int, int]:
    """Of how many persons a set of both facts must go, by the facts of the set that is too sure; eight keep it."""
    kept = (KEPT[0], [(person, fact, 1) for person in range(8) for fact in (1, 2)])
    tables = {
        "kept": kept,
        "support": ("fact BIGINT, persons BIGINT", [(1, 8), (2, 8)]),
        "told": ("person BIGINT, value VARCHAR", values),
    }
    items = [{"kept": "kept2", "previous": column("fact", "kept"), "fact": "fact2"}]
    more: dict[str, Any] = {"lists": {"member": items}, "listed": {"kept2": kept}}
    rows = made("search/facts/telling", tables, "shortages", values={"most": most, "of": of, "draw": 1}, **more)
    assert {row[2] for row in rows} <= {1, 2} and {row[3] for row in rows} <= {8}
    holders = {person for person, _ in values}
    assert {row[0] for row in rows} <= holders and len(rows) == 2 * len({row[:2] for row in rows})
    return {number: len({row[0] for row in rows if row[1] == number}) for number in {row[1] for row in rows}}


def test_so_many_lose_a_set_that_tells_a_value_that_its_share_is_right() -> None:
    """Of 8 persons 5 may have the value at 5/8; of 6, after 2 went, 4 at 2/3, and 2 of 4 at a half."""
    for holders, most, of, excess in ((5, 5, 8, {}), (6, 2, 3, {1: 2}), (6, 1, 2, {1: 4}), (7, 5, 8, {1: 6})):
        assert told_of([(person, "x") for person in range(holders)], most, of) == excess
    two = [(person, value) for person in range(6) for value in "xy"]
    assert told_of(two, 2, 3) == {1: 2, 2: 2}


def test_facts_that_are_held_are_worth_what_their_leaves_do_not_lose() -> None:
    tables = {
        "person_leaves": ("person BIGINT, leaf BIGINT", [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1)]),
        "persons": ("person BIGINT, class BIGINT, is_released BOOLEAN", [(1, 5, True), (2, 6, True), (3, 5, False)]),
        "numbered": (
            "class BIGINT, leaf BIGINT, fact BIGINT, loss BIGINT",
            [(5, 1, 11, 100_000), (5, 2, 11, 300_000), (5, 3, 13, 0), (6, 1, 21, 1_000_000)],
        ),
    }
    assert made("search/facts/held", tables, "held") == [(1, 11, 1_600_000), (1, 13, 1_000_000), (2, 21, 0)]
    assert answers("search/facts/worth", {"kept": KEPT}) == [(39,)]
    assert answers("search/facts/worth", {"kept": (KEPT[0], [])}) == [(0,)]
