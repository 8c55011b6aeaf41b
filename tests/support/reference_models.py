"""The privacy models by their definitions, in plain Python and exact fractions.

Each function takes the sensitive values of a class and those of all rows (None is missing) and says whether the class
holds the model, and what it reaches; those of a population take the class's rows in the table and its persons in the
population instead. Shares no code with the package.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Cell = str | None
Values = Sequence[Cell]
Spec = Mapping[str, Any]


def exact(number: Any) -> Fraction:
    return Fraction(str(number))


def l_diversity(values: Values, _: Values, spec: Spec) -> tuple[bool, float]:
    counts = sorted(Counter(value for value in values if value is not None).values(), reverse=True)
    wanted = exact(spec["l"])
    if spec.get("variant", "distinct") == "distinct":
        return len(counts) >= wanted, len(counts)
    if spec["variant"] == "recursive":
        c = exact(spec["c"])
        reached = sum(counts[0] < c * sum(counts[i:]) for i in range(len(counts)))
        return reached >= wanted, reached
    if not counts:
        return False, 0
    total = sum(counts)
    entropy = -math.fsum(count / total * math.log(count / total) for count in counts)
    return math.exp(entropy) >= float(wanted) * (1 - 1e-9), math.exp(entropy)


def shares(values: Values, of: Values) -> dict[Cell, Fraction]:
    counts = Counter(values)
    return {value: Fraction(counts[value], len(values)) for value in dict.fromkeys(of)}


def order(value: Cell) -> tuple[bool, Fraction]:
    """Numbers in their order, missing ones first."""
    return value is not None, Fraction(value or 0)


def t_closeness(values: Values, everything: Values, spec: Spec) -> tuple[bool, float]:
    p, q = shares(values, everything), shares(everything, everything)
    if spec.get("distance", "equal") == "equal":
        distance = sum((abs(p[value] - q[value]) for value in q), Fraction(0)) / 2
    elif spec["distance"] == "ordered":
        steps, total = [], Fraction(0)
        for value in sorted(q, key=order):
            total += p[value] - q[value]
            steps.append(abs(total))
        distance = sum(steps, Fraction(0)) / (len(q) - 1) if len(q) > 1 else Fraction(0)
    else:
        distance = in_a_tree(p, q, spec["tree"])
    return distance <= exact(spec["t"]), float(distance)


def in_a_tree(p: Mapping[Cell, Fraction], q: Mapping[Cell, Fraction], tree: Mapping[str, Sequence[str]]) -> Fraction:
    """Li, Li and Venkatasubramanian, section 5.2: at each node what is too much below one child goes to the others.

    `tree` gives each value's words from level 0 up; a missing value is alone below the top.
    """
    height = len(next(iter(tree.values()))) - 1

    def way(value: Cell) -> tuple[Any, ...]:
        words = tree[value] if value is not None else [None] * height + ["*"]
        return (*((level, word) for level, word in enumerate(words[:-1])), (height, "top"))

    total = Fraction(0)
    for level in range(height):
        parents: dict[Any, dict[Any, Fraction]] = {}
        for value in q:
            steps = way(value)
            children = parents.setdefault(steps[level + 1], {})
            children[steps[level]] = children.get(steps[level], Fraction(0)) + p[value] - q[value]
        for children in parents.values():
            above = sum((extra for extra in children.values() if extra > 0), Fraction(0))
            below = -sum((extra for extra in children.values() if extra < 0), Fraction(0))
            total += Fraction(level + 1, height) * min(above, below)
    return total


def alpha_k(values: Values, _: Values, spec: Spec) -> tuple[bool, float]:
    share = Fraction(max(Counter(values).values()), len(values))
    return share <= exact(spec["alpha"]), float(share)


def beta(values: Values, everything: Values, spec: Spec) -> tuple[bool, float]:
    p, q = shares(values, everything), shares(everything, everything)
    gains = {value: (p[value] - q[value]) / q[value] for value in q if p[value] > 0}
    bound = exact(spec["beta"])
    if spec.get("variant", "basic") == "basic":
        return all(gain <= bound for gain in gains.values()), float(max(gains.values()))
    holds = all(float(gain) <= min(float(bound), -math.log(q[value])) + 1e-9 for value, gain in gains.items())
    return holds, float(max(gains.values()))


def delta_disclosure(values: Values, everything: Values, spec: Spec) -> tuple[bool, float | None]:
    p, q = shares(values, everything), shares(everything, everything)
    if any(not share for share in p.values()):
        return False, None
    reached = max(abs(math.log(p[value] / q[value])) for value in q)
    return reached < float(spec["delta"]), reached


def k_map(_: int, persons: int, spec: Spec) -> tuple[bool, int]:
    return persons >= spec["k"], persons


def delta_presence(rows: int, persons: int, spec: Spec) -> tuple[bool, Fraction]:
    share = Fraction(rows, persons)
    return exact(spec.get("min", 0)) <= share <= exact(spec.get("max", 1)), share


POPULATION_MODELS = {"k_map": k_map, "delta_presence": delta_presence}
MODELS = {
    "l_diversity": l_diversity,
    "t_closeness": t_closeness,
    "alpha_k": alpha_k,
    "beta": beta,
    "delta_disclosure": delta_disclosure,
}
LEAST = {"l_diversity"}  # of these the report gives the least that a class reaches, of the others the most
