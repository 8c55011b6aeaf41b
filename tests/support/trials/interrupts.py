"""Signals at moments spread over the duration of every command: how soon it ends, what it says, what it leaves.

A trial starts a command on tables of a million rows, waits, sends SIGINT, SIGTERM or SIGHUP, and measures the seconds
until the process has ended. It must end within two seconds with status 130 and one line, and leave everything as it
was; where the signal came after the release was put in its place it must say that, and the release be there.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click

from trials import tally
from trials.interrupts_jobs import Job, jobs, lay_out, make

TOLD = "kanon-sql: error: interrupted: nothing was changed"
AFTER = "kanon-sql: error: interrupted after the release was put in its place, where it is complete and verified"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SECONDS = 2.0
_PYTHON = 0.5  # seconds in which Python itself begins, and loads what answers signals
_NEAR_THE_END = 4  # more moments in the last fifth of a command
_GIVEN_UP = 60.0  # seconds after a signal
_HEAD = ("command", "signals", "nothing changed", "after release", "ended before", "slowest answer in s", "wrong")
_OUTPUTS = {"page.html", "report.json", "ledger.duckdb", "sweep.csv", "sweep.png", "lattice.svg"}


@dataclass(frozen=True)
class Trial:
    """A job that gets a signal some seconds after its start."""

    job: Job
    wait: float
    number: int


@dataclass(frozen=True)
class Ended:
    """How a trial ended: the kind of its outcome, the seconds from the signal to the end, what is wrong with it."""

    trial: Trial
    kind: str
    seconds: float
    wrong: str = ""


def contents(folder: Path) -> dict[str, str]:
    """By the paths in a folder, digests of what lies there."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
    }


def start(job: Job, folder: Path) -> subprocess.Popen[str]:
    """The command, begun in a folder that is laid out for it."""
    quiet = [] if job.words[0] == "hierarchy" else ["--quiet"]
    words = [sys.executable, "-m", "kanon_sql", *job.words, *quiet, "--temp-directory", "temporary"]
    return subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def attempt(trial: Trial, inputs: Path, scratch: Path) -> Ended:
    """One trial."""
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        folder = Path(name)
        lay_out(trial.job, inputs, folder)
        before = contents(folder)
        with start(trial.job, folder) as process:
            time.sleep(trial.wait)
            process.send_signal(trial.number)
            begin = time.perf_counter()
            try:
                _, said = process.communicate(timeout=_GIVEN_UP)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                return Ended(trial, "no answer", _GIVEN_UP, f"did not end in {_GIVEN_UP:.0f} seconds")
            seconds = time.perf_counter() - begin
        return _judged(trial, seconds, process.returncode, said.strip(), before, contents(folder))


def _judged(
    trial: Trial, seconds: float, status: int, said: str, before: dict[str, str], after: dict[str, str]
) -> Ended:
    left = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    hidden = [name for name in left if "kanon-sql" in name or name.startswith("temporary/") or name.endswith(".part")]
    wrong = []
    if status == 0 or said == AFTER:
        kind = "ended before" if status == 0 else "after the release"
    elif trial.wait < _PYTHON and before == after and not said.startswith("kanon-sql:"):
        kind = "nothing changed"  # Python itself answered, in its own words
    else:
        kind = "nothing changed"
        # An open ledger knows of no release, and what the process had no time to tell is no change.
        left = [name for name in left if name not in _OUTPUTS]
        wrong += [f"left {', '.join(left)}"] if left else []
        if (status, said) != (130, TOLD):
            wrong.append(f"status {status}, said {said[:200]!r}")
    wrong += [f"left behind {', '.join(hidden)}"] if hidden else []
    wrong += [f"took {seconds:.2f} seconds"] if seconds > SECONDS and status != 0 else []
    return Ended(trial, kind, seconds if status else 0.0, "; ".join(wrong))


