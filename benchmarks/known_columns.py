"""k of every combination of m quasi-identifiers beside k of all of them: what is lost and suppressed, and how long.

    python benchmarks/known_columns.py --rows 100000 --columns 16 --known 2 3 --limit 1%
    python benchmarks/known_columns.py --rows 1000000 --columns 30 --known 2 3 --seconds 200

The table is that of wide.py: answers on scales of five, as in questionnaires, with hierarchies of three levels. Times
are seconds of processor time of whole runs, of all threads: reading, searching, writing, and counting all combinations
of the release again; the search stops after --seconds of the clock. m = all is k of all columns together.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from wide import LEVELS, make_table

import kanon_sql
from kanon_sql.errors import KanonError


def config_of(table: Path, folder: Path, args: argparse.Namespace, size: int) -> dict[str, Any]:
    """A configuration that asks k of every combination of so many columns."""
    hierarchy = folder / "hierarchy.csv"
    middle = {1: "1-2", 3: "3", 4: "4-5"}
    hierarchy.write_text("".join(f"{LEVELS[0][i]},{middle[LEVELS[1][i]]}\n" for i in range(5)), "utf-8")
    return {
        "source": str(table),
        "target": {"path": str(folder / "out.parquet"), "overwrite": True},
        "quasi_identifiers": {f"q{i}": {"hierarchy": str(hierarchy)} for i in range(args.columns)},
        "privacy": {"k": args.k, "known_columns": size},
        "suppression": {"limit": args.limit},
    }


def main() -> None:
    """Prints a line for each m."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=16)
    parser.add_argument("--known", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--k", type=int, default=50)
    parser.add_argument("--limit", default="0")
    parser.add_argument("--seconds", type=float, default=120)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        table = Path(name) / "answers.parquet"
        make_table(args.rows, args.columns, table)
        for size in [*args.known, args.columns]:
            start = time.process_time()
            what = f"m = {'all' if size == args.columns else size}"
            try:
                config = config_of(table, Path(name), args, size)
                report = kanon_sql.run(config, advice=False, time_limit=args.seconds).report
            except KanonError as error:
                print(f"{what}: {error}")
                continue
            search = report["search"]
            print(
                f"{what}: NCP {report['loss']['ncp']:.2f} %, {report['rows']['suppressed']} rows suppressed, "
                f"{search['checked']} nodes checked, proven: {search['proven']}, "
                f"{time.process_time() - start:.1f} s of processor time, search {report['seconds']['search']:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
