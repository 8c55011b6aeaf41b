"""What a case must release at given levels, by the definitions of the documentation, in plain Python."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reference_models import MODELS

from trials.judging_bytes import canonical
from trials.making_trees import Tree, merged, text

if TYPE_CHECKING:
    from trials.making import Case, Column
Json = dict[str, Any]
Levels = tuple[int, ...]
Key = tuple[Any, ...]


@dataclass
class Released:
    """Rows by their numbers in the source, with their labels; masked ones among them have `*` everywhere."""

    labels: dict[int, Key]
    masked: int
    suppressed: int


@dataclass
class ReleasedCase:
    """A case as it is to be released: its rows that take part, and what is asked of classes of them."""

    case: Case
    blank: bool = False
    trees: list[Tree] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.quasi = self.case.of("quasi")
        order = list(self.case.config["quasi_identifiers"])
        self.quasi.sort(key=lambda column: order.index(column.name))
        self.privacy: Json = self.case.config.get("privacy", {})
        self.k = self.privacy.get("k", 1)
        self.trees = [self.tree(column) for column in self.quasi if column.tree]

    def is_missing(self, column: Column, row: int) -> bool:
        """Whether a cell means missing."""
        value = column.values[row]
        return value is None or (isinstance(value, str) and value in self.case.missing)

    def value(self, column: Column, row: int) -> Any:
        """A cell, None where it means missing."""
        return None if self.is_missing(column, row) else column.values[row]

    @cached_property
    def rows(self) -> list[int]:
        """The numbers of the rows that take part."""
        how = self.case.config.get("missing", "keep")
        looked = {"keep": [], "drop": self.quasi, "drop-any": self.case.columns}[how]
        return [i for i in range(self.case.rows) if not any(self.is_missing(column, i) for column in looked)]

    @cached_property
    def limit(self) -> int:
        """How many rows may be suppressed."""
        given = self.case.config.get("suppression", {}).get("limit", 0)
        if isinstance(given, str):
            return math.floor(Fraction(given.rstrip("%")) * len(self.rows) / 100)
        return int(given)

    def tree(self, column: Column) -> Tree:
        """The hierarchy of a column."""
        assert column.tree
        if not column.tree.counted:
            return column.tree
        others = [person[column.name] for person in self.persons if person[column.name] is not None]
        return merged(column.tree, [self.value(column, i) for i in self.rows], others)

    def named(self, name: str) -> Column:
        """The column that the configuration means."""
        plain = name.replace("$${", "${")
        return next(column for column in self.case.columns if column.name == plain)

    @cached_property
    def nodes(self) -> list[Levels]:
        """All levels that the search may choose."""
        ways = []
        for column, tree in zip(self.quasi, self.trees, strict=True):
            entry = self.case.config["quasi_identifiers"][column.name]
            entry = entry if isinstance(entry, dict) else {}
            ways.append(range(entry.get("min_level", 0), entry.get("max_level", tree.top) + 1))
        return list(itertools.product(*ways))

    def label(self, column: Column, value: Any, *, blank: bool | None = None) -> Any:
        """A released value of a quasi-identifier, as it is compared; `blank` where an empty text is a missing value."""
        kind = "double" if self.aggregate(column) in ("mean", "median", "mode") else column.kind
        label = canonical(value, kind, blank=self.blank if blank is None else blank)
        return None if isinstance(label, str) and label in self.case.missing else label

    def labels(self, levels: Levels) -> dict[int, Key]:
        """The labels of the rows that take part, by which they are classes: empty texts are no missing values."""
        labels: dict[int, list[Any]] = {i: [] for i in self.rows}
        for column, tree, level in zip(self.quasi, self.trees, levels, strict=True):
            label_at: dict[Any, Any] = {}
            for i in self.rows:
                value = self.value(column, i)
                at = None if value is None else text(value)
                if at not in label_at:
                    label_at[at] = self.label(column, tree.label(value, level), blank=False)
                labels[i].append(label_at[at])
        return {i: tuple(label) for i, label in labels.items()}

    # What is asked of a class.

    def holds(self, rows: Sequence[int], *, key: Key | None = None, levels: Levels | None = None) -> bool:
        """Whether rows that are one class satisfy k and all models."""
        return (
            self.counted(rows) >= self.k
            and all(reached[0] for reached in self.reached(rows))
            and self._in_population(rows, key, levels)
        )

    def counted(self, rows: Sequence[int]) -> int:
        """Rows, or entities."""
        if "entity" not in self.privacy:
            return len(rows)
        column = self.named(self.privacy["entity"])
        return len({canonical(self.value(column, i), column.kind, blank=False) for i in rows})

    def reached(self, rows: Sequence[int]) -> Iterator[tuple[bool, Any]]:
        """What a class reaches of each model of sensitive columns."""
        for key, spec in self.models:
            column = self.named(spec["column"])
            yield MODELS[key](self.values(column, rows), self.values(column, self.rows), spec)

    @cached_property
    def models(self) -> list[tuple[str, Json]]:
        """(key, what is asked for) of the models of sensitive columns."""
        models = []
        for key in MODELS:
            given = self.privacy.get(key, [])
            for spec in given if isinstance(given, list) else [given]:
                tree = (
                    {"tree": self.case.tree.words} if self.case.tree and spec.get("distance") == "hierarchical" else {}
                )
                models.append((key, {**spec, **tree}))
        return models

    def values(self, column: Column, rows: Sequence[int]) -> list[Any]:
        """The sensitive values of rows, each once for an entity; numbers in the place of what has an order."""
        ranks = self._ranks(column)
        pairs = [(i, self.value(column, i)) for i in rows]
        ranked = [(i, None if value is None else ranks[text(value)]) for i, value in pairs]
        if "entity" in self.privacy:
            entity = self.named(self.privacy["entity"])
            ranked = list({(self.value(entity, i), value): (i, value) for i, value in ranked}.values())
        return [value for _, value in ranked]

    def _ranks(self, column: Column) -> Mapping[str, str]:
        if any(spec["column"].replace("$${", "${") == column.name and "tree" in spec for _, spec in self.models):
            return {text(value): text(value) for value in column.values if value is not None}
        present = {text(value): value for i, value in enumerate(column.values) if self.value(column, i) is not None}
        numbers = all(word.isascii() and word.isdigit() for word in present) and column.kind == "text"
        ordered = sorted(
            present, key=(lambda word: (int(word), word)) if numbers else lambda word: self._place(present[word])
        )
        return {word: str(rank) for rank, word in enumerate(ordered)}

    @staticmethod
    def _place(value: Any) -> Any:
        return value.encode() if isinstance(value, str) else value

    def _in_population(self, rows: Sequence[int], key: Key | None, levels: Levels | None) -> bool:
        if self.case.population is None or levels is None or key is None:
            return True
        persons = self.population(levels)[key]
        if "k_map" in self.privacy:
            return bool(persons >= self.privacy["k_map"]["k"])
        bounds = self.privacy["delta_presence"]
        share = Fraction(len(rows), persons)
        return Fraction(str(bounds.get("min", 0))) <= share <= Fraction(str(bounds.get("max", 1)))

    def population(self, levels: Levels) -> Counter[Key]:
        """The persons of the population by their labels."""
        persons_of: Counter[Key] = Counter()
        for person in self.persons:
            key = []
            for column, tree, level in zip(self.quasi, self.trees, levels, strict=True):
                key.append(self.label(column, tree.label(person[column.name], level), blank=False))
            persons_of[tuple(key)] += 1
        return persons_of

    @cached_property
    def persons(self) -> list[Json]:
        """The persons of the population that take part, None for what is missing."""
        missing = self.case.missing
        read = [
            {name: None if value in missing else value for name, value in person.items()}
            for person in self.case.population or ()
        ]
        keep = self.case.config.get("missing", "keep") == "keep"
        return [person for person in read if keep or None not in person.values()]

    # What is released.

    def at(self, levels: Levels) -> Released:
        """The release at these levels."""
        labels = self.labels(levels)
        kept = self._kept(labels, levels)
        masked = self._masked(labels, kept) if self._masks else []
        labels = self._aggregated({i: labels[i] for i in kept}, levels) | {
            i: labels[i] for i in labels if i not in kept
        }
        shown = {i: labels[i] for i in kept} | {i: ("*",) * len(levels) for i in masked}
        if self.blank:
            shown = {i: tuple(None if label == "" else label for label in key) for i, key in shown.items()}
        return Released(shown, len(masked), len(labels) - len(kept))

    def satisfies(self, levels: Levels) -> bool:
        """Whether the rows suppressed there are within the limit, and a row is left."""
        kept = self._kept(self.labels(levels), levels)
        if self.privacy.get("delta_presence", {}).get("min", 0) > 0 and len(kept) < len(self.rows):
            return False
        return len(self.rows) - len(kept) <= self.limit and bool(kept)

    @property
    def _masks(self) -> bool:
        return bool(self.case.config.get("release", {}).get("suppressed") == "mask") and self.case.population is None

    def _kept(self, labels: Mapping[int, Key], levels: Levels) -> list[int]:
        if "known_columns" in self.privacy or "group" in self.case.config:
            return self._closed(labels)
        classes = [(key, rows) for key, rows in by_key(labels).items() if self.holds(rows, key=key, levels=levels)]
        classes = self._below_risk(classes)[0]
        return sorted(i for _, rows in classes for i in rows)

    def _below_risk(self, classes: list[tuple[Key, list[int]]]) -> tuple[list[tuple[Key, list[int]]], int]:
        """(the classes that an average risk leaves, how many rows one needs for that)."""
        fewest = self.k
        if "average_risk" in self.privacy:
            most = share(self.privacy["average_risk"]["at_most"])
            for least in sorted({len(rows) for _, rows in classes}):
                large = [(key, rows) for key, rows in classes if len(rows) >= least]
                if Fraction(len(large), sum(len(rows) for _, rows in large)) <= most:
                    return large, fewest
                fewest = max(self.k, least + 1)
            return [], fewest
        return classes, fewest

    def _closed(self, labels: Mapping[int, Key]) -> list[int]:
        """The largest set of rows in which every combination is large enough and no group is split."""
        size = min(self.privacy.get("known_columns", len(self.quasi)), len(self.quasi))
        group = self.named(self.case.config["group"]) if "group" in self.case.config else None
        kept = dict(labels)
        while True:
            out: set[int] = set()
            for places in itertools.combinations(range(len(self.quasi)), size):
                seen = by_key({i: tuple(key[place] for place in places) for i, key in kept.items()})
                out |= {i for rows in seen.values() if not self.holds(rows) for i in rows}
            if group is not None:
                fallen = {self.value(group, i) for i in out} - {None}
                out |= {i for i in kept if self.value(group, i) in fallen}
            if not out:
                return sorted(kept)
            kept = {i: key for i, key in kept.items() if i not in out}

    def _aggregated(self, labels: dict[int, Key], levels: Levels) -> dict[int, Key]:
        """The labels with what each class shows in their place, of columns above level 0."""
        shown = {i: list(key) for i, key in labels.items()}
        for place, column in enumerate(self.quasi):
            way = self.aggregate(column)
            if not way or not levels[place]:
                continue
            for rows in by_key(labels).values():
                values = sorted(
                    Fraction(text(self.value(column, i))) for i in rows if self.value(column, i) is not None
                )
                for i in rows:
                    shown[i][place] = self.label(column, _shown(values, way))
        return {i: tuple(key) for i, key in shown.items()}

    def aggregate(self, column: Column) -> str | None:
        """What a class shows in the place of a label."""
        entry = self.case.config["quasi_identifiers"][column.name]
        return entry.get("aggregate") if isinstance(entry, dict) else None

    def _masked(self, labels: Mapping[int, Key], kept: Sequence[int]) -> list[int]:
        out = sorted(set(labels) - set(kept))
        everywhere = [i for i in kept if set(labels[i]) == {"*"}]
        fewest = self._below_risk([(key, rows) for key, rows in by_key(labels).items() if self.holds(rows)])[1]
        if "average_risk" in self.privacy and len(everywhere) + len(out) < fewest:
            return []
        return out if out and self.holds([*everywhere, *out]) else []


def by_key(labels: Mapping[int, Key]) -> dict[Key, list[int]]:
    """The rows of each class."""
    classes: dict[Key, list[int]] = defaultdict(list)
    for i, key in labels.items():
        classes[key].append(i)
    return classes


def _shown(values: Sequence[Fraction], way: str) -> Any:
    if not values:
        return None
    if way == "interval":
        return str(values[0]) if values[0] == values[-1] else f"{values[0]}-{values[-1]}"
    if way == "mode":
        counts = Counter(values)
        return float(max(counts, key=lambda number: (counts[number], -number)))
    if way == "median":
        return float((values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2)
    return float(sum(values) / len(values))


def share(given: Any) -> Fraction:
    """A share as a number or in percent."""
    written = str(given)
    return Fraction(written[:-1]) / 100 if written.endswith("%") else Fraction(written)
