"""What Mondrian must find, in plain Python and exact fractions: partitions, their labels and what they lose.

Written from the definitions of the measures and the cuts alone; it shares no code with the package.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

Cell = str | None
Row = Mapping[str, Cell]
Codes = tuple[int, ...]
Partition = Counter[Codes]
NULL = 0  # the code of a missing value: it sorts first


class Dimension(ABC):
    """One quasi-identifier: its leaves are numbered in order, 0 is NULL."""

    def __init__(self, leaves: Sequence[str], has_null: bool) -> None:
        self.leaves = leaves
        self.has_null = has_null
        self._codes: dict[Cell, int] = {None: NULL, **{leaf: code for code, leaf in enumerate(leaves, 1)}}

    def code(self, cell: Cell) -> int:
        return self._codes[cell]

    def texts(self, codes: Collection[int]) -> list[str]:
        """What is not NULL, in order."""
        return [self.leaves[code - 1] for code in sorted(codes) if code != NULL]

    def groups(self, codes: Collection[int]) -> list[set[int]]:
        """What a cut at a median leaves together, in order."""
        return [{code} for code in sorted(codes)]

    def subtrees(self, codes: Collection[int]) -> list[set[int]]:
        """What a cut by loss may part from the rest, besides neighbours at every boundary."""
        return []

    @abstractmethod
    def width(self, codes: Collection[int]) -> Fraction:
        """How much of the column a partition spans: the widest is cut first."""

    def own(self, codes: Collection[int]) -> Fraction:
        """The loss that a search by loss compares."""
        return self.width(codes)

    @abstractmethod
    def reported(self, codes: Collection[int]) -> Fraction:
        """The loss of each row of a partition."""

    def label(self, codes: Collection[int]) -> Cell:
        """What is released for a partition."""
        texts = self.texts(codes)
        if not texts:
            return None
        shown = texts[0] if len(texts) == 1 else self.span(texts)
        return f"{shown} or missing" if NULL in codes else shown

    @abstractmethod
    def span(self, texts: Sequence[str]) -> str:
        """What is released for several values."""


class Ordered(Dimension):
    """Numbers or dates; NULL lies at the minimum when widths are compared, and is not counted in the report."""

    def __init__(self, cells: Iterable[Cell], kind: str) -> None:
        present = set(cells)
        values = {cell: _number(cell, kind) for cell in present if cell is not None}
        super().__init__(sorted(values, key=lambda text: values[text]), None in present)
        assert len(set(values.values())) == len(values)
        self.between = "/" if kind == "date" else "-"
        places = [values[leaf] for leaf in self.leaves] or [Fraction(0)]
        self.places = [places[0], *places]

    def width(self, codes: Collection[int]) -> Fraction:
        return _share(self.places[max(codes)] - self.places[min(codes)], self.places[-1] - self.places[0])

    def reported(self, codes: Collection[int]) -> Fraction:
        return self.width(set(codes) - {NULL} or {NULL})

    def span(self, texts: Sequence[str]) -> str:
        return f"{texts[0]}{self.between}{texts[-1]}"


class Words(Dimension):
    """Texts without hierarchy, in their binary order."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        present = set(cells)
        super().__init__(sorted((c for c in present if c is not None), key=str.encode), None in present)

    def width(self, codes: Collection[int]) -> Fraction:
        first, last = (max(code, 0 if self.has_null else 1) for code in (min(codes), max(codes)))
        return _share(last - first, len(self.leaves) + self.has_null - 1)

    def own(self, codes: Collection[int]) -> Fraction:
        return _share(len(set(codes)) - 1, len(self.leaves) + self.has_null - 1)

    def reported(self, codes: Collection[int]) -> Fraction:
        return _share(max(0, len(self.texts(codes)) - 1), len(self.leaves) - 1)

    def span(self, texts: Sequence[str]) -> str:
        return "{" + ", ".join(map(_member, texts)) + "}"


