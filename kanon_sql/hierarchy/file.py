"""Hierarchy files: read and checked in Python, since a hierarchy is configuration and no data.

The CSV of a hierarchy has no header. Either column 1 holds the values and column j+1 their labels at level j, or the
two columns are the (child, parent) pairs of a tree. The problems of a file are collected and reported together.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.hierarchy import Hierarchy
from kanon_sql.settings.columns import ENCODINGS, decoded
from kanon_sql.settings.formats import delimiter_line

__all__ = ["Hierarchy", "read_hierarchy", "read_text"]

TOP = "*"
# In this order where two delimiters fit equally well: a label like [40, 45) is more usual than one with a semicolon.
_DELIMITERS = ("\t", ";", ",")
_LONGEST_FIELD = 16_000_000
_SHOWN = 5  # values and lines of a problem

Rows = Sequence[Sequence[str]]


class Problems:
    """The problems of one file as lines `FILE:LINE: what`; `show_values` adds the values that they are about."""

    def __init__(self, name: str, *, show_values: bool) -> None:
        self.name = name
        self.show_values = show_values
        self.found: list[str] = []

    def add(self, line: int | None, problem: str, values: Sequence[str] = ()) -> None:
        """Adds a problem at a line, or of the whole file."""
        place = self.name if line is None else f"{self.name}:{line}"
        shown = ""
        if self.show_values and values:
            more = ", ..." if len(values) > _SHOWN else ""
            shown = f"; values: {', '.join(map(repr, values[:_SHOWN]))}{more}"
        self.found.append(f"{place}: {problem}{shown}")

    def add_lines(self, lines: Sequence[int], problem: str, values: Sequence[str] = ()) -> None:
        """Adds one problem of several lines, of which the first are named."""
        others = f" (lines {_listed([str(line) for line in lines], ', ')})" if len(lines) > 1 else ""
        self.add(lines[0], problem + others, values)

    def add_pairs(self, pairs: Sequence[tuple[int, int, str]], problem: str) -> None:
        """Adds one problem of pairs (earlier line, later line, value) that contradict each other."""
        pairs_of_lines = [f"{earlier} and {later}" for earlier, later, _ in pairs]
        values = list(dict.fromkeys(value for _, _, value in pairs))
        self.add(pairs[0][1], f"{problem} (lines {_listed(pairs_of_lines, '; ')})", values)


def read_hierarchy(path: Path, *, show_values: bool = False) -> Hierarchy:
    """The hierarchy of a file.

    Its encoding is recognized. Raises ConfigurationError with all problems: a file that cannot be read or is no CSV,
    rows of different lengths, values in two different rows, a level that is no function of the level below, a tree with
    a cycle or a child of two parents. Problems show values of the file only with `show_values`.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"{path}: the hierarchy cannot be read ({error.strerror or error}); expected a CSV file"
        ) from None
    text = decoded(content)
    if text is None:
        raise ConfigurationError(f"{path}: this is in none of {', '.join(ENCODINGS)}; save the hierarchy as UTF-8")
    return read_text(text, str(path), show_values=show_values)


def read_text(text: str, name: str, *, show_values: bool = False) -> Hierarchy:
    """The hierarchy of a CSV text that problems call `name`. Raises ConfigurationError as read_hierarchy does."""
    problems = Problems(name, show_values=show_values)
    rows, lines = _parse(text, problems)
    if not rows:
        if not problems.found:
            problems.add(None, "the hierarchy holds no value; expected one row for each value")
        raise ConfigurationError(problems.found)
    rows, lines, warnings = _without_repeated(rows, lines, name)
    rows, lines = _rows_of_one_length(rows, lines, problems)
    levels: list[tuple[str, ...]] = list(zip(*rows, strict=True))
    _refuse_empty_labels(levels, lines, problems)
    if len(levels) == 2 and is_pairs(rows):
        levels = tree_levels(rows, lines, problems)
    else:
        _refuse_repeated(levels[0], lines, problems)
        _refuse_ambiguous(levels, lines, problems)
    if problems.found:
        raise ConfigurationError(problems.found)
    if len(set(levels[-1])) > 1:
        levels.append((TOP,) * len(levels[0]))
    return Hierarchy(name=name, leaves=levels[0], levels=tuple(levels), warnings=warnings)


