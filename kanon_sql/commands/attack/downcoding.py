"""Which cells of a release somebody can narrow who knows how its labels are made.

A. Cohen: Attacks on deidentification's defenses. USENIX Security 2022: where labels are as narrow as a class allows,
they tell what is in the class. A range ends at values of the class; a set lists them; a label of a hierarchy is the
lowest one that stands for all of them, so that at least two of its children are there, and both where there are two.
Of the rows of such a class, which nothing else tells apart, so many can be given a finer value, and rightly so. Levels
of a whole column tell nothing of a class; a label of theirs is narrowed where one value of the table stands under it.
"""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from kanon_sql.frequency.dimensions.dimension import Dimension
from kanon_sql.frequency.table import code_name
from kanon_sql.report.report import Json
from kanon_sql.search.full_domain.checker import grouping_codes
from kanon_sql.search.full_domain.problem import FullDomainResult
from kanon_sql.search.multidimensional import MultidimensionalResult
from kanon_sql.sql import tables, template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, state


def measure_downcoding(engine: Engine, result: FullDomainResult | MultidimensionalResult) -> Json:
    """The `rows` of a release that can be narrowed in a quasi-identifier, and the cells of each of its `columns`.

    Of classes with labels of their own, the `classes` with such rows. The tables are those of the search, as it left
    them, and that of the suppressed classes.
    """
    if isinstance(result, FullDomainResult):
        return _of_levels(engine, result)
    return _of_classes(engine, result)


def _of_levels(engine: Engine, result: FullDomainResult) -> Json:
    problem, node = result.problem, result.winner.levels
    keys = grouping_codes(problem.frequency, node)
    items: list[Item] = []
    for i, (level, mapping) in enumerate(zip(node, problem.frequency.mappings, strict=True)):
        if level:
            names = {
                **{"mapping": mapping.table, "tuples": state("tuples"), "lone": state(f"lone_{i}")},
                **{"leaf_code": code_name(i, 0), "level_code": f"level_{level}", "level_label": f"label_{level}"},
            }
            engine.query("commands/attack/lone_labels", names=names)
            items.append({"code": code_name(i, level), "lone": state(f"lone_{i}"), "name": f"cells_{i}"})
    names = {name: state(name) for name in ("tuples", "suppressed_classes")}
    lists = {"item": items, "key": keys}
    rows, *cells = engine.query("commands/attack/downcoded_levels", names=names, lists=lists)[0]
    generalized = iter(cells)
    columns = {name: int(next(generalized)) if level else 0 for name, level in zip(problem.names, node, strict=True)}
    return {"rows": int(rows), "classes": None, "columns": columns}


def _of_classes(engine: Engine, result: MultidimensionalResult) -> Json:
    """Columns that show an aggregate, or ranges with ends that are no values, tell nothing of a class in this way."""
    problem = result.problem
    _ = result.classes  # which are labelled when they are first asked for
    silent = {one.index for one in problem.aggregated} | problem.grids.keys()
    telling = [d for d in problem.tuples.dimensions if d.index not in silent]
    columns = dict.fromkeys(problem.names, 0)
    if not telling:
        return {"rows": 0, "classes": 0, "columns": columns}
    known = reduce(lambda one, other: exp.Union(this=one, expression=other, distinct=False), map(_known, telling))
    engine.run(tables.copy(state("known"), exp.Subquery(this=known)))
    rows = classes = 0
    for dimension, cells, found in engine.query("commands/attack/downcoded", names={"known": state("known")}):
        if dimension is None:
            rows, classes = int(cells), int(found)
        else:
            columns[problem.names[dimension]] = int(cells)
    return {"rows": rows, "classes": classes, "columns": columns}


def _known(d: Dimension) -> exp.Expr:
    """Of each class the cells that its label tells in a dimension, with that dimension's number."""
    found = exp.Subquery(this=_told(d), alias=exp.TableAlias(this=exp.to_identifier("told")))
    return exp.select("part", exp.alias_(exp.Literal.number(d.index), "dimension"), "cells").from_(found)


def _told(d: Dimension) -> exp.Expr:
    names: dict[str, template.Fill] = {
        **{"classes": state("classes"), "assigned": state("assigned"), "this_position": d.position},
        **{"this_low": f"low_{d.index}", "this_first": f"first_{d.index}", "this_high": f"high_{d.index}"},
    }
    if d.tree is None:
        kind = "ends" if d.has_ranges else "sets"
        return template.fill(f"commands/attack/downcoded_{kind}", scope=names)
    shifts = d.tree.shifts
    levels: list[Item] = [{"shift": shift} for shift in shifts]
    steps: list[Item] = [
        {"number": level, "shift": shift, "below": shifts[level - 1]} for level, shift in enumerate(shifts) if level
    ]
    lists = {"level": levels, "step": steps}
    return template.fill(
        "commands/attack/downcoded_tree", lists=lists, scope={**names, "this_lowest": d.tree.min_level}
    )
