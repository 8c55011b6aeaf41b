"""Kills a run at each of its system calls, or lets the call fail: what it and the next run leave.

Run as a script, this file is the driver: it forks a child for each moment.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from places import ROOT

from kanon_sql.errors import EngineError, KanonError
from kanon_sql.targets import staging, staging_paths
from kanon_sql.targets.staging_paths import exchange

# Calls that reach no file.
PURE = {"fspath", "fsencode", "_path_normpath", "getcwd", "geteuid", "getpid", "umask"}
MAY_FAIL = {"open", "fsync", "rename", "replace", "link", "mkdir", "fchmod", "rmdir", "unlink", "flock"}
OLD_FILE, NEW_FILE = "old\n" * 1000, "new\n" * 900
OLD_FOLDER = {"year=1/a.parquet": "old 1", "year=2/a.parquet": "old 2", "_SUCCESS": ""}
NEW_FOLDER = {"year=1/a.parquet": "new 1", "year=3/deep=4/a.parquet": "new 3"}


def write_folder(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def state(target: Path) -> str:
    """old, new, missing, or anything else for a broken one."""
    if not os.path.lexists(target):
        return "missing"
    if target.is_file():
        return {OLD_FILE: "old", NEW_FILE: "new"}.get(target.read_text(), "broken")
    content = {str(p.relative_to(target)): p.read_text() for p in target.rglob("*") if p.is_file()}
    private = target.stat().st_mode & 0o077 == 0
    return "old" if content == OLD_FOLDER else "new" if content == NEW_FOLDER and not private else "broken"


@contextmanager
def writing() -> Iterator[None]:
    """As the engine does, which tells its own failures."""
    try:
        yield
    except OSError as error:
        raise EngineError(f"not written ({error.strerror})") from None


def run_file(target: Path, *, overwrite: bool) -> None:
    with staging.stage_file(target, overwrite=overwrite, place="here") as staged:
        with writing():
            staged.path.write_text(NEW_FILE)
        staged.commit()


def run_folder(target: Path) -> None:
    staging.recover(target, place="here")
    with staging.stage_folder(target, place="here") as staged:
        with writing():
            write_folder(staged.path, NEW_FOLDER)
        staged.commit()


def abandon(target: Path) -> None:
    """The next run: it begins and ends without a commit."""
    staging.recover(target, place="here")
    if target.is_dir():
        with staging.stage_folder(target, place="here"):
            pass
    elif target.exists():
        with staging.stage_file(target, overwrite=True, place="here"):
            pass
    else:
        with staging.stage_file(target, overwrite=False, place="here"):
            pass


def unsupported(*_: Any) -> bool:
    return False


def prepare(scenario: str, folder: Path) -> Callable[[Path], None]:
    """Makes the old target, where the scenario has one; returns what runs."""
    target = folder / "target.csv"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if scenario.startswith("folder"):
        write_folder(target, OLD_FOLDER)
        if scenario == "folder-two-renames":
            vars(staging)["exchange"] = unsupported
        return run_folder
    if scenario == "file-replaced":
        target.write_text(OLD_FILE)
        return partial(run_file, overwrite=True)
    if scenario == "file-new-linked":
        vars(exchange)["_rename_with_flag"] = unsupported
    return partial(run_file, overwrite=False)


def killed_at(moment: int, work: Callable[[], None]) -> bool:
    """Does the work in a child that dies at the given one of its moments; whether it came so far.

    Moments are before and after each call of the operating system; those through ctypes, which profilers do
    not see, are the functions of the module that has them.
    """
    child = os.fork()
    if child == 0:
        left = [moment]

        def profile(frame: FrameType, event: str, argument: object) -> None:
            name, module = getattr(argument, "__name__", ""), getattr(argument, "__module__", None)
            by_ctypes = event in ("call", "return") and frame.f_code.co_filename == staging_paths.__file__
            if by_ctypes or (event.startswith("c_") and module in ("posix", "fcntl") and name not in PURE):
                left[0] -= 1
            if left[0] < 0:
                kill(os.getpid(), signal.SIGKILL)

        kill = os.kill
        sys.setprofile(profile)
        work()
        sys.setprofile(None)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or status == 0, status
    return os.WIFSIGNALED(status)


def failing_at(moment: int, work: Callable[[], None]) -> bool | None:
    """Does the work with a disk full at one call; whether it said so, None when it came to its end."""
    left = [moment]

    def profile(frame: FrameType, event: str, argument: object) -> None:
        by_ctypes = event == "call" and frame.f_code.co_name in ("_linux_call", "_macos_call")
        if by_ctypes or (event == "c_call" and getattr(argument, "__name__", "") in MAY_FAIL):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # which ends the profiling, too

    sys.setprofile(profile)
    try:
        work()
    except EngineError as error:
        assert os.strerror(errno.ENOSPC) in str(error), error
        return True
    finally:
        sys.setprofile(None)
    return None if left[0] >= 0 else False


def drive_failures(scenario: str, folder: Path) -> dict[str, int]:
    seen: Counter[str] = Counter()
    said: bool | None = False
    moment = 0
    prepare(scenario, folder)(folder / "target.csv")
    while said is not None:
        work = prepare(scenario, folder)
        target = folder / "target.csv"
        said = failing_at(moment, partial(work, target))
        after = state(target)
        abandon(target)
        assert state(target) == after, moment
        assert {p.name for p in folder.iterdir()} <= {"target.csv"}, moment
        seen[f"{after}, {said}"] += 1
        moment += 1
    return dict(seen)


def drive(scenario: str, folder: Path) -> dict[str, int]:
    seen: Counter[str] = Counter()
    prepare(scenario, folder)(folder / "target.csv")  # imports and caches are warm after this
    moment, alive = 0, True
    while alive:
        work = prepare(scenario, folder)
        target = folder / "target.csv"
        alive = killed_at(moment, partial(work, target))
        after_kill = state(target)
        if moment % 7 == 0:  # the next run may be killed as well
            killed_at(moment // 2, partial(abandon, target))
        abandon(target)
        settled = state(target)
        assert settled == after_kill or (scenario, after_kill) == ("folder-two-renames", "missing"), moment
        assert {p.name for p in folder.iterdir()} <= {"target.csv"}, moment
        seen[f"{after_kill} -> {settled}"] += 1
        moment += 1
    return dict(seen)


KILLED = {
    "file-replaced": {"old -> old", "new -> new"},
    "file-new": {"missing -> missing", "new -> new"},
    "file-new-linked": {"missing -> missing", "new -> new"},
    "folder-exchanged": {"old -> old", "new -> new"},
    "folder-two-renames": {"old -> old", "missing -> new", "new -> new"},
}


def driven(mode: str, scenario: str, folder: Path) -> dict[str, int]:
    if scenario == "folder-exchanged" and not exchange_works(folder):
        pytest.skip("this file system cannot exchange folders")
    done = subprocess.run(
        [sys.executable, "-W", "error", __file__, mode, scenario, str(folder / "work")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen: dict[str, int] = json.loads(done.stdout)
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("scenario", KILLED)
def test_a_run_killed_at_any_moment_leaves_old_or_new(scenario: str, tmp_path: Path) -> None:
    seen = driven("kill", scenario, tmp_path)
    assert set(seen) == KILLED[scenario]
    assert sum(seen.values()) > 50


@pytest.mark.slow
@pytest.mark.parametrize("scenario", KILLED)
def test_a_call_that_fails_leaves_old_or_new_and_is_told(scenario: str, tmp_path: Path) -> None:
    seen = driven("fail", scenario, tmp_path)
    before = "missing" if scenario.startswith("file-new") else "old"
    # After the move only the folder's fsync and the old folder's removal are told, not the clearing up.
    assert set(seen) <= {f"{before}, True", "new, True", "new, False", "new, None"}
    assert {f"{before}, True", "new, True", "new, None"} <= set(seen)


def exchange_works(folder: Path) -> bool:
    first, second = folder / "one", folder / "other"
    first.mkdir()
    second.mkdir()
    return staging_paths.exchange(first, second)


def test_something_put_between_the_two_renames_is_never_removed(tmp_path: Path) -> None:
    target = tmp_path / "t"
    write_folder(target, {"foreign": "x"})
    old, ready = tmp_path / f".t.kanon-sql-{'0' * 16}.old", tmp_path / f".t.kanon-sql-{'0' * 16}.ready"
    write_folder(old, OLD_FOLDER)
    write_folder(ready, NEW_FOLDER)
    with pytest.raises(KanonError, match="another program put something there") as caught:
        run_folder(target)
    assert caught.value.exit_status == 3
    assert (target / "foreign").exists()
    assert (state(old), state(ready)) == ("old", "new")


def test_an_old_folder_moved_aside_alone_comes_back(tmp_path: Path) -> None:
    target = tmp_path / "t"
    write_folder(tmp_path / f".t.kanon-sql-{'0' * 16}.old", OLD_FOLDER)
    staging.recover(target, place="here")
    assert state(target) == "old"
    assert list(tmp_path.iterdir()) == [target]


if __name__ == "__main__":
    driver = drive if sys.argv[1] == "kill" else drive_failures
    print(json.dumps(driver(sys.argv[2], Path(sys.argv[3]))))
