"""The definitions of the models that dbt and SQLMesh get: those of the recount, and nobody writes them by hand."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import ClassVar

import pytest
from places import ROOT

from kanon_sql.privacy.base import Number, PrivacyModel
from kanon_sql.privacy.registry import MODELS


@pytest.fixture
def definitions(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script."""
    spec = importlib.util.spec_from_file_location("definitions", ROOT / "scripts" / "definitions.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "definitions", module)
    spec.loader.exec_module(module)
    return module


def test_the_definitions_for_dbt_and_sqlmesh_are_those_of_the_recount(definitions: ModuleType) -> None:
    for path, text in definitions.files().items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run `python scripts/definitions.py`"


class Shares(PrivacyModel):
    """A model that says by itself how it is measured."""

    key: ClassVar = "shares"
    position: ClassVar = 99
    summary: ClassVar = "a bound on shares"
    asks: ClassVar = "no share is more than {required}"
    thresholds: ClassVar = {"share": "most"}
    test: ClassVar = "share_bounded"

    @property
    def measure(self) -> str:
        """That of alpha."""
        return "privacy/alpha_k/measure"

    def numbers(self) -> dict[str, Number]:
        """None: it is only written, never asked."""
        return {}


def test_the_macro_of_another_model_is_written_of_its_measure(definitions: ModuleType) -> None:
    text = definitions.macros([*MODELS.values(), Shares])
    macro = text[text.index("{% macro share_bounded(given, denominator, numerator) %}") :]
    assert "MAX(kanon_row_count) * {{ denominator }} > {{ numerator }} * SUM(kanon_row_count)" in macro
