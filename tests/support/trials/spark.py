"""Faults on a cluster of Spark: killed executors, drivers and commands, signals, runs at once, readers meanwhile.

The target of a run is a new table of the catalogue (a metastore of Hive), a table that exists, or a folder of Parquet.
A release is told by its k: what it holds is known from an undisturbed run before. It is counted by plain Spark SQL in a
session beside the cluster, the folder by DuckDB. After each fault the next run must release, and leave nothing.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import duckdb
from places import SCRIPTS

from trials import tally
from trials.interrupts import AFTER, TOLD
from trials.servers import wanted

Release = tuple[int, int, int]  # rows, the fewest of a class, a sum over the rows
KINDS = (3, 5)
TARGETS = ("new table", "table", "folder")
URL = "KANON_SQL_TEST_SPARK_CLUSTER"
# What happens to a run, and to which of its processes.
FAULTS = {
    "SIGKILL of the command": ("command", signal.SIGKILL),
    "SIGKILL of the driver": ("driver", signal.SIGKILL),
    "SIGTERM": ("command", signal.SIGTERM),
    "SIGINT": ("command", signal.SIGINT),
    "SIGHUP": ("command", signal.SIGHUP),
    "SIGKILL of the executors": ("executors", signal.SIGKILL),
}
_EXCHANGE = ("SIGKILL of the command", "SIGKILL of the driver", "SIGTERM")
_TABLE = """
    COPY (
        SELECT
            'person ' || i AS name,
            CAST(17 + hash(i) % 74 AS INTEGER) AS age,
            CASE hash(i + 1) % 2 WHEN 0 THEN 'f' ELSE 'm' END AS sex,
            CAST(10000 + hash(i + 2) % {zips} AS VARCHAR) AS zip,
            'illness ' || hash(i + 3) % 9 AS diagnosis
        FROM range({rows}) AS row(i)
    ) TO '{path}' (FORMAT parquet)
"""
_COUNT = """
    WITH r AS (SELECT * FROM {rows}), c AS (SELECT count(*) AS n FROM r GROUP BY age, sex, zip)
    SELECT (SELECT count(*) FROM r), (SELECT min(n) FROM c), (SELECT CAST(sum({digest}) AS {wide}) FROM r)
