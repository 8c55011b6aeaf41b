"""Suppressed rows that stay as `*`: only where they, with rows that are `*` anyway, are a class that holds."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from table_files import read_csv, write_csv

import kanon_sql
from kanon_sql.commands.run.pipeline import _masked
from kanon_sql.config.load import from_mapping
from kanon_sql.release.full_domain import FullDomainRelease

Json = dict[str, Any]
# Rows of q, r and s: those of a and c are too few for classes of their own, and of one value together.
BIG = [["b", "y", "1"], ["b", "y", "2"], ["b", "y", "1"]]
ALIKE = [["a", "y", "7"], ["c", "y", "7"]]


def configuration(folder: Path, rows: list[list[str]], **privacy: Any) -> Json:
    """Both columns are released as they are; suppressed rows are masked where that may be."""
    write_csv(folder / "source.csv", [["q", "r", "s"], *rows])
    as_it_is = {"builtin": "suppress", "max_level": 0}
    return {
        "source": str(folder / "source.csv"),
        "target": str(folder / "release.csv"),
        "quasi_identifiers": {"q": as_it_is, "r": as_it_is},
        "sensitive": ["s"],
        "privacy": {"k": 2, "l_diversity": {"column": "s", "l": 2}, **privacy},
        "suppression": {"limit": "50%"},
        "release": {"suppressed": "mask"},
    }


@pytest.mark.parametrize("known", [{}, {"known_columns": 1}])
def test_masked_rows_hold_every_model_together(tmp_path: Path, known: Json) -> None:
    report = kanon_sql.run(configuration(tmp_path, BIG + ALIKE, **known)).report
    assert (report["rows"]["suppressed"], report["rows"]["masked"]) == (2, 0)
    assert [(row["q"], row["r"]) for row in read_csv(tmp_path / "release.csv")] == [("b", "y")] * 3


def test_a_statement_masks_no_rows_that_a_run_would_not(tmp_path: Path) -> None:
    config = configuration(tmp_path, BIG + ALIKE)
    del config["target"]
    statement = str(kanon_sql.compile(config))
    assert "are left out" in statement and "are masked" not in statement


@pytest.mark.parametrize(
    ("algorithm", "can_mask", "masked", "said"),
    [
        ("optimal", True, 3, None),
        ("optimal", False, 0, "too few to be masked"),
        ("mondrian", True, 0, "with mondrian 3 suppressed rows are dropped"),
        ("local", True, 0, "with local 3 suppressed rows are dropped"),
    ],
)
def test_rows_are_masked_by_levels_where_they_are_enough(
    algorithm: str, can_mask: bool, masked: int, said: str | None
) -> None:
    base = {"source": "a.csv", "quasi_identifiers": {"q": {"builtin": "suppress"}}, "privacy": {"k": 5}}
    for how, expected in (("mask", masked), ("drop", 0)):
        loaded = from_mapping({**base, "algorithm": algorithm, "release": {"suppressed": how}})
        run = SimpleNamespace(loaded=loaded, draft=SimpleNamespace(warnings=[]))
        problem = SimpleNamespace(models=SimpleNamespace(only_k=True))
        release = SimpleNamespace(result=SimpleNamespace(suppressed=3), can_mask=lambda: can_mask, problem=problem)
        assert _masked(cast("Any", run), cast("Any", release)) == expected
        warned = said is not None and how == "mask"
        assert [said in text for text in run.draft.warnings if said] == [True] * warned


def test_rows_are_not_masked_beside_a_population() -> None:
    """It has no class of them."""
    release = FullDomainRelease.__new__(FullDomainRelease)
    release.__dict__["result"] = SimpleNamespace(problem=SimpleNamespace(populations=["everyone"]))
    assert release.can_mask() is False
