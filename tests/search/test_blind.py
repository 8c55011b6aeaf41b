"""Levels chosen without a look at sensitive values, against brute force."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from effort import tries
from hypothesis import event, given, settings
from hypothesis import strategies as st
from model_cases import ModelTable, best, model_tables, slow

import kanon_sql
from kanon_sql.errors import ConfigurationError, NoReleaseError

BLIND = {"name": "optimal", "blind": True}


def chosen_by_k(case: ModelTable, reserve: int) -> tuple[int, ...] | None:
    """The levels that k alone leads to."""
    limit = max(min(case.limit, len(case.rows) - 1) - reserve, 0)
    optimum = best(replace(case, models=(), limit=limit).nodes())
    return None if optimum is None else optimum["levels"]


def released(case: ModelTable, folder: Path, algorithm: dict[str, Any]) -> dict[str, Any] | None:
    """The report; None where there is no release."""
    try:
        return kanon_sql.run(case.config(folder, algorithm=algorithm), advice=False).report
    except NoReleaseError:
        return None


@pytest.mark.slow
@slow
@given(model_tables(), st.integers(0, 3))
def test_the_node_is_the_one_of_k_alone_and_what_violates_is_suppressed(
    folder: Path, case: ModelTable, reserve: int
) -> None:
    levels = chosen_by_k(case, reserve)
    node = next((candidate for candidate in case.nodes() if candidate["levels"] == levels), None)
    report = released(case, folder, {**BLIND, "reserve": reserve})
    if node is None or not node["satisfies"]:
        event("no release")
        assert report is None
        return
    event("released")
    assert report is not None
    assert tuple(report["solution"]["levels"].values()) == levels
    assert report["rows"]["suppressed"] == node["suppressed"]
    assert report["loss"]["lm"] == pytest.approx(float(node["loss"]), abs=1e-9)
    optimum = best(case.nodes())
    assert optimum is not None
    if report["search"]["proven"]:
        assert node["loss"] == optimum["loss"]
    if report["search"]["bound"] is not None:
        assert report["search"]["bound"] <= float(optimum["loss"]) + 1e-9


@pytest.mark.slow
@settings(slow, max_examples=tries(20))
@given(model_tables(), st.randoms(use_true_random=False))
def test_whatever_the_sensitive_values_are_the_levels_are_the_same(
    folder: Path, case: ModelTable, chance: random.Random
) -> None:
    values = [row[2] for row in case.rows]
    chance.shuffle(values)
    shuffled = replace(case, rows=tuple((a, b, s, e) for (a, b, _, e), s in zip(case.rows, values, strict=True)))
    reports = [released(each, folder, BLIND) for each in (case, shuffled)]
    levels = [report["solution"]["levels"] for report in reports if report is not None]
    assert levels[1:] == levels[:-1]


@pytest.mark.slow
def test_other_searches_and_objectives_are_blind_as_well(folder: Path) -> None:
    rows = tuple((a, b, s, None) for a in ("x1", "x2", "y1") for b in ("u", "v") for s in ("1", "1", "2"))
    rows += (("y2", "u", "9", None), ("y2", "u", "9", None), ("y2", "u", "9", None))
    case = ModelTable(rows, 3, 3, (("l_diversity", {"l": 2}),), False)
    for algorithm in (
        {"name": "samarati"},
        {"name": "samarati", "prefer": "first"},
        {"name": "minimal"},
        *(
            {"name": "optimal", "objective": objective}
            for objective in ("discernibility", "average-class-size", "entropy")
        ),
    ):
        alone = released(replace(case, models=()), folder, algorithm)
        report = released(case, folder, {**algorithm, "blind": True})
        assert alone is not None and report is not None
        assert report["solution"] == alone["solution"]
        assert report["rows"]["suppressed"] == 3
        assert report["search"]["blind"] == {"suppressed": 0, "in_all": 3, "reserve": 0, "proven": True}
        assert not report["search"]["proven"]


@pytest.mark.slow
def test_a_node_that_the_models_refuse_is_not_replaced_by_another(folder: Path) -> None:
    rows = tuple((a, "u", s, None) for a, s in (("x1", "1"), ("x1", "1"), ("y1", "1"), ("y1", "2")))
    case = ModelTable(rows, 2, 0, (("l_diversity", {"l": 2}),), False)
    with pytest.raises(NoReleaseError, match=r"without a look at sensitive values 2 of 4 rows .* 0 of them by k"):
        kanon_sql.run(case.config(folder, algorithm=BLIND))
    assert released(case, folder, {"name": "optimal"}) is not None
    with pytest.raises(NoReleaseError, match=r"algorithm\.reserve leaves 0 rows"):
        rare = replace(case, k=5, rows=(*rows, ("x1", "v", "1", None)), limit=1)
        kanon_sql.run(
            rare.config(
                folder,
                algorithm={**BLIND, "reserve": 1},
                quasi_identifiers={"a": {"builtin": "suppress"}, "b": {"builtin": "suppress", "max_level": 0}},
            )
        )


@pytest.mark.slow
def test_lattice_marks_the_node_that_a_blind_run_releases(folder: Path) -> None:
    rows = tuple((a, "u", s, None) for a, s in (("x1", "1"), ("x1", "1"), ("y1", "1"), ("y1", "2")))
    case = ModelTable(rows, 2, 2, (("l_diversity", {"l": 2}),), False)
    report = released(case, folder, BLIND)
    nodes = json.loads(json.dumps(kanon_sql.lattice(case.config(folder, algorithm=BLIND))))["nodes"]
    assert report is not None
    assert [listed["levels"] for listed in nodes if listed["winner"]] == [report["solution"]["levels"]]


@pytest.mark.parametrize(
    ("algorithm", "said"),
    [
        ({"name": "optimal", "blind": True, "masked": True}, "with blind expected suppressed: drop"),
        ({"name": "mondrian", "blind": True}, "blind does not go with name: mondrian"),
        ({"name": "optimal", "reserve": 1}, "reserve goes with blind: true"),
        ({"name": "optimal", "blind": True, "reserve": "101%"}, "at most 100%"),
    ],
)
def test_what_does_not_go_together_is_refused(folder: Path, algorithm: dict[str, Any], said: str) -> None:
    case = ModelTable((("x1", "u", "1", None),), 1, 0, (), False)
    masked = algorithm.pop("masked", False)
    with pytest.raises(ConfigurationError, match=said):
        kanon_sql.run(case.config(folder, algorithm=algorithm, release={"suppressed": "mask" if masked else "drop"}))
