"""Descents through a lattice that is known as a whole, against plain loops over it."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.search.full_domain.large import Dive
from kanon_sql.search.full_domain.lattice import Lattice, Node


class Known:
    """A checker and an objective in one: a node satisfies when its detail is at most `most`."""

    def __init__(self, details: list[list[int]], costs: list[list[int]], most: int) -> None:
        self.details, self.costs, self.most = details, costs, most
        self.taken: list[Node] = []

    def satisfies(self, node: Node) -> bool:
        return sum(self.details[i][level] for i, level in enumerate(node)) <= self.most

    def bound(self, node: Node) -> float:
        return float(sum(self.costs[i][level] for i, level in enumerate(node)))

    def losses(self, node: Node) -> Node:
        return node

    value = bound

    def evaluate(self, node: Node) -> bool:
        self.taken.append(node)
        return True

    def bottom_up(self, lattice: Lattice) -> float:
        """The least step up, again and again, until the node satisfies."""
        node = lattice.lows
        while not self.satisfies(node):
            node = min(lattice.successors(node), key=self.bound)
        return self.bound(node)


@st.composite
def known_lattices(draw: st.DrawFn) -> tuple[Lattice, Known]:
    heights = draw(st.lists(st.integers(1, 3), min_size=2, max_size=6))
    steps = st.integers(0, 9)
    details = [draw(st.lists(steps, min_size=height + 1, max_size=height + 1).map(falling)) for height in heights]
    costs = [draw(st.lists(steps, min_size=height + 1, max_size=height + 1).map(sorted)) for height in heights]
    least = sum(detail[-1] for detail in details)
    highs = tuple(heights)
    return Lattice((0,) * len(highs), highs, highs), Known(details, costs, least + draw(st.integers(-1, 12)))


def falling(values: list[int]) -> list[int]:
    return sorted(values, reverse=True)


@given(known_lattices())
def test_a_dive_ends_where_no_step_or_exchange_is_better(drawn: tuple[Lattice, Any]) -> None:
    lattice, table = drawn
    dive = Dive(lattice, table, table, table.evaluate)
    values = [table.bound(node) for node in dive.rounds()]
    assert values == sorted(values, reverse=True)
    if not table.satisfies(lattice.highs):
        assert not values and math.isinf(dive.value)
        return
    assert table.satisfies(dive.best) and dive.value == table.bound(dive.best) == min(map(table.bound, table.taken))
    raised = [neighbour for up in lattice.successors(dive.best) for neighbour in lattice.predecessors(up)]
    for neighbour in [*lattice.predecessors(dive.best), *raised]:
        assert not table.satisfies(neighbour) or table.bound(neighbour) >= dive.value
    assert all(map(table.satisfies, table.taken))


def test_a_dive_goes_below_what_a_climb_finds() -> None:
    """Two columns that lose little have to be raised far; a climb by the least loss raises all of them."""
    lattice = Lattice((0,) * 8, (2,) * 8, (2,) * 8)
    table = Known([[3, 2, 0]] * 4 + [[6, 4, 0]] * 4, [[0, 5, 9]] * 4 + [[0, 6, 10]] * 4, 12)
    dive: Any = Dive(lattice, table, table, table.evaluate)  # type: ignore[arg-type]
    assert min(map(table.bound, dive.rounds())) < table.bottom_up(lattice)
