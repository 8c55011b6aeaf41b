"""What kanon-sql must find, by brute force: every lattice node in plain Python and exact fractions.

Written from the definitions of the measures alone; it shares no code with the package.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

Cell = str | None
Row = Mapping[str, Cell]
Levels = tuple[int, ...]
TOLERANCE = Fraction(1, 10**9)


@dataclass(frozen=True)
class Hierarchy:
    """The levels of one quasi-identifier: a row is [leaf, level 1, ..., top level]."""

    rows: Sequence[Sequence[str]]
    top: int

    @classmethod
    def of_file(cls, rows: Sequence[Sequence[str]]) -> Hierarchy:
        """As a hierarchy file is read: `*` is added where the last level has several values."""
        if len({row[-1] for row in rows}) > 1:
            rows = [[*row, "*"] for row in rows]
        return cls(rows, len(rows[0]) - 1)

    @classmethod
    def suppress(cls, values: Iterable[Cell]) -> Hierarchy:
        return cls([[value, "*"] for value in sorted({v for v in values if v is not None})], 1)

    @classmethod
    def prefix(cls, values: Iterable[Cell], keep: Sequence[int]) -> Hierarchy:
        present = sorted({v for v in values if v is not None})
        cut = [[v, *(v[:kept] + "*" * len(v[kept:]) for kept in keep), "*"] for v in present]
        return cls(cut, len(keep) + 1)

    @classmethod
    def merged(cls, values: Iterable[Cell], below: Sequence[int], rest: str) -> Hierarchy:
        rows = Counter(value for value in values if value is not None)
        lines = [[v, *(v if rows[v] >= least else rest for least in below), "*"] for v in sorted(rows)]
        return cls(lines, len(below) + 1)

    @cached_property
    def words(self) -> dict[str, Sequence[str]]:
        return {row[0]: row for row in self.rows}

    @cached_property
    def leaves(self) -> list[Counter[str]]:
        """For each level, how many leaves are under each of its values."""
        return [Counter(row[level] for row in self.rows) for level in range(self.top + 1)]

    def generalize(self, value: Cell, level: int) -> Cell:
        if value is None:
            return "*" if level == self.top else None
        return self.words[value][level]

    def cost(self, value: Cell, level: int) -> Fraction:
        """What a released cell loses whose source value is `value`."""
        total = len(self.rows)
        if total <= 1 or (value is None and level < self.top):
            return Fraction(0)
        under = total if value is None else self.leaves[level][self.words[value][level]]
        return Fraction(under - 1, total - 1)


@dataclass(frozen=True)
class Node:
    """One generalization of the whole table and what it costs."""

    levels: Levels
    height: int
    suppressed: int
    sizes: tuple[int, ...]
    losses: tuple[Fraction, ...]
    discernibility: int
    imprecision: Fraction
    entropy: float
    relative_height: Fraction
    satisfies: bool

    @property
    def classes(self) -> int:
        return len(self.sizes)

    @property
    def released(self) -> int:
        return sum(self.sizes)

    @property
    def lm(self) -> Fraction:
        return sum(self.losses, Fraction(0))

    @property
    def geometric_mean(self) -> float:
        return _root(math.prod(loss + 1 for loss in self.losses), len(self.losses))

    def below(self, higher: Node) -> bool:
        return self != higher and all(a <= b for a, b in zip(self.levels, higher.levels, strict=True))


@dataclass(frozen=True)
class Problem:
    """A table as the models read it (missing texts are None) and what is asked of its release."""

    rows: Sequence[Row]
    hierarchies: Mapping[str, Hierarchy]
    k: int
    limit: int | str = 0
    missing: str = "keep"
    bounds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    weights: Mapping[str, Fraction] = field(default_factory=dict)

    @cached_property
    def columns(self) -> list[str]:
        return list(self.hierarchies)

    @cached_property
    def participants(self) -> list[Row]:
        """The rows that take part, in the order of the source."""
        return participants(self.rows, self.columns, self.missing)

    @cached_property
    def n(self) -> int:
        return len(self.participants)

    @cached_property
    def allowed(self) -> int:
        """How many rows may be suppressed: a percentage is an exact decimal, rounded down."""
        if isinstance(self.limit, str):
            return math.floor(Fraction(Decimal(self.limit.removesuffix("%"))) * self.n / 100)
        return self.limit

    @cached_property
    def tuples(self) -> Counter[tuple[Cell, ...]]:
        return Counter(tuple(row[column] for column in self.columns) for row in self.participants)

    @cached_property
    def nodes(self) -> list[Node]:
        ranges = [
            range(low, high + 1)
            for low, high in (self.bounds.get(c, (0, self.hierarchies[c].top)) for c in self.columns)
        ]
        return [self.node(levels) for levels in itertools.product(*ranges)]

    @cached_property
    def satisfying(self) -> list[Node]:
        return [node for node in self.nodes if node.satisfies]

    @cached_property
    def minimal(self) -> list[Node]:
        """The satisfying nodes with no satisfying node below them."""
        satisfying = self.satisfying
        return [node for node in satisfying if not any(lower.below(node) for lower in satisfying)]

    @cached_property
    def lowest(self) -> list[Node]:
        """The satisfying nodes of the least height."""
        least = min((node.height for node in self.satisfying), default=0)
        return [node for node in self.satisfying if node.height == least]

    def generalize(self, cells: tuple[Cell, ...], levels: Levels) -> tuple[Cell, ...]:
        return tuple(
            self.hierarchies[column].generalize(cell, level)
            for column, cell, level in zip(self.columns, cells, levels, strict=True)
        )

    def class_sizes(self, levels: Levels) -> Counter[tuple[Cell, ...]]:
        sizes: Counter[tuple[Cell, ...]] = Counter()
        for cells, count in self.tuples.items():
            sizes[self.generalize(cells, levels)] += count
        return sizes

    def node(self, levels: Levels) -> Node:
        sizes = self.class_sizes(levels)
        kept = Counter({t: c for t, c in self.tuples.items() if sizes[self.generalize(t, levels)] >= self.k})
        released = tuple(sorted(size for size in sizes.values() if size >= self.k))
        suppressed = self.n - sum(released)
        tops = [self.hierarchies[column].top for column in self.columns]
        relative = [Fraction(lv, top) if top else Fraction(0) for lv, top in zip(levels, tops, strict=True)]
        cells = max(1, self.n) * len(levels)
        return Node(
            levels=levels,
            height=sum(levels),
            suppressed=suppressed,
            sizes=released,
            losses=self._losses(levels, kept, suppressed),
            discernibility=sum(size * size for size in released) + suppressed * self.n,
            imprecision=(sum(relative, Fraction(0)) * sum(released) + suppressed * sum(map(bool, tops))) / cells,
            entropy=self._entropy(levels, kept),
            relative_height=sum(relative, Fraction(0)),
            satisfies=suppressed <= self.allowed and sum(released) > 0,
        )

    def _losses(self, levels: Levels, kept: Counter[tuple[Cell, ...]], suppressed: int) -> tuple[Fraction, ...]:
        losses = []
        for position, (column, level) in enumerate(zip(self.columns, levels, strict=True)):
            values = _project(kept, position)
            lost = sum((self.hierarchies[column].cost(v, level) * c for v, c in values.items()), Fraction(0))
            losses.append((lost + suppressed) / max(1, self.n))
        return tuple(losses)

    def _entropy(self, levels: Levels, kept: Counter[tuple[Cell, ...]]) -> float:
        """Rows are counted over the whole table, so that no cell's share exceeds 1."""
        bits = []
        for position, (column, level) in enumerate(zip(self.columns, levels, strict=True)):
            hierarchy = self.hierarchies[column]
            source = _project(self.tuples, position)
            shown = _project(kept, position)
            for value, count in source.items():
                for at, cells in ((level, shown[value]), (hierarchy.top, count - shown[value])):
                    word = hierarchy.generalize(value, at)
                    same = sum(c for v, c in source.items() if hierarchy.generalize(v, at) == word)
                    bits.append(cells * math.log2(same / count))
        return math.fsum(bits)

    def objective(self, node: Node, name: str = "loss") -> float:
        """What an optimal search minimizes."""
        weighed = [self.weights.get(c, 1) * loss for c, loss in zip(self.columns, node.losses, strict=True)]
        values: dict[str, Callable[[], float | Fraction]] = {
            "loss": lambda: sum(weighed, Fraction(0)),
            "geometric-mean-loss": lambda: _root(math.prod(loss + 1 for loss in weighed), len(weighed)),
            "discernibility": lambda: node.discernibility,
            "average-class-size": lambda: Fraction(node.released, max(1, node.classes)),
            "precision": lambda: node.imprecision,
            "entropy": lambda: node.entropy,
        }
        return float(values[name]())

    def optimal(self, objective: str = "loss") -> Node:
        tied = least(self.satisfying, lambda node: self.objective(node, objective))
        return min(tied, key=lambda node: (node.height, node.levels))

    def samarati(self, prefer: str = "loss") -> Node:
        candidates = least(self.lowest, self.objective) if prefer == "loss" else self.lowest
        return min(candidates, key=lambda node: node.levels)

    def preferred(self, prefer: str = "loss") -> list[Node]:
        """All minimal nodes that a preference cannot tell apart."""
        measures: dict[str, Callable[[Node], float]] = {
            "loss": self.objective,
            "absolute-distance": lambda node: node.height,
            "relative-distance": lambda node: float(node.relative_height),
            "distribution": lambda node: -node.classes,
            "suppression": lambda node: node.suppressed,
        }
        return least(self.minimal, measures[prefer])

    def minimal_choice(self, prefer: str = "loss") -> Node:
        tied = least(self.preferred(prefer), self.objective)
        return min(tied, key=lambda node: (node.height, node.levels))

    def winner(self, name: str, variant: str) -> Node:
        """The release of an algorithm under an objective (optimal) or a preference (the others)."""
        choose = {"optimal": self.optimal, "samarati": self.samarati, "minimal": self.minimal_choice}
        return choose[name](variant)

    def release(self, levels: Levels, masked: bool = False) -> list[dict[str, Cell]]:
        """The rows of a node's release in the order of the source, with all their columns.

        Masked rows are in it where, with the class that is `*` everywhere, they are at least k.
        """
        sizes = self.class_sizes(levels)
        everywhere = ("*",) * len(levels)
        suppressed = sum(size for size in sizes.values() if size < self.k)
        hidden = suppressed + (sizes[everywhere] if sizes[everywhere] >= self.k else 0)
        released = []
        for row in self.participants:
            cells = self.generalize(tuple(row[column] for column in self.columns), levels)
            if sizes[cells] < self.k:
                if not masked or hidden < self.k:
                    continue
                cells = everywhere
            released.append({**row, **dict(zip(self.columns, cells, strict=True))})
        return released


def participants(rows: Sequence[Row], columns: Sequence[str], missing: str) -> list[Row]:
    """The rows that a policy for missing values leaves."""
    if missing == "keep":
        return list(rows)
    return [row for row in rows if None not in (row.values() if missing == "drop-any" else map(row.get, columns))]


def least(nodes: Sequence[Node], measure: Callable[[Node], float]) -> list[Node]:
    """The nodes of the least measure; what differs by rounding only is equal."""
    values = [Fraction(measure(node)) for node in nodes]
    best = min(values, default=Fraction(0))
    margin = TOLERANCE * abs(best)
    return [node for node, value in zip(nodes, values, strict=True) if value - best <= margin]


def _project(tuples: Counter[tuple[Cell, ...]], position: int) -> Counter[Cell]:
    counts: Counter[Cell] = Counter()
    for cells, count in tuples.items():
        counts[cells[position]] += count
    return counts


def _root(product: float | Fraction, degree: int) -> float:
    return math.pow(float(product), 1 / degree) - 1
