"""The trees along which a search generalizes: a dimension's hierarchy, or one made over its ranks.

What classes lose, found by the lowest common ancestors of what they hold; by that tuples left over are placed.

The labels that tuples may take, as pairs of half labels.

A label has a node for each dimension. There are too many to list them with all tuples below them; so the dimensions
are split in two halves, and the half labels are listed with the half tuples below them. Half labels that fewer than k
rows fall under are left out: no label with them can have a class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import frexp, ldexp, prod

from sqlglot import exp

from kanon_sql.frequency.dimensions import Dimension
from kanon_sql.search.local.queries import Queries, own_tables, table
from kanon_sql.sql import tables, template
from kanon_sql.sql.template import Fill, Item, column

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


class Costs:
    """Losses of spans of positions along the search's trees, weighted."""

    def __init__(self, queries: Queries, trees: Sequence[SearchTree]) -> None:
        self.queries = queries
        self._items = [_items(tree) for tree in trees]
        self._texts: dict[tuple[str, str], str] = {}

    def total(self, classed: str) -> tuple[float, int]:
        """What the classes of a table lose together, all rows added up, and the rows of the smallest.

        Makes the table class_costs of these classes.
        """
        self.run("class_costs", "class_spans", classed)
        cost, smallest = self.queries.run("total_cost")[0]
        return float(cost), int(smallest)

    def run(self, name: str, spans: str, classed: str = "members", values: Mapping[str, int] | None = None) -> int:
        """Runs a file on what spans of positions lose; these are what another file selects from a table of classes.

        How many rows the file makes.
        """
        text = self._texts.get((name, classed))
        if text is None:
            text = self._texts[name, classed] = template.text(self._filled(name, spans, own_tables()[classed]))
        return int(self.queries.run_text(text, values)[0][0])

    def place_leftovers(self, k: int) -> None:
        """Places the tuples of the table rest, of fewer than k rows together, in the classes of the table members.

        Two ways are tried, and the one is taken that loses less in all: either each tuple joins a class, or all become
        one class with rows that other classes can spare.
        """
        joined, borrowed = self._join(), self._borrow(k)
        self.queries.copy("members", "borrowed" if borrowed is not None and borrowed < joined else "joined")

    def _join(self) -> float:
        """Each tuple joins the class that it makes dearer by least, in rounds, since that widens classes."""
        self.queries.copy("joined", "members")
        waiting = self.queries.count("waiting")
        while waiting:
            self.total("joined")
            self.run("join_offers", "join_spans")
            self.queries.run("join")
            waiting = self.queries.count("still_waiting")
        return self.total("joined")[0]

    def _borrow(self, k: int) -> float | None:
        """One class of all and of the rows that lose least by it; None where no class can spare enough."""
        self.total("members")
        self.run("lenders", "lend_spans", values={"k": k})
        self.queries.run("lent", {"k": k})
        self.queries.run("borrowed")
        cost, smallest = self.total("borrowed")
        return cost if smallest >= k else None

    def _filled(self, name: str, spans: str, classed: str) -> exp.Expr:
        lists = {"this": self._items}
        spanned = template.fill(f"search/local/{spans}", lists=lists, scope={**own_tables(), "classed": classed})
        costed = template.fill("search/local/costed", {"spanned": spanned}, lists)
        return template.fill(f"search/local/{name}", {"costed": costed}, scope=own_tables())


def _items(tree: SearchTree) -> Item:
    d = tree.dimension
    names: dict[str, Fill] = {key: f"{key}_{d.index}" for key in ("low", "high", "level", "node")}
    this = {f"this_{key}": value for key, value in names.items()}
    lists = {"level": level_items(tree.shifts)}
    filled = template.fill("search/local/common_ancestor", {"this_lowest": tree.lowest}, lists, this, part=True)
    level, node = (one.this for one in filled.args["expressions"])
    return {**names, "position": d.position, "costs": tree.costs, "common_level": level, "common_node": node}


HALVES = ("a", "b")
_MOST_SHAPES = 256  # of a half: combinations of levels
_BITS = 62
_FEWEST_LOSS_BITS, _MOST_LOSS_BITS, _WIDE_LOSS_BITS = 18, 30, 24


