"""Searches against brute force: the same nodes, the same winner and the same numbers on small tables."""

from __future__ import annotations

import json
import math
from itertools import chain
from operator import le
from pathlib import Path
from typing import Any

import pytest
from cases import Case, cases
from effort import some, tries
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from reference import Hierarchy, Node, Problem

import kanon_sql
from kanon_sql.errors import NoReleaseError
from kanon_sql.search.full_domain import batches, coarser, dispatch, large, rollup, samarati
from kanon_sql.search.full_domain.checker import NodeChecker

OBJECTIVES = [
    "loss",
    "geometric-mean-loss",
    "discernibility",
    "average-class-size",
    "precision",
    "entropy",
]
PREFERENCES = ["loss", "absolute-distance", "relative-distance", "distribution", "suppression"]
CHOICES = [
    *(("optimal", objective) for objective in OBJECTIVES),
    ("samarati", "loss"),
    ("samarati", "first"),
    *(("minimal", preference) for preference in PREFERENCES),
]


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def named(problem: Problem, node: Node) -> dict[str, int]:
    return dict(zip(problem.columns, node.levels, strict=True))


def run(case: Case, folder: Path, name: str, variant: str) -> dict[str, Any] | None:
    """The report of a run; None where no release satisfies the request."""
    key = "objective" if name == "optimal" else "prefer"
    try:
        return kanon_sql.run(case.config(folder, algorithm={"name": name, key: variant})).report
    except NoReleaseError as error:
        assert error.exit_status == 1
        assert not case.target(folder).exists()
        return None
    finally:
        case.target(folder).unlink(missing_ok=True)


def check_report(case: Case, report: dict[str, Any], node: Node, objective: str | None) -> None:
    """All numbers of a report against those of the node that it chose."""
    problem = case.problem
    assert report["status"] == "released"
    assert report["solution"] == {"levels": named(problem, node), "height": node.height}
    assert report["rows"] == {
        "source": len(problem.rows),
        "missing": len(problem.rows) - problem.n,
        "suppressed": node.suppressed,
        "masked": 0,
        "released": node.released,
    }
    average = node.released / node.classes
    digest = report["classes"].pop("digest")
    assert len(bytes.fromhex(digest)) == 32
    assert report["classes"] == {
        "count": node.classes,
        "min": node.sizes[0],
        "max": node.sizes[-1],
        "average": near(average),
    }
    assert report["privacy"]["k"] == {"required": problem.k, "actual": node.sizes[0]}
    loss = report["loss"]
    assert loss["attributes"] == {
        c: near(float(expected)) for c, expected in zip(problem.columns, node.losses, strict=True)
    }
    assert loss["lm"] == near(float(node.lm))
    assert loss["ncp"] == near(100 * float(node.lm) / len(node.levels))
    assert loss["geometric_mean"] == near(node.geometric_mean)
    assert loss["c_avg"] == near(average / problem.k)
    assert loss["discernibility"] == node.discernibility
    assert loss["precision"] == near(1 - float(node.imprecision))
    search = report["search"]
    assert search["lattice_nodes"] == len(problem.nodes)
    assert search["checked"] >= 0
    assert search["proven"] is True
    if objective is not None:
        assert loss["objective"] == near(problem.objective(node, objective))
        assert search["bound"] == near(loss["objective"])
    assert report["seconds"]["total"] >= 0


def check_winner(case: Case, folder: Path, name: str, variant: str) -> None:
    problem = case.problem
    report = run(case, folder, name, variant)
    if not problem.satisfying:
        assert report is None
        return
    assert report is not None
    assert report["algorithm"] == {"name": name, "objective" if name == "optimal" else "prefer": variant}
    winner = problem.winner(name, variant)
    assert report["solution"]["levels"] == named(problem, winner)
    check_report(case, report, winner, variant if name == "optimal" else None)


@pytest.mark.slow
@settings(max_examples=tries(30))
@given(cases(), st.sampled_from([1, 4, rollup._MOST_CLASSES]), st.booleans())
def test_the_lattice_lists_what_brute_force_finds(folder: Path, case: Case, most: int, rolls_up: bool) -> None:
    """With nodes rolled up from others, some at a time, and with nodes that are asked about many at once."""
    problem = case.problem
    assume(problem.n > 0)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rollup, "_MOST_CLASSES", most)
        if not rolls_up:
            patched.setattr(NodeChecker, "rolls_up", False)
        listed = kanon_sql.lattice(case.config(folder))["nodes"]
    expected = [
        {
            "levels": named(problem, node),
            "height": node.height,
            "suppressed": node.suppressed,
            "classes": node.classes,
            "lm": near(float(node.lm)),
            "satisfies": node.satisfies,
            "minimal": node in problem.minimal,
        }
        for node in problem.nodes
    ]
    keys = expected[0].keys()

    def order(node: dict[str, Any]) -> list[int]:
        return [node["levels"][column] for column in problem.columns]

    listed_nodes = sorted(({key: node[key] for key in keys} for node in listed), key=order)
    assert listed_nodes == expected
    winners = [node["levels"] for node in listed if node["winner"]]
    assert winners == ([named(problem, problem.optimal())] if problem.satisfying else [])


