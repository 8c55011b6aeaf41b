"""Local recoding with few columns by the extra `highs`."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from local_tables import Found, find, hierarchical, optimum, trees_of

from kanon_sql.sql.deadline import Deadline

pytestmark = [pytest.mark.tool, pytest.mark.slow]


@pytest.fixture(autouse=True)
def _extra() -> None:
    pytest.importorskip("highspy")


def both(folder: Path, seed: int, rows: int, k: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Found, Found, float]:
    """What is found with the extra and without it, and the least loss in percent (of no more than ten rows)."""
    chance = random.Random(seed)
    files = trees_of(chance, chance.choice([2, 3]))
    drawn = [[chance.choice(lines)[0] for lines in files] for _ in range(rows)]
    config = hierarchical(folder, files, drawn)
    with_solver = find(config, k)
    with monkeypatch.context() as without:
        without.setattr("kanon_sql.search.local.highs.is_installed", lambda: False)
        without_solver = find(config, k)
    return with_solver, without_solver, optimum(files, drawn, k) if rows <= 10 else 0.0


def proven(result: Found) -> float:
    """The bound in percent."""
    return 100 * (result.search.bound or 0.0) / len(result.classes.units)


def test_the_solver_says_nothing() -> None:
    """HiGHS 1.16 names itself once a process on standard output, where a report may stand."""
    program = "from kanon_sql.search.local.highs import Deadline, solver_for; solver_for(1, Deadline()).run()"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout + ran.stderr == ""


def test_small_tables_are_released_at_the_optimum_and_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without, least = 0.0, 0.0
    for seed in range(8):
        with_solver, without_solver, best = both(tmp_path, seed, 10, 2 + seed % 2, monkeypatch)
        assert proven(with_solver) - 1e-9 <= best <= with_solver.ncp + 1e-9
        assert with_solver.ncp <= 1.002 * best + 1e-9
        assert proven(with_solver) >= 0.997 * best
        without, least = without + without_solver.ncp, least + best
    assert least < without


@pytest.mark.parametrize("pairs", [1, 12, 40])
def test_a_bound_holds_where_pairs_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pairs: int) -> None:
    """Labels that relaxations took are left aside, too: the classes found are poor, so that much could be better."""
    monkeypatch.setattr("kanon_sql.search.local.program._PROVEN_PAIRS", {"default": pairs})
    monkeypatch.setattr("kanon_sql.search.local.program._LEAST_ROOM", 0.0)
    monkeypatch.setattr("kanon_sql.search.local.program.Program.choose", lambda program, upper: upper)
    bounds, least = 0.0, 0.0
    for seed in range(4):
        chance = random.Random(seed)
        files = trees_of(chance, 2)
        drawn = [[chance.choice(lines)[0] for lines in files] for _ in range(9)]
        best = optimum(files, drawn, 3)
        result = find(hierarchical(tmp_path, files, drawn), 3)
        assert proven(result) - 1e-9 <= best <= result.ncp + 1e-9
        bounds, least = bounds + proven(result), least + best
    assert bounds >= 0.8 * least


def test_a_relaxation_that_begins_where_another_ended_finds_the_same() -> None:
    """Three tuples of two rows; labels of two of them each, and of all, of which the first relaxation knows one."""
    numpy = pytest.importorskip("numpy")
    from kanon_sql.search.local import highs

    rows, caps = numpy.full(3, 2.0), numpy.full(3, 9.0)
    label, cell = numpy.array([0, 0, 0, 1, 1, 2, 2]), numpy.array([0, 1, 2, 0, 1, 1, 2])
    cost = numpy.array([3.0, 3.0, 3.0, 1.0, 1.0, 2.0, 2.0])
    names = numpy.array([-1, 5, 8])
    all_pairs = highs.FacilityProblem(rows, label, cell, cost, 3)
    some_pairs = highs.FacilityProblem(rows, label[:3], cell[:3], cost[:3], 3)
    first = highs.relax(some_pairs, names[:1], caps, None, highs.solver_for(9, Deadline()))
    assert first is not None
    assert first.loss == pytest.approx(18)
    cold, warm = (
        highs.relax(all_pairs, names, caps, beginning, highs.solver_for(9, Deadline())) for beginning in (None, first)
    )
    assert cold is not None
    assert warm is not None
    assert warm.loss == pytest.approx(cold.loss)
    assert warm.loss < first.loss


def test_larger_tables_lose_less_and_are_proven_nearer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [both(tmp_path, seed, 150, 4, monkeypatch)[:2] for seed in range(4)]
    assert all(with_solver.ncp <= without_solver.ncp + 1e-9 for with_solver, without_solver in pairs)
    assert sum(with_solver.ncp for with_solver, _ in pairs) < sum(without_solver.ncp for _, without_solver in pairs)
    assert sum(proven(with_solver) for with_solver, _ in pairs) > sum(
        proven(without_solver) for _, without_solver in pairs
    )


def test_too_many_pairs_are_priced_without_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kanon_sql.search.local.program._MOST_PAIRS", {"default": 0, "best": 0})
    with_solver, without_solver, best = both(tmp_path, 1, 10, 2, monkeypatch)
    assert 0 < proven(with_solver) <= best + 1e-9
    assert best - 1e-9 <= with_solver.ncp <= 1.1 * without_solver.ncp
