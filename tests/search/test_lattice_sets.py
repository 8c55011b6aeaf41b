"""Sets of lattice nodes as integers, against plain sets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.search.full_domain.lattice import Lattice, Node, NodeSets

bounds = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=4)


def below(low: Node, high: Node) -> bool:
    return all(a <= b for a, b in zip(low, high, strict=True))


@given(bounds, st.data())
def test_sets_are_what_enumeration_says(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    lows, highs = tuple(low for low, _ in pairs), tuple(low + more for low, more in pairs)
    lattice = Lattice(lows, highs, highs)
    sets, every = NodeSets(lattice), list(lattice.nodes())
    chosen = data.draw(st.sets(st.sampled_from(every)))
    bits = sets.where(node in chosen for node in every)
    assert list(sets.listed(bits)) == sorted(chosen)
    assert bits == sum(1 << sets.place(node) for node in chosen)
    assert list(sets.listed(sets.before(bits))) == [node for node in every if not chosen or node < min(chosen)]
    assert set(sets.listed(sets.minimal(bits))) == {
        node for node in chosen if not chosen & set(lattice.predecessors(node))
    }
    assert set(sets.listed(sets.maximal(bits))) == {
        node for node in chosen if not chosen & set(lattice.successors(node))
    }
    node = data.draw(st.sampled_from(every))
    assert list(sets.listed(sets.below(node))) == [each for each in every if below(each, node)]
    assert list(sets.listed(sets.above(node))) == [each for each in every if below(node, each)]
    assert list(sets.listed(sets.at_height(sum(node)))) == sorted(lattice.nodes_at(sum(node)))
