"""Mondrian with models beyond k: every class holds them, and none can be cut into two that do."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from model_cases import SPECS, TREE, Asked, Row, cells, check_privacy, slow

import kanon_sql
from kanon_sql.errors import ConfigurationError, NoReleaseError


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    number = st.integers(1, 6).map(str)
    row = st.tuples(number, number, cells(list(TREE)), cells(["p", "q", "r", "s", "t"]))
    rows = draw(st.lists(row, min_size=1, max_size=20))
    models = draw(st.lists(st.sampled_from(SPECS), min_size=1, max_size=2, unique_by=str))
    return Asked(tuple(rows), draw(st.integers(1, 4)), 0, tuple(models), draw(st.booleans()))


def holds(case: Asked, rows: list[Row]) -> bool:
    return all(one for one, _ in case.reached(rows, case.rows))


def classes(case: Asked, folder: Path, report: dict[str, Any]) -> list[list[Row]]:
    """The rows of each class: a release without suppression in the source's order has a row for each of these."""
    with (folder / "out.csv").open(encoding="utf-8", newline="") as file:
        labels = [(row["a"], row["b"]) for row in csv.DictReader(file)]
    assert len(labels) == len(case.rows) == report["rows"]["released"]
    found: dict[tuple[str, str], list[Row]] = {}
    for label, row in zip(labels, case.rows, strict=True):
        found.setdefault(label, []).append(row)
    return list(found.values())


def cuts(rows: list[Row]) -> list[tuple[list[Row], list[Row]]]:
    """Both sides of each place between two neighbouring values of a column."""
    made = []
    for column in (0, 1):
        for value in sorted({row[column] or "" for row in rows})[1:]:
            made.append(
                ([r for r in rows if (r[column] or "") < value], [r for r in rows if (r[column] or "") >= value])
            )
    return made


@slow
@given(case=asked())
def test_every_class_holds_all_models_and_cannot_be_cut(case: Asked, tmp_path: Path) -> None:
    config = case.config(tmp_path, algorithm="mondrian", quasi_identifiers=["a", "b"], release={"order": "none"})
    if not holds(case, list(case.rows)):
        event("no release")
        with pytest.raises(NoReleaseError):
            kanon_sql.run(config)
        return
    report = kanon_sql.run(config).report
    found = classes(case, tmp_path, report)
    event("several classes" if len(found) > 1 else "one class")
    for rows in found:
        assert holds(case, rows)
        assert not [sides for sides in cuts(rows) if holds(case, sides[0]) and holds(case, sides[1])]
    check_privacy(report["privacy"], case, [case.reached(rows, case.rows) for rows in found])


@pytest.mark.slow
@slow
@given(case=asked())
def test_hierarchies_and_local_recoding_hold_them_too(case: Asked, tmp_path: Path) -> None:
    rows = [(None if row[0] == "6" else row[0], row[1], row[2], row[3]) for row in case.rows]
    case = replace(case, rows=tuple(rows))
    qis = {"a": {"builtin": "intervals", "widths": [2]}, "b": {}}
    for algorithm in ("mondrian", "local"):
        config = case.config(tmp_path, algorithm=algorithm, quasi_identifiers=qis, release={"order": "none"})
        if not holds(case, rows):
            with pytest.raises(NoReleaseError):
                kanon_sql.run(config)
            continue
        report = kanon_sql.run(config).report
        found = classes(case, tmp_path, report)
        assert all(holds(case, one) for one in found)
        check_privacy(report["privacy"], case, [case.reached(one, case.rows) for one in found])


def test_relaxed_cuts_do_not_see_sensitive_values(tmp_path: Path) -> None:
    case = Asked((("1", "2", "5", "p"),), 1, 0, (("l_diversity", {"l": 1}),), by_entity=False)
    algorithm = {"name": "mondrian", "cut": "relaxed"}
    config = case.config(tmp_path, algorithm=algorithm, quasi_identifiers=["a", "b"])
    with pytest.raises(ConfigurationError, match="with models beyond k expected cut: strict"):
        kanon_sql.run(config)
