"""The bound and the loss of local recoding beside exact optima of 1,000 random small tables.

    python benchmarks/local_bound.py                # all of them; --first 100 for fewer
    python benchmarks/local_bound.py --make         # draws them again and solves them, by plain Python

`local_instances/instances.jsonl` holds them, one a line: `k`, the `hierarchies` (for each column the rows of its file),
the `rows`, and the `optimum`, the least loss (lm, a row) of all ways to put every row into a class of k rows at least,
where equal rows may be in several classes. It is found by dynamic programming over sets of rows.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import random
import tempfile
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import kanon_sql

INSTANCES = Path(__file__).resolve().parent / "local_instances" / "instances.jsonl"
Hierarchy = list[list[str]]


def draw(chance: random.Random) -> dict[str, Any]:
    """A table of 6 to 11 rows in 1 to 4 columns, with hierarchies of 1 to 3 levels above the values."""
    hierarchies = []
    for number in range(chance.choice([1, 2, 2, 3, 3, 4])):
        groups = list(range(chance.choice([2, 3, 4, 6, 8])))
        lines = [[f"{number}.{leaf}"] for leaf in groups]
        for level in range(1, chance.choice([1, 2, 3])):
            wide = chance.choice([2, 3])
            groups = [group // wide for group in groups]
            for line, group in zip(lines, groups, strict=True):
                line.append(f"{number}.{level}.{group}")
        hierarchies.append([[*line, "*"] for line in lines])
    rows = [[chance.choice(lines)[0] for lines in hierarchies] for _ in range(chance.randint(6, 11))]
    k = chance.choice([2, 2, 3, 4])
    return {"k": k, "hierarchies": hierarchies, "rows": rows, "optimum": optimum(hierarchies, rows, k)}


def row_loss(hierarchies: Sequence[Hierarchy], rows: Sequence[Sequence[str]]) -> float:
    """What each row of a class loses: its lowest common ancestors."""
    lost = []
    for at, lines in enumerate(hierarchies):
        held = [line for line in lines if line[0] in {row[at] for row in rows}]
        level = next(level for level in range(len(lines[0])) if len({line[level] for line in held}) == 1)
        lost.append((sum(line[level] == held[0][level] for line in lines) - 1) / (len(lines) - 1))
    return math.fsum(lost)


def optimum(hierarchies: Sequence[Hierarchy], rows: Sequence[Sequence[str]], k: int) -> float:
    """The least loss of all partitions; no class needs 2 k rows, as it could be cut without loss."""

    @cache
    def best(waiting: tuple[int, ...]) -> float:
        if not waiting:
            return 0.0
        first, *others = waiting
        least = math.inf
        for size in range(k - 1, min(2 * k - 1, len(others) + 1)):
            for chosen in combinations(others, size):
                rest = best(tuple(number for number in others if number not in chosen))
                if rest < least:
                    members = [rows[number] for number in (first, *chosen)]
                    least = min(least, rest + len(members) * row_loss(hierarchies, members))
        return least

    return best(tuple(range(len(rows)))) / len(rows)


def released(instance: dict[str, Any], folder: Path, effort: str) -> tuple[float, float]:
    """(the objective, the bound) of a run."""
    names = [f"c{number}" for number in range(len(instance["hierarchies"]))]
    _write(folder / "in.csv", [names, *instance["rows"]])
    for name, lines in zip(names, instance["hierarchies"], strict=True):
        _write(folder / f"{name}.csv", lines)
    config = {
        "source": {"path": str(folder / "in.csv"), "csv": {"delimiter": ","}},
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": {name: {"hierarchy": str(folder / f"{name}.csv")} for name in names},
        "privacy": {"k": instance["k"]},
        "algorithm": {"name": "local", "effort": effort},
    }
    report = kanon_sql.run(config, advice=False).report
    return report["loss"]["objective"], report["search"]["bound"]


def _write(path: Path, lines: Sequence[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(lines)


def main() -> None:
    """Draws the instances, or runs them and prints how far bounds and losses are from the optima."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--first", type=int, default=1000)
    parser.add_argument("--effort", default="default")
    options = parser.parse_args()
    if options.make:
        drawn = [draw(random.Random(seed)) for seed in range(1000)]
        INSTANCES.write_text("".join(f"{json.dumps(instance)}\n" for instance in drawn), encoding="utf-8")
        return
    instances = [json.loads(line) for line in INSTANCES.read_text(encoding="utf-8").splitlines()][: options.first]
    above, below, violations = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for number, instance in enumerate(instances):
            loss, bound = released(instance, Path(folder), options.effort)
            if not bound <= instance["optimum"] + 1e-9 or not loss >= instance["optimum"] - 1e-9:
                violations += 1
                print(f"instance {number}: bound {bound}, optimum {instance['optimum']}, loss {loss}")
            above.append(loss)
            below.append(bound)
    least = math.fsum(instance["optimum"] for instance in instances)
    print(
        f"{len(instances)} tables: {violations} violations; losses {100 * (math.fsum(above) / least - 1):.2f} % above "
        f"the optima, bounds {100 * (1 - math.fsum(below) / least):.2f} % below"
    )


if __name__ == "__main__":
    main()
