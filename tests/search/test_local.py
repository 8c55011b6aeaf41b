"""The search of local recoding: classes of k rows, every row in one of them, at the losses that it is known for."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cases import Case, cases
from effort import needs, with_marks
from hypothesis import assume, given
from local_tables import Found, find, hierarchical, mixed, optimum, prepared, searched, trees_of
from mondrian_tables import Table, column, examples, tables
from places import ROOT

from kanon_sql.config.load import load_config
from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.errors import NoReleaseError
from kanon_sql.progress import Progress
from kanon_sql.search.classes import build_classes
from kanon_sql.search.local.labels import even_shifts
from kanon_sql.search.mondrian import Mondrian
from kanon_sql.sql.deadline import Deadline, TimeUpError

Json = dict[str, Any]

ADULT_ARX = ROOT.parent / "shared" / "data" / "adult_arx"
ADULT_COLUMNS = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
]
needs_adult = with_marks(needs(ADULT_ARX))


class Countdown(Deadline):
    """Passes after so many statements."""

    def __init__(self, statements: int) -> None:
        super().__init__()
        self.left = statements

    def check(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TimeUpError


@pytest.mark.slow
@examples(60)
@given(tables())
def test_every_row_has_a_class_of_k(folder: Path, table: Table) -> None:
    """Numbers, dates, texts and hierarchies, mixed, with missing values."""
    assume(len(table.rows) >= table.k)
    result = find(table.config(folder), table.k)
    assert result.search.finished
    assert result.search.cuts <= len(result.members) + 1
    assert len(result.members) <= len(table.rows) // table.k


@pytest.mark.slow
@examples(60)
@given(cases(weights=True))
def test_hierarchies_of_any_height_with_bounds_and_weights(folder: Path, case: Case) -> None:
    """A class whose rows are all alike loses no more than at the lowest level; NULLs are kept or dropped."""
    try:
        result = find(case.config(folder), case.problem.k)
    except NoReleaseError:
        return
    assert result.search.finished


@pytest.mark.slow
def test_the_gap_to_the_true_optimum_is_small(tmp_path: Path) -> None:
    """5 % in all on 20 tables of 8 rows; never below the optimum."""
    losses, least = [], []
    for seed in range(20):
        chance = random.Random(seed)
        files = trees_of(chance, chance.choice([1, 2, 3]))
        rows = [[chance.choice(lines)[0] for lines in files] for _ in range(8)]
        k = chance.choice([2, 3])
        result = find(hierarchical(tmp_path, files, rows), k)
        losses.append(result.ncp)
        least.append(optimum(files, rows, k))
        assert losses[-1] >= least[-1] - 1e-9
    assert sum(losses) <= 1.1 * sum(least)


@pytest.mark.slow
def test_the_lowest_level_holds(tmp_path: Path) -> None:
    lines = [[word, word[0], "*"] for word in ("a1", "a2", "b1", "b2")]
    rows = [["a1"], ["a1"], ["a2"], ["a2"], ["b1"], ["b1"]]
    assert sorted(find(hierarchical(tmp_path, [lines], rows), 2).labels) == [("a1",), ("a2",), ("b1",)]
    bounded = find(hierarchical(tmp_path, [lines], rows, min_level=1), 2)
    assert set(bounded.labels) == {("a",), ("b",)}
    assert bounded.ncp == pytest.approx(100 / 3)
    assert set(find(hierarchical(tmp_path, [lines], rows, min_level=2), 2).labels) == {("*",)}


@pytest.mark.slow
def test_rows_left_over_join_or_borrow(tmp_path: Path) -> None:
    """One row of its own beside classes that can spare rows, and beside classes that cannot."""
    lines = [[word, word[0], "*"] for word in ("a1", "a2", "b1", "b2")]
    spared = find(hierarchical(tmp_path, [lines], [["a1"]] * 8 + [["a2"]]), 2)
    assert sorted(spared.labels) == [("a",), ("a1",)]
    assert sorted(sum(members.values()) for members in spared.members) == [2, 7]
    joined = find(hierarchical(tmp_path, [lines], [["a1"], ["a1"], ["b1"], ["b1"], ["a2"]]), 2)
    assert sorted(joined.labels) == [("a",), ("b1",)]


def test_shifts_of_ranks() -> None:
    shifts = [even_shifts(largest, 4) for largest in (0, 1, 2, 7, 15)]
    assert shifts == [(0,), (0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 1, 2, 3, 4)]
    assert even_shifts(73, 4) == (0, 1, 3, 5, 7)
    assert even_shifts(73, 10) == (0, 1, 2, 3, 4, 5, 6, 7)
    assert even_shifts(2**40, 4) == (0, 10, 20, 30, 41)


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("kind", "values", "labels"),
    [
        ("number", ["1", "1", "20", "21", "40", "41"], ["1", "20-21", "40-41"]),
        ("number", ["1", "1", "5", "5"], ["1", "5"]),
        ("number", ["", "", "5", "5"], ["5", None]),
        ("date", ["2020-01-01", "2020-01-02", "2021-01-01", "2021-01-01"], ["2020-01-01/2020-01-02", "2021-01-01"]),
        ("text", ["b", "c", "d", "d"], ["d", "{b, c}"]),
        ("text", ["a", "a", "a", "a"], ["a"]),
        ("text", ["", "", "", ""], [None]),
    ],
)
def test_columns_without_hierarchies(folder: Path, kind: str, values: list[str], labels: list[str | None]) -> None:
    table = column([value or None for value in values], 2, {"type": kind}, kind)
    result = find(table.config(folder), 2)
    assert sorted({label for (label,) in result.labels}, key=str) == sorted(labels, key=str)


@pytest.mark.slow
def test_time_may_run_out_at_any_moment(tmp_path: Path) -> None:
    """What is reached by then is released."""
    config = mixed(tmp_path, 60)
    losses = []
    for statements in range(0, 400, 7):
        result = find(config, 4, Countdown(statements))
        losses.append(result.ncp)
        if result.search.finished:
            break
    assert len(losses) > 5
    assert result.search.finished
    assert losses[-1] == find(config, 4).ncp <= min(losses) + 1e-9
    assert len(find(config, 4, Deadline(0)).members) == 1


@pytest.mark.slow
def test_a_search_can_be_repeated(tmp_path: Path) -> None:
    config = mixed(tmp_path, 300)
    first = find(config, 3, threads=1)
    assert first == find(config, 3, threads=2)


@pytest.mark.slow
def test_what_there_are_too_many_labels_for_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way of large tables, on a small one."""
    config = mixed(tmp_path, 300)
    monkeypatch.setattr("kanon_sql.search.local.search._CUT_TOO", 0)
    swept = find(config, 20)
    monkeypatch.setattr("kanon_sql.search.local.search._PAIRS_IN_ALL", 3000)
    monkeypatch.setattr("kanon_sql.search.local.sweep._PAIRS", 1000)
    cut = find(config, 20)
    assert cut.search.finished
    assert cut.search.cuts > cut.search.rounds > 0
    assert cut.members != swept.members
    assert cut.ncp <= 1.5 * swept.ncp


