"""Databases of persons of few rows, written as tests run on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shared_engine import attached, insert

Json = dict[str, Any]


def written(
    database: Mapping[str, Sequence[tuple[Any, ...]]], types: Mapping[str, Mapping[str, str]], folder: Path, kind: str
) -> tuple[Json, Json]:
    """Writes the rows of tables, whose columns have `types`; gives the source and a target as a configuration has them.

    `kind` is `duckdb` for a database file, else the ending of the files of a folder.
    """
    source: Json = {"database": str(folder / "source.duckdb")}
    target: Json = {"database": str(folder / "out.duckdb")}
    with attached(source["database"]) as connection:
        for name, rows in database.items():
            columns = ", ".join(f"{column} {of}" for column, of in types[name].items())
            connection.execute(f"CREATE TABLE {name} ({columns})")
            if rows:
                insert(connection, name, rows)
        if kind != "duckdb":
            source, target = {"path": str(folder / "source")}, {"path": str(folder / "out")}
            (folder / "source").mkdir()
            for name in database:
                connection.execute(f"COPY {name} TO '{folder}/source/{name}.{kind}'")
    return source, target


def released_rows(types: Mapping[str, Mapping[str, str]], folder: Path, kind: str) -> dict[str, list[tuple[Any, ...]]]:
    """The tables that were released there, every value as text, what is missing as None."""
    tables = {}
    with attached(folder / "out.duckdb" if kind == "duckdb" else ":memory:") as connection:
        for name, columns in types.items():
            place = name if kind == "duckdb" else f"'{folder / 'out' / name}.{kind}'"
            heads = ", ".join(f"nullif(CAST({column} AS VARCHAR), '') AS {column}" for column in columns)
            tables[name] = connection.execute(f"SELECT {heads} FROM {place}").fetchall()
    return tables
