"""A search is declared once and registered under its name: a new one takes no more than that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kanon_sql
from kanon_sql.config.schema import json_schema
from kanon_sql.errors import ConfigurationError
from kanon_sql.search import multidimensional
from kanon_sql.search.full_domain import dispatch
from kanon_sql.settings.algorithms import ALGORITHMS, Algorithm, full_domain
from kanon_sql.sql.deadline import Deadline

ROWS = "age,zip\n21,1011\n22,1012\n35,2011\n36,2012\n"
QUASI_IDENTIFIERS = {"age": {"builtin": "intervals", "widths": [10, 20]}, "zip": {"builtin": "prefix", "keep": [3, 1]}}


def configuration(folder: Path, algorithm: Any) -> dict[str, Any]:
    """A small table, whose least release at k = 2 is below the top of the lattice."""
    (folder / "data.csv").write_text(ROWS, "utf-8")
    return {
        "source": str(folder / "data.csv"),
        "target": str(folder / "out.csv"),
        "quasi_identifiers": QUASI_IDENTIFIERS,
        "privacy": {"k": 2},
        "algorithm": algorithm,
    }


def test_what_is_declared_is_registered() -> None:
    assert {*dispatch.SEARCHES, *multidimensional.SEARCHES} == set(ALGORITHMS)
    assert list(dispatch.SEARCHES) == full_domain()


@pytest.fixture
def top(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that releases the top of the lattice whatever it loses."""
    monkeypatch.setitem(ALGORITHMS, "top", Algorithm(True, {"objective": ("loss", "precision")}))

    def search(options: Any, lattice: Any, *rest: Any) -> Any:
        return dispatch.SEARCHES["optimal"](options, replace(lattice, lows=lattice.highs), *rest)

    monkeypatch.setitem(dispatch.SEARCHES, "top", search)


@pytest.mark.slow
@pytest.mark.usefixtures("top")
def test_a_toy_search_of_levels_runs(tmp_path: Path) -> None:
    least = kanon_sql.run(configuration(tmp_path, "optimal")).report
    report = kanon_sql.run(configuration(tmp_path, "top"), overrides=[("target.overwrite", True)]).report
    assert report["algorithm"] == {"name": "top", "objective": "loss"}
    assert report["solution"]["levels"] == {"age": 3, "zip": 3} != least["solution"]["levels"]
    assert len(set((tmp_path / "out.csv").read_text("utf-8").splitlines()[1:])) == 1
    assert kanon_sql.lattice(configuration(tmp_path, "top"))["nodes"][-1]["winner"]


@pytest.mark.usefixtures("top")
def test_a_toy_search_has_its_options_and_its_schema(tmp_path: Path) -> None:
    schema = json_schema()["$defs"]["AlgorithmConfig"]
    assert "top" in schema["properties"]["name"]["anyOf"][0]["enum"]
    assert schema["dependentSchemas"]["objective"] == {"properties": {"name": {"enum": ["optimal", "top"]}}}
    for given, problem in (
        ({"name": "top", "prefer": "loss"}, "prefer goes with name: samarati or minimal; remove it"),
        ({"name": "top", "objective": "entropy"}, "top takes loss or precision; correct it"),
        (
            {"name": "tip"},
            "expected 'optimal', 'samarati', 'minimal', 'mondrian', 'local', 'microaggregation' or 'top', "
            "got text 'tip'",
        ),
    ):
        with pytest.raises(ConfigurationError, match=problem):
            kanon_sql.check(configuration(tmp_path, given))


def test_a_toy_search_of_classes_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that cuts nothing: it has no time."""
    monkeypatch.setitem(ALGORITHMS, "whole", Algorithm(False, {"seed": ()}, suppresses=False))

    mondrian = multidimensional.SEARCHES["mondrian"]

    def search(engine: Any, given: Any, algorithm: Any, k: int, progress: Any, deadline: Deadline) -> Any:
        del deadline
        return mondrian(engine, given, algorithm, k, progress, Deadline(0))

    monkeypatch.setitem(multidimensional.SEARCHES, "whole", search)
    report = kanon_sql.run(configuration(tmp_path, {"name": "whole", "seed": 3})).report
    assert report["algorithm"] == {"name": "whole", "seed": 3}
    assert report["solution"]["partitions"] == 1
