"""The risk of a sample with weights: every figure against plain loops, sums and integrals of the definition."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from math import exp, log
from pathlib import Path
from typing import Any

import polars
import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from table_files import write_csv

import kanon_sql
from kanon_sql.errors import ConfigurationError, UnfittingSourceError
from kanon_sql.measures.risk.population import _FEW, _TERMS
from kanon_sql.privacy.uniqueness import ClassSizes, estimate_uniqueness
from kanon_sql.sql.connection import EngineOptions, open_engine

Json = dict[str, Any]
Row = tuple[str | None, ...]

WEIGHTS = ["1", "1.0", "1.25", "2", "2.5", "7", "19.75", "40"]


def summed(size: int, persons: float) -> float:
    """The expected 1/F, F being negative binomial: its terms added up from the smallest F."""
    chance = min(1.0, size / persons)
    total, seen, there, likely = 0.0, 0.0, size, chance**size
    while seen < 1 - 1e-11:
        total, seen = total + likely / there, seen + likely
        likely *= there / (there + 1 - size) * (1 - chance)
        there += 1
    return total


def integrated(size: int, persons: float) -> float:
    """The same as the integral of the expected e^(-tF) over t > 0, at t = e^y."""
    chance, step = size / persons, 1 / 64

    def at(y: float) -> float:
        shrunk = exp(-exp(y))
        return float(exp(y + size * (log(chance * shrunk) - log(1 - (1 - chance) * shrunk)))) if shrunk else 0.0

    return step * sum(at(i * step) for i in range(-64 * 45, 64 * 6))


@pytest.mark.slow
def test_the_expected_risk_at_every_size() -> None:
    sizes = (1, 2, 3, 4, _FEW, _FEW + 1, 60, 5000)
    cases = [(size, size * times) for size in sizes for times in (1.001, 1.4, 1.99, 2.01, 3, 50, 1e4, 1e9)]
    with open_engine(EngineOptions()) as engine:
        rows = ", ".join(f"({size}, {persons!r}::DOUBLE, 1)" for size, persons in cases)
        engine.run(f"CREATE TEMP TABLE given AS FROM (VALUES {rows}) AS t (size, persons, class_count)")
        names = {"weighted_classes": "given", "class_risks": "found"}
        engine.query("measures/risk/weights/risks", names=names, values={"few": _FEW, "terms": _TERMS})
        risks = {(size, chance): risk for size, chance, _, risk in engine.run("FROM found")}
    assert len(risks) == len(cases)
    for size, persons in cases:
        risk = risks[size, size / persons]
        assert risk == pytest.approx(integrated(size, persons), rel=1e-9)
        assert 1 / persons <= risk <= 1 / size
    assert integrated(3, 20.0) == pytest.approx(summed(3, 20.0), rel=1e-8)
    assert risks[1, 1 / 1e4] == pytest.approx(log(1e4) / (1e4 - 1))


def expected(rows: Sequence[Row], weights: Sequence[float], threshold: float) -> Json:
    """The report's part from the definitions."""
    members = defaultdict(list)
    for row, weight in zip(rows, weights, strict=True):
        members[row].append(weight)
    risks = [summed(len(members[row]), sum(members[row])) for row in rows]
    alone = [held[0] for held in members.values() if len(held) == 1]
    above = sum(risk > threshold for risk in risks)
    return {
        "column": "weight",
        "population_size": pytest.approx(sum(weights)),
        "below_one": sum(weight < 1 for weight in weights),
        "highest": pytest.approx(max(risks)),
        "average": pytest.approx(sum(risks) / len(rows)),
        "above": {"rows": above, "share": above / len(rows)},
        "reidentifications": pytest.approx(sum(risks)),
        "unique": {"rows": len(alone), "in_population": pytest.approx(sum(min(1, 1 / weight) for weight in alone))},
    }


def write(path: Path, names: Sequence[str], rows: Sequence[Row]) -> None:
    write_csv(path, [names, *(["" if value is None else value for value in row] for row in rows)], quote=True)


def configured(folder: Path, names: Sequence[str], **more: Any) -> Json:
    return {"source": str(folder / "t.csv"), "quasi_identifiers": list(names), "privacy": {"k": 1}, **more}


@st.composite
def random_tables(draw: st.DrawFn) -> tuple[int, list[Row]]:
    """(number of quasi-identifiers, rows with the weight last)."""
    width = draw(st.integers(1, 3))
    values = st.sampled_from([None, "a", "A", "02", "2", "*"][: draw(st.integers(1, 6))])
    row = st.tuples(*(values for _ in range(width)), st.sampled_from([*WEIGHTS, "0.5"]))
    return width, draw(st.lists(row, min_size=1, max_size=20))


