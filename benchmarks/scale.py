"""How the cost of a run grows: with rows, with distinct combinations, with nodes of the lattice.

    python benchmarks/scale.py --rows 1000000 10000000 --k 100
    python benchmarks/scale.py --rows 100000000 --k 1658 --memory-limit 4GB
    python benchmarks/scale.py --rows 1000000 10000000 --k 100 --zip

For each number of rows one table is made and released once, beside DuckDB's shuffled copy of the same file; the parts
of the run come from its report.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from speed import commands, measure


def main() -> None:
    """Prints one line for each number of rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--limit", default="1%")
    parser.add_argument("--zip", action="store_true")
    parser.add_argument("--algorithm", choices=["optimal", "mondrian", "local"], default="optimal")
    parser.add_argument("--memory-limit", default="")
    parser.add_argument("--folder", type=Path, help="where the files are made [default: the system's]")
    given = parser.parse_args()
    print("| rows | read | search | release | verify | run, seconds | peak memory | shuffled copy, seconds | checked |")
    print("|---|---|---|---|---|---|---|---|---|")
    for rows in given.rows:
        with tempfile.TemporaryDirectory(dir=given.folder) as name:
            every = commands(Path(name), argparse.Namespace(**{**vars(given), "rows": rows}))
            copied, *_ = measure(every["shuffled copy"])
            taken, memory, _ = measure(every["kanon-sql, random order"])
            report = json.loads((Path(name) / "report.json").read_text())
        parts = " | ".join(f"{report['seconds'][part]:.1f}" for part in ("read", "search", "release", "verify"))
        nodes = report["search"].get("checked", report["search"].get("rounds"))
        print(f"| {rows:,} | {parts} | {taken:.1f} | {memory:.0f} MB | {copied:.1f} | {nodes} |", flush=True)


if __name__ == "__main__":
    main()
