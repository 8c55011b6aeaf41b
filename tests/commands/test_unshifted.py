"""Dates that are released as they are beside shifted ones are warned of."""

from __future__ import annotations

from pathlib import Path

import pytest
from table_files import write_csv

import kanon_sql


@pytest.mark.parametrize(("shifted", "levels", "warned"), [(["a"], 0, True), (["a", "b"], 0, False), (["a"], 1, False)])
def test_unshifted_dates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shifted: list[str], levels: int, warned: bool
) -> None:
    rows = [[f"p{i}", f"2024-01-{1 + i % 28:02}", f"2024-02-{1 + i % 2:02}", "fm"[i // 20]] for i in range(40)]
    write_csv(tmp_path / "in.csv", [["person", "a", "b", "sex"], *rows])
    monkeypatch.setenv("SHIFT_KEY", "0f" * 32)
    born = {"builtin": "date", "levels": ["month", "year"], "min_level": levels, "max_level": levels}
    config = {
        "source": str(tmp_path / "in.csv"),
        "target": str(tmp_path / "out.csv"),
        "identifiers": ["person"],
        "quasi_identifiers": {"sex": {"builtin": "suppress"}, **({} if "b" in shifted else {"b": born})},
        "insensitive": shifted,
        "privacy": {"k": 2},
        "transform": {name: {"shift": {"days": 30, "by": "person", "key": "${SHIFT_KEY}"}} for name in shifted},
    }
    result = kanon_sql.run(config, advice=False, dry_run=True)
    assert any("beside shifted dates" in text for text in result.warnings) == warned