"""
_IN_DUCKDB = {"digest": "hash(age, sex, zip, diagnosis) // 1024", "wide": "HUGEINT"}
_IN_SPARK = {"digest": "CAST(xxhash64(age, sex, zip, diagnosis) AS DECIMAL(38, 0))", "wide": "DECIMAL(38, 0)"}
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # short runs
_EMPTY: Release = (0, 0, 0)
_PATIENCE = 120.0  # seconds of a run after its fault
_SETTLES = 15.0  # seconds until processes of a killed run are gone


@dataclass
class Cluster:
    """A cluster with a table of persons, and what its releases hold, by target and k."""

    folder: Path
    observer: Any
    releases: dict[tuple[str, int], Release] = field(default_factory=dict)
    lasts: float = 0.0

    @property
    def warehouse(self) -> Path:
        """The folder of the catalogue's tables."""
        return self.home / "warehouse"

    @property
    def home(self) -> Path:
        """The folder of the cluster."""
        return Path(os.environ["SPARK_CONF_DIR"]).parent

    def released(self, target: str) -> Release | None:
        """What a target holds; None where there is none. Raises what the engine raises."""
        if target == "folder":
            return self._in_folder()
        if not self.observer.catalog.tableExists("released"):
            return None
        self.observer.catalog.refreshTable("released")
        return _release(self.observer.sql(_COUNT.format(rows="released", **_IN_SPARK)).collect()[0])

    def note(self, k: int, targets: Sequence[str]) -> None:
        """What the folder holds is what each target has to hold after a run with this k."""
        in_folder = self._in_folder()
        assert in_folder is not None
        assert in_folder[1] >= k
        rows = f"parquet.`{self.folder / 'released'}`"
        in_table = _release(self.observer.sql(_COUNT.format(rows=rows, **_IN_SPARK)).collect()[0])
        assert in_table[:2] == in_folder[:2]
        self.releases |= {(target, k): in_folder if target == "folder" else in_table for target in targets}

    def _in_folder(self) -> Release | None:
        path = self.folder / "released"
        if not path.exists():
            return None
        with duckdb.connect(config={"threads": 1}) as connection:
            rows = f"read_parquet('{path}/*.parquet')"
            return _release(connection.execute(_COUNT.format(rows=rows, **_IN_DUCKDB)).fetchall()[0])

    def start(self, target: str, k: int, cores: int = 2) -> subprocess.Popen[str]:
        """A run that replaces the target."""
        (self.folder / "temporary").mkdir(exist_ok=True)
        config = self.folder / f"{target}-{k}-{cores}.json"
        config.write_text(json.dumps(self._configuration(target, k, cores)), encoding="utf-8")
        words = [sys.executable, "-m", "kanon_sql", "run", str(config), "--quiet", "--no-advice"]
        words += ["--temp-directory", str(self.folder / "temporary")]
        log = (self.folder / "java.log").open("ab")
        with log:
            return subprocess.Popen(
                words,
                env={**os.environ, "JAVA_TOOL_OPTIONS": _JAVA},
                stdout=log,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
            )

    def _configuration(self, target: str, k: int, cores: int) -> dict[str, Any]:
        place = {"path": str(self.folder / "released")} if target == "folder" else {"table": "released"}
        settings = {
            "spark.cores.max": str(cores),
            "spark.executor.memory": "1g",
            "spark.executor.extraJavaOptions": _JAVA,
            "spark.sql.shuffle.partitions": "2",
        }
        return {
            "engine": {"spark": os.environ[URL], "config": settings},
            "source": str(self.folder / "people.parquet"),
            "target": {**place, "overwrite": True},
            **wanted(k),
        }

    def other_than(self, target: str, k: int) -> int:
        """The k of another release."""
        return next(other for of, other in sorted(self.releases) if of == target and other != k)

    def lay_out(self, target: str) -> None:
        """Nothing where the target is new."""
        if target == "new table":
            self.observer.sql("DROP TABLE IF EXISTS released")

    def left(self) -> list[str]:
        """What runs left: tables, folders beside the targets, temporary files."""
        tables = [row.tableName for row in self.observer.sql("SHOW TABLES").collect()]
        names = [f"table {name}" for name in tables if name != "released"]
        names += [f"warehouse/{path.name}" for path in self.warehouse.iterdir() if path.name != "released"]
        names += [path.name for path in self.folder.iterdir() if "kanon-sql" in path.name]
        return names + [f"temporary/{path.name}" for path in (self.folder / "temporary").iterdir()]

    def executors(self) -> list[int]:
        """The executors of this cluster: processes that work in its folder."""
        return [number for number, words in _processes(self.home) if "CoarseGrainedExecutorBackend" in words]


def _release(row: Sequence[Any]) -> Release:
    rows, fewest, total = (int(value or 0) for value in row)
    return rows, fewest, total


def _processes(folder: Path) -> Iterator[tuple[int, str]]:
    """(number, command line) of the processes whose working folder lies in a folder."""
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if folder in Path(os.readlink(path / "cwd")).parents:  # noqa: PTH115
                yield int(path.name), (path / "cmdline").read_text(encoding="utf-8", errors="replace")


def _driver(process: subprocess.Popen[str]) -> list[int]:
    """The Java of a run: what its process has started."""
    return [
        number for number in _below(process.pid) if "java" in Path(f"/proc/{number}/comm").read_text(encoding="utf-8")
    ]


def _below(number: int) -> list[int]:
    with suppress(OSError):
        children = [int(word) for word in Path(f"/proc/{number}/task/{number}/children").read_text().split()]
        return [*children, *(below for child in children for below in _below(child))]
    return []