@pytest.mark.slow
@settings(max_examples=tries(50))
@given(cases(), st.sampled_from(CHOICES))
def test_the_winner_is_that_of_brute_force(folder: Path, case: Case, choice: tuple[str, str]) -> None:
    event(f"{' '.join(choice)}: {'released' if case.problem.satisfying else 'nothing'}")
    check_winner(case, folder, *choice)


@settings(max_examples=tries(20))
@given(cases(weights=True), st.sampled_from([choice for choice in CHOICES if "loss" in choice[1]]))
def test_weights_move_the_winner(folder: Path, case: Case, choice: tuple[str, str]) -> None:
    """The loss of the search is the weighted one, `lm` never is."""
    check_winner(case, folder, *choice)


@pytest.mark.slow
@settings(max_examples=tries(15))
@given(cases(weights=True), st.sampled_from(["loss", "geometric-mean-loss"]), st.sampled_from([2, 6, 800]))
def test_searches_of_large_lattices_end_at_the_same_winner(
    folder: Path, case: Case, objective: str, most_nodes: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dispatch, "_SMALL", 0)
        patched.setattr(large, "_FIRST_CHECKS", 0)
        patched.setattr(large, "_MOST_NODES", most_nodes)
        check_winner(case, folder, "optimal", objective)


@pytest.mark.slow
@settings(max_examples=tries(15))
@given(cases(weights=True), st.sampled_from(["loss", "geometric-mean-loss"]), st.sampled_from([2, 6, 800]))
def test_floors_are_below_every_satisfying_node(folder: Path, case: Case, objective: str, most_nodes: int) -> None:
    """At any time of the work on them, for each node and all above it."""
    problem = case.problem
    bounds = []

    def search(self: Any) -> None:
        asked_for = (problem.k, min(problem.allowed, problem.n - 1), len(problem.nodes))
        if (self.checker.k, self.checker.limit, self.lattice.size) != asked_for:
            self.go_on()  # what is searched for advice
            return
        raised = large.Floors(self.lattice, self.checker, self.objective, self.deadline)
        self.objective = large.FlooredLoss(self.objective, raised)
        raised.make_tables()
        values = [(satisfying.levels, problem.objective(satisfying, objective)) for satisfying in problem.satisfying]
        for _ in chain([None], raised.rounds()):
            for node in problem.nodes:
                least = min((value for levels, value in values if all(map(le, node.levels, levels))), default=math.inf)
                bounds.append(self.objective.bound(node.levels))
                assert bounds[-1] <= least + 1e-9
        self.go_on()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dispatch, "_SMALL", 0)
        patched.setattr(large, "_MOST_NODES", most_nodes)
        patched.setattr(large, "_CHECKS", 1)
        patched.setattr(large.LargeSearch, "search", search)
        check_winner(case, folder, "optimal", objective)
    assert bounds or not problem.satisfying


def report_by_floors(config: dict[str, Any], *, raises: bool) -> dict[str, Any]:
    """The report of a run that searches as a large lattice is searched; `raises`: whether searches of groups of columns
    raise its floors.
    """

    def search(self: Any) -> None:
        raised = large.Floors(self.lattice, self.checker, self.objective, self.deadline)
        raised.make_tables()
        assert bool(list(raised.rounds())) == raises
        self.objective = large.FlooredLoss(self.objective, raised)
        self.go_on()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(dispatch, "_SMALL", 0)
        patched.setattr(large, "_MOST_NODES", 2)
        patched.setattr(large.LargeSearch, "search", search)
        return kanon_sql.run(config, advice=False).report


@pytest.mark.slow
def test_searches_of_several_groups_leave_out_the_other_columns(folder: Path) -> None:
    """All of them end, the one of some columns too: the loss of the others, at their tops, is none of its nodes'."""
    rows = ["aaba", "ccbb", "caca", "ccab", "cbcc", "bcbc", "baab", "bbbb", "caca", "aaaa", "baac"]
    (folder / "data.csv").write_text("\n".join(",".join(row) for row in ["pqrs", *rows]), "utf-8")
    config = {
        "source": str(folder / "data.csv"),
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": {column: {"builtin": "suppress"} for column in "pqrs"},
        "privacy": {"k": 2},
        "suppression": {"limit": "30%"},
    }
    plain = kanon_sql.run(config, advice=False).report

    searched = report_by_floors(config, raises=True)
    assert (searched["solution"], searched["loss"]) == (plain["solution"], plain["loss"])


