"""What it costs to measure what a release is still good for, beside the run that made it.

    python benchmarks/utility.py --rows 10000000 --k 1658
    python benchmarks/utility.py --rows 10000000 --k 10 --algorithm mondrian

The release of the table of `speed.py` is made and measured in turn; the best of several is shown.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from speed import commands, measure


def main() -> None:
    """Prints seconds and memory of both, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--zip", action="store_true")
    parser.add_argument("--algorithm", choices=["optimal", "mondrian", "local"], default="optimal")
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--limit", default="1%")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--memory-limit", default="")
    parser.add_argument("--folder", type=Path, help="where the files are made [default: the system's]")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        run = [*commands(Path(name), given)["kanon-sql, random order"], "--no-advice"]
        utility = [sys.executable, "-m", "kanon_sql", "utility", str(Path(name) / "config.json"), "--quiet"]
        taken = [(measure(run), measure(utility)) for _ in range(given.runs)]
    made, measured = (min(one[place] for one in taken) for place in (0, 1))
    print(f"{given.rows:,} rows, {given.algorithm}, k = {given.k}: run {made[0]:.1f} s ({made[1]:.0f} MB), ", end="")
    print(f"utility {measured[0]:.1f} s ({measured[1]:.0f} MB), {measured[0] / made[0]:.2f} times the run")


if __name__ == "__main__":
    main()
