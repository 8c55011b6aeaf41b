"""Chains of releases at the same levels, against a brute force in plain Python that works class by class."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from cases import NAMES
from effort import tries
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from reference_models import MODELS
from table_files import read_csv, read_parquet, write_csv, write_parquet

import kanon_sql
from kanon_sql.errors import NoReleaseError

Cell = str | None
Row = tuple[Cell, ...]  # quasi-identifiers, then the sensitive column, then one that is insensitive
COMPARE = ("t_closeness", "beta", "delta_disclosure")  # models that compare with the shares of all rows
LEAVES = [["a", "A", "*"], ["b", "A", "*"], ["c", "B", "*"], ["é'\"", "B", "*"], ["02", "B", "*"]]
SPECS: list[dict[str, Any]] = [
    {},
    {"l_diversity": {"l": 2}},
    {"l_diversity": {"l": 2, "variant": "recursive", "c": 2}},
    {"l_diversity": {"l": "1.5", "variant": "entropy"}},
    {"t_closeness": {"t": "0.4"}},
    {"t_closeness": {"t": "0.3", "distance": "ordered"}},
    {"alpha_k": {"alpha": "0.6"}},
    {"beta": {"beta": "1.5"}},
    {"l_diversity": {"l": 2}, "t_closeness": {"t": "0.5"}},
]


class Story:
    """A table and how it changes, what is asked for, and the files that tell kanon-sql of it."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.parquet = draw(st.booleans())
        key = str.casefold if self.parquet else str
        self.names = draw(st.lists(st.sampled_from(NAMES), min_size=4, max_size=4, unique_by=key))
        self.levels = draw(st.tuples(st.integers(0, 2), st.integers(0, 1)))
        self.k = draw(st.integers(2, 3))
        self.models = draw(st.sampled_from(SPECS))
        words: list[Cell] = [row[0] for row in LEAVES[: draw(st.integers(1, 5))]]
        # In an order 1 and 1.0 are one value, which the definitions in plain Python do not know.
        ordered = "ordered" in [spec.get("distance") for spec in self.models.values()]
        values = ["1", "2", "3", "10" if ordered else "1.0"][: draw(st.integers(2, 4))]
        cells: list[list[Cell]] = [[*words, None], [*words[:2], None], [*values, None], ["x", "y", None]]
        if self.parquet:
            cells[3].append("")  # which a CSV file does not tell from a missing value
        seed = draw(st.integers(0, 10**6))
        chance = random.Random(seed)

        def row() -> Row:
            return tuple(chance.choice(some) for some in cells)

        # Half of the tables have no insensitive column of any interest, so that rows are often equal.
        if draw(st.booleans()):
            cells[3] = ["x"]
        rows = [row() for _ in range(draw(st.integers(6, 40)))]
        self.tables = [rows]
        for _ in range(draw(st.integers(1, 3))):
            kept = [row for row in self.tables[-1] if chance.random() > chance.choice([0, 0.05, 0.4, 0.8])]
            fresh = [row() for _ in range(draw(st.integers(0, 12)))]
            back = [row for row in rows if row not in kept and chance.random() < 0.2]
            self.tables.append([*kept, *fresh, *back] or rows)

    def classes(self, rows: Sequence[Row]) -> dict[Row, list[Row]]:
        """The rows generalized, by class."""
        by_class: dict[Row, list[Row]] = {}
        for row in rows:
            labels = tuple(self.label(cell, level) for cell, level in zip(row[:2], self.levels, strict=True))
            by_class.setdefault(labels, []).append((*labels, *row[2:]))
        return by_class

    @staticmethod
    def classes_of(rows: Sequence[Row]) -> dict[Row, list[Row]]:
        """The rows of a release, by class."""
        by_class: dict[Row, list[Row]] = {}
        for row in rows:
            by_class.setdefault(row[:2], []).append(row)
        return by_class

    def label(self, cell: Cell, level: int) -> Cell:
        if cell is None:
            return "*" if level == 2 else None
        return next(row[level] for row in LEAVES if row[0] == cell)

    def satisfies(self, rows: Sequence[Row], everything: Sequence[Row]) -> bool:
        """Whether a set is empty, or satisfies k and every model."""
        if not rows:
            return True
        values, all_values = [row[2] for row in rows], [row[2] for row in everything]
        for name, spec in self.models.items():
            if name in COMPARE and not set(values) <= set(all_values):
                return False
            if not MODELS[name](values, all_values, spec)[0]:
                return False
        return len(rows) >= self.k

    def fits(self, new: Sequence[Row], earlier: Sequence[Sequence[Row]], everything: Sequence[Row]) -> bool:
        """Whether a class may be released beside what earlier releases hold of it."""
        if not self.satisfies(new, everything):
            return False
        for past in earlier:
            both = Counter(new) & Counter(past)
            sets = [both, Counter(new) - both, Counter(past) - both]
            if both and not all(self.satisfies(list(side.elements()), everything) for side in sets):
                return False
        return True

    def best(self, rows: list[Row], releases: Sequence[Mapping[Row, list[Row]]], everything: list[Row]) -> Counter[Row]:
        """What is released of a class: all of it, what it has in common with an earlier release, or nothing."""
        labels = rows[0][:2]
        earlier = [release.get(labels, []) for release in releases]
        for choice in [Counter(rows), *(Counter(rows) & Counter(past) for past in reversed(earlier))]:
            if choice and self.fits(list(choice.elements()), earlier, everything):
                return choice
        return Counter()

    def path(self, folder: Path, name: str) -> Path:
        return folder / f"{name}.{'parquet' if self.parquet else 'csv'}"

    def write(self, folder: Path, number: int) -> Path:
        path = self.path(folder, f"table{number}")
        if self.parquet:
            write_parquet(path, self.names, self.tables[number])
        else:
            write_csv(path, [self.names, *self.tables[number]])
        return path

    def read(self, path: Path) -> list[Row]:
        rows = read_parquet(path) if self.parquet else read_csv(path)
        return [tuple(row[name] for name in self.names) for row in rows]

    def config(self, folder: Path) -> dict[str, Any]:
        write_csv(folder / "tree.csv", LEAVES)
        specs = {
            name: {"hierarchy": str(folder / "tree.csv"), "min_level": level, "max_level": level}
            for name, level in zip(self.names[:2], self.levels, strict=True)
        }
        privacy = {name: {"column": self.names[2], **spec} for name, spec in self.models.items()}
        source = {"path": str(self.write(folder, 0)), **({} if self.parquet else {"csv": {"delimiter": ","}})}
        return {
            "source": source,
            "target": {"path": str(self.path(folder, "release1")), "overwrite": True},
            "quasi_identifiers": specs,
            "sensitive": [self.names[2]],
            "insensitive": [self.names[3]],
            "privacy": {"k": self.k, **privacy},
            "suppression": {"limit": "100%"},
            "releases": {"path": str(folder / "ledger.duckdb")},
        }


