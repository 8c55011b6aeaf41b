"""Folders of this machine that Spark writes: hidden until they are in place, one run at a time, permissions kept."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import kanon_sql.engines.spark.target as module
from kanon_sql.engines.spark.target import _Local
from kanon_sql.errors import EngineError
from kanon_sql.sql import signals
from kanon_sql.targets.staging_names import NoLocksError, leftovers, lock_path, new_part


def staged(path: Path, text: str, *, overwrite: bool = True) -> tuple[_Local, str]:
    """A folder that is written, and where."""
    folder = _Local(path, "target", overwrite=overwrite)
    beside = folder.beside()
    Path(beside).mkdir()
    Path(beside, "part-0").write_text(text, encoding="utf-8")
    return folder, beside


def visible(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def test_nothing_is_seen_until_the_release_is_in_place(tmp_path: Path) -> None:
    path = tmp_path / "out"
    for text in ("first", "second"):
        before = visible(tmp_path)
        folder, beside = staged(path, text)
        assert visible(tmp_path) == before
        folder.put(beside)
        folder.withdraw()
        assert (path / "part-0").read_text(encoding="utf-8") == text
        assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_run_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    folder, beside = staged(tmp_path / "out", "first")
    folder.put(beside)
    folder.withdraw()
    folder, _ = staged(tmp_path / "out", "second")
    folder.withdraw()
    assert (tmp_path / "out" / "part-0").read_text(encoding="utf-8") == "first"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "out"
    left = new_part(path)
    (left / "written" / "_temporary").mkdir(parents=True)
    lock_path(path).touch()
    folder, beside = staged(path, "next")
    assert not left.exists()
    folder.put(beside)
    folder.withdraw()
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_a_process_that_is_ended_removes_what_it_began(tmp_path: Path) -> None:
    folder, _ = staged(tmp_path / "out", "begun")
    assert leftovers(tmp_path / "out")
    for clean in reversed(signals._cleanings):
        clean()
    assert list(tmp_path.iterdir()) == []
    folder.withdraw()
    assert not signals._cleanings


def test_one_run_at_a_time_writes_a_folder(tmp_path: Path) -> None:
    folder, beside = staged(tmp_path / "out", "first")
    with pytest.raises(EngineError, match="another run is writing this target"):
        _Local(tmp_path / "out", "target", overwrite=True).beside()
    folder.put(beside)
    folder.withdraw()
    staged(tmp_path / "out", "second")[0].withdraw()


def test_a_folder_that_was_made_meanwhile_stays(tmp_path: Path) -> None:
    folder, beside = staged(tmp_path / "out", "new", overwrite=False)
    (tmp_path / "out").mkdir()
    with pytest.raises(EngineError, match="was made meanwhile"):
        folder.put(beside)
    folder.withdraw()
    assert list((tmp_path / "out").iterdir()) == []


def test_a_folder_that_only_its_owner_may_read_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.mkdir()
    (path / "old").touch()
    (path / "old").chmod(0o600)
    path.chmod(0o700)
    folder, beside = staged(path, "new")
    assert stat.S_IMODE(Path(beside).parent.stat().st_mode) == 0o700
    folder.put(beside)
    folder.withdraw()
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert stat.S_IMODE((path / "part-0").stat().st_mode) == 0o600


def test_a_link_to_a_folder_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real")
    folder, beside = staged(tmp_path / "out", "new")
    folder.put(beside)
    folder.withdraw()
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "real" / "part-0").read_text(encoding="utf-8") == "new"


def test_without_locks_a_run_warns_and_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def refused(*_: object) -> Iterator[None]:
        raise NoLocksError("no locks")
        yield

    monkeypatch.setattr(module, "target_lock", refused)
    left = new_part(tmp_path / "out")
    left.mkdir()
    folder, beside = staged(tmp_path / "out", "new")
    assert "takes no locks" in folder.warnings[0]
    folder.put(beside)
    folder.withdraw()
    assert left.exists()
    assert sorted(os.listdir(tmp_path)) == sorted([left.name, "out"])  # noqa: PTH208
