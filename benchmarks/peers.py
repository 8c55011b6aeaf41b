"""The Adult sample anonymized by kanon-sql and by anjana (PyPI), same hierarchies, same k, same share of suppression.

    pip install anjana && python benchmarks/peers.py --k 5 --limit 5

The smallest class and the loss are counted again from each release, by the same code.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import anjana.anonymity  # type: ignore[import-not-found, import-untyped, unused-ignore]
import duckdb
import pandas as pd  # type: ignore[import-not-found, import-untyped, unused-ignore]

import kanon_sql

HERE = Path(__file__).resolve().parent
EXAMPLE = HERE.parent / "examples" / "adult"
COLUMNS: dict[str, list[list[str]] | Path] = {
    "sex": [["Male", "*"], ["Female", "*"]],
    "marital_status": HERE.parent / "hierarchies" / "marital-status.csv",
    "native_country": EXAMPLE / "hierarchies" / "country.csv",
    "work_class": EXAMPLE / "hierarchies" / "work-class.csv",
}


def hierarchy(column: str) -> list[list[str]]:
    """The rows of a hierarchy: value, level 1, ... *"""
    given = COLUMNS[column]
    rows = given if isinstance(given, list) else list(csv.reader(given.open(encoding="utf-8")))
    return [row if row[-1] == "*" else [*row, "*"] for row in rows]


def loss(released: list[tuple[str, ...]], n: int) -> float:
    """The loss metric in percent of the most there is, suppressed rows counted as 1 in every column."""
    total = float((n - len(released)) * len(COLUMNS))
    for position, column in enumerate(COLUMNS):
        rows = hierarchy(column)
        sizes = [Counter(row[level] for row in rows) for level in range(len(rows[0]))]
        present = {row[position] for row in released}
        level = next(i for i, labels in enumerate(sizes) if present <= set(labels))
        total += sum((sizes[level][row[position]] - 1) / (len(rows) - 1) for row in released)
    return 100 * total / (n * len(COLUMNS))


def show(name: str, seconds: float, released: list[tuple[str, ...]], n: int) -> None:
    """One line of the table."""
    smallest = min(Counter(released).values(), default=0)
    print(f"{name:12}{seconds:9.2f}{len(released):10,}{smallest:10}{loss(released, n):9.2f}")


def main() -> None:
    """Runs both and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--limit", type=float, default=5, help="percent of the rows that may be suppressed")
    arguments = parser.parse_args()
    names = ", ".join(COLUMNS)
    query = f"SELECT {names} FROM '{EXAMPLE / 'adult.parquet'}' WHERE native_country <> '?' AND work_class <> '?'"
    rows = duckdb.execute(query).fetchall()
    print(f"{'':12}{'seconds':>9}{'released':>10}{'smallest':>10}{'ncp %':>9}   k = {arguments.k}")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "release.parquet"
        quasi_identifiers: dict[str, Any] = {}
        for column in COLUMNS:
            path = Path(folder) / f"{column}.csv"
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(hierarchy(column))
            quasi_identifiers[column] = str(path)
        start = time.perf_counter()
        kanon_sql.run(
            {
                "source": {"query": query, "allow": [str(EXAMPLE)]},
                "target": str(target),
                "quasi_identifiers": quasi_identifiers,
                "privacy": {"k": arguments.k},
                "suppression": {"limit": f"{arguments.limit}%"},
            }
        )
        show(
            "kanon-sql",
            time.perf_counter() - start,
            duckdb.execute(f"SELECT {names} FROM '{target}'").fetchall(),
            len(rows),
        )
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    levels = {
        column: {level: [row[level] for row in hierarchy(column)] for level in range(len(hierarchy(column)[0]))}
        for column in COLUMNS
    }
    start = time.perf_counter()
    released = anjana.anonymity.k_anonymity(frame, [], list(COLUMNS), arguments.k, arguments.limit, levels)
    show(
        "anjana",
        time.perf_counter() - start,
        list(released[list(COLUMNS)].itertuples(index=False, name=None)),
        len(rows),
    )


if __name__ == "__main__":
    main()
