"""The job on a Spark cluster beside Spark's own aggregate and shuffled write: ratio, scaling, jobs, statements.

    scripts/spark-cluster run -- python benchmarks/cluster.py ratio --rows 10000000
    scripts/spark-cluster run --workers 4 -- python benchmarks/cluster.py scaling --rows 1000000 --executors 1,2,4
    scripts/spark-cluster run -- python benchmarks/cluster.py jobs --rows 100000
    scripts/spark-cluster run -- python benchmarks/cluster.py statements --rows 10000000

`ratio`: seconds and processor seconds (executors, driver and this process together) of each round, the first of which
warms up. `scaling`: the second run with so many executors of one core each, of the same rows (strong) and of as many
rows for each (weak). `jobs`: how many Spark jobs searches start that check few and many nodes. `statements`: what each
statement of a run read, exchanged and wrote, and what it cost the executors.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from make_table import make_table
from other_engines import InSpark
from speed import configuration

_TICKS = os.sysconf("SC_CLK_TCK")
_MEGA = 1_000_000
_CLASSIC = "spark.sql.execution.id"


@dataclass
class Statement:
    """What a statement did, summed over its tasks: `cpu` in seconds, the others in bytes."""

    began: float
    plan: str
    jobs: int = 0
    tasks: int = 0
    cpu: float = 0.0
    read: int = 0
    exchanged: int = 0
    wrote: int = 0
    fetched: int = 0

    def describe(self) -> str:
        """What it is about: what it writes, or which columns it reads."""
        for line in self.plan.splitlines():
            if line.startswith("Output") and "InsertIntoHadoopFsRelation" in self.plan:
                return "write"
        schemas = {line.partition("struct<")[2] for line in self.plan.splitlines() if "ReadSchema" in line}
        columns = sorted({len([name for name in schema.split(",") if name.strip(" >")]) for schema in schemas})
        return f"reads {len(schemas)} of {columns} columns" if schemas else "values"


@dataclass
class Log:
    """What Spark wrote of a session: its statements, by number."""

    folder: Path
    statements: dict[int, Statement] = field(default_factory=dict)

    def read(self) -> list[Statement]:
        """The statements so far, in order."""
        stages: dict[int, Statement] = {}
        self.statements = {}
        for path in sorted(path for path in self.folder.rglob("*") if path.is_file()):
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                if line.startswith("{") and line.endswith("}"):
                    self._take(json.loads(line), stages)
        return list(self.statements.values())

    def _take(self, event: dict[str, Any], stages: dict[int, Statement]) -> None:
        kind = str(event["Event"]).rpartition(".")[2]
        if kind == "SparkListenerSQLExecutionStart":
            plan = str(event.get("physicalPlanDescription", ""))
            self.statements[int(event["executionId"])] = Statement(event["time"] / 1000, plan)
        elif kind == "SparkListenerJobStart":
            number = int((event.get("Properties") or {}).get(_CLASSIC) or -1)
            statement = self.statements.setdefault(number, Statement(event["Submission Time"] / 1000, ""))
            statement.jobs += 1
            stages |= {int(stage): statement for stage in event["Stage IDs"] if int(stage) not in stages}
        elif kind == "SparkListenerTaskEnd" and event["Stage ID"] in stages and event.get("Task Metrics"):
            _add(stages[event["Stage ID"]], event["Task Metrics"])


def _add(statement: Statement, metrics: dict[str, Any]) -> None:
    statement.tasks += 1
    statement.cpu += (metrics["Executor CPU Time"] + metrics["Executor Deserialize CPU Time"]) / 1e9
    statement.read += metrics["Input Metrics"]["Bytes Read"]
    statement.exchanged += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
    statement.wrote += metrics["Output Metrics"]["Bytes Written"]
    statement.fetched += metrics["Result Size"]


@dataclass
class Taken:
    """What a piece of work took."""

    seconds: float
    cpu: float
    statements: list[Statement]
    result: Any = None

    @property
    def jobs(self) -> int:
        """Jobs of Spark."""
        return sum(statement.jobs for statement in self.statements)


class Measured(InSpark):
    """A session of so many executors, whose log is kept."""

    def __init__(self, table: Path, columns: list[str], executors: int, partitions: int) -> None:
        self.log = Log(Path(tempfile.mkdtemp(dir=table.parent, prefix="log-")))
        settings = {
            "spark.cores.max": str(executors),
            "spark.sql.shuffle.partitions": str(partitions),
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": self.log.folder.as_uri(),
            "spark.eventLog.compress": "false",
            "spark.eventLog.rolling.enabled": "false",
        }
        super().__init__(table, columns, settings)
        self.session.sparkContext.setLogLevel("ERROR")

    def take(self, work: Callable[[], Any]) -> Taken:
        """Runs a piece of work and reads what it took."""
        begin, start, cpu = time.time(), time.perf_counter(), self._cpu()
        result = work()
        seconds, cpu = time.perf_counter() - start, self._cpu() - cpu
        time.sleep(0.5)  # the log is written behind
        during = [statement for statement in self.log.read() if statement.began >= begin - 0.001]
        return Taken(seconds, cpu + sum(statement.cpu for statement in during), during, result)

    def _cpu(self) -> float:
        """Seconds of the processor of this process and of the driver."""
        driver = self.session.sparkContext._gateway.proc.pid
        below = [*_below(driver), driver]
        return time.process_time() + sum(map(_used, below))


def _below(number: int) -> list[int]:
    try:
        children = [int(word) for word in Path(f"/proc/{number}/task/{number}/children").read_text().split()]
    except OSError:
        return []
    return [*children, *(below for child in children for below in _below(child))]


def _used(number: int) -> float:
    try:
        fields = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


@contextmanager
def session(folder: Path, rows: int, executors: int, given: argparse.Namespace) -> Iterator[tuple[Measured, Any]]:
    """(a session on a table of so many rows, its configuration)."""
    table = folder / f"table-{rows}.parquet"
    if not table.exists():
        make_table(rows, table)
    options = argparse.Namespace(**{**vars(given), "rows": rows}, algorithm="optimal", zip=False)
    options.k = max(2, given.k * rows // 10_000_000) if given.part == "scaling" else given.k
    config = configuration(table, folder, options)
    own = Measured(table, list(config["quasi_identifiers"]), executors, 2 * executors)
    try:
        yield own, config
    finally:
        own.session.stop()


def ratio(folder: Path, given: argparse.Namespace) -> None:
    """The job against Spark's own statements, by rounds."""
    print("| | aggregate | write shuffled | kanon-sql | ratio | read | search | release | verify |")
    print("|---|---|---|---|---|---|---|---|---|")
    with session(folder, given.rows, given.executors[0], given) as (own, config):
        for number in range(given.runs):
            aggregate, shuffle = own.take(own.aggregate), own.take(own.shuffle)
            whole = own.take(lambda: own.run(config))
            parts = whole.result.report["seconds"]
            for unit in ("seconds", "cpu"):
                amounts = [getattr(part, unit) for part in (aggregate, shuffle, whole)]
                shown = [*amounts, amounts[2] / (amounts[0] + amounts[1])]
                cells = [f"{value:.1f}" for value in shown[:3]] + [f"{shown[3]:.2f}"]
                named = ("read", "search", "release", "verify")
                cells += [f"{parts[part]:.1f}" if unit == "seconds" else "" for part in named]
                label = f"round {number + 1}, {'seconds' if unit == 'seconds' else 'processor seconds'}"
                print(f"| {label} | {' | '.join(cells)} |", flush=True)


