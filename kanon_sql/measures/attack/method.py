"""What a release tells to somebody who knows how it was made, and why it was chosen.

Which cells of a release somebody can narrow who knows how its labels are made.

A. Cohen: Attacks on deidentification's defenses. USENIX Security 2022: where labels are as narrow as a class allows,
they tell what is in the class. A range ends at values of the class; a set lists them; a label of a hierarchy is the
lowest one that stands for all of them, so that at least two of its children are there, and both where there are two.
Of the rows of such a class, which nothing else tells apart, so many can be given a finer value, and rightly so. Levels
of a whole column tell nothing of a class; a label of theirs is narrowed where one value of the table stands under it.

What a release tells to somebody who knows why it was chosen: worlds are drawn in which the same is released.

R. Wong, A. Fu, K. Wang, J. Pei: Minimality attack in privacy preserving data publishing. VLDB 2007. Somebody knows the
quasi-identifiers of everybody, the program and its configuration, and the values of suppressed rows. What was released
leaves every way open to deal out the sensitive values within each released class. A world is one of these, all of them
alike. In it the search is run again, whole: where it chooses other levels, the world would have led to another release,
and is not the true one. What the worlds that are kept say of a person is what this adversary knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from sqlglot import exp

from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.frequency.dimensions import Dimension
from kanon_sql.frequency.judged import count_models
from kanon_sql.frequency.sensitive import Sensitive
from kanon_sql.frequency.table import cell_items, code_name, leaf_items
from kanon_sql.privacy.registry import Model
from kanon_sql.progress import Progress
from kanon_sql.search.full_domain.checker import NodeChecker, grouping_codes
from kanon_sql.search.full_domain.dispatch import search
from kanon_sql.search.full_domain.problem import FullDomain, FullDomainResult
from kanon_sql.search.multidimensional import MultidimensionalResult
from kanon_sql.sql import tables, template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, TimeUpError
from kanon_sql.sql.template import Item, state

if TYPE_CHECKING:
    from kanon_sql.results.attack import Downcoding, Gain, Minimality, RowsAbove


def measure_downcoding(engine: Engine, result: FullDomainResult | MultidimensionalResult) -> Downcoding:
    """The `rows` of a release that can be narrowed in a quasi-identifier, and the cells of each of its `columns`.

    Of classes with labels of their own, the `classes` with such rows. The tables are those of the search, as it left
    them, and that of the suppressed classes.
    """
    if isinstance(result, FullDomainResult):
        return _of_levels(engine, result)
    return _of_classes(engine, result)


def _of_levels(engine: Engine, result: FullDomainResult) -> Downcoding:
    problem, node = result.problem, result.winner.levels
    keys = grouping_codes(problem.frequency, node)
    items: list[Item] = []
    for i, (level, mapping) in enumerate(zip(node, problem.frequency.mappings, strict=True)):
        if level:
            names = {
                **{"mapping": mapping.table, "tuples": state("tuples"), "lone": state(f"lone_{i}")},
                **{"leaf_code": code_name(i, 0), "level_code": f"level_{level}", "level_label": f"label_{level}"},
            }
            engine.query("measures/attack/lone_labels", names=names)
            items.append({"code": code_name(i, level), "lone": state(f"lone_{i}"), "name": f"cells_{i}"})
    names = {name: state(name) for name in ("tuples", "suppressed_classes")}
    lists = {"item": items, "key": keys}
    rows, *cells = engine.query("measures/attack/downcoded_levels", names=names, lists=lists)[0]
    generalized = iter(cells)
    columns = {name: int(next(generalized)) if level else 0 for name, level in zip(problem.names, node, strict=True)}
    return {"rows": int(rows), "classes": None, "columns": columns}


def _of_classes(engine: Engine, result: MultidimensionalResult) -> Downcoding:
    """Columns that show an aggregate, or ranges with ends that are no values, tell nothing of a class in this way."""
    problem = result.problem
    _ = result.classes  # which are labelled when they are first asked for
    silent = {aggregated.index for aggregated in problem.aggregated} | problem.grids.keys()
    telling = [d for d in problem.tuples.dimensions if d.index not in silent]
    columns = dict.fromkeys(problem.names, 0)
    if not telling:
        return {"rows": 0, "classes": 0, "columns": columns}
    known_cells = reduce(
        lambda left, other: exp.Union(this=left, expression=other, distinct=False), map(_known, telling)
    )
    engine.run(tables.copy(state("known"), exp.Subquery(this=known_cells)))
    rows = classes = 0
    for dimension, cells, narrowed in engine.query("measures/attack/downcoded", names={"known": state("known")}):
        if dimension is None:
            rows, classes = int(cells), int(narrowed)
        else:
            columns[problem.names[dimension]] = int(cells)
    return {"rows": rows, "classes": classes, "columns": columns}


def _known(d: Dimension) -> exp.Expr:
    """Of each class the cells that its label tells in a dimension, with that dimension's number."""
    subquery = exp.Subquery(this=_told(d), alias=exp.TableAlias(this=exp.to_identifier("told")))
    return exp.select("part", exp.alias_(exp.Literal.number(d.index), "dimension"), "cells").from_(subquery)


