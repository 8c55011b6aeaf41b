"""The definitions of the models that dbt and SQLMesh get: those of the recount, and nobody writes them by hand."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "definitions.py"


def test_the_definitions_for_dbt_and_sqlmesh_are_those_of_the_recount(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("definitions", SCRIPT)
    assert spec is not None and spec.loader is not None
    definitions = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "definitions", definitions)
    spec.loader.exec_module(definitions)
    for path, text in definitions.files().items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run `python scripts/definitions.py`"
