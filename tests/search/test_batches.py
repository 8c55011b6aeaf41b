"""Nodes that are counted many in one statement, against a count of each."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

import kanon_sql
from kanon_sql.search.full_domain.checker import NodeChecker


@pytest.mark.parametrize("columns", [5, *(pytest.param(number, marks=pytest.mark.slow) for number in (36, 70))])
def test_nodes_of_keys_of_any_width(tmp_path: Path, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two bits a column: one word of 64 bits, one of 128, and keys too wide for either."""
    monkeypatch.setattr(NodeChecker, "rolls_up", False)
    drawn = random.Random(columns)
    names = [f"c{i}" for i in range(columns)]
    rows = [[drawn.choice(["a", "b", ""]) for _ in names] for _ in range(60)]
    (tmp_path / "data.csv").write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n", "utf-8")
    fixed = {name: {"builtin": "suppress", "min_level": 1} for name in names[2:-2]}
    nodes = kanon_sql.lattice(
        {
            "source": str(tmp_path / "data.csv"),
            "target": str(tmp_path / "out.csv"),
            "quasi_identifiers": {name: fixed.get(name, {"builtin": "suppress"}) for name in names},
            "privacy": {"k": 3},
            "suppression": {"limit": "50%"},
        }
    )["nodes"]
    assert len(nodes) == 16
    for node in nodes:
        shown = [i for i, name in enumerate(names) if node["levels"][name] == 0]
        classes = Counter(tuple(row[i] for i in shown) for row in rows)
        assert node["suppressed"] == sum(size for size in classes.values() if size < 3)
        assert node["classes"] == sum(size >= 3 for size in classes.values())