@pytest.mark.slow
@settings(max_examples=tries(10))
@given(st.lists(st.tuples(*[st.sampled_from("ab")] * 4, st.sampled_from("xyz")), min_size=4, max_size=12))
def test_large_lattices_of_models_that_are_not_monotone(folder: Path, rows: list[tuple[str, ...]]) -> None:
    """What fails with columns at their tops may satisfy below: t-closeness where rows may be suppressed."""
    columns = [*"pqrs", "sensitive"]
    (folder / "data.csv").write_text("\n".join(map(",".join, [columns, *rows])), "utf-8")
    config = {
        "source": str(folder / "data.csv"),
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": {column: {"builtin": "suppress"} for column in "pqrs"},
        "sensitive": ["sensitive"],
        "privacy": {"k": 2, "t_closeness": {"column": "sensitive", "t": 0.3}},
        "suppression": {"limit": "50%"},
    }
    plain = kanon_sql.run(config, advice=False).report

    searched = report_by_floors(config, raises=False)
    assert (searched["solution"], searched["loss"]) == (plain["solution"], plain["loss"])
    assert searched["search"]["bound"] == near(searched["loss"]["objective"])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "variant"), CHOICES)
def test_every_choice_on_one_table(folder: Path, name: str, variant: str) -> None:
    check_winner(wide_case(), folder, name, variant)


