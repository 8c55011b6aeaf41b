"""Signals: at once while nothing is changed, and after the release is in its place told as what they are."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from importlib.machinery import ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import pytest
from ledger_jobs import HEAD, configuration, entries, table
from table_files import write_csv

import kanon_sql
from kanon_sql.errors import InterruptedRunError
from kanon_sql.ledger.ledger import Ledger
from kanon_sql.report import call
from kanon_sql.sql import signals
from kanon_sql.sql.connection import Engine
from kanon_sql.targets.files import FileSink

LONG = "SELECT count(*) AS q FROM range(300000) AS a, range(300000) AS b WHERE a.range * b.range % 7 = 3"
TOLD = f"kanon-sql: error: {signals.NOTHING_CHANGED}"
NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
pytestmark = pytest.mark.usefixtures("handlers")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_csv(tmp_path / "source.csv", [HEAD, *table()])
    return tmp_path


def after(patch: pytest.MonkeyPatch, owner: Any, name: str, number: int) -> None:
    """The process gets a signal when the function has returned."""
    real = getattr(owner, name)

    def wrapped(*words: Any, **named: Any) -> Any:
        result = real(*words, **named)
        os.kill(os.getpid(), number)
        time.sleep(0.01)
        return result

    patch.setattr(owner, name, wrapped)


@pytest.mark.few(2)
@pytest.mark.parametrize(("owner", "name"), [(FileSink, "written"), (Ledger, "entries"), (Ledger, "add")])
def test_before_the_swap_nothing_is_changed(
    owner: Any, name: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after(monkeypatch, owner, name, signal.SIGINT)
    with pytest.raises(InterruptedRunError, match="nothing was changed"):
        kanon_sql.run(configuration(place), report=place / "report.json")
    monkeypatch.undo()
    assert not (place / "release.csv").exists() and '"status": "failed"' in (place / "report.json").read_text()
    assert not [path for path in place.iterdir() if "kanon-sql" in path.name]
    assert not (place / "ledger.duckdb").exists() or entries(place) == []
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("owner", "name"), [(signals, "hold"), (FileSink, "commit"), (Ledger, "close"), (call, "write_json")]
)
def test_after_the_swap_the_end_says_so(owner: Any, name: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after(monkeypatch, owner, name, signal.SIGINT)
    with pytest.raises(InterruptedRunError, match="after the release was put in its place") as ended:
        kanon_sql.run(configuration(place), report=place / "report.json")
    monkeypatch.undo()
    assert ended.value.exit_status == 130
    assert ended.value.report and ended.value.report["status"] == "released"
    assert '"status": "released"' in (place / "report.json").read_text()
    assert (place / "release.csv").exists() and [entry["state"] for entry in entries(place)] == ["released"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_caller_gets_what_waited(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    released_before: list[bool] = []
    signal.signal(signal.SIGTERM, lambda *_: released_before.append((place / "release.csv").exists()))
    after(monkeypatch, signals, "hold", signal.SIGTERM)
    assert kanon_sql.run(configuration(place)).status == "released"
    assert released_before and all(released_before)


@pytest.mark.slow
def test_another_thread_has_no_signals(place: Path) -> None:
    ended: list[str] = []
    thread = threading.Thread(target=lambda: ended.append(kanon_sql.run(configuration(place)).status))
    thread.start()
    thread.join()
    assert ended == ["released"]


@pytest.mark.few(1)
@pytest.mark.parametrize("number", NUMBERS)
def test_a_statement_that_runs_is_interrupted(number: int) -> None:
    """Without this the engine waits for its threads: a minute and more for this join."""
    signal.signal(number, signal.SIG_DFL)  # under nohup it is ignored, and stays so
    signals.install()
    with duckdb.connect() as connection:
        engine = Engine(connection)
        threading.Timer(0.3, os.kill, (os.getpid(), number)).start()
        start = time.perf_counter()
        with pytest.raises(InterruptedRunError, match="nothing was changed"):
            engine.run(LONG)
        assert time.perf_counter() - start < 1.3


def test_the_loading_of_native_code_is_not_interrupted() -> None:
    """Where an exception is raised into that of DuckDB the process aborts, or goes on as if there were no signal."""
    loaded: list[str] = []

    class Loader(ExtensionFileLoader):
        def exec_module(self, module: ModuleType) -> None:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.05)
            loaded.append("whole")

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signals.install()
    with pytest.raises(KeyboardInterrupt):
        Loader("native", "native.so").exec_module(ModuleType("native"))
        time.sleep(1)
    assert loaded == ["whole"]


def test_signals_that_are_ignored_stay_so() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signals.install()
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_at_the_very_beginning(number: int) -> None:
    """Python itself is not ready for signals before 0.05 s or so; from the package's first line on they are told."""
    code = "from kanon_sql import __main__ as it\nfrom kanon_sql.sql import signals\n"
    code += "signals.install()\nprint('on', flush=True)\nit.main()"
    for wait in (0.0, 0.02, 0.05, 0.1, 0.2):
        words = [sys.executable, "-c", code, "schema"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout and process.stdout.readline() == "on\n"
            time.sleep(wait)
            process.send_signal(number)
            _, err = process.communicate(timeout=20)
        assert (process.returncode, err.strip()) in ((0, ""), (130, TOLD))


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_a_query_that_takes_long(number: int, tmp_path: Path) -> None:
    config: dict[str, Any] = {"source": {"query": LONG}, "target": "release.csv", "privacy": {"k": 1}}
    config["quasi_identifiers"] = {"q": {"builtin": "suppress"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    words = ["run", str(tmp_path / "config.json"), "--temp-directory", str(tmp_path)]
    with subprocess.Popen([sys.executable, "-m", "kanon_sql", *words], stderr=subprocess.PIPE, text=True) as process:
        time.sleep(4)
        assert process.poll() is None
        start = time.perf_counter()
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        assert time.perf_counter() - start < 1.5
    assert (process.returncode, err.strip()) == (130, TOLD)
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]
