"""Replacing single files: links, refusals, exclusion and clearing up."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from places import ROOT

from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.targets import staging, staging_paths
from kanon_sql.targets.staging import stage_file, stage_folder


def write(target: Path, text: str = "new", *, overwrite: bool = True, **options: Any) -> None:
    with stage_file(target, overwrite=overwrite, place="here") as staged:
        staged.path.write_text(text)
        staged.commit(**options)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def make(path: Path, permissions: int, text: str = "old") -> Path:
    path.write_text(text)
    path.chmod(permissions)
    return path


def holder(target: Path, *, until: str = "sys.stdin.readline()") -> subprocess.Popen[str]:
    """Another process that holds the lock of a target; it has said so when this returns."""
    code = (
        "import sys; from pathlib import Path; from kanon_sql.targets.staging import stage_file\n"
        "with stage_file(Path(sys.argv[1]), overwrite=True, place='other') as staged:\n"
        f"    staged.path.write_text('half'); print('held', flush=True); {until}\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(target)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def test_without_commit_or_after_an_error_nothing_changes(tmp_path: Path) -> None:
    target = make(tmp_path / "out.csv", 0o644)
    with stage_file(target, overwrite=True, place="here") as staged:
        staged.path.write_text("new")
    with pytest.raises(KeyboardInterrupt), stage_file(target, overwrite=True, place="here") as staged:
        staged.path.with_name(staged.path.name + ".wal").write_text("")
        staged.path.with_name("tmp_" + staged.path.name).write_text("")
        raise KeyboardInterrupt
    assert target.read_text() == "old"
    assert names(tmp_path) == {"out.csv"}


def test_an_existing_target_is_refused_at_once(tmp_path: Path) -> None:
    target = make(tmp_path / "out.csv", 0o644)
    with pytest.raises(ConfigurationError, match=r"^here: .*exists already; .*overwrite: true") as caught:
        write(target, overwrite=False)
    assert caught.value.exit_status == 2
    assert target.read_text() == "old"


@pytest.mark.parametrize("without", ["", "_rename_with_flag", "_rename_with_flag _link_over"])
def test_a_target_that_appears_meanwhile_is_not_replaced(
    without: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in without.split():
        monkeypatch.setattr(staging_paths, name, lambda *_: False)
    target = tmp_path / "out.csv"
    with (
        pytest.raises(ConfigurationError, match="exists already"),
        stage_file(target, overwrite=False, place="here") as staged,
    ):
        target.write_text("appeared")
        staged.commit()
    assert target.read_text() == "appeared"
    assert names(tmp_path) == {"out.csv"}
    target.unlink()
    write(target, overwrite=False)
    assert target.read_text() == "new"
    assert target.stat().st_nlink == 1


def test_a_target_that_changes_meanwhile_is_not_replaced_when_asked(tmp_path: Path) -> None:
    target = make(tmp_path / "out.csv", 0o644)
    with (
        pytest.raises(EngineError, match="changed by another program"),
        stage_file(target, overwrite=True, place="here") as staged,
    ):
        target.write_text("old and a row")
        staged.commit(unchanged=True)
    assert target.read_text() == "old and a row"
    write(target, unchanged=True)
    assert target.read_text() == "new"


def test_another_file_of_the_same_size_and_time_is_not_replaced(tmp_path: Path) -> None:
    target, folder = make(tmp_path / "out.csv", 0o644), tmp_path / "folder"
    folder.mkdir()
    make(folder / "a.csv", 0o644)

    def change(path: Path) -> None:
        state = path.stat()
        successor = make(path.with_name("other"), 0o644, "OLD")
        os.utime(successor, ns=(state.st_atime_ns, state.st_mtime_ns))
        around = path.parent.stat()
        successor.replace(path)
        os.utime(path.parent, ns=(around.st_atime_ns, around.st_mtime_ns))

    with (
        pytest.raises(EngineError, match="changed by another program"),
        stage_file(target, overwrite=True, place="here") as staged,
    ):
        change(target)
        staged.commit(unchanged=True)
    with (
        pytest.raises(EngineError, match="changed by another program"),
        stage_folder(folder, place="here") as staged_folder,
    ):
        change(folder / "a.csv")
        staged_folder.commit()
    assert [target.read_text(), (folder / "a.csv").read_text()] == ["OLD", "OLD"]


def test_a_killed_run_that_made_a_database_leaves_nothing_to_the_next(tmp_path: Path) -> None:
    target = make(tmp_path / "out.duckdb", 0o600)
    with stage_file(target, overwrite=True, place="here", in_folder=True) as staged:
        left = tmp_path / f"{staged.path.parent.name[:-21]}{'0' * 16}.part"
        left.mkdir(mode=0o700)
        for name in ("written", "written.wal", "written.tmp"):
            (left / name).write_text("rows")
    assert not left.exists()
    left.mkdir()
    (left / "written").write_text("rows")
    staging.recover(target, place="here")
    assert names(tmp_path) == {"out.duckdb"}


def test_a_link_is_kept_and_its_file_replaced(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "link.csv"
    link.symlink_to("../data/out.csv")
    with pytest.raises(ConfigurationError, match="symbolic link to a file that is not there") as caught:
        write(link, "first", overwrite=False)
    assert caught.value.exit_status == 2
    make(tmp_path / "data" / "out.csv", 0o644)
    write(link, "second")
    assert link.is_symlink()
    assert (tmp_path / "data" / "out.csv").read_text() == "second"
    assert names(tmp_path / "links") == {"link.csv"}
    with pytest.raises(ConfigurationError, match="exists already"):
        write(link, overwrite=False)


def test_other_hard_links_are_counted_and_keep_the_old_contents(tmp_path: Path) -> None:
    target = make(tmp_path / "out.csv", 0o644)
    os.link(target, tmp_path / "other.csv")
    with stage_file(target, overwrite=True, place="here") as staged:
        assert staged.other_links == 1
        staged.path.write_text("new")
        staged.commit()
    assert target.read_text() == "new"
    assert (tmp_path / "other.csv").read_text() == "old"


def test_two_runs_on_one_target_exclude_each_other(tmp_path: Path) -> None:
    target, link = make(tmp_path / "out.csv", 0o644), tmp_path / "link.csv"
    link.symlink_to(target)
    child = holder(target)
    for path in (target, link, tmp_path / "." / "out.csv"):
        with pytest.raises(EngineError, match="another run is writing this target") as caught:
            write(path)
        assert caught.value.exit_status == 3
    with pytest.raises(EngineError, match="another run is writing this target"):
        staging.recover(target, place="here")
    write(tmp_path / "other.csv")  # other targets of the folder are free
    child.communicate("\n")
    assert child.returncode == 0
    write(target)
    assert target.read_text() == "new"
    assert names(tmp_path) == {"out.csv", "other.csv", "link.csv"}


def test_a_killed_run_is_cleared_up_after_by_the_next_on_its_target_only(tmp_path: Path) -> None:
    targets = [tmp_path / "a", tmp_path / "a.kanon-sql-b"]
    for target in targets:
        child = holder(target)
        child.send_signal(signal.SIGKILL)
        child.communicate()
    left = names(tmp_path)
    assert len(left) == 4  # two locks, two parts
    staging.recover(targets[0], place="here")
    assert names(tmp_path) == {name for name in left if name.startswith(".a.kanon-sql-b.kanon-sql")}
    write(targets[1])
    assert names(tmp_path) == {"a.kanon-sql-b"}


@pytest.mark.slow
def test_locks_pass_from_run_to_run_without_overlap(tmp_path: Path) -> None:
    """Many processes increment one number under the lock: removing lock files must not lose any."""
    target = make(tmp_path / "out.csv", 0o644, "0")
    code = (
        "import sys; from pathlib import Path; from kanon_sql.errors import EngineError\n"
        "from kanon_sql.targets.staging import stage_file\n"
        "target, done = Path(sys.argv[1]), 0\n"
        "while done < 40:\n"
        "    try:\n"
        "        with stage_file(target, overwrite=True, place='x') as staged:\n"
        "            staged.path.write_text(str(int(target.read_text()) + 1)); staged.commit(); done += 1\n"
        "    except EngineError as error:\n"
        "        assert 'another run' in str(error), error\n"
    )
    command = [sys.executable, "-c", code, str(target)]
    children = [
        subprocess.Popen(command, env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])})
        for _ in range(4)
    ]
    assert [child.wait() for child in children] == [0] * 4
    assert target.read_text() == "160"
    assert names(tmp_path) == {"out.csv"}


def test_the_engine_writes_into_the_private_file_and_no_glob_finds_it(tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    with duckdb.connect() as engine, stage_file(target, overwrite=False, place="here") as staged:
        engine.execute(f"COPY (SELECT 42 AS a) TO '{staged.path}' (FORMAT parquet, USE_TMP_FILE false)")
        assert mode(staged.path) == 0o600
        assert names(tmp_path) == {staged.path.name, ".out.parquet.kanon-sql.lock"}
        for pattern in ("*.parquet", "*.csv", "*.parquet*", "**/*.parquet", "[a-z]*"):
            counted = engine.execute("SELECT count(*) FROM glob(?)", [f"{tmp_path}/{pattern}"]).fetchall()
            assert counted == [(0,)] or pattern == "*.parquet*"
        assert not [*tmp_path.glob("*.parquet"), *tmp_path.glob("*.csv")]
        staged.commit()
        assert engine.read_parquet(str(target)).fetchall() == [(42,)]


@pytest.mark.parametrize("name", ["n" * 250, "ä" * 125 + "n", "n" * 255, "n" * 213, "n" * 214, "\udcff" * 240])
def test_long_names_leave_room_for_the_temporary_ones(name: str, tmp_path: Path) -> None:
    if sys.platform == "darwin" and "\udcff" in name:
        name = "n" * 240  # macOS takes no names that are not Unicode
    target, child = tmp_path / name, None
    with stage_file(target, overwrite=False, place="here") as staged:
        assert all(len(os.fsencode(path)) <= 255 for path in names(tmp_path))
        for beside in (staged.path.name + ".wal", "tmp_" + staged.path.name):
            (tmp_path / beside).write_text("")
        with pytest.raises(EngineError, match="another run"):
            write(target)
        staged.commit()
    child = holder(target)
    child.kill()
    child.communicate()
    write(target)
    assert names(tmp_path) == {name}
    shutil.rmtree(tmp_path)