@pytest.mark.slow
def test_labels_too_long_for_a_word_and_shapes_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = mixed(tmp_path, 200)
    first = find(config, 3)
    monkeypatch.setattr("kanon_sql.search.local.labels._FEWEST_LOSS_BITS", 60)
    assert find(config, 3).ncp == pytest.approx(first.ncp, rel=0.05)
    monkeypatch.setattr("kanon_sql.search.local.labels._MOST_SHAPES", 4)
    assert find(config, 3).search.finished


@cache
def adult(k: int) -> Found:
    files = {name: {"hierarchy": str(ADULT_ARX / f"adult_hierarchy_{name}.csv")} for name in ADULT_COLUMNS}
    source = {"path": str(ADULT_ARX / "adult.csv"), "csv": {"delimiter": ";"}}
    config = {"source": source, "target": "out.parquet", "quasi_identifiers": files, "unlisted": "drop"}
    return find({**config, "privacy": {"k": k}}, k)


@needs_adult
@pytest.mark.parametrize(("k", "most"), [(5, 4.85), (10, 7.15), (50, 14.3)])
def test_adult_loses_little(k: int, most: float) -> None:
    result = adult(k)
    assert result.search.finished
    assert result.ncp <= most


@pytest.mark.slow
def test_the_example_loses_less_than_by_mondrian() -> None:
    loaded = load_config(ROOT / "examples" / "adult" / "config.yaml", [("algorithm", "mondrian")])
    with prepared(loaded) as (engine, tuples):
        result = searched(engine, tuples, 5)
        cuts = AlgorithmConfig(name="mondrian")
        Mondrian(engine, tuples, cuts, 5, Progress()).run(Deadline())
        units = build_classes(engine, tuples).units
    assert sum(result.classes.units) < sum(units)
