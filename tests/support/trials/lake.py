"""Runs in place in a lake that are killed: the lake holds the old rows or the new ones, and in the end no raw value.

A lake with a history is laid out, and runs in place are killed on it at random moments until one has replaced its
table: half of them anywhere in the run, a third at one of the calls of the exchange, each as likely, the others at
one of those behind the step that decides, when the files with the earlier rows go. After each kill the files of the
lake must be as they were, byte by byte, or its table hold the rows of an undisturbed run. Once they are replaced, one
more run is made, and then every file is searched for what stood in each raw row. A run is a fork of a process that
has loaded everything, so that a kill costs no start of Python.
"""

from __future__ import annotations

import importlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import click
from lakes import SECRET, lay_out, opened
from places import ROOT
from tables import configuration

import kanon_sql
import kanon_sql.targets.lake as module
from kanon_sql.errors import KanonError
from kanon_sql.sql import template
from kanon_sql.sql.connection import EngineOptions
from trials import tally
from trials.interrupts import contents
from trials.together_runs import forked, in_child
from trials.together_source import LostError

CATALOG = "meta.ducklake"
_ROWS = 300
_KILLS = 50  # at most, of one lake, until a run is left to its end
_HEAD = ("kills", "old rows", "new rows", "ended before", "lakes searched", "raw values found", "wrong")


def make(path: Path) -> None:
    """A lake with a history: files, rows in the catalog itself, deleted and changed rows, another table."""
    with opened(path) as connection:
        lay_out(connection, _ROWS)
        connection.execute("CREATE TABLE lake.visits AS SELECT 1 AS visit, 'a text of a visit' AS text")


def digest(path: Path) -> str:
    """What the table and its neighbour hold, as one text."""
    with opened(path, "(READ_ONLY)") as connection:
        query = "SELECT md5(string_agg(row, ';' ORDER BY row)) FROM (SELECT CAST(t AS VARCHAR) AS row FROM {} AS t)"
        digests = [connection.execute(query.format(f"lake.{table}")).fetchall()[0][0] for table in ("people", "visits")]
    return " ".join(digests)


def holding(folder: Path) -> int:
    """How often what stands in each raw row is found in the files below a folder."""
    return sum(file.read_bytes().count(SECRET.encode()) for file in folder.rglob("*") if file.is_file())


def _job(path: Path) -> dict[str, Any]:
    return configuration({"database": f"ducklake:{path}", "table": "people"}, "in-place", identifiers=["name"])


def _release(path: Path) -> None:
    kanon_sql.run(_job(path), advice=False, options=EngineOptions(threads=2))


@dataclass
class Lake:
    """A lake as laid out, the digests of its table before and after, how long a run takes, the calls of an exchange."""

    folder: Path
    laid_out: Path
    old: str = ""
    new: str = ""
    lasts: float = 0.0
    calls: int = 0
    decided: int = 0  # the call of an exchange by which the new catalog is known to be in its place

    @property
    def path(self) -> Path:
        """The catalog, always at the same place: it names folders."""
        return self.folder / "lake" / CATALOG

    def lay_out(self) -> None:
        """The lake as it was at first."""
        shutil.rmtree(self.path.parent, ignore_errors=True)
        shutil.copytree(self.laid_out, self.path.parent)


def prepared(folder: Path) -> Lake:
    """A lake, once released undisturbed. Raises LostError where that leaves anything."""
    lake = Lake(folder, folder / "laid_out")
    lake.path.parent.mkdir()
    in_child(partial(make, lake.path))
    shutil.copytree(lake.path.parent, lake.laid_out)
    if not holding(lake.laid_out):
        raise LostError("no raw value stands in the lake, so that none can be found")
    lake.old = answer_of(lambda: digest(lake.path))
    load(answer_of(lambda: _loaded_by_a_run(lake.path)).split())
    lake.lay_out()
    begun = time.monotonic()
    lake.decided, lake.calls = map(int, answer_of(lambda: _calls_of_an_exchange(lake.path)).split())
    lake.lasts = time.monotonic() - begun
    lake.new = answer_of(lambda: digest(lake.path))
    if lake.new == lake.old or holding(lake.path.parent):
        raise LostError("an undisturbed run leaves raw values")
    return lake


def _loaded_by_a_run(path: Path) -> str:
    _release(path)
    return " ".join(sys.modules)


def load(modules: Iterable[str]) -> None:
    """Loads modules and the texts of queries, so that no fork has to: what is left of a run is its work."""
    for name in modules:
        with suppress(ImportError):
            importlib.import_module(name)
    for path in (ROOT / "queries").rglob("*.sql"):
        template.load(str(path.relative_to(ROOT / "queries").with_suffix("")))


def answer_of(answering: Callable[[], str]) -> str:
    """The answer of a child. Raises LostError where it gives none."""
    reading, writing = os.pipe()

    def telling() -> None:
        os.write(writing, answering().encode())

    child = forked(telling)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    if os.waitpid(child, 0)[1] or not text:
        raise LostError("the lake could not be read")
    return text


