"""What is to hold of requests of privacy models, whatever the models: each release against definitions."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import event
from model_cases import ModelTable, Row, best, check_privacy
from reference_models import Cell

import kanon_sql
from kanon_sql.errors import NoReleaseError


def holds(case: ModelTable, rows: list[Row]) -> bool:
    return all(satisfied for satisfied, _ in case.reached(rows, case.rows))


def classes(case: ModelTable, folder: Path, report: dict[str, Any]) -> list[list[Row]]:
    """The rows of each class: a release without suppression in the source's order has a row for each of these."""
    with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
        labels = [(row["a"], row["b"]) for row in csv.DictReader(file)]
    assert len(labels) == len(case.rows) == report["rows"]["released"]
    by_label: dict[tuple[str, str], list[Row]] = {}
    for label, row in zip(labels, case.rows, strict=True):
        by_label.setdefault(label, []).append(row)
    return list(by_label.values())


def cuts(rows: list[Row]) -> list[tuple[list[Row], list[Row]]]:
    """Both sides of each place between two neighbouring values of a column."""
    sides = []
    for column in (0, 1):
        for value in sorted({row[column] or "" for row in rows})[1:]:
            sides.append(
                ([r for r in rows if (r[column] or "") < value], [r for r in rows if (r[column] or "") >= value])
            )
    return sides


def check_optimum(case: ModelTable, folder: Path) -> None:
    """The release of the optimal search is the best of all nodes."""
    node = best(case.nodes())
    event("released" if node else "no release")
    config = case.config(folder)
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
    with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
        written = Counter((row["a"], row["b"], row["s"]) for row in csv.DictReader(file))
    wanted = Counter(
        tuple("" if cell is None else cell for cell in (*key, row[2]))
        for key, rows in node["released"].items()
        for row in rows
    )
    assert written == wanted


def check_minimal(case: ModelTable, name: str, folder: Path) -> None:
    """Samarati and minimal release what all nodes have of the least heights, or none below."""
    nodes = case.nodes()
    satisfying = [node for node in nodes if node["satisfies"]]
    config = case.config(folder, algorithm=name)
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
                below is not node and all(x <= y for x, y in zip(below["levels"], node["levels"], strict=True))
                for below in satisfying
            )
        ]
        assert {tuple(minimal["levels"].values()) for minimal in report["search"]["minimal"]} == {
            node["levels"] for node in candidates
        }
    chosen = best(candidates)
    assert chosen is not None
    assert tuple(report["solution"]["levels"].values()) == chosen["levels"]


def check_lattice(case: ModelTable, folder: Path) -> None:
    """A lattice lists what every node suppresses."""
    listed = kanon_sql.lattice(case.config(folder))["nodes"]
    satisfying = [node["levels"] for node in case.nodes() if node["satisfies"]]
    for shown, node in zip(
        sorted(listed, key=lambda listed_node: tuple(listed_node["levels"].values())),
        sorted(case.nodes(), key=lambda node: node["levels"]),
        strict=True,
    ):
        assert shown["suppressed"] == node["suppressed"]
        assert shown["satisfies"] == node["satisfies"]
        below = [
            levels
            for levels in satisfying
            if levels != node["levels"] and all(x <= y for x, y in zip(levels, node["levels"], strict=True))
        ]
        assert shown["minimal"] == (node["satisfies"] and not below)


def check_as_it_stands(case: ModelTable, folder: Path) -> None:
    """A check measures the table as it stands."""
    report = kanon_sql.check(case.config(folder))
    classes: dict[tuple[Cell, ...], list[Row]] = {}
    for row in case.rows:
        classes.setdefault(row[:2], []).append(row)
    judged = [case.reached(rows, case.rows) for rows in classes.values()]
    bad = [
        rows
        for rows, models_reached in zip(classes.values(), judged, strict=True)
        if not all(holds for holds, _ in models_reached)
    ]
    assert report["status"] == ("violated" if bad else "satisfied")
    assert report["violations"]["classes"] == len(bad)
    assert report["violations"]["rows"] == sum(map(len, bad))
    check_privacy(report["privacy"], case, judged)


