"""Small tables for local recoding, prepared and searched."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import tables as tables_of_people
from table_files import write_csv

from kanon_sql.config.load import LoadedConfig, from_mapping
from kanon_sql.errors import NoReleaseError
from kanon_sql.frequency.table import Tuples
from kanon_sql.progress import Progress
from kanon_sql.search.classes import Classes, build_classes
from kanon_sql.search.local.search import LocalSearch
from kanon_sql.search.mondrian import Partitioning
from kanon_sql.search.multidimensional import Multidimensional
from kanon_sql.search.prepare import load_hierarchies, prepare_search
from kanon_sql.source.opening import open_source
from kanon_sql.source.roles import assign_roles
from kanon_sql.sql.connection import Engine, EngineOptions, open_engine
from kanon_sql.sql.deadline import Deadline

Class = dict[tuple[int, ...], int]


@contextmanager
def prepared(loaded: LoadedConfig, threads: int = 2) -> Iterator[tuple[Engine, Tuples]]:
    """The distinct tuples of a configuration's source."""
    hierarchies = load_hierarchies(loaded, show_values=False)
    with open_engine(EngineOptions(threads=threads)) as engine:
        source = open_source(engine, loaded)
        roles = assign_roles(source, loaded)
        prepared_search = prepare_search(engine, loaded, source, roles, hierarchies, Progress())
        assert isinstance(prepared_search, Multidimensional)
        yield engine, prepared_search.tuples


@dataclass(frozen=True)
class Found:
    """The classes of a search, each a number of rows for each of its tuples, and their labels with what these lose."""

    search: Partitioning
    members: Sequence[Class]
    classes: Classes
    labels: Sequence[tuple[Any, ...]]
    n: int

    @property
    def ncp(self) -> float:
        """Loss in percent."""
        return 100 * sum(self.classes.units) / self.n / len(self.classes.units)


def searched(engine: Engine, tuples: Tuples, k: int, deadline: Deadline | None = None) -> Found:
    """What a local search finds; every row is in one class, and every class holds at least k."""
    search = LocalSearch(engine, tuples, k, Progress()).run(deadline or Deadline())
    positions = ", ".join(d.position for d in tuples.dimensions)
    every = f"SELECT {positions}, row_count FROM {tuples.table}"
    classes: defaultdict[int, Class] = defaultdict(dict)
    totals: Counter[tuple[int, ...]] = Counter()
    for part, *codes, rows in engine.run(f"SELECT part, {positions}, row_count FROM kanon_sql_assigned"):
        assert rows > 0
        assert tuple(codes) not in classes[part]
        classes[part][tuple(codes)] = rows
        totals[tuple(codes)] += rows
    assert totals == {tuple(codes): rows for *codes, rows in engine.run(every)}
    sizes = [sum(members.values()) for members in classes.values()]
    assert min(sizes) >= k
    built = build_classes(engine, tuples)
    assert built.partitions == len(sizes)
    assert not search.boxes
    names = ", ".join(f"label_{d.index}" for d in tuples.dimensions)
    labels = engine.run(f"SELECT {names} FROM kanon_sql_released_classes ORDER BY part")
    return Found(search, [classes[part] for part in sorted(classes)], built, labels, tuples.n)


def find(config: Mapping[str, Any], k: int, deadline: Deadline | None = None, threads: int = 2) -> Found:
    """The same for a configuration, whatever its algorithm and suppression. Raises NoReleaseError below k rows."""
    given = {key: value for key, value in config.items() if key != "suppression"}
    with prepared(from_mapping({**given, "algorithm": "mondrian"}), threads) as (engine, tuples):
        if tuples.n < k:
            raise NoReleaseError("too few rows")
        return searched(engine, tuples, k, deadline)


def trees_of(chance: random.Random, dimensions: int) -> list[list[list[str]]]:
    """The rows of hierarchy files of 0 to 3 levels above their leaves."""
    files = []
    for number in range(dimensions):
        leaves = chance.choice([3, 6, 8])
        ids = list(range(leaves))
        lines = [[f"c{number}_{leaf}"] for leaf in ids]
        for level in range(1, chance.choice([1, 2, 3])):
            wide = chance.choice([2, 3])
            ids = [number_of_group // wide for number_of_group in ids]
            for line, group in zip(lines, ids, strict=True):
                line.append(f"c{number}_{level}_{group}")
        files.append([[*line, "*"] for line in lines])
    return files


def hierarchical(
    folder: Path, files: Sequence[list[list[str]]], rows: Sequence[Sequence[str]], **specs: int
) -> dict[str, Any]:
    """A configuration of a CSV file and hierarchy files."""
    columns = [f"c{number}" for number in range(len(files))]
    write_csv(folder / "in.csv", [columns, *rows])
    for name, lines in zip(columns, files, strict=True):
        write_csv(folder / f"{name}.csv", lines)
    return {
        "source": {"path": str(folder / "in.csv"), "csv": {"delimiter": ","}},
        "target": str(folder / "out.csv"),
        "quasi_identifiers": {name: {"hierarchy": str(folder / f"{name}.csv"), **specs} for name in columns},
        "privacy": {"k": 2},
    }


def row_losses(files: Sequence[list[list[str]]], rows: Sequence[Sequence[str]]) -> float:
    """What one class of these rows loses, a row, by its lowest common ancestors."""
    total = 0.0
    for at, lines in enumerate(files):
        levels = len(lines[0])
        for level in range(levels):
            words = {line[level] for line in lines if line[0] in {row[at] for row in rows}}
            if len(words) == 1:
                below = sum(line[level] in words for line in lines)
                total += (below - 1) / max(len(lines) - 1, 1)
                break
    return total


def optimum(files: Sequence[list[list[str]]], rows: Sequence[Sequence[str]], k: int) -> float:
    """The least loss of all partitions into classes of k rows, in percent; by dynamic programming over sets of rows."""
    n = len(rows)

    @cache
    def cost(mask: int) -> float:
        members = [rows[at] for at in range(n) if mask >> at & 1]
        return len(members) * row_losses(files, members)

    @cache
    def best(mask: int) -> float:
        if not mask:
            return 0.0
        first, *others = (at for at in range(n) if mask >> at & 1)
        least = float("inf")
        # A class of 2 k rows or more can be split without loss.
        for size in range(k - 1, min(2 * k - 1, len(others) + 1)):
            for chosen in combinations(others, size):
                members = 1 << first | sum(1 << at for at in chosen)
                rest = best(mask ^ members)
                if rest < least:
                    least = min(least, rest + cost(members))
        return least

    return 100 * best((1 << n) - 1) / n / len(files)


def mixed(folder: Path, rows: int) -> dict[str, Any]:
    """People with a number, a text and a hierarchy."""
    table = folder / "people.parquet"
    tables_of_people.write(table, rows)
    specs = {"sex": {"builtin": "suppress"}, "age": {}, "zip": {"type": "text"}, "cost": {"weight": 2}}
    given = tables_of_people.configuration(str(table), str(folder / "out.parquet"), quasi_identifiers=specs)
    return {**given, "insensitive": []}
