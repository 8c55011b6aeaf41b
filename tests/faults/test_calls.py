"""Whole runs whose system calls are killed, interrupted or made to fail (scripts/faults calls); what judges them."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from trials import calls
from trials.calls_jobs import JOBS, copied, write_configuration
from trials.calls_judge import Whole, files, releases, rows
from trials.calls_library import FAULTS, compiler
from trials.calls_verdict import Ended, Verdict

import kanon_sql

# A process is warm for all jobs of a test.
GROUPS = [list(JOBS)[start::4] for start in range(4)]
POINTS = 16  # of a group
WHERE = "kanon-sql: error: job.json:1: release.csv was not written (No space left on device)\n"


@pytest.mark.slow
@pytest.mark.tool
@pytest.mark.skipif(compiler() is None, reason="there is no C compiler (cc) on Linux")
@pytest.mark.parametrize("jobs", GROUPS, ids=[", ".join(group) for group in GROUPS])
def test_a_run_whose_calls_go_wrong_leaves_old_or_new(jobs: list[str], tmp_path: Path) -> None:
    with calls.drivers(1, tmp_path) as workers:
        every = calls.points(workers[0], jobs, FAULTS)
        # Of each job there are dozens of calls: it is watched as it should be.
        assert all(len({point.at for point in every if point.job == job}) > 20 for job in jobs)
        chosen = calls.spread(every, POINTS)
        results = [(str(point), result) for point, result in calls.tried(workers, chosen)]
    assert [(point, result) for point, result in results if result["wrong"]] == []
    assert {point.job for point in chosen} == set(jobs)
    # Faults fell upon runs: some did not come to their end.
    assert sum(not result["outcome"].startswith("new, exit 0") for _, result in results) > POINTS // 4


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> tuple[Whole, Path, Path]:
    """A job with a ledger, what it found and what it left."""
    return _ran("ledger", tmp_path_factory.mktemp("ledger"))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Whole, Path, Path]:
    """A job with report and page."""
    return _ran("report and page", tmp_path_factory.mktemp("report"))


def _ran(name: str, folder: Path) -> tuple[Whole, Path, Path]:
    job = JOBS[name]
    run, before, after = (folder / name for name in ("run", "before", "after"))
    run.mkdir()
    job.make(run)
    (run / "temp").mkdir()
    write_configuration(run, job.configuration)
    copied(run, before)
    entries = releases(job, run) if job.ledger else []
    report, page = (name and run / name for name in (job.report, job.page))
    kanon_sql.run(run / "job.json", advice=False, report=report, html=page)
    copied(run, after)
    return Whole(job, files(before), None, files(after), rows(job, after), entries), before, after


def verdict(run_of_job: tuple[Whole, Path, Path], folder: Path, state: str, fault: str, ended: Ended) -> Verdict:
    """Of a run that left the folder `old` or `new`, which the test changes before it is judged."""
    whole, before, after = run_of_job
    copied(before if state == "old" else after, folder)
    return Verdict(whole, folder, fault, "fsync", ended)


INTERRUPTED = "kanon-sql: error: interrupted: nothing was changed\n"
IN_PLACE = "kanon-sql: error: interrupted after the release was put in its place, where it is complete and verified\n"
GOOD = [
    ("old", "EIO", Ended(3, WHERE)),
    ("old", "SIGTERM", Ended(130, INTERRUPTED)),
    ("old", "SIGKILL before", Ended(-signal.SIGKILL, "")),
    ("new", "SIGKILL before", Ended(-signal.SIGKILL, "")),
    ("new", "SIGTERM", Ended(130, IN_PLACE)),
    ("new", "EINTR", Ended(0, "")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("state", "fault", "ended"), GOOD)
def test_what_is_promised_is_no_loss(
    state: str, fault: str, ended: Ended, report: tuple[Whole, Path, Path], tmp_path: Path
) -> None:
    judged = verdict(report, tmp_path / "run", state, fault, ended)
    assert judged.judge() == state
    assert judged.wrong == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("state", "fault", "ended"),
    [
        ("old", "EIO", Ended(0, "")),
        ("old", "EIO", Ended(1, WHERE)),
        ("old", "SIGTERM", Ended(130, IN_PLACE)),
        ("old", "SIGTERM", Ended(-signal.SIGTERM, "")),
        ("old", "EIO", Ended(3, "Traceback (most recent call last):\n")),
        ("old", "EIO", Ended(3, "kanon-sql: error: unexpected OSError; please report it\n")),
        ("old", "EIO", Ended(None, WHERE)),
        ("new", "EIO", Ended(3, WHERE)),
        ("new", "SIGTERM", Ended(130, INTERRUPTED)),
    ],
)
def test_another_end_is_a_loss(
    state: str, fault: str, ended: Ended, report: tuple[Whole, Path, Path], tmp_path: Path
) -> None:
    judged = verdict(report, tmp_path / "run", state, fault, ended)
    judged.judge()
    assert judged.wrong


def _half(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: len(content) // 2])

    return change


def _other_row(folder: Path) -> None:
    lines = (folder / "release.csv").read_text().splitlines()
    earlier = next(line for line in lines[1:] if line != lines[-1])
    (folder / "release.csv").write_text("\n".join([*lines[:-1], earlier]) + "\n")


def _unreported(folder: Path) -> None:
    report = json.loads((folder / "report.json").read_text())
    (folder / "report.json").write_text(json.dumps({**report, "status": "failed"}))


TORN: list[tuple[str, Callable[[Path], object]]] = [
    ("old", _half("release.csv")),
    ("new", _half("release.csv")),
    ("new", _other_row),
    ("new", lambda folder: (folder / "release.csv").unlink()),
    ("new", lambda folder: (folder / "release.csv").chmod(0o600)),
    ("new", _half("report.json")),
    ("new", _half("page.html")),
    ("new", _unreported),
    ("old", lambda folder: (folder / ".release.csv.kanon-sql.lock").touch()),
    ("old", lambda folder: (folder / "temp" / "kanon-sql-spill-0").mkdir()),
    ("new", _half("source.csv")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("state", "change"), TORN)
def test_what_is_torn_or_left_is_a_loss(
    state: str, change: Callable[[Path], object], report: tuple[Whole, Path, Path], tmp_path: Path
) -> None:
    ended = Ended(0, "") if state == "new" else Ended(3, WHERE)
    judged = verdict(report, tmp_path / "run", state, "EIO", ended)
    change(tmp_path / "run")
    judged.judge()
    assert judged.wrong


@pytest.mark.slow
def test_a_class_of_few_rows_is_a_loss(report: tuple[Whole, Path, Path], tmp_path: Path) -> None:
    whole, before, after = report
    text = (after / "release.csv").read_text().replace("f,", "g,", 2)
    copied(after, tmp_path / "run")
    (tmp_path / "run" / "release.csv").write_text(text)
    released = rows(whole.job, tmp_path / "run")
    judged = verdict(
        (replace(whole, new=released), before, tmp_path / "run"), tmp_path / "other", "new", "EIO", Ended(0, "")
    )
    assert judged.judge() == "a class of fewer than k rows"
    assert judged.wrong


@pytest.mark.slow
def test_a_ledger_that_says_something_else_is_a_loss(ledger: tuple[Whole, Path, Path], tmp_path: Path) -> None:
    _, before, after = ledger
    for state, source, ended in (("old", after, Ended(3, WHERE)), ("new", before, Ended(0, ""))):
        judged = verdict(ledger, tmp_path / state, state, "EIO", ended)
        judged.judge()
        assert judged.wrong == []
        judged = verdict(ledger, tmp_path / state, state, "EIO", ended)
        (tmp_path / state / "ledger.duckdb").write_bytes((source / "ledger.duckdb").read_bytes())
        judged.judge()
        assert judged.wrong


def test_points_are_spread_over_jobs_and_faults() -> None:
    every = [calls.Point(job, at, fault) for job in ("a", "b") for at in range(1, 40) for fault in FAULTS]
    chosen = calls.spread(every, 20)
    assert len(set(chosen)) == 20
    assert {point.job for point in chosen} == {"a", "b"}
    assert len({point.fault for point in chosen}) > 5
    assert calls.spread([], 20) == []