@contextmanager
def cluster(rows: int, kinds: Sequence[int] = KINDS, targets: Sequence[str] = TARGETS) -> Iterator[Cluster]:
    """The cluster of the environment, with each release known."""
    from engine_places import spark_session

    settings = {
        "spark.driver.memory": "512m",
        "spark.sql.shuffle.partitions": "1",
        "spark.ui.showConsoleProgress": "false",
    }
    with tempfile.TemporaryDirectory(prefix="clusters-") as name, spark_session("local[1]", settings) as observer:
        observer.sparkContext.setLogLevel("OFF")
        here = Cluster(Path(name), observer)
        here.warehouse.mkdir(exist_ok=True)
        observer.sql("DROP TABLE IF EXISTS released")  # of other tests in the same catalogue
        duckdb.execute(_TABLE.format(rows=rows, zips=rows // 500, path=here.folder / "people.parquet"))
        for k in kinds:
            begin = time.perf_counter()
            with here.start("folder", k) as process:
                _, said = process.communicate()
            assert process.returncode == 0, said
            here.lasts = time.perf_counter() - begin
            here.note(k, targets)
        for of in targets:
            assert len({here.releases[of, k] for k in kinds}) == len(kinds)
        assert here.left() == []
        yield here
        observer.sql("DROP TABLE IF EXISTS released")


@dataclass(frozen=True)
class Fault:
    """What happens to a run: at a share of its time, or at its exchange where there is none."""

    target: str
    name: str
    share: float | None
    k: int


@dataclass
class Outcome:
    """How a trial ended, and what is wrong with it."""

    how: str
    wrong: list[str]
    left: list[str]
    seconds: float = 0.0


def attempt(here: Cluster, fault: Fault) -> Outcome:
    """One fault, what it left, and the next run."""
    here.lay_out(fault.target)
    before = here.released(fault.target)
    if before == here.releases[fault.target, fault.k]:
        fault = replace(fault, k=here.other_than(fault.target, fault.k))
    with here.start(fault.target, fault.k) as process:
        _wait(here, fault, process, before)
        begin = time.perf_counter()
        _strike(here, fault, process)
        try:
            _, said = process.communicate(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            _, said = process.communicate()
            return Outcome("no end", [f"did not end in {_PATIENCE:.0f} s: {said[-300:]}"], [])
    seconds = time.perf_counter() - begin
    outcome = _judged(here, fault, process.returncode, said, before)
    outcome.seconds = seconds
    outcome.wrong += _next(here, fault)
    return outcome


def _wait(here: Cluster, fault: Fault, process: subprocess.Popen[str], before: Release | None) -> None:
    """Until the moment of a fault, or the end of the run."""
    end = time.monotonic() + (_PATIENCE if fault.share is None else here.lasts * fault.share)
    place = here.folder / "released" if fault.target == "folder" else here.warehouse
    at_first = _names(place, fault.target)
    while time.monotonic() < end and process.poll() is None:
        if fault.share is None and _exchanges(_names(place, fault.target), at_first, before):
            return
        time.sleep(0.0005 if fault.share is None else 0.01)


def _names(place: Path, target: str) -> set[str]:
    with suppress(OSError):
        return {str(place.stat().st_ino)} if target == "folder" else set(os.listdir(place))  # noqa: PTH208
    return set()


def _exchanges(names: set[str], at_first: set[str], before: Release | None) -> bool:
    """Whether the exchange has begun: another folder has the place, or the old table its other name."""
    if before is None:
        return bool(names - at_first)
    return any(name.endswith("_old") for name in names) or (names.isdisjoint(at_first) and bool(names))


def _strike(here: Cluster, fault: Fault, process: subprocess.Popen[str]) -> None:
    whom, number = FAULTS[fault.name]
    of_command = [process.pid] if process.poll() is None else []
    struck = {"command": of_command, "driver": _driver(process), "executors": here.executors()}[whom]
    for number_of_process in struck:
        with suppress(ProcessLookupError):
            os.kill(number_of_process, number)


def _judged(here: Cluster, fault: Fault, status: int, said: str, before: Release | None) -> Outcome:
    lines = [line for line in said.splitlines() if line.startswith("kanon-sql: error: ")]
    last = lines[-1] if lines else ""
    new = here.releases[fault.target, fault.k]
    wrong: list[str] = []
    allowed: list[Release | None]
    if status == 0 or last == AFTER:
        how, allowed = "released" if status == 0 else "after the release", [new]
    elif FAULTS[fault.name] == ("command", signal.SIGKILL):
        how, allowed = "killed", [before, new]
    elif status == 130 and last == TOLD:
        how, allowed = "interrupted", [before]
    elif status == 3 and len(lines) == 1:
        how, allowed = "failed", [before, new] if "may be" in last else [before]
    else:
        how, allowed = f"status {status}", [before]
        if FAULTS[fault.name][0] != "command" or here.lasts * (fault.share or 1) > 2:
            wrong.append(f"status {status}, said {said[-300:]!r}")
    _settled(here)
    now = here.released(fault.target)
    if now is None and before is not None and (status in (-signal.SIGKILL,) or "holds the old" in last):
        how += ", no table"
    elif now not in allowed:
        wrong.append(f"{how}: the target holds {now}, expected {allowed}, said {last[:200]!r}")
    elif how == "killed":
        how += ", old" if now == before else ", new"
    left = here.left()
    if left and how in ("interrupted", "released", "after the release"):
        wrong += [f"{how}: left {name}" for name in left]
    return Outcome(how, wrong, left)


def _settled(here: Cluster) -> None:
    """Waits until the processes of a run that ended are gone."""
    end = time.monotonic() + _SETTLES
    while here.executors() and time.monotonic() < end:
        time.sleep(0.1)


def _next(here: Cluster, fault: Fault) -> list[str]:
    """The next run on the same target: what is wrong with it."""
    k = here.other_than(fault.target, fault.k)
    with here.start(fault.target, k) as process:
        _, said = process.communicate()
    if process.returncode:
        return [f"the next run: status {process.returncode}, said {said[-300:]!r}"]
    now = here.released(fault.target)
    wrong = [] if now == here.releases[fault.target, k] else [f"the next run: the target holds {now}"]
    return wrong + [f"the next run: left {name}" for name in here.left()]


def at_once(here: Cluster, target: str) -> tuple[Counter[str], list[str]]:
    """(how two runs ended that began at once on one target, what is wrong)."""
    here.lay_out(target)
    kinds = [k for of, k in sorted(here.releases) if of == target]
    ends, wrong, allowed = Counter[str](), list[str](), {here.released(target)}
    with ExitStack() as stack:
        running = [(k, stack.enter_context(here.start(target, k, cores=1))) for k in kinds]
        for k, process in running:
            _, said = process.communicate()
            lines = [line for line in said.splitlines() if line.startswith("kanon-sql: error: ")]
            if process.returncode == 0:
                allowed.add(here.releases[target, k])
                ends["released"] += 1
            elif process.returncode in (2, 3) and lines:
                ends[f"refused: {_kind(lines[-1], here)}"] += 1
            else:
                wrong.append(f"status {process.returncode}: {said[-300:]}")
    if here.released(target) not in allowed or not ends["released"]:
        wrong.append(f"at once: the target holds {here.released(target)}, which no run that ended well has made")
    return ends, [*wrong, *(f"at once: left {name}" for name in here.left())]


def _kind(line: str, here: Cluster) -> str:
    return line.removeprefix("kanon-sql: error: ").replace(str(here.folder), "…").partition(": ")[2][:70]


@contextmanager
def reader(here: Cluster, target: str, seen: Counter[str], wrong: list[str]) -> Iterator[None]:
    """Somebody who counts the target again and again: how often each answer came, and what is none of a release."""
    ended = threading.Event()
    known = {here.releases[of, k] for of, k in here.releases if of == target}

    def look() -> None:
        while not ended.is_set():
            try:
                state = here.released(target)
            except Exception as error:
                seen[_words(error)] += 1
            else:
                if state in known:
                    seen["one release as a whole"] += 1
                elif state is None:
                    seen["no target"] += 1
                elif state == _EMPTY:
                    seen["no rows"] += 1
                else:
                    wrong.append(f"a reader saw {state}")
            ended.wait(0.25)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _words(error: Exception) -> str:
    text = str(error)
    for sign, words in (
        ("FILE_NOT_EXIST", "an error: its files are gone"),
        ("FileNotFound", "an error: its files are gone"),
        ("TABLE_OR_VIEW_NOT_FOUND", "an error: no table"),
        ("No files found", "an error: its files are gone"),
        ("No such file", "an error: its files are gone"),
    ):
        if sign in text:
            return words
    return f"an error: {text[:80]}"


def drawn(number: int, at_exchange: int, draw: random.Random) -> list[Fault]:
    """So many faults of each target: some at the exchange, half of the others in the last quarter of a run."""
    exchanges = [
        Fault(target, _EXCHANGE[at % len(_EXCHANGE)], None, draw.choice(KINDS))
        for at in range(at_exchange)
        for target in TARGETS
    ]
    others = [
        Fault(target, name, draw.uniform(0.75, 1.0) if at % 2 else draw.uniform(0.0, 1.0), draw.choice(KINDS))
        for at, name in zip(range(number), itertools.cycle(FAULTS), strict=False)
        for target in TARGETS
    ]
    return exchanges + others


@click.command(help=__doc__)
@click.option("--rows", default=20_000, show_default=True, help="Of the table.")
@click.option("--faults", "number", default=12, show_default=True, help="Of each target.")
@click.option("--exchanges", default=3, show_default=True, help="Faults of each target at its exchange.")
@click.option("--rounds", default=2, show_default=True, help="Of two runs at once on each target.")
@click.option("--seed", default=1, show_default=True, help="Draws moments and releases.")
@click.option("--only", default="", help="Faults and targets whose names have this in them.")
@click.option("--minutes", default=0.0, show_default=True, help="No further fault after so many; 0: all of them.")
@click.option("--record", is_flag=True, help="Keep the figures in docs/reliability.json.")
def command(
    rows: int, number: int, exchanges: int, rounds: int, seed: int, only: str, minutes: float, record: bool
) -> None:
    """Tries all, tells what came out, and exits with 1 where something was wrong."""
    if URL not in os.environ:
        words = [str(SCRIPTS / "spark-cluster"), "run", "--catalog", "--", "python", *sys.argv]
        os.execv(sys.executable, [sys.executable, *words])
    draw, counts, lost = random.Random(seed), Counter[tuple[str, str, str]](), list[str]()
    faults = [fault for fault in drawn(number, exchanges, draw) if only in f"{fault.target}, {fault.name}"]
    targets = [target for target in TARGETS if any(fault.target == target for fault in faults)]
    end = time.monotonic() + 60 * (minutes or float("inf"))
    with cluster(rows, targets=targets) as here:
        for fault in itertools.takewhile(lambda _: time.monotonic() < end, faults):
            seen: Counter[str] = Counter()
            with reader(here, fault.target, seen, lost):
                outcome = attempt(here, fault)
            counts[fault.target, fault.name, "lost" if outcome.wrong else outcome.how] += 1
            counts.update({(fault.target, "a reader", how): times for how, times in seen.items()})
            when = "at the exchange" if fault.share is None else f"after {fault.share * here.lasts:.1f} s"
            label = f"{fault.target}, {fault.name} {when}, k {fault.k}"
            click.echo(f"{label}: {outcome.how} after {outcome.seconds:.1f} s, left {outcome.left}", err=True)
            lost += [f"{label}: {problem}" for problem in outcome.wrong]
            for problem in outcome.wrong:
                click.echo(f"LOST {label}: {problem}", err=True)
        for target in targets * rounds:
            ended, wrong = at_once(here, target)
            counts.update({(target, "two runs at once", how): times for how, times in ended.items()})
            lost += wrong
    for problem in lost:
        click.echo(f"LOST {problem}")
    table: list[list[str | int]] = [[*key, times] for key, times in sorted(counts.items())]
    for row in table:
        click.echo("  ".join(map(str, row)))
    if record:
        options = f"--rows {rows} --faults {number} --exchanges {exchanges} --rounds {rounds} --seed {seed}"
        options += f" --minutes {minutes:g}" if minutes else ""
        tally.record("spark", f"scripts/faults spark {options}", ["target", "trial", "how it ended", "times"], table)
    raise SystemExit(1 if lost else 0)
