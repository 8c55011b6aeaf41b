"""The jobs of `disks`: what each needs beforehand, its command, and what must be whole after it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from kanon_sql.cli.main import main

Json = dict[str, Any]

K = 5
_ROWS = """
    SELECT
        'secret' || i AS name, if(hash(i) % 2 = 0, 'f', 'm') AS sex,
        '0' || (21300 + hash(i, 1) % 40) AS zip, 'd' || hash(i, 2) % 9 AS diagnosis, 'w' || i % 2 AS ward,
        md5(CAST(i AS VARCHAR)) AS remark
    FROM range({first}, {last}) AS row(i)
"""
_OLD = "SELECT '*' AS sex, '*' AS zip, 'old' AS diagnosis, 'w0' AS ward, 'old' AS remark FROM range(200)"
LARGE, SMALL = 400_000, 2_000


@dataclass
class Job:
    """One place to work in: the folders of a scenario, each of which may lie on the small disk."""

    root: Path
    rows: int

    def folder(self, name: str) -> Path:
        return self.root / name

    def source(self, suffix: str = ".csv") -> Path:
        return self.folder("source") / f"people{suffix}"

    def copy(self, rows: str, path: Path, options: str = "") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({rows}) TO '{path}' ({options})" if options else f"COPY ({rows}) TO '{path}'")

    def write(self, suffix: str = ".csv", path: Path | None = None, *, options: str = "") -> None:
        """The source."""
        self.copy(_ROWS.format(first=0, last=self.rows), path or self.source(suffix), options)

    def configure(self, **more: Any) -> str:
        """The file of a configuration."""
        conf = {
            "source": str(self.source()),
            "target": {"path": str(self.folder("target") / "release.csv"), "overwrite": True},
            "identifiers": ["name"],
            "quasi_identifiers": {"sex": {"builtin": "suppress"}, "zip": {"builtin": "prefix", "keep": [4, 3]}},
            "sensitive": ["diagnosis"],
            "insensitive": ["ward", "remark"],
            "accept": ["remark"],
            "privacy": {"k": K},
            **more,
        }
        path = self.folder("source") / "config.yaml"
        path.write_text(json.dumps(conf), encoding="utf-8")
        return str(path)


@dataclass(frozen=True)
class Scenario:
    """A job: `prepare` makes what is there before it and gives its command; `release` is read by `rows`.

    `places` are the folders that are tried on a small disk, one after the other. `remanence` tells that the target's
    database is written to itself.
    """

    prepare: Callable[[Job], list[str]]
    release: str
    places: tuple[str, ...] = ("target",)
    rows: int = SMALL
    options: tuple[str, ...] = ()
    ledger: bool = False
    remanence: bool = False


def run(words: Sequence[str]) -> tuple[int, str]:
    """(status, what was printed) of a command in this process."""
    output = io.StringIO()
    with redirect_stderr(output), redirect_stdout(output):
        try:
            main(list(words))
        except SystemExit as ended:
            return int(ended.code or 0), output.getvalue()
    raise AssertionError("the command did not end")


def _file(suffix: str) -> Callable[[Job], list[str]]:
    def prepare(job: Job) -> list[str]:
        job.write(".parquet" if suffix == ".parquet" else ".csv")
        target = job.folder("target") / f"release{suffix}"
        job.copy(_OLD, target)
        source = job.source(".parquet" if suffix == ".parquet" else ".csv")
        return ["run", job.configure(source=str(source), target={"path": str(target), "overwrite": True})]

    return prepare


def _new(job: Job) -> list[str]:
    job.write()
    job.folder("target").mkdir()
    return ["run", job.configure()]


def _folder(job: Job) -> list[str]:
    folder = job.folder("target") / "people"
    job.write(path=folder, options="FORMAT csv, PARTITION_BY (ward)")
    return ["run", job.configure(source=str(folder), target="in-place")]


def _in_place(job: Job) -> list[str]:
    path = job.folder("target") / "people.csv"
    job.write(path=path)
    return ["run", job.configure(source=str(path), target="in-place")]


def _database(job: Job, target: Json | str) -> list[str]:
    path = job.folder("target") / "people.duckdb"
    path.parent.mkdir()
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people AS " + _ROWS.format(first=0, last=job.rows))
        connection.execute("CREATE TABLE others AS " + _OLD)
        connection.execute("CREATE TABLE release AS " + _OLD)
    return ["run", job.configure(source={"database": str(path), "table": "people"}, target=target)]


def _table(job: Job) -> list[str]:
    path = str(job.folder("target") / "people.duckdb")
    return _database(job, {"database": path, "table": "release", "overwrite": True})


def _remanent(job: Job) -> list[str]:
    path = str(job.folder("target") / "people.duckdb")
    return _database(job, {"database": path, "table": "release", "overwrite": True, "allow_remanence": True})


def _told(job: Job) -> list[str]:
    words = _file(".csv")(job)
    report, page = job.folder("report") / "report.json", job.folder("page") / "page.html"
    for path in (report, page):
        path.parent.mkdir()
        path.write_text("{}", encoding="utf-8")
    return [*words, "--report", str(report), "--html", str(page)]


def _recorded(job: Job) -> list[str]:
    job.write()
    for name in ("target", "ledger"):
        job.folder(name).mkdir()
    config = job.configure(releases={"path": str(job.folder("ledger") / "ledger.duckdb"), "on_conflict": "warn"})
    words = ["run", config, "--quiet"]
    first = run([*words, "--set", f"target.path={job.folder('source') / 'first.csv'}"])
    assert first[0] == 0, first
    return words


def _first(job: Job) -> list[str]:
    """A ledger that is not there yet."""
    job.write()
    for name in ("target", "ledger"):
        job.folder(name).mkdir()
    return ["run", job.configure(releases={"path": str(job.folder("ledger") / "ledger.duckdb")})]


def _apply(job: Job) -> list[str]:
    _recorded(job)
    later = job.folder("source") / "later.csv"
    job.copy(_ROWS.format(first=0, last=job.rows + job.rows // 2), later)
    ledger, target = job.folder("ledger") / "ledger.duckdb", job.folder("target") / "release.csv"
    return ["apply", "1", str(later), "--ledger", str(ledger), "-o", str(target)]


_SPILLS = ("--memory-limit", "60MB")
SCENARIOS: Mapping[str, Scenario] = {
    "csv": Scenario(_file(".csv"), "target/release.csv"),
    "csv.gz": Scenario(_file(".csv.gz"), "target/release.csv.gz"),
    "parquet": Scenario(_file(".parquet"), "target/release.parquet"),
    "new": Scenario(_new, "target/release.csv"),
    "folder": Scenario(_folder, "target/people"),
    "in place": Scenario(_in_place, "target/people.csv"),
    "table": Scenario(_table, "target/people.duckdb"),
    "table with remanence": Scenario(_remanent, "target/people.duckdb", remanence=True),
    "table in place": Scenario(lambda job: _database(job, "in-place"), "target/people.duckdb:people"),
    "report and page": Scenario(_told, "target/release.csv", places=("report", "page")),
    "ledger": Scenario(_recorded, "target/release.csv", places=("target", "ledger"), ledger=True),
    "first ledger": Scenario(_first, "target/release.csv", places=("ledger",), ledger=True),
    "apply": Scenario(_apply, "target/release.csv", places=("target", "ledger"), ledger=True),
    "spill": Scenario(_new, "target/release.csv", places=("temp",), rows=LARGE, options=_SPILLS),
    "spill to the target's disk": Scenario(_new, "target/release.csv", places=("all",), rows=LARGE, options=_SPILLS),
}
