"""Local recoding with few columns by the extra `highs`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from local_tables import Found, find, hierarchical, optimum, trees_of

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
    found = find(config, k)
    with monkeypatch.context() as without:
        without.setattr("kanon_sql.search.local.highs.is_installed", lambda: False)
        other = find(config, k)
    return found, other, optimum(files, drawn, k) if rows <= 10 else 0.0


def proven(found: Found) -> float:
    """The bound in percent."""
    return 100 * (found.search.bound or 0.0) / len(found.classes.units)


def test_small_tables_are_released_at_the_optimum_or_near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loss, without, least, bound = 0.0, 0.0, 0.0, 0.0
    for seed in range(12):
        found, other, best = both(tmp_path, seed, 10, 2 + seed % 2, monkeypatch)
        assert proven(found) - 1e-9 <= best <= found.ncp + 1e-9
        assert found.ncp <= other.ncp + 1e-9
        loss, without, least, bound = loss + found.ncp, without + other.ncp, least + best, bound + proven(found)
    assert loss <= 1.01 * least
    assert loss < without
    assert bound >= 0.85 * least


def test_larger_tables_lose_less_and_are_proven_nearer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [both(tmp_path, seed, 150, 4, monkeypatch)[:2] for seed in range(4)]
    assert all(found.ncp <= other.ncp + 1e-9 for found, other in pairs)
    assert sum(found.ncp for found, _ in pairs) < sum(other.ncp for _, other in pairs)
    assert sum(proven(found) for found, _ in pairs) > sum(proven(other) for _, other in pairs)


def test_too_many_pairs_are_priced_without_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kanon_sql.search.local.program._MOST_PAIRS", {"default": 0, "best": 0})
    found, other, best = both(tmp_path, 1, 10, 2, monkeypatch)
    assert 0 < proven(found) <= best + 1e-9
    assert best - 1e-9 <= found.ncp <= 1.1 * other.ncp
