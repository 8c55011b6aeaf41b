"""Small faults seeded into a copy of the program, one by one: which tests catch each.

`mutants.yaml` beside this file lists them, each as a text of a file and what takes its place, where it would break
privacy, correctness or durability, with the tests that speak of it. A fault is tried on these first, then on plain
`pytest`, then on all tests; the first that fails has caught it. What nothing catches is a gap, or must be argued to
change nothing (`equivalent`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click
import yaml
from places import ROOT

from trials.tally import record

LISTED = Path(__file__).with_suffix(".yaml")
COPIED = ("kanon_sql", "queries", "hierarchies", "tests", "examples", "docs", "scripts", "benchmarks", "packaging")
PLAIN, REST, NOTHING, EQUIVALENT = "plain pytest", "all tests", "nothing", "argued to be equivalent"
SECONDS = 3600.0  # a fault that makes tests wait forever is caught as well


@dataclass(frozen=True)
class Mutant:
    """A fault: `before` stands once in `file`, `after` takes its place. `tests` speak of it."""

    file: str
    fault: str
    before: str
    after: str
    tests: tuple[str, ...]
    equivalent: str = ""

    def applied(self, text: str) -> str:
        """The text of the file with the fault. Raises ValueError where it does not apply exactly once."""
        if text.count(self.before) != 1:
            raise ValueError(f"{self.file}: {self.fault}: stands {text.count(self.before)} times, expected once")
        return text.replace(self.before, self.after)


def mutants(path: Path = LISTED) -> list[Mutant]:
    """Those of the list."""
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [Mutant(**{**entry, "tests": tuple(entry.get("tests", ()))}) for entry in entries]


def copied(folder: Path) -> Path:
    """The checkout without its history, as tests need it."""
    ignored = shutil.ignore_patterns("__pycache__", ".venv", "*.egg-info")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for path in ROOT.glob("*.*"):
        if path.is_file():
            shutil.copy(path, folder)
    return folder


def fails(folder: Path, words: Sequence[str]) -> bool:
    """Whether a test fails, or takes too long."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-n0", "-p", "no:cacheprovider", *words]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode not in (0, 5)  # 5: nothing of it is a plain test


def caught_by(mutant: Mutant, folder: Path, *, thorough: bool) -> str:
    """What catches a fault in the checkout at `folder`, which is as it was afterwards."""
    path = folder / mutant.file
    text = path.read_text(encoding="utf-8")
    path.write_text(mutant.applied(text), encoding="utf-8")
    tries: list[tuple[str, list[str]]] = [(PLAIN, [*mutant.tests])] if mutant.tests else []
    if thorough:
        tries.append((PLAIN, ["tests", "--ignore=tests/house"]))
    tries += [
        (REST, ["--rest", "-m", "not cluster and not sqlmesh and not browser and not lake and not jobs", *mutant.tests])
    ]
    try:
        return next((name for name, words in tries if fails(folder, words)), NOTHING)
    finally:
        path.write_text(text, encoding="utf-8")


def try_all(chosen: Sequence[Mutant], workers: int, *, thorough: bool) -> Iterable[tuple[Mutant, str]]:
    """Each fault with what catches it, in the order of the list."""
    with tempfile.TemporaryDirectory(prefix="kanon-sql-mutants-") as folder:
        free = [copied(Path(folder) / str(number)) for number in range(workers)]

        def tried(mutant: Mutant) -> str:
            checkout = free.pop()
            try:
                return caught_by(mutant, checkout, thorough=thorough)
            finally:
                free.append(checkout)

        with ThreadPoolExecutor(workers) as pool:
            yield from zip(chosen, pool.map(tried, chosen), strict=True)


@click.command(help=__doc__)
@click.option("--only", metavar="TEXT", default="", help="Only faults whose file or description holds the text.")
@click.option("--thorough", is_flag=True, help="Where the named tests catch nothing, try all plain tests too.")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
@click.option("--record", "recorded", is_flag=True, help="Keep the figures in docs/reliability.md.")
def command(only: str, thorough: bool, workers: int, recorded: bool) -> None:
    """Tries the faults, and says what caught each."""
    chosen = [mutant for mutant in mutants() if only in f"{mutant.file} {mutant.fault}"]
    ends: Counter[str] = Counter()
    for mutant, catcher in try_all(chosen, workers, thorough=thorough):
        ending = EQUIVALENT if catcher == NOTHING and mutant.equivalent else catcher
        ends[ending] += 1
        click.echo(f"{ending:24} {mutant.file}: {mutant.fault}")
    click.echo(", ".join(f"{ending}: {number} of {ends.total()}" for ending, number in ends.most_common()))
    if recorded:
        rows: list[list[str | int]] = [[ending, ends[ending]] for ending in (PLAIN, REST, EQUIVALENT, NOTHING)]
        record("mutants", "scripts/faults mutants --thorough --record", ["caught by", "faults"], rows)
    if ends[NOTHING]:
        raise SystemExit(1)
