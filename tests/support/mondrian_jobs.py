"""Files for Mondrian, and runs of it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shared_engine import shared

import kanon_sql

Json = dict[str, Any]


def write(path: Path, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def read(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


def run(folder: Path, source: Path, quasi_identifiers: Any, k: int = 2, **more: Any) -> tuple[Json, list[list[str]]]:
    """The report and the rows of a release that keeps the source's order."""
    algorithm = {"name": "mondrian", **more.pop("algorithm", {})}
    release = {"order": "none", **more.pop("release", {})}
    config = {
        "source": str(source),
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": quasi_identifiers,
        "unlisted": "insensitive",
        "privacy": {"k": k},
        "algorithm": algorithm,
        "release": release,
        **more,
    }
    report = kanon_sql.run(config).report
    return report, read(folder / "out.csv")


def parquet(folder: Path, select: str) -> Path:
    path = folder / "source.parquet"
    with shared() as connection:
        connection.execute(f"COPY ({select}) TO '{path}'")
    return path


def people(folder: Path, rows: int = 400) -> Path:
    lines = [[str(18 + i * i % 60), "fm"[i % 2], f"0{i * 7 % 90:02d}", str(i)] for i in range(rows)]
    return write(folder / "people.csv", ["age", "sex", "zip", "id"], lines)
