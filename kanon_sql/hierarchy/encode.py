"""A hierarchy file as columns of integers, for the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kanon_sql.errors import ConfigurationError
from kanon_sql.hierarchy.hierarchy import Hierarchy

STAR = "*"  # what a missing value becomes at the top


@dataclass(frozen=True)
class Leaf:
    """A value of a hierarchy file in its column's type.

    `text` is what the typed value reads as, None when it is no value of that type; `first` is the position of the
    first value of the file that is equal to it.
    """

    text: str | None
    first: int


@dataclass(frozen=True)
class Encoded:
    """A hierarchy as columns.

    `levels`, `codes`, `leaves` and `labels` go side by side, one entry for each released value; `values` are those
    that the column can hold, and `value_codes[level]` goes side by side with them; `count` is |A|.
    """

    levels: list[int]
    codes: list[int]
    leaves: list[int]
    labels: list[str | None]
    values: list[str | None]
    value_codes: list[list[int]]
    count: int

    @property
    def sizes(self) -> tuple[int, ...]:
        """The largest code of every level."""
        largest: dict[int, int] = {}
        for level, code in zip(self.levels, self.codes, strict=True):
            largest[level] = max(largest.get(level, 0), code)
        return tuple(largest.values())


def encode(hierarchy: Hierarchy, typed: Sequence[Leaf] | None, absent: Sequence[str | None], where: str) -> Encoded:
    """Numbers the labels of every level from 1 in the order of the file.

    `typed` tells what the values are in the type of their column, None where they are texts; `absent` are the values
    that are read as missing (NULL among them): code 0 below the top, * at the top, which is the code of all where
    the top of the file is * as well.

    Values that the type does not tell apart count once. Raises ConfigurationError when they are generalized
    differently.
    """
    kept, names = _kept(hierarchy, typed, where)
    missing = set(absent)
    present = [
        position
        for position, leaf in enumerate(kept)
        if hierarchy.leaves[leaf] not in missing and (typed is None or typed[leaf].text is not None)
    ]
    encoded = Encoded(
        levels=[],
        codes=[],
        leaves=[],
        labels=[],
        value_codes=[],
        count=len(kept),
        values=[*(hierarchy.leaves[kept[position]] for position in present), *absent],
    )
    for level in range(hierarchy.height + 1):
        labels = names if level == 0 else [hierarchy.levels[level][leaf] for leaf in kept]
        is_top = level == hierarchy.height
        shared = is_top and set(labels) <= {STAR}
        codes = _add_level(encoded, level, labels)
        if not shared:
            encoded.levels.append(level)
            encoded.codes.append(0)
            encoded.leaves.append(encoded.count if is_top else 1)
            encoded.labels.append(STAR if is_top else None)
        encoded.value_codes.append([codes[position] for position in present] + [int(shared)] * len(absent))
    return encoded


def _kept(hierarchy: Hierarchy, typed: Sequence[Leaf] | None, where: str) -> tuple[list[int], list[str]]:
    """The positions of the values that differ in their column's type, and the texts of these values."""
    if typed is None:
        return list(range(len(hierarchy.leaves))), list(hierarchy.leaves)
    kept, conflicts = [], 0
    above = hierarchy.levels[min(1, hierarchy.height)]
    for position, leaf in enumerate(typed):
        if leaf.text is None or leaf.first == position:
            kept.append(position)
        elif above[position] != above[leaf.first]:
            conflicts += 1
    if conflicts:
        raise ConfigurationError(
            f"{hierarchy.name}: {conflicts} {'value is' if conflicts == 1 else 'values are'} the same as an earlier "
            f"one in the type of the column but generalized differently ({where}); give equal values one row"
        )
    texts = [typed[position].text for position in kept]
    return kept, [
        hierarchy.leaves[position] if text is None else text for position, text in zip(kept, texts, strict=True)
    ]


def _add_level(encoded: Encoded, level: int, labels: Sequence[str]) -> list[int]:
    """Adds the released values of one level; the code of every label. The values themselves are all different."""
    if level == 0:
        found = list(labels)
        codes = list(range(1, len(labels) + 1))
        leaves = [1] * len(labels)
    else:
        found = list(dict.fromkeys(labels))
        numbers = {label: code for code, label in enumerate(found, 1)}
        codes = [numbers[label] for label in labels]
        counted = Counter(codes)
        leaves = [counted[code] for code in range(1, len(found) + 1)]
    encoded.levels.extend([level] * len(found))
    encoded.codes.extend(range(1, len(found) + 1))
    encoded.leaves.extend(leaves)
    encoded.labels.extend(found)
    return codes
