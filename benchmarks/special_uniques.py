"""Processor seconds of `kanon-sql risk --special-uniques 3` on tables of ten columns, beside 175 plain GROUP BYs.

    python benchmarks/special_uniques.py [--rows 1000000]

The GROUP BYs count the rows that are alone in each subset of up to three columns, over the values as they are: neither
minimal uniques nor scores come of them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import combinations
from pathlib import Path

import duckdb

import kanon_sql

TABLES = {
    "few values": (2, 5, 7, 15, 16, 41, 74, 94, 100, 1000),
    "many values": (100, 200, 300, 500, 800, 1000, 2000, 5000, 10000, 40000),
}


def main() -> None:
    """Prints a line for each table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    print("| table | rows with one | minimal uniques | special uniques | GROUP BYs |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, counts in TABLES.items():
            path = Path(folder) / f"{counts[0]}.parquet"
            make(path, rows, counts)
            start = time.process_time()
            names = [f"c{i}" for i in range(len(counts))]
            config = {"source": str(path), "quasi_identifiers": names, "privacy": {"k": 1}}
            special = kanon_sql.risk(config, special_uniques=3, subsets=0)["before"]["special_uniques"]
            middle = time.process_time()
            plain(path, names)
            seconds = middle - start, time.process_time() - middle
            uniques = f"{sum(special['msus'].values()):,}"
            print(f"| {name} | {special['rows']:,} | {uniques} | {seconds[0]:.1f} s | {seconds[1]:.1f} s |")


def make(path: Path, rows: int, counts: tuple[int, ...]) -> None:
    """A table of so many rows; column i has counts[i] values, small ones more often."""
    with duckdb.connect() as connection:
        drawn = (f"(hash(i * 31 + {7919 * i + 1}) % 1000000) / 1000000.0" for i in range(len(counts)))
        values = (
            f"CAST(floor({count} * pow({share}, 2)) AS INTEGER) AS c{i}"
            for i, (count, share) in enumerate(zip(counts, drawn, strict=True))
        )
        connection.sql(f"SELECT {', '.join(values)} FROM range({rows}) AS r(i)").write_parquet(str(path))


def plain(path: Path, names: list[str]) -> None:
    """Counts the rows that are alone in each subset."""
    with duckdb.connect() as connection:
        connection.read_parquet(str(path)).create("t")
        for size in (1, 2, 3):
            for subset in combinations(names, size):
                groups = f"SELECT 1 FROM t GROUP BY {', '.join(subset)} HAVING count(*) = 1"
                connection.execute(f"SELECT count(*) FROM ({groups})").fetchall()


if __name__ == "__main__":
    main()
