"""Small files of rows: written and read with readers that are not kanon-sql's own."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from effort import pytest_addoption, pytest_collection_modifyitems, pytest_configure  # noqa: F401 - pytest finds them
from reference import Cell
from required import pytest_make_collect_report, pytest_runtest_makereport  # noqa: F401 - pytest finds them here
from shared_engine import insert, shared


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def write_csv(path: Path, rows: Sequence[Sequence[Cell]], delimiter: str = ",", quote: bool = False) -> None:
    """A cell that is None is an empty field."""
    with path.open("w", newline="", encoding="utf-8") as file:
        if quote:
            writer = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
        else:
            writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerows(rows)


def write_parquet(path: Path, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    with shared() as connection:
        connection.execute(f"CREATE TEMP TABLE t ({', '.join(f'{quoted(c)} VARCHAR' for c in columns)})")
        insert(connection, "t", rows)
        connection.table("t").write_parquet(str(path))


def read_csv(path: Path) -> list[dict[str, Cell]]:
    """A release: an empty field is None, as is a blank line where there is one column."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return [{c: v or None for c, v in zip(header, row or [""], strict=True)} for row in rows]


def read_parquet(path: Path) -> list[dict[str, Any]]:
    with shared() as connection:
        relation = connection.read_parquet(str(path))
        return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]
