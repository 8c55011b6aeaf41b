"""DuckDB for tests at little cost: one engine for all of them, and rows of Python put into its tables by columns.

To start an engine takes as long as some fifty statements, and to insert 300 rows one by one longer than a whole run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Any

import duckdb


def shared() -> duckdb.DuckDBPyConnection:
    """A connection of its own to the engine that tests share: its tables are to be temporary, so that they go with it.

    Settings would be those of all; what sets any starts an engine.
    """
    return _engine().cursor()


@contextmanager
def attached(path: object = ":memory:") -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection whose tables are those of a database, a new one in memory or that of a file, closed afterwards.

    A file has an engine of its own, which lets go of it for certain: a run may replace it next.
    """
    if path != ":memory:":
        with duckdb.connect(str(path)) as connection:
            yield connection
        return
    name = f"attached_{next(_NUMBERS)}"
    with shared() as connection:
        connection.execute(f"ATTACH ':memory:' AS {name}")
        try:
            connection.execute(f"USE {name}")
            yield connection
        finally:
            connection.execute("USE memory")
            connection.execute(f"DETACH {name}")


_NUMBERS = count()


@cache
def _engine() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"enable_external_file_cache": False})  # files are written again under one name


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Inserts the rows, in their order; `table` stands as in SQL."""
    if rows:
        columns = [list(cells) for cells in zip(*rows, strict=True)]
        connection.execute(f"INSERT INTO {table} SELECT {', '.join(['unnest(?)'] * len(columns))}", columns)
