"""Every small subset of the columns: how far does it tell the rows apart?

R. Motwani, Y. Xu: Efficient algorithms for masking and finding quasi-identifiers. 2007. A subset of columns has
the distinct ratio d where the table holds d * n different combinations of it, and the separation ratio s where it
tells s * n (n - 1) / 2 of all pairs of rows apart; with 1 it is a key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from kanon_sql.commands.risk.table import RiskTable, value_name
from kanon_sql.errors import ConfigurationError
from kanon_sql.progress import Progress
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.sql.template import Item, state

MOST_SUBSETS = 5000
LARGEST = 3


@dataclass(frozen=True)
class SubsetMeasures:
    """A subset of the columns: `alone` rows share their values on it with no other row.

    `separation` is None for a single row, which makes no pair; `holds_key` says that a smaller subset within tells all
    rows apart already.
    """

    columns: tuple[str, ...]
    combinations: int
    alone: int
    distinction: float
    separation: float | None
    holds_key: bool


@dataclass(frozen=True)
class Subsets:
    """The subsets of up to `largest` columns: `count` in all, those that were counted by falling risk."""

    largest: int
    count: int
    measured: tuple[SubsetMeasures, ...]


def subset_size(columns: int, asked: int | None, place: str) -> int:
    """The size up to which the subsets of so many columns are counted: what was asked for, else 3 or what is feasible.

    Raises ConfigurationError where more than 5,000 subsets were asked for.
    """
    if asked is None:
        feasible = [size for size in range(LARGEST + 1) if _count(columns, size) <= MOST_SUBSETS]
        return min(max(feasible), columns)
    size = min(asked, columns)
    if _count(columns, size) > MOST_SUBSETS:
        raise ConfigurationError(
            f"--subsets {asked}: {columns} columns of {place} have {_count(columns, size):,} subsets of up to {size}; "
            f"expected at most {MOST_SUBSETS:,}: ask for smaller ones, or name fewer columns"
        )
    return size


def measure_subsets(engine: Engine, table: RiskTable, size: int, deadline: Deadline, progress: Progress) -> Subsets:
    """Counts every subset of up to `size` of the table's columns, until the deadline."""
    width = len(table.columns)
    count = _count(width, size)
    found: dict[tuple[int, ...], SubsetMeasures] = {}
    try:
        with engine.until(deadline):
            if count:
                encode(engine, table, state("risk_coded"))
            for subset in _subsets(width, size):
                deadline.check()
                found[subset] = _measure(engine, table, subset, found)
                progress.advance(1, f"of {count} subsets counted")
    except TimeUpError:
        pass
    listed = sorted(found.values(), key=lambda one: (-one.alone, -one.combinations, len(one.columns)))
    return Subsets(size, count, tuple(listed))


def _count(columns: int, size: int) -> int:
    return sum(comb(columns, part) for part in range(1, size + 1))


def _subsets(width: int, size: int) -> Iterator[tuple[int, ...]]:
    """Smaller ones first."""
    for part in range(1, size + 1):
        yield from combinations(range(width), part)


def _measure(
    engine: Engine, table: RiskTable, subset: Sequence[int], found: dict[tuple[int, ...], SubsetMeasures]
) -> SubsetMeasures:
    names, n = tuple(table.columns[i].name for i in subset), table.n
    below = [found[part] for part in combinations(subset, len(subset) - 1) if part]
    if any(part.combinations == n for part in below):
        # What tells all rows apart does so with any further column; nothing need be counted.
        return SubsetMeasures(names, n, n, 1.0, 1.0 if n > 1 else None, holds_key=True)
    items: list[Item] = [{"code": f"q{i}"} for i in subset]
    count, alone, alike = engine.query(
        "commands/risk/subset", names={"coded": state("risk_coded")}, lists={"item": items}
    )[0]
    separation = 1 - int(alike) / (n * (n - 1)) if n > 1 else None
    return SubsetMeasures(names, int(count), int(alone), int(count) / n, separation, holds_key=False)


def encode(engine: Engine, table: RiskTable, coded: str) -> None:
    """Makes the table `coded`: the frequency table with whole numbers for values, those of column i as `q{i}`."""
    items: list[Item] = []
    for i in range(len(table.columns)):
        codes = state(f"risk_codes_{i}")
        names = {"codes": codes, "tuples": table.tuples, "item_name": value_name(i)}
        engine.query("commands/risk/codes", names=names)
        items.append({"codes": codes, "name": value_name(i), "code": f"q{i}"})
    engine.query("commands/risk/coded", names={"coded": coded, "tuples": table.tuples}, lists={"item": items})
