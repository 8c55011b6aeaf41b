"""Local recoding beside full-domain generalization, Mondrian and the true optimum."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from cases import Case, cases
from hypothesis import assume, given
from local_tables import find, hierarchical, mixed, optimum, prepared, searched, trees_of
from mondrian_tables import Table, examples, tables
from reference import Cell, Hierarchy, Problem

from kanon_sql.config.load import from_mapping
from kanon_sql.config.model import AlgorithmConfig
from kanon_sql.frequency.table import Tuples
from kanon_sql.progress import Progress
from kanon_sql.search.classes import build_classes
from kanon_sql.search.local.labels import build_trees, units_of
from kanon_sql.search.local.prices import Prices, target_of_step
from kanon_sql.search.local.queries import Queries
from kanon_sql.search.local.search import LocalSearch
from kanon_sql.search.local.sweep import WholeDomain
from kanon_sql.search.mondrian import Mondrian
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.deadline import Deadline, TimeUpError

Json = dict[str, Any]


def lattice_optimum(problem: Problem) -> float | None:
    """The least weighted loss of all nodes without suppression, a row; None where none satisfies."""
    return float(problem.objective(problem.optimal())) if problem.satisfying else None


def has_one_top(problem: Problem) -> bool:
    """Whether each column has one word at its top: a hierarchy may have another there than missing values, `*`."""
    return all(
        not hierarchy.rows
        or hierarchy.rows[0][-1] == "*"
        or all(row[column] is not None for row in problem.participants)
        for column, hierarchy in problem.hierarchies.items()
    )


def whole_domain_optimum(config: Json, k: int) -> float:
    """The least weighted loss of all nodes, a row, by the search; its classes are of k rows and hold every row."""
    with prepared(from_mapping({**config, "algorithm": "mondrian"})) as (engine, tuples):
        queries = Queries(engine)
        queries.run("cells", lists={"this": [{"position": d.position} for d in tuples.dimensions]})
        whole_domain = WholeDomain(
            queries, build_trees(queries, tuples.dimensions, units_of(tuples.dimensions, tuples.n)), k
        )
        node = whole_domain.cheaper_than(float("inf"))
        assert node is not None
        loss = whole_domain.loss(node)
        assert whole_domain.cheaper_than(loss) is None
        assert whole_domain.cheaper_than(loss * 1.01 + 0.01) == node
        whole_domain.classify(node)
        sizes = [rows for (rows,) in engine.run("SELECT sum(row_count) FROM kanon_sql_local_members GROUP BY part")]
        assert min(sizes) >= k
        assert sum(sizes) == tuples.n
        return loss / tuples.n


def without_limits(case: Case, folder: Path) -> tuple[Json, Problem]:
    """The case without suppression and without highest levels, which neither of the two here has."""
    bounds = {column: (low, case.problem.hierarchies[column].top) for column, (low, _) in case.problem.bounds.items()}
    free = replace(case, problem=replace(case.problem, bounds=bounds, limit=0))
    config = {key: value for key, value in free.config(folder).items() if key != "suppression"}
    return config, free.problem


@pytest.mark.slow
@examples(80)
@given(cases(weights=True))
def test_the_whole_domain_optimum_is_that_of_all_nodes(folder: Path, case: Case) -> None:
    config, problem = without_limits(case, folder)
    assume(problem.n >= problem.k)
    least, of_lattice = whole_domain_optimum(config, problem.k), lattice_optimum(problem)
    if has_one_top(problem):
        assert least == pytest.approx(of_lattice, abs=1e-9)
    elif of_lattice is not None:
        assert least <= of_lattice + 1e-9


@pytest.mark.slow
@examples(60)
@given(cases(weights=True))
def test_never_worse_than_any_node(folder: Path, case: Case) -> None:
    config, problem = without_limits(case, folder)
    assume(problem.n >= problem.k)
    weights = [float(problem.weights.get(column, 1)) for column in problem.columns]
    least = lattice_optimum(problem)
    if least is not None:
        assert weighted_loss(config, problem.k, weights) <= least + 1e-9


def weighted_loss(config: Json, k: int, weights: Sequence[float]) -> float:
    result = find(config, k)
    return sum(weight * units for weight, units in zip(weights, result.classes.units, strict=True)) / result.n


@dataclass(frozen=True)
class Small:
    """A random table with hierarchies, missing values among its own, and k near a third of its rows."""

    files: list[list[list[str]]]
    rows: list[list[str]]
    k: int

    @classmethod
    def draw(cls, seed: int) -> Small:
        chance = random.Random(seed)
        files = trees_of(chance, chance.choice([1, 2, 3]))
        n = chance.randint(8, 40)
        rows = [[chance.choice([*lines, *lines, [""]])[0] for lines in files] for _ in range(n)]
        return cls(files, rows, chance.randint(max(2, n // 6), max(2, n // 2)))

    def problem(self) -> Problem:
        columns = [f"c{number}" for number in range(len(self.files))]
        rows: list[dict[str, Cell]] = [
            {column: value or None for column, value in zip(columns, row, strict=True)} for row in self.rows
        ]
        return Problem(
            rows, {c: Hierarchy.of_file(lines) for c, lines in zip(columns, self.files, strict=True)}, self.k
        )


def assert_not_worse(folder: Path, seed: int) -> float:
    """The loss of a random table, a row; no node of the lattice loses less."""
    small = Small.draw(seed)
    result = find(hierarchical(folder, small.files, small.rows), small.k)
    assert result.search.finished
    least = lattice_optimum(small.problem())
    assert least is not None
    loss = result.ncp / 100 * len(small.files)
    assert loss <= least + 1e-9
    return loss


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 40, 20))
def test_never_worse_than_any_node_where_k_is_near_a_third(
    tmp_path: Path, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kanon_sql.search.local.search._CUT_TOO", 0)
    for seed in range(first, first + 20):
        assert_not_worse(tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1085, 1243, 1251])
def test_a_node_is_taken_where_the_sweep_alone_loses_more(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kanon_sql.search.local.search._CUT_TOO", 0)
    monkeypatch.setattr(LocalSearch, "_price", lambda search, queries: None)
    best = assert_not_worse(tmp_path, seed)
    monkeypatch.setattr(LocalSearch, "_compare_whole_domain", lambda search, queries: None)
    small = Small.draw(seed)
    swept = find(hierarchical(tmp_path, small.files, small.rows), small.k)
    assert swept.ncp / 100 * len(small.files) > best * 1.01


def cut(engine: Engine, tuples: Tuples, k: int) -> float:
    """What Mondrian loses, weighted."""
    Mondrian(engine, tuples, AlgorithmConfig(name="mondrian"), k, Progress()).run(Deadline())
    return weighted(tuples, build_classes(engine, tuples).units)


def weighted(tuples: Tuples, units: Sequence[float]) -> float:
    return sum(d.weight * unit for d, unit in zip(tuples.dimensions, units, strict=True))


@pytest.mark.slow
@examples(40)
@given(tables())
def test_few_tuples_never_lose_more_than_by_mondrian(folder: Path, table: Table) -> None:
    assume(len(table.rows) >= table.k)
    with prepared(from_mapping({**table.config(folder), "algorithm": "mondrian"})) as (engine, tuples):
        by_cuts = cut(engine, tuples, table.k)
        assert weighted(tuples, searched(engine, tuples, table.k).classes.units) <= by_cuts * (1 + 1e-9) + 1e-12


@pytest.mark.slow
def test_cuts_are_taken_where_they_lose_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks 1 to 12 at k = 5: a tree over the ranks halves at 8, a cut anywhere."""
    rows = [[str(number)] for number in range(1, 13)]
    config = hierarchical(tmp_path, [[["0", "*"]]], rows)
    given = {**config, "quasi_identifiers": {"c0": {"type": "number"}}}
    best = find(given, 6)
    assert sorted(best.labels) == [("1-6",), ("7-12",)]
    monkeypatch.setattr("kanon_sql.search.local.search._CUT_TOO", 0)
    assert find(given, 6).ncp > best.ncp


