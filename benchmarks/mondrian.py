"""Mondrian by kanon-sql, by plain Python and by anonypy (PyPI), on the Adult sample and on a larger table.

    pip install anonypy 'pandas<3' && python benchmarks/mondrian.py --k 10
    python benchmarks/mondrian.py --k 10 --rows 1000000 --without-anonypy

Loss (numbers by range, texts by the set of values) and the smallest class are counted again from the partitions of
each, by the same code. The plain Python one cuts at the median of the widest column, as dimension: widest does.
"""

from __future__ import annotations

import argparse
import operator
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import duckdb
from make_table import make_table

import kanon_sql

HERE = Path(__file__).resolve().parent
COLUMNS = ["age", "sex", "race", "marital_status", "education", "native_country", "work_class", "occupation"]
NUMBERS = {0}
Row = tuple[Any, ...]
Partition = list[Row]


def plain(rows: Sequence[Row], k: int) -> list[Partition]:
    """Strict Mondrian over rows, one partition after the other, both sides of the median tried."""
    ranks = []
    for i in range(len(COLUMNS)):
        present = sorted({row[i] for row in rows})
        spread = present[-1] - present[0] if i in NUMBERS else len(present) - 1
        ranks.append(({v: (v if i in NUMBERS else place) for place, v in enumerate(present)}, spread or 1))
    open_ones, done = [list(rows)], []
    while open_ones:
        part = open_ones.pop()
        sides = _cut(part, ranks, k) if len(part) >= 2 * k else None
        if sides is None:
            done.append(part)
        else:
            open_ones += sides
    return done


def _cut(part: Partition, ranks: list[tuple[dict[Any, float], float]], k: int) -> list[Partition] | None:
    widths = []
    for i, (rank, spread) in enumerate(ranks):
        places = [rank[row[i]] for row in part]
        widths.append((max(places) - min(places)) / spread)
    for i in sorted(range(len(ranks)), key=lambda i: -widths[i]):
        if not widths[i]:
            return None
        rank = ranks[i][0]
        median = sorted(rank[row[i]] for row in part)[(len(part) - 1) // 2]
        for goes_left in (operator.le, operator.lt):
            left = [row for row in part if goes_left(rank[row[i]], median)]
            if min(len(left), len(part) - len(left)) >= k:
                return [left, [row for row in part if not goes_left(rank[row[i]], median)]]
    return None


def by_anonypy(rows: Sequence[Row], k: int) -> list[Partition]:
    """The partitions of anonypy's Mondrian."""
    import anonypy  # type: ignore[import-not-found, import-untyped, unused-ignore]
    import pandas as pd  # type: ignore[import-not-found, import-untyped, unused-ignore]

    frame = pd.DataFrame(rows, columns=COLUMNS)
    for i, column in enumerate(COLUMNS):
        if i not in NUMBERS:
            frame[column] = frame[column].astype("category")
    frame["number"] = range(len(rows))
    parts = anonypy.Preserver(frame, COLUMNS, "number").modrian.partition(k)
    return [[rows[i] for i in part] for part in parts]


def by_kanon_sql(source: Path, dimension: str, k: int) -> Callable[[], list[Partition]]:
    """The partitions of a run, matched by the number that each row keeps."""
    target = source.with_name(f"{dimension}.parquet")
    config = {
        "source": str(source),
        "target": {"path": str(target), "overwrite": True},
        "quasi_identifiers": COLUMNS,
        "insensitive": ["number"],
        "privacy": {"k": k},
        "algorithm": {"name": "mondrian", "dimension": dimension},
        "release": {"order": "none"},
    }
    kanon_sql.run(config)

    def partitions() -> list[Partition]:
        keys = ", ".join(f"released.{column}" for column in COLUMNS)
        values = ", ".join(f"original.{column}" for column in COLUMNS)
        joined = f"'{target}' AS released JOIN '{source}' AS original ON released.number = original.number"
        grouped: dict[Row, Partition] = defaultdict(list)
        for row in duckdb.execute(f"SELECT {keys}, {values} FROM {joined}").fetchall():
            grouped[row[: len(COLUMNS)]].append(row[len(COLUMNS) :])
        return list(grouped.values())

    return partitions


def loss(partitions: Iterable[Partition]) -> float:
    """NCP in percent."""
    parts = [list(part) for part in partitions]
    n = sum(map(len, parts))
    total = 0.0
    for i in range(len(COLUMNS)):
        present = {row[i] for part in parts for row in part}
        spread = max(present) - min(present) if i in NUMBERS else len(present) - 1
        for part in parts:
            here = {row[i] for row in part}
            total += len(part) * (max(here) - min(here) if i in NUMBERS else len(here) - 1) / (spread or 1)
    return 100 * total / n / len(COLUMNS)


def show(name: str, seconds: float, partitions: list[Partition]) -> None:
    """One line of the table."""
    sizes = Counter(map(len, partitions))
    print(f"{name:28}{seconds:9.2f}{len(partitions):10,}{min(sizes):10}{loss(partitions):9.2f}", flush=True)


def main() -> None:
    """Runs all and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--rows", type=int, default=0, help="of a table made from the sample; 0: the sample itself")
    parser.add_argument("--without-anonypy", action="store_true", help="it takes very long on large tables")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        people = HERE.parent / "examples" / "adult" / "adult.parquet"
        if arguments.rows:
            people = Path(folder) / "made.parquet"
            make_table(arguments.rows, people)
        source = Path(folder) / "source.parquet"
        selected = ", ".join(c if c != "age" else "age::INTEGER AS age" for c in COLUMNS)
        numbered = f"SELECT {selected}, row_number() OVER () AS number FROM '{people}'"
        duckdb.execute(f"COPY ({numbered}) TO '{source}'")
        rows = duckdb.execute(f"SELECT {', '.join(COLUMNS)} FROM '{source}'").fetchall()
        print(
            f"{'':28}{'seconds':>9}{'classes':>10}{'smallest':>10}{'ncp %':>9}   {len(rows):,} rows, k = {arguments.k}"
        )
        for dimension in ("loss", "widest"):
            start = time.perf_counter()
            partitions = by_kanon_sql(source, dimension, arguments.k)
            show(f"kanon-sql, {dimension} (whole run)", time.perf_counter() - start, partitions())
        others = [("plain Python, widest", plain)] + ([] if arguments.without_anonypy else [("anonypy", by_anonypy)])
        for name, function in others:
            start = time.perf_counter()
            classes = function(rows, arguments.k)
            show(name, time.perf_counter() - start, classes)


if __name__ == "__main__":
    main()
