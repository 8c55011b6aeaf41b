"""Privacy models beyond k, in full-domain searches and checks, against brute force over every node."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_cases import Asked, asked, best, slow
from model_runs import check_as_it_stands, check_compiled, check_lattice, check_minimal, check_optimum

import kanon_sql


@slow
@given(case=asked())
def test_the_optimum_is_that_of_all_nodes(case: Asked, tmp_path: Path) -> None:
    check_optimum(case, tmp_path)


@pytest.mark.slow
@slow
@given(case=asked(), name=st.sampled_from(["samarati", "minimal"]))
def test_samarati_and_minimal_find_what_all_nodes_have(case: Asked, name: str, tmp_path: Path) -> None:
    check_minimal(case, name, tmp_path)


@pytest.mark.slow
@slow
@given(case=asked())
def test_a_lattice_lists_what_every_node_suppresses(case: Asked, tmp_path: Path) -> None:
    check_lattice(case, tmp_path)


@slow
@given(case=asked())
def test_a_check_measures_the_table_as_it_stands(case: Asked, tmp_path: Path) -> None:
    check_as_it_stands(case, tmp_path)


@slow
@given(case=asked())
def test_a_compiled_release_leaves_out_the_same_rows(case: Asked, tmp_path: Path) -> None:
    check_compiled(case, tmp_path)


@pytest.mark.slow
@slow
@given(case=asked())
def test_masked_rows_satisfy_as_a_class_or_are_dropped(case: Asked, tmp_path: Path) -> None:
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