@contextmanager
def _counting(kill_at: int, writing: int) -> Iterator[None]:
    """In the block an exchange counts its calls: it kills the process at one, or tells of how many which decided."""
    commit, calls, decided = module.LakeSink.commit, 0, 0

    def counted(self: module.LakeSink, engine: Any) -> None:
        def seen(_frame: FrameType, event: str, _argument: Any) -> None:
            nonlocal calls, decided
            calls += event in ("call", "c_call", "c_return")
            if self.staged.committed and not decided:
                decided = calls
            if calls == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(seen)
        commit(self, engine)
        sys.setprofile(None)
        os.write(writing, f"{decided} {calls}".encode())

    module.LakeSink.commit = counted  # type: ignore[method-assign]
    try:
        yield
    finally:
        module.LakeSink.commit = commit  # type: ignore[method-assign]


def _calls_of_an_exchange(path: Path) -> str:
    reading, writing = os.pipe()
    with _counting(0, writing):
        _release(path)
    return os.read(reading, 100).decode()


def killed(lake: Lake, draw: random.Random) -> bool:
    """Starts a run and kills it; whether it was still running."""
    where, share = draw.random(), draw.random()
    in_exchange = where < 1 / 2
    call = draw.randrange(lake.decided if where < 1 / 6 else 1, lake.calls + 1)

    def running() -> None:
        with _counting(call if in_exchange else 0, os.open(os.devnull, os.O_WRONLY)), suppress(KanonError):
            _release(lake.path)

    begun = time.monotonic()
    child = forked(running)
    if not in_exchange:
        if _ended(child, share * lake.lasts):
            lake.lasts += 0.2 * (time.monotonic() - begun - lake.lasts)
            return False
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    return os.WIFSIGNALED(status)


def _ended(child: int, seconds: float) -> bool:
    """Whether a child ends within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(min(0.002, max(end - time.monotonic(), 0)))
    return False


def trial(lake: Lake, draw: random.Random, kills: int, tally_of: Counter[str]) -> None:
    """One lake, until its table is replaced or so many runs were killed. Raises LostError with what is wrong."""
    lake.lay_out()
    before = contents(lake.path.parent)
    replaced, most = False, tally_of["kills"] + kills
    while not replaced and tally_of["kills"] < most:
        was_killed = killed(lake, draw)
        tally_of["kills" if was_killed else "ended before"] += 1
        files = contents(lake.path.parent)
        replaced = files.get(CATALOG) != before[CATALOG]
        if not replaced and {name: files.get(name) for name in before} != before:
            raise LostError("the catalog is the old one, but its files are not as they were")
        if was_killed:
            tally_of["new rows" if replaced else "old rows"] += 1
    _searched(lake, lake.new if replaced else lake.old, tally_of)


def _searched(lake: Lake, state: str, tally_of: Counter[str]) -> None:
    """Looks at the rows, makes the next run, and searches every byte. Raises LostError with what is wrong."""

    def running() -> str:
        first = digest(lake.path)
        # On a release the run finds texts where there were numbers, and refuses them: it clears up all the same.
        with suppress(KanonError):
            _release(lake.path)
        return f"{first};{digest(lake.path)}"

    if answer_of(running) != f"{state};{lake.new}":
        raise LostError("the table holds neither the old rows nor the new ones")
    tally_of["lakes searched"] += 1
    values = holding(lake.path.parent)
    tally_of["raw values found"] += values
    if values:
        raise LostError(f"{values} raw values were found")
    left = [name for name in contents(lake.path.parent) if "kanon" in name]
    if left:
        raise LostError(f"left {', '.join(left)}")


@click.command(help=__doc__)
@click.option("--kills", default=1_000, show_default=True, help="Runs that are killed.")
@click.option("--seed", default=1, show_default=True, help="Draws the moments.")
@click.option("--seconds", default=1e9, show_default="no end", help="After which no other lake is begun.")
@click.option("--scratch", type=click.Path(path_type=Path, file_okay=False), help="Where the lakes are made.")
@click.option("--record", is_flag=True, help="Keep the figures in docs/reliability.json.")
def command(kills: int, seed: int, seconds: float, scratch: Path | None, record: bool) -> None:
    """Tries all, tells what came out, and exits with 1 where something was wrong."""
    folder = Path(tempfile.mkdtemp(prefix="lake-", dir=scratch))
    counted: Counter[str] = Counter()
    draw, begun = random.Random(seed), time.monotonic()
    try:
        lake = prepared(folder)
        while counted["kills"] < kills and time.monotonic() - begun < seconds:
            try:
                trial(lake, draw, min(_KILLS, kills - counted["kills"]), counted)
            except LostError as error:
                counted["wrong"] += 1
                kept = folder.with_name(f"{folder.name}-wrong-{counted['wrong']}")
                shutil.copytree(lake.path.parent, kept)
                click.echo(f"after {counted['kills']} kills: {error}; see {kept}")
            click.echo(f"{time.monotonic() - begun:.0f} s: {_line(counted)}", err=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    click.echo(_line(counted))
    if record:
        words = f"scripts/faults lake --kills {kills} --seed {seed}"
        tally.record("lake", words, _HEAD, [[counted[what] for what in _HEAD]])
    if counted["wrong"]:
        raise SystemExit(1)


def _line(counted: Counter[str]) -> str:
    return ", ".join(f"{what} {counted[what]:,}" for what in _HEAD)
