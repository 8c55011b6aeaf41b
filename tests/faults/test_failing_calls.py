"""Single system calls that fail, or that a signal comes upon: nothing stays, and what was said is true."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from ended import calling
from ledger_jobs import HEAD, configuration, entries, table
from table_files import write_csv

import kanon_sql
from kanon_sql import api
from kanon_sql.cli.main import cli
from kanon_sql.errors import EngineError, InterruptedRunError
from kanon_sql.ledger.ledger import Ledger, open_ledger
from kanon_sql.sql import disk, signals
from kanon_sql.sql.disk import spill_folder
from kanon_sql.targets import staging_names, staging_permissions
from kanon_sql.targets.staging import stage_file
from kanon_sql.targets.staging_permissions import beside, write_output

pytestmark = pytest.mark.usefixtures("handlers")


class Calls:
    """A module of functions that stands in for `os` or `fcntl`; one of them does something else."""

    def __init__(self, module: Any, name: str, instead: Callable[..., Any]) -> None:
        self._module = module
        setattr(self, name, instead)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def failing(real: Callable[..., Any], number: int, *, done: bool = False) -> Callable[..., Any]:
    """Fails, once it is `done` where that is asked for."""

    def fails(*words: Any, **named: Any) -> Any:
        if done:
            real(*words, **named)
        raise OSError(number, os.strerror(number))

    return fails


def signalled(real: Callable[..., Any]) -> Callable[..., Any]:
    """A signal comes when the call has been made, before its caller goes on."""

    def came(*words: Any, **named: Any) -> Any:
        result = real(*words, **named)
        signal.raise_signal(signal.SIGINT)
        return result

    return came


def stage(folder: Path) -> None:
    with stage_file(folder / "out.csv", overwrite=True, place="here") as staged:
        staged.path.write_text("new")


def spill(folder: Path) -> None:
    with spill_folder(folder):
        pass


def output(folder: Path) -> None:
    write_output(folder / "report.json", "{}", "report")


@pytest.mark.parametrize(
    ("work", "module", "name", "real"),
    [
        (stage, staging_names, "open", os),
        (stage, staging_names, "flock", fcntl),
        (spill, disk, "open", os),
        (spill, disk, "flock", fcntl),
        (spill, disk, "mkdtemp", tempfile),
        (output, staging_permissions, "open", os),
        (output, staging_permissions, "flock", fcntl),
    ],
)
def test_a_signal_between_a_call_and_what_undoes_it_leaves_nothing(
    work: Callable[[Path], None], module: Any, name: str, real: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, real.__name__, Calls(real, name, signalled(getattr(real, name))))
    with pytest.raises(KeyboardInterrupt), signals.run_block():
        work(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_signals_wait_for_the_outermost_of_such_blocks() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), signals.run_block():
        with signals.postponed():
            with signals.postponed():
                signal.raise_signal(signal.SIGINT)
                done.append("inner")
            done.append("outer")
        done.append("behind")
    assert done == ["inner", "outer"]
    with signals.run_block(), signals.postponed():
        pass  # none is left over


@pytest.mark.parametrize("number", [errno.EIO, errno.EINTR, errno.ENOSPC])
def test_a_close_that_fails_behind_all_else_is_no_error(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (staging_names, disk):
        monkeypatch.setattr(module, "os", Calls(os, "close", failing(os.close, number, done=True)))
    stage(tmp_path)
    spill(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("module", "name"), [(os, "open"), (fcntl, "flock")])
def test_a_folder_for_spilled_data_that_cannot_be_locked_does_not_stay(
    module: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, module.__name__, Calls(module, name, failing(getattr(module, name), errno.ENOSPC)))
    with pytest.raises(EngineError, match="no folder for temporary data can be made"):
        spill(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_lock_file_does_not_stay_where_there_are_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging_names, "fcntl", Calls(fcntl, "flock", failing(fcntl.flock, errno.ENOLCK)))
    with pytest.raises(EngineError, match="takes no locks"):
        stage(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_output_of_a_killed_run_is_cleared_and_that_of_a_live_one_is_not(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    left = tmp_path / ".report.json.kanon-sql-out-0123456789abcdef.part"
    others = [
        tmp_path / ".report.json.kanon-sql-out-mine.part",
        tmp_path / ".other.json.kanon-sql-out-0123456789abcdef.part",
    ]
    for path in (left, *others):
        path.write_text("half")
    with beside(report) as (file, part):
        file.write(b"of another run")
        output(tmp_path)
        assert part.exists()
    assert sorted(tmp_path.iterdir()) == sorted([report, *others])
    assert report.read_text() == "{}"


def test_an_output_is_written_where_there_are_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging_permissions, "fcntl", Calls(fcntl, "flock", failing(fcntl.flock, errno.ENOLCK)))
    output(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_an_output_that_was_cleared_before_it_was_locked_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Path] = []

    def late(*words: Any) -> None:
        if not taken:
            taken.extend(tmp_path.iterdir())
            taken[0].unlink()
        fcntl.flock(*words)

    monkeypatch.setattr(staging_permissions, "fcntl", Calls(fcntl, "flock", late))
    output(tmp_path)
    assert len(taken) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_the_longest_name_of_an_output_fits(tmp_path: Path) -> None:
    path = tmp_path / ("r" * 250 + ".json")
    write_output(path, "{}", "report")
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_csv(tmp_path / "source.csv", [HEAD, *table()])
    return tmp_path


def _broken_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine loses its connection to the ledger in the middle of a change, as when a write fails."""
    real, broken = Ledger._change, list[str]()

    def change(self: Ledger, statement: str, values: dict[str, Any]) -> None:
        if statement == name and not broken:
            broken.append(statement)
            if statement == "add":  # written, and not confirmed
                real(self, statement, values)
            self._engine.connection.close()
        real(self, statement, values)

    monkeypatch.setattr(Ledger, "_change", change)


