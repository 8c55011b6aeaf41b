"""Who reads a target while releases take its place finds one of them as a whole, and always one.

A release says in a column which run made it, and of each the sum of its rows is known.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb

import kanon_sql
from kanon_sql.errors import EngineError
from kanon_sql.sql.connection import EngineOptions
from kanon_sql.targets import staging
from trials.together_runs import forked, in_child
from trials.together_source import LostError

Seen = tuple[int, int, str]  # rows, distinct marks, digest; of a file its bytes, no mark
STATED = "SELECT count(*), count(DISTINCT mark), CAST(coalesce(bit_xor(md5_number(CAST(r AS VARCHAR))), 0) AS VARCHAR)"
TARGETS: dict[str, dict[str, Any] | str] = {
    "csv": {"path": "target.csv", "overwrite": True},
    "parquet": {"path": "target.parquet", "overwrite": True},
    "table": {"database": "target.duckdb", "table": "released", "overwrite": True},
    "table, kept file": {"database": "target.duckdb", "table": "released", "overwrite": True, "allow_remanence": True},
    "folder": "in-place",
    "folder, two renames": "in-place",
}
# In one transaction of the file itself the engine lets nobody read; two renames leave a moment between them.
MAY_FAIL = {
    "table, kept file": {"locked"},
    "folder": {"the reader gave up"},
    "folder, two renames": {"missing", "the reader gave up"},
}


def source(folder: Path, number: int) -> Path:
    """New rows with their mark, of another number each time, in the folder that a run replaces or in a file."""
    draw = random.Random(number)
    rows = [(draw.choice("fm"), draw.randint(20, 79), f"run {number}") for _ in range(600 + number)]
    path = folder / f"source{number}" / "part-0.parquet"
    path.parent.mkdir()
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE rows (sex VARCHAR, age INTEGER, mark VARCHAR)")
        # One statement of rows that the engine draws again would be faster, and other ones each time.
        connection.execute("INSERT INTO rows SELECT unnest($a), unnest($b), unnest($c)", _columns(rows))
        connection.execute(f"COPY rows TO '{path}' (FORMAT parquet)")
    return path.parent


def _columns(rows: list[tuple[str, int, str]]) -> dict[str, list[Any]]:
    return dict(zip("abc", map(list, zip(*rows, strict=True)), strict=True))


def look(kind: str, folder: Path) -> Seen:
    """Opens the target and reads all of it, as a new program would."""
    if kind in ("csv", "parquet"):
        with (folder / f"target.{kind}").open("rb") as file:
            content = file.read()
        return len(content), 0, hashlib.sha256(content).hexdigest()
    with duckdb.connect(config={"threads": 1}) as connection:
        if "table" in kind:
            connection.execute(f"ATTACH '{folder}/target.duckdb' AS t (READ_ONLY)")
        named = "t.released" if "table" in kind else f"'{folder}/target/*.parquet'"
        row = connection.execute(f"{STATED} FROM {named} AS r").fetchall()[0]
        return int(row[0]), int(row[1]), str(row[2])


def reading(kind: str, folder: Path, number: int) -> None:
    """Looks until it is told to end; what it saw, with how often."""
    seen: Counter[str] = Counter()
    while not (folder / "ended").exists():
        try:
            what = json.dumps(look(kind, folder))
        except FileNotFoundError:
            what = "missing"
        except duckdb.Error as error:
            what = _failure(kind, str(error))
        seen[what] += 1
        time.sleep(0.001)
    (folder / f"seen{number}.json").write_text(json.dumps(seen))


def _failure(kind: str, text: str) -> str:
    """Why the engine could not read. It lists a folder, then opens a file of it, later once more: each by its name."""
    if "lock" in text:
        return "locked"
    if any(words in text for words in ("No files found", "No such file", "not exist")):
        return "missing"
    return "the reader gave up" if kind.startswith("folder") else text


def releasing(kind: str, folder: Path, runs: int) -> None:
    """Releases one source after another at the same place; before the folder is replaced, new rows come there."""
    states = []
    config = {
        "target": TARGETS[kind],
        "quasi_identifiers": {"sex": {"builtin": "suppress"}, "age": {"builtin": "intervals", "widths": [10, 30]}},
        "insensitive": ["mark"],
        "privacy": {"k": 3},
    }
    (folder / "given.yaml").write_text(json.dumps({**config, "source": "given"}))
    place = folder / "target"
    if kind == "folder, two renames":
        mock.patch.object(staging, "exchange", lambda *_: False).start()
    for number in range(runs):
        rows = source(folder, number)
        if config["target"] == "in-place":
            if number:
                staging_exchange(rows, place)
            else:
                rows.rename(place)
            states.append(look(kind, folder))
            given: dict[str, Any] = {**config, "source": "target"}
        else:
            given = {**config, "source": f"{rows.name}/part-0.parquet"}
        (folder / "given.yaml").write_text(json.dumps(given))
        _run(folder / "given.yaml")
        states.append(_patient(kind, folder))
        if not number:
            (folder / "begun").touch()
    (folder / "known.json").write_text(json.dumps(states))


def staging_exchange(rows: Path, place: Path) -> None:
    """New rows take the place of the last release, in one step."""
    from kanon_sql.targets.staging_paths import exchange

    if not exchange(rows, place):
        raise LostError("this file system cannot exchange folders")


def _run(configuration: Path) -> None:
    """A run, again where a reader has the database file open."""
    while True:
        try:
            kanon_sql.run(configuration, options=EngineOptions(threads=1), advice=False)
            return
        except EngineError as error:
            if "lock" not in str(error):
                raise
            time.sleep(0.01)


def _patient(kind: str, folder: Path) -> Seen:
    while True:
        try:
            return look(kind, folder)
        except duckdb.IOException:
            time.sleep(0.01)


def trial(kind: str, folder: Path, runs: int, readers: int = 3) -> Counter[str]:
    """What the readers saw while a target was released so often. Raises LostError."""
    folder.mkdir(parents=True)
    children = [
        forked(partial(_after_begin, folder, partial(reading, kind, folder, number))) for number in range(readers)
    ]
    try:
        in_child(partial(releasing, kind, folder, runs))
    finally:
        (folder / "ended").touch()
        for child in children:
            os.waitpid(child, 0)
    states = {json.dumps(state) for state in json.loads((folder / "known.json").read_text())}
    counted: Counter[str] = Counter()
    for path in folder.glob("seen*.json"):
        for what, times in json.loads(path.read_text()).items():
            if what in states:
                counted["a release as a whole"] += times
            elif what in MAY_FAIL.get(kind, ()):
                counted[what] += times
            else:
                raise LostError(f"a reader found what was never released: {what}")
    if not counted["a release as a whole"]:
        raise LostError("no reader found anything")
    return counted


def _after_begin(folder: Path, work: Callable[[], None]) -> None:
    while not (folder / "begun").exists() and not (folder / "ended").exists():
        time.sleep(0.01)
    work()
