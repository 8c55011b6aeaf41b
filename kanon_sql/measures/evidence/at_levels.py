"""A quasi-identifier of which each class has a label of its own: Mondrian and local recoding.

With a hierarchy, source and release are counted at the lowest level that nearly all rows of the release are known at;
what was released above it stands beside that. Ranges and sets overlap, so that no row of the source lies under one.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from kanon_sql.frequency.dimensions import Dimension, Tree
from kanon_sql.measures.evidence.gathered import GONE, Gathered
from kanon_sql.measures.evidence.labels import (
    MOST_LABELS,
    STRANGE,
    bars_of,
    begin_of,
    count_labels,
    generalized_by,
    place_alone,
    place_of,
    read_placed,
)
from kanon_sql.report.page.model import ColumnFacts, Step
from kanon_sql.search.multidimensional import Multidimensional
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Fill, Item, column, quoted, state

_NEARLY_ALL = 0.9
_RELEASED_AS = {"number": "ranges of numbers", "date": "ranges of dates", "text": "sets of values", "tree": "hierarchy"}
_OVERLAP = "classes are released under labels of their own, which overlap: the source cannot be counted under them"


def of_classes(gathered: Gathered, index: int, name: str) -> ColumnFacts:
    """The facts of one quasi-identifier."""
    engine, problem = gathered.subject.engine, gathered.problem
    count_labels(gathered, index)
    d = problem.tuples.dimensions[index] if isinstance(problem, Multidimensional) else None
    steps: tuple[Step, ...] = ()
    note: str | None = None
    if d is None:
        place_alone(engine)
        note = GONE
    elif d.tree is not None:
        steps, note = _count_in_tree(engine, d, d.tree)
    elif not _count_values(engine, d):
        place_alone(engine, d.kind)
        note = _OVERLAP
    counted = read_placed(engine)
    labels, released, samples = _labels(engine)
    if steps and sum(step.rows for step in steps) != released:
        note = STRANGE
    is_told = problem is not None and note not in (GONE, STRANGE, _OVERLAP)
    # Where no row is suppressed, those that a label has more in the source were released under a coarser one.
    least = None if gathered.report["rows"]["suppressed"] else max(2, gathered.subject.loaded.config.privacy.k)
    bars, others = bars_of(gathered, counted, problem.n if problem is not None and is_told else None, least)
    spec = gathered.subject.hierarchies[name][0]
    return ColumnFacts(
        name=name,
        generalized_by=generalized_by(spec, _RELEASED_AS[d.kind] if d is not None else "ranges"),
        steps=steps,
        level=None,
        loss=gathered.loss_of(name),
        labels=samples,
        ordered=counted.ordered,
        bars=bars,
        others=others,
        distinct=(None if d is None else _values(engine, d), labels),
        note=note,
    )


def _count_in_tree(engine: Engine, d: Dimension, tree: Tree) -> tuple[tuple[Step, ...], str | None]:
    """Makes the table placed along a hierarchy; its steps, and what is to be said of the level."""
    know_in_tree(engine, d)
    by_level = _by_level(engine)
    steps, level = _steps(engine, d, by_level), _lowest(by_level, tree.top)
    _place(engine, d, tree, level)
    above = sum(step.rows for step in steps if step.level > level)
    return steps, f"counted at level {level}; what was released above it stands beside that" if above else None


def _values(engine: Engine, d: Dimension) -> int:
    """How many values the source holds; a hierarchy may have more."""
    names: dict[str, Fill] = {
        "this_position": d.position,
        "missing_position": 0 if d.tree is None else d.tree.missing,
    }
    return int(engine.query("measures/evidence/distinct_values", names=names)[0][0])


def _count_values(engine: Engine, d: Dimension) -> bool:
    """Makes the table placed of a column without hierarchy; whether all its labels are values."""
    names: dict[str, Fill] = {
        "places": d.places,
        "this_position": d.position,
        "label_place": begin_of(d.kind),
    }
    engine.query("measures/evidence/placed_values", names=names)
    return not read_placed(engine).strange


def know_in_tree(engine: Engine, d: Dimension) -> None:
    """Makes the table known: which nodes of its hierarchy the labels of a column stand for."""
    assert d.tree is not None
    names: dict[str, Fill] = {
        "nodes": d.nodes,
        "missing_position": d.tree.missing,
        "top_level": d.tree.top,
    }
    engine.query("measures/evidence/known_in_tree", names=names, lists={"level": _shifts(d.tree)})


def _shifts(tree: Tree) -> list[Item]:
    return [{"shift": shift} for shift in tree.shifts]


def _labels(engine: Engine) -> tuple[int, int, tuple[str, ...]]:
    """(labels, their rows, the most frequent ones) of the release."""
    labels, rows, samples = engine.query("measures/evidence/label_samples", values={"most": MOST_LABELS})[0]
    return int(labels), int(rows), tuple(str(text) for text in samples or ())


def _by_level(engine: Engine) -> dict[int, tuple[int, tuple[str, ...]]]:
    """(rows, the most frequent labels) of the release at each level."""
    rows = engine.query("measures/evidence/known_by_level", values={"most": MOST_LABELS})
    return {int(level): (int(rows), tuple(str(label) for label in labels or ())) for level, rows, labels in rows}


def _steps(engine: Engine, d: Dimension, by_level: Mapping[int, tuple[int, tuple[str, ...]]]) -> tuple[Step, ...]:
    """The levels of the hierarchy, with the labels that were released at each."""
    counts = engine.query("measures/evidence/labels_by_level", names={"weight": state(f"weight_{d.index}")})
    numbers = {int(level): int(count) for level, count in counts}
    steps = []
    for level in sorted({*numbers, *by_level}):
        rows, labels = by_level.get(level, (0, ()))
        steps.append(Step(level, numbers.get(level, 1), labels, rows))
    return tuple(steps)


def _lowest(by_level: Mapping[int, tuple[int, tuple[str, ...]]], top: int) -> int:
    """The lowest level that nearly all rows below the top are known at."""
    rows = {level: by_level[level][0] if level in by_level else 0 for level in range(top)}
    needed, reached = _NEARLY_ALL * sum(rows.values()), 0
    for level in range(top):
        reached += rows[level]
        if rows[level] and reached >= needed:
            return level
    return top


def _place(engine: Engine, d: Dimension, tree: Tree, level: int) -> None:
    """Makes the table placed: source and release at one level, and what was released above it."""
    is_missing = exp.alias_(column("position").eq(tree.missing), "is_missing", quoted=True)
    values = exp.select(column("value"), is_missing).from_(exp.Table(this=quoted(d.domain)))
    names: dict[str, Fill] = {
        "nodes": d.nodes,
        "domain": d.domain,
        "own_level": level,
        "own_shift": tree.shifts[level],
        "this_position": d.position,
        "value_place": place_of(engine, d.column, values),
    }
    engine.query("measures/evidence/placed_in_tree", names=names, lists={"level": _shifts(tree)})
