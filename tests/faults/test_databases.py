"""Processes that release a whole database and are killed at moments spread over the run: old or new, never both."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
from effort import tries

import kanon_sql

Json = dict[str, Any]
PERSONS, K = 300, 5


def _database(folder: Path, kind: str) -> Path:
    """Persons and their visits, in files or in a database."""
    draw = random.Random(2)
    path = folder / ("clinic.duckdb" if kind == "duckdb" else "clinic")
    with duckdb.connect(str(path) if kind == "duckdb" else ":memory:") as connection:
        connection.execute("CREATE TABLE person (person_id INTEGER, sex VARCHAR, born INTEGER)")
        connection.execute("CREATE TABLE visit (visit_id INTEGER, person_id INTEGER, code VARCHAR)")
        rows = [(1000 + i, draw.choice("fm"), 1950 + draw.randrange(20)) for i in range(PERSONS)]
        connection.executemany("INSERT INTO person VALUES (?, ?, ?)", rows)
        visits = [(i, 1000 + i % PERSONS, f"c{draw.randrange(9)}") for i in range(3 * PERSONS)]
        connection.executemany("INSERT INTO visit VALUES (?, ?, ?)", visits)
        if kind != "duckdb":
            path.mkdir()
            for name in ("person", "visit"):
                connection.execute(f"COPY {name} TO '{path / name}.parquet'")
    return path


def _configuration(path: Path, target: Any) -> Json:
    return {
        "source": {"database": path.name} if path.suffix else path.name,
        "target": target,
        "unit": {"table": "person", "key": "person_id"},
        "tables": {
            "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}, "born": {"builtin": "suppress"}}},
            "visit": {"facts": {"code": {}}, "unlisted": "drop"},
        },
        "privacy": {"k": K, "facts": {"known": 2}},
    }


def _digests(path: Path) -> dict[str, str]:
    files = [path] if path.is_file() else sorted(path.iterdir()) if path.is_dir() else []
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _start(folder: Path) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "kanon_sql", "run", "config.json", "--quiet", "--temp-directory", "temporary"]
    return subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "target"),
    [
        ("parquet", "in-place"),
        ("duckdb", "in-place"),
        ("parquet", {"path": "released", "overwrite": True}),
        ("duckdb", {"database": "released.duckdb", "overwrite": True}),
    ],
)
def test_a_killed_run_leaves_all_tables_old_or_all_new(tmp_path: Path, kind: str, target: Any) -> None:
    draw, killed = random.Random(7), 0
    lasting = 2.0
    for number in range(tries(24)):
        folder = tmp_path / str(number)
        (folder / "temporary").mkdir(parents=True)
        source = _database(folder, kind)
        config = _configuration(source, target)
        (folder / "config.json").write_text(json.dumps(config))
        place = source if target == "in-place" else folder / next(iter(target.values()))
        if place != source:
            first = folder / "first"
            first.mkdir()
            _database(first, kind).rename(place)
        old = _digests(place)
        begin = time.perf_counter()
        with _start(folder) as process:
            try:
                # The first run is not disturbed: it says how long one lasts. Most is moved and removed at the end.
                part = draw.random() if number % 2 else 0.7 + 0.35 * draw.random()
                process.wait(timeout=60 if number == 0 else lasting * part)
            except subprocess.TimeoutExpired:
                process.kill()
        if number == 0:
            lasting = time.perf_counter() - begin
        killed += process.returncode != 0
        if _digests(place) == old:
            assert process.returncode != 0
        else:
            report = kanon_sql.check(folder / "config.json", place)
            assert report["status"] == "satisfied", (number, report)
        if place != source or _digests(place) == old:
            # What was left behind is no hindrance, and goes with the next run.
            with _start(folder) as process:
                assert process.wait(timeout=60) == 0
            left = {path.name for path in folder.iterdir()} - {
                "config.json",
                "temporary",
                "first",
                source.name,
                place.name,
            }
            assert left == set() and list((folder / "temporary").iterdir()) == []
    assert killed
