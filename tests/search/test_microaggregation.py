"""Microaggregation: groups of at least k rows, never losing more than those of MDAV in plain Python."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mondrian_jobs import Json, read, write
from reference_microaggregation import Point, mdav, share_lost, standardized

import kanon_sql
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.search import microaggregation, multidimensional
from kanon_sql.sql.deadline import Deadline


def table(seed: int, rows: int, columns: int) -> list[list[int]]:
    """Rows of skewed columns that hang together, no two alike."""
    draw = random.Random(seed)
    points = []
    for _ in range(rows):
        common = draw.gauss(0, 1)
        points.append([round(1000 * 2 ** (common + draw.gauss(0, 1))) for _ in range(columns)])
    assert len(set(map(tuple, points))) == rows
    return points


def run(folder: Path, rows: Sequence[Sequence[Any]], k: int, **more: Any) -> tuple[Json, list[tuple[str, ...]]]:
    """The report, and of each row of the source the group that it is released in."""
    names = [f"q{i}" for i in range(len(rows[0]))] if "names" not in more else more.pop("names")
    numbered = [["" if cell is None else str(cell) for cell in [*row, i]] for i, row in enumerate(rows)]
    source = write(folder / "s.csv", [*names, "id"], numbered)
    config = {
        "source": str(source),
        "target": {"path": str(folder / "out.csv"), "overwrite": True},
        "quasi_identifiers": {name: {} for name in names if name.startswith("q")},
        "unlisted": "insensitive",
        "privacy": {"k": k},
        "algorithm": "microaggregation",
        "release": {"order": "none"},
        **more,
    }
    report = kanon_sql.run(config).report
    released = sorted(read(folder / "out.csv"), key=lambda row: int(row[-1]))
    assert [row[-1] for row in released] == [row[-1] for row in numbered]
    places = [place for place, name in enumerate(names) if name.startswith("q")]
    return report, [tuple(row[place] for place in places) for row in released]


def groups(rows: Sequence[Sequence[float]], released: Sequence[tuple[str, ...]]) -> list[list[Point]]:
    held = defaultdict(list)
    for point, label in zip(standardized(rows), released, strict=True):
        held[label].append(point)
    return list(held.values())


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("seed", "rows", "columns", "k"), [(5, 26, 2, 3), (1, 60, 2, 3), (2, 47, 4, 5), (3, 23, 1, 4), (4, 9, 3, 5)]
)
def test_without_exchanges_the_groups_are_those_of_mdav(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, rows: int, columns: int, k: int
) -> None:
    points = table(seed, rows, columns)
    lost = share_lost(mdav(standardized(points), k))
    _, better = run(tmp_path, points, k)
    monkeypatch.setattr(microaggregation, "_ROUNDS", 0)
    _, plain = run(tmp_path, points, k)
    assert share_lost(groups(points, plain)) == pytest.approx(lost, rel=1e-6)
    assert share_lost(groups(points, better)) <= lost * (1 + 1e-6)
    for released in (plain, better):
        assert min(Counter(released).values()) >= min(k, rows)


@pytest.mark.slow
def test_exchanges_gain(tmp_path: Path) -> None:
    points = table(7, 120, 4)
    report, released = run(tmp_path, points, 4)
    assert share_lost(groups(points, released)) < 0.99 * share_lost(mdav(standardized(points), 4))
    assert report["search"]["rounds"] > 1
    assert report["search"]["cuts"] > 0
    assert report["solution"] == {"partitions": len(set(released))}


@pytest.mark.slow
def test_many_points_are_grouped_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = table(5, 300, 3)
    lost = share_lost(mdav(standardized(points), 3))
    for name, value in {"_STEPS": 1, "_BLOCK": 10, "_CHUNK": 50, "_GROUPS": 12}.items():
        monkeypatch.setattr(microaggregation, name, value)
    _, released = run(tmp_path, points, 3)
    assert min(Counter(released).values()) >= 3
    assert share_lost(groups(points, released)) < 1.2 * lost


@pytest.mark.slow
def test_equal_rows_stay_together(tmp_path: Path) -> None:
    draw = random.Random(3)
    points = [[draw.randrange(6), draw.randrange(4)] for _ in range(150)]
    _, released = run(tmp_path, points, 5)
    assert min(Counter(released).values()) >= 5
    assert len({(tuple(row), label) for row, label in zip(points, released, strict=True)}) == len(
        set(map(tuple, points))
    )


@pytest.mark.slow
def test_missing_values_are_apart_where_there_are_enough(tmp_path: Path) -> None:
    points = [[i, None if i % 4 == 0 else i * i] for i in range(40)]
    _, released = run(tmp_path, points, 4)
    of_missing = {label for row, label in zip(points, released, strict=True) if row[1] is None}
    assert not of_missing & {label for row, label in zip(points, released, strict=True) if row[1] is not None}
    few = [[i, None if i < 2 else i * i] for i in range(20)]
    assert min(Counter(run(tmp_path, few, 4)[1]).values()) >= 4


@pytest.mark.slow
def test_columns_of_one_value_and_dates(tmp_path: Path) -> None:
    points = [[f"2024-01-{1 + i % 28:02d}", 7, i % 5] for i in range(60)]
    report, released = run(tmp_path, points, 6)
    assert min(Counter(released).values()) >= 6
    assert report["loss"]["attributes"]["q1"] == 0


@pytest.mark.slow
def test_weights_count(tmp_path: Path) -> None:
    points = table(11, 80, 2)
    weighted = {"q0": {"weight": 100.0}, "q1": {}}
    plain = run(tmp_path, points, 4)[0]["loss"]["attributes"]
    heavy = run(tmp_path, points, 4, quasi_identifiers=weighted)[0]["loss"]["attributes"]
    assert heavy["q0"] < plain["q0"]
    assert heavy["q1"] > plain["q1"]


@pytest.mark.few(1)
@pytest.mark.parametrize("privacy", [{"l_diversity": {"column": "sick", "l": 3}}, {"entity": "who"}])
def test_groups_join_until_they_hold_all_models(tmp_path: Path, privacy: Json) -> None:
    draw = random.Random(9)
    points = [[*row, draw.choice("aaabc"), f"p{i // 3}"] for i, row in enumerate(table(9, 90, 2))]
    report, released = run(
        tmp_path, points, 3, names=["q0", "q1", "sick", "who"], privacy={"k": 3, **privacy}, sensitive=["sick"]
    )
    assert report["status"] == "released"
    for label in set(released):
        held = [row for row, label_of_row in zip(points, released, strict=True) if label_of_row == label]
        assert len({row[2 if "l_diversity" in privacy else 3] for row in held}) >= 3
    assert len(set(released)) > 1


def test_without_time_there_is_a_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search = multidimensional.SEARCHES["microaggregation"]

    def hurried(engine: Any, given: Any, algorithm: Any, k: int, progress: Any, deadline: Deadline) -> Any:
        del deadline
        return search(engine, given, algorithm, k, progress, Deadline(0))

    monkeypatch.setitem(multidimensional.SEARCHES, "microaggregation", hurried)
    report, released = run(tmp_path, table(6, 40, 2), 4)
    assert not report["search"]["finished"]
    assert min(Counter(released).values()) >= 4


def test_fewer_rows_than_k_are_no_release(tmp_path: Path) -> None:
    with pytest.raises(NoReleaseError, match="only 3 rows take part"):
        run(tmp_path, table(6, 3, 2), 4)


def test_texts_and_hierarchies_are_refused(tmp_path: Path) -> None:
    points = [[i, f"w{i}", f"v{i}"] for i in range(8)]
    with pytest.raises(ConfigurationError) as texts:
        run(tmp_path, points, 2)
    assert [problem.partition(": ")[2] for problem in texts.value.problems] == [
        f"column {name!r} holds texts; microaggregation makes groups of numbers and dates: with strata: [{name}] in "
        "the algorithm groups never mix its values, which are released as they are; or leave the column out, or set "
        "algorithm: local"
        for name in ("q1", "q2")
    ]
    with pytest.raises(ConfigurationError, match="'q1' has a hierarchy; microaggregation takes numbers and dates"):
        run(tmp_path, points, 2, quasi_identifiers={"q0": {}, "q1": {"builtin": "suppress"}, "q2": {"type": "number"}})