def _told(d: Dimension) -> exp.Expr:
    names: dict[str, template.Fill] = {
        **{"classes": state("classes"), "assigned": state("assigned"), "this_position": d.position},
        **{"this_low": f"low_{d.index}", "this_first": f"first_{d.index}", "this_high": f"high_{d.index}"},
    }
    if d.tree is None:
        kind = "ends" if d.has_ranges else "sets"
        return template.fill(f"measures/attack/downcoded_{kind}", scope=names)
    shifts = d.tree.shifts
    levels: list[Item] = [{"shift": shift} for shift in shifts]
    steps: list[Item] = [
        {"number": level, "shift": shift, "below": shifts[level - 1]} for level, shift in enumerate(shifts) if level
    ]
    lists = {"level": levels, "step": steps}
    return template.fill(
        "measures/attack/downcoded_tree", lists=lists, scope={**names, "this_lowest": d.tree.min_level}
    )


MOST_WORLDS = 2000
ENOUGH = 100  # worlds kept, after which no more are drawn
TOO_FEW = 30  # fewer tell nothing

_NAMES = ("persons", "records", "told", "suppressed_classes")


@dataclass(frozen=True)
class Asked:
    """How many worlds are drawn at most, how many are enough to be kept, and what draws them."""

    worlds: int = MOST_WORLDS
    enough: int = ENOUGH
    seed: int = 1


def unmeasured(result: FullDomainResult) -> str | None:
    """Why worlds cannot be drawn for a release, None where they can."""
    problem = result.problem
    if not problem.models.reads_values:
        return "no model reads a sensitive value: the choice of a release says nothing of these"
    if problem.models.by_entity:
        return "minimality is not measured where entities are counted: whose values they are would have to be dealt out"
    if problem.nodes.searched_in != "duckdb":
        return "minimality is not measured where another engine searches"
    return None


def measure_minimality(
    engine: Engine, result: FullDomainResult, algorithm: AlgorithmConfig, wanted: Asked, deadline: Deadline
) -> Minimality:
    """What the choice of a full-domain release tells beyond its classes; `unmeasured` must have nothing against it.

    `worlds` were drawn, and `kept` of them lead to the same release. Of each sensitive column, by how much the share of
    a value among persons of the same quasi-identifiers is greater at most than in their class (`gain`), and the rows
    `above` what a model bounds; both beside what as many worlds show that nothing chose (`by_chance`). The `columns`
    are None where too few worlds are kept. Ends at the deadline. The
    tables of the search, and that of the suppressed classes, are read; they are left as they were.
    """
    worlds = _Worlds(engine, result, algorithm)
    with worlds.dealt_out():
        drawn, kept = 0, 0
        try:
            while drawn < wanted.worlds and kept < wanted.enough:
                with engine.until(deadline):
                    deadline.check()
                    worlds.draw(wanted.seed + drawn)
                    same = worlds.leads_to_the_release(deadline)
                drawn += 1
                if same:
                    kept += 1
                    worlds.take_in("told")
        except TimeUpError:
            pass
        measured: Minimality = {"worlds": drawn, "kept": kept, "columns": None}
        if kept >= TOO_FEW:
            for number in range(kept):
                worlds.draw(wanted.seed + wanted.worlds + number)
                worlds.take_in("by_chance")
            measured["columns"] = {
                sensitive.column.name: worlds.measure(sensitive, kept) for sensitive in worlds.columns
            }
    return measured


