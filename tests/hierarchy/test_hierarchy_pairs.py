"""Hierarchies written as (child, parent) pairs."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.file import read_text


def levels(text: str) -> list[tuple[str, ...]]:
    return list(read_text(text, "t.csv").levels)


def problems(text: str) -> list[str]:
    with pytest.raises(ConfigurationError) as raised:
        read_text(text, "t.csv")
    return raised.value.problems


def test_leaves_of_one_depth() -> None:
    text = "rose,flower\noak,tree\nelm,tree\nflower,plant\ntree,plant\n"
    assert levels(text) == [("rose", "oak", "elm"), ("flower", "tree", "tree"), ("plant",) * 3]


def test_a_leaf_stays_itself_until_its_parents_level_counted_from_the_top() -> None:
    text = "a,b\nb,c\nc,r\nx,c\ny,r\n"
    assert levels(text) == [("a", "x", "y"), ("b", "x", "y"), ("c", "c", "y"), ("r", "r", "r")]


def test_several_roots_get_a_top() -> None:
    assert levels("a,b\nb,c\nx,y\n") == [("a", "x"), ("b", "x"), ("c", "y"), ("*", "*")]


def test_order_of_the_rows_does_not_matter() -> None:
    lines = ["a,b", "b,r", "x,b", "y,r"]
    for order in range(24):
        random.Random(order).shuffle(lines)
        label_columns = levels("\n".join(lines))
        by_leaf = {column[0]: column for column in zip(*label_columns, strict=True)}
        assert by_leaf == {"a": ("a", "b", "r"), "x": ("x", "b", "r"), "y": ("y", "y", "r")}


def test_two_columns_without_an_inner_value_are_no_pairs() -> None:
    assert levels("a,x\nb,x\n") == [("a", "b"), ("x", "x")]
    assert levels("x,x\nb,x\n") == [("x", "b"), ("x", "x")]


def test_a_second_parent() -> None:
    assert problems("a,b\nb,r\na,r\n") == [
        "t.csv:3: 1 of the child,parent pairs give a child a second parent; expected one for each child (lines 1 and 3)"
    ]


@pytest.mark.parametrize("text", ["a,b\nb,a\n", "a,b\nb,c\nc,a\n", "x,a\na,b\nb,a\nz,r\n", "a,b\nb,b\nc,a\n"])
def test_a_circle(text: str) -> None:
    assert "run in a circle" in problems(text)[0]


def test_a_deep_tree_needs_no_recursion() -> None:
    text = "".join(f"n{i},n{i + 1}\n" for i in range(3000))
    assert len(levels(text)) == 3001


@given(st.lists(st.integers(0, 12), min_size=2, max_size=13), st.randoms(use_true_random=False))
def test_random_forests_by_brute_force(picks: list[int], shuffler: random.Random) -> None:
    """Node i hangs below a node of a smaller number, or is a root where it picks itself or none before it."""
    names = [f"n{i}" for i in range(len(picks))]
    parent = {names[i]: names[pick] for i, pick in enumerate(picks) if pick < i}
    inner = set(parent.values())
    if not any(child in inner for child in parent):
        return
    rows = list(parent.items())
    shuffler.shuffle(rows)
    tree = read_text("".join(f"{child},{above}\n" for child, above in rows), "t.csv")

    def ancestors(value: str) -> list[str]:
        return [value, *ancestors(parent[value])] if value in parent else [value]

    roots = {ancestors(child)[-1] for child in parent}
    top = ["*"] if len(roots) > 1 else []
    leaves = [child for child, _ in rows if child not in inner]
    height = max(len(ancestors(leaf)) + len(top) for leaf in leaves) - 1
    assert tree.height == height
    assert list(tree.leaves) == leaves
    for position, leaf in enumerate(leaves):
        from_top = [*ancestors(leaf), *top][::-1]
        for level in range(height + 1):
            depth = height - level
            expected = from_top[depth] if depth < len(from_top) else leaf
            assert tree.levels[level][position] == expected
