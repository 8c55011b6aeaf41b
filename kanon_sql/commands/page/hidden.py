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

    Ranges that are joined hold 2 k rows: fewer could be divided among their sizes in one way only. Those below k are
    joined with each other where that is enough, else all of them together with the next: where nothing is generalized,
    the rows in such classes are those suppressed, which everybody can count. So a range of sizes from below k on to
    k is joined only with all below it.
    """
    rows = [one["rows"] for one in sizes]
    below = sum(one["from"] < k for one in sizes)
    parts = [_joined(rows, part, k) for part in (range(below), range(below, len(rows)))]
    cut = any(one["from"] < k <= one["to"] for one in sizes)
    torn = cut and any(len(part) > 1 and below - 1 in part for part in parts[0])
    if not torn and all(_are_enough(rows, together, k) for part in parts for together in part):
        return [together for part in parts for together in part]
    return _joined(rows, range(below, len(rows)), k, range(below))


def _joined(rows: Sequence[int], part: Sequence[int], k: int, before: Sequence[int] = ()) -> list[list[int]]:
    """The ranges of a part; those of `before` it stay together with the first of it."""
    found: list[list[int]] = []
    held = list(before)
    for i in part:
        held.append(i)
        if _are_enough(rows, held, k):
            found.append(held)
            held = []
    while found and not _are_enough(rows, held, k):
        held = found.pop() + held
    return [*found, held] if held else found


def _are_enough(rows: Sequence[int], together: Sequence[int], k: int) -> bool:
    total = sum(rows[i] for i in together)
    return total == 0 or total >= (k if len(together) == 1 else 2 * k)


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


def hide_small_classes(before: Json, after: Json, k: int, threshold: float) -> None:
    """Takes out of the risks of source and release what tells of fewer than k rows of the source.

    Where ranges of the histogram are joined, all that would divide their rows again is None: the classes of such a
    range and of all rows (and with them averages, and what a marketer names right), the smallest and largest class
    (and the highest risk) where one of them is there, and rows up to a size within such a range.
    """
    ranges = told_ranges(before["sizes"], k)
    joined = [part for part in ranges if len(part) > 1]
    ends = {before["sizes"][part[-1]]["to"] for part in ranges}
    last = max(ends)
    for side in (before, after):
        side["sizes"] = join_ranges(side["sizes"], ranges)
    if not joined:
        return
    classes, prosecutor = before["classes"], before["prosecutor"]
    for one, part in zip(before["sizes"], ranges, strict=True):
        if len(part) > 1:
            one["classes"] = None
            for key in ("min", "max"):
                if classes[key] is not None and one["from"] <= classes[key] <= one["to"]:
                    classes[key] = None
    classes["count"] = classes["average"] = prosecutor["average"] = None
    before["marketer"] = {"average": None, "rows": None}
    if classes["min"] is None:
        prosecutor["highest"] = None
    for entry, most in ((before["unique"], 1), (prosecutor["above"], math.ceil(1 / threshold) - 1)):
        if most < last and most not in ends:
            entry["rows"] = entry["share"] = None
