"""The random tables that are anonymized in tests."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from effort import pytest_addoption, pytest_collection_modifyitems, pytest_configure  # noqa: F401 - pytest finds them
from hypothesis import strategies as st
from reference import Cell, Hierarchy, Problem, participants
from required import pytest_make_collect_report, pytest_runtest_makereport  # noqa: F401 - pytest finds them here
from table_files import read_csv, read_parquet, write_csv, write_parquet

NAMES = [
    "age",
    "select",
    'a"b',
    "; DROP TABLE x",
    "a'b",
    "a,b",
    "a b",
    "a.b",
    "über",
    "k",
    "count",
    "suppressed",
    "rowid",
    "filename",
    "level_0",
    "{column}",
    "%s",
    "$1",
    "?",
    "*",
]
VALUES = [
    "a",
    "A",
    " a",
    "b",
    'q"q',
    "x,y",
    "x;y",
    "l\nm",
    "it's",
    "é",
    "e\u0301",
    "02",
    "2",
    "2.0",
    "NULL",
    "\\",
]
WORDS = ["g", "h", "G", "0*", "p\tq", "日本", "--", "a-b", "'*'"]
PERCENTAGES = ["0%", "8.4%", "10%", "16.7%", "25%", "33.34%", "50%", "99.9%", "100%"]


@dataclass(frozen=True)
class Case:
    """A problem with the files and settings that tell kanon-sql of it."""

    problem: Problem
    files: dict[str, list[list[str]]]
    builtins: dict[str, dict[str, Any]] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    delimiter: str = ","
    parquet: bool = False
    parquet_target: bool = False

    def target(self, folder: Path) -> Path:
        return folder / ("out.parquet" if self.parquet_target else "out.csv")

    def released(self, folder: Path) -> list[dict[str, Cell]]:
        path = self.target(folder)
        return read_parquet(path) if self.parquet_target else read_csv(path)

    def config(self, folder: Path, **settings: Any) -> dict[str, Any]:
        """Writes the source and the hierarchies; returns the configuration with `settings` on top."""
        columns = [*self.others, *self.problem.columns]
        rows = [[row[column] for column in columns] for row in self.problem.rows]
        path = folder / ("in.parquet" if self.parquet else "in.csv")
        if self.parquet:
            write_parquet(path, columns, rows)
        else:
            write_csv(path, [columns, *rows])
        specs: dict[str, dict[str, Any]] = {}
        for number, column in enumerate(self.problem.columns):
            specs[column] = dict(self.builtins.get(column, {}))
            if column in self.files:
                hierarchy = folder / f"h{number}.csv"
                write_csv(hierarchy, self.files[column], self.delimiter, quote=True)
                specs[column]["hierarchy"] = str(hierarchy)
            if column in self.problem.bounds:
                specs[column]["min_level"], specs[column]["max_level"] = self.problem.bounds[column]
            if column in self.problem.weights:
                specs[column]["weight"] = float(self.problem.weights[column])
        return {
            "source": {"path": str(path)} if self.parquet else {"path": str(path), "csv": {"delimiter": ","}},
            "target": {"path": str(self.target(folder)), "overwrite": True},
            "quasi_identifiers": specs,
            "insensitive": self.others,
            "privacy": {"k": self.problem.k},
            "suppression": {"limit": self.problem.limit},
            "missing": self.problem.missing,
            **settings,
        }


@st.composite
def hierarchy_files(draw: st.DrawFn) -> list[list[str]]:
    """The rows of a hierarchy file: unique leaves, and each level a function of the level below."""
    leaves = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=5, unique=True))
    rows = [[leaf] for leaf in leaves]
    depth = draw(st.integers(0, 3))
    for _ in range(depth):
        # Two columns of which a parent is also a child are a tree: such words come from three columns on.
        words = [*WORDS, *VALUES, "*"] if depth > 1 else [*WORDS, "*"]
        below = list(dict.fromkeys(row[-1] for row in rows))
        some = draw(st.lists(st.sampled_from(words), min_size=1, max_size=len(below)))
        to = {word: draw(st.sampled_from(some)) for word in below}
        rows = [[*row, to[row[-1]]] for row in rows]
    return rows


@st.composite
def cases(draw: st.DrawFn, weights: bool = False, most: int = 12) -> Case:
    """Small tables with hostile names and values, NULL among them."""
    parquet = draw(st.booleans())
    parquet_target = draw(st.booleans())
    # Parquet readers and writers take names that differ in case only for the same.
    key = str.casefold if parquet or parquet_target else str
    columns = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique_by=key))
    others = draw(st.sampled_from([[], ["note"], ["note", "Some, other"]]))
    files: dict[str, list[list[str]]] = {}
    builtins: dict[str, dict[str, Any]] = {}
    cells: dict[str, st.SearchStrategy[Cell]] = {column: st.sampled_from([None, "x", "007"]) for column in others}
    for column in columns:
        kind = draw(st.sampled_from(["file", "file", "file", "suppress", "prefix", "merge-rare"]))
        if kind == "file":
            files[column] = draw(hierarchy_files())
            values = [row[0] for row in files[column]]
        else:
            keep = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3, unique=True))
            builtins[column] = {"builtin": kind}
            if kind == "prefix":
                builtins[column]["keep"] = sorted(keep, reverse=True)
            if kind == "merge-rare":
                builtins[column] |= {
                    "below": sorted(number + 1 for number in keep),
                    "other": draw(st.sampled_from("xé")),
                }
            values = draw(st.lists(st.sampled_from(["02139", "02138", "0214", "x*", "é"]), min_size=1, unique=True))
        cells[column] = st.sampled_from([*values, *values, None])
    # Few different rows, most of them several times: else nothing but a release of stars would have classes.
    different = draw(st.lists(st.fixed_dictionaries(cells), min_size=1, max_size=most // 2))
    rows = draw(st.lists(st.sampled_from(different), min_size=1, max_size=most))
    missing = draw(st.sampled_from(["keep", "keep", "drop", "drop-any"]))
    hierarchies = {c: Hierarchy.of_file(lines) for c, lines in files.items()}
    for column, spec in builtins.items():
        present = [row[column] for row in participants(rows, columns, missing)]
        if "below" in spec:
            hierarchies[column] = Hierarchy.merged(present, spec["below"], spec["other"])
        elif "keep" in spec:
            hierarchies[column] = Hierarchy.prefix(present, spec["keep"])
        else:
            hierarchies[column] = Hierarchy.suppress(present)
    ordered = {column: hierarchies[column] for column in columns}
    bounds = {}
    for column in draw(st.lists(st.sampled_from(columns), unique=True, max_size=2)):
        low = draw(st.integers(0, ordered[column].top))
        bounds[column] = (low, draw(st.integers(low, ordered[column].top)))
    heavy = st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5, 4)])
    problem = Problem(
        rows,
        ordered,
        k=draw(st.one_of(st.integers(1, 4), st.integers(1, most + 1))),
        limit=draw(st.one_of(st.integers(0, 5), st.sampled_from(PERCENTAGES))),
        missing=missing,
        bounds=bounds,
        weights={c: draw(heavy) for c in columns if draw(st.booleans())} if weights else {},
    )
    delimiter = draw(st.sampled_from([",", ";", "\t"]))
    return Case(problem, files, builtins, others, delimiter, parquet, parquet_target)


def pinned_case(seed: int) -> Case:
    """A table of 60 rows that is released at one node, whatever it suppresses: a search would mostly avoid that."""
    chance = random.Random(seed)
    words = [f"{letter}{digit}" for letter in "ab" for digit in "1234"]
    lines = [[word, word[0] + "'" if word[1] in "12" else word[0], word[0]] for word in words]
    files = dict.fromkeys(("p", "q", "r"), lines)
    rows: list[dict[str, Cell]] = [
        {"id": str(number), **{c: chance.choice([*words, *words[:2] * 4, None]) for c in files}} for number in range(60)
    ]
    hierarchies = {column: Hierarchy.of_file(lines) for column in files}
    levels = [chance.randint(0, 3) for _ in files]
    bounds = {column: (level, level) for column, level in zip(files, levels, strict=True)}
    k, missing = chance.randint(2, 6), chance.choice(["keep", "drop"])
    problem = Problem(rows, hierarchies, k, "100%", missing, bounds)
    return Case(problem, files, others=["id"], parquet=chance.random() < 0.5, parquet_target=chance.random() < 0.5)
