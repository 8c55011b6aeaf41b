"""The tables of a database file, where none of them was named."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from kanon_sql.errors import ConfigurationError
from kanon_sql.source.duckdb import attach
from kanon_sql.sql.connection import EngineOptions, open_engine

_SHOWN = 20
_MAIN = "main"


def unnamed_table(path: Path) -> ConfigurationError:
    """What is said where a database file is named and none of its tables: their names, and the command to type.

    Raises EngineError for a file that cannot be read.
    """
    with open_engine(EngineOptions()) as engine:
        catalog = attach(engine, path)
        found = engine.query("commands/init/tables", values={"catalog": catalog})
    names = [name if schema == _MAIN else f"{schema}.{name}" for schema, name in found]
    if not names:
        return ConfigurationError(f"{path}: is a DuckDB database without a table; name another file")
    listed = ", ".join(names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "")
    holds = f"whose only table is {listed}" if len(names) == 1 else f"of {len(names)} tables and views: {listed}"
    return ConfigurationError(
        f"{path}: is a DuckDB database {holds}; say which one is meant: "
        f"kanon-sql init {quote(str(path))} --table {quote(names[0])} (in Python table=)"
    )
