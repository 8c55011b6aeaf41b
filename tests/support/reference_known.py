"""What the search must find where k is asked of combinations of few columns, by plain loops over rows.

A row is out once one of its combinations stands for too few rows (or entities) that are not; then its group is, and so
on until nothing changes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations

from reference import Cell, Levels, Node, Problem


@dataclass(frozen=True)
class KnownColumns(Problem):
    """A problem in which k is asked of every combination of at most `known` columns.

    `group`, `entity` and `sensitive` name other columns; a combination holds so many `values` of the last.
    """

    known: int = 1
    entity: str | None = None
    group: str | None = None
    sensitive: str | None = None
    values: int = 0

    def kept(self, levels: Levels) -> list[int]:
        """The numbers of the participants that are released."""
        rows = self.participants
        cells = [self.generalize(tuple(row[column] for column in self.columns), levels) for row in rows]
        kept = set(range(len(rows)))
        while True:
            out = {i for i in kept if self._stands_for_too_few(i, kept, cells)}
            if self.group is not None:
                groups = {rows[i][self.group] for i in out} - {None}
                out |= {i for i in kept if rows[i][self.group] in groups}
            if not out:
                return sorted(kept)
            kept -= out

    def _stands_for_too_few(self, i: int, kept: set[int], cells: list[tuple[Cell, ...]]) -> bool:
        for size in range(1, self.known + 1):
            for columns in combinations(range(len(self.columns)), size):
                alike = [j for j in kept if all(cells[j][c] == cells[i][c] for c in columns)]
                if self.count(alike) < self.k or self.diversity(alike) < self.values:
                    return True
        return False

    def least(self, levels: Levels) -> int:
        """The least rows or entities that a combination of released rows stands for."""
        kept = self.kept(levels)
        cells = {i: self.generalize(tuple(self.participants[i][c] for c in self.columns), levels) for i in kept}
        chosen = list(combinations(range(len(self.columns)), self.known))
        return min(
            self.count([j for j in kept if all(cells[j][c] == cells[i][c] for c in columns)])
            for i in kept
            for columns in chosen
        )

    def count(self, numbers: list[int]) -> int:
        """The rows or the entities of participants; those without one are one."""
        if self.entity is None:
            return len(numbers)
        return len({self.participants[i][self.entity] for i in numbers})

    def diversity(self, numbers: list[int]) -> int:
        """The sensitive values of participants; a missing one is none."""
        if self.sensitive is None:
            return self.values
        return len({self.participants[i][self.sensitive] for i in numbers} - {None})

    def node(self, levels: Levels) -> Node:
        released = [self.participants[i] for i in self.kept(levels)]
        cells = [tuple(row[column] for column in self.columns) for row in released]
        sizes = Counter(self.generalize(row, levels) for row in cells)
        plain = super().node(levels)
        suppressed = self.n - len(released)
        kept = Counter(cells)
        tops = [self.hierarchies[column].top for column in self.columns]
        return replace(
            plain,
            suppressed=suppressed,
            sizes=tuple(sorted(sizes.values())),
            losses=self._losses(levels, kept, suppressed),
            discernibility=sum(size * size for size in sizes.values()) + suppressed * self.n,
            imprecision=(plain.relative_height * len(released) + suppressed * sum(map(bool, tops)))
            / (max(1, self.n) * len(levels)),
            entropy=self._entropy(levels, kept),
            satisfies=suppressed <= self.allowed and bool(released),
        )

    def release(self, levels: Levels, masked: bool = False) -> list[dict[str, Cell]]:
        released = []
        for i in self.kept(levels):
            row = self.participants[i]
            cells = self.generalize(tuple(row[column] for column in self.columns), levels)
            row = {name: row[name] for name in row if name not in ("person", "house")}
            released.append({**row, **dict(zip(self.columns, cells, strict=True))})
        return released
