"""The statements of microaggregation that are more than they look like, beside the same in plain Python."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from operator import itemgetter

import pytest
from queried import Row, answers

AXES = [
    {"number": 1, "coordinate": "x", "centre": "x_centre", "other_centre": "x_other"},
    {"number": 2, "coordinate": "y", "centre": "y_centre", "other_centre": "y_other"},
]
BLOCKS = "part INTEGER, x DOUBLE, y DOUBLE, row_count BIGINT, block BIGINT"
Place = tuple[float, float]


def grid_points(seed: int, points: int, blocks: int) -> list[Row]:
    """Points of few values, so that many lie equally far from others; those of the first block reach far, too."""
    draw = random.Random(seed)
    rows: list[Row] = []
    for part in range(1, points + 1):
        block = draw.randrange(blocks)
        far = 1000.0 * (block == 0 and draw.random() < 0.1)
        rows.append((part, draw.randrange(8) + far, float(draw.randrange(4)), draw.choice([1, 1, 1, 2, 7]), block))
    draw.shuffle(rows)
    return rows


def halves(rows: list[Row], most: int, share: float) -> dict[int, int]:
    """The block of each point after one cut, by sorting all points of a block."""
    by_block: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_block[row[4]].append(row)
    blocks: dict[int, int] = {}
    for block, held in by_block.items():
        spreads = [len(held) * sum(row[i] ** 2 for row in held) - sum(row[i] for row in held) ** 2 for i in (1, 2)]
        axis = 1 + spreads.index(max(spreads))
        held.sort(key=itemgetter(axis, 0))
        first = math.ceil(share * len(held)) if len(held) > most else len(held)
        blocks |= {row[0]: 2 * block + (place >= first) for place, row in enumerate(held)}
    return blocks


@pytest.mark.parametrize(("seed", "points", "blocks", "most"), [(1, 900, 3, 100), (2, 60, 4, 14), (3, 7, 1, 2)])
@pytest.mark.parametrize("share", [0.5, 0.4, 0.6])
def test_blocks_are_cut_where_a_sort_of_all_their_points_cuts_them(
    seed: int, points: int, blocks: int, most: int, share: float
) -> None:
    rows = grid_points(seed, points, blocks)
    cut = answers(
        "search/microaggregation/halved",
        {"blocks": (BLOCKS, rows)},
        lists={"axis": AXES},
        values={"most": most, "share": share},
        then="SELECT * FROM blocks ORDER BY part",
    )
    expected = halves(rows, most, share)
    assert cut == [(*row[:4], expected[row[0]]) for row in sorted(rows)]


def test_a_block_of_points_at_one_place_is_cut_by_their_numbers() -> None:
    rows = [(part, 3.0, 5.0, 1, 0) for part in range(1, 41)]
    cut = answers(
        "search/microaggregation/halved",
        {"blocks": (BLOCKS, rows)},
        lists={"axis": AXES},
        values={"most": 10, "share": 0.5},
        then="SELECT part, block FROM blocks ORDER BY part",
    )
    assert cut == [(part, int(part > 20)) for part in range(1, 41)]


def distance(row: Row, place: Place) -> float:
    return math.sqrt((row[1] - place[0]) * (row[1] - place[0]) + (row[2] - place[1]) * (row[2] - place[1]))


def nearest_rows(rows: list[Row], seed: Row, k: int) -> list[Row]:
    """The points nearest to a seed until they have k rows."""
    taken: list[Row] = []
    for row in sorted(rows, key=lambda row: (distance(row, seed[1:3]), row[0])):
        if sum(row[3] for row in taken) >= k:
            break
        taken.append(row)
    return taken


def mdav_of_weighted(rows: list[Row], k: int) -> dict[int, int]:
    """The group of each point of one block, a step of MDAV after the other; points are as many rows as they say."""
    groups: dict[int, int] = {}
    left = list(rows)
    while left:
        total = sum(row[3] for row in left)
        centre = (sum(row[3] * row[1] for row in left) / total, sum(row[3] * row[2] for row in left) / total)
        first = max(left, key=lambda row: (distance(row, centre), -row[0]))
        second = max(left, key=lambda row: (distance(row, first[1:3]), -row[0]))
        near = left if total < 2 * k else nearest_rows(left, first, k)
        groups |= {row[0]: first[0] for row in near}
        left = [row for row in left if row[0] not in groups]
        near = left if total < 3 * k else nearest_rows(left, second, k)
        groups |= {row[0]: second[0] for row in near}
        left = [row for row in left if row[0] not in groups]
    return groups


@pytest.mark.parametrize(
    ("seed", "points", "blocks", "k"), [(4, 120, 3, 5), (5, 90, 2, 3), (6, 40, 1, 12), (7, 6, 2, 4)]
)
def test_groups_of_points_with_weights_and_equal_distances_are_those_of_mdav(
    seed: int, points: int, blocks: int, k: int
) -> None:
    rows = grid_points(seed, points, blocks)
    grouped = answers(
        "search/microaggregation/grouped",
        {"blocks": (BLOCKS, rows), "grouped": ("cell INTEGER, part INTEGER", [])},
        lists={"axis": AXES},
        values={"k": k, "first": 0, "last": blocks},
        then="SELECT * FROM grouped ORDER BY cell",
    )
    expected: dict[int, int] = {}
    for block in range(blocks):
        expected |= mdav_of_weighted([row for row in rows if row[4] == block], k)
    assert grouped == sorted(expected.items())


def test_of_groups_that_are_equally_near_those_of_lower_numbers_come_first() -> None:
    rows = [(1, 0.0, 0.0, 1, 0), (2, 2.0, 0.0, 1, 0), (3, 1.0, 0.0, 1, 0), (4, -1.0, 0.0, 1, 0), (5, 0.0, 0.0, 1, 1)]
    near = answers(
        "search/microaggregation/near",
        {"blocks": (BLOCKS, rows)},
        names={"near": "near"},
        lists={"axis": AXES},
        values={"most": 2},
        then="SELECT * FROM near ORDER BY ALL",
    )
    assert near == [(1, 3), (1, 4), (2, 1), (2, 3), (3, 1), (3, 2), (4, 1), (4, 3)]
