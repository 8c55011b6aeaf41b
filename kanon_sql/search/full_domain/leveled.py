"""What sets of few columns lose at every choice of their levels, from one count of them at the leaves.

A combination of a set at some levels is a union of its combinations at the leaves, so that its rows are the sum of
theirs; and a combination of few columns is a union of combinations of more. So blocks of columns are counted over all
rows, few of them, each with many sets in it, and all else is added up from their combinations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, reduce
from itertools import combinations
from math import comb, prod
from typing import Any

from sqlglot import exp

from kanon_sql.frequency.table import Frequency, code_name
from kanon_sql.sql.template import Composed, Fill, Item, compose, state

LevelSet = tuple[tuple[int, int], ...]  # quasi-identifiers with their levels, known together

_MOST_CELLS = 40_000  # combinations of a block that its values allow
_MOST_LEVELED = 4_000_000  # combinations of all sets of a block at all levels
_MOST_ANSWERS = 500_000  # sets at all levels, each of which is kept in memory: about 300 bytes
_PLACES = 1 << 20  # more than a hierarchy has levels
_LEAST_SETS = 64  # fewer are counted one by one

Query = Callable[..., list[tuple[Any, ...]]]


class LeveledSets:
    """The counts of all sets of so many columns; `count` gives them block by block."""

    def __init__(self, frequency: Frequency, columns: int) -> None:
        self._mappings = frequency.mappings
        self._columns = columns
        self._blocks = self._divided()
        self._has_steps = False
        firsts = [0]
        for mapping in self._mappings:
            firsts.append(firsts[-1] + mapping.codes + 2)
        self._firsts = firsts
        self._seen: set[tuple[int, ...]] = set()

    def _divided(self) -> list[tuple[int, ...]]:
        """The blocks: every choice of as many groups as columns are known, where groups of several columns are small
        enough; none if counting set by set is as well.
        """
        count, known = len(self._mappings), self._columns
        if comb(count, known) < _LEAST_SETS:
            return []
        levels = max(mapping.height + 1 for mapping in self._mappings) ** known
        if comb(count, known) * levels > _MOST_ANSWERS:
            return []
        best: list[tuple[int, ...]] = []
        for size in range(2, count // known + 1):
            groups = [tuple(range(first, min(first + size, count))) for first in range(0, count, size)]
            blocks = [sum(chosen, ()) for chosen in combinations(groups, min(known, len(groups)))]
            cells = max(prod(self._mappings[i].codes for i in block) for block in blocks)
            if cells > _MOST_CELLS or self._most_leveled(blocks) > _MOST_LEVELED:
                break
            best = blocks
        return best

    def _most_leveled(self, blocks: Sequence[tuple[int, ...]]) -> int:
        """The most combinations that the sets of a block have at all levels."""
        sizes = [sum(mapping.codes for _ in range(mapping.height + 1)) for mapping in self._mappings]
        return max(
            sum(prod(sizes[i] for i in chosen) for chosen in combinations(block, self._columns)) for block in blocks
        )

    def count(self, query: Query, rows_table: str, k: int) -> Iterator[tuple[LevelSet, int, int]]:
        """(set, rows lost, rows of the least combination that stays) of sets that no call before gave.

        A call after one that was interrupted goes on where that one ended.
        """
        while self._blocks:
            if not self._has_steps:
                self._make_steps(query)
            block = self._blocks[-1]
            sets = [chosen for chosen in combinations(block, self._columns) if chosen not in self._seen]
            rows = self._ask(query, rows_table, k, block, sets) if sets else []
            self._blocks.pop()
            self._seen.update(sets)
            for *steps, lost, least in rows:
                yield tuple(divmod(int(step), _PLACES) for step in steps), int(lost), int(least or 0)

    def _ask(
        self, query: Query, rows_table: str, k: int, block: Sequence[int], sets: Sequence[tuple[int, ...]]
    ) -> list[tuple[Any, ...]]:
        lists: dict[str, Sequence[Item]] = {
            "column": [{"code": code_name(i, 0)} for i in block],
            "set": [
                {"leaf": f"leaf_{place}", "steps": state(f"closure_steps_{place}"), "step": f"step_{place}"}
                for place in range(self._columns)
            ],
        }
        for number, chosen in enumerate(sets):
            lists[f"set{number}"] = [
                {"code": code_name(i, 0), "first": self._firsts[i], "leaf": f"leaf_{place}"}
                for place, i in enumerate(chosen)
            ]
        return query(_leveled(len(sets)), names={"rows_there": rows_table}, lists=lists, values={"k": k})

    def _make_steps(self, query: Query) -> None:
        lists: dict[str, Sequence[Item]] = {}
        names: dict[str, Fill] = {}
        for i, mapping in enumerate(self._mappings):
            names[f"codes{i}"] = state(f"codes_{mapping.index}")
            names[f"first{i}"] = self._firsts[i]
            lists[f"level{i}"] = [
                {"code": f"level_{level}", "step": i * _PLACES + level} for level in range(mapping.height + 1)
            ]
        for place in range(self._columns):
            steps = state(f"closure_steps_{place}")
            query(_all_steps(len(self._mappings)), names={**names, "steps": steps}, lists=lists)
        self._has_steps = True


@cache
def _leveled(sets: int) -> Composed:
    cells = [
        compose(
            "search/full_domain/closure_cells",
            {name: f"set{number}_{name.removeprefix('set_')}" for name in ("set_code", "set_first", "set_leaf")},
        ).tree
        for number in range(sets)
    ]
    names = {"cells": _union(cells), "counted": compose("search/full_domain/closure_block")}
    return compose("search/full_domain/closure_levels", names)


@cache
def _all_steps(columns: int) -> Composed:
    steps = [
        compose(
            "search/full_domain/closure_steps",
            {
                "codes": f"codes{i}",
                "first_leaf": f"first{i}",
                "level_code": f"level{i}_code",
                "level_step": f"level{i}_step",
            },
        ).tree
        for i in range(columns)
    ]
    return compose("search/full_domain/closure_all_steps", {"every_step": _union(steps)})


def _union(members: Sequence[exp.Expr]) -> Composed:
    return Composed(reduce(lambda left, right: exp.Union(this=left, expression=right, distinct=False), members))