def durations(every: Sequence[Job], inputs: Path, scratch: Path, longest: float) -> dict[str, float]:
    """How long each job takes without a signal, `longest` at most. Raises ClickException for one that fails."""
    seconds = {}
    for job in every:
        with tempfile.TemporaryDirectory(dir=scratch) as name:
            lay_out(job, inputs, Path(name))
            begin = time.perf_counter()
            with start(job, Path(name)) as process:
                try:
                    _, said = process.communicate(timeout=longest)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                else:
                    if process.returncode not in (0, 1):
                        raise click.ClickException(f"{job.name}: status {process.returncode}, {said.strip()}")
            seconds[job.name] = time.perf_counter() - begin
            click.echo(f"{job.name}: {seconds[job.name]:.1f} s", err=True)
    return seconds


def _trials(every: Sequence[Job], lasting: dict[str, float], step: float, seed: int) -> list[Trial]:
    draw, trials = random.Random(seed), list[Trial]()
    for job in every:
        lasts = lasting[job.name]
        waits = [(at + draw.random()) * step for at in range(max(int(lasts / step), 1))]
        waits += [lasts * (0.8 + 0.2 * draw.random()) for _ in range(_NEAR_THE_END)]
        trials += [Trial(job, wait, SIGNALS[at % len(SIGNALS)]) for at, wait in enumerate(waits, len(trials))]
    return trials


@click.command(help=__doc__)
@click.option("--jobs", "workers", default=os.cpu_count() or 1, show_default=True, help="Trials beside each other.")
@click.option("--rows", default=1_000_000, show_default=True, help="Of the tables.")
@click.option("--step", default=0.5, show_default=True, help="Seconds between two moments.")
@click.option("--longest", default=15.0, show_default=True, help="Seconds of a command that are tried.")
@click.option("--seed", default=1, show_default=True, help="Draws the moments.")
@click.option("--only", default="", help="Jobs whose names have this in them.")
@click.option("--scratch", type=click.Path(path_type=Path, file_okay=False), help="Where the tables are made.")
@click.option("--record", is_flag=True, help="Keep the figures in docs/reliability.json.")
def command(
    workers: int, rows: int, step: float, longest: float, seed: int, only: str, scratch: Path | None, record: bool
) -> None:
    """Tries all, tells what came out, and exits with 1 where something was wrong."""
    folder = Path(tempfile.mkdtemp(prefix="interrupts-", dir=scratch))
    try:
        (folder / "made").mkdir()
        make(folder / "made", rows)
        every = [job for job in jobs(folder / "made") if only in job.name]
        lasting = durations(every, folder / "made", folder, longest)
        trials = _trials(every, lasting, step, seed)
        with (
            ThreadPoolExecutor(workers) as pool,
            click.progressbar(
                pool.map(lambda trial: attempt(trial, folder / "made", folder), trials), len(trials)
            ) as bar,
        ):
            ended = list(bar)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    _tell(ended, record, f"scripts/faults interrupts --rows {rows} --step {step} --longest {longest}")
    if any(end.wrong for end in ended):
        raise SystemExit(1)


def _tell(ended: Sequence[Ended], record: bool, words: str) -> None:
    by_job = defaultdict(list)
    for end in ended:
        by_job[end.trial.job.name].append(end)
        if end.wrong:
            trial = end.trial
            where = f"{trial.job.name}, {signal.Signals(trial.number).name} after {trial.wait:.2f} s"
            click.echo(f"{where}: {end.wrong}")
    rows: list[list[str | int]] = [_counted(name, some) for name, some in by_job.items()]
    rows.append(_counted("all", ended))
    for row in rows:
        click.echo(", ".join(f"{what} {cell}" for what, cell in zip(_HEAD, row, strict=True)))
    if record:
        tally.record("interrupts", words, _HEAD, rows)


def _counted(name: str, some: Sequence[Ended]) -> list[str | int]:
    kinds = [sum(end.kind == kind for end in some) for kind in ("nothing changed", "after the release", "ended before")]
    slowest = max((end.seconds for end in some), default=0.0)
    return [name, len(some), *kinds, f"{slowest:.2f}", sum(bool(end.wrong) for end in some)]
