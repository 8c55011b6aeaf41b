"""k of every combination of few columns, against plain loops: each node of a lattice, and the winners of searches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cases import Case
from effort import tries
from hypothesis import event, given, settings
from hypothesis import strategies as st
from reference import Hierarchy
from reference_known import KnownColumns

import kanon_sql
from kanon_sql.errors import NoReleaseError
from kanon_sql.search.full_domain import dispatch, leveled, samarati
from kanon_sql.search.full_domain import large as large_search

OBJECTIVES = ("loss", "geometric-mean-loss", "discernibility", "average-class-size", "precision", "entropy")


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


FILE = [["a", "e"], ["b", "e"], ["c", "f"], ["d", "f"]]
CELLS = [None, "a", "a", "a", "b", "b", "c", "d"]
PERSONS = [None, "1", "2", "3", "4", "5", "6", "7"]


@st.composite
def known_cases(draw: st.DrawFn) -> Case:
    """Tables of few values of which an attacker knows few columns, with households, persons and sensitive values."""
    columns = [f"q{number}" for number in range(draw(st.integers(2, 4)))]
    names = [*columns, "person", "house", "sick"]
    cells = st.tuples(*[st.sampled_from(CELLS)] * len(columns), *[st.sampled_from(PERSONS)] * 2, st.sampled_from(CELLS))
    rows = draw(st.lists(cells, min_size=8, max_size=40))
    entity, group, sensitive = (draw(st.sampled_from([None, None, name])) for name in ("person", "house", "sick"))
    every = st.just(len(columns)) if group else st.integers(1, len(columns))
    problem = KnownColumns(
        rows=[dict(zip(names, row, strict=True)) for row in rows],
        hierarchies={column: Hierarchy.of_file(FILE) for column in columns},
        k=draw(st.integers(1, 5)),
        limit=draw(st.sampled_from(["0%", "10%", "30%", "50%"])),
        known=draw(st.one_of(st.integers(1, len(columns)), every)),
        entity=entity,
        group=group,
        sensitive=sensitive,
        values=draw(st.integers(1, 3)) if sensitive else 0,
    )
    return Case(problem, dict.fromkeys(columns, FILE), others=["person", "house", "sick"])


def config_of(case: Case, folder: Path, **settings: Any) -> dict[str, Any]:
    problem = case.problem
    assert isinstance(problem, KnownColumns)
    privacy: dict[str, Any] = {"k": problem.k}
    if problem.group is None or problem.known < len(problem.columns):
        privacy["known_columns"] = problem.known
    if problem.entity is not None:
        privacy["entity"] = problem.entity
    if problem.sensitive is not None:
        privacy["l_diversity"] = {"column": problem.sensitive, "l": problem.values}
    if problem.group is not None:
        settings["group"] = problem.group
    return case.config(folder, privacy=privacy, insensitive=[], sensitive=["sick"], unlisted="drop", **settings)


def all_above_hold(problem: KnownColumns) -> None:
    """The rows that a node releases are released by every node above it, which is what pruning takes for granted."""
    kept = {node.levels: set(problem.kept(node.levels)) for node in problem.nodes}
    for levels, rows in kept.items():
        for higher, more in kept.items():
            if all(low <= high for low, high in zip(levels, higher, strict=True)):
                assert rows <= more


@pytest.mark.slow
@settings(max_examples=tries(40))
@given(known_cases(), st.sampled_from([0, 100]))
def test_every_node_suppresses_what_plain_loops_do(folder: Path, case: Case, least_sets: int) -> None:
    """With sets of columns that are counted one by one, and added up from combinations of more columns."""
    problem = case.problem
    assert isinstance(problem, KnownColumns)
    all_above_hold(problem)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(leveled, "_LEAST_SETS", least_sets)
        listed = kanon_sql.lattice(config_of(case, folder))["nodes"]
    expected = {
        node.levels: (node.suppressed, node.classes, near(float(node.lm)), node.satisfies, node in problem.minimal)
        for node in problem.nodes
    }
    event("rows fall in rounds" if any(len(node.sizes) and node.suppressed for node in problem.nodes) else "no rounds")
    listed_nodes = {
        tuple(node["levels"].values()): tuple(
            node[key] for key in ("suppressed", "classes", "lm", "satisfies", "minimal")
        )
        for node in listed
    }
    assert listed_nodes == expected


CHOICES = [
    *(("optimal", objective) for objective in OBJECTIVES),
    ("samarati", "loss"),
    ("samarati", "first"),
    *(("minimal", preference) for preference in ("loss", "distribution", "suppression")),
]


@pytest.mark.slow
@settings(max_examples=tries(40))
@given(known_cases(), st.sampled_from(CHOICES), st.booleans())
def test_searches_choose_what_plain_loops_do(folder: Path, case: Case, choice: tuple[str, str], large: bool) -> None:
    problem, (name, variant) = case.problem, choice
    assert isinstance(problem, KnownColumns)
    key = "objective" if name == "optimal" else "prefer"
    config = config_of(case, folder, algorithm={"name": name, key: variant})
    with pytest.MonkeyPatch.context() as patched:
        if large:
            patched.setattr(leveled, "_LEAST_SETS", 0)
            patched.setattr(dispatch, "_SMALL", 0)
            patched.setattr(large_search, "_FIRST_CHECKS", 0)
            patched.setattr(large_search, "_MOST_NODES", 6)
            patched.setattr(samarati, "MOST_NODES", 0)
            patched.setattr(samarati, "MOST_NODES", 0)
        try:
            report = kanon_sql.run(config).report
        except NoReleaseError:
            event("nothing")
            assert not problem.satisfying
            return
    winner = problem.winner(name, variant)
    assert report["solution"]["levels"] == dict(zip(problem.columns, winner.levels, strict=True))
    assert report["rows"]["suppressed"] == winner.suppressed
    assert (report["classes"]["count"], report["classes"]["max"]) == (winner.classes, max(winner.sizes))
    assert report["privacy"]["k"]["actual"] == problem.least(winner.levels) >= problem.k
    assert report["loss"]["lm"] == near(float(winner.lm))
    assert report["loss"]["discernibility"] == winner.discernibility
    assert report["loss"]["precision"] == near(1 - float(winner.imprecision))
    if name == "optimal":
        assert report["loss"]["objective"] == near(problem.objective(winner, variant))
        assert report["search"]["bound"] == near(report["loss"]["objective"])
    event(f"{'with' if winner.suppressed else 'without'} suppressed rows")
    assert sorted(map(sorted_row, case.released(folder))) == sorted(map(sorted_row, problem.release(winner.levels)))


def sorted_row(row: dict[str, Any]) -> list[tuple[str, str]]:
    return sorted((name, str(value)) for name, value in row.items())
