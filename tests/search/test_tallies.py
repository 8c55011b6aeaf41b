"""Nodes whose classes are judged by tallies of sensitive values, against brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from effort import tries
from hypothesis import event, example, given, settings
from hypothesis import strategies as st
from model_cases import ModelTable, model_tables, slow
from model_runs import check_lattice, check_minimal, check_optimum
from queried import answers

import kanon_sql
from kanon_sql.commands import lattice as listing
from kanon_sql.frequency import tallies
from kanon_sql.frequency.tallies import Tallies
from kanon_sql.search.full_domain import batches, coarser
from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.lattice import Lattice

BITS = st.sampled_from([5, 9, 63])  # of a number, so that it tallies a value or two, or all
SMALL = ModelTable(
    (("x1", "u", "1", "p"), ("x1", "u", None, "p"), ("x2", "u", "2", "q"), ("y1", "v", "2", "q")),
    2,
    1,
    (("beta", {"beta": 1}), ("t_closeness", {"t": 0.25, "distance": "ordered"})),
    by_entity=False,
)


@contextmanager
def tallied(bits: int, rows: int = 3_000_000) -> Iterator[list[str]]:
    """Tallies in numbers of so many bits also where tables are small, with so many rows of statements at most.

    Gives the files of the tables that are made.
    """
    files: list[str] = []
    make = coarser.CoarserTables._make

    def note(self: Any, query: Any, file: str, *more: Any) -> None:
        files.append(file)
        make(self, query, file, *more)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(coarser.CoarserTables, "pay", staticmethod(lambda *_: True))
        patched.setattr(coarser.CoarserTables, "_make", note)
        patched.setattr(batches, "_LEAST_TALLIED", 1 if rows > 3 else 64)  # with 3, many rows are a reason too
        patched.setattr(batches, "_MOST_ROWS", rows)
        patched.setattr(tallies, "_BITS", bits)
        yield files


@slow
@given(case=model_tables(), bits=BITS, rows=st.sampled_from([3, 3_000_000]))
@example(case=SMALL, bits=5, rows=3)
def test_each_node_is_judged_as_by_the_definitions(case: ModelTable, bits: int, rows: int, tmp_path: Path) -> None:
    with tallied(bits, rows) as files:
        check_lattice(case, tmp_path)
    event("tallied" if files else "not tallied")
    assert case != SMALL or files == [f"search/full_domain/coarser{kind}" for kind in ("_tallied", *[""] * 5)]


@pytest.mark.slow
@slow
@given(case=model_tables(), bits=BITS)
@example(case=SMALL, bits=9)
def test_what_is_lost_for_sure_is_the_same_in_both_forms(case: ModelTable, bits: int, tmp_path: Path) -> None:
    def look(_: Any, lattice: Lattice, checker: NodeChecker, *__: Any) -> Any:
        for node in lattice.nodes():
            by_tallies, by_values = checker.apart(), checker.apart()
            with checker.rolling(lattice):
                by_tallies.learn_passing([node])
            by_values.learn_passing([node])
            assert by_tallies.known(node) is by_values.known(node)
        return SimpleNamespace(winner=None)

    with tallied(bits), pytest.MonkeyPatch.context() as patched:
        patched.setattr(listing, "search", look)
        kanon_sql.lattice(case.config(tmp_path))


@pytest.mark.slow
@slow
@given(case=model_tables(), bits=BITS, name=st.sampled_from(["optimal", "samarati", "minimal"]))
def test_searches_find_the_best_of_all_nodes(case: ModelTable, bits: int, name: str, tmp_path: Path) -> None:
    with tallied(bits):
        if name == "optimal":
            check_optimum(case, tmp_path)
        else:
            check_minimal(case, name, tmp_path)


@settings(max_examples=tries(60), deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(1, 5)), min_size=1),
    bits=st.integers(8, 63),
    k=st.integers(1, 30),
)
def test_counts_are_read_from_sums_of_tallies(rows: list[tuple[int, int, int]], bits: int, k: int) -> None:
    expected: Counter[int] = Counter()
    counts: Counter[tuple[int, int]] = Counter()
    for key, value, count in rows:
        expected[value] += count
        counts[key, value] += count
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tallies, "_BITS", max(bits, expected.total().bit_length()))
        counted = Tallies(dict(sorted(expected.items())))
        columns, slots, each = counted.columns, counted.slots, counted.each
    combinations = answers(
        "search/full_domain/coarser_tallied",
        {"sensitive": ("c BIGINT, value UTINYINT, row_count BIGINT", rows)},
        names={"coarser": "coarser", "tallied": each, "count_bits": counted.bits},
        lists={"cell": [{"code": "c", "factor": 1}], "meet": [{"code": "c"}], "tally": columns},
        then="FROM coarser",
    )
    names = ", ".join(f"{column['name']} BIGINT" for column in columns)
    classes = answers(
        "privacy/k_tallied",
        {"tuples": (f"c BIGINT, row_count BIGINT, {names}", combinations)},
        lists={"key": [{"code": "c"}], "tally": columns, "slot": slots},
        values={"k": k},
    )
    sizes = {key: sum(n for (first, _), n in counts.items() if first == key) for key, *_ in rows}
    assert {(key, size, violates) for key, size, violates, *_ in classes} == {
        (key, size, size < k) for key, size in sizes.items()
    }
    names = ", ".join(f"{slot['count']} BIGINT" for slot in slots)
    read = answers(
        "privacy/class_values_tallied",
        {"class_sizes": (f"c BIGINT, size BIGINT, violates BOOLEAN, {names}", classes)},
        lists={"key": [{"code": "c"}], "slot": slots},
    )
    assert sorted(read) == sorted(
        (key, value, count, sizes[key]) for (key, value), count in counts.items() if sizes[key] >= k
    )
