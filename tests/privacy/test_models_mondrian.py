"""Mondrian with models beyond k: every class holds them, and none can be cut into two that do."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from model_cases import ModelTable, model_tables_of_numbers, slow
from model_runs import check_hierarchies, check_mondrian

import kanon_sql
from kanon_sql.errors import ConfigurationError


@pytest.mark.slow
@slow
@given(case=model_tables_of_numbers())
def test_every_class_holds_all_models_and_cannot_be_cut(case: ModelTable, tmp_path: Path) -> None:
    check_mondrian(case, tmp_path)


@pytest.mark.slow
@slow
@given(case=model_tables_of_numbers())
def test_hierarchies_and_local_recoding_hold_them_too(case: ModelTable, tmp_path: Path) -> None:
    check_hierarchies(case, tmp_path)


def test_relaxed_cuts_do_not_see_sensitive_values(tmp_path: Path) -> None:
    case = ModelTable((("1", "2", "5", "p"),), 1, 0, (("l_diversity", {"l": 1}),), by_entity=False)
    algorithm = {"name": "mondrian", "cut": "relaxed"}
    config = case.config(tmp_path, algorithm=algorithm, quasi_identifiers=["a", "b"])
    with pytest.raises(ConfigurationError, match="with models beyond k expected cut: strict"):
        kanon_sql.run(config)
