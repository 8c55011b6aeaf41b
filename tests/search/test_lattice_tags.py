"""The lattice and what is known of its nodes, against plain enumeration."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.search.full_domain.lattice import Lattice, Node, Tags

bounds = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=4)


def lattice_of(pairs: list[tuple[int, int]]) -> Lattice:
    lows = tuple(low for low, _ in pairs)
    highs = tuple(low + more for low, more in pairs)
    return Lattice(lows, highs, highs)


def below(low: Node, high: Node) -> bool:
    return all(a <= b for a, b in zip(low, high, strict=True))


@given(bounds)
def test_every_node_has_one_height(pairs: list[tuple[int, int]]) -> None:
    lattice = lattice_of(pairs)
    every = sorted(lattice.nodes())
    by_height = [
        node for height in range(sum(lattice.lows), sum(lattice.highs) + 1) for node in lattice.nodes_at(height)
    ]
    assert sorted(by_height) == every
    assert len(every) == lattice.size
    for node in every:
        assert all(node in lattice.predecessors(after) for after in lattice.successors(node))


@given(bounds, st.data())
def test_tags_are_what_monotonicity_says(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    lattice = lattice_of(pairs)
    nodes = list(lattice.nodes())
    # Any set of failing nodes that is closed downwards is possible.
    tops = data.draw(st.lists(st.sampled_from(nodes), max_size=5))
    truth = {node: any(below(node, top) for top in tops) for node in nodes}
    tags = Tags(len(pairs))
    tagged = data.draw(st.lists(st.sampled_from(nodes), max_size=12))
    for node in tagged:
        tags.add(node, satisfying=not truth[node])
    for node in nodes:
        expected_failing = any(truth[each] and below(node, each) for each in tagged)
        expected_satisfying = any(not truth[each] and below(each, node) for each in tagged)
        failing = tags.fails(node)
        assert (failing is not None) == expected_failing
        assert failing is None or (truth[failing] and below(node, failing))
        assert tags.satisfies(node) == expected_satisfying


@given(bounds, st.data())
def test_what_lies_beyond_a_failing_node_is_reached(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    lattice = lattice_of(pairs)
    nodes = list(lattice.nodes())
    failing = data.draw(st.sampled_from(nodes))
    node = data.draw(st.sampled_from([each for each in nodes if below(each, failing)]))
    after = lattice.beyond(node, failing)
    for each in product(*(range(low, high + 1) for low, high in zip(lattice.lows, lattice.highs, strict=True))):
        if below(node, each) and not below(each, failing):
            assert any(below(start, each) for start in after)
    assert all(below(node, start) and not below(start, failing) for start in after)
