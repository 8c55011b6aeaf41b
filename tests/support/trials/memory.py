"""Searches of a table of nearly distinct rows with little memory: each ends well, or says what it lacks.

What a run takes is the greatest memory that its process ever held, told by a process that starts and awaits it: the
system counts to a new process what the one that started it held (`ru_maxrss`, getrusage(2)). A run that the system
kills for its memory is one that is killed when it has reached a share of what it will take.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import click
import duckdb
from places import ROOT

from trials import tally

Json = dict[str, Any]

# A small process: tells the number of its child, then how that ended. What the child prints goes to standard error.
_STARTER = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, 2, 1)])
print(child, flush=True)
_, status, used = os.wait4(child, 0)
print(status, used.ru_maxrss, used.ru_utime + used.ru_stime)
"""

MEGABYTE = 1_000_000
BESIDE = 300 * MEGABYTE  # what a process may take beside the limit: Python, the engine's code and small blocks
LEARNING = 200 * MEGABYTE  # what scikit-learn, where it is, takes beside that: `utility` predicts with it
LIMITS = ("64MB", "96MB", "128MB", "256MB", "512MB", "1GB")
K = 5
_KILLED = -signal.SIGKILL
_CLEAR = r"raise --memory-limit|raise --time-limit|--time-limit"

_TABLE = """
    COPY (
        SELECT
            'p' || (i * 5 // 6) AS person,
            if(draw(i, 1, 100) < 52, 'm', 'f') AS sex,
            17 + least(draw(i, 2, 74), draw(i, 12, 74)) AS age,
            'r' || least(draw(i, 3, 5), draw(i, 13, 5), draw(i, 23, 5)) AS race,
            'm' || least(draw(i, 4, 7), draw(i, 14, 7)) AS marital,
            'e' || least(draw(i, 5, 16), draw(i, 15, 16)) AS education,
            'c' || draw(i, 6, 41) * (draw(i, 16, 10) // 9) AS country,
            'w' || draw(i, 7, 8) * (draw(i, 17, 4) // 3) AS work,
            40 + draw(i, 8, 20) * (draw(i, 18, 3) // 2) AS hours,
            lpad(CAST(least(draw(i, 9, 240), draw(i, 19, 240)) * 7 AS VARCHAR), 5, '0') AS zip,
            'd' || draw(i, 10, 30) AS diagnosis
        FROM range($rows) AS row(i)
    ) TO $path (FORMAT parquet)
"""
_HIERARCHIES: Json = {
    "sex": {"builtin": "suppress"},
    "age": {"builtin": "intervals", "widths": [5, 10, 20]},
    "race": {"builtin": "suppress"},
    "marital": {"builtin": "suppress"},
    "education": {"builtin": "suppress"},
    "country": {"builtin": "suppress"},
    "work": {"builtin": "suppress"},
    "hours": {"builtin": "intervals", "widths": [10, 20]},
    "zip": {"builtin": "prefix", "keep": [4, 3, 2]},
}
_NUMBERS: Json = {"age": {}, "hours": {}, "zip": {"type": "number"}}
_VALUES: Json = {"k": 5, "l_diversity": {"column": "diagnosis", "l": 2}}
SEARCHES: dict[str, Json] = {
    "optimal": {},
    "samarati": {"algorithm": "samarati"},
    "minimal": {"algorithm": "minimal"},
    "mondrian": {"algorithm": "mondrian"},
    "local": {"algorithm": {"name": "local", "effort": "fast"}},
    "microaggregation": {"algorithm": "microaggregation", "quasi_identifiers": _NUMBERS},
    "blind": {
        "algorithm": {"name": "optimal", "blind": True},
        "privacy": {"k": 5, "l_diversity": {"column": "diagnosis", "l": 2}},
    },
    "known_columns": {"privacy": {"k": 5, "known_columns": 2}},
}
COMMANDS = ("check", "risk", "utility", "attack")


def make_table(path: Path, rows: int) -> None:
    """A table of nine quasi-identifiers, in which 95 of 100 rows are a combination of their own."""
    with duckdb.connect() as connection:
        connection.execute("CREATE MACRO draw(i, n, below) AS CAST(hash(i * 100 + n) % below AS INTEGER)")
        connection.execute(_TABLE.replace("$path", f"'{path}'").replace("$rows", str(rows)))


