"""Folders for temporary data that killed runs left."""

from __future__ import annotations

import os
import time
from pathlib import Path

from kanon_sql.sql.disk import spill_folder


def test_empty_folders_without_a_lock_go_once_they_are_old(tmp_path: Path) -> None:
    old, young, full = (tmp_path / f"kanon-sql-spill-{name}" for name in ("old", "young", "full"))
    for folder in (old, young, full):
        folder.mkdir()
    (full / "somebody's").write_text("data")
    for folder in (old, full):
        os.utime(folder, (time.time() - 600, time.time() - 600))
    with spill_folder(tmp_path) as spill:
        assert set(tmp_path.iterdir()) == {young, full, spill}
    assert (full / "somebody's").read_text() == "data"