def _parse(text: str, problems: Problems) -> tuple[Rows, list[int]]:
    """The rows of the file and their line numbers, without blank lines.

    The delimiter is the one that a first line `sep=;` names, which is no row. Otherwise it is the one with which all
    rows have the same number of fields, the more the better, or else the first row has most.
    """
    sep_line = delimiter_line(text)
    text = text if sep_line is None else text[sep_line.end() :]
    candidates = [sep_line[1]] if sep_line else [delimiter for delimiter in _DELIMITERS if delimiter in text] or [","]
    parsed = [_records(text, delimiter) for delimiter in candidates]
    readable = [records for records in parsed if records[2] is None]
    rows, lines, fault = max(readable or parsed, key=lambda records: _fitness(records[0]))
    if fault is not None:
        problems.add(*fault)
        return [], []
    if max(map(len, rows), default=0) > 1:
        filled = [at for at, row in enumerate(rows) if len(row) > 1 or row[0].strip()]
        rows, lines = [rows[at] for at in filled], [lines[at] for at in filled]
    return rows, lines


def _fitness(rows: Rows) -> tuple[bool, int]:
    lengths = set(map(len, rows))
    even = len(lengths) == 1 and lengths != {1}
    return even, len(rows[0]) if rows else 0


def _records(text: str, delimiter: str) -> tuple[Rows, list[int], tuple[int, str] | None]:
    """(rows, their lines, None or the line where and the reason why the text is no CSV with this delimiter)."""
    csv.field_size_limit(_LONGEST_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, lines, line = [], [], 1
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        return rows, lines, (line, f'this is no CSV ({error}); mend the quotes: "" stands for a quote within quotes')
    return rows, lines, None


def _without_repeated(rows: Rows, lines: list[int], name: str) -> tuple[Rows, list[int], tuple[str, ...]]:
    """(each row once, its first line, a warning where rows are repeated)."""
    first = {tuple(row): line for row, line in zip(reversed(rows), reversed(lines), strict=True)}
    first_lines = set(first.values())
    repeated = [line for line in lines if line not in first_lines]
    if not repeated:
        return rows, lines, ()
    count = f"{len(repeated):,} row{'s say' if len(repeated) > 1 else ' says'}"
    warning = f"{name}:{repeated[0]}: {count} what an earlier row says; each counts once, remove the others"
    return [row for row, line in zip(rows, lines, strict=True) if line in first_lines], sorted(first_lines), (warning,)


def _rows_of_one_length(rows: Rows, lines: list[int], problems: Problems) -> tuple[Rows, list[int]]:
    lengths = Counter(map(len, rows))
    usual = lengths.most_common(1)[0][0]
    if len(lengths) == 1:
        return rows, lines
    odd = [line for row, line in zip(rows, lines, strict=True) if len(row) != usual]
    problems.add_lines(
        odd,
        f"{len(odd):,} of {len(rows):,} rows {'has' if len(odd) == 1 else 'have'} more or fewer columns than the "
        f"other rows; expected {usual} in every row",
    )
    kept = [(row, line) for row, line in zip(rows, lines, strict=True) if len(row) == usual]
    return [row for row, _ in kept], [line for _, line in kept]


def _refuse_empty_labels(levels: Sequence[Sequence[str]], lines: Sequence[int], problems: Problems) -> None:
    """Adds a problem for empty labels: an empty value is a value, but nothing is generalized to an empty text."""
    if not any("" in labels for labels in levels[1:]):
        return
    empty = sorted({line for labels in levels[1:] for label, line in zip(labels, lines, strict=True) if not label})
    problems.add_lines(
        empty,
        f"{len(empty):,} {'row has' if len(empty) == 1 else 'rows have'} an empty label; "
        "repeat the label of the level below where a value is not generalized further",
    )


def _refuse_repeated(leaves: Sequence[str], lines: Sequence[int], problems: Problems) -> None:
    if len(set(leaves)) == len(leaves):
        return
    first: dict[str, int] = {}
    repeated = []
    for leaf, line in zip(leaves, lines, strict=True):
        if first.setdefault(leaf, line) != line:
            repeated.append((first[leaf], line, leaf))
    problems.add_pairs(
        repeated,
        f"{len(repeated):,} {'row repeats' if len(repeated) == 1 else 'rows repeat'} the value of an earlier "
        "row; give every value one row",
    )


def _refuse_ambiguous(levels: Sequence[Sequence[str]], lines: Sequence[int], problems: Problems) -> None:
    """Adds a problem for each level that is no function of the level below."""
    for level in range(2, len(levels)):
        lower_labels, upper_labels = levels[level - 1], levels[level]
        if len(set(zip(lower_labels, upper_labels, strict=True))) == len(set(lower_labels)):
            continue
        first: dict[str, tuple[str, int]] = {}
        torn: dict[str, int] = {}
        for lower, upper, line in zip(lower_labels, upper_labels, lines, strict=True):
            if first.setdefault(lower, (upper, line))[0] != upper:
                torn.setdefault(lower, line)
        problems.add_pairs(
            [(first[label][1], line, label) for label, line in torn.items()],
            f"level {level} is no function of level {level - 1}: {len(torn):,} "
            f"{'label' if len(torn) == 1 else 'labels'} of level {level - 1} (column {level}) "
            f"{'has' if len(torn) == 1 else 'have'} several labels in column {level + 1}; give equal labels one parent",
        )


def is_pairs(rows: Rows) -> bool:
    """Whether two columns are the pairs of a tree: some parent is also the child of another value."""
    parents = {parent for _, parent in rows}
    return any(child in parents and child != parent for child, parent in rows)


def tree_levels(rows: Rows, lines: Sequence[int], problems: Problems) -> list[tuple[str, ...]]:
    """The levels of a tree, its leaves in the order of the rows, with * on top of several roots.

    A leaf that is less deep than others is repeated up to the level of its parent, counted from the top. Adds the
    problems of the tree, and gives no levels if there are any: a child with two parents, a value that is its own
    ancestor.
    """
    parents = _parents(rows, lines, problems)
    _refuse_circles(parents, rows, lines, problems)
    if problems.found:
        return []
    inner = set(parents.values())
    roots = [value for value in dict.fromkeys(parents.values()) if value not in parents]
    paths = [_path(leaf, parents) for leaf in parents if leaf not in inner]
    if len(roots) > 1:
        paths = [[*path, TOP] for path in paths]
    height = max(len(path) for path in paths) - 1
    filled = [[path[0]] * (height + 1 - len(path)) + path for path in paths]
    return list(zip(*filled, strict=True))


def _parents(rows: Rows, lines: Sequence[int], problems: Problems) -> dict[str, str]:
    """The parent of each child; the first one, and a problem, where there are several."""
    parents: dict[str, tuple[str, int]] = {}
    contradicted: list[tuple[int, int, str]] = []
    for (child, parent), line in zip(rows, lines, strict=True):
        first_parent, first_line = parents.setdefault(child, (parent, line))
        if first_parent != parent:
            contradicted.append((first_line, line, child))
    if contradicted:
        problems.add_pairs(
            contradicted,
            f"{len(contradicted):,} of the child,parent pairs give a child a second parent; expected one for each "
            "child",
        )
    return {child: parent for child, (parent, _) in parents.items()}


def _refuse_circles(parents: dict[str, str], rows: Rows, lines: Sequence[int], problems: Problems) -> None:
    """Adds a problem for values that are their own ancestors, or below such values."""
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


def _listed(parts: Sequence[str], separator: str) -> str:
    more = f"{separator}..." if len(parts) > _SHOWN else ""
    return separator.join(parts[:_SHOWN]) + more
