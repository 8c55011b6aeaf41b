"""The page of tables is what the queries say."""

from __future__ import annotations

import importlib
from types import ModuleType

import pytest
from places import ROOT


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return importlib.import_module("query_tables")


def test_the_page_of_tables_is_current(script: ModuleType) -> None:
    assert script.PAGE.read_text(encoding="utf-8") == script.page(), "python scripts/query_tables.py writes it anew"


def test_writers_and_readers_of_a_table(script: ModuleType) -> None:
    usage = script.usages("search/local")["accepted"]
    assert usage.writers == ["accept"]
    assert usage.readers == ["accept", "next_offers", "takers"]
    assert (usage.columns, usage.meaning) == ("label", "the labels that were accepted")


def test_names_of_with_are_no_tables(script: ModuleType) -> None:
    assert "winning" not in script.usages("search/local")
