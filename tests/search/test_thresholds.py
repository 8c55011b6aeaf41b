"""Thresholds on the released table as a whole, against all nodes of small random tables by plain loops."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from cases import Case, cases
from effort import tries
from hypothesis import event, given, settings
from hypothesis import strategies as st
from reference import Levels, Node, Problem
from table_files import write_csv
from tables import configuration, people, write

import kanon_sql
from kanon_sql.config.load import from_mapping
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.privacy.thresholds import AverageRisk, UniquenessThreshold, least_size
from kanon_sql.privacy.uniqueness import ClassSizes, estimate_uniqueness

Json = dict[str, Any]


@dataclass(frozen=True)
class Thresholds:
    """An average risk, or a share of unique persons with the fraction of the population."""

    average: Fraction | None
    unique: tuple[Fraction, Fraction] | None

    def entries(self) -> Json:
        models: Json = {}
        if self.average is not None:
            models["average_risk"] = {"at_most": float(self.average)}
        if self.unique is not None:
            models["population_uniqueness"] = {"at_most": float(self.unique[0]), "fraction": f"{self.unique[1] * 100}%"}
        return models

    def average_of(self, sizes: list[int]) -> Fraction:
        """The mean over the rows of 1 / rows of the class."""
        rows = [Fraction(1, size) for size in sizes for _ in range(size)]
        return sum(rows, Fraction(0)) / len(rows)

    def uniqueness_of(self, sizes: list[int]) -> float:
        assert self.unique is not None
        return estimate_uniqueness(ClassSizes.of(Counter(sizes).items()), float(sum(sizes) / self.unique[1])).dankar

    def holds(self, sizes: list[int]) -> bool:
        if self.average is not None and self.average_of(sizes) > self.average:
            return False
        return self.unique is None or self.uniqueness_of(sizes) <= self.unique[0]

    def least(self, sizes: list[int], k: int) -> int:
        """The k' of a table whose classes have these sizes."""
        while any(size >= k for size in sizes) and not self.holds([size for size in sizes if size >= k]):
            k += 1
        return k


class Whole(Problem):
    """The reference where the smallest classes are suppressed until the thresholds hold."""

    thresholds: Thresholds

    def node(self, levels: Levels) -> Node:
        return self.at(levels).node(levels)

    def at(self, levels: Levels) -> Problem:
        """The problem with the k' of a node."""
        k = self.thresholds.least(list(self.class_sizes(levels).values()), self.k)
        return Problem(**{**{field.name: getattr(self, field.name) for field in fields(Problem)}, "k": k})


def whole(problem: Problem, thresholds: Thresholds) -> Whole:
    whole_problem = Whole(**{field.name: getattr(problem, field.name) for field in fields(Problem)})
    object.__setattr__(whole_problem, "thresholds", thresholds)
    return whole_problem


shares = st.sampled_from([Fraction(twentieths, 20) for twentieths in (18, 12, 10, 8, 5, 4, 3, 2)])
drawn_thresholds = st.builds(
    Thresholds, shares, st.none() | st.tuples(shares, st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 20)]))
) | st.builds(Thresholds, st.none(), st.tuples(shares, st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 20)])))
ALGORITHMS = [
    *[
        ("optimal", "objective", objective)
        for objective in ("loss", "geometric-mean-loss", "discernibility", "precision")
    ],
    ("optimal", "objective", "average-class-size"),
    ("samarati", "prefer", "loss"),
    ("minimal", "prefer", "loss"),
]


@pytest.mark.slow
@settings(max_examples=tries(60))
@given(case=cases(most=14), thresholds=drawn_thresholds, algorithm=st.sampled_from(ALGORITHMS), alone=st.booleans())
def test_the_release_is_the_best_that_holds_the_thresholds(
    folder: Path, case: Case, thresholds: Thresholds, algorithm: tuple[str, str, str], alone: bool
) -> None:
    name, option, value = algorithm
    problem = whole(case.problem, thresholds)
    object.__setattr__(problem, "k", 1 if alone else problem.k)
    config = case.config(folder, algorithm={"name": name, option: value})
    config["privacy"] = {**({} if alone else {"k": problem.k}), **thresholds.entries()}
    if not problem.n or not problem.satisfying:
        event("no release")
        with pytest.raises(NoReleaseError):
            kanon_sql.run(config)
        return
    best = problem.winner(name, value)
    event(f"released, {best.suppressed > 0}")
    report = kanon_sql.run(config).report
    assert tuple(report["solution"]["levels"].values()) == best.levels
    assert report["rows"]["suppressed"] == best.suppressed
    assert report["classes"]["count"] == best.classes
    assert report["loss"]["lm"] == pytest.approx(float(best.lm), abs=1e-9)
    assert report["search"]["proven"]
    sizes = list(best.sizes)
    assert report["privacy"]["k"] == {"required": problem.k, "actual": min(sizes)}
    if thresholds.average is not None:
        entry = report["privacy"]["average_risk"]
        assert (
            entry["actual"] == pytest.approx(float(thresholds.average_of(sizes)))
            and entry["actual"] <= entry["required"]
        )
    if thresholds.unique is not None:
        entry = report["privacy"]["population_uniqueness"]
        assert entry["actual"] == pytest.approx(thresholds.uniqueness_of(sizes))
        assert (entry["required"], entry["fraction"]) == tuple(map(float, thresholds.unique))
    written = Counter(tuple(row[column] for column in problem.columns) for row in case.released(folder))
    assert sorted(written.values()) == sorted(sizes)


