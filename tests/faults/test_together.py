"""Runs beside each other, beside readers, beside a program that changes what they read (`scripts/faults together`)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from places import SCRIPTS
from trials import together_source
from trials.together_runs import Round
from trials.together_source import CASES, LostError

KINDS = (
    "csv appended",
    "csv replaced, near, counts",
    "folder, file replaced",
    "database replaced",
    "shared table updated",
)
MORE = sorted(set(CASES) - set(KINDS))
ROUNDS = [
    Round("csv", "parquet", 8),
    Round("table", "database", 8, killed=3),
    Round("own files", "csv", 8, killed=3),
    Round("own files", "database", 8, "threads"),
    Round("table, kept file", "csv", 6, "threads"),
    Round("in place", "folder", 8, killed=3),
    Round("in place", "database", 6),
    Round("parquet", "csv", 3, "commands"),
]


def changed_within(kind: str, folder: Path, seed: int, parts: int) -> set[str]:
    """How runs end whose source is changed at so many moments, from their first statement to their last."""
    folder.mkdir()
    _, whole = together_source.trial(kind, folder, seed, 10**6)
    outcomes = set()
    for part in range(parts):
        place = folder.with_name(f"{folder.name}{part}")
        place.mkdir()
        outcomes.add(together_source.trial(kind, place, seed, whole * part // parts)[0])
    return outcomes


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_a_source_that_changes_is_released_as_it_was_at_one_moment_or_not_at_all(kind: str, tmp_path: Path) -> None:
    outcomes = changed_within(kind, tmp_path / "at", 7, 8)
    assert any(outcome.startswith("refused, told") for outcome in outcomes)
    assert "released, state b" in outcomes


@pytest.mark.parametrize("kind", MORE)
@pytest.mark.slow
def test_other_sources_and_searches_are_no_other(kind: str, tmp_path: Path) -> None:
    assert changed_within(kind, tmp_path / "at", 8, 5)


def test_a_release_of_two_states_would_be_found() -> None:
    states = together_source.both(1, 120, near=True)
    mixed = states["a"][:60] + states["b"][60:]
    released = [dict(zip(together_source.HEAD, row, strict=True)) for row in mixed]
    with pytest.raises(LostError, match="classes of fewer"):
        together_source.judge_rows(states, released, 120)
    hidden = [{**row, **dict.fromkeys(together_source.QUASI[:2], "*"), "zip": "021**"} for row in released]
    with pytest.raises(LostError, match="no state"):
        together_source.judge_rows(states, hidden, 120)
    whole = [
        {**row_before, "state": "a", "diagnosis": row[5]} for row_before, row in zip(hidden, states["a"], strict=True)
    ]
    assert together_source.judge_rows(states, whole, 120) == "a"


def in_a_process(*words: str) -> str:
    """The command of the trials: what forks must have no threads, as the processes of tests do."""
    command = [sys.executable, str(SCRIPTS / "faults"), "together", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(ROUNDS)), ids=[str(plan) for plan in ROUNDS])
def test_of_runs_at_once_each_ends_in_a_documented_way(number: int) -> None:
    plan = ROUNDS[number]
    words = ["--target", plan.target, "--source", plan.source, "--mode", plan.mode, "--killed", str(plan.killed)]
    output = in_a_process("--part", "runs", "--rounds", "1", "--runs", str(plan.runs), *words)
    assert "released" in output


@pytest.mark.slow
def test_readers_see_one_release_or_the_next() -> None:
    output = in_a_process("--part", "readers", "--runs", "3")
    assert output.count("a release as a whole") == 6