@pytest.mark.slow
def test_what_time_is_too_short_for_is_cut(tmp_path: Path) -> None:
    """The sweep ends at once; the cuts have the time that is left."""
    config = mixed(tmp_path, 200)
    with prepared(from_mapping({**config, "algorithm": "mondrian"})) as (engine, tuples):
        search = LocalSearch(engine, tuples, 4, Progress())
        search._search = lambda queries: (_ for _ in ()).throw(TimeUpError)  # type: ignore[method-assign]
        outcome = search.run(Deadline(60))
        assert not outcome.finished
        assert outcome.cuts > 10
        loss = weighted(tuples, build_classes(engine, tuples).units)
        assert loss == pytest.approx(cut(engine, tuples, 4))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k", "most"), [(8, 2, 1.1), (9, 3, 1.1), (10, 2, 1.1), (10, 3, 1.1)])
def test_the_gap_to_the_true_optimum(tmp_path: Path, n: int, k: int, most: float) -> None:
    total, least, proven = 0.0, 0.0, 0.0
    for seed in range(15):
        chance = random.Random(100 * n + seed)
        files = trees_of(chance, chance.choice([1, 2, 3]))
        rows = [[chance.choice(lines)[0] for lines in files] for _ in range(n)]
        result, best = find(hierarchical(tmp_path, files, rows), k), optimum(files, rows, k)
        loss, bound = result.ncp, 100 * (result.search.bound or 0.0) / len(files)
        assert bound - 1e-9 <= best <= loss + 1e-9
        total, least, proven = total + loss, least + best, proven + bound
    assert total <= most * least
    assert proven >= 0.8 * least


