"""Hierarchies written out: for the values of a column as CSV, and as a tree."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from sqlglot import exp

from kanon_sql.hierarchy.hierarchy import Hierarchy
from kanon_sql.hierarchy.mapping import Mapping
from kanon_sql.sql.connection import Engine


def covered_rows(engine: Engine, mapping: Mapping, distinct: exp.Select) -> list[tuple[str, ...]]:
    """The rows of a hierarchy file for the values of a column, selected as `value`, that the mapping covers."""
    levels = [{"label": f"label_{level}"} for level in range(mapping.height + 1)]
    names = {"mapping": mapping.table, "raw_values": distinct}
    return engine.query("hierarchy/covered_rows", names=names, lists={"step": levels})


def to_csv(rows: Sequence[Sequence[str]]) -> str:
    """Rows as the text of a hierarchy file: quoted where need be, so that commas in labels do no harm."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()


def file_rows(hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    """The rows of a hierarchy's file."""
    return list(zip(*hierarchy.levels, strict=True))


class Branches:
    """The tree of a hierarchy from its top down: which labels of the level below lie under a label."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.height = hierarchy.height
        self.top = hierarchy.levels[-1][0]
        self._below: list[dict[str, dict[str, None]]] = [{}]
        self._leaves: list[dict[str, int]] = []
        for level, labels in enumerate(hierarchy.levels):
            counts: dict[str, int] = {}
            for label in labels:
                counts[label] = counts.get(label, 0) + 1
            self._leaves.append(counts)
            if level:
                below: dict[str, dict[str, None]] = {}
                for lower, upper in zip(hierarchy.levels[level - 1], labels, strict=True):
                    below.setdefault(upper, {})[lower] = None
                self._below.append(below)

    def below(self, level: int, label: str) -> Iterator[tuple[int, str]]:
        """The labels under a label, each with its level; a label that has only itself below is passed over."""
        for lower in self._below[level].get(label, ()):
            yield self._deepest(level - 1, lower)

    def leaves(self, level: int, label: str) -> int:
        """How many values lie under a label."""
        return self._leaves[level][label]

    def _deepest(self, level: int, label: str) -> tuple[int, str]:
        while level and list(self._below[level][label]) == [label]:
            level -= 1
        return level, label
