"""Whole runs of random cases, each judged by the bytes that it leaves; a judge that finds nothing is no judge."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from trials.judging import Ended, files, judge
from trials.making import Case, make
from trials.runs import merged, run, trial

RUNS, PIECE = 300, 10


def tried(first: int, count: int, folder: Path) -> None:
    losses = []
    for seed in range(first, first + count):
        place = folder / str(seed)
        place.mkdir()
        done = trial(seed, place)
        losses += [f"seed {seed}: {loss}" for loss in done.losses]
    assert not losses, "\n".join(losses)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, RUNS, PIECE))
def test_runs_of_random_cases_leave_what_they_must(first: int, tmp_path: Path) -> None:
    tried(first, PIECE, tmp_path)
