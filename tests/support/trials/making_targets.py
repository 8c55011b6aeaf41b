"""Where the release of a case goes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import duckdb

from trials.making_files import Written, parquet_bytes

if TYPE_CHECKING:
    from trials.making import Case
Json = dict[str, Any]
OLD = b"what stood here before\n"


def fill(draw: random.Random, case: Case, written: Written) -> None:
    """Puts `target` into the configuration, and what is there already among the files."""
    way = draw.choices(["file", "table", "in place"], [80, 10, 10])[0]
    if case.way == "xlsx" or not written.in_place or (written.partition and draw.random() < 0.5):
        way = "file" if way == "in place" else way
    if way == "in place":
        case.config["target"] = draw.choice(["in-place", {"in_place": True}])
        return
    if way == "table":
        case.config["target"] = _table(draw, case)
        return
    name = draw.choice(
        [
            "out.csv",
            "out.csv",
            "out.csv",
            "out.csv.gz",
            "out.parquet",
            "out.parquet",
            "out.json",
            "out.jsonl",
            "out.tsv",
            "[o]ut.csv",
            "[o]ut.parquet",
        ]
    )
    if name.startswith("["):  # it reads as a glob, which another file matches
        case.files["o" + name[3:]] = OLD
    target: Any = name
    if draw.random() < 0.25:
        case.files[name] = OLD
        target = {"path": name, "overwrite": True}
    elif draw.random() < 0.15:
        case.files["out/keep"] = b""
        target = {"path": f"out/{name}"}
    if ".csv" in name and draw.random() < 0.2:
        target = {"path": target} if isinstance(target, str) else target
        target["csv"] = {"delimiter": draw.choice([",", ";", "\t", "|"]), "header": True}
    case.config["target"] = target


def _table(draw: random.Random, case: Case) -> Json:
    target: Json = {"database": "out.duckdb", "table": draw.choice(["released", "main.released", '"a b"'])}
    if "s.duckdb" in case.files and draw.random() < 0.5:
        target["database"] = "s.duckdb"
    elif draw.random() < 0.3:
        case.files["out.duckdb"] = _database(case)
    return target


def _database(case: Case) -> bytes:
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.duckdb"
        with duckdb.connect(str(path), config={"threads": 1}) as connection:
            connection.execute("CREATE TABLE other AS SELECT 42 AS answer")
        return path.read_bytes()


__all__ = ["OLD", "fill", "parquet_bytes"]
