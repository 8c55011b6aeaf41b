"""Small tables about invented persons, for tests that need real files."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import duckdb
from shared_engine import insert, shared

QUASI_IDENTIFIERS: dict[str, Any] = {
    "sex": {"builtin": "suppress"},
    "age": {"builtin": "intervals", "widths": [5, 10, 20]},
    "zip": {"builtin": "prefix", "keep": [3, 1]},
}


def people(rows: int = 300, seed: int = 1) -> list[tuple[str, int, str, str, float]]:
    """(sex, age, zip, diagnosis, cost), some zips with a leading zero."""
    draw = random.Random(seed)
    return [
        (
            draw.choice(["f", "m"]),
            draw.randint(18, 80),
            f"0{draw.randint(2130, 2149)}",
            draw.choice(["flu", "cold, bad", 'so-called "x"', "none"]),
            draw.randint(0, 500) / 100,
        )
        for _ in range(rows)
    ]


def fill_table(connection: duckdb.DuckDBPyConnection, name: str, rows: int = 300, *, temporary: bool = False) -> None:
    """Makes a table of people."""
    kind = "TEMP TABLE" if temporary else "TABLE"
    connection.execute(f"CREATE {kind} {name} (sex VARCHAR, age INTEGER, zip VARCHAR, diagnosis VARCHAR, cost DOUBLE)")
    insert(connection, name, people(rows))


def write(path: Path, rows: int = 300, options: str = "") -> Path:
    """Writes people to a CSV or Parquet file, or with PARTITION_BY among the options to a folder."""
    with shared() as connection:
        fill_table(connection, "people", rows, temporary=True)
        connection.execute(f"COPY people TO '{path}' ({options or ('FORMAT ' + path.suffix[1:])})")
    return path


def configuration(source: Any, target: Any, **more: Any) -> dict[str, Any]:
    """A configuration for people."""
    return {
        "source": source,
        "target": target,
        "quasi_identifiers": copy.deepcopy(QUASI_IDENTIFIERS),
        "sensitive": ["diagnosis"],
        "insensitive": ["cost"],
        "privacy": {"k": 5},
        "suppression": {"limit": "5%"},
        **more,
    }


def smallest_class(relation: str, columns: str = "sex, age, zip") -> int:
    """The smallest equivalence class of a relation, counted by a query of its own."""
    with shared() as connection:
        least = connection.execute(
            f"SELECT min(n) FROM (SELECT count(*) AS n FROM {relation} GROUP BY {columns})"
        ).fetchall()
    return int(least[0][0])


SUPPRESS = {"builtin": "suppress"}


def simple(source: Any, target: Any, *columns: str, k: int = 2, **more: Any) -> dict[str, Any]:
    """A configuration where every quasi-identifier may be suppressed and everything else is released."""
    return {
        "source": source if isinstance(source, dict) else str(source),
        "target": target if isinstance(target, (dict, str)) else str(target),
        "quasi_identifiers": dict.fromkeys(columns, SUPPRESS),
        "unlisted": "insensitive",
        "privacy": {"k": k},
        **more,
    }