class Tree(Dimension):
    """Leaves in the order of a hierarchy: children stand in the order in which the file has them first."""

    def __init__(self, rows: Sequence[Sequence[str]], has_null: bool) -> None:
        if len({row[-1] for row in rows}) > 1:
            rows = [[*row, "*"] for row in rows]
        self.top = len(rows[0]) - 1
        seen: list[dict[str, int]] = [{} for _ in range(self.top + 1)]
        for row in rows:
            for level, word in enumerate(row):
                seen[level].setdefault(word, len(seen[level]))
        ordered = sorted(rows, key=lambda row: [seen[level][row[level]] for level in range(self.top, -1, -1)])
        super().__init__([row[0] for row in ordered], has_null)
        self.rows = ordered

    def _words(self, codes: Collection[int], level: int) -> list[str]:
        return [self.rows[code - 1][level] for code in sorted(codes)]

    def meeting(self, codes: Collection[int]) -> int:
        """The lowest level at which all leaves are one."""
        return next(level for level in range(self.top + 1) if len(set(self._words(codes, level))) == 1)

    def groups(self, codes: Collection[int]) -> list[set[int]]:
        others = set(codes) - {NULL}
        if NULL in codes:
            return [{NULL}, *(self._children(others, self.top) if others else [])]
        level = self.meeting(others)
        return self._children(others, level) if level else [others]

    def _children(self, codes: Collection[int], level: int) -> list[set[int]]:
        by_word: dict[str, set[int]] = {}
        for code in sorted(codes):
            word = self.rows[code - 1][level - 1] if level else ""
            by_word.setdefault(word, set()).add(code)
        return list(by_word.values())

    def subtrees(self, codes: Collection[int]) -> list[set[int]]:
        others = set(codes) - {NULL}
        return [group for level in range(1, self.top + 2) for group in self._children(others, level)]

    def width(self, codes: Collection[int]) -> Fraction:
        return self.reported(codes)

    def reported(self, codes: Collection[int]) -> Fraction:
        others = set(codes) - {NULL}
        if not others:
            return Fraction(0)
        level = self.top if NULL in codes else self.meeting(others)
        word = self._words(others, level)[0]
        return _share(sum(row[level] == word for row in self.rows) - 1, len(self.rows) - 1)

    def label(self, codes: Collection[int]) -> Cell:
        others = set(codes) - {NULL}
        if not others:
            return None
        return "*" if NULL in codes else self._words(others, self.meeting(others))[0]

    def span(self, texts: Sequence[str]) -> str:
        raise NotImplementedError


