"""Small tables, and which of their classes violate a model by definition: for checks that other tools run."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from reference_models import MODELS

MISSING = ["?", "it's"]
Cell = str | None
Row = tuple[Any, ...]


def rows_of(seed: int, size: int = 150) -> list[Row]:
    """(three quasi-identifiers, a sensitive text of numerals with texts that mean missing, a number, a text)."""
    draw = random.Random(seed)
    return [
        (
            draw.choice(["{{ 1 }}", "it's", None]),
            draw.choice(["u", None]),
            draw.choice(["", "v"]),
            draw.choice(["1", "2", "10", "10.0", "3", "?", "it's", None]),
            draw.choice([1, 2, 10, 30, None]),
            draw.choice(["a", "B", "b", "ä", None]),
        )
        for _ in range(size)
    ]


def no_text(value: Cell) -> Cell:
    return None if value in MISSING else value


def ordered_distance(values: Sequence[Any], everything: Sequence[Any], key: Callable[[Any], Any]) -> Fraction:
    """The earth mover's distance of values in their order, missing ones first, by its definition."""
    ranks = [None if value is None else key(value) for value in values]
    all_ranks = [None if value is None else key(value) for value in everything]
    present: set[Any] = {*ranks, *all_ranks} - {None}
    domain = sorted(present) + ([None] if None in {*ranks, *all_ranks} else [])
    domain = domain[-1:] + domain[:-1] if None in domain else domain
    p, q = Counter(ranks), Counter(all_ranks)
    total = moved = Fraction(0)
    for value in domain:
        moved += Fraction(p[value], len(ranks)) - Fraction(q[value], len(all_ranks))
        total += abs(moved)
    return total / (len(domain) - 1) if len(domain) > 1 else Fraction(0)


def equal_distance(values: Sequence[Any], everything: Sequence[Any]) -> Fraction:
    """Half the sum of the differences of the shares of all values; either table may lack some."""
    p, q = Counter(values), Counter(everything)
    apart = (
        abs(Fraction(p[value], len(values)) - Fraction(q[value], len(everything))) for value in p.keys() | q.keys()
    )
    return sum(apart, Fraction(0)) / 2


def number(value: str) -> Fraction:
    return Fraction(value)


Bad = Callable[[list[Row], list[Row]], bool]
S, N, T = 3, 4, 5


def violates(key: str, spec: dict[str, Any], column: int = S) -> Bad:
    """Whether a class violates a model of the reference."""

    def bad(rows: list[Row], everything: list[Row]) -> bool:
        values, others = ([no_text(row[column]) for row in some] for some in (rows, everything))
        return not MODELS[key](values, others, spec)[0]

    return bad


def farther(t: str, column: int, key: Callable[[Any], Any], *, texts: bool = True) -> Bad:
    def bad(rows: list[Row], everything: list[Row]) -> bool:
        values, others = (
            [no_text(row[column]) if texts else row[column] for row in some] for some in (rows, everything)
        )
        return ordered_distance(values, others, key) > Fraction(t)

    return bad