class _Worlds:
    """The worlds of a release, one at a time in the table of records."""

    def __init__(self, engine: Engine, result: FullDomainResult, algorithm: AlgorithmConfig) -> None:
        self.engine = engine
        self.result = result
        self.algorithm = algorithm
        self.problem: FullDomain = result.problem
        self.columns: list[Sensitive] = list(self.problem.models.columns.values())
        self._names = {name: state(name) for name in _NAMES}
        mappings = self.problem.frequency.mappings
        self._leaves, self._cells = leaf_items(mappings), cell_items(mappings)
        self._values: list[Item] = [{"code": sensitive.code} for sensitive in self.columns]

    @contextmanager
    def dealt_out(self) -> Iterator[None]:
        """Rows by themselves while it lasts, and the tables of the true world afterwards."""
        self._list_persons()
        self.engine.run(tables.copy(state("true_records"), state("records")))
        try:
            yield
        finally:
            self.engine.run(tables.copy(state("records"), state("true_records")))
            self._count()

    def draw(self, seed: int) -> None:
        """Makes a world the table of records."""
        lists = {"qi": self._leaves, "value": self._values}
        self.engine.query("measures/attack/world", values={"seed": seed}, scope=self._names, lists=lists)

    def leads_to_the_release(self, deadline: Deadline) -> bool:
        """Whether the search chooses the same levels in the world that was drawn last. Raises TimeUpError."""
        self._count()
        problem, request = self.problem, self.result.request
        checker = NodeChecker(problem.nodes, problem.frequency, problem.models, request.k, request.limit, Progress())
        result = search(self.algorithm, problem.lattice, checker, request.weights, deadline)
        deadline.check()
        return result.winner is not None and result.winner.levels == self.result.winner.levels

    def take_in(self, what: str) -> None:
        """Adds the world that was drawn last to what is counted of each sensitive column."""
        for sensitive in self.columns:
            names = {**self._names, "told": state(f"{what}_{sensitive.index}"), "value_code": sensitive.code}
            self.engine.query("measures/attack/worlds_told", scope=names)

    def measure(self, sensitive: Sensitive, worlds: int) -> Gain:
        """What the worlds kept tell of a column, beside as many others."""
        bound = _bound(self.problem, sensitive)
        values = {"worlds": worlds, "bound": bound}
        rows = []
        for what in ("told", "by_chance"):
            names = {**self._names, "told": state(f"{what}_{sensitive.index}"), "value_code": sensitive.code}
            rows.append(self.engine.query("measures/attack/worlds_gain", values=values, scope=names)[0])
        narrowed, chance = rows
        above: RowsAbove | None = None
        if bound is not None:
            above = {
                "bound": bound,
                "released": int(narrowed[1]),
                "told": int(narrowed[2]),
                "by_chance": int(chance[2]),
            }
        return {"gain": max(float(narrowed[0]), 0.0), "by_chance": max(float(chance[0]), 0.0), "above": above}

    def _count(self) -> None:
        """Makes the tables that the models read from the table of records."""
        count_models(self.engine, self.problem.models, self._leaves, self._cells)

    def _list_persons(self) -> None:
        problem, node = self.problem, self.result.winner.levels
        keys = grouping_codes(problem.frequency, node)
        codes = {str(key["code"]) for key in keys}
        levels: list[Item] = [
            {"codes": state(f"codes_{i}"), "level": f"level_{level}", "code": code_name(i, level)}
            for i, level in enumerate(node)
            if code_name(i, level) in codes
        ]
        lists = {"qi": self._leaves, "value": self._values, "key": levels}
        self.engine.query("measures/attack/persons", scope=self._names, lists=lists)
        for sensitive in self.columns:
            for what in ("told", "by_chance"):
                types = {"cell": "BIGINT", "value": "BIGINT", "row_count": "BIGINT"}
                self.engine.run(tables.empty(state(f"{what}_{sensitive.index}"), types))


def _bound(problem: FullDomain, sensitive: Sensitive) -> float | None:
    """The share of a value in a class that a model of the column is asked for; None where none bounds it."""
    speaking = [model for model in problem.models.models if model.column == sensitive.column.name]
    return min((bound for bound in map(_greatest_share, speaking) if bound is not None), default=None)


def _greatest_share(model: Model) -> float | None:
    values, alpha = getattr(model.spec, "l", None), getattr(model.spec, "alpha", None)
    if values is not None and getattr(model.spec, "variant", None) != "recursive":
        return 1 / float(values)
    return None if alpha is None else float(alpha)