@pytest.mark.slow
@pytest.mark.parametrize("labels", [0, 2])
def test_a_bound_holds_where_labels_are_not_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, labels: int
) -> None:
    """Most labels are worth only what is known of them: of rows far above their price the margin alone."""
    monkeypatch.setattr("kanon_sql.search.local.highs.is_installed", lambda: False)
    monkeypatch.setattr("kanon_sql.search.local.prices._ACTIVE_LABELS", labels)
    monkeypatch.setattr("kanon_sql.search.local.prices._MARGIN", 0.01)
    for seed in range(6):
        chance = random.Random(seed)
        files = trees_of(chance, 2)
        rows = [[chance.choice(lines)[0] for lines in files] for _ in range(9)]
        result, best = find(hierarchical(tmp_path, files, rows), 3), optimum(files, rows, 3)
        assert 100 * (result.search.bound or 0.0) / len(files) - 1e-9 <= best <= result.ncp + 1e-9


@pytest.mark.parametrize("best", [-100.0, -1.0, 0.0, 1e-9, 5.0, 9.0])
def test_a_step_aims_above_what_is_proven(best: float) -> None:
    """By a tenth of the loss at least, up to what may be provable; also where less than nothing is proven."""
    assert best + 0.1 <= target_of_step(best, 10.0) <= 9.5


