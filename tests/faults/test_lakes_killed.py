"""Runs in place in a lake that are killed; a short form of `scripts/faults lake`."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from lakes import PACKAGE
from places import ROOT


@pytest.mark.lake
@pytest.mark.skipif(find_spec(PACKAGE) is None, reason="No module named DuckLake: .[lake]")
@pytest.mark.slow
def test_killed_runs_leave_the_old_or_the_new_rows_and_in_the_end_no_raw_value(tmp_path: Path) -> None:
    seed = os.environ.get("KANON_SQL_TEST_SEED", "7")
    words = [sys.executable, str(ROOT / "scripts" / "faults"), "lake", "--kills", "4", "--seed", seed]
    ended = subprocess.run([*words, "--scratch", str(tmp_path)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    assert "kills 4" in ended.stdout and "raw values found 0, wrong 0" in ended.stdout
