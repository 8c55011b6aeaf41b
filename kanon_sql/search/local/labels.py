"""The labels that tuples may take: the trees they come from, what classes lose, and labels as pairs of half labels.

A search generalizes along trees: a dimension's hierarchy, or one made over its ranks. A label is a node for each
dimension; the loss of a class is that of the lowest common ancestors of its tuples, by which leftover tuples are placed
as well. There are too many labels to list them with all tuples below them; so the dimensions are split into two halves,
and the half labels are listed with the half tuples below them. Half labels with fewer than k rows are left out: no
label with them can have a class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import frexp, ldexp, prod
from typing import Any

from sqlglot import exp

from kanon_sql.frequency.dimensions import Dimension
from kanon_sql.search.local.queries import Queries, own_tables, table
from kanon_sql.sql import tables, template
from kanon_sql.sql.template import Fill, Item, column

HALVES = ("a", "b")
_LABELS = 130_000  # above a tuple: more take too long
_SUM_BITS, _MOST_BITS = 46, 40  # of a sum over all rows, which leaves some for prices; of a loss
_FEWEST_STEPS, _MOST_STEPS = 2, 10  # from a rank to the top of the tree over them
_MOST_SHAPES = 256  # of a half: combinations of levels
_BITS = 62  # of a label with its loss
_FEWEST_LOSS_BITS, _MOST_LOSS_BITS, _WIDE_LOSS_BITS = 18, 30, 24


@dataclass(frozen=True)
class SearchTree:
    """The tree of a dimension: the node of a position at level j is the position shifted right by `shifts[j]`.

    Its table costs(level, node, cost) has the nodes from the level `lowest` on with their weighted losses,
    ancestors(position, number, level, cost) the nodes above each position that occurs. `values` counts these positions.
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
    """The units of a loss of 1: a power of 2, so that all losses and prices are whole numbers of units.

    Then sums over all rows are exact, in every order; doubles hold 53 bits.
    """
    _, bits = frexp(rows * max(sum(float(d.weight) for d in dimensions), 1e-9))
    return ldexp(1.0, min(_SUM_BITS - bits, _MOST_BITS))


def build_trees(queries: Queries, dimensions: Sequence[Dimension], units: float) -> list[SearchTree]:
    """Makes the tables of all trees from the table cells. Losses are rounded down to units."""
    steps = steps_over_ranks(dimensions)
    return [_tree(queries, d, steps, units) for d in dimensions]


