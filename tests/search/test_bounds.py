"""What is known of nodes without asking: the border of those that satisfy, and bounds of what is above a node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from kanon_sql.search.full_domain.border import Border
from kanon_sql.search.full_domain.checker import NodeChecker
from kanon_sql.search.full_domain.lattice import Lattice, Node
from kanon_sql.search.full_domain.measures import Counts
from kanon_sql.search.full_domain.objectives import AverageClassSize, Discernibility
from kanon_sql.sql.deadline import Deadline

LATTICE = Lattice((0, 0, 1), (2, 3, 2), (2, 3, 2))


def suppressed(node: Node) -> int:
    """Never more upwards; many nodes suppress 8, 6 or 4 rows."""
    return max(0, 20 - 4 * node[0] - 2 * node[1] - 4 * node[2])


@pytest.mark.parametrize("limit", range(0, 21))
def test_the_border_is_that_of_all_nodes_at_exactly_the_limit_too(limit: int) -> None:
    checker: Any = SimpleNamespace(
        batch=3,
        limit=limit,
        learn=lambda nodes: None,
        suppressed=suppressed,
        costs=SimpleNamespace(detail=lambda i, level: 3.0 - level),
    )
    border = Border(LATTICE, checker, Deadline())
    satisfying = {node for node in LATTICE.nodes() if suppressed(node) <= limit}
    assert border.start() is bool(satisfying)
    border.settle(lambda: border.unknown if satisfying else 0)
    minimal = {node for node in satisfying if not satisfying & set(LATTICE.predecessors(node))}
    assert set(border.sets.listed(border.minimal())) == minimal
    assert not satisfying or set(border.sets.listed(border.satisfying)) == satisfying


def joined(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Every way to join classes."""
    if not sizes:
        yield []
        return
    for others in joined(sizes[1:]):
        yield [sizes[0], *others]
        for i, size in enumerate(others):
            yield [*others[:i], size + sizes[0], *others[i + 1 :]]


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("sizes", [[1, 1, 2, 3], [1, 1, 1, 1, 1], [2, 2, 2], [3, 1, 4], [1, 2, 2, 5], [5]])
def test_counted_bounds_are_below_whatever_joins_the_classes(sizes: list[int], k: int) -> None:
    n = sum(sizes)
    released = [size for size in sizes if size >= k]
    counts = Counts(
        n - sum(released),
        len(released),
        min(released, default=0),
        max(sizes),
        sum(size**2 for size in released),
        len(sizes),
        sum(size**2 for size in sizes),
    )
    for limit in range(n):
        costs: Any = SimpleNamespace(n=n)
        discernible, average = Discernibility(costs, (1.0,), k, limit), AverageClassSize(costs, (1.0,), k, limit)
        for objective in (discernible, average):
            objective.learn((1,), counts)
        for classes in joined(sizes):
            kept = [size for size in classes if size >= k]
            lost = n - sum(kept)
            if lost > limit or not kept:
                continue
            assert discernible.bound((1,)) <= sum(size**2 for size in kept) + n * lost
            assert average.bound((1,)) <= sum(kept) / len(kept)


def test_a_suppressed_row_loses_all_at_the_top_and_nothing_at_the_leaves() -> None:
    mappings = [SimpleNamespace(height=2, leaves=leaves) for leaves in (5, 7, 9)]
    checker: Any = SimpleNamespace(frequency=SimpleNamespace(mappings=mappings))
    assert NodeChecker._units_outside(checker, (0, 1, 2), 3) == [0, 0, 3 * 8]
