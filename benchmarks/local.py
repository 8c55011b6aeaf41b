"""Local recoding of the Adult data: loss, proven bound and processor time of whole runs, each release counted again.

    python benchmarks/local.py FOLDER
    python benchmarks/local.py FOLDER --columns age race marital-status --k 5 --effort fast default best

FOLDER holds adult.csv and, for each column, adult_hierarchy_COLUMN.csv, separated by semicolons, as the examples of ARX
do. Plain Python counts each release again, beside its source and the hierarchies: every value must stand below what was
released for it, every class must hold k rows; a row loses (values below - 1) / (all values - 1) in each column.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from speed import measure

EIGHT = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
Hierarchy = dict[str, list[str]]


def table(path: Path) -> list[list[str]]:
    """The lines of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter=";"))


def column_losses(hierarchy: Hierarchy, values: Sequence[str], released: Sequence[str]) -> list[float]:
    """What each row loses in one column. Raises SystemExit where a value does not stand below what was released."""
    below = Counter(word for line in hierarchy.values() for word in set(line))
    wrong = sum(label not in hierarchy[value] for value, label in zip(values, released, strict=True))
    if wrong:
        raise SystemExit(f"{wrong} rows are released as something that they are not")
    return [(below[label] - 1) / (len(hierarchy) - 1) for label in released]


def recount(folder: Path, release: Path, columns: Sequence[str]) -> tuple[float, int]:
    """(NCP in percent, rows of the smallest class) of a release whose rows are in the order of the source."""
    (names, *rows), (released_names, *released) = table(folder / "adult.csv"), table(release)
    total = 0.0
    for column in columns:
        hierarchy = {line[0]: line for line in table(folder / f"adult_hierarchy_{column}.csv")}
        values = [row[names.index(column)] for row in rows]
        labels = [row[released_names.index(column)] for row in released]
        total += sum(column_losses(hierarchy, values, labels))
    classes = Counter(tuple(row[released_names.index(column)] for column in columns) for row in released)
    return 100 * total / len(rows) / len(columns), min(classes.values())


def configuration(folder: Path, work: Path, columns: Sequence[str], k: int, effort: str) -> dict[str, Any]:
    """The configuration of one run."""
    delimiter = {"delimiter": ";"}
    return {
        "source": {"path": str(folder / "adult.csv"), "csv": delimiter},
        "target": {"path": str(work / "release.csv"), "overwrite": True, "csv": delimiter},
        "quasi_identifiers": {
            column: {"hierarchy": str(folder / f"adult_hierarchy_{column}.csv")} for column in columns
        },
        "unlisted": "drop",
        "privacy": {"k": k},
        "algorithm": {"name": "local", "effort": effort},
        "release": {"order": "none"},
        "report": str(work / "report.json"),
    }


def main() -> None:
    """Runs each k with each effort and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--columns", nargs="+", default=EIGHT)
    parser.add_argument("--k", nargs="+", type=int, default=[5, 10, 50])
    parser.add_argument("--effort", nargs="+", default=["fast", "default"])
    options = parser.parse_args()
    folder = options.folder.resolve()
    print("k, effort, NCP % counted again, bound, gap %, seconds of processor time, peak in MB")
    with tempfile.TemporaryDirectory() as given:
        work = Path(given)
        for k in options.k:
            for effort in options.effort:
                (work / "config.json").write_text(json.dumps(configuration(folder, work, options.columns, k, effort)))
                command = [sys.executable, "-m", "kanon_sql", "run", str(work / "config.json"), "--no-advice"]
                _, peak, seconds = measure(command)
                report = json.loads((work / "report.json").read_text("utf-8"))
                loss, smallest = recount(folder, work / "release.csv", options.columns)
                if smallest < k or abs(loss - report["loss"]["ncp"]) > 1e-6:
                    raise SystemExit(f"k = {k}, {effort}: {loss} counted, {report['loss']['ncp']} reported, {smallest}")
                bound = 100 * report["search"]["bound"] / len(options.columns)
                gap = 100 * report["search"]["gap"]
                print(f"{k}, {effort}, {loss:.4f}, {bound:.4f}, {gap:.1f}, {seconds:.1f}, {peak:.0f}", flush=True)


if __name__ == "__main__":
    main()