def distinct(path: Path) -> int:
    """How many combinations of quasi-identifiers the table has."""
    with duckdb.connect() as connection:
        of = f"SELECT DISTINCT {', '.join(_HIERARCHIES)} FROM '{path}'"
        return int(connection.execute(f"SELECT count(*) FROM ({of})").fetchall()[0][0])


def configuration(source: Path, target: Path, search: str, *, entity: bool) -> Json:
    """What a run of a search is asked for."""
    conf: Json = {
        "source": str(source),
        "target": {"path": str(target), "overwrite": True},
        "quasi_identifiers": _HIERARCHIES,
        "sensitive": ["diagnosis"],
        "unlisted": "drop",
        "privacy": {"k": 5},
        "suppression": {"limit": "2%"},
        **SEARCHES[search],
    }
    if entity:
        conf["privacy"] = {**conf["privacy"], "entity": "person"}
    else:
        conf["identifiers"] = ["person"]
    return conf


@dataclass(frozen=True)
class Bounds:
    """What a run is given: memory of the engine, seconds for the search and for the whole."""

    limit: str
    time_limit: float = 20.0
    clock: float = 1200.0
    threads: int = 2


@dataclass(frozen=True)
class Measured:
    """How a process ended, the most memory that it held, and its seconds of processor time."""

    status: int
    peak: int
    seconds: float
    said: str
    killed: bool = False


def measured(arguments: Sequence[str], folder: Path, clock: float, *, most: int | None = None) -> Measured:
    """Runs kanon-sql to its end, at most `clock` seconds; with `most` bytes of memory it is killed as by the system."""
    words = [sys.executable, "-c", _STARTER, sys.executable, "-m", "kanon_sql", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")}
    begun, ended = time.monotonic(), threading.Event()
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=said) as starter:
            assert starter.stdout is not None
            pid = int(starter.stdout.readline())
            watch = threading.Thread(target=_watch, args=(pid, begun + clock, most, ended))
            watch.start()
            try:
                status, peak, seconds = starter.stdout.readline().split()
            finally:
                ended.set()
                watch.join()
        said.seek(0)
        text = said.read().decode(errors="replace")
    code = os.waitstatus_to_exitcode(int(status))
    return Measured(code, int(peak) * 1024, float(seconds), text, code == _KILLED)


def _watch(pid: int, until: float, most: int | None, ended: threading.Event) -> None:
    """Kills the process when its time is up, or it holds so much memory."""
    while not ended.wait(0.005 if most else 0.1):
        if time.monotonic() > until or (most is not None and resident(pid) > most):
            os.kill(pid, signal.SIGKILL)
            return