@pytest.mark.slow
@settings(max_examples=tries(25))
@given(table=random_tables(), threshold=st.sampled_from([0, 0.07, 0.23, 0.45]))
def test_figures_are_those_of_the_definitions(folder: Path, table: tuple[int, list[Row]], threshold: float) -> None:
    width, held = table
    names = [f"c{i}" for i in range(width)]
    write(folder / "t.csv", [*names, "weight"], held)
    rows, weights = [row[:-1] for row in held], [float(row[-1] or 0) for row in held]
    data = kanon_sql.risk(configured(folder, names), weights="weight", threshold=threshold, subsets=0)
    assert data["before"]["weighted"] == expected(rows, weights, threshold)
    sizes = ClassSizes.of(Counter(Counter(rows).values()).items())
    persons = max(len(rows), sum(weights))
    unique = data["population_uniqueness"]
    assert unique["population_size"] == pytest.approx(persons)
    assert unique["zayatz"] == pytest.approx(estimate_uniqueness(sizes, unique["population_size"]).zayatz)
    assert any("below 1" in warning for warning in data["warnings"]) == any(weight < 1 for weight in weights)


def test_weights_of_one_say_that_the_table_is_its_population(tmp_path: Path) -> None:
    rows: list[Row] = [("a", "1"), ("a", "1.0"), ("b", "1"), (None, "1"), (None, "1"), (None, "1e0")]
    rows += [("c", "1")] * 25
    write(tmp_path / "t.csv", ["a", "w"], rows)
    data = kanon_sql.risk(configured(tmp_path, ["a"]), weights="w", subsets=0)
    part, weighted = data["before"], data["before"]["weighted"]
    for key in ("highest", "average", "above"):
        assert weighted[key] == part["prosecutor"][key]
    assert weighted["reidentifications"] == part["classes"]["count"] == 4
    assert weighted["unique"] == {"rows": 1, "in_population": 1.0}
    assert weighted["population_size"] == data["population_uniqueness"]["population_size"] == 31
    assert data["population_uniqueness"]["dankar"] == pytest.approx(1 / 31) and data["warnings"] == []


def test_the_release_has_weights_or_not(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", ["a", "w"], [("x", "3,5"), ("y", "2"), ("z", "4,5")])
    columns = {"columns": {"w": {"type": "number", "decimal": ","}}, "path": str(tmp_path / "t.csv")}
    config = configured(tmp_path, ["a"], source=columns, target=str(tmp_path / "r.csv"), insensitive=["w"])
    for header, cells, said in (
        (["a", "w"], [("*", "3,5"), ("*", "4,5")], None),
        (["a", "other"], [("*", "3,5"), ("*", "4,5")], "has no column 'w'"),
        (["a", "w"], [("*", "3,5"), ("*", "2-5")], "a value that is no number in 1 rows"),
    ):
        write(tmp_path / "r.csv", header, cells)
        data = kanon_sql.risk(config, weights="w", subsets=0)
        assert data["before"]["weighted"]["population_size"] == 10
        weighted = data["after"]["weighted"]
        assert data["after"]["population_uniqueness"]["population_size"] == 10
        if said is None:
            assert (weighted["population_size"], data["warnings"]) == (8, [])
            assert weighted["highest"] == pytest.approx(summed(2, 8.0))
        else:
            assert weighted is None and len(data["warnings"]) == 1 and said in data["warnings"][0]


def test_what_is_no_weight(tmp_path: Path) -> None:
    cells = ["1", "0", "-7", "", "secret", "inf", "nan", "1e16", "0.0000000000001"]
    write(tmp_path / "t.csv", ["a", "w"], [("x", cell) for cell in cells])
    config = configured(tmp_path, ["a"])
    with pytest.raises(UnfittingSourceError) as raised:
        kanon_sql.risk(config, weights="w")
    (problem,) = raised.value.problems
    assert "'w'" in problem and "secret" not in problem and "\n" not in problem
    assert "no value in 1 rows, a value that is no number in 4 rows, a number that is 0 or less in 3 rows" in problem
    with pytest.raises(UnfittingSourceError, match="there is no column 'v'"):
        kanon_sql.risk(config, weights="v")
    with pytest.raises(ConfigurationError, match="--weights and --population-size") as refused:
        kanon_sql.risk(config, weights="w", population_size=100)
    assert len(refused.value.problems) == 1
    frame = polars.DataFrame({"a": ["x"], "w": [True]})
    with pytest.raises(UnfittingSourceError, match="is of type BOOLEAN"):
        kanon_sql.risk({"quasi_identifiers": ["a"], "privacy": {"k": 1}}, data=frame, weights="w")


def test_rows_that_do_not_take_part_need_no_weight(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", ["a", "w"], [("x", "2"), ("x", "3"), (None, "none")])
    weighted = kanon_sql.risk(configured(tmp_path, ["a"], missing="drop"), weights="w", subsets=0)["before"]["weighted"]
    assert weighted["population_size"] == 5 and weighted["average"] == pytest.approx(summed(2, 5.0))
