"""Damaged files: sources, targets, ledgers, hierarchies and configurations, each run in a process of its own."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.progress import track
from trials import files_ledgers, tally
from trials.files_cases import Case, make
from trials.files_judging import Lost, Outcome, judge, snapshot
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
        if again and not outcome.loss:
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

    def read(self, path: Path, table: str | None) -> list[Json]:
        """The rows of a file as each of its readers finds them, or the `error` that it has."""
        return [self._read(given) for given in readers_of(path, table)]

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
        made = self._folder / "pool"
        made.mkdir()
        answers = [self._readers.warm("trials.files_pool:make", {"folder": str(made)}, made)]
        answers += files_ledgers.make(self._commands, self._readers, made)
        failed = [answer["err"] for answer in answers if answer["status"] != 0]
        if failed:
            raise RuntimeError("\n".join(failed))
        return {path.name: path.read_bytes() for path in made.iterdir() if path.is_file()}


@contextmanager
def opened(folder: Path | None = None) -> Iterator[Place]:
    """A place for trials."""
    with tempfile.TemporaryDirectory(prefix="kanon-files-") as made:
        place = Place(folder or Path(made))
        try:
            yield place
        finally:
            place.close()


def _some(seeds: Sequence[int]) -> list[Trial]:
    with opened() as place:
        return [place.trial(make(seed, place.pool)) for seed in seeds]


@click.command()
@click.option("--first", default=0, help="The first seed.")
@click.option("--count", default=10_000, help="How many seeds.")
@click.option("--jobs", default=2, help="Trials at the same time.")
@click.option("--record", is_flag=True, help="Keep the figures in docs/reliability.json.")
def command(first: int, count: int, jobs: int, record: bool) -> None:
    """Damaged files by the thousand: each is refused in clear words, or released as its rows are."""
    seeds = [range(first, first + count)[start : start + 100] for start in range(0, count, 100)]
    found: list[Trial] = []
    with ProcessPoolExecutor(jobs) as pool:
        running = [pool.submit(_some, some) for some in seeds]
        for done in track(as_completed(running), "Damaged files", total=len(running)):
            found += done.result()
    _tell(found)
    if record:
        _record(found, f"scripts/faults files --first {first} --count {count}")
    if any(one.outcome.loss for one in found):
        raise SystemExit(1)


def _tell(found: Sequence[Trial]) -> None:
    for (kind, name), number in sorted(Counter((one.kind, one.outcome.name) for one in found).items()):
        click.echo(f"{number:6} {kind}: {name}")
    for one in sorted(found, key=lambda one: one.seed):
        if one.outcome.loss or one.outcome.seen:
            what = "LOSS" if one.outcome.loss else "seen"
            click.echo(f"{what} {one.seed} [{one.kind}] {one.outcome.name}: {one.damaged} {one.damage}: {one.words}")
            click.echo("     " + " | ".join(one.outcome.seen.splitlines()))
    click.echo(f"{len(found)} trials, {sum(one.seconds for one in found) / max(1, len(found)):.2f} processor seconds each")


def _record(found: Sequence[Trial], command: str) -> None:
    names = sorted({one.outcome.name for one in found}, key=lambda name: (name not in _GOOD, name))
    counts = Counter((one.kind, one.outcome.name) for one in found)
    kinds = sorted({one.kind for one in found})
    rows = [[kind, *(counts[kind, name] for name in names)] for kind in kinds]
    tally.record("files", command, ["damaged", *names], rows)


_GOOD = ("refused", "released, as others read it")
