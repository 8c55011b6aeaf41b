"""The commands that trials of signals run, and the tables that these read."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

Json = dict[str, Any]
K = 5
_PEOPLE = """
    SELECT
        'person ' || i AS name, CAST(17 + hash(i) % 74 AS INTEGER) AS age,
        CASE hash(i, 1) % 2 WHEN 0 THEN 'f' ELSE 'm' END AS sex,
        CAST(10000 + hash(i, 2) % 3000 AS VARCHAR) AS zip, 'school ' || (hash(i, 3) % 16) AS education,
        'work ' || (hash(i, 4) % 15) AS occupation, DATE '1930-01-01' + CAST(hash(i, 5) % 29000 AS INTEGER) AS born,
        hash(i, 6) % 100000 / 7.0 AS income, 'illness ' || (hash(i, 7) % 9) AS diagnosis
    FROM range({first}, {last}) AS numbers(i)
"""
_COLUMNS: Json = {
    "age": {"builtin": "intervals", "widths": [5, 10, 20]},
    "sex": {"builtin": "suppress"},
    "zip": {"builtin": "prefix", "keep": [4, 3, 2]},
    "education": {"builtin": "suppress"},
    "occupation": {"builtin": "suppress"},
    "born": {"builtin": "date", "levels": ["month", "year"]},
}
_FEW = {name: _COLUMNS[name] for name in ("age", "sex", "zip")}
_ALL: Json = {"suppression": {"limit": 0}}
_DIVERSE: Json = {"privacy": {"k": K, "l_diversity": {"column": "diagnosis", "l": 2}}}
_CROSS = "SELECT a.age, b.zip, a.sex, b.diagnosis FROM '{0}' AS a, '{0}' AS b WHERE a.income * b.income < 1"
SEARCHES: dict[str, Json] = {
    "optimal": {},
    "samarati": {"algorithm": "samarati"},
    "minimal": {"algorithm": "minimal"},
    "blind": {"algorithm": {"name": "optimal", "blind": True}, **_DIVERSE},
    "average risk": {"privacy": {"k": K, "average_risk": {"at_most": 0.05}}},
    "known columns": {"privacy": {"k": K, "known_columns": 2}},
    "t-closeness": {"privacy": {"k": K, "t_closeness": {"column": "diagnosis", "t": 0.3}}},
    "mondrian": {"algorithm": "mondrian", **_ALL},
    "local": {"algorithm": "local", "quasi_identifiers": {**_FEW, "born": _COLUMNS["born"]}, **_ALL},
    "local with prices": {
        "algorithm": {"name": "local", "effort": "best"},
        "quasi_identifiers": {name: _COLUMNS[name] for name in ("age", "sex", "education")},
        "privacy": {"k": 400},
        **_ALL,
    },
    "microaggregation": {
        "algorithm": "microaggregation",
        "quasi_identifiers": {"age": {"aggregate": "mean"}, "income": {"aggregate": "mean"}},
        **_ALL,
    },
}


@dataclass(frozen=True)
class Job:
    """A command with its words, in a folder where `config` is config.json and copies of what was made lie."""

    name: str
    words: Sequence[str]
    config: Json = field(default_factory=dict)
    copied: Sequence[str] = ()


def jobs(inputs: Path) -> list[Job]:
    """Every command, and `run` with each search, source and target."""
    people, released = str(inputs / "people.parquet"), _few(inputs, str(inputs / "release.parquet"))
    of_all = {**_few(inputs, "release.parquet"), "quasi_identifiers": _COLUMNS}
    to_other, joined = ("-o", "other"), ("--on", "diagnosis", "--source", people)
    release, coarse = str(inputs / "release.parquet"), str(inputs / "coarse.parquet")

    def config(option: str) -> tuple[str, str]:
        return f"--{option}", "config.json"

    return [
        *_runs(inputs),
        Job("check", ("check", "config.json", people), _few(inputs, "release.parquet")),
        Job("risk", ("risk", "config.json", "--subsets", "3"), of_all),
        Job("risk --special-uniques", ("risk", "config.json", "--special-uniques", "4"), of_all),
        Job("lattice", ("lattice", "config.json", "--plot", "lattice.svg"), of_all),
        Job("sweep", ("sweep", "config.json", "--k", "2,5,10,20", "--plot", "sweep.png", "-o", "sweep.csv"), of_all),
        Job("compile --check", ("compile", "config.json", "--check"), of_all),
        Job("init", ("init", str(inputs / "people.csv"), "--yes", "-o", "proposed.yaml")),
        *_of_tables(inputs),
        Job(
            "hierarchy build", ("hierarchy", "build", people, "--column", "name", "--builtin", "prefix:9,8", *to_other)
        ),
        Job("utility", ("utility", "config.json"), released),
        Job("attack", ("attack", "config.json"), released),
        Job("attack --method", ("attack", "config.json", "--method"), {**released, **_DIVERSE}),
        Job("report", ("report", "config.json", "-o", "page.html"), released),
        Job("link", ("link", release, "--with", people, "--on", "age,sex,zip", *config("release-config")), released),
        Job("releases check", ("releases", "check", release, coarse, "--k", "5", *config("config"), *joined), released),
        Job(
            "apply",
            ("apply", "1", str(inputs / "more.parquet"), "--ledger", "ledger.duckdb", "-o", "applied.parquet"),
            copied=("ledger.duckdb",),
        ),
    ]


def _runs(inputs: Path) -> list[Job]:
    run, few = ("run", "config.json"), _few(inputs, "release.parquet")
    searched = [
        Job(f"run {name}", run, {**few, "quasi_identifiers": _COLUMNS, **search}, ("release.parquet",))
        for name, search in SEARCHES.items()
    ]
    database = {"database": "kept.duckdb", "table": "people", "overwrite": True}
    cross = {"query": _CROSS.format(inputs / "people.parquet"), "allow": [str(inputs)]}
    return [
        *searched,
        Job("run csv", run, {**few, **_between(inputs, "csv")}, ("release.csv",)),
        Job("run json", run, {**few, **_between(inputs, "json")}),
        Job("run xlsx", run, {**few, "source": str(inputs / "people.xlsx")}),
        Job("run database", run, {**few, "target": database}, ("kept.duckdb",)),
        Job("run in-place", run, {**few, "source": "people.parquet", "target": "in-place"}, ("people.parquet",)),
        Job(
            "run ledger, page",
            (*run, "--html", "page.html", "--report", "report.json"),
            {**few, "releases": {"path": "ledger.duckdb"}},
        ),
        Job("run cross join", run, {**few, "source": cross, "identifiers": []}),
        Job("run in memory", (*run, "--memory-limit", "300MB"), {**few, "quasi_identifiers": _COLUMNS}),
    ]


def _of_tables(inputs: Path) -> list[Job]:
    """Whole databases of persons: into a folder, into a database, in place."""
    config: Json = {
        "source": str(inputs / "clinic"),
        "unit": {"table": "person", "key": "person_id"},
        "tables": {
            "person": {"quasi_identifiers": _FEW, "unlisted": "drop"},
            "visit": {"facts": {"ward": {}}, "unlisted": "drop"},
        },
        "privacy": {"k": K, "facts": {"known": 2}},
        "suppression": {"persons": "20%"},
    }
    run = ("run", "config.json")
    return [
        Job("run tables", run, {**config, "target": "released"}),
        Job("run tables, database", run, {**config, "target": {"database": "released.duckdb"}}),
        Job("run tables, in-place", run, {**config, "source": "clinic", "target": "in-place"}, ("clinic",)),
        Job("risk of tables", ("risk", "config.json"), {**config, "target": "released"}),
        Job("init of tables", ("init", str(inputs / "clinic"), "-o", "proposed.yaml")),
    ]


def _between(inputs: Path, suffix: str) -> Json:
    return {
        "source": str(inputs / f"people.{suffix}"),
        "target": {"path": f"release.{suffix}", "overwrite": True},
    }


def _few(inputs: Path, target: str) -> Json:
    return {
        "source": str(inputs / "people.parquet"),
        "target": {"path": target, "overwrite": True},
        "quasi_identifiers": _FEW,
        "sensitive": ["diagnosis"],
        "identifiers": ["name"],
        "unlisted": "drop",
        "privacy": {"k": K},
        "suppression": {"limit": "20%"},
    }


def make(inputs: Path, rows: int) -> None:
    """The tables that the commands read, releases of them, a ledger and a database."""
    with duckdb.connect(str(inputs / "kept.duckdb")) as connection:
        connection.execute(f"CREATE TABLE people AS {_PEOPLE.format(first=0, last=rows)}")
        for suffix, words in (("parquet", ""), ("csv", ""), ("json", "")):
            connection.execute(f"COPY people TO '{inputs}/people.{suffix}' {words}")
        connection.execute(f"COPY (FROM people LIMIT 1000) TO '{inputs}/release.csv'")
        more = _PEOPLE.format(first=0, last=rows + rows // 50)
        connection.execute(f"COPY ({more}) TO '{inputs}/more.parquet'")
        connection.execute(f"COPY (FROM people LIMIT {min(rows, 100_000)}) TO '{inputs}/sheet.csv'")
        (inputs / "clinic").mkdir()
        persons = "SELECT row_number() OVER () AS person_id, age, sex, zip FROM people"
        visits = "SELECT i // 6 AS person_id, 'ward ' || hash(i) % 20 AS ward FROM range({}) AS numbers(i)"
        for table, rows_of in (("person", persons), ("visit", visits.format(rows * 6))):
            connection.execute(f"COPY ({rows_of}) TO '{inputs}/clinic/{table}.parquet'")
    _sheet(inputs)
    coarse = {"age": {"builtin": "suppress"}, "sex": _COLUMNS["sex"], "zip": {"builtin": "prefix", "keep": [3]}}
    released = _few(inputs, "release.parquet")
    for name, config in (
        ("release.parquet", {**released, "releases": {"path": "ledger.duckdb"}}),
        ("coarse.parquet", {**released, "target": "coarse.parquet", "quasi_identifiers": coarse}),
    ):
        (inputs / "config.json").write_text(json.dumps(config))
        subprocess.run([sys.executable, "-m", "kanon_sql", "run", "config.json", "--quiet"], cwd=inputs, check=True)
        assert (inputs / name).exists()


def _sheet(inputs: Path) -> None:
    """Of rows of a CSV file an Excel sheet, by a writer that is not DuckDB's."""
    import csv

    import xlsxwriter

    with (
        (inputs / "sheet.csv").open(newline="") as file,
        xlsxwriter.Workbook(str(inputs / "people.xlsx"), {"constant_memory": True}) as book,
    ):
        sheet = book.add_worksheet()
        for number, row in enumerate(csv.reader(file)):
            sheet.write_row(number, 0, [int(cell) if at == 1 and number else cell for at, cell in enumerate(row)])


def lay_out(job: Job, inputs: Path, folder: Path) -> None:
    """What a job finds in its folder."""
    (folder / "temporary").mkdir(parents=True)
    if job.config:
        (folder / "config.json").write_text(json.dumps(job.config))
    for name in job.copied:
        copy = shutil.copytree if (inputs / name).is_dir() else shutil.copyfile
        copy(inputs / name, folder / name)
