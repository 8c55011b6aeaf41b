"""Which step of local recoding gains how much: each switched off from outside, on tables of a few shapes.

    python benchmarks/local_steps.py FOLDER
    python benchmarks/local_steps.py FOLDER --tables three eight_5 --steps whole lending --effort fast

FOLDER holds adult.csv and, for each column, adult_hierarchy_COLUMN.csv, separated by semicolons, as the examples of ARX
do. A line for each table and step: the loss (NCP %) without the step, by how much of the loss with all steps that is
more, the gap that is left unproven, and processor seconds. A step that gains less than 0.5 % on all of them goes.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from math import inf
from pathlib import Path
from typing import Any
from unittest.mock import patch

from local import EIGHT, configuration
from make_table import make_table

import kanon_sql
from kanon_sql.search.local import labels, prices, program, search

_HIERARCHIES = {"marital_status": "marital-status", "native_country": "native-country", "work_class": "workclass"}
_FOUR = ["sex", "age", "race", "marital-status"]
TABLES: dict[str, tuple[list[str], int]] = {
    "three": (["age", "race", "marital-status"], 5),
    "four": (_FOUR, 50),
    "five": (["age", "race", "marital-status", "sex", "native-country"], 10),
    "eight_5": (EIGHT, 5),
    "eight_10": (EIGHT, 10),
    "eight_50": (EIGHT, 50),
    "ranks": (["age", "education", "sex"], 50),  # without hierarchies
    "large": (EIGHT, 5),  # 200,000 rows drawn anew
}


def _nothing(*_: Any, **__: Any) -> None:
    """Does nothing, in place of a step that returns nothing, or None where it found nothing."""


def _always(answer: object) -> Callable[..., object]:
    return lambda *_, **__: answer


# What is patched away of each step: the object, its attribute, and what stands there instead.
STEPS: dict[str, list[tuple[Any, str, Any]]] = {
    "all": [],
    "lending": [(search, "_MOST_KEPT", -1)],
    "borrowing": [(labels.Costs, "_borrow", _nothing)],
    "whole": [(search.LocalSearch, "_compare_whole_domain", _nothing)],
    "cuts": [(search.LocalSearch, "_compare_cuts", _always(True))],
    "guiding": [(search.LocalSearch, "_guide", _nothing)],
    "program": [(prices, "is_few", _always(False))],
    "proof": [(program.Program, "prove", lambda self, loss, proven: proven)],
    "fewer_shapes": [(labels, "_MOST_SHAPES", 10**9)],
}


def _table(name: str, folder: Path, work: Path, effort: str) -> dict[str, Any]:
    """The configuration of a run on a table."""
    columns, k = TABLES[name]
    config = configuration(folder, work, columns, k, effort)
    if name == "ranks":
        config["quasi_identifiers"] = {column: {} for column in columns}
    if name == "large":
        path = work / "large.parquet"
        if not path.exists():
            make_table(200_000, path)
        names = {hyphened: column for column, hyphened in _HIERARCHIES.items()}
        config["source"] = str(path)
        config["quasi_identifiers"] = {
            names.get(column, column): {"hierarchy": str(folder / f"adult_hierarchy_{column}.csv")}
            for column in columns
        }
    return config


def run(config: dict[str, Any], step: str) -> tuple[float, float, float]:
    """(NCP in percent, gap in percent, processor seconds) without a step."""
    with ExitStack() as stack:
        for owner, attribute, instead in STEPS[step]:
            stack.enter_context(patch.object(owner, attribute, instead))
        start = time.process_time()
        report = kanon_sql.run(config, advice=False).report
    gap = report["search"]["gap"]
    return report["loss"]["ncp"], 100 * gap if gap is not None else inf, time.process_time() - start


def compare(folder: Path, tables: Sequence[str], steps: Sequence[str], effort: str) -> None:
    """Prints a line for each table and step."""
    print("table, k, without, NCP %, more than with all %, gap %, seconds of processor time")
    with tempfile.TemporaryDirectory() as temporary:
        for name in tables:
            config, loss_of_all = _table(name, folder, Path(temporary), effort), 0.0
            for step in steps:
                loss, gap, seconds = run(config, step)
                loss_of_all = loss if step == "all" else loss_of_all
                more = 100 * (loss / loss_of_all - 1) if loss_of_all else 0.0
                print(
                    f"{name}, {TABLES[name][1]}, {step}, {loss:.4f}, {more:+.2f}, {gap:.1f}, {seconds:.1f}", flush=True
                )


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", nargs="+", choices=[*TABLES], default=[*TABLES])
    parser.add_argument("--steps", nargs="+", choices=[*STEPS], default=[*STEPS])
    parser.add_argument("--effort", default="default")
    options = parser.parse_args()
    compare(
        options.folder.resolve(),
        options.tables,
        ["all", *(step for step in options.steps if step != "all")],
        options.effort,
    )


if __name__ == "__main__":
    main()
