"""Whole processes side by side: kanon-sql against DuckDB's own copy of the same file, plain and shuffled.

    python benchmarks/speed.py --rows 10000000 --k 1658
    python benchmarks/speed.py --rows 1000000 --zip --k 5
    python benchmarks/speed.py --rows 10000000 --k 10 --algorithm mondrian
    python benchmarks/speed.py --rows 10000000 --k 50 --algorithm local
    python benchmarks/speed.py --rows 100000000 --memory-limit 4GB --runs 1

Each round runs every command once, in turn; the table gives medians of wall seconds and of processor time, their ratios
to those of the copy beside it, and the largest peak of memory.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from make_table import make_table

HERE = Path(__file__).resolve().parent
HIERARCHIES = HERE.parent / "examples" / "adult" / "hierarchies"

_COPY = """
import sys, duckdb
connection = duckdb.connect()
if sys.argv[4]:
    connection.execute(f"SET memory_limit = '{sys.argv[4]}'")
connection.execute(f"SET temp_directory = '{sys.argv[5]}'")
order = "ORDER BY random()" if sys.argv[3] == "shuffled" else ""
connection.execute(f"COPY (SELECT * EXCLUDE id FROM '{sys.argv[1]}' {order}) TO '{sys.argv[2]}'").fetchall()
"""


def configuration(source: Path, folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Nine quasi-identifiers, ten with --zip."""
    quasi_identifiers: dict[str, Any] = {
        "sex": {"builtin": "suppress"},
        "age": {"builtin": "intervals", "widths": [5, 10, 20]},
        "race": {"builtin": "suppress"},
        "marital_status": "marital-status",
        "education": "education-adult",
        "native_country": str(HIERARCHIES / "country.csv"),
        "work_class": str(HIERARCHIES / "work-class.csv"),
        "occupation": str(HIERARCHIES / "occupation.csv"),
        "class": {"builtin": "suppress"},
    }
    if arguments.algorithm == "mondrian":
        quasi_identifiers = {column: {} for column in quasi_identifiers}
    if arguments.zip and arguments.algorithm == "mondrian":
        quasi_identifiers["zip"] = {}
    elif arguments.zip:
        quasi_identifiers["zip"] = {"builtin": "prefix", "keep": [4, 3, 2, 1]}
    return {
        "source": str(source),
        "target": {"path": str(folder / "release.parquet"), "overwrite": True},
        "identifiers": ["id"],
        "quasi_identifiers": quasi_identifiers,
        "sensitive": ["diagnosis"],
        "insensitive": ["cost"],
        "privacy": {"k": arguments.k},
        "suppression": {"limit": arguments.limit},
        "algorithm": arguments.algorithm,
    }


def measure(command: list[str]) -> tuple[float, float, float]:
    """(wall seconds, peak memory in MB, seconds of processor time) of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")
    peak = usage.ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    return time.perf_counter() - start, peak, usage.ru_utime + usage.ru_stime


def commands(folder: Path, arguments: argparse.Namespace) -> dict[str, list[str]]:
    """What is run, by the name it is shown under."""
    source, config = folder / "table.parquet", folder / "config.json"
    make_table(arguments.rows, source, zip_codes=arguments.zip)
    config.write_text(json.dumps(configuration(source, folder, arguments)))
    copy = [sys.executable, "-c", _COPY, str(source), str(folder / "copy.parquet")]
    bounds = ["--memory-limit", arguments.memory_limit] if arguments.memory_limit else []
    release = [sys.executable, "-m", "kanon_sql", "run", str(config), "--quiet", *bounds]
    release += ["--temp-directory", str(folder), "--report", str(folder / "report.json")]
    return {
        "copy": [*copy, "plain", arguments.memory_limit, str(folder)],
        "kanon-sql, order none": [*release, "--set", "release.order=none"],
        "shuffled copy": [*copy, "shuffled", arguments.memory_limit, str(folder)],
        "kanon-sql, random order": release,
    }


def effort(search: dict[str, Any]) -> str:
    """What the search did, in words."""
    if "rounds" in search:
        return f"{search['tuples']:,} tuples cut in {search['rounds']} rounds"
    return f"{search['checked']} of {search['lattice_nodes']:,} nodes checked"


def options(description: str | None) -> argparse.ArgumentParser:
    """What table is made, how it is released, and how often."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--zip", action="store_true")
    parser.add_argument("--algorithm", choices=["optimal", "mondrian", "local"], default="optimal")
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument("--limit", default="1%")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--memory-limit", default="")
    parser.add_argument("--folder", type=Path, help="where the files are made [default: the system's]")
    return parser


def take(
    every: dict[str, list[str]], runs: int, before: Callable[[], object] = lambda: None
) -> dict[str, list[tuple[float, float, float]]]:
    """What each command took, by the name it is shown under, all of them in turn; `before` goes ahead of each."""
    taken: dict[str, list[tuple[float, float, float]]] = {what: [] for what in every}
    for _ in range(runs):
        for what, command in every.items():
            before()
            taken[what].append(measure(command))
    return taken


def show(taken: dict[str, list[tuple[float, float, float]]], beside: dict[str, str]) -> None:
    """Prints medians of seconds and of processor time, each with its ratio to the command that it stands beside."""
    print(f"{'':26}{'seconds':>9}{'ratio':>8}{'processor':>11}{'ratio':>8}{'MB':>8}")
    for what, runs in taken.items():
        cells = ""
        for place, width in ((0, 9), (2, 11)):
            seconds = statistics.median(run[place] for run in runs)
            against = statistics.median(run[place] for run in taken[beside[what]]) if what in beside else None
            cells += f"{seconds:{width}.2f}{f'{seconds / against:.2f}' if against else '':>8}"
        print(f"{what:26}{cells}{max(run[1] for run in runs):8.0f}")


def main() -> None:
    """Runs the rounds and prints the table."""
    arguments = options(__doc__).parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        taken = take(commands(folder, arguments), arguments.runs)
        report = json.loads((folder / "report.json").read_text())
    print(f"{arguments.rows:,} rows, k = {arguments.k}, limit {arguments.limit}, {os.cpu_count()} cores")
    print(f"{effort(report['search'])}, ncp {report['loss']['ncp']:.2f} %")
    show(taken, {"kanon-sql, order none": "copy", "kanon-sql, random order": "shuffled copy"})


if __name__ == "__main__":
    main()
