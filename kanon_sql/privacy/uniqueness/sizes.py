"""How many classes a table has of each size: all that the estimators of uniqueness read of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class ClassSizes:
    """`classes_of` has the number of classes for each size of a class, in rows."""

    classes_of: dict[int, int]

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]]) -> ClassSizes:
        """From pairs (size, classes), each size once."""
        return cls({int(size): int(classes) for size, classes in sorted(pairs) if classes})

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """(size, classes) by rising size."""
        return iter(self.classes_of.items())

    def at_least(self, least: int) -> ClassSizes:
        """The classes of so many rows or more."""
        return ClassSizes({size: classes for size, classes in self if size >= least})

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return sum(size * classes for size, classes in self)

    @property
    def classes(self) -> int:
        """Classes of the table."""
        return sum(self.classes_of.values())

    @property
    def alone(self) -> int:
        """Classes of one row."""
        return self.classes_of.get(1, 0)

    @property
    def pairs(self) -> int:
        """Classes of two rows."""
        return self.classes_of.get(2, 0)