def resident(pid: int) -> int:
    """The bytes of memory that a process holds; 0 where that cannot be told."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def size(text: str) -> int:
    """Bytes of 64MB or 1GB."""
    return int(text[:-2]) * {"MB": MEGABYTE, "GB": 1000 * MEGABYTE}[text[-2:]]


@dataclass
class Place:
    """A folder for runs over one table."""

    folder: Path
    source: Path

    @property
    def target(self) -> Path:
        return self.folder / "out" / "release.parquet"

    def run(
        self, search: str, bounds: Bounds, *, entity: bool = False, command: str = "run", most: int | None = None
    ) -> Measured:
        """One run over a target that is there already, or another command over the same configuration."""
        for name in ("out", "tmp"):
            (self.folder / name).mkdir(exist_ok=True)
        conf = configuration(self.source, self.target, search, entity=entity)
        if command in ("check", "risk"):
            del conf["target"]
        config = self.folder / "config.yaml"
        config.write_text(json.dumps(conf), encoding="utf-8")
        words = [command, str(config), "--quiet", "--threads", str(bounds.threads), "--memory-limit", bounds.limit]
        words += ["--temp-directory", str(self.folder / "tmp"), "--time-limit", str(bounds.time_limit)]
        return measured(words, self.folder, bounds.clock, most=most)

    def left(self) -> list[str]:
        """What lies beside the target and in the folder for temporary data."""
        paths = [path for name in ("out", "tmp") for path in (self.folder / name).rglob("*")]
        return sorted(f"left: {path.relative_to(self.folder)}" for path in paths if path != self.target)

    def put_old(self) -> bytes:
        """An old release, where it is one no more a new one could be taken for it."""
        self.target.parent.mkdir(exist_ok=True)
        self.target.write_bytes(b"old")
        return b"old"


def wrong(place: Place, search: str) -> list[str]:
    """What is wrong with a release, counted in SQL of the trials' own."""
    conf = configuration(place.source, place.target, search, entity=False)
    names, columns_known = list(conf["quasi_identifiers"]), conf["privacy"].get("known_columns")
    models = ", min(v)" if "l_diversity" in conf["privacy"] else ""
    lost = []
    with duckdb.connect() as connection:
        connection.execute(f"CREATE VIEW released AS FROM '{place.target}'")
        for some in combinations(names, columns_known) if columns_known else [names]:
            classes = f"SELECT count(*) AS n, count(DISTINCT diagnosis) AS v FROM released GROUP BY {', '.join(some)}"
            least_counts = connection.execute(f"SELECT min(n){models} FROM ({classes})").fetchall()[0]
            least = [K, 2][: len(least_counts)]
            if any(count is None or count < bound for count, bound in zip(least_counts, least, strict=True)):
                lost.append(f"a class of {least_counts} in {', '.join(some)}")
        if "person" in [row[0] for row in connection.execute("DESCRIBE released").fetchall()]:
            lost.append("persons are released")
    return lost


@dataclass(frozen=True)
class Trial:
    """One trial; with `share` it is killed when it holds so much of the memory that it took before."""

    search: str
    limit: str
    entity: bool = False
    command: str = "run"
    share: float | None = None

    def __str__(self) -> str:
        what = self.search if self.command == "run" else f"{self.command}, {self.search}"
        return what + (", entity" if self.entity else "") + (f", killed at {self.share:.2f}" if self.share else "")


@dataclass(frozen=True)
class Outcome:
    """How a trial ended."""

    trial: Trial
    run: Measured
    lost: list[str] = field(default_factory=list)

    def kind(self) -> str:
        """One word or two."""
        if self.lost:
            return "lost"
        if self.trial.share is not None:
            return "killed, next run well" if self.run.killed else "not killed"
        return {0: "done", 1: "does not hold", 3: "refused"}[self.run.status]


def tried(place: Place, trial: Trial, bounds: Bounds, most: int | None = None) -> Outcome:
    """A trial, judged; `most` bytes kill it, and then it is run again."""
    old = place.put_old()
    if trial.command in ("utility", "attack"):  # of a release that is there
        place.run(trial.search, replace(bounds, limit="1GB"))
        old = place.target.read_bytes()
    run = place.run(trial.search, bounds, entity=trial.entity, command=trial.command, most=most)
    lost = judged(place, trial, run, old) if most is None else []
    if most is not None:
        if run.killed and place.target.read_bytes() != old:
            lost += wrong(place, trial.search)
        again = place.run(trial.search, bounds, entity=trial.entity)
        lost += [f"the next run: {fault}" for fault in judged(place, trial, again, None)]
    return Outcome(trial, run, lost)


def judged(place: Place, trial: Trial, run: Measured, old: bytes | None) -> list[str]:
    """What is wrong after a run."""
    lost = place.left()
    allowed = {0, 3} if trial.command == "run" and trial.search != "blind" else {0, 1, 3}
    if run.killed:
        return ["it did not end in time"]
    if run.status not in allowed:
        lost.append(f"status {run.status}: {run.said}")
    if run.status == 3 and not re.search(_CLEAR, run.said):
        lost.append(f"the error does not say what to do: {run.said}")
    if run.status == 0 and trial.command == "run":
        lost += wrong(place, trial.search)
    elif old is not None and place.target.read_bytes() != old:
        lost.append("the old release is not as it was")
    over = run.peak - size(trial.limit)
    beside = BESIDE + LEARNING * (trial.command == "utility")
    if over > beside:
        lost.append(f"{over / MEGABYTE:.0f} MB more than the limit")
    return lost


