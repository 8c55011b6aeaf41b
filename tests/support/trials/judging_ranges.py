"""Whether a label that holds for one class covers a value: numbers, dates, sets, words of a hierarchy."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from trials.making_trees import Tree, text

_NUMBER = r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_RANGE = re.compile(f"({_NUMBER})-({_NUMBER})")
_DATE = re.compile("[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?")
_MISSING = " or missing"


def covers(label: Any, value: Any, tree: Tree | None) -> bool:
    """Whether a released label stands for a value, None being a missing one."""
    if tree is not None:
        if value is None or label == "*":  # beside missing ones all are
            return label is None or label == "*"
        return str(label) in (str(word) for word in tree.words[text(value)])
    if label is None:
        return value is None
    if label == "*" or (value is not None and text(value) == label):  # texts whose sets are widened are `*`
        return True
    written = str(label)
    if written.endswith(_MISSING):
        return value is None or covers(written.removesuffix(_MISSING), value, None)
    return value is not None and (
        _equal(written, value) or _between(written, text(value)) or text(value) in members(written)
    )


def _equal(label: str, value: Any) -> bool:
    at, number = _number(label), _number(text(value))
    return at is not None and at == number


def _between(label: str, value: str) -> bool:
    bounds = _RANGE.fullmatch(label)
    at = _number(value)
    if bounds and at is not None:
        low, high = Decimal(bounds[1]), Decimal(bounds[2])
        return low <= at <= high
    lower, slash, upper = label.partition("/")
    upper = upper if slash else lower
    if not all(_DATE.fullmatch(date) for date in (lower, value, upper)):
        return False
    # Where ends are widened these are years and months, too, and a range within one of them is that.
    return lower <= value[: len(lower)] and value[: len(upper)] <= upper


def _number(value: str) -> Decimal | None:
    try:
        return Decimal(value.strip()) if "_" not in value else None
    except InvalidOperation:
        return None


def members(label: str) -> list[str]:
    """The members of a set; those in quotes may hold anything."""
    if not (label.startswith("{") and label.endswith("}")):
        return []
    values: list[str] = []
    rest = label[1:-1]
    while True:
        quoted = re.match(r'"((?:[^"\\]|\\.|"")*)"', rest, re.DOTALL)
        if quoted:
            values.append(re.sub(r'\\(.)|""', lambda escape: escape[1] or '"', quoted[1], flags=re.DOTALL))
            rest = rest[quoted.end() :]
        else:
            value, _, _ = rest.partition(", ")
            values.append(value)
            rest = rest[len(value) :]
        if not rest.startswith(", "):
            return values
        rest = rest[2:]


def unmatched(left: Sequence[Any], right: Sequence[Any], fits: Any) -> int:
    """How many of the left find no partner of their own on the right."""
    ways: list[list[int]] = [[j for j, partner in enumerate(right) if fits(candidate, partner)] for candidate in left]
    taken: dict[int, int] = {}

    def find(i: int, seen: set[int]) -> bool:
        for j in ways[i]:
            if j not in seen:
                seen.add(j)
                if j not in taken or find(taken[j], seen):
                    taken[j] = i
                    return True
        return False

    return sum(not find(i, set()) for i in range(len(left)))


def grouped(rows: Sequence[tuple[Any, Any]]) -> dict[Any, list[Any]]:
    """Second parts by first parts."""
    groups: dict[Any, list[Any]] = defaultdict(list)
    for key, value in rows:
        groups[key].append(value)
    return groups
