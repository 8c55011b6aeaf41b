"""Whole runs of cases that seeds make, in workers that live for some hundred of them."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress

from trials import tally
from trials.judging import Ended, files, judge
from trials.making import VERSION, Case, make

Json = dict[str, Any]
SECONDS = 60  # of processor time for a case; one that takes longer hangs
_WAITING = 600  # seconds for one that takes none
_LIVES = 300  # cases of a worker
_PIECE = 10  # seeds that a worker is given at once


@dataclass
class Trial:
    """What a case came to."""

    seed: int
    outcome: str
    losses: list[str] = field(default_factory=list)
    seconds: float = 0.0


def trial(seed: int, folder: Path) -> Trial:
    """Makes the case of a seed in an empty folder, runs it, judges what is left."""
    began = time.process_time()
    case = make(seed)
    case.put(folder)
    before = files(folder)
    ended = run(case, folder)
    losses = judge(case, folder, before, ended)
    return Trial(seed, outcome(case, ended), losses, time.process_time() - began)


def run(case: Case, folder: Path) -> Ended:
    """The command line's own main, in this process."""
    from kanon_sql.cli.main import main

    out, err = io.StringIO(), io.StringIO()
    os.environ.update(case.environment)
    status: Any = "nothing"
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(["run", str(folder / "config.yaml"), *case.words])
        except SystemExit as error:
            status = error.code
    return Ended(status, out.getvalue(), err.getvalue())


def outcome(case: Case, ended: Ended) -> str:
    """How a run ended, in the words of the table."""
    words = {0: "released", 1: "no release", 2: "refused", 3: "failed", 4: "withdrawn", 130: "interrupted"}
    if ended.status == 0 and "--dry-run" in case.words:
        return "dry run"
    return words.get(ended.status, "other") + (", wrong on purpose" if case.wrong else "")


def serve(pipe: Connection) -> None:
    """A worker: seeds come in, trials go out."""
    root = Path(tempfile.mkdtemp(prefix="kanon-runs-"))
    try:
        while (seed := pipe.recv()) is not None:
            folder = root / str(seed)
            folder.mkdir()
            try:
                done = trial(seed, folder)
            except Exception as error:
                done = Trial(seed, "not judged", [f"the trial itself failed: {type(error).__name__}: {error}"])
            pipe.send(done)
            shutil.rmtree(folder, ignore_errors=True)
    except (EOFError, OSError):  # whoever gave the seeds has ended
        pass
    finally:
        shutil.rmtree(root, ignore_errors=True)


@dataclass
class _Worker:
    """A process and what it is at."""

    process: Any
    pipe: Connection
    left: int = _LIVES
    seed: int | None = None
    since: float = 0.0
    used: float = 0.0

    @classmethod
    def start(cls) -> _Worker:
        here, there = multiprocessing.get_context("spawn").Pipe()
        process = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
        process.start()
        there.close()
        return cls(process, here)

    def give(self, seed: int) -> None:
        self.seed, self.since, self.left, self.used = seed, time.monotonic(), self.left - 1, self._processor()
        self.pipe.send(seed)

    @property
    def hangs(self) -> bool:
        """Whether its case has had all the time that it may take."""
        waited = time.monotonic() - self.since
        return waited > _WAITING or (waited > SECONDS and self._processor() - self.used > SECONDS)

    def _processor(self) -> float:
        """Seconds of processor time so far, as Linux tells them."""
        statistics = Path(f"/proc/{self.process.pid}/stat")
        if not statistics.exists():
            return time.monotonic()
        fields = statistics.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self, *, kill: bool = False) -> None:
        if kill:
            self.process.kill()
        else:
            with contextlib.suppress(OSError):
                self.pipe.send(None)
        self.process.join()
        self.pipe.close()


def trials(seeds: Iterator[int], jobs: int) -> Iterator[Trial]:
    """The trials of seeds as they end."""
    workers = [_Worker.start() for _ in range(jobs)]
    try:
        for worker in workers:
            _next(worker, seeds)
        while any(worker.seed is not None for worker in workers):
            busy = {worker.pipe: worker for worker in workers if worker.seed is not None}
            ready = wait(list(busy), timeout=1.0)
            for index, worker in enumerate(workers):
                if worker.seed is None:
                    continue
                lost = worker.pipe not in ready and worker.hangs
                if worker.pipe not in ready and not lost:
                    continue
                yield _ended(worker, lost)
                if lost or worker.left <= 0 or not worker.process.is_alive():
                    worker.end(kill=lost)
                    workers[index] = _Worker.start()
                _next(workers[index], seeds)
    finally:
        for worker in workers:
            worker.end(kill=worker.seed is not None)


