"""Disks that are full, have no inodes left or are read-only: see `scripts/faults disks`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from effort import some
from trials import disks
from trials.disks_jobs import SCENARIOS
from trials.disks_worker import Trials

from kanon_sql.errors import EngineError
from kanon_sql.sql import disk
from kanon_sql.sql.disk import spill_folder

NOBODY = 65534
mounted = [pytest.mark.tool, pytest.mark.skipif(bool(disks.missing()), reason=disks.missing() or "there are mounts")]
BOUNDED = [name for name, scenario in SCENARIOS.items() if scenario.places != ("temp",) and not scenario.options]


@pytest.mark.slow
@pytest.mark.parametrize("bounded", some([(name, n) for name in BOUNDED for n in (4096, 0, 65536, 300_000)], few=1))
def test_no_file_gets_longer(tmp_path: Path, bounded: tuple[str, int]) -> None:
    """A bound on the length of files needs no rights; the engine and Python fail by it as on a full disk."""
    name, length = bounded
    outcome = Trials.of(SCENARIOS[name], "all", "length", tmp_path).trial(length)
    assert not outcome["lost"], outcome
    assert outcome["status"] == 3 or length > 4096


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "place", "kind"), [pytest.param(*pair, marks=mounted, id="-".join(pair)) for pair in disks.pairs()]
)
def test_small_disks(scenario: str, place: str, kind: str) -> None:
    outcomes = disks.trials(scenario, place, kind, steps=1 if SCENARIOS[scenario].options else 4)
    assert not [outcome for outcome in outcomes if outcome["lost"]]
    statuses = {outcome["status"] for outcome in outcomes}
    assert 3 in statuses
    assert 0 in statuses or kind == "read-only"


def test_folder_for_temporary_data_is_not_writable(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    own = os.geteuid()
    if own == 0:
        os.seteuid(NOBODY)  # root may write everywhere
    try:
        with pytest.raises(EngineError, match=f"{tmp_path}: .*--temp-directory"), spill_folder(tmp_path):
            pass
    finally:
        os.seteuid(own)


@pytest.mark.parametrize(
    ("said", "full"),
    [
        (
            'IO Error: Async write failed: {"exception_message":"Could not write file '
            r'\"/data/.out.csv.kanon-sql-0a1b.part\": No space left on device","errno":"28"}',
            "/data: no room to write (No space left on device); free some space there, or name another place",
        ),
        (
            'IO Error: Failed to create directory "/data/.out.kanon-sql-0a1b.part/ward=A": No space left on device',
            "/data: no room to write (No space left on device); free some space there, or name another place",
        ),
        (
            'IO Error: Could not write file "/tmp/kanon-sql-spill-x/duckdb_temp": Disk quota exceeded',
            "/tmp: no room for temporary data (Disk quota exceeded); name a larger --temp-directory",
        ),
        ("IO Error: File too large", "the disk is full (File too large); free some space, or name another place"),
        (
            'IO Error: Cannot open file "/data/people.duckdb": Read-only file system',
            "/data: nothing can be written (Read-only file system); make it writable, or name another place",
        ),
        ("IO Error: No such file", None),
    ],
)
def test_what_the_engine_says_of_a_full_disk(said: str, full: str | None) -> None:
    """By its folder: neither the hidden name, nor that of a partition, which is a value of the data."""
    assert disk.full(said) == full
