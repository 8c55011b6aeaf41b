"""What cannot be replaced is said at once, as an ordinary user too; and which paths are one file."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import ROOT

from kanon_sql.errors import ConfigurationError, EngineError, KanonError
from kanon_sql.targets import staging, staging_names, staging_paths
from kanon_sql.targets.staging import stage_file, stage_folder
from kanon_sql.targets.staging_paths import inside, same_file


def refusal(target: Path) -> KanonError:
    with pytest.raises(KanonError) as caught, stage_file(target, overwrite=True, place="run.yaml:3"):
        raise AssertionError("not refused")
    assert str(caught.value).startswith("run.yaml:3: ")
    assert "\n" not in str(caught.value)
    return caught.value


def test_impossible_targets_are_wrong_usage(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling.csv").symlink_to("nowhere/out.csv")
    (tmp_path / "folder").mkdir()
    (tmp_path / "stdout").symlink_to("/dev/stdout")
    cases = {
        tmp_path / "folder": "is a folder",
        tmp_path: "is a folder",
        Path("/"): "root of all folders",
        tmp_path / "pipe": "device or a pipe",
        Path("/dev/stdout"): "device or a pipe",
        Path("/dev/null"): "device or a pipe",
        Path("/dev/fd/1"): "device or a pipe",
        tmp_path / "loop": "loop of symbolic links",
        tmp_path / ("n" * 256): "too long",
        tmp_path / "a\0b": "NUL",
        tmp_path / "dangling.csv": "symbolic link to a file that is not there",
    }
    for target, words in cases.items():
        error = refusal(target)
        assert isinstance(error, ConfigurationError), target
        assert words in str(error)


def test_missing_folders_are_failures_of_the_target(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for target, words in {
        tmp_path / "no" / "out.csv": "does not exist; make it",
        tmp_path / "file" / "out.csv": "Not a directory",
    }.items():
        error = refusal(target)
        assert isinstance(error, EngineError), target
        assert words in str(error)
    assert {path.name for path in tmp_path.iterdir()} == {"file"}


def test_a_folder_without_locks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(staging_names.fcntl, "flock", no_locks)  # type: ignore[attr-defined]
    assert "takes no locks" in str(refusal(tmp_path / "out.csv"))


def test_folders_that_cannot_be_replaced_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for target, words in {
        tmp_path / "file": "not an existing folder",
        tmp_path / "no": "not an existing folder",
    }.items():
        with pytest.raises(EngineError, match=words), stage_folder(target, place="here"):
            raise AssertionError("not refused")
    assert {path.name for path in tmp_path.iterdir()} == {"file"}
    with (
        pytest.raises(ConfigurationError, match="root of all folders"),
        stage_folder(Path("/"), place="here"),
    ):
        raise AssertionError("not refused")


def test_mount_points_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_mount", lambda _: True)
    with pytest.raises(EngineError, match="mount point"), stage_folder(tmp_path, place="here"):
        raise AssertionError("not refused")
    with pytest.raises(EngineError, match="mount point"):
        staging._require_removable(tmp_path, tmp_path.lstat(), -1, "here")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach, as tmp_path is not, belonging to the ordinary user of the tests."""
    folder = Path(tempfile.mkdtemp(prefix="kanon-sql-test-")).resolve()
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
    folder.chmod(0o755)
    yield folder
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(0o700)
    shutil.rmtree(folder)


AS_USER = """
import ctypes, os, sys
from pathlib import Path
from kanon_sql.errors import EngineError
from kanon_sql.targets.staging import recover, stage_file, stage_folder

folder = Path(sys.argv[1])
if os.geteuid() == 0:
    for name, mode in (("foreign.csv", 0o664), ("private.csv", 0o660)):
        (folder / name).write_text("root's")
        (folder / name).chmod(mode)
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
else:
    for name, mode in (("foreign.csv", 0o644), ("private.csv", 0o600)):
        (folder / name).write_text("own")
        (folder / name).chmod(mode)

def write(target):
    with stage_file(target, overwrite=True, place="here") as staged:
        staged.path.write_text("new")
        staged.commit()

def refused(work, words):
    try:
        work()
    except EngineError as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)

for name, mode in (("foreign.csv", 0o644), ("private.csv", 0o600)):
    write(folder / name)
    state = (folder / name).stat()
    assert (state.st_uid, state.st_mode & 0o777) == (os.geteuid(), mode), oct(state.st_mode)

closed = folder / "closed"
closed.mkdir()
(closed / "out.csv").write_text("old")
closed.chmod(0o555)
refused(lambda: write(closed / "out.csv"), "nothing can be written in the folder")
recover(closed / "out.csv", place="here")
closed.chmod(0o000)
refused(lambda: write(closed / "out.csv"), "Permission denied")

blind = folder / "blind"  # may be written, not listed
blind.mkdir(mode=0o300)
write(blind / "out.csv")
assert (blind / "out.csv").read_text() == "new"

hive = folder / "hive"
(hive / "year=1").mkdir(parents=True)
(hive / "year=1" / "a").write_text("old")
(hive / "year=1").chmod(0o555)
hive.chmod(0o555)
with stage_folder(hive, place="here") as staged:
    (staged.path / "year=2").mkdir()
    (staged.path / "year=2" / "a").write_text("new")
    staged.commit()
assert [str(p.relative_to(hive)) for p in sorted(hive.rglob("*"))] == ["year=2", "year=2/a"]
assert (hive.stat().st_mode & 0o777, (hive / "year=2").stat().st_mode & 0o777) == (0o555, 0o555)
print(sorted(p.name for p in folder.iterdir()))
"""


def test_as_an_ordinary_user(open_folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", AS_USER, str(open_folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['blind', 'closed', 'foreign.csv', 'hive', 'private.csv']\n"


def test_same_file_sees_through_every_kind_of_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, folder = tmp_path / "one.csv", tmp_path / "folder"
    file.write_text("")
    folder.mkdir()
    (tmp_path / "two.csv").write_text("")
    os.link(file, tmp_path / "hard.csv")
    (tmp_path / "soft.csv").symlink_to("one.csv")
    (tmp_path / "way").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    for name in ("one.csv", "hard.csv", "soft.csv", "folder/../one.csv", "way/../one.csv"):
        assert same_file(file, Path(name))
    assert not same_file(file, Path("two.csv"))
    assert same_file(folder / "none.csv", Path("way/none.csv"))
    assert not same_file(folder / "none.csv", tmp_path / "none.csv")
    assert not same_file(folder / "none.csv", file)
    assert not same_file(file, Path("a\0b"))
    insensitive = (tmp_path / "ONE.csv").exists()
    assert same_file(file, tmp_path / "ONE.csv") == insensitive
    assert same_file(folder / "none.csv", folder / "NONE.csv") == insensitive


def test_same_file_minds_folders_that_ignore_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging_paths, "_ignores_case", lambda _: True)
    assert same_file(tmp_path / "none.csv", tmp_path / "NONE.CSV")
    assert same_file(tmp_path / "n\u00e9.csv", tmp_path / "ne\u0301.csv")
    assert not same_file(tmp_path / "none.csv", tmp_path / "other.csv")


def test_inside(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "way").symlink_to(folder)
    assert inside(folder / "a" / "b.csv", folder)
    assert inside(tmp_path / "way" / "b.csv", folder)
    assert inside(folder / "b.csv", tmp_path / "way")
    assert inside(folder, folder)
    assert not inside(folder / ".." / "b.csv", folder)
    assert not inside(tmp_path / "folder2" / "b.csv", folder)
    assert not inside(tmp_path, folder)
