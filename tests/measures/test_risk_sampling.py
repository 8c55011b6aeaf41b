"""Uniqueness in a population of which only the size is known, from end to end."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from effort import needs, tries, with_marks
from hypothesis import given, settings
from hypothesis import strategies as st
from places import ROOT
from table_files import write_csv
from tables import configuration, write

import kanon_sql
from kanon_sql.errors import ConfigurationError
from kanon_sql.privacy.uniqueness import ClassSizes, estimate_uniqueness

Json = dict[str, Any]

ADULT_ARX = ROOT.parent / "shared" / "data" / "adult_arx"
needs_adult = with_marks(needs(ADULT_ARX))


@needs_adult
def test_adult_has_the_figures_of_another_implementation() -> None:
    header = (ADULT_ARX / "adult.csv").read_text(encoding="utf-8").split("\n", 1)[0].split(";")
    config = {"source": str(ADULT_ARX / "adult.csv"), "quasi_identifiers": header, "privacy": {"k": 1}}
    data = kanon_sql.risk(config, sampling_fraction=0.01, subsets=0)
    uniqueness = data["population_uniqueness"]
    assert uniqueness == data["before"]["population_uniqueness"]
    assert uniqueness["pitman"] == pytest.approx(0.14460835, abs=5e-9)
    assert uniqueness["dankar"] == uniqueness["pitman"] and uniqueness["chosen"] == "pitman"
    assert uniqueness["zayatz"] == pytest.approx(0.27171272, abs=5e-9)
    assert uniqueness["snb"] == 0 and uniqueness["without_estimate"] == ["snb"]
    assert uniqueness["population_size"] == pytest.approx(3_016_200)
    again = kanon_sql.risk(config, population_size=3_016_200, subsets=0)["population_uniqueness"]
    for key in ("pitman", "zayatz", "population_size", "sampling_fraction"):
        assert uniqueness[key] == pytest.approx(again[key])


@pytest.mark.slow
@settings(max_examples=tries(25))
@given(
    rows=st.lists(st.tuples(st.sampled_from(["a", "b", "", "*"]), st.integers(1, 6)), min_size=1, max_size=20),
    times=st.integers(1, 40),
)
def test_only_the_sizes_of_the_classes_count(folder: Path, rows: list[tuple[str, int]], times: int) -> None:
    write_csv(folder / "t.csv", [["a", "b"], *([a, str(b)] for a, b in rows)], quote=True)
    config = {"source": str(folder / "t.csv"), "quasi_identifiers": ["a", "b"], "privacy": {"k": 1}}
    size = len(rows) * times
    uniqueness = kanon_sql.risk(config, population_size=size, subsets=0)["before"]["population_uniqueness"]
    sizes = Counter(Counter(rows).values())
    expected = estimate_uniqueness(ClassSizes.of(sizes.items()), size)
    for model in ("pitman", "zayatz", "snb"):
        share = getattr(expected, model)
        assert uniqueness[model] == (share or 0)
        assert (model in uniqueness["without_estimate"]) == (share is None)
    assert (uniqueness["dankar"], uniqueness["chosen"]) == (expected.dankar, expected.chosen)
    assert uniqueness["sampling_fraction"] == pytest.approx(1 / times)


@pytest.mark.slow
def test_the_release_is_a_sample_of_the_same_population(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "people.csv")
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(configuration("people.csv", "release.csv")))
    monkeypatch.chdir(tmp_path)
    kanon_sql.run("config.yaml")
    data = kanon_sql.risk("config.yaml", sampling_fraction=0.05, subsets=0)
    before, after = (data[word]["population_uniqueness"] for word in ("before", "after"))
    assert before["population_size"] == after["population_size"] == data["before"]["rows"]["measured"] / 0.05
    assert after["sampling_fraction"] == data["after"]["rows"]["measured"] / after["population_size"]
    assert after["dankar"] == after["pitman"] == after["zayatz"] == 0 < before["dankar"]
    assert kanon_sql.risk("config.yaml", subsets=0)["population_uniqueness"] is None


def test_impossible_populations_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "people.csv")
    config = configuration(str(tmp_path / "people.csv"), None) | {"unlisted": "drop"}
    impossible: list[tuple[Json, int]] = [
        ({"population_size": 3}, 1),
        ({"population_size": 0}, 1),
        ({"sampling_fraction": 0}, 1),
        ({"sampling_fraction": 1.5}, 1),
        ({"sampling_fraction": float("nan")}, 1),
        ({"population_size": 0, "sampling_fraction": -1}, 3),
    ]
    for given_, problems in impossible:
        with pytest.raises(ConfigurationError) as raised:
            kanon_sql.risk(config, **given_)
        assert len(raised.value.problems) == problems