def test_what_a_killed_run_left_of_a_new_ledger_is_cleared(tmp_path: Path) -> None:
    path = tmp_path / "ledger.duckdb"
    with open_ledger(path, "here", write=True):
        pass
    (tmp_path / ".ledger.duckdb.kanon-sql.lock").touch()
    (tmp_path / ".ledger.duckdb.kanon-sql-0123456789abcdef.part").touch()
    with open_ledger(path, "here", write=True) as ledger:
        assert ledger.entries() == []
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_ledger_whose_log_cannot_be_removed_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.unlink

    def unlink(self: Path, missing_ok: bool = False) -> None:
        if self.suffix == ".wal":
            raise InterruptedError(errno.EINTR, "Interrupted system call")
        real(self, missing_ok)

    monkeypatch.setattr(Path, "unlink", unlink)
    message = r"here: the ledger .*ledger\.duckdb cannot be made \(Interrupted system call\)"
    with pytest.raises(EngineError, match=message), open_ledger(tmp_path / "ledger.duckdb", "here", write=True):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_release_is_closed_by_a_new_connection_where_the_first_has_failed(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _broken_once("close", monkeypatch)
    report = kanon_sql.run(configuration(place), advice=False).report
    assert not any("stays open" in warning for warning in report["warnings"])
    assert [entry["state"] for entry in entries(place)] == ["released"]


@pytest.mark.slow
def test_a_release_that_was_recorded_without_a_word_of_that_is_taken_out_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _broken_once("add", monkeypatch)
    with pytest.raises(EngineError, match=r"the ledger .*ledger\.duckdb cannot be written"):
        kanon_sql.run(configuration(place), advice=False)
    assert entries(place) == []
    assert sorted(path.name for path in place.iterdir()) == ["ledger.duckdb", "source.csv"]


def test_an_interrupted_command_says_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(api, "list_releases", interrupted)
    ended = calling(capsys)("releases", "list", "ledger.duckdb")
    assert (ended.status, ended.err) == (130, "kanon-sql: error: interrupted: nothing was changed\n")
    assert isinstance(CliRunner().invoke(cli, ["releases", "list", "x"]).exception, InterruptedRunError)
