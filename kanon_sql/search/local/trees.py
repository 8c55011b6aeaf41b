"""The trees along which a search generalizes: a dimension's hierarchy, or one made over its ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import frexp, ldexp, prod

from kanon_sql.frequency.dimensions.dimension import Dimension
from kanon_sql.search.local.queries import Queries, table
from kanon_sql.sql.template import Item

_LABELS = 130_000  # of a tuple: more take too long
_SUM_BITS, _MOST_BITS = 46, 40  # of a sum over all rows, which leaves some for prices; of a loss
_FEWEST_STEPS, _MOST_STEPS = 2, 10  # from a rank to the top of the tree over them


@dataclass(frozen=True)
class SearchTree:
    """A dimension's tree: the node of a position at level j is the position shifted right by `shifts[j]`.

    Its table costs(level, node, cost) has the nodes from the level `lowest` on with their weighted losses,
    ancestors(position, number, level, cost) those above each position that occurs, of which there are `values`.
    """

    dimension: Dimension
    shifts: tuple[int, ...]
    lowest: int
    values: int
    costs: str
    ancestors: str

    @property
    def levels(self) -> int:
        """How many levels a release may use."""
        return len(self.shifts) - self.lowest


def units_of(dimensions: Sequence[Dimension], rows: int) -> float:
    """How many units a loss of 1 has: a power of 2, so that all losses and prices are whole numbers of units.

    Sums of them over all rows are exact then, in whatever order they are added up; doubles hold 53 bits.
    """
    _, bits = frexp(rows * max(sum(float(d.weight) for d in dimensions), 1e-9))
    return ldexp(1.0, min(_SUM_BITS - bits, _MOST_BITS))


def build_trees(queries: Queries, dimensions: Sequence[Dimension], units: float) -> list[SearchTree]:
    """Makes the tables of all dimensions' trees; the table cells is there. Losses are rounded down to units."""
    steps = steps_over_ranks(dimensions)
    return [_tree(queries, d, steps, units) for d in dimensions]


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


def _tree(queries: Queries, d: Dimension, steps: int, units: float) -> SearchTree:
    costs, ancestors = table(f"costs_{d.index}"), table(f"ancestors_{d.index}")
    shifts, lowest = (d.tree.shifts, d.tree.min_level) if d.tree else (even_shifts(d.values, steps), 0)
    lists = {"level": level_items(shifts)}
    if d.tree is not None:
        values = {"weight": d.weight, "lowest": lowest, "units": units}
        queries.run("tree_costs", values, {"costs": costs, "nodes": d.nodes})
    elif d.has_ranges:
        values = {"weight": d.weight, "units": units}
        queries.run("range_costs", values, {"costs": costs, "places": d.places}, lists)
    else:
        values = {"weight": d.weight, "values": d.values, "units": units}
        queries.run("set_costs", values, {"costs": costs, "places": d.places}, lists)
    names = {"costs": costs, "ancestors": ancestors, "this_position": d.position}
    made = queries.run("ancestors", None, names, lists)
    return SearchTree(d, shifts, lowest, int(made[0][0]) // (len(shifts) - lowest), costs, ancestors)


def level_items(shifts: Sequence[int]) -> list[Item]:
    """The list hole `level`."""
    return [{"number": level, "shift": shift} for level, shift in enumerate(shifts)]
