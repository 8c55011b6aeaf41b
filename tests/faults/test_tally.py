"""The figures of long runs: kept in docs/reliability.json, and told by docs/reliability.md as they are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from trials import tally

TEXT = "# Page\n\n<!-- one -->\nstale\n<!-- end -->\nbetween\n<!-- other -->\n<!-- end -->\nafter\n"


def test_the_page_tells_what_is_kept() -> None:
    recorded = json.loads(tally.KEPT.read_text(encoding="utf-8")) if tally.KEPT.exists() else {}
    text = tally.PAGE.read_text(encoding="utf-8")
    assert tally.page(text, recorded) == text
    assert set(tally.PART.findall(text)) >= set(recorded)


def test_a_table_is_written_between_its_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(TEXT, encoding="utf-8")
    monkeypatch.setattr(tally, "PAGE", page)
    monkeypatch.setattr(tally, "KEPT", tmp_path / "kept.json")
    tally.record("one", "scripts/faults one", ["came", "times"], [["old", 1234], ["a new one", 5]], {"seeds": [[0, 7]]})
    written = page.read_text(encoding="utf-8")
    assert "stale" not in written
    assert "| came | times |\n| --- | ---: |\n| old | 1,234 |\n| a new one | 5 |\n" in written
    assert written.endswith(f"<!-- end -->\nbetween\n<!-- other -->\n{tally.NOTHING}<!-- end -->\nafter\n")
    assert tally.recorded("one")["state"] == {"seeds": [[0, 7]]}
    assert tally.recorded("other") == {}
