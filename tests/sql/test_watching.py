"""Files that change while a run reads them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tables import configuration, write

import kanon_sql
from kanon_sql.errors import EngineError, OutOfTimeError, VerificationError
from kanon_sql.ledger import recording
from kanon_sql.sql.watching import Watch, report_changed_files


def rewritten(folder: Path) -> None:
    path = folder / "a"
    before = path.stat()
    path.write_text("2")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "rewritten, with its old time": rewritten,
    "replaced": lambda folder: (folder / "b").replace(folder / "a"),
    "removed": lambda folder: (folder / "a").unlink(),
    "one more": lambda folder: (folder / "c").write_text("3"),
}


@pytest.mark.parametrize("how", CHANGES)
def test_what_changed_is_named(tmp_path: Path, how: str) -> None:
    for name in "ab":
        (tmp_path / name).write_text("1")
    watch = Watch()
    watch.add("here", tmp_path.iterdir)
    watch.require_unchanged()
    CHANGES[how](tmp_path)
    with pytest.raises(EngineError, match=rf"^here: {tmp_path}/[ac] was changed by another program during the run"):
        watch.require_unchanged()
    watch.forget()
    watch.require_unchanged()


@pytest.mark.parametrize(
    ("error", "expected", "changed"),
    [
        (VerificationError("rows differ"), VerificationError, True),
        (StopIteration(), EngineError, True),
        (OutOfTimeError("late"), OutOfTimeError, False),
    ],
)
def test_an_error_says_that_a_file_changed(
    tmp_path: Path, error: Exception, expected: type[Exception], changed: bool
) -> None:
    watch = Watch()
    watch.add("here", lambda: [tmp_path / "a"])
    with pytest.raises(type(error)) as as_it_was, report_changed_files(watch):
        raise error
    assert "was changed" not in str(as_it_was.value)
    (tmp_path / "a").touch()
    with pytest.raises(expected) as caught, report_changed_files(watch):
        raise error
    assert ("was changed by another program" in str(caught.value)) is changed


@pytest.mark.few(1)
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_source_that_changes_after_the_last_reading_is_not_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dry_run: bool
) -> None:
    path, successor = write(tmp_path / "people.csv"), write(tmp_path / "other.csv", rows=301)
    called = "rehearse" if dry_run else "put_in_place"
    original = getattr(recording, called)

    def late(*given: object) -> None:
        successor.replace(path)
        original(*given)

    monkeypatch.setattr(f"kanon_sql.commands.run.pipeline.{called}", late)
    with pytest.raises(EngineError, match=r"people\.csv was changed by another program") as caught:
        kanon_sql.run(configuration(str(path), {"path": str(tmp_path / "out.csv")}), dry_run=dry_run)
    assert caught.value.exit_status == 3
    assert [path_left.name for path_left in tmp_path.iterdir()] == ["people.csv"]