def planned(limits: Sequence[str], searches: Sequence[str]) -> Iterator[Trial]:
    """Every search at every limit, with persons and without, and what only measures."""
    for limit in limits:
        for search in searches:
            yield from (Trial(search, limit, entity) for entity in (False, True))
        yield from (Trial("optimal", limit, command=command) for command in COMMANDS)


def killed(place: Place, outcomes: Sequence[Outcome], count: int, seed: int) -> Iterator[Outcome]:
    """So many of the runs again, each killed when it has reached a part of the memory that it took."""
    draw = random.Random(seed)
    runs = [outcome for outcome in outcomes if outcome.trial.command == "run" and not outcome.lost]
    for _ in range(count if runs else 0):
        outcome = draw.choice(runs)
        trial = replace(outcome.trial, share=draw.uniform(0.5, 0.98))
        yield tried(place, trial, Bounds(trial.limit), most=int((trial.share or 1) * outcome.run.peak))


@click.command()
@click.option("--jobs", default=1, show_default=True, help="Trials at the same time, each with its limit of memory.")
@click.option("--rows", default=1_000_000, show_default=True, help="Rows of the table.")
@click.option("--limits", default=",".join(LIMITS), show_default=True, help="Limits of memory.")
@click.option("--searches", default=",".join(SEARCHES), show_default=True, help="Searches.")
@click.option("--kills", default=20, show_default=True, help="Runs that are killed for their memory.")
@click.option("--seed", default=0, show_default=True, help="Of the runs that are killed, and when.")
@click.option("--record", is_flag=True, help="Keep the figures in docs/reliability.json.")
def command(jobs: int, rows: int, limits: str, searches: str, kills: int, seed: int, record: bool) -> None:
    """Little memory: each run ends well, or says that it cannot; killed ones leave nothing to the next."""
    with tempfile.TemporaryDirectory(prefix="kanon-sql-memory-") as name, ThreadPoolExecutor(jobs) as pool:
        folder = Path(name)
        make_table(folder / "people.parquet", rows)
        free: SimpleQueue[Place] = SimpleQueue()
        for number in range(jobs):
            (folder / str(number)).mkdir()
            free.put(Place(folder / str(number), folder / "people.parquet"))

        def outcome_of(trial: Trial) -> Outcome:
            place = free.get()
            try:
                return tried(place, trial, Bounds(trial.limit))
            finally:
                free.put(place)

        trials = list(planned(limits.split(","), searches.split(",")))
        with click.progressbar(pool.map(outcome_of, trials), length=len(trials), label="trials") as shown:
            outcomes = list(shown)
        with click.progressbar(killed(free.get(), outcomes, kills, seed), length=kills, label="kills") as shown:
            outcomes += shown
    _told(outcomes)
    if record:
        words = f"scripts/faults memory --rows {rows} --limits {limits} --kills {kills} --seed {seed}"
        head = ["run", "limit", "ended", "most memory, MB", "processor seconds"]
        tally.record("memory", words, head, _rows(outcomes))
    raise SystemExit(1 if any(outcome.lost for outcome in outcomes) else 0)


def _rows(outcomes: Sequence[Outcome]) -> list[list[str | int]]:
    """A row for each trial, and one for all that were killed."""
    rows: list[list[str | int]] = [
        [
            str(outcome.trial),
            outcome.trial.limit,
            outcome.kind(),
            round(outcome.run.peak / MEGABYTE),
            round(outcome.run.seconds),
        ]
        for outcome in outcomes
        if outcome.trial.share is None
    ]
    kills = Counter(outcome.kind() for outcome in outcomes if outcome.trial.share is not None)
    return rows + [[f"{count} of those", "", kind, "", ""] for kind, count in sorted(kills.items())]


def _told(outcomes: Sequence[Outcome]) -> None:
    for row in _rows(outcomes):
        click.echo("  ".join(str(cell) for cell in row))
    for kind, count in sorted(Counter(outcome.kind() for outcome in outcomes).items()):
        click.echo(f"{kind}: {count}")
    for outcome in outcomes:
        if outcome.lost:
            click.echo(f"LOST {outcome.trial}, {outcome.trial.limit}: {'; '.join(outcome.lost)}")
