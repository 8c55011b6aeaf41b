"""Replacing whole folders: contents, permissions, refusals, both ways of exchanging."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from shared_engine import shared

from kanon_sql.errors import EngineError, UnsettledError
from kanon_sql.targets import staging
from kanon_sql.targets.staging import stage_file, stage_folder


@pytest.fixture(params=["exchanged", "two renames"])
def hive(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A partitioned folder with permissions of its own."""
    if request.param == "two renames":
        monkeypatch.setattr(staging, "exchange", lambda *_: False)
    folder = tmp_path / "hive"
    for year, permissions in ((1, 0o640), (2, 0o600)):
        path = folder / f"year={year}" / "a.csv"
        path.parent.mkdir(parents=True)
        path.write_text("old")
        path.chmod(permissions)
        path.parent.chmod(0o750)
    folder.chmod(0o755)
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


def fill(folder: Path) -> None:
    for name in ("year=1/a.csv", "year=3/b=4/a.csv"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("new")


def test_a_folder_is_replaced_with_its_permissions(hive: Path) -> None:
    with stage_folder(hive, place="here") as staged:
        assert staged.path.parent == hive.parent
        assert staged.path.name.startswith(".")
        assert staged.path.stat().st_mode & 0o777 == 0o700
        fill(staged.path)
        staged.commit()
    assert contents(hive) == {"year=1/a.csv": "new", "year=3/b=4/a.csv": "new"}
    assert list(hive.parent.iterdir()) == [hive]
    modes = {str(p.relative_to(hive)): p.stat().st_mode & 0o777 for p in hive.rglob("*")}
    assert hive.stat().st_mode & 0o777 == 0o755
    # A file that is new gets the strictest mode of the old ones.
    assert modes["year=1/a.csv"] == 0o640
    assert modes["year=3/b=4/a.csv"] == 0o600
    assert {modes["year=1"], modes["year=3"], modes["year=3/b=4"]} == {0o750}


def test_without_commit_or_after_an_error_nothing_changes(hive: Path) -> None:
    before = contents(hive)
    with stage_folder(hive, place="here") as staged:
        fill(staged.path)
        (staged.path / "year=1").chmod(0o000)
    with pytest.raises(KeyboardInterrupt), stage_folder(hive, place="here") as staged:
        fill(staged.path)
        raise KeyboardInterrupt
    assert contents(hive) == before
    assert list(hive.parent.iterdir()) == [hive]


def test_an_interrupt_between_the_renames_restores_the_old_folder(hive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, rename = contents(hive), Path.rename

    def interrupted(self: Path, target: Path) -> Path:
        if self.suffix == ".ready":
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(staging, "exchange", lambda *_: False)
    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt), stage_folder(hive, place="here") as staged:
        fill(staged.path)
        staged.commit()
    assert contents(hive) == before
    assert list(hive.parent.iterdir()) == [hive]


def test_a_disk_that_fails_between_the_renames_loses_nothing(hive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, rename = contents(hive), Path.rename

    def full(self: Path, target: Path) -> Path:
        if self.suffix in (".ready", ".old"):
            raise OSError(28, "No space left on device")
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(staging, "exchange", lambda *_: False)
        patch.setattr(Path, "rename", full)
        failing = pytest.raises(UnsettledError, match=r"it is .*\.old now, whole; run again")
        with failing, stage_folder(hive, place="here") as staged:
            fill(staged.path)
            staged.commit()
    assert not hive.exists()
    (old,) = hive.parent.glob(".*.old")
    assert contents(old) == before
    staging.recover(hive, place="here")
    assert contents(hive) != before and contents(hive)
    assert list(hive.parent.iterdir()) == [hive]


def test_a_folder_that_changed_meanwhile_is_not_replaced(hive: Path) -> None:
    with (
        pytest.raises(EngineError, match="changed by another program"),
        stage_folder(hive, place="here") as staged,
    ):
        fill(staged.path)
        (hive / "year=2" / "late.csv").write_text("late")
        staged.commit()
    assert "year=2/late.csv" in contents(hive)
    assert list(hive.parent.iterdir()) == [hive]


def test_links_lead_to_the_folder_and_links_in_it_are_not_followed(hive: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.csv").write_text("kept")
    (hive / "year=9").symlink_to(outside)
    (tmp_path / "link").symlink_to("hive")
    with stage_folder(tmp_path / "link", place="here") as staged:
        with pytest.raises(EngineError, match="another run"), stage_folder(hive, place="other"):
            pass
        with pytest.raises(EngineError, match="another run"), stage_folder(hive / ".", place="other"):
            pass
        fill(staged.path)
        staged.commit()
    assert (tmp_path / "link").is_symlink()
    assert contents(hive) == {"year=1/a.csv": "new", "year=3/b=4/a.csv": "new"}
    assert contents(outside) == {"kept.csv": "kept"}


def test_an_old_folder_that_cannot_be_removed_is_told(hive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with stage_folder(hive, place="here") as staged:
        fill(staged.path)
        with monkeypatch.context() as patch:
            patch.setattr(staging, "discard", failing)
            with pytest.raises(EngineError, match="was replaced, but the old folder could not be removed"):
                staged.commit()
    assert set(contents(hive).values()) == {"new"}
    assert list(hive.parent.iterdir()) == [hive]  # a second attempt, at the end, succeeded


def test_the_engine_writes_partitions_and_globs_of_the_folder_do_not_find_them(hive: Path) -> None:
    with shared() as engine, stage_folder(hive, place="here") as staged:
        engine.execute(f"COPY (SELECT 5 AS year, 1 AS a) TO '{staged.path}' (FORMAT parquet, PARTITION_BY (year))")
        for pattern in ("*.parquet", "*/*.parquet"):
            counted = engine.execute("SELECT count(*) FROM glob(?)", [f"{hive.parent}/{pattern}"]).fetchall()
            assert counted == [(0,)]
        staged.commit()
        rows = engine.read_parquet(f"{hive}/*/*.parquet", hive_partitioning=True).fetchall()
    assert rows == [(1, 5)]


def test_a_file_takes_no_folders_place_and_leftovers_of_folders_are_removed(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    left = tmp_path / f".out.csv.kanon-sql-{'1' * 16}.part"
    (left / "sub").mkdir(parents=True)
    (left / "sub" / "x").write_text("raw")
    if os.geteuid() != 0:
        (left / "sub").chmod(0o500)
    with stage_file(target, overwrite=False, place="here") as staged:
        assert not left.exists()
        staged.commit()
    assert list(tmp_path.iterdir()) == [target]
