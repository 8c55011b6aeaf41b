"""What is told of counts of source rows: none of fewer than k, and none that others of the same figure give away.

A row that was suppressed is as dear as one that was released: the rows of a label in the source less those in the
release are suppressed rows with that label, so that such a difference is a count, too. What may not be told is told
together with others: ranges of a histogram are joined, differences are moved to "others".
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from kanon_sql.config.model import Config
from kanon_sql.report.page.model import Bar, Json


def least_told(config: Config) -> float:
    """The least number of source rows that is told; endless where k counts entities, of which a row may be one."""
    if config.privacy.entity is not None:
        return math.inf
    persons = [int(one.k) for one in getattr(config.privacy, "k_map", None) or ()]
    return max(2, config.privacy.k, *persons)


def told_bars(bars: Sequence[Bar], others: Bar, least: float, k: int) -> tuple[tuple[Bar, ...], Bar]:
    """Bars with the counts of the source that may be told, and the others together.

    Fewer than `least` rows that a label has more in the source are told with the others; where these would still be
    so few, the next fewest are as well.
    """
    more = [(bar.source or 0) - bar.release for bar in bars]
    moved = {i for i, rows in enumerate(more) if 0 < rows < least}
    left = sorted((i for i, rows in enumerate(more) if rows >= least), key=lambda i: more[i])
    beyond = (others.source or 0) - others.release + sum(more[i] for i in moved)
    while 0 < beyond < least and left:
        moved.add(left[0])
        beyond += more[left.pop(0)]
    told = tuple(Bar(bar.label, bar.release if i in moved else bar.source, bar.release) for i, bar in enumerate(bars))
    together = others.release + beyond
    return told, Bar(others.label, None if 0 < together < k else together, others.release)


def told_ranges(sizes: Sequence[Json], k: int) -> list[list[int]]:
    """Which ranges of a histogram of class sizes are told together, so that none holds 1 to k - 1 rows.

    Ranges below k are joined with each other where that is enough.
    """
    rows = [one["rows"] for one in sizes]
    below = sum(one["to"] < k for one in sizes)
    parts = [range(below), range(below, len(rows))]
    if any(0 < sum(rows[i] for i in part) < k for part in parts):
        parts = [range(len(rows))]
    return [together for part in parts for together in _joined(rows, part, k)]


def _joined(rows: Sequence[int], part: Sequence[int], k: int) -> list[list[int]]:
    found: list[list[int]] = []
    held: list[int] = []
    for i in part:
        held.append(i)
        if not 0 < sum(rows[j] for j in held) < k:
            found.append(held)
            held = []
    while found and 0 < sum(rows[j] for j in held) < k:
        held = found.pop() + held
    return [*found, held] if held else found


def join_ranges(sizes: Sequence[Json], together: Sequence[Sequence[int]]) -> list[Json]:
    """A histogram with ranges joined."""
    return [
        {
            "from": sizes[part[0]]["from"],
            "to": sizes[part[-1]]["to"],
            **{key: sum(sizes[i][key] for i in part) for key in ("classes", "rows", "share")},
        }
        for part in together
    ]


def told_count(entry: Json, k: int) -> Json:
    """An entry of `rows` and their `share`, which are None where they are fewer than k."""
    return {**entry, "rows": None, "share": None} if 0 < entry["rows"] < k else entry
