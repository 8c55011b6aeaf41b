"""What stands in a release, read as bytes: CSV and JSON by Python's own readers.

Parquet and DuckDB files are read by a DuckDB connection of its own, which does nothing but SELECT * FROM them.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

if TYPE_CHECKING:
    from trials.making import Case
Json = dict[str, Any]


@dataclass
class Table:
    """A release as it stands: names of columns, and rows of cells."""

    names: list[str]
    rows: list[tuple[Any, ...]]
    blank: bool  # an empty field is NULL there


def released(case: Case, folder: Path) -> Table:
    """The release that the target of a case holds."""
    target = case.config["target"]
    if target == "in-place" or (isinstance(target, dict) and target.get("in_place")):
        return _in_place(case, folder)
    if isinstance(target, dict) and "database" in target:
        return _database(folder / target["database"], target["table"])
    given: Json = {"path": target} if isinstance(target, str) else target
    usual: Json = {"delimiter": "\t"} if given["path"].endswith(".tsv") else {}
    return _file(folder / given["path"], {**usual, **case.dialect, **given.get("csv", {})})


def _in_place(case: Case, folder: Path) -> Table:
    source = case.config["source"]
    source = {"path": source} if isinstance(source, str) else source
    if "database" in source:
        return _database(folder / source["database"], source["table"])
    path = folder / source["path"]
    if not path.is_dir():
        return _file(path, {**case.dialect, **source.get("csv", {})})
    parts = [_part(part, path, case) for part in sorted(path.rglob("*")) if part.is_file()]
    names = parts[0].names if parts else []
    rows = [tuple(row[part.names.index(name)] for name in names) for part in parts for row in part.rows]
    return Table(names, rows, parts[0].blank if parts else True)


def _part(path: Path, root: Path, case: Case) -> Table:
    table = _file(path, case.dialect)
    for subfolder in path.relative_to(root).parts[:-1]:
        name, _, value = subfolder.partition("=")
        table.names = [*table.names, _unquoted(name)]
        value_of_part = None if value == "__HIVE_DEFAULT_PARTITION__" else _unquoted(value)
        table.rows = [(*row, value_of_part) for row in table.rows]
    return table


def _unquoted(value: str) -> str:
    from urllib.parse import unquote

    return unquote(value)


def _file(path: Path, dialect: Json) -> Table:
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    if content[:4] == b"PAR1":
        name = escape(str(path)).replace("'", "''")
        return _selected(f"FROM read_parquet('{name}', hive_partitioning = false)", None)
    inner = path.name.removesuffix(".gz").rsplit(".", 1)[-1]
    if inner in ("json", "jsonl", "ndjson"):
        decoded = content.decode()
        records = (
            json.loads(decoded)
            if decoded.lstrip()[:1] == "["
            else [json.loads(line) for line in decoded.split("\n") if line]
        )
        names = list(records[0]) if records else []
        if any(list(record) != names for record in records):
            raise ValueError("the objects of the release have different keys")
        return Table(names, [tuple(record.values()) for record in records], blank=False)
    return _csv(content, dialect)


def _csv(content: bytes, dialect: Json) -> Table:
    file = io.StringIO(content.decode("utf-8"), newline="")
    csv.field_size_limit(10**9)
    quote = dialect.get("quote", '"')
    lines = list(csv.reader(file, delimiter=dialect.get("delimiter", ","), quotechar=quote, strict=True))
    if not lines:
        raise ValueError("the release has no header")
    rows = [tuple(line or [""]) for line in lines[1:]]
    if any(len(row) != len(lines[0]) for row in rows):
        raise ValueError("a record of the release has more or fewer fields than its header")
    return Table(lines[0], rows, blank=True)


def _database(path: Path, table: str) -> Table:
    return _selected(f"FROM {table}", path)


def _selected(query: str, path: Path | None) -> Table:
    with duckdb.connect(str(path or ":memory:"), read_only=path is not None, config={"threads": 1}) as connection:
        cursor = connection.execute(f"SELECT * {query}")
        names = [column[0] for column in cursor.description]
        return Table(names, cursor.fetchall(), blank=False)


def canonical(cell: Any, kind: str, *, blank: bool) -> Any:
    """A cell as one that can be compared, whichever format it went through."""
    if cell is None or (blank and cell == ""):
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if kind == "double" and (isinstance(cell, (int, float, Decimal)) or _floats(cell)):
        value = float(cell)
        return "nan" if value != value else repr(value + 0.0)
    if isinstance(cell, datetime):
        return cell.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, (int, float, Decimal)):
        return str(int(cell)) if cell == int(cell) else repr(float(cell))
    return cell


def _floats(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def cells(table: Table, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """The rows with the columns in this order."""
    places = [table.names.index(name) for name in names]
    return [tuple(row[place] for place in places) for row in table.rows]
