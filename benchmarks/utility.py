"""What it costs to measure what a release is still good for, beside the run that made it.

    python benchmarks/utility.py --rows 10000000 --k 1658
    python benchmarks/utility.py --rows 10000000 --k 10 --algorithm mondrian

The release of the table of `speed.py` is made and measured in turn; the best of several is shown.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from speed import commands, measure, options


def main() -> None:
    """Prints seconds and memory of both, and the ratio."""
    given = options(__doc__).parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        run = [*commands(Path(name), given)["kanon-sql, random order"], "--no-advice"]
        utility = [sys.executable, "-m", "kanon_sql", "utility", str(Path(name) / "config.json"), "--quiet"]
        taken = [(measure(run), measure(utility)) for _ in range(given.runs)]
    of_run, measured = (min(pair[place] for pair in taken) for place in (0, 1))
    print(
        f"{given.rows:,} rows, {given.algorithm}, k = {given.k}: run {of_run[0]:.1f} s ({of_run[1]:.0f} MB), ", end=""
    )
    print(f"utility {measured[0]:.1f} s ({measured[1]:.0f} MB), {measured[0] / of_run[0]:.2f} times the run")


if __name__ == "__main__":
    main()
