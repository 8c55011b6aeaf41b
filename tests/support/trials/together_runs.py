"""Many runs at once on one target, one source, one ledger: processes, threads, and some that are killed meanwhile.

Each run releases a marker column of its own, so that a release tells whose it is.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
from ledger_jobs import entries
from places import ROOT

import kanon_sql
from kanon_sql.errors import KanonError
from kanon_sql.sql.connection import EngineOptions
from kanon_sql.targets.database import TableSink
from kanon_sql.targets.staging import Staged, StagedFolder
from trials.together_source import LostError

PATIENCE = 600.0  # seconds until a round counts as a deadlock
LAST = "the next run"
# How a run may end that met another one: exit status, and what the message says.
DOCUMENTED = (
    (3, r"another run is writing this target"),
    (3, r"was changed by another program during the run"),
    (3, r"the ledger \S+ cannot be opened: another program uses it"),
    (3, r"[Cc]ould not set lock on file|Conflicting lock is held"),
    (3, r"another connection of this program has the database open"),
)
# In place only the first run finds the columns that it asks for.
REPLACED = ((2, r"there is no column '(m\d+|age|sex|zip)'|is release \d+ of the ledger|looks like an earlier release"),)
QUASI = ("sex", "age", "zip")


@dataclass(frozen=True)
class Round:
    """What is tried: the kind of target and source, how many runs, how they are started, how many are killed."""

    target: str
    source: str
    runs: int
    mode: str = "forks"
    killed: int = 0
    ledger: bool = True

    def __str__(self) -> str:
        kept = ", one ledger" if self.ledger else ""
        return f"{self.target} from {self.source}, {self.runs} {self.mode}, {self.killed} killed{kept}"


TARGETS = {
    "csv": {"path": "target.csv", "overwrite": True},
    "parquet": {"path": "target.parquet", "overwrite": True},
    "table": {"database": "target.duckdb", "table": "released", "overwrite": True},
    "table beside the source": {"database": "source.duckdb", "table": "released", "overwrite": True},
    "table, kept file": {"database": "kept.duckdb", "table": "released", "overwrite": True, "allow_remanence": True},
    "own files": {"path": "own{}.csv"},
    "in place": "in-place",
}
SOURCES = ("csv", "parquet", "folder", "database")


def possible(target: str, source: str) -> bool:
    return source == "database" if target == "table beside the source" else target == "in place" or source != "folder"


@dataclass
class Place:
    """The folder of a round, and what happened in it."""

    folder: Path
    plan: Round
    before: set[str] = field(default_factory=set)

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def configuration(self, run: int) -> dict[str, Any]:
        target: Any = TARGETS[self.plan.target]
        if self.plan.target == "own files":
            target = {"path": f"own{run}.csv"}
        database = {"database": "source.duckdb", "table": "people"}
        kept = {"releases": {"path": "ledger.duckdb", "on_conflict": "warn"}} if self.plan.ledger else {}
        return {
            "source": database if self.plan.source == "database" else f"source{_suffix(self.plan.source)}",
            "target": target,
            "quasi_identifiers": {
                "sex": {"builtin": "suppress"},
                "age": {"builtin": "intervals", "widths": [10, 30]},
                "zip": {"builtin": "prefix", "keep": [4, 3]},
            },
            "insensitive": [f"m{run}"],
            "unlisted": "drop",
            "privacy": {"k": 3 + run % 4},
            "suppression": {"limit": "30%"},
            **kept,
        }


def _suffix(source: str) -> str:
    return "" if source == "folder" else f".{source}"


def make(folder: Path, plan: Round, seed: int) -> None:
    """The source with the markers of all runs, and one for the run after them; in a process that ends then."""
    work = folder / "work"
    for subfolder in (work, folder / "spill", folder / "told"):
        subfolder.mkdir(parents=True)
    draw = random.Random(seed)
    marks = ", ".join(f"'run {i}' AS m{i}" for i in range(plan.runs + 1))
    rows = [
        (draw.choice("fm"), draw.randint(20, 79), f"021{draw.randint(30, 49)}", draw.choice(["flu", "gut"]))
        for _ in range(150)
    ]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE rows (sex VARCHAR, age INTEGER, zip VARCHAR, diagnosis VARCHAR)")
        connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?)", rows)
        connection.execute(f"CREATE TABLE people AS SELECT *, {marks} FROM rows")
        connection.execute(f"ATTACH '{work}/source.duckdb' AS s; CREATE TABLE s.people AS FROM people; DETACH s")
        connection.execute(f"ATTACH '{work}/kept.duckdb' AS s; CREATE TABLE s.other AS SELECT 42 AS answer; DETACH s")
        for suffix in ("csv", "parquet"):
            connection.execute(f"COPY people TO '{work}/source.{suffix}' (FORMAT {suffix})")
        (work / "source").mkdir()
        for part in range(3):
            connection.execute(f"COPY people TO '{work}/source/part-{part}.parquet' (FORMAT parquet)")


def read(place: Place, run: int | None = None) -> tuple[str, list[tuple[Any, ...]]] | None:
    """(the marker column, rows: quasi-identifiers and marker) of what stands in the target's place now."""
    target = place.configuration(run or 0)["target"]
    if target == "in-place":
        target = place.configuration(0)["source"]
    with duckdb.connect() as connection:
        if isinstance(target, dict) and "database" in target:
            if not (place.work / target["database"]).exists():
                return None
            connection.execute(f"ATTACH '{place.work / target['database']}' AS t (READ_ONLY)")
            tables = {row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
            if target["table"] not in tables:
                return None
            named = f"t.{target['table']}"
        else:
            path = place.work / (target if isinstance(target, str) else target["path"])
            if not path.exists():
                return None
            named = f"'{path}/**/*.parquet'" if path.is_dir() else f"'{path}'"
        cursor = connection.execute(f"SELECT * FROM {named}")
        names = [column[0] for column in cursor.description or ()]
        marks = [name for name in names if re.fullmatch(r"m\d+", name)]
        if len(marks) > 1:
            return "source", []
        chosen = ", ".join((*QUASI, *marks))
        return marks[0], connection.execute(f"SELECT {chosen} FROM {named}").fetchall()


def _digest(place: Place, run: int) -> str:
    """What stands in the target's place, in few letters: the bytes of a file, whose it is of a table."""
    content = read(place, run)
    return hashlib.sha256(repr(None if content is None else (content[0], sorted(content[1]))).encode()).hexdigest()[:16]


_who = threading.local()


@contextmanager
def logged(place: Place) -> Iterator[None]:
    """In the block each exchange is noted, with whose run it was, while no other run can make one."""
    log = place.folder / "told" / "exchanges"

    def noting(original: Callable[..., Any]) -> Callable[..., Any]:
        def exchanging(self: Any, *given: Any) -> Any:
            exchanged = original(self, *given)
            # The ledger's own file is made by the same means.
            if not (isinstance(self, Staged) and "ledger" in self.target.name):
                with log.open("a") as file:
                    file.write(f"{_who.run}\n")
            return exchanged

        return exchanging

    with (
        mock.patch.object(Staged, "_move", noting(Staged._move)),
        mock.patch.object(StagedFolder, "_exchange", noting(StagedFolder._exchange)),
        mock.patch.object(TableSink, "commit", noting(TableSink.commit)),
    ):
        yield


def one_run(place: Place, run: int) -> None:
    """A run, and what became of it."""
    _who.run = run
    ending: dict[str, Any] = {"run": run}
    configuration = place.work / f"run{run}.yaml"
    configuration.write_text(json.dumps(place.configuration(run)))
    report = place.folder / "told" / f"report{run}.json"
    options = EngineOptions(threads=1, temp_directory=place.folder / "spill")
    try:
        result = kanon_sql.run(configuration, options=options, advice=False, report=report)
        ending |= {"status": 0, "released": result.released}
    except KanonError as error:
        ending |= {"status": error.exit_status, "message": str(error), "where": traceback.format_exc()}
    except BaseException:
        ending |= {"status": -1, "message": traceback.format_exc()}
    written = place.folder / "told" / f"{run}.part"
    written.write_text(json.dumps(ending))
    written.rename(written.with_suffix(".json"))


def forked(work: Callable[[], None]) -> int:
    """Does the work in a child; its process."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        work()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def in_child(work: Callable[[], None]) -> None:
    """Does the work in a child, so that this process stays one that can be forked. Raises LostError with its words."""
    reading, writing = os.pipe()

    def telling() -> None:
        try:
            work()
        except Exception as error:
            said = str(error) if isinstance(error, LostError) else traceback.format_exc()
            os.write(writing, said.encode()[:4000])

    child = forked(telling)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if said or status:
        raise LostError(said or f"a child ended with {status}")


def wait(children: dict[int, int], killing: list[tuple[float, int]]) -> set[int]:
    """Waits for the children (process: run), kills some in their time; the runs that were killed. Raises LostError."""
    killed: set[int] = set()
    begun, waiting = time.monotonic(), dict(children)
    while waiting:
        for child in list(waiting):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                run = waiting.pop(child)
                if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
                    killed.add(run)
                elif status:
                    raise LostError(f"run {run} ended with status {status} of the system")
        now = time.monotonic() - begun
        while killing and killing[0][0] < now:
            child = killing.pop(0)[1]
            if child in waiting:
                os.kill(child, signal.SIGKILL)
        if now > PATIENCE:
            for child in waiting:
                os.kill(child, signal.SIGKILL)
            raise LostError(f"{len(waiting)} runs did not end within {PATIENCE:.0f} seconds")
        time.sleep(0.01)
    return killed


def at_once(place: Place, seed: int) -> set[int]:
    """All runs of a round; which of them were killed."""
    plan, draw = place.plan, random.Random(seed)
    numbers = range(plan.runs)
    if plan.mode == "threads":

        def in_threads() -> None:
            with logged(place), ThreadPoolExecutor(plan.runs) as threads:
                list(threads.map(partial(one_run, place), numbers))

        return wait({forked(in_threads): -1}, [])
    if plan.mode == "commands":
        return _commands(place)

    spread = draw.choice([0.0, 0.1, 0.3]) * plan.runs  # seconds in which they begin
    begins = [draw.uniform(0, spread) for _ in numbers]

    def alone(run: int) -> None:
        with logged(place):
            time.sleep(begins[run])
            one_run(place, run)

    children = {forked(partial(alone, run)): run for run in numbers}
    chosen = draw.sample(sorted(children), plan.killed)
    killing = sorted((begins[children[child]] + draw.uniform(0, 1.5), child) for child in chosen)
    return wait(children, killing)


def _commands(place: Place) -> set[int]:
    """The runs as commands; of their exchanges nothing is noted."""
    started = {}
    for run in range(place.plan.runs):
        configuration = place.work / f"run{run}.yaml"
        configuration.write_text(json.dumps(place.configuration(run)))
        command = [sys.executable, "-m", "kanon_sql", "run", str(configuration), "--threads", "1", "--no-advice"]
        command += ["--temp-directory", str(place.folder / "spill")]
        started[run] = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for run, process in started.items():
        _, said = process.communicate(timeout=PATIENCE)
        ending: dict[str, Any] = {"run": run, "status": process.returncode}
        if process.returncode:
            errors = [line for line in said.splitlines() if "error: " in line]
            if not errors or "Traceback" in said:
                raise LostError(f"no clear message: {said}")
            ending["message"] = "\n".join(errors)
        (place.folder / "told" / f"{run}.json").write_text(json.dumps(ending))
    return set()


def trial(plan: Round, folder: Path, seed: int) -> Counter[str]:
    """How the runs of a round ended. Raises LostError."""
    place = Place(folder, plan)
    in_child(partial(make, folder, plan, seed))
    place.before = {path.name for path in place.work.iterdir()}
    killed = at_once(place, seed)
    endings = [json.loads(path.read_text()) for path in (folder / "told").glob("[0-9]*.json")]
    if {ending["run"] for ending in endings} | killed != set(range(plan.runs)):
        raise LostError("a run ended without a word")
    kinds = Counter(_kind(plan, ending) for ending in endings)
    kinds["killed"] = len(killed - {ending["run"] for ending in endings})
    in_child(partial(_judge, place, endings, killed))
    in_child(partial(one_run, place, plan.runs))
    last = json.loads((folder / "told" / f"{plan.runs}.json").read_text())
    kinds[f"{LAST}: {_kind(plan, last)}"] += 1
    in_child(partial(_judge_end, place, endings, killed, last))
    return kinds


def _kind(plan: Round, ending: dict[str, Any]) -> str:
    """How a run ended, in a few words. Raises LostError where that is not documented."""
    if ending["status"] == 0:
        return "released"
    documented = DOCUMENTED + (REPLACED if plan.target == "in place" else ())
    for status, pattern in documented:
        refusal = re.search(pattern, ending["message"])
        if refusal and status == ending["status"]:
            return {2: "refused: the source is a release by now"}.get(
                status, f"refused: {re.sub(r' ledger .* cannot', ' ledger cannot', refusal[0])}"
            )
    raise LostError(f"exit status {ending['status']}: {ending['message']}\n{ending.get('where', '')}")


def _exchanges(place: Place) -> list[int]:
    log = place.folder / "told" / "exchanges"
    return [int(line) for line in log.read_text().split()] if log.exists() else []


def _judge(place: Place, endings: list[dict[str, Any]], killed: set[int]) -> None:
    """Raises LostError where the target is not the release of one run that said so, or was killed."""
    succeeded = {ending["run"]: ending.get("released") for ending in endings if ending["status"] == 0}
    noted, plan = _exchanges(place), place.plan
    if plan.mode != "commands" and (
        len(noted) != len(set(noted)) or not set(succeeded) <= set(noted) <= set(succeeded) | killed
    ):
        raise LostError(f"exchanges {noted}, successes {sorted(succeeded)}, killed {sorted(killed)}")
    if not succeeded and not killed:
        raise LostError("no run came through")
    if plan.target == "own files":
        for run in succeeded:
            _judge_release(read(place, run), {run}, succeeded)
        return
    content = read(place)
    if content is None or (content[0] == "source" and plan.target == "in place"):
        if succeeded:
            raise LostError("a run said that it released, and there is no release")
        return
    _judge_release(content, {*noted[-1:], *killed} if noted else {*succeeded, *killed}, succeeded)


def _judge_release(
    content: tuple[str, list[tuple[Any, ...]]] | None, allowed: set[int], succeeded: dict[int, int | None]
) -> None:
    if content is None:
        raise LostError("a release is missing")
    run, rows = int(content[0][1:]), content[1]
    if run not in allowed:
        raise LostError(f"the release is of run {run}, expected one of {sorted(allowed)}")
    if {row[-1] for row in rows} != {f"run {run}"}:
        raise LostError("the release holds rows of several runs")
    if succeeded.get(run) is not None and succeeded[run] != len(rows):
        raise LostError(f"the release has {len(rows)} rows, its run told of {succeeded[run]}")
    if min(Counter(row[:-1] for row in rows).values()) < 3 + run % 4:
        raise LostError("the release does not hold k")


def _judge_end(place: Place, endings: list[dict[str, Any]], killed: set[int], last: dict[str, Any]) -> None:
    """Raises LostError for what is left behind, and for a ledger that does not tell what happened."""
    plan = place.plan
    if last["status"] and plan.target != "in place":
        raise LostError(f"the next run failed: {last['message']}")
    configurations = {f"run{run}.yaml" for run in range(plan.runs + 1)}
    own = {f"own{run}.csv" for run in range(plan.runs + 1)}
    targets = {"target.csv", "target.parquet", "target.duckdb", "ledger.duckdb"} | own
    left = {path.name for path in place.work.iterdir()} - place.before - configurations - targets
    # What a killed run left is cleared by the next run on its target, which here none has.
    left -= {name for name in left for run in killed if name.startswith(f".own{run}.csv.kanon-sql")}
    left |= {path.name for path in (place.folder / "spill").iterdir()}
    if left:
        raise LostError(f"left behind: {sorted(left)}")
    if plan.target == "table, kept file":
        with duckdb.connect(str(place.work / "kept.duckdb"), read_only=True) as connection:
            if connection.execute("SELECT answer FROM other").fetchall() != [(42,)]:
                raise LostError("another table of the file is lost")
    succeeded = {ending["run"] for ending in [*endings, last] if ending["status"] == 0}
    if plan.ledger and (succeeded or (place.work / "ledger.duckdb").exists()):
        _judge_ledger(place, succeeded, killed)


def _judge_ledger(place: Place, succeeded: set[int], killed: set[int]) -> None:
    noted = entries(place.work)
    numbers = [entry["id"] for entry in noted]
    if numbers != list(range(1, len(noted) + 1)):
        raise LostError(f"the ledger's numbers are {numbers}")
    runs = [next(int(name[1:]) for name in entry["released"] if name.startswith("m")) for entry in noted]
    if len(runs) != len(set(runs)) or not succeeded <= set(runs) <= succeeded | killed:
        raise LostError(f"entries of {sorted(runs)}, successes {sorted(succeeded)}, killed {sorted(killed)}")
    for entry, run in zip(noted, runs, strict=True):
        if entry["state"] not in (("released",) if run in succeeded else ("released", "open")):
            raise LostError(f"entry {entry['id']} of run {run} is {entry['state']}")


def random_round(draw: random.Random, runs: int) -> Round:
    """One of all that can be tried."""
    target, source = draw.choice(
        [(target_of, source_of) for target_of in TARGETS for source_of in SOURCES if possible(target_of, source_of)]
    )
    mode = draw.choice(["forks", "forks", "forks", "threads"])
    killed = draw.choice([0, runs // 3]) if mode == "forks" else 0
    return Round(target, source, runs, mode, killed, draw.random() < 0.6)
