"""The page that shows a run is what a run does."""

from __future__ import annotations

import importlib

import pytest
from places import ROOT


def test_the_page_of_one_run_is_what_a_run_executes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    module = importlib.import_module("one_run")
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), "python scripts/one_run.py writes it anew"
