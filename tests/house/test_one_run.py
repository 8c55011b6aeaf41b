"""The page that shows a run is what a run does."""

from __future__ import annotations

import importlib
from importlib.metadata import version

import pytest
from places import ROOT, TESTS

from kanon_sql.sql.tables import MOST_LABELS


@pytest.mark.skipif(not MOST_LABELS, reason="the page is of an engine with ENUM types, DuckDB 2")
def test_the_page_of_one_run_is_what_a_run_executes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    module = importlib.import_module("one_run")
    golden = TESTS / "release" / "compiled" / "levels.postgres.sql"  # written by the same version
    written_by = golden.read_text(encoding="utf-8").splitlines()[0].split()[-1]
    if version("sqlglot") != written_by:
        pytest.skip(f"written by sqlglot {written_by}, others may write other text of one meaning")
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), "python scripts/one_run.py writes it anew"
