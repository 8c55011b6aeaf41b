"""k^m-anonymity: the rows that a node suppresses if k is required of every combination of few columns, not of all.

An intruder who knows at most m quasi-identifiers of a person sees the rows that share their released values. A set of
rows satisfies if each combination of m columns that occurs in it is that of k of its rows (or entities): combinations
of fewer columns are unions of these. The union of two satisfying sets satisfies, as their combinations only grow; so
there is a largest one, and it is what remains when rows of combinations that are too small are taken out until there
are none: no such row can be in a satisfying set. A set that satisfies at a node satisfies at every node above, whose
combinations are unions of those below: the largest set only grows upwards in the lattice, and what fails at a node
fails below it.

m columns alone bound what a node suppresses: the rows of their small combinations at its levels, whatever the others
are. Few columns at few levels are shared by many nodes, and are counted once. Where none of them loses a row the node
suppresses none.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cache, reduce
from itertools import combinations
from math import prod
from typing import Any

from sqlglot import exp

from kanon_sql.frequency.judged import Models, source_tables
from kanon_sql.frequency.table import Frequency, code_name
from kanon_sql.search.full_domain.lattice import Node
from kanon_sql.search.full_domain.leveled import LeveledSets, LevelSet
from kanon_sql.sql.template import Composed, Fill, Item, column, compose, parse

_KEPT = "kept"  # the table of the rows that are left
_MOST_SETS = 32  # in one statement
_MOST_COMBINATIONS = 6_000_000  # that they may have together: about 50 bytes each
_TOO_FEW_ROWS = "sum(row_count) < $k"
_TOO_FEW_ENTITIES = "count(DISTINCT entity) + max(CASE WHEN entity IS NULL THEN 1 ELSE 0 END) < $k"
_TOO_FEW_VALUES = "count(DISTINCT CASE WHEN value > 0 THEN value END) < $l"


def judged_rows(models: Models) -> Composed:
    """The statement that gives the rows of a node, by their codes, with whether they are suppressed.

    If rows are suppressed in rounds, `close` must have run; else these are the classes of the node.
    """
    if not models.in_rounds:
        return models.classes(source_tables(models))
    return compose("search/full_domain/closed_rows", {"rows_there": models.rows_table})


def judged_classes(models: Models) -> Composed:
    """The statement that gives the classes of a node, with their size and whether they are suppressed."""
    rows = judged_rows(models)
    return compose("search/full_domain/closed_classes", {"judged": rows}) if models.in_rounds else rows


def judged_values(models: Models, k: int) -> dict[str, int]:
    """The parameters of these statements."""
    return {} if models.in_rounds else {"k": k}


class Closure:
    """The rows that nodes of one lattice keep at one k."""

    def __init__(self, engine: Any, frequency: Frequency, models: Models, k: int) -> None:
        self._engine = engine
        self._frequency = frequency
        self._models = models
        self._k = k
        self._columns = min(models.known_columns or len(frequency.mappings), len(frequency.mappings))
        self._violates = violating(models)
        self._lost: dict[LevelSet, int] = {}
        only_rows = not models.by_entity and not models.models
        self._leveled = LeveledSets(frequency, self._columns) if only_rows else None
        self._least: dict[LevelSet, int] = {}  # the rows of the smallest combination that satisfies

    def with_engine(self, engine: Any) -> Closure:
        """A copy that sends its queries to another engine."""
        other = copy(self)
        other._engine = engine
        return other

    def least(self, node: Node, limit: int) -> int:
        """The rows that some sets of columns of the node lose alone: a lower bound for it and for all nodes below.

        0 if and only if the node suppresses none. Sets are counted only until the bound is above the limit.
        """
        sets = self._sets(node)
        # The top, which all searches begin with, needs none of the blocks, and is there when their time is short.
        if self._leveled is not None and len(sets) > 1:
            for levels, lost, least in self._leveled.count(self._engine.query, self._models.rows_table, self._k):
                self._lost[levels], self._least[levels] = lost, least
        most = max((self._lost.get(levels, 0) for levels in sets), default=0)
        unknown = sorted((levels for levels in sets if levels not in self._lost), key=self._combinations, reverse=True)
        for chunk in self._chunks(unknown):
            if most > limit:
                break
            most = max(most, self._count(chunk))
        return most

    def suppressed(self, node: Node, limit: int | None = None) -> int:
        """The rows that the node suppresses; if that is above the limit, some number above the limit."""
        most = self.least(node, limit if limit is not None else self._frequency.n)
        if most == 0 or (limit is not None and most > limit):
            return most
        return self._close(node, limit)

    def failing(self, node: Node, limit: int) -> Node:
        """A node at or above a failing one that fails as it does: where a set loses too much, all above but for it.

        The set is raised as long as it is known to lose too much at higher levels, too.
        """
        losing = max(self._sets(node), key=lambda levels: self._lost.get(levels, 0))
        if self._lost.get(losing, 0) <= limit:
            return node
        for place in range(len(losing)):
            while self._lost.get(higher := _raised(losing, place), 0) > limit:
                losing = higher
        highest = list(self._frequency.heights)
        for i, level in losing:
            highest[i] = level
        return tuple(highest)

    def close(self, node: Node) -> None:
        """Makes the table of the rows that the node keeps."""
        if self._models.built_from.get(_KEPT) != self._described(node):
            self._close(node, None)

    def _described(self, node: Node) -> tuple[Node, int, int]:
        """What the table of kept rows depends on; the models are all of them, or those without sensitive values."""
        return node, self._k, len(self._models.models)

    def _close(self, node: Node, limit: int | None) -> int:
        """Takes out rows until each combination of the others holds k; their number, or one above the limit."""
        left = n = self._frequency.n
        self._start(node)
        sets, losing = self._sets(node), True
        while losing:
            losing = False
            chosen = [levels for levels in sets if self._may_lose(levels, n - left)]
            for chunk in self._chunks(sorted(chosen, key=lambda levels: -self._lost.get(levels, 0))):
                if not self._take_out(chunk):
                    continue
                left = int(self._engine.query("search/full_domain/closure_count")[0][0])
                losing = True
                if limit is not None and n - left > limit:
                    return n - left
        self._models.built_from[_KEPT] = self._described(node)
        return n - left

    def _may_lose(self, levels: LevelSet, taken_out: int) -> bool:
        """Whether a combination of these columns may be too small, once so many rows are taken out."""
        if self._lost.get(levels, 1):
            return True
        if not taken_out:
            return False
        only_rows = not self._models.by_entity and not self._models.models
        return not only_rows or self._least[levels] - taken_out < self._k

    def _start(self, node: Node) -> None:
        self._models.built_from.pop(_KEPT, None)
        keys: list[Item] = [{"code": code_name(i, node[i])} for i in self._distinguishing(node)]
        counted: list[Item] = [{"name": name} for name in self._models.counted_with]
        names = {"rows_there": self._models.rows_table}
        self._engine.query("search/full_domain/closure_kept", names=names, lists={"key": keys, "more": counted})

    def _take_out(self, sets: Sequence[LevelSet]) -> bool:
        """Takes out the rows of small combinations of these columns; whether there were any."""
        fallen = _fallen(len(sets), with_groups=self._models.group is not None)
        self._ask(fallen, sets)
        if not self._engine.query("search/full_domain/closure_fell")[0][0]:
            return False
        self._engine.query("search/full_domain/closure_left")
        return True

    def _count(self, sets: Sequence[LevelSet]) -> int:
        """Counts the rows that sets of columns lose; the most of these numbers."""
        rows = self._ask(_lost(len(sets)), sets, rows_there=self._models.rows_table)
        for number, lost, least in rows:
            self._lost[sets[int(number)]] = int(lost)
            self._least[sets[int(number)]] = int(least or 0)
        return max(self._lost[levels] for levels in sets)

    def _ask(self, statement: Composed, sets: Sequence[LevelSet], **names: Fill) -> list[tuple[Any, ...]]:
        lists = {f"set{number}": _codes(levels) for number, levels in enumerate(sets)}
        answer: list[tuple[Any, ...]] = self._engine.query(
            statement, names={**names, "violates": self._violates}, lists=lists, values={"k": self._k}
        )
        return answer

    def _sets(self, node: Node) -> list[LevelSet]:
        """The sets of columns that an intruder knows together, without columns that distinguish no rows."""
        columns = self._distinguishing(node)
        return [
            tuple((i, node[i]) for i in chosen) for chosen in combinations(columns, min(self._columns, len(columns)))
        ]

    def _distinguishing(self, node: Node) -> list[int]:
        """The columns that distinguish rows; at least one, so that there is something to count."""
        mappings = self._frequency.mappings
        columns = [i for i, level in enumerate(node) if level < mappings[i].height or mappings[i].splits_top]
        return columns or [0]

    def _combinations(self, levels: LevelSet) -> int:
        """An upper bound of the combinations of a set of columns."""
        values = prod(self._frequency.marginals[i][level].values for i, level in levels)
        return min(values, self._frequency.n)

    def _chunks(self, sets: Sequence[LevelSet]) -> list[list[LevelSet]]:
        """The sets in parts, each of which one statement may count."""
        chunks: list[list[LevelSet]] = []
        room = 0
        for levels in sets:
            size = self._combinations(levels)
            if not chunks or size > room or len(chunks[-1]) == _MOST_SETS:
                chunks.append([])
                room = _MOST_COMBINATIONS
            chunks[-1].append(levels)
            room -= size
        return chunks


def _raised(levels: LevelSet, place: int) -> LevelSet:
    """A set with one of its columns a level higher."""
    i, level = levels[place]
    return (*levels[:place], (i, level + 1), *levels[place + 1 :])


def _codes(levels: LevelSet) -> list[Item]:
    return [{"code": code_name(i, level)} for i, level in levels]


@cache
def _lost(sets: int) -> Composed:
    """The statement that counts the rows that so many sets of columns lose."""
    return _all_of("search/full_domain/closure_lost", sets)


@cache
def _fallen(sets: int, *, with_groups: bool) -> Composed:
    """The statement that lists the rows that so many sets of columns lose."""
    small = _all_of("search/full_domain/closure_small", sets)
    return compose(f"search/full_domain/closure_fallen{'_groups' * with_groups}", {"small": small})


def violating(models: Models) -> exp.Expr:
    """The condition that a combination has fewer than k rows or entities, or too few values of a sensitive column."""
    conditions: list[exp.Expr] = [parse(_TOO_FEW_ENTITIES if models.by_entity else _TOO_FEW_ROWS)]
    for model in models.models:
        condition = parse(_TOO_FEW_VALUES)
        for value in list(condition.find_all(exp.Column)):
            value.replace(column(models.columns[str(model.column)].code))
        for parameter in list(condition.find_all(exp.Parameter, exp.Placeholder)):
            parameter.replace(exp.Literal.number(str(model.spec.numbers()[parameter.name])))
        conditions.append(condition)
    return exp.paren(exp.or_(*conditions))


def _all_of(file: str, sets: int) -> Composed:
    """The union of the rows of one file for each of so many sets."""
    members = [
        compose(file, {"set_code": f"set{number}_code"}, {"number": exp.Literal.number(number)}).tree
        for number in range(sets)
    ]
    return Composed(reduce(lambda left, right: exp.Union(this=left, expression=right, distinct=False), members))