def scaling(folder: Path, given: argparse.Namespace) -> None:
    """The second run with each number of executors."""
    print("| scaling | executors | rows | seconds | efficiency | processor seconds |")
    print("|---|---|---|---|---|---|")
    for kind in ("strong", "weak"):
        first = 0.0
        for executors in given.executors:
            rows = given.rows * (executors if kind == "weak" else 1)
            with session(folder, rows, executors, given) as (own, config):
                own.run(config)
                taken = own.take(lambda own=own, config=config: own.run(config))  # type: ignore[misc]
            first = first or taken.seconds
            share = first / taken.seconds / (executors / given.executors[0] if kind == "strong" else 1)
            cells = f"{rows:,} | {taken.seconds:.1f} | {share:.0%} | {taken.cpu:.1f}"
            print(f"| {kind} | {executors} | {cells} |", flush=True)


def jobs(folder: Path, given: argparse.Namespace) -> None:
    """Jobs of searches that check few and many nodes."""
    print("| objective, k | nodes checked | Spark jobs | statements |")
    print("|---|---|---|---|")
    with session(folder, given.rows, given.executors[0], given) as (own, config):
        for objective, k in (("loss", given.k), ("loss", 5), ("discernibility", given.k), ("discernibility", 2)):
            asked = {**config, "privacy": {"k": k}, "algorithm": {"name": "optimal", "objective": objective}}
            taken = own.take(lambda asked=asked: own.run(asked))  # type: ignore[misc]
            report = taken.result.report
            cells = [f"{objective}, {k}", report["search"]["checked"], taken.jobs, report["engine"]["statements"]]
            print(f"| {' | '.join(map(str, cells))} |", flush=True)


def statements(folder: Path, given: argparse.Namespace) -> None:
    """What each statement of the second run took."""
    print("| statement | jobs | tasks | processor seconds | read, MB | exchanged, MB | written, MB | fetched, MB |")
    print("|---|---|---|---|---|---|---|---|")
    with session(folder, given.rows, given.executors[0], given) as (own, config):
        own.run(config)
        taken = {"aggregate": own.take(own.aggregate), "write shuffled": own.take(own.shuffle)}
        taken["kanon-sql"] = own.take(lambda: own.run(config))
    for name, part in taken.items():
        for statement in part.statements:
            _show(f"{name}: {statement.describe()}", [statement])
        _show(f"**{name}, all**", part.statements)


def _show(label: str, some: list[Statement]) -> None:
    counts = [sum(each.jobs for each in some), sum(each.tasks for each in some)]
    moved = [sum(getattr(each, name) for each in some) for name in ("read", "exchanged", "wrote", "fetched")]
    cells = [*map(str, counts), f"{sum(each.cpu for each in some):.1f}", *(f"{part / _MEGA:.1f}" for part in moved)]
    print(f"| {label} | {' | '.join(cells)} |", flush=True)


PARTS = {"ratio": ratio, "scaling": scaling, "jobs": jobs, "statements": statements}


def main() -> None:
    """Prints the table of a part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--k", type=int, default=1658)
    parser.add_argument("--limit", default="1%")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--executors", default="2", help="of one core each; for scaling several, as 1,2,4")
    parser.add_argument("--scratch", type=Path, help="where tables and releases are written; default: a new folder")
    given = parser.parse_args()
    given.executors = [int(part) for part in given.executors.split(",")]
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(dir=given.scratch) as name:
        PARTS[given.part](Path(name), given)


if __name__ == "__main__":
    main()