def check_compiled(case: ModelTable, folder: Path) -> None:
    """A compiled release leaves out the same rows."""
    config = case.config(folder, release={"order": "none"})
    node = best(case.nodes())
    if node is None:
        return
    kanon_sql.run(config)
    text = kanon_sql.compile(config)
    compiled = Counter(tuple("" if cell is None else cell for cell in row) for row in duckdb.execute(text).fetchall())
    with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
        written = Counter(tuple(row) for row in list(csv.reader(file))[1:])
    assert compiled == written


def check_compiled_check(case: ModelTable, folder: Path) -> None:
    """The rows as they stand are checked by compile --check; every class is judged by the definitions."""
    config = case.config(folder)
    classes: dict[tuple[Cell, ...], list[Any]] = {}
    for row in case.rows:
        classes.setdefault(row[:2], []).append(row)
    expected: Counter[tuple[int, int]] = Counter()
    for rows in classes.values():
        for index, (holds, _) in enumerate(case.reached(rows, case.rows)):
            expected[(index, len(rows))] += not holds
    raw = {**config, "quasi_identifiers": {"a": {}, "b": {}}, "algorithm": "mondrian"}
    try:
        # A class of all rows is searched for; the check then reads the table of the rows as they are.
        table = None if case.by_entity else "raw"
        text = kanon_sql.compile(raw if best(case.nodes()) is None else config, check=True, release_table=table)
    except NoReleaseError:
        return
    with duckdb.connect() as connection:
        source = f"read_csv('{folder / 'in.csv'}', all_varchar=true)"
        connection.execute(f"CREATE TABLE raw AS FROM {source}")
        violating = connection.execute(text).fetchall()
    if case.by_entity:  # of the release that is made, which holds all that is asked
        assert violating == []
        return
    names = ["k", *(f"{key} of s" for key, _ in case.models)]
    wanted = Counter((names[index], size) for (index, size), times in expected.items() for _ in range(times))
    assert Counter((row[0], row[1]) for row in violating) == wanted


def check_mondrian(case: ModelTable, folder: Path) -> None:
    """Every class holds the models, and none can be cut into two that do."""
    config = case.config(folder, algorithm="mondrian", quasi_identifiers=["a", "b"], release={"order": "none"})
    if not holds(case, list(case.rows)):
        event("no release")
        with pytest.raises(NoReleaseError):
            kanon_sql.run(config)
        return
    report = kanon_sql.run(config).report
    released = classes(case, folder, report)
    event("several classes" if len(released) > 1 else "one class")
    for rows in released:
        assert holds(case, rows)
        assert not [sides for sides in cuts(rows) if holds(case, sides[0]) and holds(case, sides[1])]
    check_privacy(report["privacy"], case, [case.reached(rows, case.rows) for rows in released])


def check_hierarchies(case: ModelTable, folder: Path) -> None:
    """Classes of Mondrian with hierarchies and of local recoding hold the models."""
    rows = [(None if row[0] == "6" else row[0], row[1], row[2], row[3]) for row in case.rows]
    case = replace(case, rows=tuple(rows))
    qis = {"a": {"builtin": "intervals", "widths": [2]}, "b": {}}
    for algorithm in ("mondrian", "local"):
        config = case.config(folder, algorithm=algorithm, quasi_identifiers=qis, release={"order": "none"})
        if not holds(case, rows):
            with pytest.raises(NoReleaseError):
                kanon_sql.run(config)
            continue
        report = kanon_sql.run(config).report
        released = classes(case, folder, report)
        assert all(holds(case, rows) for rows in released)
        check_privacy(report["privacy"], case, [case.reached(rows, case.rows) for rows in released])
