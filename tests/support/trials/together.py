"""Runs at once, readers during the exchange, sources that change under a run: the long form of tests/faults."""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import click

from trials import tally, together_readers, together_runs, together_source
from trials.together_source import LostError

PARTS = ("source", "runs", "readers")
Outcome = tuple[str, str, int]  # the kind of trial, how it ended, how often
_MOMENTS = 5000  # more statements than any of these runs asks


def _kept(folder: Path, work: Callable[[], list[Outcome]], kind: str, how: str) -> list[Outcome]:
    """The outcomes of a trial in a folder of its own, which stays where it was lost."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        outcomes = work()
    except LostError as lost:
        return [(kind, f"LOST {how}: {lost} ({folder})", 1)]
    shutil.rmtree(folder)
    return outcomes


def sweep(kind: str, seed: int, step: int, folder: Path) -> list[Outcome]:
    """The source of one kind is changed before each so many statements of a run, from the first to the last."""
    counted: Counter[str] = Counter()
    lost: list[Outcome] = []
    last = _MOMENTS
    for moment in count(seed % step, step):
        if moment >= last:
            break

        def once(moment: int = moment) -> list[Outcome]:
            nonlocal last
            ended, last = together_source.trial(kind, folder, seed, moment)
            return [(kind, ended, 1)]

        for _, ended, _ in _kept(folder, once, kind, f"seed {seed}, statement {moment}"):
            counted[ended] += 1
            if ended.startswith("LOST"):
                last = min(last, moment + 1)
    return [*lost, *((kind, ended, times) for ended, times in counted.items())]


def by_time(kind: str, seed: int, folder: Path) -> list[Outcome]:
    """The source is changed at a random time of a run over more rows."""
    seconds = random.Random(seed).uniform(0, 1.0)

    def once() -> list[Outcome]:
        return [(kind, together_source.trial(kind, folder, seed, seconds, 3000)[0], 1)]

    return _kept(folder, once, kind, f"seed {seed}, {seconds:.3f} seconds")


def _source(jobs: int, rounds: int, seed: int, step: int, folder: Path) -> Iterator[list[Outcome]]:
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        waiting = []
        for number, kind in enumerate(together_source.CASES):
            waiting.append(pool.submit(sweep, kind, seed, step, folder / f"sweep{number}"))
            for number_of_seed in range(seed, seed + rounds):
                waiting.append(pool.submit(by_time, kind, number_of_seed, folder / f"time{number}-{number_of_seed}"))
        for one_of in waiting:
            yield one_of.result()


def _runs(rounds: int, runs: int, seed: int, given: Mapping[str, Any], folder: Path) -> Iterator[list[Outcome]]:
    """Rounds of random kinds but for what is given; in one of ten, fewer runs are commands."""
    for number in range(seed, seed + rounds):
        drawn = together_runs.random_round(random.Random(number), runs)
        if number % 10 == 9:
            drawn = replace(drawn, mode="commands", killed=0, runs=max(2, runs // 8))
        drawn = replace(drawn, **given)
        place = folder / f"runs{number}"

        def once(plan: together_runs.Round = drawn, place: Path = place, number: int = number) -> list[Outcome]:
            ends = together_runs.trial(plan, place, number)
            return [(f"at once: {plan.target}", ended, times) for ended, times in ends.items() if times]

        yield _kept(place, once, f"at once: {drawn.target}", f"seed {number}, {drawn}")


def _readers(runs: int, folder: Path) -> Iterator[list[Outcome]]:
    for number, kind in enumerate(together_readers.TARGETS):
        place = folder / f"readers{number}"

        def once(kind: str = kind, place: Path = place) -> list[Outcome]:
            ends = together_readers.trial(kind, place / "here", runs)
            return [(f"read: {kind}", ended, times) for ended, times in ends.items()]

        yield _kept(place, once, f"read: {kind}", f"{runs} releases")


def _table(counted: Counter[tuple[str, str]]) -> list[list[str | int]]:
    """A line for each group of trials and how they ended: changed sources, runs at once, readers."""
    lines: Counter[tuple[str, str]] = Counter()
    for (kind, ended), times in counted.items():
        group = kind.partition(":")[0] if ":" in kind else "source changed"
        lines[group, "lost" if ended.startswith("LOST") else ended] += times
    return [[*line, times] for line, times in sorted(lines.items())]


@click.command()
@click.option("--part", "parts", type=click.Choice(PARTS), multiple=True, help="only this; may be repeated")
@click.option("--rounds", default=50, show_default=True, help="of runs at once, and of changes by time for each kind")
@click.option("--runs", default=50, show_default=True, help="at once in each round; releases while others read")
@click.option("--step", default=1, show_default=True, help="changes before each so many statements of a run")
@click.option("--seed", default=1, show_default=True, help="of the first round")
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="processes that sweep moments")
@click.option("--target", type=click.Choice(list(together_runs.TARGETS)), help="of runs at once; random otherwise")
@click.option("--source", type=click.Choice(together_runs.SOURCES), help="of runs at once; random otherwise")
@click.option("--mode", type=click.Choice(["forks", "threads", "commands"]), help="of runs at once; random otherwise")
@click.option("--killed", type=int, help="how many runs of a round are killed; random otherwise")
@click.option("--record", is_flag=True, help="keeps the figures for docs/reliability.md")
def command(
    parts: tuple[str, ...], rounds: int, runs: int, step: int, seed: int, jobs: int, record: bool, **given: Any
) -> None:
    """Runs at once, readers during the exchange, and sources that change at any moment of a run."""
    chosen, counted = parts or PARTS, Counter[tuple[str, str]]()
    folder = Path(tempfile.mkdtemp(prefix="together-"))
    fixed = {name: value for name, value in given.items() if value is not None}
    trials: list[tuple[int, Iterator[list[Outcome]]]] = []
    # Children are forked while this process has no other threads.
    if "runs" in chosen:
        trials.append((rounds, _runs(rounds, runs, seed, fixed, folder)))
    if "readers" in chosen:
        trials.append((len(together_readers.TARGETS), _readers(runs, folder)))
    if "source" in chosen:
        trials.append((len(together_source.CASES) * (1 + rounds), _source(jobs, rounds, seed, step, folder)))
    for length, outcomes_of_part in trials:
        with click.progressbar(outcomes_of_part, length=length, file=sys.stderr) as bar:
            for outcomes in bar:
                for kind, ended, times in outcomes:
                    counted[kind, ended] += times
    if not any(ended.startswith("LOST") for _, ended in counted):
        shutil.rmtree(folder, ignore_errors=True)
    for (kind, ended), times in sorted(counted.items()):
        click.echo(f"{times:>7}  {kind}: {ended}")
    lost = [key for key in counted if key[1].startswith("LOST")]
    if record:
        words = f"scripts/faults together --rounds {rounds} --runs {runs} --step {step} --seed {seed}"
        tally.record("together", words, ["trial", "how it ended", "times"], _table(counted))
    sys.exit(1 if lost else 0)