@dataclass(frozen=True)
class Mondrian:
    """A table and how it is cut."""

    rows: Sequence[Row]
    dimensions: Mapping[str, Dimension]
    k: int

    @cached_property
    def table(self) -> Partition:
        return self.partition(self.rows)

    def partition(self, rows: Iterable[Row]) -> Partition:
        return Counter(tuple(d.code(row[c]) for c, d in self.dimensions.items()) for row in rows)

    def partitions(self, cut: str) -> list[tuple[Partition, int]]:
        """The final partitions under `dimension: widest`, each with the number of cuts above it."""
        choose = self._relaxed if cut == "relaxed" else self._strict
        final, waiting = [], [(self.table, 0)]
        while waiting:
            partition, depth = waiting.pop()
            sides = choose(partition, both=cut == "strict") if partition.total() >= 2 * self.k else None
            if sides:
                waiting += [(side, depth + 1) for side in sides]
            else:
                final.append((partition, depth))
        return final

    def widest(self, partition: Partition) -> list[int]:
        """The positions of the dimensions, widest first."""
        widths = [d.width({t[at] for t in partition}) for at, d in enumerate(self.dimensions.values())]
        return sorted(range(len(widths)), key=lambda at: -widths[at])

    def _strict(self, partition: Partition, both: bool) -> tuple[Partition, Partition] | None:
        n = partition.total()
        for at in self.widest(partition):
            groups = self._groups(at, partition)
            sizes = _sizes(partition, at)
            through = list(accumulate(sum(sizes[code] for code in group) for group in groups))
            median = next(number for number, rows in enumerate(through) if 2 * rows >= n)
            for last in (median, median - 1) if both else (median,):
                if last >= 0 and self.k <= through[last] <= n - self.k:
                    return _part(partition, at, set().union(*groups[: last + 1]))
        return None

    def _relaxed(self, partition: Partition, both: bool) -> tuple[Partition, Partition] | None:
        order = self.widest(partition)
        at = next((at for at in order if len(self._groups(at, partition)) > 1), None)
        if at is None:
            return None
        group = {code: number for number, codes in enumerate(self._groups(at, partition)) for code in codes}
        others = [dimension for dimension in order if dimension != at]
        left: Partition = Counter()
        missing = partition.total() // 2
        for codes in sorted(partition, key=lambda t: (group[t[at]], [t[dimension] for dimension in others], t[at])):
            if taken := min(missing, partition[codes]):
                left[codes] = taken
                missing -= taken
        return left, partition - left

    def _groups(self, at: int, partition: Partition) -> list[set[int]]:
        return self._ordered[at].groups({t[at] for t in partition})

    @cached_property
    def _ordered(self) -> list[Dimension]:
        return list(self.dimensions.values())

    def by_loss(self) -> list[Partition] | None:
        """The final partitions under `dimension: loss`; None where two different cuts gain the same."""
        final, waiting = [], [self.table]
        while waiting:
            partition = waiting.pop()
            cuts = self._gains(partition)
            most = max(cuts.values(), default=None)
            best = [left for left, gain in cuts.items() if gain == most]
            if len(best) > 1:
                return None
            if best:
                left = Counter({codes: partition[codes] for codes in best[0]})
                waiting += [left, partition - left]
            else:
                final.append(partition)
        return final

    def _gains(self, partition: Partition) -> dict[frozenset[Codes], Fraction]:
        """What each allowable cut gains; a cut is the side that has the partition's first tuple."""
        n, first = partition.total(), min(partition)
        gains: dict[frozenset[Codes], Fraction] = {}
        for at, dimension in enumerate(self._ordered):
            sizes = _sizes(partition, at)
            for inside in self._sides(partition, at, by_leaf=True):
                outside = set(sizes) - inside
                rows = sum(sizes[code] for code in inside)
                left, right = rows * dimension.own(inside), (n - rows) * dimension.own(outside)
                side = inside if first[at] in inside else outside
                taken = frozenset(codes for codes in partition if codes[at] in side)
                gains[taken] = max(gains.get(taken, Fraction(0)), n * dimension.own(sizes) - left - right)
        return gains

    def _sides(self, partition: Partition, at: int, by_leaf: bool) -> list[set[int]]:
        """One side of every allowable cut on a dimension: between leaves and by subtrees, or between groups."""
        dimension, sizes = self._ordered[at], _sizes(partition, at)
        groups = [{code} for code in sorted(sizes)] if by_leaf else dimension.groups(sizes)
        sides = [set().union(*groups[:taken]) for taken in range(1, len(groups))]
        sides += dimension.subtrees(sizes) if by_leaf else []
        most = partition.total() - self.k
        return [side for side in sides if self.k <= sum(sizes[code] for code in side) <= most]

    def cuttable(self, partition: Partition, by_leaf: bool) -> bool:
        return any(self._sides(partition, at, by_leaf) for at in range(len(self._ordered)))

    def label(self, partition: Partition) -> tuple[Cell, ...]:
        return tuple(d.label({t[at] for t in partition}) for at, d in enumerate(self._ordered))

    def released(self, partitions: Iterable[Partition]) -> Counter[tuple[Cell, ...]]:
        """How many rows are released under each tuple of labels."""
        counts: Counter[tuple[Cell, ...]] = Counter()
        for partition in partitions:
            counts[self.label(partition)] += partition.total()
        return counts

    def losses(self, partitions: Collection[Partition]) -> dict[str, Fraction]:
        """What each column loses by these partitions."""
        n = sum(partition.total() for partition in partitions)
        return {
            column: sum((d.reported({t[at] for t in p}) * p.total() for p in partitions), Fraction(0)) / n
            for at, (column, d) in enumerate(self.dimensions.items())
        }

    def ncp(self, partitions: Collection[Partition]) -> float:
        return float(100 * sum(self.losses(partitions).values()) / len(self.dimensions))

    @property
    def bound(self) -> int:
        """No strict partition without hierarchies is larger."""
        return 2 * len(self.dimensions) * (self.k - 1) + max(self.table.values())


def _number(text: str, kind: str) -> Fraction:
    return Fraction(date.fromisoformat(text).toordinal() if kind == "date" else text)


def _share(part: int | Fraction, whole: int | Fraction) -> Fraction:
    return Fraction(part) / whole if whole > 0 else Fraction(0)


def _member(text: str) -> str:
    if text and not set(text) & set(',{}"\\'):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _sizes(partition: Partition, at: int) -> Counter[int]:
    sizes: Counter[int] = Counter()
    for codes, count in partition.items():
        sizes[codes[at]] += count
    return sizes


def _part(partition: Partition, at: int, codes: Collection[int]) -> tuple[Partition, Partition]:
    left = Counter({t: count for t, count in partition.items() if t[at] in codes})
    return left, Counter({t: count for t, count in partition.items() if t[at] not in codes})