stories = st.composite(Story)()


@pytest.mark.slow
@settings(max_examples=tries(30))
@given(story=stories, chance=st.randoms(use_true_random=False))
def test_no_pair_of_releases_tells_too_few_apart(story: Story, chance: random.Random, folder: Path) -> None:
    (folder / "ledger.duckdb").unlink(missing_ok=True)
    try:
        kanon_sql.run(story.config(folder))
    except NoReleaseError:
        assume(False)
    releases = [story.read(story.path(folder, "release1"))]
    for number in range(1, len(story.tables)):
        base, path = chance.randint(1, len(releases)), story.path(folder, f"release{len(releases) + 1}")
        table = story.tables[number]
        everything = [row for rows in story.classes(table).values() for row in rows]
        past = [story.classes_of(release) for release in compared(releases, base)]
        expected: Counter[Row] = Counter()
        for rows in story.classes(table).values():
            expected += story.best(rows, past, everything)
        data = story.write(folder, number)
        try:
            report = kanon_sql.apply(base, data, ledger=folder / "ledger.duckdb", output=path)
        except NoReleaseError as refused:
            event("refused")
            assert not expected and "no row could be released" in str(refused)
            continue
        applied = story.read(path)
        assert Counter(applied) == expected
        check_pairs(story, applied, releases, everything)
        check_report(story, report, applied, table, past)
        event("held back" if report["suppressed"]["waiting"] else "nothing held back")
        event("class suppressed" if report["suppressed"]["differing"]["rows"] else "no class suppressed")
        releases.append(applied)


def compared(releases: Sequence[list[Row]], base: int) -> list[list[Row]]:
    """Different releases in the order in which they are tried: of equal ones the last, or the base."""
    kept: dict[frozenset[tuple[Row, int]], int] = {}
    for number, release in enumerate(releases, 1):
        kept[frozenset(Counter(release).items())] = number
    kept[frozenset(Counter(releases[base - 1]).items())] = base
    return [releases[number - 1] for number in sorted(kept.values())]


def check_pairs(story: Story, released_rows: list[Row], releases: Sequence[list[Row]], everything: list[Row]) -> None:
    """What the issue asks for, said once more without choices: of what can be told apart nothing is too small."""
    new = story.classes_of(released_rows)
    for release in releases:
        past = story.classes_of(release)
        for labels in {*new, *past}:
            here, there = Counter(new.get(labels, [])), Counter(past.get(labels, []))
            assert story.satisfies(list(here.elements()), everything)
            for side in (here & there, here - there, there - here):
                assert not side or side.total() >= story.k
                if side != there:  # a class that was released whole satisfied then
                    assert story.satisfies(list(side.elements()), everything)


def check_report(
    story: Story, report: dict[str, Any], released_rows: list[Row], table: list[Row], past: list[dict[Row, list[Row]]]
) -> None:
    counts, held = report["rows"], report["suppressed"]
    assert (counts["source"], counts["released"]) == (len(table), len(released_rows))
    suppressed = held["waiting"] + held["violating"]["rows"] + held["differing"]["rows"]
    assert counts["suppressed"] == suppressed == len(table) - len(released_rows)
    everything = [row for rows in story.classes(table).values() for row in rows]
    released = story.classes_of(released_rows)
    gone = {labels: rows for labels, rows in story.classes(table).items() if labels not in released}
    alone = [rows for rows in gone.values() if not story.satisfies(rows, everything)]
    assert held["violating"] == {"rows": sum(map(len, alone)), "classes": len(alone)}
    for entry, before in zip(report["earlier"], past, strict=True):
        old = Counter(row for rows in before.values() for row in rows)
        both = Counter(released_rows) & old
        row_counts = [both.total(), (Counter(released_rows) - both).total(), (old - both).total()]
        assert [entry[name] for name in ("kept", "added", "removed")] == row_counts