def even_shifts(largest: int, most_steps: int) -> tuple[int, ...]:
    """The shifts of a tree over the ranks 0 to `largest`, with about as many bits on each step."""
    bits = largest.bit_length()
    steps = min(bits, most_steps)
    return tuple(bits * step // steps for step in range(steps + 1)) if steps else (0,)


def steps_over_ranks(dimensions: Sequence[Dimension]) -> int:
    """The most steps of trees over ranks with which a tuple has few enough labels to be searched."""
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
    else:
        spread, whole = ("measure", 1) if d.has_ranges else ("position", max(d.values - 1, 1))
        values = {"weight": d.weight, "whole": whole, "units": units}
        queries.run("rank_costs", values, {"costs": costs, "places": d.places, "spread": spread}, lists)
    names = {"costs": costs, "ancestors": ancestors, "this_position": d.position}
    counts = queries.run("ancestors", None, names, lists)
    return SearchTree(d, shifts, lowest, int(counts[0][0]) // (len(shifts) - lowest), costs, ancestors)


def level_items(shifts: Sequence[int]) -> list[Item]:
    """The list hole `level`."""
    return [{"number": level, "shift": shift} for level, shift in enumerate(shifts)]


class Costs:
    """The weighted losses of spans of positions along the trees."""

    def __init__(self, queries: Queries, trees: Sequence[SearchTree]) -> None:
        self.queries = queries
        self._items = [_items(tree) for tree in trees]
        self._texts: dict[tuple[str, ...], str] = {}

    def total(self, classed: str) -> tuple[float, int]:
        """Makes the table class_costs of a table of classes; (their loss in all rows, the rows of the smallest)."""
        self.run("class_costs", classed=own_tables()[classed])
        cost, smallest = self.queries.run("total_cost")[0]
        return float(cost), int(smallest)

    def run(self, name: str, values: Mapping[str, int] | None = None, **names: str) -> int:
        """Runs a file whose CTE `spanned` selects spans of positions, and which reads as `costed` what they lose.

        Returns how many rows it makes.
        """
        key = (name, *names.values())
        text = self._texts.get(key)
        if text is None:
            lists = {"this": self._items}
            costed = template.fill("search/local/costed", lists=lists, part=True)
            filled = template.fill(f"search/local/{name}", {"costed": costed, **names}, lists, own_tables())
            text = self._texts[key] = template.text(filled)
        return int(self.queries.run_text(text, values)[0][0])

    def place_leftovers(self, k: int) -> None:
        """Places the tuples of the table rest, fewer than k rows in all, in the classes of the table members.

        Either each tuple joins a class, or all become one class with rows that other classes can spare, whichever loses
        less.
        """
        joined, borrowed = self._join(), self._borrow(k)
        self.queries.copy("members", "borrowed" if borrowed is not None and borrowed < joined else "joined")

    def _join(self) -> float:
        """Each tuple joins the class that it makes dearer by least, in rounds, as classes widen; the loss in all."""
        self.queries.copy("joined", "members")
        cost, _ = self.total("joined")
        while self.run("join"):
            cost, _ = self.total("joined")
        return cost

    def _borrow(self, k: int) -> float | None:
        """One class of all tuples, and of the rows whose move loses least; None if classes cannot spare enough."""
        self.total("members")
        self.run("borrowed", {"k": k})
        cost, smallest = self.total("borrowed")
        return cost if smallest >= k else None


def _items(tree: SearchTree) -> Item:
    d = tree.dimension
    names: dict[str, Fill] = {key: f"{key}_{d.index}" for key in ("low", "high", "level", "node")}
    this = {f"this_{key}": value for key, value in names.items()}
    lists = {"level": level_items(tree.shifts)}
    filled = template.fill("search/local/common_ancestor", {"this_lowest": tree.lowest}, lists, this, part=True)
    level, node = (alias.this for alias in filled.args["expressions"])
    return {**names, "position": d.position, "costs": tree.costs, "common_level": level, "common_node": node}


@dataclass(frozen=True)
class LabelPacking:
    """How a label is packed into one number: its loss as a whole number, then its two half labels of `bits` bits each.

    All losses are below `end`; a loss of 1 is the whole number `scale`. `pairs` half labels stand above half tuples.
    """

    bits: tuple[int, int]
    end: int
    scale: float
    pairs: int

    @property
    def shifts(self) -> dict[str, int]:
        """The values that pack a label."""
        return {"loss_shift": sum(self.bits), "label_shift": self.bits[1]}


def of_half(queries: Queries, half: str) -> Queries:
    """Queries of the statements about one half, with its tables and its column."""
    half_tables = {f"half_{name}": own_tables()[f"{name}_{half}"] for name in ("tuples", "above", "labels")}
    return queries.named(**half_tables, this_tuple=f"tuple_{half}")


def build_halves(queries: Queries, trees: Sequence[SearchTree], k: int) -> LabelPacking:
    """Makes the tables of both halves, tuples(tuple, p...) and above(tuple, label, cost), and the table rest of all
    tuples.
    """
    halves = split(trees)
    for half, members in zip(HALVES, halves, strict=True):
        build_half(of_half(queries, half), members, k)
    keys = _pack(queries)
    first, second = ([{"position": tree.dimension.position} for tree in members] for members in halves)
    queries.run("rest", lists={"one": first, "other": second})
    return keys


def split(trees: Sequence[SearchTree]) -> tuple[list[SearchTree], list[SearchTree]]:
    """The dimensions in two halves with about as many labels above a tuple, those with most levels first."""
    halves: tuple[list[SearchTree], list[SearchTree]] = ([], [])
    labels = [1, 1]
    for tree in sorted(trees, key=lambda tree: (-tree.levels, -tree.values, tree.dimension.index)):
        least = labels.index(min(labels))
        halves[least].append(tree)
        labels[least] *= tree.levels
    return halves


def build_half(queries: Queries, trees: Sequence[SearchTree], k: int, most_shapes: int | None = _MOST_SHAPES) -> None:
    """Adds a dimension at a time: the half tuples, their labels with enough rows, and which are above which.

    Of more than `most_shapes` combinations of levels some are left out; with None all are kept.
    """
    queries.run("first_half")
    for name in ("half_tuples", "half_above"):
        queries.run_text(tables.copy(str(queries.names[name]), str(queries.names["half_labels"])))
    kept: list[Item] = []
    shapes = 1
    for tree in trees:
        widening = queries.named(ancestors=tree.ancestors, this_position=tree.dimension.position)
        lists = {"kept": kept}
        widening.run("half_tuples", lists=lists)
        widening.run("half_labels", {"k": k})
        shapes *= tree.levels
        if most_shapes is not None and shapes > most_shapes:
            queries.run("fewer_shapes", {"most": most_shapes})
            shapes = most_shapes
        widening.run("half_above")
        kept.append({"position": tree.dimension.position})


def cost_half(queries: Queries, label: exp.Expr, cost: exp.Expr, values: Mapping[str, Any] | None = None) -> int:
    """Puts what half labels lose beside each half tuple, both as these expressions of them; how many pairs."""
    names: dict[str, Fill] = {"counted_label": label, "counted_cost": cost}
    return int(queries.run("half_costed", values, names)[0][0])


def _pack(queries: Queries) -> LabelPacking:
    """Makes losses whole numbers, of as many bits as the labels leave; of a wider type if these are too few."""
    halves = [of_half(queries, half) for half in HALVES]
    sizes = [half.run("half_size")[0] for half in halves]
    first, second = (int(label).bit_length() for label, _ in sizes)
    left = _BITS - first - second
    is_wide = left < _FEWEST_LOSS_BITS
    bits = _WIDE_LOSS_BITS if is_wide else min(left, _MOST_LOSS_BITS)
    most = sum(float(cost) for _, cost in sizes)
    # A power of 2, so that scaling loses no bit.
    scale = ldexp(1.0, frexp(((1 << bits) - 2) / most)[1] - 1) if most > 0 else 1.0
    whole = "HUGEINT" if is_wide else "BIGINT"
    whole_label = exp.cast(column("label"), whole, dialect="duckdb")
    whole_cost = exp.cast(template.parse("round(cost * $scale)"), whole, dialect="duckdb")
    highest, pairs = 0, 0
    for half in halves:
        pairs += cost_half(half, whole_label, whole_cost, {"scale": scale})
        highest += int(half.run("half_size", names={"half_labels": half.names["half_above"]})[0][1])
    for name in ("labels_a", "labels_b"):
        queries.run_text(tables.drop(own_tables()[name]))
    queries.run_text(tables.empty(own_tables()["taken"], {"cell": "INTEGER", "label": whole, "row_count": "BIGINT"}))
    return LabelPacking((first, second), highest + 1, scale, pairs)
