"""What a disturbed run left, judged by plain reading: old and whole or new and verified, and nothing beside it."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from trials.calls_jobs import QUASI, Job, K

Rows = Counter[tuple[tuple[str, Any], ...]]
# The second where a call failed while the release was looked at for the page.
_HEADLINES = (
    "Released, and counted again: everything that was asked for holds",
    "Released: what was asked for holds; whether other released columns are nearly unique was not measured",
)
Files = dict[str, tuple[int, str]]  # of each file its rights and its digest


def files(folder: Path, below: str = ".") -> Files:
    """Every file below, or the one file, with what it holds."""
    start = folder / below
    paths = [start] if start.is_file() else sorted(path for path in start.rglob("*") if not path.is_dir())
    return {
        str(path.relative_to(folder)): (path.stat().st_mode & 0o7777, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in paths
    }


def _table(job: Job) -> str:
    target, source = job.configuration["target"], job.configuration["source"]
    name: str = target["table"] if isinstance(target, dict) else source["table"]
    return name


def rows(job: Job, folder: Path) -> tuple[Rows, list[tuple[Any, ...]]]:
    """The rows of what is in the target's place, and all else of its database. Raises whatever reading raises."""
    place = folder / job.target
    if job.read == "csv":
        with place.open(newline="", encoding="utf-8") as file:
            names, *lines = csv.reader(file, strict=True)
        return _counted(names, lines), []
    if job.read == "table":
        return _of_database(place, _table(job))
    pattern = str(place / "**" / "*.parquet") if job.read == "folder" else str(place)
    with duckdb.connect() as connection:
        read = connection.execute(
            "SELECT * FROM read_parquet(?, hive_partitioning => ?, hive_types_autocast => false)",
            [pattern, job.read == "folder"],
        )
        names = [column[0] for column in read.description]
        return _counted(names, read.fetchall()), []


def _of_database(place: Path, name: str) -> tuple[Rows, list[tuple[Any, ...]]]:
    with duckdb.connect(str(place), read_only=True) as connection:
        relations = connection.execute(
            "SELECT table_name FROM information_schema.tables ORDER BY table_name"
        ).fetchall()
        rest = list(relations)
        for (relation,) in relations:
            if relation != name:
                rest += sorted(connection.execute(f'SELECT * FROM "{relation}"').fetchall())
        if (name,) not in relations:
            return Counter(), rest
        read = connection.execute(f'SELECT * FROM "{name}"')
        names = [column[0] for column in read.description]
        return _counted(names, read.fetchall()), rest


def _counted(names: list[str], cells: list[Any]) -> Rows:
    return Counter(tuple(sorted(zip(names, row, strict=True))) for row in cells)


def broken(counted: Rows) -> str | None:
    """Why these rows are no release that could be verified."""
    classes: Counter[tuple[Any, ...]] = Counter()
    for row, number in counted.items():
        cells = dict(row)
        classes[tuple(cells[name] for name in QUASI)] += number
    return "a class of fewer than k rows" if not classes or min(classes.values()) < K else None


@dataclass(frozen=True)
class Whole:
    """What an undisturbed run finds and leaves."""

    job: Job
    before: Files
    old: tuple[Rows, list[tuple[Any, ...]]] | None  # where the old target is known by its rows, not by its bytes
    after: Files
    new: tuple[Rows, list[tuple[Any, ...]]]
    releases: Any = ()  # of the ledger before

    @property
    def names(self) -> set[str]:
        """The documented files, before and after."""
        return {*self.before, *self.after}

    def state(self, folder: Path) -> str:
        """old, new, missing (between two renames), or what is wrong with the target."""
        job = self.job
        there = files(folder, job.target) if os.path.lexists(folder / job.target) else {}
        if not self.in_transaction and there == _part(self.before, job.target):
            return "old"
        if not there:
            return "missing"
        try:
            content = rows(job, folder)
        except Exception as error:
            return f"cannot be read: {type(error).__name__}: {error}"
        if self.in_transaction and content == self.old:
            return "old"
        if content != self.new:
            return "other rows than an undisturbed run releases"
        rights = {mode for mode, _ in _part(self.after, job.target).values()}
        if not self.in_transaction and {mode for mode, _ in there.values()} != rights:
            return "other rights than an undisturbed run gives"
        return broken(content[0]) or "new"

    @property
    def in_transaction(self) -> bool:
        """Whether the old target is written to."""
        return self.job.in_transaction

    def left(self, folder: Path) -> list[str]:
        """What is there beside what is documented: names, and kept files that were changed."""
        there = files(folder)
        more = sorted(name for name in there if name not in self.names and not _of_engine(self.job, name))
        more += [name for name in self.job.kept if there.get(name) != self.before[name]]
        folders = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_dir()}
        expected = {parent for name in self.names for parent in map(str, Path(name).parents)} | {"temp"}
        return more + sorted(folders - expected)

    def left_behind_next(self, folder: Path) -> list[str]:
        """What the next run should have removed."""
        # A folder for what is spilled, of a run that was killed before it locked it: removed after some minutes.
        unlocked = {str(path.relative_to(folder)) for path in folder.glob("temp/*") if not any(path.iterdir())}
        return [name for name in self.left(folder) if name not in unlocked]


def _part(content: Files, target: str) -> Files:
    return {name: entry for name, entry in content.items() if name == target or name.startswith(f"{target}/")}


def _of_engine(job: Job, name: str) -> bool:
    """The engine's log of a database that is written to belongs to it."""
    return job.in_transaction and name == f"{job.target}.wal"


def faults_beside(whole: Whole, folder: Path, target: str) -> list[str]:
    """What is wrong with report and page beside a target that is old or new."""
    job, wrong = whole.job, []
    if job.report is not None:
        state, status = _report(whole, folder, job.report)
        if state == "torn" or (state == "new" and (status == "released") != (target == "new")):
            wrong.append(f"the report is {state} and says {status}, the target is {target}")
    if job.page is not None:
        place = folder / job.page
        text = place.read_text(encoding="utf-8", errors="replace") if place.exists() else ""
        if text and _digest(whole.before, job.page) != hashlib.sha256(text.encode()).hexdigest():
            whole_page = text.lower().startswith("<!doctype html>") and text.rstrip().endswith("</html>")
            released = any(headline in text for headline in _HEADLINES)
            if not whole_page or released != (target == "new"):
                wrong.append(f"the page is {'whole' if whole_page else 'torn'}, released: {released}; target {target}")
    return wrong


def _digest(content: Files, name: str) -> str | None:
    return content[name][1] if name in content else None


def _report(whole: Whole, folder: Path, name: str) -> tuple[str, str | None]:
    place = folder / name
    if not place.exists():
        return ("old" if name not in whole.before else "torn"), None
    content = place.read_bytes()
    if hashlib.sha256(content).hexdigest() == _digest(whole.before, name):
        return "old", None
    try:
        return "new", json.loads(content)["status"]
    except (ValueError, KeyError):
        return "torn", None


def releases(job: Job, folder: Path) -> list[tuple[int, str]] | str:
    """(number, state) of the releases of the ledger; what is wrong where that cannot be read."""
    assert job.ledger is not None
    place = folder / job.ledger
    if not place.exists() or not place.stat().st_size:
        return []
    try:
        with duckdb.connect(str(place), read_only=True) as connection:
            entries = connection.execute("SELECT id, details FROM kanon_sql_releases ORDER BY id").fetchall()
    except duckdb.Error as error:
        return f"the ledger cannot be read: {error}"
    return [(number, "open" if "open" in json.loads(details) else "released") for number, details in entries]
