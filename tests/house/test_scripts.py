"""The scripts that start engines and a browser: what they print, that nothing of them is left, and that nobody skips
an engine's test where it is required."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from places import SCRIPTS, TESTS
from servers import BROWSER, missing_browser, missing_postgres, missing_sail

UNAVAILABLE = 69
NAMES = {"postgres": "KANON_SQL_TEST_POSTGRES", "sail": "KANON_SQL_TEST_SPARK", "chromium": BROWSER}
URLS = {
    "postgres": r"postgresql://postgres@127\.0\.0\.1:(\d+)/postgres",
    "sail": r"sc://127\.0\.0\.1:(\d+)",
    "chromium": r"http://127\.0\.0\.1:(\d+)",
}
MARKS = {"postgres": pytest.mark.engine, "sail": pytest.mark.engine, "chromium": pytest.mark.browser}


@pytest.fixture(params=[pytest.param(name, marks=MARKS[name]) for name in NAMES])
def engine(request: pytest.FixtureRequest) -> str:
    reason = {"postgres": missing_postgres, "sail": missing_sail, "chromium": missing_browser}[request.param]()
    if reason:
        pytest.skip(reason)
    return str(request.param)


@pytest.fixture
def home() -> Iterator[dict[str, str]]:
    """An environment with folders of its own, which every user may enter: PostgreSQL's is not the one that tests have.
    No more than the script's own may be in there in the end."""
    folder = Path("/tmp", f"kanon-sql-test-{os.getpid()}-{time.monotonic_ns()}")
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "temporary").mkdir()
    try:
        yield {
            **{name: value for name, value in os.environ.items() if name not in (*NAMES.values(), "CI")},
            "XDG_CACHE_HOME": str(folder / "cache"),
            "TMPDIR": str(folder / "temporary"),
        }
        assert list((folder / "temporary").iterdir()) == []
    finally:
        shutil.rmtree(folder)


def script(name: str, *words: str) -> list[str]:
    return [sys.executable, str(SCRIPTS / name), *words]


def run(environment: dict[str, str], name: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        script(name, *words), env=environment, check=False, capture_output=True, text=True, timeout=120
    )


def port_of(name: str, url: str) -> int:
    match = re.fullmatch(URLS[name], url)
    assert match, url
    return int(match[1])


def soon(holds: Callable[[], bool]) -> bool:
    """Whether it holds within ten seconds: what is killed goes on for a moment where much else runs."""
    end = time.monotonic() + 10
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def listens(port: int) -> bool:
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def test_start_prints_the_url_and_stop_stops(engine: str, home: dict[str, str]) -> None:
    started = run(home, engine, "start")
    try:
        assert started.returncode == 0, started.stderr
        url = started.stdout.strip()
        assert f"export {NAMES[engine]}={url}\n" in started.stderr
        assert listens(port_of(engine, url))
        again = run(home, engine, "start")
        assert (again.returncode, again.stdout) == (0, started.stdout)
        assert "already running" in again.stderr
    finally:
        stopped = run(home, engine, "stop")
    assert (stopped.returncode, stopped.stdout, stopped.stderr) == (0, "", "")
    assert soon(lambda: not listens(port_of(engine, url)))
    assert run(home, engine, "stop").returncode == 0


