"""Hierarchies written as the (child, parent) pairs of a tree."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_sql.hierarchy.problems import Problems

_TOP = "*"
Rows = Sequence[Sequence[str]]


def is_pairs(rows: Rows) -> bool:
    """Whether two columns are the pairs of a tree: some parent is also the child of another value."""
    parents = {parent for _, parent in rows}
    return any(child in parents and child != parent for child, parent in rows)


def tree_levels(rows: Rows, lines: Sequence[int], problems: Problems) -> list[tuple[str, ...]]:
    """The levels of a tree, its leaves in the order of the rows; several roots get a * on top.

    A leaf that is less deep than others stays itself until the level of its parent, which is counted from the top.
    Adds the problems of the tree and returns no levels when it has any: a child with two parents, a value that is its
    own ancestor.
    """
    parents = _parents(rows, lines, problems)
    _refuse_circles(parents, rows, lines, problems)
    if problems.found:
        return []
    inner = set(parents.values())
    roots = [value for value in dict.fromkeys(parents.values()) if value not in parents]
    paths = [_path(leaf, parents) for leaf in parents if leaf not in inner]
    if len(roots) > 1:
        paths = [[*path, _TOP] for path in paths]
    height = max(len(path) for path in paths) - 1
    filled = [[path[0]] * (height + 1 - len(path)) + path for path in paths]
    return list(zip(*filled, strict=True))


def _parents(rows: Rows, lines: Sequence[int], problems: Problems) -> dict[str, str]:
    """The parent of each child; the first where there are several."""
    found: dict[str, tuple[str, int]] = {}
    contradicted: list[tuple[int, int, str]] = []
    for (child, parent), line in zip(rows, lines, strict=True):
        first_parent, first_line = found.setdefault(child, (parent, line))
        if first_parent != parent:
            contradicted.append((first_line, line, child))
    if contradicted:
        problems.add_pairs(
            contradicted,
            f"{len(contradicted)} of the child,parent pairs give a child a second parent; expected one for each child",
        )
    return {child: parent for child, (parent, _) in found.items()}


def _refuse_circles(parents: dict[str, str], rows: Rows, lines: Sequence[int], problems: Problems) -> None:
    """Adds a problem when values are their own ancestors, or lie below such values."""
    rooted: set[str] = set()
    circular: set[str] = set()
    for start in parents:
        path: dict[str, None] = {}
        value = start
        while value in parents and value not in rooted and value not in circular and value not in path:
            path[value] = None
            value = parents[value]
        (circular if value in path or value in circular else rooted).update(path)
    if circular:
        at = [line for (child, _), line in zip(rows, lines, strict=True) if child in circular]
        problems.add_lines(
            at,
            f"the child,parent pairs run in a circle, or up into one, at {len(circular)} "
            f"{'value' if len(circular) == 1 else 'values'}; expected every path to end at a root",
            sorted(circular),
        )


def _path(leaf: str, parents: dict[str, str]) -> list[str]:
    """The values from a leaf up to its root."""
    path = [leaf]
    while path[-1] in parents:
        path.append(parents[path[-1]])
    return path
