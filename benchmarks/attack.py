"""What it costs to attack a release, beside a plain copy of the file and beside the run that made the release.

    python benchmarks/attack.py --rows 1000000 --k 100
    python benchmarks/attack.py --rows 1000000 --zip --k 5

The release of the table of `speed.py` is made and attacked in turn. The table gives medians of processor time, their
ratios to those of the copy and of the run beside them, and the largest peak of memory.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from speed import commands, measure, options


def main() -> None:
    """Runs the rounds and prints the table."""
    given = options(__doc__).parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        every = commands(Path(name), given)
        attack = [sys.executable, "-m", "kanon_sql", "attack", str(Path(name) / "config.json"), "--quiet"]
        bounds = ["--memory-limit", given.memory_limit] if given.memory_limit else []
        steps = {
            "copy": every["copy"],
            "run": [*every["kanon-sql, random order"], "--no-advice"],
            "attack": [*attack, "--temp-directory", name, *bounds],
        }
        taken: dict[str, list[tuple[float, float, float]]] = {step: [] for step in steps}
        for _ in range(given.runs):
            for step, command in steps.items():
                taken[step].append(measure(command))
    print(f"{given.rows:,} rows, {given.algorithm}, k = {given.k}")
    print(f"{'':10}{'processor':>11}{'to copy':>9}{'to run':>9}{'MB':>8}")
    seconds = {step: statistics.median(run[2] for run in runs) for step, runs in taken.items()}
    for step, runs in taken.items():
        ratios = "".join(f"{seconds[step] / seconds[beside]:9.2f}" for beside in ("copy", "run"))
        print(f"{step:10}{seconds[step]:11.2f}{ratios}{max(run[1] for run in runs):8.0f}")


if __name__ == "__main__":
    main()
