"""Files that one environment wrote and another goes on with (`scripts/faults versions`), here one and the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from trials.versions import Environment, crossed


@pytest.mark.slow
def test_files_go_from_one_environment_to_the_other_and_back(tmp_path: Path) -> None:
    here = Environment(Path(sys.executable))
    assert crossed(here, here, tmp_path / "both") == 5