def _ended(worker: _Worker, lost: bool) -> Trial:
    assert worker.seed is not None
    if lost:
        return Trial(worker.seed, "hung", [f"no end within {SECONDS} seconds of processor time"])
    try:
        done: Trial = worker.pipe.recv()
        return done
    except EOFError:
        worker.process.join()
        return Trial(worker.seed, "crashed", [f"the process ended with {worker.process.exitcode}"])


def _next(worker: _Worker, seeds: Iterator[int]) -> None:
    seed = next(seeds, None)
    if seed is None:
        worker.seed = None
    else:
        worker.give(seed)


@click.command()
@click.option("--first", default=0, help="The first seed.")
@click.option("--count", default=1000, help="How many seeds.")
@click.option("--jobs", default=os.cpu_count() or 1, help="Workers beside each other.")
@click.option("--record", is_flag=True, help="Adds the figures to those in docs/reliability.json.")
@click.option(
    "--tally", "kept", type=click.Path(path_type=Path), help="Adds the figures to those in this file instead."
)
@click.option("--show", type=int, help="Writes the case of this seed into a folder, runs and judges it there.")
def command(first: int, count: int, jobs: int, record: bool, kept: Path | None, show: int | None) -> None:
    """Whole runs on random tables and configurations, each release judged by its bytes."""
    if show is not None:
        raise SystemExit(_show(show))
    counts: Counter[str] = Counter()
    losses, seconds = 0, 0.0
    with Progress() as progress:
        bar = progress.add_task("runs", total=count)
        for done in trials(iter(range(first, first + count)), jobs):
            counts[done.outcome] += 1
            seconds += done.seconds
            losses += bool(done.losses)
            progress.advance(bar)
            for loss in done.losses:
                progress.console.print(
                    f"seed {done.seed} (--show {done.seed}): {loss}", markup=False, highlight=False, soft_wrap=True
                )
                sys.stdout.flush()
    for name, number in sorted(counts.items()):
        click.echo(f"{name:40} {number:8,}")
    click.echo(f"{'losses':40} {losses:8,}\n{seconds / max(1, count):.3f} seconds of processor time a run")
    if record or kept:
        keep(first, count, counts, losses, kept or tally.KEPT)
    raise SystemExit(1 if losses else 0)


def keep(first: int, count: int, counts: Counter[str], losses: int, kept: Path) -> None:
    """Adds seeds and outcomes to what was recorded; ranges are of seeds of this version of the generator."""
    state = tally.recorded("runs", kept).get("state", {"counts": {}, "losses": 0})
    if state.get("version") != VERSION:
        state = {**state, "ranges": [], "earlier": sum(state["counts"].values())}
    new = Counter(state["counts"]) + counts
    ranges = merged([*state["ranges"], [first, first + count - 1]])
    total = state["losses"] + losses
    rows: list[list[str | int]] = [[name, number] for name, number in sorted(new.items())]
    earlier = state["earlier"]
    rows += [["all", new.total()], *([["of an earlier generator", earlier]] if earlier else []), ["losses", total]]
    at = {"version": VERSION, "ranges": ranges, "counts": dict(new), "losses": total, "earlier": earlier}
    words = f"scripts/faults runs --first {ranges[0][0]} --count {new.total() - earlier}"
    tally.record("runs", words, ["outcome", "runs"], rows, at, kept=kept)


def merged(ranges: list[list[int]]) -> list[list[int]]:
    """Ranges of seeds, those that touch or overlap as one."""
    united: list[list[int]] = []
    for first, last in sorted(ranges):
        if united and first <= united[-1][1] + 1:
            united[-1][1] = max(united[-1][1], last)
        else:
            united.append([first, last])
    return united


def _show(seed: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix=f"run-{seed}-"))
    case = make(seed)
    case.put(folder)
    before = files(folder)
    ended = run(case, folder)
    losses = judge(case, folder, before, ended)
    click.echo(
        f"{folder}\n{case.way}, {case.rows} rows, {' '.join(case.words)}, wrong: {case.wrong}\n{case.text or ''}"
    )
    click.echo(f"exit status {ended.status}\n{ended.out}{ended.err}")
    for loss in losses:
        click.echo(f"LOSS {loss}")
    return 1 if losses else 0
