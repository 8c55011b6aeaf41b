"""Many quasi-identifiers: what is found and proven over time, beside a plain bottom-up greedy search.

    python benchmarks/wide.py --columns 16 24 30 --rows 5000 --k 5 --limit 1% --seconds 60
    python benchmarks/wide.py --columns 24 --seconds 20 --plain

The table is made by SQL, the same on every machine: answers on scales of five, as in questionnaires. Each follows one
of four facets, which share something themselves; every hierarchy is 1 to 5, then 1-2, 3, 4-5, then *. The greedy search
starts at the answers as they are and raises, again and again, the column that leaves the least loss. With --plain the
search neither dives nor works on bounds of groups, as those of small lattices. Times are seconds
of processor time of the search alone, of all threads; losses and bounds are shares of the worst, suppressed rows
counted as 1 in every column.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import duckdb

import kanon_sql
from kanon_sql.errors import KanonError
from kanon_sql.search.full_domain import dispatch
from kanon_sql.search.full_domain.lattice import Node
from kanon_sql.search.full_domain.optimal import OptimalSearch
from kanon_sql.sql.deadline import TimeUpError

LEVELS = ([1, 2, 3, 4, 5], [1, 1, 3, 4, 4], [0, 0, 0, 0, 0])
COSTS = ([0.0] * 5, [0.25, 0.25, 0.0, 0.25, 0.25], [1.0] * 5)
MOMENTS = (2, 5, 10, 20, 30, 60, 120, 300)
Trace = list[tuple[float, float]]  # seconds, value


def normal(seed: int) -> str:
    """An expression that is about normally distributed, by row i."""
    parts = (f"hash(i * 1009 + {10 * seed + j}) % 1000003 / 1000003.0" for j in range(6))
    return f"1.414 * ({' + '.join(parts)} - 3)"


def make_table(rows: int, columns: int, out: Path) -> None:
    """Writes the answers."""
    facets = ", ".join(f"0.5 * {normal(1)} + 0.866 * {normal(2 + facet)} AS facet_{facet}" for facet in range(4))
    answers = []
    for i in range(columns):
        load, shift = (0.9, 0.75, 0.6, 0.45)[i // 4 % 4], (0, 0.5, -0.5, 0.25, -0.9)[i % 5]
        own = (1 - load**2) ** 0.5
        answer = f"3 + {shift} + 1.2 * ({load} * facet_{i % 4} + {own} * {normal(100 + i)})"
        answers.append(f"CAST(greatest(1, least(5, round({answer}))) AS INTEGER) AS q{i}")
    duckdb.sql(
        f"COPY (SELECT {', '.join(answers)} FROM (SELECT i, {facets} FROM range({rows}) AS drawn(i))) TO '{out}'"
    )


class Greedy:
    """The plain search, over codes and costs of every level."""

    def __init__(self, table: Path, columns: int, k: int) -> None:
        self.columns, self.k = columns, k
        self.connection = duckdb.connect()
        cells = [
            f"{values}[q{i}] AS {kind}{i}_{level}"
            for kind, table_of in (("q", LEVELS), ("c", COSTS))
            for i in range(columns)
            for level, values in enumerate(table_of)
        ]
        self.connection.execute(f"CREATE TABLE codes AS SELECT {', '.join(cells)} FROM '{table}'")
        self.n = self.connection.execute("SELECT count(*) FROM codes").fetchall()[0][0]

    def measure(self, node: Node) -> tuple[int, float]:
        """(suppressed rows, loss as a share of the worst) of a node."""
        keys = ", ".join(f"q{i}_{level}" for i, level in enumerate(node))
        cost = " + ".join(f"c{i}_{level}" for i, level in enumerate(node))
        small, lost = self.connection.execute(
            f"SELECT sum(rows) FILTER (rows < {self.k}), sum(if(rows < {self.k}, rows * {self.columns}, cost)) "
            f"FROM (SELECT count(*) AS rows, sum({cost}) AS cost FROM codes GROUP BY {keys})"
        ).fetchall()[0]
        return int(small or 0), lost / self.n / self.columns

    def run(self, limit: int, seconds: float) -> Trace:
        """Climbs to the first satisfying node; where every node satisfies, to the top."""
        start, trace, node = time.process_time(), Trace(), (0,) * self.columns
        suppressed, loss = self.measure(node)
        while True:
            spent = time.process_time() - start
            if suppressed <= limit and suppressed < self.n:
                trace.append((spent, min(loss, *(value for _, value in trace)) if trace else loss))
            above = [(*node[:i], level + 1, *node[i + 1 :]) for i, level in enumerate(node) if level < len(LEVELS) - 1]
            if spent > seconds or not above or (trace and limit < self.n):
                return trace
            loss, suppressed, node = min((*self.measure(successor)[::-1], successor) for successor in above)


def searched(config: dict[str, Any], seconds: float) -> tuple[Trace, Trace]:
    """(losses, bounds) over time of a run whose search ends after so much processor time."""
    columns = len(config["quasi_identifiers"])
    losses, bounds, started = Trace(), Trace(), list[float]()
    plain = OptimalSearch.evaluate

    def evaluate(self: OptimalSearch, node: Node) -> bool:
        passing = plain(self, node)
        if any(self.lattice.lows):  # of some columns alone
            return passing
        started.append(time.process_time())
        spent = started[-1] - started[0]
        losses.append((spent, self.best_value / columns))
        if not bounds or spent > bounds[-1][0] + 0.5:
            bounds.append((spent, min(self.bound(), self.best_value) / columns))
        if spent > seconds:
            raise TimeUpError
        return passing

    OptimalSearch.evaluate = evaluate  # type: ignore[method-assign]
    try:
        search = kanon_sql.run(config, advice=False).report["search"]
        spent = losses[-1][0]
        bounds.append((spent, search["bound"] / columns))
        print(f"{columns} columns: {search['checked']} nodes checked in {spent:.1f} s, proven: {search['proven']}")
    except KanonError as error:
        print(f"{columns} columns: {error}")
    finally:
        OptimalSearch.evaluate = plain  # type: ignore[method-assign]
    return losses, bounds


def at(trace: Trace, moment: float, default: str = "-") -> str:
    """The last value of a trace at a moment."""
    values = [value for spent, value in trace if spent <= moment]
    return f"{values[-1]:.4f}" if values else default


def compare(columns: int, arguments: argparse.Namespace) -> None:
    """Both searches of a table of so many columns, side by side."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_table(arguments.rows, columns, folder / "answers.parquet")
        (folder / "scale.csv").write_text("1,1-2,*\n2,1-2,*\n3,3,*\n4,4-5,*\n5,4-5,*\n", "utf-8")
        config = {
            "source": str(folder / "answers.parquet"),
            "target": {"path": str(folder / "release.parquet"), "overwrite": True},
            "quasi_identifiers": {f"q{i}": str(folder / "scale.csv") for i in range(columns)},
            "privacy": {"k": arguments.k},
            "suppression": {"limit": arguments.limit},
            "release": {"order": "none"},
        }
        if arguments.plain:
            dispatch._SMALL = 1 << 62
        losses, bounds = searched(config, arguments.seconds)
        share = float(arguments.limit.rstrip("%")) / 100
        greedy = Greedy(folder / "answers.parquet", columns, arguments.k)
        climbed = greedy.run(int(share * arguments.rows), arguments.seconds)
    print(f"{'seconds':>8}{'greedy':>10}{'found':>10}{'bound':>10}")
    for moment in (moment for moment in MOMENTS if moment <= arguments.seconds):
        print(f"{moment:>8}{at(climbed, moment):>10}{at(losses, moment):>10}{at(bounds, moment):>10}")
    print(f"greedy ended after {climbed[-1][0]:.1f} s" if climbed else "greedy found nothing", flush=True)


def main() -> None:
    """One table for each number of columns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, nargs="+", default=[16, 24, 30])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--limit", default="1%", help="suppressed rows, percent")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--plain", action="store_true")
    arguments = parser.parse_args()
    for columns in arguments.columns:
        compare(columns, arguments)


if __name__ == "__main__":
    main()