def test_run_gives_the_url_to_its_command_and_exits_as_that_does(engine: str, home: dict[str, str]) -> None:
    talk = f"import os; print(os.environ['{NAMES[engine]}']); raise SystemExit(7)"
    ended = run(home, engine, "run", "--", sys.executable, "-c", talk)
    assert ended.returncode == 7, ended.stderr
    assert ended.stderr == ""
    assert soon(lambda: not listens(port_of(engine, ended.stdout.strip())))
    assert run(home, engine, "run", "--", "/no/such/command").returncode == 127


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_command_and_engine(engine: str, number: int, home: dict[str, str]) -> None:
    talk = f"import os, time; print(os.environ['{NAMES[engine]}'], os.getpid(), flush=True); time.sleep(60)"
    command = script(engine, "run", "--", sys.executable, "-c", talk)
    running = subprocess.Popen(command, env=home, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert running.stdout is not None
    url, child = running.stdout.readline().split()
    os.killpg(running.pid, number)  # as a terminal does
    running.stdout.close()
    assert running.wait(60) == 128 + number
    assert soon(lambda: not listens(port_of(engine, url)))
    with pytest.raises(ProcessLookupError):
        os.kill(int(child), 0)


@pytest.mark.parametrize("seconds", [0.15, 0.3, 0.5, 0.8])
def test_an_interrupted_start_leaves_nothing(engine: str, seconds: float, home: dict[str, str]) -> None:
    running = subprocess.Popen(
        script(engine, "run", "--", "sleep", "60"), env=home, stderr=subprocess.DEVNULL, start_new_session=True
    )
    time.sleep(seconds)
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(60) in (130, -signal.SIGINT)
    folder = home["TMPDIR"].encode()
    assert soon(lambda: not any(_holds(path, folder) for path in Path("/proc").glob("[0-9]*/cmdline")))


def _holds(path: Path, text: bytes) -> bool:
    try:
        return text in path.read_bytes()
    except OSError:
        return False


def test_run_without_a_command_ends_with_its_input(engine: str, home: dict[str, str]) -> None:
    with subprocess.Popen(
        script(engine, "run"), env=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        port = port_of(engine, running.stdout.readline().strip())
        assert listens(port)
    assert running.returncode == 0
    assert soon(lambda: not listens(port))


def test_a_port_that_is_taken_is_said(engine: str, home: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run(home, engine, "run", "--port", str(port), "--", "true")
    assert (ended.returncode, ended.stderr) == (
        1,
        f"{engine}: port {port} is taken; give another --port, or none\n",
    )


def test_a_server_that_does_not_start_shows_its_log(home: dict[str, str]) -> None:
    """A PostgreSQL of two lines of shell: initdb succeeds, the server does not."""
    reached = Path(home["TMPDIR"], "bin")
    reached.mkdir()
    for name, text in (("initdb", "exit 0"), ("postgres", "echo 'FATAL: out of luck'; exit 3")):
        (reached / name).write_text(f"#!/bin/sh\n{text}\n")
        (reached / name).chmod(0o755)
    try:
        environment = {**home, "PATH": f"{reached}{os.pathsep}{os.environ['PATH']}"}
        ended = run(environment, "postgres", "run", "--", "true")
    finally:
        shutil.rmtree(reached)
    assert ended.returncode == 1
    said = "PostgreSQL did not start: it ended with status 3. The end of its log:\n  FATAL: out of luck\n"
    assert ended.stderr == f"postgres: {said}"


@pytest.mark.parametrize(
    ("name", "said"),
    [("sail", "pysail is not installed"), ("spark-cluster", "Java is not installed: Spark needs Java 17")],
)
def test_what_is_missing_is_said(name: str, said: str, home: dict[str, str]) -> None:
    bare = subprocess.run(
        [sys.executable, "-S", str(SCRIPTS / name), "check"],  # -S: without installed packages
        env={**home, "PATH": "/nowhere", "JAVA_HOME": ""},
        check=False,
        capture_output=True,
        text=True,
    )
    assert bare.returncode == UNAVAILABLE, bare.stdout
    assert bare.stderr.startswith(f"{name}: {said}")
    assert bare.stdout == ""


def test_an_old_java_is_not_enough(home: dict[str, str], tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    for version, status in (("1.8.0_402", UNAVAILABLE), ("11.0.2", UNAVAILABLE), ("17.0.15", 0), ("25", 0)):
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
        java.chmod(0o755)
        ended = run({**home, "JAVA_HOME": str(tmp_path)}, "spark-cluster", "check")
        assert ended.returncode == status
        assert version in ended.stdout + ended.stderr


SKIPPING = """
import pytest

@pytest.mark.skipif(True, reason="dbt is not installed")
def test_marked(): ...

def test_called(): pytest.skip("pysail is not installed")

def test_other(): pytest.skip("no access lists here")

@pytest.mark.xfail
def test_expected(): raise ValueError("sail")
"""


@pytest.mark.slow
def test_a_required_test_is_failed_where_it_would_be_skipped(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(SKIPPING)
    (tmp_path / "test_whole.py").write_text("import pytest\npytest.importorskip('no_such_dbt')\n")
    here = os.pathsep.join([str(TESTS / "support"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "required", "-p", "no:cacheprovider", "-rs", str(tmp_path)]

    def last_line(required: str, *more: str) -> str:
        environment = {**os.environ, "PYTHONPATH": here, "KANON_SQL_TEST_REQUIRED": required}
        ended = subprocess.run([*command, *more], env=environment, cwd=tmp_path, capture_output=True, check=False)
        return ended.stdout.decode().splitlines()[-1].rpartition(" in ")[0]

    keep_on = "--continue-on-collection-errors"
    assert last_line("dbt|sail", keep_on) == "1 failed, 1 skipped, 1 xfailed, 2 errors"
    assert last_line("dbt|sail", keep_on, "-n2") == "1 failed, 1 skipped, 1 xfailed, 2 errors"
    assert last_line("test_some", keep_on) == "2 failed, 1 skipped, 1 xfailed, 1 error"
    assert last_line("") == "4 skipped, 1 xfailed"
