"""The statements of microaggregation that are more than they look like, beside the same in plain Python."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from functools import partial
from operator import itemgetter
from typing import Any

import pytest
from queried import Row, answers, rows_of_table

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
    ("seed", "points", "blocks", "k"),
    [(4, 120, 3, 5), (5, 90, 2, 3), (6, 40, 1, 12), (7, 6, 2, 4), (8, 60, 6, 7), (9, 40, 5, 5)],
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


MEMBERS = "cell INTEGER, part INTEGER, x DOUBLE, y DOUBLE, row_count BIGINT, stratum INTEGER"
PAIRS = "part INTEGER, other INTEGER"
EXCHANGES = f"{PAIRS}, cell INTEGER, partner INTEGER, gain DOUBLE"
WISHES = (
    "cell INTEGER, part INTEGER, x DOUBLE, y DOUBLE, x_centre DOUBLE, y_centre DOUBLE, row_count BIGINT, "
    "total BIGINT, off DOUBLE, other INTEGER, x_other DOUBLE, y_other DOUBLE, other_total BIGINT, away DOUBLE"
)
LISTS: dict[str, Any] = {"axis": AXES}


table_of = partial(rows_of_table, "search/microaggregation")


def lost(rows: list[Row]) -> float:
    """The squared distances of rows from their centre."""
    total = sum(row[4] for row in rows)
    if not total:
        return 0.0
    middle = [sum(row[4] * row[i] for row in rows) / total for i in (2, 3)]
    return float(sum(row[4] * ((row[2] - middle[0]) ** 2 + (row[3] - middle[1]) ** 2) for row in rows))


@pytest.mark.few(2)
@pytest.mark.parametrize(("seed", "above"), [(3, 0), (2, 1), (1, 9), (4, 0)])
def test_an_exchange_gains_what_both_groups_lose_less_and_leaves_k_in_each(seed: int, above: int) -> None:
    draw = random.Random(seed)
    rows: list[Row] = [
        (cell, 100 + cell % 3, draw.uniform(0, 9), draw.uniform(0, 9), draw.choice([1, 1, 2, 4]), 0)
        for cell in range(1, 15)
    ]
    tables: dict[str, Any] = {"members": (MEMBERS, rows)}
    centres = table_of("centres", tables, "centres", "part, x, y, row_count, stratum", lists=LISTS)
    groups = {part: [row for row in rows if row[1] == part] for part in (100, 101, 102)}
    k = max(2, min(sum(row[4] for row in held) for held in groups.values()) - above)
    assert [(row[0], row[3]) for row in centres] == [
        (part, sum(row[4] for row in held)) for part, held in groups.items()
    ]
    tables["centres"] = ("part INTEGER, x DOUBLE, y DOUBLE, row_count BIGINT, stratum INTEGER", centres)
    tables["compared"] = (PAIRS, [(a, b) for a in groups for b in groups if a != b])
    named = ", ".join(column.split()[0] for column in WISHES.split(", "))
    wishes = table_of("wishes", tables, "wishes", named, lists=LISTS)
    tables |= {"wishes": (WISHES, wishes), "exchanges": (EXCHANGES, [])}
    exchanges = table_of("exchanges", tables, "exchanges", lists=LISTS, values={"k": k, "least": 1e-9})
    expected: dict[tuple[int, ...], float] = {}
    for wish in wishes:
        cell, part, second_part = next(row for row in rows if row[0] == wish[0]), wish[1], wish[9]
        own, there = [row for row in groups[part] if row != cell], groups[second_part]
        for partner in (None, *there):
            left = own + ([partner] if partner else [])
            comes = [row for row in there if row != partner] + [cell]
            gain = lost(groups[part]) + lost(there) - lost(left) - lost(comes)
            if min(sum(row[4] for row in left), sum(row[4] for row in comes)) >= k and gain > 1e-9:
                expected[part, second_part, cell[0], partner[0] if partner else 0] = gain
    assert {row[:4]: pytest.approx(row[4]) for row in exchanges} == expected
    assert exchanges
    chosen = table_of(
        "chosen",
        {"exchanges": (EXCHANGES, exchanges)},
        "chosen",
    )
    touched = [part for row in chosen for part in row[:2]]
    assert len(touched) == len(set(touched))
    best = max(exchanges, key=lambda row: row[4])
    assert best[:4] in chosen


def gains(rows: list[Row], compared: list[Row], before: list[Row]) -> list[Row]:
    """The exchanges between compared groups, put beside those of before."""
    tables: dict[str, Any] = {"members": (MEMBERS, rows), "compared": (PAIRS, compared)}
    centres = table_of("centres", tables, "centres", "part, x, y, row_count, stratum", lists=LISTS)
    tables["centres"] = ("part INTEGER, x DOUBLE, y DOUBLE, row_count BIGINT, stratum INTEGER", centres)
    named = ", ".join(column.split()[0] for column in WISHES.split(", "))
    tables["wishes"] = (WISHES, table_of("wishes", tables, "wishes", named, lists=LISTS))
    tables["exchanges"] = (EXCHANGES, before)
    return table_of("exchanges", tables, "exchanges", lists=LISTS, values={"k": 3, "least": 1e-9})


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_exchanges_only_what_they_touched_gains_something_else(seed: int) -> None:
    draw = random.Random(seed)
    rows: list[Row] = [
        (cell, 100 + cell % 9, draw.randint(0, 99), draw.randint(0, 99), draw.choice([1, 2]), 0)
        for cell in range(1, 37)
    ]
    near = [(a, b) for a in range(100, 109) for b in draw.sample(range(100, 109), 3) if a != b]
    exchanges = gains(rows, near, [])
    # One exchange, so that there are groups that it does not touch.
    chosen = table_of("chosen", {"exchanges": (EXCHANGES, exchanges)}, "chosen")[:1]
    tables: dict[str, Any] = {"chosen": ("part INTEGER, other INTEGER, cell INTEGER, partner INTEGER", chosen)}
    moved = table_of("exchanged", {**tables, "members": (MEMBERS, rows)}, "members")
    touched = table_of("near_touched", {**tables, "near": (PAIRS, near)}, "near_touched")
    left = table_of("exchanges_left", {**tables, "exchanges": (EXCHANGES, exchanges)}, "exchanges")
    assert touched == sorted(pair for pair in near if set(pair) & set(chosen[0][:2]))
    assert 0 < len(left) < len(exchanges)
    assert gains(moved, touched, left) == gains(moved, near, [])


def test_exchanges_are_made_and_groups_counted() -> None:
    tables: dict[str, Any] = {
        "members": (
            MEMBERS,
            [(1, 5, 0.0, 0.0, 2, 0), (2, 5, 1.0, 0.0, 1, 0), (3, 6, 2.0, 0.0, 3, 0), (4, 7, 9.0, 9.0, 1, 1)],
        ),
        "chosen": ("part INTEGER, other INTEGER, cell INTEGER, partner INTEGER", [(5, 6, 2, 3), (7, 6, 4, 0)]),
    }
    moved = table_of("exchanged", tables, "members", "cell, part")
    assert moved == [(1, 5), (2, 6), (3, 5), (4, 6)]
    sizes = ("part INTEGER, row_count BIGINT", [(5, 3), (6, 2), (7, 4)])
    for k, small in ((2, []), (3, [(6,)]), (4, [(5,), (6,)])):
        assert table_of("too_small", {"centres": sizes}, "violating", values={"k": k}) == small
    cells = ("cell INTEGER, row_count BIGINT, stratum INTEGER", [(1, 2, 1), (2, 3, 1), (3, 1, 2), (4, 5, 3)])
    left = {"cells": cells, "members": ("cell INTEGER", [(1,), (4,)])}
    assert answers("search/microaggregation/left_out", left) == [(4, 2)]
    left["cells"] = (cells[0], [(1, 2, 1), (2, 3, 1), (3, 1, 1)])
    assert answers("search/microaggregation/left_out", left) == [(4, 1)]


def test_a_group_joins_the_nearest_of_its_block_and_two_that_violate_each_other() -> None:
    blocks = [(1, 0.0, 0.0, 1, 0), (2, 5.0, 0.0, 1, 0), (3, 9.0, 0.0, 1, 0), (4, 9.5, 0.0, 1, 0), (9, 0.1, 0.0, 1, 1)]
    tables: dict[str, Any] = {"blocks": (BLOCKS, blocks), "violating": ("part INTEGER", [(1,), (3,), (4,)])}
    joins = table_of("joins", tables, "joins", lists=LISTS)
    assert joins == [(1, 2), (4, 3)]
    members = (MEMBERS, [(10, 1, 0.0, 0.0, 1, 0), (11, 2, 0.0, 0.0, 1, 0), (12, 4, 0.0, 0.0, 1, 0)])
    joined = {"members": members, "joins": ("part INTEGER, other INTEGER", joins)}
    assert table_of("joined", joined, "members", "cell, part") == [(10, 2), (11, 2), (12, 3)]
    lonely = {
        "members": members,
        "centres": ("part INTEGER, stratum INTEGER", [(1, 0), (2, 0), (4, 1)]),
        "violating": ("part INTEGER", [(1,), (4,)]),
    }
    assert table_of("not_lonely", lonely, "members", "cell") == [(10,), (11,)]


def test_blocks_hold_cells_of_one_stratum_with_the_same_values_missing() -> None:
    points = [
        (1, 1.0, 0.0, 3, 1),
        (2, 2.0, 0.0, 2, 1),
        (3, 0.0, 4.0, 2, 1),
        (4, 0.0, 8.0, 1, 1),
        (5, 1.0, 0.0, 2, 2),
        (6, 1.0, 4.0, 3, 2),
    ]
    tables = {"points": ("cell INTEGER, x DOUBLE, y DOUBLE, row_count BIGINT, stratum INTEGER", points)}
    lists: dict[str, Any] = {"axis": AXES, "absent": AXES[1:]}
    rows = table_of("pattern_blocks", tables, "blocks", "part, block", lists=lists, values={"k": 3})
    # Of the first stratum both patterns of few rows are one block; that of the second is one of its own.
    assert rows == [(1, 1), (2, 1), (3, 2), (4, 2), (5, 4), (6, 5)]


def test_columns_are_standardized_by_the_rows_that_have_a_value() -> None:
    tables = {
        "frequency": ("p INTEGER, row_count BIGINT", [(1, 2), (2, 1), (2, 1), (0, 5)]),
        "places": ("position INTEGER, measure DOUBLE", [(0, 9.0), (1, 0.25), (2, 0.75)]),
    }
    scale = table_of("scale", tables, "scale", names={"this_position": "p"})
    assert scale == [(pytest.approx(0.5 * 2**32), pytest.approx(0.25 * 2**32))]
    tables["scale"] = ("mean DOUBLE, spread DOUBLE", scale)
    rows = table_of("coordinates", tables, "coordinates", values={"weight": 4.0, "apart": 3.0})
    assert rows == [(0, 0.0, 6.0 * 2**20), (1, -2.0 * 2**20, 0.0), (2, 2.0 * 2**20, 0.0)]
