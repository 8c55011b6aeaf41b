"""What the statements on facts of persons say of a few persons: those of the recount, and of the search."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from queried import answers, table
from shared_engine import shared
from sqlglot import exp

from kanon_sql.recount.facts import count_exposed, count_facts, count_telling, list_facts
from kanon_sql.sql.connection import Engine

QI = [{"value": "qi"}]
# Persons 1 to 3 are in class 1, persons 4 and 5 in class 2.
SETS = (
    "person BIGINT, class BIGINT, members BIGINT[]",
    [
        (1, 1, [7]),
        (2, 1, [7]),
        (3, 1, [8]),
        (3, 1, [6]),
        (4, 2, [7]),
        (5, 2, [8]),
        (3, 1, [7]),
        (5, 2, [9]),
        (4, 2, [9]),
    ],
)
LISTS = ("person BIGINT, class BIGINT, facts BIGINT[]", [(1, 1, [3, 5, 9]), (2, 2, [4])])
KEPT = (
    "person BIGINT, fact BIGINT, worth BIGINT",
    [(1, 1, 10), (1, 2, 20), (2, 1, 10), (2, 2, 20), (3, 1, 10), (3, 3, 30), (4, 3, 30)],
)


def table_of(name: str, tables: dict[str, Any], table: str, **options: Any) -> list[tuple[Any, ...]]:
    """The rows of the table that a statement makes."""
    return sorted(answers(name, tables, names={table: table}, then=f"SELECT * FROM {table}", **options))


def test_persons_are_counted_in_their_classes() -> None:
    rows = ("qi VARCHAR", [("a",), ("a",), ("a",), ("b",), ("b",), (None,), (None,), ("c",), ("d",)])
    counted = {2: (9, 5, 1, 2, 2), 3: (9, 5, 1, 6, 2), 4: (9, 5, 1, 9, 2)}
    for k, wanted in counted.items():
        assert answers("recount/facts/classes", {"table_rows": rows}, lists={"qi": QI}, values={"k": k}) == [wanted]
    nobody: dict[str, Any] = {"table_rows": ("qi VARCHAR", [])}
    assert answers("recount/facts/classes", nobody, lists={"qi": QI}, values={"k": 2}) == [(0, 0, None, 0, 0)]


def test_a_set_of_facts_is_shared_within_a_class_alone() -> None:
    assert answers("recount/facts/sets", {"sets": SETS}) == [(1,)]
    assert answers("recount/facts/sets", {"sets": (SETS[0], [*SETS[1][:2], *SETS[1][7:]])}) == [(2,)]
    assert answers("recount/facts/sets", {"sets": (SETS[0], [])}) == [(None,)]


def test_persons_with_several_rare_sets_are_exposed_once() -> None:
    assert answers("recount/facts/exposed", {"sets": SETS}, values={"k": 2}) == [(3, 3)]
    assert answers("recount/facts/exposed", {"sets": SETS}, values={"k": 1}) == [(0, 0)]
    pairs = (SETS[0], [*SETS[1][:2], *SETS[1][7:]])
    assert answers("recount/facts/exposed", {"sets": pairs}, values={"k": 2}) == [(0, 0)]
    assert answers("recount/facts/exposed", {"sets": pairs}, values={"k": 3}) == [(4, 0)]


def test_sets_grow_by_the_facts_behind_their_last() -> None:
    single = answers("recount/facts/single", {"fact_lists": LISTS})
    assert sorted((row[0], row[3], row[4]) for row in single) == [(1, [3], 1), (1, [5], 2), (1, [9], 3), (2, [4], 1)]
    columns = "person BIGINT, class BIGINT, facts BIGINT[], members BIGINT[], place BIGINT"
    larger = answers("recount/facts/larger", {"smaller": (columns, single)})
    assert sorted((row[0], row[3], row[4]) for row in larger) == [(1, [3, 5], 2), (1, [3, 9], 3), (1, [5, 9], 3)]


def test_a_fact_that_a_person_has_twice_is_one() -> None:
    tables = {
        "person_facts": ("person BIGINT, fact VARCHAR", [(1, "b"), (1, "a"), (1, "b"), (2, "b")]),
        "persons": ("person BIGINT, class BIGINT", [(1, 5), (2, 6), (3, 6)]),
    }
    assert table_of("recount/facts/lists", tables, "fact_lists") == [(1, 5, [1, 2]), (2, 6, [2])]


def test_numbers_of_rows_that_fewer_than_k_persons_have_tell_these_persons() -> None:
    owners = ("person BIGINT", [(1,), (2,), (3,), (3,), (4,), (4,), (5,), (5,), (5,)])
    for k, persons in ((1, 0), (2, 1), (3, 5)):
        assert answers("recount/facts/row_numbers", {"owners": owners}, values={"k": k}) == [(persons,)]
    assert answers("recount/facts/row_numbers", {"owners": ("person BIGINT", [])}, values={"k": 2}) == [(0,)]


def test_keys_lead_somewhere_or_are_missing() -> None:
    tables = {"keys": ("key VARCHAR", [("a",), ("x",), ("y",), (None,)]), "at_home": ("key VARCHAR", [("a",), (None,)])}
    assert answers("recount/facts/dangling", tables) == [(2,)]


def test_facts_of_fewer_than_k_persons_are_suppressed() -> None:
    support = table_of("search/facts/support", {"kept": KEPT}, "support")
    assert support == [(1, 3), (2, 2), (3, 2)]
    tables = {"kept": KEPT, "support": ("fact BIGINT, persons BIGINT", support)}
    assert table_of("search/facts/rare_holders", tables, "victims", values={"k": 2}) == []
    rows = table_of("search/facts/rare_holders", tables, "victims", values={"k": 3})
    assert rows == [(1, 2), (2, 2), (3, 3), (4, 3)]


def test_pairs_of_fewer_than_k_persons_are_rare() -> None:
    counts = ("first_fact BIGINT, second_fact BIGINT, persons BIGINT", [(1, 3, 1), (1, 2, 2)])
    first, second = (1, 4294967298), (2, 4294967299)
    tables = {"pair_counts": counts}
    assert table_of("search/facts/rare_pairs", tables, "rare", values={"k": 1}) == []
    assert table_of("search/facts/rare_pairs", tables, "rare", values={"k": 2}) == [(1, second[1])]
    assert table_of("search/facts/rare_pairs", tables, "rare", values={"k": 3}) == [first, second]


def test_of_a_rare_pair_the_cheaper_fact_counts() -> None:
    tables = {"kept": KEPT, "rare": ("pair BIGINT", [(4294967299,)])}
    assert table_of("search/facts/rare_pairs_of_persons", tables, "rare_pairs") == [(3, 1, 3, 10)]


def test_only_the_fact_of_the_person_is_taken_away() -> None:
    tables = {"kept": KEPT, "victims": ("person BIGINT, fact BIGINT", [(1, 2), (3, 1), (4, 1)])}
    remaining = table_of("search/facts/without_victims", tables, "remaining")
    assert remaining == [row for row in KEPT[1] if row[:2] not in {(1, 2), (3, 1)}]
    untold = {"kept": KEPT, "untold_facts": tables["victims"]}
    assert table_of("search/facts/untold_kept", untold, "victims") == [(1, 2), (3, 1)]


def test_a_fact_is_told_where_one_of_its_rows_needs_only_facts_that_are_kept() -> None:
    tables = {
        "carriers": (
            "person BIGINT, leaf BIGINT, needed BIGINT[]",
            [(1, 1, [1]), (1, 2, [2, 1]), (1, 3, [3, 1]), (1, 3, [3]), (1, 4, [4, 2]), (2, 1, [1])],
        ),
        "persons": ("person BIGINT, class BIGINT", [(1, 1)]),
        "numbered": ("class BIGINT, leaf BIGINT, fact BIGINT", [(1, 1, 11), (1, 2, 12), (1, 3, 13), (1, 4, 14)]),
        "kept": ("person BIGINT, fact BIGINT", [(1, 12), (1, 13), (1, 14), (2, 11)]),
    }
    # Fact 1 is not kept, which 2 needs; 3 has a row that needs it and another that does not. Person 2 is not released.
    assert table_of("search/facts/untold_leaves", tables, "untold_leaves") == [(1, 1), (1, 2), (2, 1)]


def test_sets_of_as_many_facts_as_are_known_are_counted() -> None:
    """Each fact has three persons, each two have two, and all three have one."""
    facts = {1: "abc", 2: "ab", 3: "ac", 4: "bc"}
    with shared() as connection:
        engine = Engine(connection)
        table(connection, "facts", "person BIGINT, fact VARCHAR", [(p, f) for p, of in facts.items() for f in of])
        table(connection, "persons", "person BIGINT, class BIGINT", [(person, 1) for person in facts])
        table(connection, "sensitive", "person BIGINT, value VARCHAR", list(zip(facts, "xyzx", strict=True)))
        rows = exp.select("person", "fact").from_("facts")
        list_facts(engine, [rows], exp.select("person", "class").from_("persons"))
        assert [count_facts(engine, known) for known in (1, 2, 3)] == [3, 2, 1]
        assert count_exposed(engine, 3, 2) == [(0, 0), (0, 0), (1, 1)]
        values = exp.select("person", "value").from_("sensitive")
        told = [count_telling(engine, values, known, Fraction(2, 3)) for known in (1, 2, 3)]
        # Of those with b and c both have x, and so has the one with all three.
        assert told == [(0, 2 / 3), (1, 1.0), (2, 1.0)]