@pytest.mark.slow
def test_prices_that_prove_less_than_nothing_come_to_prove_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that begins at prices far too high: steps in proportion to the bound would lead nowhere."""
    proven: list[float] = []
    begin, proven_by = Prices._begin, Prices._proven_by

    def begin_too_high(prices: Prices, is_few: bool) -> None:
        begin(prices, is_few)
        prices.queries.run_text('UPDATE "kanon_sql_local_prices" SET price = 4 * ceiling')

    def noted(prices: Prices, values: str) -> float:
        proven.append(proven_by(prices, values))
        return proven[-1]

    monkeypatch.setattr("kanon_sql.search.local.highs.is_installed", lambda: False)
    monkeypatch.setattr(Prices, "_begin", begin_too_high)
    monkeypatch.setattr(Prices, "_proven_by", noted)
    chance = random.Random(0)
    files = trees_of(chance, 2)
    rows = [[chance.choice(lines)[0] for lines in files] for _ in range(60)]
    result = find(hierarchical(tmp_path, files, rows), 4)
    assert proven[0] < 0
    assert 100 * (result.search.bound or 0.0) / len(files) >= 0.5 * result.ncp


@pytest.mark.slow
def test_too_many_tuples_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kanon_sql.search.local.search._MOST_SWEPT", 50)
    monkeypatch.setattr("kanon_sql.search.local.search._CUT_TOO", 0)
    with prepared(from_mapping({**mixed(tmp_path, 200), "algorithm": "mondrian"})) as (engine, tuples):
        result = searched(engine, tuples, 4)
        assert result.search.finished
        assert weighted(tuples, result.classes.units) == pytest.approx(cut(engine, tuples, 4))


@pytest.mark.slow
def test_large_tuples_lend_what_they_can_spare(tmp_path: Path) -> None:
    """Two rows of their own, far from each other, each beside three alike: the sweep makes a class of the two."""
    lines = [[word, word[0], "*"] for word in ("a1", "a2", "b1", "b2")]
    rows = [[word] for word in ("a1", "a1", "a1", "b1", "b1", "b1", "a2", "b2")]
    result = find(hierarchical(tmp_path, [lines], rows), 2)
    assert sorted(result.labels) == [("a",), ("a1",), ("b",), ("b1",)]
    assert result.ncp == pytest.approx(optimum([lines], rows, 2))


@pytest.mark.slow
def test_lending_never_loses_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kanon_sql.search.local.search._CUT_TOO", 0)
    monkeypatch.setattr(LocalSearch, "_price", lambda search, queries: None)
    configs = []
    for seed in range(12):
        chance = random.Random(seed)
        files = trees_of(chance, 2)
        few = [[chance.choice(lines)[0] for lines in files] for _ in range(6)]
        rows = [chance.choice(few) for _ in range(40)] + [
            [chance.choice(lines)[0] for lines in files] for _ in range(9)
        ]
        (tmp_path / str(seed)).mkdir()
        configs.append((hierarchical(tmp_path / str(seed), files, rows), chance.choice([2, 3, 5])))
    lent = [find(config, k).ncp for config, k in configs]
    monkeypatch.setattr(LocalSearch, "_improve", lambda search, queries: None)
    swept = [find(config, k).ncp for config, k in configs]
    assert all(loss_lent <= loss_swept + 1e-9 for loss_lent, loss_swept in zip(lent, swept, strict=True))
    assert sum(lent) < 0.98 * sum(swept)


@pytest.mark.slow
def test_prices_guide_to_classes_that_lose_less(tmp_path: Path) -> None:
    """No table loses more than without them, and all together less; every class has its rows in both."""
    losses_by_effort: dict[str, list[float]] = {"fast": [], "default": []}
    for seed in range(5):
        chance = random.Random(seed)
        files = trees_of(chance, 3)
        rows = [[chance.choice(lines)[0] for lines in files] for _ in range(150)]
        config = {**hierarchical(tmp_path, files, rows), "algorithm": "mondrian"}
        for effort, losses in losses_by_effort.items():
            with prepared(from_mapping(config)) as (engine, tuples):
                LocalSearch(engine, tuples, 4, Progress(), effort=effort).run(Deadline())
                sizes = engine.run("SELECT sum(row_count) FROM kanon_sql_assigned GROUP BY part")
                assert min(sizes)[0] >= 4
                assert sum(size for (size,) in sizes) == 150
                losses.append(weighted(tuples, build_classes(engine, tuples).units))
    assert all(
        by_default <= fast + 1e-9
        for by_default, fast in zip(losses_by_effort["default"], losses_by_effort["fast"], strict=True)
    )
    assert sum(losses_by_effort["default"]) < sum(losses_by_effort["fast"])
