"""Signals that nothing in the process answers to end it all the same; a short form of `scripts/faults interrupts`."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from trials.interrupts import SECONDS, TOLD, Trial, attempt, start
from trials.interrupts_jobs import jobs, lay_out, make

from kanon_sql.sql import signals

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DEAF = """
import sys, time
from pathlib import Path
from kanon_sql import __main__ as it
from kanon_sql.sql import signals
from kanon_sql.sql.disk import spill_folder
from kanon_sql.targets.staging import stage_file, stage_folder
from kanon_sql.targets.staging_permissions import write_output

def deaf():
    folder = Path(sys.argv[1])
    with signals.run_block(), spill_folder(folder) as spilled, \\
        stage_file(folder / "release.csv", overwrite=True, place="target") as one, \\
        stage_folder(folder / "parts", place="target") as other:
        for path in (spilled / "rows", one.path, other.path / "part-0.csv"):
            path.write_text("rows")
        if "hold" in sys.argv:
            signals.hold()
        end, said = time.monotonic() + float(sys.argv[2]), False
        while True:
            try:
                if not said:
                    said = True
                    print("on", flush=True)
                while time.monotonic() < end:
                    time.sleep(0.2)
                break
            except KeyboardInterrupt:
                pass
    print("to its end", flush=True)
    sys.exit(0)

it.main = deaf
it.process()
"""


def deaf(folder: Path, seconds: float, number: int, *more: str) -> tuple[float, int, str, str]:
    """(seconds until a process that ignores a signal ends, status, what it said after that, its errors)."""
    (folder / "release.csv").write_text("old")
    (folder / "parts").mkdir()
    words = [sys.executable, "-c", DEAF, str(folder), str(seconds), *more]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "on\n"
        begin = time.perf_counter()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        return time.perf_counter() - begin, process.returncode, out, err


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_a_process_that_does_not_answer_is_ended_and_leaves_nothing(number: int, tmp_path: Path) -> None:
    seconds, status, out, err = deaf(tmp_path, 30, number)
    assert (status, out, err) == (130, "", TOLD + "\n")
    assert signals.PATIENCE <= seconds < SECONDS + 1  # of a machine that does other things too
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["parts", "release.csv"]
    assert (tmp_path / "release.csv").read_text() == "old"


@pytest.mark.slow
def test_a_release_that_is_put_in_its_place_is_not_ended(tmp_path: Path) -> None:
    """The block raises at its end, since the signal came after."""
    seconds, status, out, err = deaf(tmp_path, signals.PATIENCE + 0.5, signal.SIGINT, "hold")
    assert seconds > signals.PATIENCE and status == 1 and signals.AFTER_RELEASE in err and not out


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    make(folder, 20_000)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "wait"),
    [
        ("run optimal", 0.9),
        ("run database", 0.8),
        ("run ledger, page", 1.0),
        ("check", 0.5),
        ("run tables, in-place", 1.5),
    ],
)
def test_a_signal_somewhere(name: str, wait: float, inputs: Path, tmp_path: Path) -> None:
    job = next(candidate for candidate in jobs(inputs) if candidate.name == name)
    for number in NUMBERS:
        assert attempt(Trial(job, wait, number), inputs, tmp_path).wrong == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["run local", "run mondrian", "run microaggregation"])
def test_a_search_that_takes_long_is_released(name: str, inputs: Path, tmp_path: Path) -> None:
    """Real processes; the release is counted here.

    When the search has something to release depends on the machine: a process that ended with nothing released got
    its signal too early, one that came to its end too late, and the next wait lies between.
    """
    job = next(job for job in jobs(inputs) if job.name == name)
    waits: list[float] = []
    too_early, too_late = 0.5, math.inf
    while len(waits) < 16:
        waits.append(2 * too_early if too_late == math.inf else (too_early + too_late) / 2)
        folder = tmp_path / str(waits[-1])
        lay_out(replace(job, copied=()), inputs, folder)
        words = [*job.words, "--on-interrupt", "release", "--report", "report.json", "--no-advice"]
        with start(replace(job, words=words), folder) as process:
            time.sleep(waits[-1])
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=120)
        if process.returncode == 130:
            assert err.strip() in (TOLD, f"kanon-sql: {signals.RELEASING}\n{TOLD}")
            assert not (folder / "release.parquet").exists()
            too_early = waits[-1]
            continue
        assert process.returncode == 0
        report = json.loads((folder / "report.json").read_text())
        keys = ", ".join(job.config["quasi_identifiers"])
        with duckdb.connect() as connection:
            counted = f"SELECT count(*) AS size FROM '{folder}/release.parquet' GROUP BY {keys}"
            least, rows = connection.execute(f"SELECT min(size), sum(size) FROM ({counted})").fetchall()[0]
        assert least >= job.config["privacy"]["k"] and rows == report["rows"]["released"]
        if report["search"].get("interrupted", False):
            return
        too_late = waits[-1]
    pytest.fail(f"no search was interrupted after {waits} s")
