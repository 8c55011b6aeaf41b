"""Privacy models beyond k, in full-domain searches and checks, against brute force over every node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from model_cases import SPECS, ModelTable, best, model_tables, slow
from model_runs import check_as_it_stands, check_compiled, check_lattice, check_minimal, check_optimum

import kanon_sql
from kanon_sql.commands import lattice as listing
from kanon_sql.search.full_domain.checker import NodeChecker


@slow
@given(case=model_tables())
def test_the_optimum_is_that_of_all_nodes(case: ModelTable, tmp_path: Path) -> None:
    check_optimum(case, tmp_path)


def with_checker(config: dict[str, Any], look: Callable[[NodeChecker], None]) -> None:
    """Gives the checker of a request to `look`."""

    def search(_: Any, __: Any, checker: NodeChecker, *___: Any) -> Any:
        look(checker)
        return SimpleNamespace(winner=None)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(listing, "search", search)
        kanon_sql.lattice(config)


@slow
@given(case=model_tables(specs=[spec for spec in SPECS if spec[0] in ("l_diversity", "t_closeness", "beta")]))
def test_what_is_lost_for_sure_is_lost_at_all_nodes_below(case: ModelTable, tmp_path: Path) -> None:
    """A node that is found to fail by the rows that no split of its classes releases settles the nodes below it."""
    suppressed = {node["levels"]: node["suppressed"] for node in case.nodes()}

    def look(checker: NodeChecker) -> None:
        for node in suppressed:
            many, single = checker.apart(), checker.apart()
            many.learn_passing([node])
            assert many.passes(node) == single.passes(node)
            failing = [levels for levels in suppressed if many.known(levels) is False]
            event("fails" if failing else "may satisfy")
            assert all(suppressed[levels] > checker.limit for levels in failing)

    with_checker(case.config(tmp_path), look)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("model", "k", "lost"),
    [
        # Of 8 and 2 rows with a value that half of all rows have, 3 and 2 are within 0.1.
        ({"t_closeness": {"column": "s", "t": "0.1"}}, 2, 10),
        ({"t_closeness": {"column": "s", "t": "0.1"}}, 5, 10),
        ({"t_closeness": {"column": "s", "t": "0.1"}}, 6, 20),
        # 6 and 2 have shares of at most 1.5 times a half.
        ({"beta": {"column": "s", "beta": "0.5"}}, 2, 4),
        ({"beta": {"column": "s", "beta": "0.5", "variant": "enhanced"}}, 2, 4),
        # -ln(0.5) times a half more: a share of 0.847 at most.
        ({"beta": {"column": "s", "beta": "3", "variant": "enhanced"}}, 2, 0),
        # The greater of both losses.
        ({"t_closeness": {"column": "s", "t": "0.1"}, "beta": {"column": "s", "beta": "0.5"}}, 2, 10),
        ({"t_closeness": {"column": "s", "t": "0.1"}, "l_diversity": {"column": "s", "l": 3}}, 2, 20),
    ],
)
def test_as_many_rows_as_can_be_kept(tmp_path: Path, model: dict[str, Any], k: int, lost: int) -> None:
    rows = [f"{a},u,{value}" for a, ones in (("x1", 8), ("x2", 2)) for value in "1" * ones + "2" * (10 - ones)]
    (tmp_path / "in.csv").write_text("\n".join(["a,b,s", *rows]), "utf-8")
    for limit in {max(lost - 1, 1), max(lost, 1)}:
        config = {
            "source": str(tmp_path / "in.csv"),
            "target": str(tmp_path / "out.csv"),
            "quasi_identifiers": {"a": {"builtin": "suppress"}, "b": {"builtin": "suppress"}},
            "sensitive": ["s"],
            "privacy": {"k": k, **model},
            "suppression": {"limit": limit},
        }

        def look(checker: NodeChecker, fails: bool = lost > min(limit, 19)) -> None:
            checker_apart = checker.apart()
            assert checker_apart.passes((0, 1)) is not fails
            assert checker.suppressed((0, 1)) >= lost

        with_checker(config, look)


@pytest.mark.slow
@slow
@given(case=model_tables(), name=st.sampled_from(["samarati", "minimal"]))
def test_samarati_and_minimal_find_what_all_nodes_have(case: ModelTable, name: str, tmp_path: Path) -> None:
    check_minimal(case, name, tmp_path)


@pytest.mark.slow
@slow
@given(case=model_tables())
def test_a_lattice_lists_what_every_node_suppresses(case: ModelTable, tmp_path: Path) -> None:
    check_lattice(case, tmp_path)


@slow
@given(case=model_tables())
def test_a_check_measures_the_table_as_it_stands(case: ModelTable, tmp_path: Path) -> None:
    check_as_it_stands(case, tmp_path)


@pytest.mark.slow
@slow
@given(case=model_tables())
def test_a_compiled_release_leaves_out_the_same_rows(case: ModelTable, tmp_path: Path) -> None:
    check_compiled(case, tmp_path)


@pytest.mark.slow
@slow
@given(case=model_tables())
def test_masked_rows_satisfy_as_a_class_or_are_dropped(case: ModelTable, tmp_path: Path) -> None:
    node = best(case.nodes())
    if node is None:
        return
    report = kanon_sql.run(case.config(tmp_path, release={"suppressed": "mask"})).report
    released = [row for rows in node["released"].values() for row in rows]
    starred = [row for key, rows in node["released"].items() if key == ("*", "*") for row in rows]
    suppressed = list((Counter(case.rows) - Counter(released)).elements())
    can = bool(suppressed) and all(holds for holds, _ in case.reached(suppressed + starred, case.rows))
    assert report["rows"]["masked"] == (len(suppressed) if can else 0)
    assert report["rows"]["suppressed"] == len(suppressed)
