"""Full-domain searches of the Adult sample: processor time of whole processes, checks, and seconds of the search.

    python benchmarks/search.py

Each round runs every job once, in turn; the table gives medians. The ratio is to the process of the job of k alone with
the same quasi-identifiers and limit, in seconds of the processors; seconds of the search are those of the clock.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from speed import measure

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "adult"
SEVEN: dict[str, Any] = {
    "sex": {"builtin": "suppress"},
    "age": {"builtin": "intervals", "widths": [5, 10, 20]},
    "race": {"builtin": "suppress"},
    "marital_status": "marital-status",
    "education": "education-adult",
    "native_country": str(EXAMPLE / "hierarchies" / "country.csv"),
    "work_class": str(EXAMPLE / "hierarchies" / "work-class.csv"),
}
NINE = {**SEVEN, "occupation": str(EXAMPLE / "hierarchies" / "occupation.csv"), "class": {"builtin": "suppress"}}
T_CLOSE = {"t_closeness": {"column": "occupation", "t": 0.2}}
T_CLOSE_IN_A_TREE = {
    "t_closeness": {
        "column": "occupation",
        "t": 0.2,
        "distance": "hierarchical",
        "hierarchy": str(EXAMPLE / "hierarchies" / "occupation.csv"),
    }
}
BETA = {"beta": {"column": "occupation", "beta": 1}}
# name: (quasi-identifiers, models beside k = 5, limit, algorithm)
JOBS: dict[str, tuple[dict[str, Any], dict[str, Any], str, Any]] = {
    "k, 9 columns, 1 %": (NINE, {}, "1%", "optimal"),
    "k, 7 columns, 5 %": (SEVEN, {}, "5%", "optimal"),
    "k and t = 0.2, 5 %": (SEVEN, T_CLOSE, "5%", "optimal"),
    "k and hierarchical t": (SEVEN, T_CLOSE_IN_A_TREE, "5%", "optimal"),
    "k, 7 columns, 100 %": (SEVEN, {}, "100%", "optimal"),
    "k and beta = 1, 100 %": (SEVEN, BETA, "100%", "optimal"),
}


def configuration(name: str, folder: Path) -> dict[str, Any]:
    """The configuration of a job."""
    columns, models, limit, algorithm = JOBS[name]
    return {
        "source": {"path": str(EXAMPLE / "adult.parquet"), "missing": ["?"]},
        "missing": "drop",
        "target": {"path": str(folder / "release.parquet"), "overwrite": True},
        "quasi_identifiers": columns,
        "sensitive": [] if "occupation" in columns else ["occupation"],
        "unlisted": "drop",
        "privacy": {"k": 5, **models},
        "suppression": {"limit": limit},
        "algorithm": algorithm,
        "report": str(folder / "report.json"),
    }


def main() -> None:
    """Runs the jobs and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    seconds: dict[str, list[float]] = {name: [] for name in JOBS}
    searching: dict[str, list[float]] = {name: [] for name in JOBS}
    checked: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as given:
        folder = Path(given)
        for _ in range(runs):
            for name in JOBS:
                path = folder / "config.json"
                path.write_text(json.dumps(configuration(name, folder)), "utf-8")
                *_, taken = measure([sys.executable, "-m", "kanon_sql", "run", str(path), "--no-advice"])
                seconds[name].append(taken)
                report = json.loads((folder / "report.json").read_text("utf-8"))
                searching[name].append(report["seconds"]["search"])
                checked[name] = report["search"]["checked"]
    yardstick = ""
    for name, (_, models, _, _) in JOBS.items():
        yardstick = yardstick if models else name
        process = statistics.median(seconds[name])
        ratio = process / statistics.median(seconds[yardstick])
        search = statistics.median(searching[name])
        print(f"{name:24s} {process:6.2f} s  ratio {ratio:5.2f}  {checked[name]:5d} checks  search {search:6.2f} s")


if __name__ == "__main__":
    main()
