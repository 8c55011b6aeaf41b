"""Whole runs of which each system call in turn is killed, interrupted or made to fail: the target is old or new.

A few processes have everything imported and fork for each point; a library in C, loaded before the C library, counts
the calls that reach the run's folder and lets something go wrong at one of them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import click
from places import ROOT

from trials.calls_jobs import JOBS
from trials.calls_library import FAULTS, built, compiler
from trials.tally import record

Json = dict[str, Any]


@dataclass(frozen=True)
class Point:
    """The n-th call of a job, and what goes wrong there."""

    job: str
    at: int
    fault: str

    def __str__(self) -> str:
        return f"--job '{self.job}' --fault '{self.fault}' --at {self.at}"


class Driver:
    """A process that tries points one after another."""

    def __init__(self, work: Path) -> None:
        search = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "support")])
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("calls_driver.py")), str(work)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "LD_PRELOAD": str(built()), "PYTHONPATH": search},
        )

    def ask(self, question: Json) -> Any:
        """The answer of the process. Raises RuntimeError when it ended instead."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the driver ended with status {self._process.wait()} at {question}")
        return json.loads(answer)

    def calls(self, job: str) -> list[tuple[int, str, str]]:
        """(number, name, path) of the calls of an undisturbed run."""
        return [(number, name, path) for number, name, path in self.ask({"job": job})]

    def tried(self, point: Point) -> Json:
        """What a run with that fault left."""
        answer: Json = self.ask({"job": point.job, "at": point.at, "fault": point.fault})
        return answer

    def end(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@contextmanager
def drivers(number: int, folder: Path | None = None) -> Iterator[list[Driver]]:
    """So many processes, each with a work folder of its own, in memory where the system has that."""
    memory = Path("/dev/shm")
    root = folder or (memory if os.access(memory, os.W_OK) else None)
    work = Path(tempfile.mkdtemp(prefix="kanon-sql-calls-", dir=root))
    started: list[Driver] = []
    try:
        for place in range(number):
            started.append(Driver(work / str(place)))
        yield started
    finally:
        for driver in started:
            driver.end()
        shutil.rmtree(work, ignore_errors=True)


def points(driver: Driver, jobs: Iterable[str], faults: Iterable[str]) -> list[Point]:
    """Every call of every job with every fault that goes with it."""
    named = list(faults)
    return [
        Point(job, number, fault)
        for job in jobs
        for number, call, _ in driver.calls(job)
        for fault in named
        if FAULTS[fault].goes_with(call)
    ]


def spread(candidates: Sequence[Point], most: int) -> list[Point]:
    """At most so many of them: as many of each job, faults and calls taken evenly."""
    chosen: list[Point] = []
    jobs = list(dict.fromkeys(point.job for point in candidates))
    each = max(1, most // max(1, len(jobs)))
    for number, job in enumerate(jobs):
        own = [point for point in candidates if point.job == job]
        step = len(own) / each
        # A different beginning for each job, or all would get the faults of the same places.
        chosen += [own[int((index + number / len(jobs)) * step) % len(own)] for index in range(each)]
    return chosen


def tried(workers: Sequence[Driver], wanted: Sequence[Point]) -> Iterator[tuple[Point, Json]]:
    """The points with what came out, in the order in which that is known."""
    free: SimpleQueue[Driver] = SimpleQueue()
    for driver in workers:
        free.put(driver)

    def outcome_of(point: Point) -> tuple[Point, Json]:
        driver = free.get()
        try:
            return point, driver.tried(point)
        finally:
            free.put(driver)

    with ThreadPoolExecutor(len(workers)) as pool:
        yield from pool.map(outcome_of, wanted)


def _outcomes(counts: Counter[tuple[str, str]]) -> tuple[list[str], list[list[str | int]]]:
    """(head, rows): how many points of each fault came out in each way."""
    faults = [fault for fault in FAULTS if any(fault == counted for counted, _ in counts)]
    kinds = sorted({kind for _, kind in counts})
    table: list[list[str | int]] = [[fault, *(counts[fault, kind] for kind in kinds)] for fault in faults]
    totals = [sum(counts[fault, kind] for fault in faults) for kind in kinds]
    return ["fault", *kinds], [*table, ["all", *totals]]


def _plain(outcome: str) -> str:
    """The outcome as it stands in the table."""
    return outcome.replace(", then new", "; next run new")


@click.command()
@click.option("--jobs", type=click.IntRange(1), default=os.cpu_count() or 1, help="Processes [default: cores].")
@click.option("--job", "names", multiple=True, type=click.Choice(tuple(JOBS)), help="Only this job; may be repeated.")
@click.option("--fault", "faults", multiple=True, type=click.Choice(tuple(FAULTS)), help="Only this fault.")
@click.option("--at", "numbers", multiple=True, type=click.IntRange(1), help="Only this call.")
@click.option("--every", type=click.IntRange(1), default=1, help="Only every so many-th point.")
@click.option("--first", type=click.IntRange(0), default=0, help="The point to begin with.")
@click.option("--record", "kept", is_flag=True, help="Write the table into docs/reliability.md.")
def command(
    jobs: int,
    names: tuple[str, ...],
    faults: tuple[str, ...],
    numbers: tuple[int, ...],
    every: int,
    first: int,
    kept: bool,
) -> None:
    """Every system call of whole runs goes wrong in turn: killed, interrupted, failing, or only half done."""
    if compiler() is None:
        raise click.ClickException("there is no C compiler: install gcc")
    counts: Counter[tuple[str, str]] = Counter()
    losses = 0
    with drivers(jobs) as workers:
        every_point = points(workers[0], names or JOBS, faults or FAULTS)[first::every]
        wanted = [point for point in every_point if not numbers or point.at in numbers]
        bar = click.progressbar(tried(workers, wanted), length=len(wanted), file=sys.stderr)
        with suppress(KeyboardInterrupt), bar:  # what there is of it is shown
            for point, result in bar:
                counts[point.fault, "lost" if result["wrong"] else _plain(result["outcome"])] += 1
                if result["wrong"]:
                    losses += 1
                    click.echo(f"\nlost: {point}: {json.dumps(result)}")
    head, rows = _outcomes(counts)
    click.echo(" | ".join(head))
    for row in rows:
        click.echo(" | ".join(map(str, row)))
    total = counts.total()
    click.echo(f"{total:,} of {len(wanted):,} points, {losses} losses")
    if kept and total == len(wanted):
        words = [*(f"--job '{name}'" for name in names), *(f"--fault '{fault}'" for fault in faults)]
        words += [f"--{name} {number}" for name, number in (("every", every), ("first", first)) if number > 1]
        record("calls", " ".join(["scripts/faults calls", *words]), head, rows)
    if losses:
        sys.exit(1)