@dataclass(frozen=True)
class Keys:
    """How a label is one number: its loss as a whole number, then its two half labels of `bits` bits each.

    All losses are below `end`; a loss of 1 is the whole number `scale`.
    """

    bits: tuple[int, int]
    end: int
    scale: float

    @property
    def shifts(self) -> dict[str, int]:
        """The values that pack a label."""
        return {"loss_shift": sum(self.bits), "label_shift": self.bits[1]}


def of_half(queries: Queries, half: str) -> Queries:
    """For statements on one half: its tables and its column."""
    made = {f"half_{name}": own_tables()[f"{name}_{half}"] for name in ("tuples", "above", "labels")}
    return queries.named(**made, this_tuple=f"tuple_{half}")


def build_halves(queries: Queries, trees: Sequence[SearchTree], k: int) -> Keys:
    """Makes the tables of both halves: tuples(tuple, p...) and above(tuple, label, cost); and the rest, all tuples."""
    halves = split(trees)
    for half, members in zip(HALVES, halves, strict=True):
        build_half(of_half(queries, half), members, k)
    keys = _pack(queries)
    one, other = ([{"position": tree.dimension.position} for tree in members] for members in halves)
    queries.run("rest", lists={"one": one, "other": other})
    queries.run("no_taken")
    return keys


def split(trees: Sequence[SearchTree]) -> tuple[list[SearchTree], list[SearchTree]]:
    """The dimensions in two halves with about as many labels above a tuple, those of most levels first."""
    halves: tuple[list[SearchTree], list[SearchTree]] = ([], [])
    labels = [1, 1]
    for tree in sorted(trees, key=lambda tree: (-tree.levels, -tree.values, tree.dimension.index)):
        least = labels.index(min(labels))
        halves[least].append(tree)
        labels[least] *= tree.levels
    return halves


def build_half(queries: Queries, trees: Sequence[SearchTree], k: int, most_shapes: int | None = _MOST_SHAPES) -> None:
    """Adds a dimension at a time: the tuples, their labels of enough rows, and which stand above which.

    Of more than `most_shapes` some are left out; None keeps all.
    """
    queries.run("first_half_tuples")
    queries.run("first_half_above")
    queries.run("first_half_labels")
    kept: list[Item] = []
    shapes = 1
    for tree in trees:
        widening = queries.named(ancestors=tree.ancestors, this_position=tree.dimension.position)
        lists = {"kept": kept}
        widening.run("half_next", lists=lists)
        widening.run("half_labels", {"k": k})
        shapes *= tree.levels
        if most_shapes is not None and shapes > most_shapes:
            queries.run("fewer_shapes", {"most": most_shapes})
            shapes = most_shapes
        widening.run("half_above")
        widening.run("half_tuples", lists=lists)
        kept.append({"position": tree.dimension.position})


def _pack(queries: Queries) -> Keys:
    """Makes losses whole numbers, of as many bits as the labels leave; of a wider type where that is too few."""
    halves = [of_half(queries, half) for half in HALVES]
    sizes = [half.run("half_size")[0] for half in halves]
    first, second = (int(label).bit_length() for label, _ in sizes)
    left = _BITS - first - second
    is_wide = left < _FEWEST_LOSS_BITS
    bits = _WIDE_LOSS_BITS if is_wide else min(left, _MOST_LOSS_BITS)
    most = sum(float(cost) for _, cost in sizes)
    # A power of 2: a loss is then the same whichever way it is read.
    scale = ldexp(1.0, frexp(((1 << bits) - 2) / most)[1] - 1) if most > 0 else 1.0
    whole = "HUGEINT" if is_wide else "BIGINT"
    kinds: dict[str, Fill] = {
        "whole_label": exp.cast(column("label"), whole, dialect="duckdb"),
        "whole_cost": exp.cast(template.parse("round(cost * $scale)"), whole, dialect="duckdb"),
    }
    highest = 0
    for half in halves:
        half.run("half_scaled", {"scale": scale}, kinds)
        half.run("half_costed")
        highest += int(half.run("half_size")[0][1])
    for name in ("half_next", "labels_a", "labels_b"):
        queries.run_text(tables.drop(own_tables()[name]))
    return Keys((first, second), highest + 1, scale)
