"""Lakes of DuckLake, where its extension is installed as a package: connections to them, and one with a history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import duckdb
from tables import people

PACKAGE = "duckdb_extension_ducklake"
SECRET = "Named Secretly"  # in every name, which no release holds


@contextmanager
def opened(path: Path, options: str = "") -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that has the lake with this catalog as `lake`."""
    spec = find_spec(PACKAGE)
    assert spec is not None and spec.submodule_search_locations is not None
    (extension,) = Path(next(iter(spec.submodule_search_locations))).rglob("ducklake.duckdb_extension")
    with duckdb.connect() as connection:
        connection.execute(f"LOAD '{extension}'")
        connection.execute(f"ATTACH 'ducklake:{path}' AS lake {options}")
        yield connection


def lay_out(connection: duckdb.DuckDBPyConnection, rows: int, table: str = "people") -> None:
    """A table of people that has a history: files, rows in the catalog itself, deleted and changed rows."""
    connection.execute("CREATE TEMP TABLE rows (sex VARCHAR, age INTEGER, zip VARCHAR, diagnosis VARCHAR, cost DOUBLE)")
    connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", people(rows))
    named = f"SELECT '{SECRET} ' || row_number() OVER () AS name, * FROM rows"
    connection.execute(f"CREATE TABLE lake.{table} AS {named}")
    connection.execute(f"INSERT INTO lake.{table} VALUES ('{SECRET} alone', 'f', 30, '02131', 'flu', 1.0)")
    connection.execute(f"DELETE FROM lake.{table} WHERE name = '{SECRET} 7'")
    connection.execute(f"UPDATE lake.{table} SET name = '{SECRET} again' WHERE name = '{SECRET} 8'")
