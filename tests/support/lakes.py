"""Connections to lakes of DuckLake, where its extension is installed as a package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import duckdb

PACKAGE = "duckdb_extension_ducklake"


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
