"""The labels that tuples may take, as pairs of half labels.

A label has a node for each dimension. There are too many to list them with all tuples below them; so the dimensions
are split in two halves, and the half labels are listed with the half tuples below them. Half labels that fewer than k
rows fall under are left out: no label with them can have a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import frexp, ldexp

from sqlglot import exp

from kanon_sql.search.local.queries import Queries, own_tables
from kanon_sql.search.local.trees import SearchTree
from kanon_sql.sql import tables, template
from kanon_sql.sql.template import Fill, Item, column

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
