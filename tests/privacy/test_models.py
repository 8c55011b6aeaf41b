"""Privacy models beyond k, in full-domain searches and checks, against brute force over every node."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import duckdb
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from model_cases import Asked, Row, asked, best, check_privacy, slow
from reference_models import Cell

import kanon_sql
from kanon_sql.errors import NoReleaseError


@slow
@given(case=asked())
def test_the_optimum_is_that_of_all_nodes(case: Asked, tmp_path: Path) -> None:
    node = best(case.nodes())
    event("released" if node else "no release")
    config = case.config(tmp_path)
    if node is None:
        with pytest.raises(NoReleaseError):
            kanon_sql.run(config)
        return
    report = kanon_sql.run(config).report
    assert tuple(report["solution"]["levels"].values()) == node["levels"]
    assert report["rows"]["suppressed"] == node["suppressed"]
    assert report["loss"]["lm"] == pytest.approx(float(node["loss"]), abs=1e-9)
    assert report["search"]["proven"]
    assert report["classes"]["count"] == len(node["released"])
    check_privacy(report["privacy"], case, node["reached"])
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        written = Counter((row["a"], row["b"], row["s"]) for row in csv.DictReader(file))
    wanted = Counter(
        tuple("" if cell is None else cell for cell in (*key, row[2]))
        for key, rows in node["released"].items()
        for row in rows
    )
    assert written == wanted


@pytest.mark.slow
@slow
@given(case=asked(), name=st.sampled_from(["samarati", "minimal"]))
def test_samarati_and_minimal_find_what_all_nodes_have(case: Asked, name: str, tmp_path: Path) -> None:
    nodes = case.nodes()
    satisfying = [node for node in nodes if node["satisfies"]]
    config = case.config(tmp_path, algorithm=name)
    if not satisfying:
        with pytest.raises(NoReleaseError):
            kanon_sql.run(config)
        return
    report = kanon_sql.run(config).report
    if name == "samarati":
        height = min(sum(node["levels"]) for node in satisfying)
        candidates = [node for node in satisfying if sum(node["levels"]) == height]
    else:
        candidates = [
            node
            for node in satisfying
            if not any(
                other is not node and all(x <= y for x, y in zip(other["levels"], node["levels"], strict=True))
                for other in satisfying
            )
        ]
        assert {tuple(one["levels"].values()) for one in report["search"]["minimal"]} == {
            node["levels"] for node in candidates
        }
    chosen = best(candidates)
    assert chosen is not None
    assert tuple(report["solution"]["levels"].values()) == chosen["levels"]


@pytest.mark.slow
@slow
@given(case=asked())
def test_a_lattice_lists_what_every_node_suppresses(case: Asked, tmp_path: Path) -> None:
    listed = kanon_sql.lattice(case.config(tmp_path))["nodes"]
    satisfying = [node["levels"] for node in case.nodes() if node["satisfies"]]
    for shown, node in zip(
        sorted(listed, key=lambda one: tuple(one["levels"].values())),
        sorted(case.nodes(), key=lambda one: one["levels"]),
        strict=True,
    ):
        assert shown["suppressed"] == node["suppressed"]
        assert shown["satisfies"] == node["satisfies"]
        below = [
            other
            for other in satisfying
            if other != node["levels"] and all(x <= y for x, y in zip(other, node["levels"], strict=True))
        ]
        assert shown["minimal"] == (node["satisfies"] and not below)


@slow
@given(case=asked())
def test_a_check_measures_the_table_as_it_stands(case: Asked, tmp_path: Path) -> None:
    report = kanon_sql.check(case.config(tmp_path))
    classes: dict[tuple[Cell, ...], list[Row]] = {}
    for row in case.rows:
        classes.setdefault(row[:2], []).append(row)
    judged = [case.reached(rows, case.rows) for rows in classes.values()]
    bad = [rows for rows, one in zip(classes.values(), judged, strict=True) if not all(holds for holds, _ in one)]
    assert report["status"] == ("violated" if bad else "satisfied")
    assert report["violations"]["classes"] == len(bad)
    assert report["violations"]["rows"] == sum(map(len, bad))
    check_privacy(report["privacy"], case, judged)


@slow
@given(case=asked())
def test_a_compiled_release_leaves_out_the_same_rows(case: Asked, tmp_path: Path) -> None:
    config = case.config(tmp_path, release={"order": "none"})
    node = best(case.nodes())
    if node is None:
        return
    kanon_sql.run(config)
    text = kanon_sql.compile(config)
    found = Counter(tuple("" if cell is None else cell for cell in row) for row in duckdb.execute(text).fetchall())
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        written = Counter(tuple(row) for row in list(csv.reader(file))[1:])
    assert found == written


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