@pytest.mark.slow
@settings(max_examples=tries(15))
@given(cases(), st.sampled_from([choice for choice in CHOICES if choice[0] != "optimal"]))
def test_lattices_that_are_too_large_for_sets(folder: Path, case: Case, choice: tuple[str, str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samarati, "MOST_NODES", 0)
        patch.setattr(samarati, "MOST_NODES", 0)
        check_winner(case, folder, *choice)


# Age, place (some are empty), sex and kind of 30 rows on which the algorithms choose differently.
WIDE = """
26-c-m-z 20-ax-m-v 21-ax-m-w 24-ay-f-w 31-ay-f-z 20-by-f-z 26--f-u 22-by-f-z 20--m-u 20-c-f-u 31-bz-m-v
21-ay-f-v 27-by-m-v 26-ax-m-z 22-bx-f-u 22-c-f-u 26-ax-f-w 28-ax-f-z 21--f-w 24-by-f-z 22-bx-f-u
31-by-f-v 31-c-f-u 31-bx-f-v 22-ay-f-v 22-by-f-v 24-c-m-v 31-ax-f-w 29-bz-m-z 28-c-f-v
"""


def wide_case() -> Case:
    files = {
        "age": [[str(age), f"{age // 3 * 3}-", f"{age // 6 * 6}+"] for age in range(20, 32)],
        "place": [[place, place[0]] for place in ("ax", "ay", "bx", "by", "bz", "c")],
        "sex": [["f"], ["m"]],
        "kind": [["u", "U", "U2"], ["v", "U", "U2"], ["w", "W", "U2"], ["z", "Z", "Z2"]],
    }
    cells = [row.split("-") for row in WIDE.split()]
    rows = [dict(zip(files, (cell or None for cell in row), strict=True)) for row in cells]
    problem = Problem(rows, {c: Hierarchy.of_file(lines) for c, lines in files.items()}, k=2, limit=8)
    return Case(problem, files)


@pytest.mark.slow
@settings(max_examples=tries(30))
@given(cases(), st.sampled_from(CHOICES), st.sampled_from([0, 40, 1_000]), st.sampled_from([1, 6]), st.booleans())
def test_nodes_that_are_counted_from_tables_below_them(
    folder: Path, case: Case, choice: tuple[str, str], cells: int, most: int, wide: bool
) -> None:
    """With as many tables as there may be, with few, with none but that of all combinations, and with wide keys."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(coarser, "_MOST_TABLES", most)
        patched.setattr(coarser.CoarserTables, "pay", staticmethod(lambda *_: True))
        patched.setattr(coarser, "_MOST_CELLS", cells)
        patched.setattr(batches, "_MOST_FROM_TABLES", 3)
        if wide:
            patched.setattr(batches, "_WORDS", ((127, "HUGEINT"),))
        check_winner(case, folder, *choice)
        if choice[0] == "minimal" and case.problem.satisfying:
            listed = run(case, folder, *choice)
            assert listed is not None
            assert [
                (entry["levels"], entry["suppressed"], entry["classes"], entry["lm"])
                for entry in listed["search"]["minimal"]
            ] == [
                (named(case.problem, node), node.suppressed, node.classes, near(float(node.lm)))
                for node in sorted(case.problem.minimal, key=lambda node: (node.height, node.levels))
            ]


def test_the_choices_of_that_table_differ() -> None:
    problem = wide_case().problem
    assert len({problem.winner(*choice).levels for choice in CHOICES}) == 8


@pytest.mark.few(2)
@pytest.mark.parametrize(("limit", "rows"), [("29%", 100), ("58%", 50), ("0.7%", 1000), ("2.3%", 1000)])
def test_a_percentage_is_an_exact_decimal(folder: Path, limit: str, rows: int) -> None:
    """As many rows as the limit says are unique; in binary floating point their share falls below it."""
    allowed = {"29%": 29, "58%": 29, "0.7%": 7, "2.3%": 23}[limit]
    for unique in (allowed, allowed + 1):
        cells = [str(i) if i < unique else "same" for i in range(rows)]
        files = {"q": [[value, "*"] for value in dict.fromkeys(cells)]}
        table = [{"q": cell} for cell in cells]
        problem = Problem(table, {"q": Hierarchy.of_file(files["q"])}, k=2, limit=limit)
        nodes = kanon_sql.lattice(Case(problem, files).config(folder))["nodes"]
        satisfying = {node["levels"]["q"] for node in nodes if node["satisfies"]}
        assert satisfying == ({0, 1} if unique == allowed else {1})
        assert problem.allowed == allowed


def test_a_row_with_a_null_of_its_own_is_no_class(folder: Path) -> None:
    """A grouping that loses NULLs would release the row (NULL, x)."""
    files = {"p": [["a"], ["b"]], "q": [["x"], ["y"]]}
    rows = [{"p": "a", "q": "x"}] * 3 + [{"p": None, "q": "x"}]
    hierarchies = {column: Hierarchy.of_file(lines) for column, lines in files.items()}
    case = Case(Problem(rows, hierarchies, k=2, limit=1, bounds={"p": (0, 0), "q": (0, 0)}), files)
    report = run(case, folder, "optimal", "loss")
    assert report is not None
    assert report["rows"]["suppressed"] == 1
    assert report["rows"]["released"] == 3


def case_of(rows: list[dict[str, str | None]], files: dict[str, list[list[str]]], k: int, limit: int = 0) -> Case:
    hierarchies = {column: Hierarchy.of_file(lines) for column, lines in files.items()}
    return Case(Problem(rows, hierarchies, k, limit), files)


@pytest.mark.few(2)
@pytest.mark.parametrize("cells", ["aab", "a b", "  a"])
def test_a_release_that_is_a_star_everywhere_is_one_class(folder: Path, cells: str) -> None:
    case = case_of([{"q": cell.strip() or None} for cell in cells], {"q": [["a"], ["b"]]}, k=3)
    check_winner(case, folder, "optimal", "loss")


@pytest.mark.few(2)
@pytest.mark.parametrize("lines", [["a"], ["a", "*"], ["a", "g", "*"], ["a", "g"]], ids="-".join)
@pytest.mark.parametrize("cells", some(["aa  x", "aaax", "aaa x", "aa x"], 1))
def test_a_hierarchy_of_one_value(folder: Path, lines: list[str], cells: str) -> None:
    """It loses nothing but by suppression, which costs 1 in it as everywhere; NULL is not its value."""
    rows: list[dict[str, str | None]] = [
        {"q": None if cell == " " else "a", "r": "y" if cell == "x" else "x"} for cell in cells
    ]
    case = case_of(rows, {"q": [lines], "r": [["x"], ["y"]]}, k=2, limit=2)
    nodes = {tuple(node["levels"].values()): node for node in kanon_sql.lattice(case.config(folder))["nodes"]}
    for node in case.problem.nodes:
        listed = nodes[node.levels]
        assert (listed["suppressed"], listed["classes"]) == (node.suppressed, node.classes)
        assert listed["lm"] == near(float(node.lm))
    check_winner(case, folder, "optimal", "loss")


@pytest.mark.few(2)
@pytest.mark.parametrize("missing", ["keep", "drop", "drop-any"])
def test_tables_without_a_release(folder: Path, missing: str) -> None:
    """Fewer rows than k, rows that are all dropped, or no row at all: exit 1, and nothing is written."""
    hierarchies = {"q": Hierarchy.of_file([["a"], ["b"]])}
    tables: list[list[dict[str, str | None]]] = [[], [{"q": None}] * 2, [{"q": "a"}, {"q": "b"}]]
    for rows in tables:
        problem = Problem(rows, hierarchies, k=3, limit="100%", missing=missing)
        assert not problem.satisfying
        case = Case(problem, {"q": [["a"], ["b"]]})
        with pytest.raises(NoReleaseError):
            kanon_sql.run(case.config(folder, report=str(folder / "report.json")))
        assert not case.target(folder).exists()
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        assert (report["status"], report["solution"]) == ("no-release", None)
        assert report["rows"]["source"] == len(rows)
