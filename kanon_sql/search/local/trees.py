"""The trees along which a search generalizes: a dimension's hierarchy, or one made over its ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from kanon_sql.frequency.dimensions.dimension import Dimension
from kanon_sql.search.local.queries import Queries, table
from kanon_sql.sql.template import Item

_LABELS = 130_000  # of a tuple: more take too long
_FEWEST_STEPS, _MOST_STEPS = 2, 10  # from a rank to the top of the tree over them


@dataclass(frozen=True)
class SearchTree:
    """A dimension's tree: the node of a position at level j is the position shifted right by `shifts[j]`.

    Its table costs(level, node, cost) has the nodes from the level `lowest` on with their weighted losses,
    ancestors(position, number, level, cost) those above each position that occurs. `values` are these positions.
    """

    dimension: Dimension
    shifts: tuple[int, ...]
    lowest: int
    values: int

    @property
    def levels(self) -> int:
        """How many levels a release may use."""
        return len(self.shifts) - self.lowest

    @property
    def costs(self) -> str:
        return _costs(self.dimension)

    @property
    def ancestors(self) -> str:
        return _ancestors(self.dimension)

    @property
    def level_items(self) -> list[Item]:
        """The list hole `level`."""
        return _level_items(self.shifts)


def build_trees(queries: Queries, dimensions: Sequence[Dimension]) -> list[SearchTree]:
    """Makes the tables of all dimensions' trees; the table cells is there."""
    steps = steps_over_ranks(dimensions)
    return [_tree(queries, d, steps) for d in dimensions]


def even_shifts(largest: int, most_steps: int) -> tuple[int, ...]:
    """The shifts of a tree over the ranks 0 to `largest`: about as many bits on each step."""
    bits = largest.bit_length()
    steps = min(bits, most_steps)
    return tuple(bits * step // steps for step in range(steps + 1)) if steps else (0,)


def steps_over_ranks(dimensions: Sequence[Dimension]) -> int:
    """The most steps of trees over ranks: as many as leave a tuple a number of labels that can be searched."""
    for steps in range(_MOST_STEPS, _FEWEST_STEPS, -1):
        if prod(_levels(d, steps) for d in dimensions) <= _LABELS:
            return steps
    return _FEWEST_STEPS


def _levels(d: Dimension, steps: int) -> int:
    return len(d.tree.shifts) - d.tree.min_level if d.tree else len(even_shifts(d.values, steps))


def _tree(queries: Queries, d: Dimension, steps: int) -> SearchTree:
    values: dict[str, Any] = {"weight": d.weight}
    if d.tree is not None:
        name, shifts, lowest, lists = "tree_costs", d.tree.shifts, d.tree.min_level, {}
        values["lowest"] = lowest
        names = {"costs": _costs(d), "nodes": d.nodes}
    else:
        name, shifts, lowest = "range_costs" if d.has_ranges else "set_costs", even_shifts(d.values, steps), 0
        lists = {"level": _level_items(shifts)}
        values |= {} if d.has_ranges else {"values": d.values}
        names = {"costs": _costs(d), "places": d.places}
    queries.run(name, values, names, lists)
    names = {"costs": _costs(d), "ancestors": _ancestors(d), "this_position": d.position}
    made = queries.run("ancestors", names=names, lists={"level": _level_items(shifts)})
    return SearchTree(d, shifts, lowest, int(made[0][0]) // (len(shifts) - lowest))


def _costs(d: Dimension) -> str:
    return table(f"costs_{d.index}")


def _ancestors(d: Dimension) -> str:
    return table(f"ancestors_{d.index}")


def _level_items(shifts: Sequence[int]) -> list[Item]:
    return [{"number": level, "shift": shift} for level, shift in enumerate(shifts)]