def test_the_largest_classes_lose_least() -> None:
    """No choice of classes has more rows, of all choices."""
    for sizes in ([1, 1, 2, 3, 5], [1, 2, 2, 2, 9], [1] * 6, [4, 4, 4], [2, 3, 3, 3, 4, 6]):
        for share in (Fraction(9, 10), Fraction(1, 2), Fraction(1, 3), Fraction(3, 10), Fraction(1, 7)):
            choices = [[size for i, size in enumerate(sizes) if chosen >> i & 1] for chosen in range(1 << len(sizes))]
            most = max(sum(kept_sizes) for kept_sizes in choices if len(kept_sizes) <= share * sum(kept_sizes))
            values: Json = {"at_most": share}
            threshold = AverageRisk.model_construct(**values)
            class_sizes = ClassSizes.of(Counter(sizes).items())
            assert threshold.least_lost(class_sizes) == sum(sizes) - most
            kept = class_sizes.at_least(least_size(class_sizes, 1, [threshold])).rows
            assert kept <= most


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "local", "samarati"])
def test_every_algorithm_holds_them(algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "people.csv")
    privacy = {"k": 2, "average_risk": {"at_most": "9%"}, "population_uniqueness": {"at_most": 0.01, "fraction": 0.05}}
    config = configuration("people.csv", "release.csv", algorithm=algorithm) | {"privacy": privacy}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    monkeypatch.chdir(tmp_path)
    report = kanon_sql.run("config.yaml").report
    reached = report["privacy"]["average_risk"]
    assert reached["required"] == 0.09
    assert reached["actual"] == pytest.approx(report["classes"]["count"] / report["rows"]["released"])
    assert reached["actual"] <= 0.09 and report["privacy"]["population_uniqueness"]["actual"] == 0
    assert report["privacy"]["k"]["required"] == 2
    checked = kanon_sql.check("config.yaml", "release.csv")
    assert checked["status"] == "satisfied" and checked["privacy"]["average_risk"] == reached
    source = kanon_sql.check("config.yaml", "people.csv")
    rows = Counter(row[:3] for row in people())
    assert source["status"] == "violated"
    assert source["privacy"]["average_risk"]["actual"] == pytest.approx(len(rows) / sum(rows.values()))


def test_a_table_above_a_threshold_is_violated_though_its_classes_hold_k(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", [["a"], *[["x"]] * 2, *[["y"]] * 2, *[["z"]] * 3])
    config: Json = {"source": str(tmp_path / "t.csv"), "quasi_identifiers": ["a"], "privacy": {"k": 2}}
    for at_most, status in ((3 / 7 + 1e-9, "satisfied"), (0.42, "violated")):
        config["privacy"]["average_risk"] = {"at_most": at_most}
        checked = kanon_sql.check(config)
        assert checked["status"] == status
        assert checked["privacy"]["average_risk"]["actual"] == 3 / 7


def test_thresholds_go_with_what_they_count() -> None:
    base: Json = {"source": "t.csv", "target": "o.csv", "quasi_identifiers": {"a": {"builtin": "suppress"}}}
    share = {"at_most": 0.1}
    assert from_mapping({**base, "privacy": {"average_risk": share}}).config.privacy.k == 1
    refused: list[Json] = [
        {"privacy": {"k": 2, "average_risk": share, "entity": "p"}},
        {"privacy": {"k": 2, "average_risk": share, "known_columns": 2}},
        {"privacy": {"k": 2, "average_risk": share}, "group": "h"},
        {"privacy": {"k": 2, "average_risk": share}, "algorithm": {"name": "optimal", "blind": True}},
        {"privacy": {"k": 2, "average_risk": {"at_most": 0}}},
        {"privacy": {"k": 2, "average_risk": {"at_most": "101%"}}},
        {"privacy": {"k": 2, "average_risk": {"at_most": "many"}}},
        {"privacy": {"k": 2, "population_uniqueness": share}},
        {"privacy": {"k": 2, "population_uniqueness": {**share, "fraction": 2}}},
    ]
    for more in refused:
        with pytest.raises(ConfigurationError):
            from_mapping({**base, **more})
    half = UniquenessThreshold.model_validate({"at_most": "50%", "fraction": 1})
    assert half.holds(ClassSizes.of([(1, 1), (3, 1)])) and not half.holds(ClassSizes.of([(1, 3), (2, 1)]))
