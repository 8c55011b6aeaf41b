"""Damaged files: sources, targets, ledgers, hierarchies and configurations, each run in a process of its own."""

from __future__ import annotations

import atexit
import json
import multiprocessing.util
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import track

from trials import files_ledgers, tally
from trials.files_cases import KINDS, Case, make
from trials.files_judging import Outcome, judge
from trials.files_reading import readers_of
from trials.files_server import Server

Json = dict[str, Any]
_RUN = "trials.files_server:command"
_READ = "trials.files_reading:read"


@dataclass(frozen=True)
class Trial:
    """A case, what it came to, and the processor seconds of the command."""

    seed: int
    kind: str
    damage: str
    words: str
    damaged: str
    outcome: Outcome
    seconds: float


class Place:
    """A folder to run trials in, with whole files and processes that run commands and read files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._commands = Server(folder / "commands")
        self._readers = Server(folder / "readers")
        self._case = folder / "case"
        self.pool = self._made_pool()

    def close(self) -> None:
        """Ends the processes."""
        self._commands.close()
        self._readers.close()

    def trial(self, case: Case) -> Trial:
        """Runs a case and judges it; of some that change nothing also whether the next run works."""
        answer = self.run(case)
        outcome = judge(case, self._case, answer, self.read)
        again = answer["signal"] is not None or answer["late"] or (case.seed % 8 == 0 and answer["status"] != 0)
        # A database with changes in its log is not written anew, also where both are whole.
        if again and not outcome.loss and f"{case.result}.wal" not in case.files:
            outcome = self._again(case) or outcome
        words = " ".join(case.words)
        return Trial(case.seed, case.kind, case.damage, words, case.damaged, outcome, answer["seconds"])

    def run(self, case: Case) -> Json:
        """The end of the command of a case in a folder that holds its files."""
        shutil.rmtree(self._case, ignore_errors=True)
        self._case.mkdir()
        for name, data in case.files.items():
            (self._case / name).write_bytes(data)
        return self._commands.run(_RUN, {"words": case.words}, self._case)

    def read(self, path: Path, table: str | None, columns: Sequence[str] = (), like: str | None = None) -> list[Json]:
        """The rows of a file as each of its readers finds them, all columns or some, or the `error` that it has."""
        return [self._read({**given, "columns": list(columns)}) for given in readers_of(path, table, like)]

    def _read(self, given: Json) -> Json:
        answer = self._readers.run(_READ, given, self._case)
        if answer["status"] == 0:
            return {"reader": given["reader"], **json.loads(answer["out"])}
        why = answer["signal"] or ("took too long" if answer["late"] else answer["err"].strip()[-300:])
        return {"reader": given["reader"], "error": str(why)}

    def _again(self, case: Case) -> Outcome | None:
        """The same once the file is whole again, in the folder as the first run left it; None where that works."""
        (self._case / case.damaged).write_bytes(case.whole)
        answer = self._commands.run(_RUN, {"words": case.words}, self._case)
        whole = replace(case, files={**case.files, case.damaged: case.whole})
        outcome = judge(whole, self._case, answer, self.read)
        if outcome.loss or outcome.name.startswith("refused"):
            return Outcome("next run failed", loss=True, seen=f"{outcome} {answer['err']}")
        return None

    def _made_pool(self) -> dict[str, bytes]:
        pool = self._folder / "pool"
        pool.mkdir()
        answers = [self._readers.warm("trials.files_pool:make", {"folder": str(pool)}, pool)]
        answers += files_ledgers.make(self._commands, self._readers, pool)
        failed = [answer["err"] for answer in answers if answer["status"] != 0]
        if failed:
            raise RuntimeError("\n".join(failed))
        return {path.name: path.read_bytes() for path in pool.iterdir() if path.is_file()}


@contextmanager
def opened(folder: Path | None = None) -> Iterator[Place]:
    """A place for trials."""
    with tempfile.TemporaryDirectory(prefix="kanon-files-") as temporary:
        place = Place(folder or Path(temporary))
        try:
            yield place
        finally:
            place.close()


_held: list[Place] = []  # that of a process of the pool


def _open_one() -> None:
    """Opens the place of a process, which ends with it."""
    entered = ExitStack()
    _held.append(entered.enter_context(opened()))
    atexit.register(entered.close)
    multiprocessing.util.Finalize(None, entered.close, exitpriority=10)


def _one(seed: int, kind: str | None) -> Trial:
    return _held[0].trial(make(seed, _held[0].pool, kind))


@click.command()
@click.option("--first", default=0, help="The first seed.")
@click.option("--count", default=10_000, help="How many seeds.")
@click.option("--jobs", default=os.cpu_count() or 1, help="Trials at the same time.")
@click.option("--kind", type=click.Choice(list(KINDS)), help="What is damaged in each of them; all kinds without it.")
@click.option("--record", is_flag=True, help="Keep the figures in docs/reliability.json.")
def command(first: int, count: int, jobs: int, kind: str | None, record: bool) -> None:
    """Damaged files by the thousand: each is refused in clear words, or released as its rows are."""
    trials: list[Trial] = []
    with ProcessPoolExecutor(jobs, initializer=_open_one) as pool:
        running = [pool.submit(_one, seed, kind) for seed in range(first, first + count)]
        for done in track(as_completed(running), "Damaged files", total=count, console=Console(stderr=True)):
            trials.append(done.result())
            _tell_one(trials[-1])
            if len(trials) % 100 == 0 and not sys.stderr.isatty():
                click.echo(f"{len(trials)} of {count}", err=True)
    for (what, name), number in sorted(Counter((trial.kind, trial.outcome.name) for trial in trials).items()):
        click.echo(f"{number:6} {what}: {name}")
    seconds = sum(trial.seconds for trial in trials) / max(1, len(trials))
    click.echo(f"{len(trials)} trials, {seconds:.2f} processor seconds each")
    if record:
        _record(trials, f"scripts/faults files --first {first} --count {count}" + (f" --kind '{kind}'" if kind else ""))
    if any(trial.outcome.loss for trial in trials):
        raise SystemExit(1)


def _tell_one(trial: Trial) -> None:
    if trial.outcome.loss or trial.outcome.seen:
        what = "LOSS" if trial.outcome.loss else "seen"
        click.echo(
            f"{what} {trial.seed} [{trial.kind}] {trial.outcome.name}: {trial.damaged} {trial.damage}: {trial.words}"
        )
        click.echo("     " + " | ".join(trial.outcome.seen.splitlines()))


def _record(trials: Sequence[Trial], command: str) -> None:
    names = sorted({trial.outcome.name for trial in trials}, key=lambda name: (name not in _GOOD, name))
    counts = Counter((trial.kind, trial.outcome.name) for trial in trials)
    kinds = sorted({trial.kind for trial in trials})
    rows: list[list[str | int]] = [[kind, *(counts[kind, name] for name in names)] for kind in kinds]
    tally.record("files", command, ["damaged", *names], rows)


_GOOD = ("refused", "released, as others read it")
