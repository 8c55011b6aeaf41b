"""Sources of many files: every row of every file once, however many there are and however they are named."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from shared_engine import attached, insert, shared

import kanon_sql
from kanon_sql.errors import EngineError

# Ten columns: the engine gives the columns of files out of order once there are some hundred in all.
COLUMNS = [f"c{position}" for position in range(10)]
ROWS = [[f"{(row * 7 + position) % 5}" for position in range(10)] for row in range(5)]
MANY = [24, *(pytest.param(count, marks=pytest.mark.slow) for count in (1, 2, 150, 1500))]


def one_file(folder: Path, suffix: str) -> bytes:
    """The bytes of a file of ROWS."""
    path = folder / f"one.{suffix}"
    with attached() as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(f'{name} VARCHAR' for name in COLUMNS)})")
        insert(connection, "t", ROWS)
        connection.execute(f"COPY t TO '{path}'")
    return path.read_bytes()


def make(folder: Path, suffix: str, count: int, hive: bool = False) -> Path:
    """A folder of so many files of ROWS, in three partitions where `hive`."""
    content = one_file(folder, suffix)
    source = folder / "in"
    for number in range(count):
        place = source / f"part={number % 3}" if hive else source
        if number < 3:
            place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.{suffix}").write_bytes(content)
    return source


def config(source: Path | str, target: Path | str) -> dict[str, Any]:
    return {
        "source": str(source),
        "target": str(target),
        "quasi_identifiers": {name: {"builtin": "suppress"} for name in COLUMNS[:2]},
        "unlisted": "insensitive",
        "privacy": {"k": 1},
    }


def released(path: Path) -> Counter[tuple[str, ...]]:
    """The rows of a release, a file or a folder, by another reader where there is one."""
    if path.is_dir():
        return sum((released(file) for file in path.rglob("*.*")), Counter())
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            return Counter(tuple(row[:10]) for row in list(csv.reader(file))[1:])
    with shared() as connection:
        rows = connection.execute(f"SELECT * FROM read_parquet('{path}', hive_partitioning = false)").fetchall()
        return Counter(row[:10] for row in rows)


def expected(count: int) -> Counter[tuple[str, ...]]:
    return Counter({tuple(row): count for row in ROWS})


@pytest.mark.few(1)
@pytest.mark.parametrize("count", MANY)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_folder_of_many_files(tmp_path: Path, suffix: str, count: int) -> None:
    source = make(tmp_path, suffix, count)
    result = kanon_sql.run(config(source, tmp_path / f"out.{suffix}"))
    assert result.report["rows"]["source"] == count * len(ROWS)
    assert released(tmp_path / f"out.{suffix}") == expected(count)


@pytest.mark.few(1)
@pytest.mark.parametrize("count", MANY)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_glob_of_many_files(tmp_path: Path, suffix: str, count: int) -> None:
    source = make(tmp_path, suffix, count)
    kanon_sql.run(config(f"{source}/*.{suffix}", tmp_path / "out.csv"))
    assert released(tmp_path / "out.csv") == expected(count)


@pytest.mark.few(1)
@pytest.mark.parametrize("count", MANY)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_partitions_of_many_files(tmp_path: Path, suffix: str, count: int) -> None:
    source = make(tmp_path, suffix, count, hive=True)
    kanon_sql.run(config(source, tmp_path / "out.csv"))
    assert released(tmp_path / "out.csv") == expected(count)
    with (tmp_path / "out.csv").open(newline="") as file:
        parts = Counter(row["part"] for row in csv.DictReader(file))
    assert parts == Counter(str(number % 3) for number in range(count) for _ in ROWS)


@pytest.mark.slow
@pytest.mark.parametrize("count", MANY)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("hive", [False, True])
def test_many_files_in_place(tmp_path: Path, suffix: str, hive: bool, count: int) -> None:
    source = make(tmp_path, suffix, count, hive)
    kanon_sql.run(config(source, "in-place"))
    assert released(source) == expected(count)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_ten_thousand_files(tmp_path: Path, suffix: str) -> None:
    source = make(tmp_path, suffix, 10_000)
    kanon_sql.run(config(source, tmp_path / "out.csv"))
    assert released(tmp_path / "out.csv") == expected(10_000)


@pytest.mark.parametrize("odd", ["SELECT * RENAME (c7 AS d) FROM t", "SELECT * REPLACE (1 AS c9) FROM t"])
def test_one_file_of_many_that_differs(tmp_path: Path, odd: str) -> None:
    source = make(tmp_path, "parquet", 60)
    with attached() as connection:
        connection.execute(f"CREATE TABLE t AS FROM '{source}/0.parquet'")
        connection.execute(f"COPY ({odd}) TO '{source}/41.parquet'")
    with pytest.raises(EngineError, match=r"41\.parquet: its columns or types differ"):
        kanon_sql.run(config(source, tmp_path / "out.csv"))
