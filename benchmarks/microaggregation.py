"""Microaggregation by kanon-sql and by MDAV in plain Python: SSE/SST in percent, and processor time.

    python benchmarks/microaggregation.py
    python benchmarks/microaggregation.py Census.csv Tarragona.csv
    python benchmarks/microaggregation.py --rows 1000000 --k 5

Without files it makes tables of the size of the reference sets of the field (1,080 and 834 rows of 13 columns that hang
together and are skewed), by a seed. With --rows it makes one of five columns, too large for plain Python. All columns
of a file must be numbers. What is lost is counted here from the groups of the release, not taken from its report.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import duckdb

import kanon_sql

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))
from reference_microaggregation import Point, mdav, share_lost, standardized

SIZES = {"made-1080": (1080, 13, 0.5, 1), "made-834": (834, 13, 1.0, 2)}
_MOST = 5_000  # rows up to which plain Python is waited for


def make(path: Path, rows: int, columns: int, skew: float, seed: int) -> None:
    """Numbers of log-normal columns with four causes in common."""
    draw = random.Random(seed)
    shares = [[draw.gauss(0, 1) for _ in range(4)] for _ in range(columns)]
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(f"v{i}" for i in range(columns)) + "\n")
        for _ in range(rows):
            causes = [draw.gauss(0, 1) for _ in range(4)]
            spread = (sum(map(float.__mul__, causes, share)) + 0.6 * draw.gauss(0, 1) for share in shares)
            file.write(",".join(str(round(1000 * math.exp(skew * value / 2))) for value in spread) + "\n")


def measure(source: Path, k: int, folder: Path) -> None:
    """Prints one line for a table and a k."""
    with duckdb.connect() as connection:
        table = f"read_csv('{source}', header = true)"
        names = [str(row[0]) for row in connection.execute(f"DESCRIBE FROM {table}").fetchall()]
        numbered = folder / "numbered.parquet"
        connection.execute(f"COPY (SELECT *, row_number() OVER () AS row FROM {table}) TO '{numbered}'")
        rows = connection.execute(f"SELECT {', '.join(map(quoted, names))} FROM '{numbered}' ORDER BY row").fetchall()
        began = time.process_time()
        report = kanon_sql.run(
            {
                "source": str(numbered),
                "target": {"path": str(folder / "out.parquet"), "overwrite": True},
                "quasi_identifiers": {name: {"aggregate": "interval"} for name in names},
                "insensitive": ["row"],
                "privacy": {"k": k},
                "algorithm": "microaggregation",
            }
        ).report
        seconds = time.process_time() - began
        labels = f"SELECT {', '.join(map(quoted, names))} FROM '{folder / 'out.parquet'}' ORDER BY row"
        lost = 100 * recount(rows, connection.execute(labels).fetchall())
    plain = f"{100 * share_lost(mdav(standardized(rows), k)):.2f}" if len(rows) <= _MOST else "-"
    classes = report["classes"]
    print(
        f"{source.stem:12} {len(rows):>8} rows, k = {k:>2}: SSE {lost:.2f} %, MDAV {plain} %, report "
        f"{100 * report['loss']['sse']:.2f} %, NCP {report['loss']['ncp']:.2f} %, {classes['min']} to {classes['max']} "
        f"rows, {report['search']['rounds']} rounds, {seconds:.1f} s of processor time, search "
        f"{report['seconds']['search']:.1f} s",
        flush=True,
    )


def recount(rows: Sequence[Sequence[float]], labels: Sequence[Sequence[str]]) -> float:
    """SSE / SST of rows that share their labels."""
    groups: defaultdict[tuple[str, ...], list[Point]] = defaultdict(list)
    for point, label in zip(standardized(rows), labels, strict=True):
        groups[tuple(label)].append(point)
    return share_lost(groups.values())


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def main() -> None:
    """Measures files, or tables that are made."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--k", type=int, action="append")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = {f"made-{given.rows}": (given.rows, 5, 0.6, 5)} if given.rows else SIZES
        for stem, size in sizes.items() if not given.files else ():
            make(folder / f"{stem}.csv", *size)
        for source in given.files or [folder / f"{stem}.csv" for stem in sizes]:
            for k in given.k or (3, 5, 10):
                measure(source, k, folder)


if __name__ == "__main__":
    main()
