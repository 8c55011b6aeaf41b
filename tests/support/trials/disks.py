"""Runs whose disk becomes full, loses its inodes or is read-only: the old is whole then, or the release is.

A scenario is a job that is done on a disk of its own. It is tried with so many bytes (or inodes) free, from none to as
many as suffice; `places` puts one of its folders there and leaves the others on a disk with room. Mounts need root or
a user namespace (`unshare`), so a process of its own does them: see `disks_worker`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import click
from places import ROOT, TESTS

from trials import tally
from trials.disks_jobs import SCENARIOS

Json = dict[str, Any]
_NAMESPACE = ("--mount", "--propagation", "private")
_STEPS = 20


@cache
def missing() -> str:
    """Why no file system can be mounted here; nothing where one can."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return "no file system can be mounted: there is no unshare"
    tried = [*_words(), "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    done = subprocess.run(tried, capture_output=True, text=True, check=False)
    return f"no file system can be mounted: {done.stderr.strip()}" if done.returncode else ""


def _words() -> list[str]:
    return ["unshare", *(() if os.geteuid() == 0 else ("--map-root-user",)), *_NAMESPACE]


def trials(scenario: str, place: str, kind: str = "bytes", steps: int = _STEPS, seed: int = 0) -> list[Json]:
    """What became of each trial: free bytes or inodes, status, what was said, and what was lost (see `judged`)."""
    words = [*_words(), sys.executable, "-m", "trials.disks_worker", scenario, place, kind, str(steps), str(seed)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(TESTS / "support")))}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(f"{scenario}, {place}, {kind}: the trials did not end\n{done.stderr[-4000:]}")
    outcomes: list[Json] = json.loads(done.stdout.splitlines()[-1])
    return outcomes


def pairs() -> Iterator[tuple[str, str, str]]:
    """Every (scenario, place, kind)."""
    for name, scenario in SCENARIOS.items():
        for place in scenario.places:
            yield from ((name, place, kind) for kind in ("bytes", "inodes", "read-only"))


def said(outcome: Json) -> str:
    """An outcome as a kind of it."""
    if outcome["lost"]:
        return "lost"
    return {0: "released, verified", 3: "error, all as it was"}[outcome["status"]] + (
        ", released" if outcome["released"] and outcome["status"] else ""
    )


@click.command()
@click.option("--jobs", default=os.cpu_count() or 1, show_default=True, help="Trials at the same time.")
@click.option("--steps", default=_STEPS, show_default=True, help="Sizes of the disk below the one that suffices.")
@click.option("--seed", default=0, show_default=True, help="Moves the sizes between the steps.")
@click.option("--only", metavar="SCENARIO", help="One scenario only.")
@click.option("--record", is_flag=True, help="Keep the figures in docs/reliability.json.")
def command(jobs: int, steps: int, seed: int, only: str | None, record: bool) -> None:
    """Disks that become full at every stage of a run, run out of inodes, or are read-only."""
    if missing():
        raise click.ClickException(missing())
    wanted = [pair for pair in pairs() if only in (None, pair[0])]

    def found_of(pair: tuple[str, str, str]) -> tuple[tuple[str, str, str], list[Json]]:
        return pair, trials(pair[0], pair[1], pair[2], steps, seed)

    counts: dict[str, Counter[str]] = {}
    losses = []
    with (
        ThreadPoolExecutor(jobs) as pool,
        click.progressbar(pool.map(found_of, wanted), length=len(wanted), label="trials") as done,
    ):
        for (scenario, place, kind), outcomes in done:
            counted = counts.setdefault(scenario, Counter())
            counted.update(said(outcome) for outcome in outcomes)
            losses += [(scenario, place, kind, outcome) for outcome in outcomes if outcome["lost"]]
    kinds = ["released, verified", "error, all as it was", "error, all as it was, released", "lost"]
    rows: list[list[str | int]] = [
        [name, sum(kinds_of.values()), *(kinds_of[kind] for kind in kinds)] for name, kinds_of in counts.items()
    ]
    for row in rows:
        click.echo("  ".join(str(cell) for cell in row))
    for scenario, place, kind, outcome in losses:
        click.echo(
            f"LOST {scenario} {place} {kind} free={outcome['free']} seed={seed}: {outcome['lost']} {outcome['said']}"
        )
    if record:
        head = ["scenario", "trials", "released", "error, nothing changed", "released, then an error", "lost"]
        tally.record("disks", f"scripts/faults disks --steps {steps} --seed {seed}", head, rows)
    raise SystemExit(1 if losses else 0)
