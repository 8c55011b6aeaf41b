"""Utility where tables are odd: many texts, foreign labels, 32-bit numbers, an outlier that is gone, no rows at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, log
from pathlib import Path
from random import Random
from typing import Any

import pytest
from reference_utility import Both, Row, Value
from shared_engine import attached
from table_files import write_csv

import kanon_sql
from kanon_sql.measures.utility.prediction import largest

Json = dict[str, Any]


def utility_of(folder: Path, source: Sequence[Row], release: Sequence[Row], *quasi: str) -> Json:
    """The figures of a release that is written by hand, of the quasi-identifiers `quasi` and all other columns."""
    names = list(source[0])
    write_csv(folder / "in.csv", [names, *([row[name] for name in names] for row in source)])
    write_csv(folder / "out.csv", [names, *([row[name] for name in names] for row in release)])
    measured: Json = kanon_sql.utility(
        {
            "source": str(folder / "in.csv"),
            "target": str(folder / "out.csv"),
            "quasi_identifiers": {name: {} for name in quasi},
            "insensitive": [name for name in names if name not in quasi],
            "algorithm": "mondrian",
            "privacy": {"k": 2},
        }
    )
    return measured


def associations(measured: Json) -> dict[tuple[str, ...], tuple[float, float]]:
    return {tuple(pair["columns"]): (pair["source"], pair["release"]) for pair in measured["pairs"]}


def folded(source: Sequence[Row], release: Sequence[Row], name: str, others: Sequence[str]) -> Both:
    """Of a column the 99 most frequent texts of the source alone, its others as one, and foreign ones as one."""
    counts = Counter(row[name] for row in source)
    alone = {text for text, _ in sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))[:99]}

    def fold(text: Value) -> Value:
        return text if text in alone else "its others" if text in counts else "foreign"

    sides: list[list[Row]] = [[{**row, name: fold(row[name])} for row in side] for side in (source, release)]
    stands = {column: {row[column]: [row[column]] for side in sides for row in side} for column in [name, *others]}
    return Both(sides[0], sides[1], stands, frozenset({"age"}))


@pytest.mark.slow
@pytest.mark.parametrize("foreign", [[], ["!", "zz", "~"]])
def test_many_texts_are_folded_alike_on_both_sides(tmp_path: Path, foreign: list[str]) -> None:
    """`!` sorts before all texts of the source, `~` behind."""
    random = Random(1)
    texts = [f"t{number:03}" for number in range(99) for _ in range(3)] + [f"r{number:03}" for number in range(60)]
    source: list[Row] = [
        {"age": str(len(text) + number % 7), "word": text, "ill": "flu" if text < "t050" else "cold"}
        for number, text in enumerate(texts)
    ]
    release: list[Row] = [
        {**row, "word": random.choice(foreign) if foreign and random.random() < 0.3 else row["word"]} for row in source
    ]
    measured = utility_of(tmp_path, source, release, "age")
    both = folded(source, release, "word", ["age", "ill"])
    pairs = associations(measured)
    for names in (("age", "word"), ("word", "ill")):
        assert pairs[names] == pytest.approx(both.association(*names), abs=1e-9), names
    if not foreign:
        assert measured["queries"]["p95_relative_error"] == 0
        assert measured["pmse"] == 0


@pytest.mark.slow
def test_what_is_foreign_to_the_source_is_told_apart(tmp_path: Path) -> None:
    source: list[Row] = [{"age": str(number % 2), "ill": "ab"[number % 3 // 2]} for number in range(30)]
    release: list[Row] = [{**row, "ill": "x"} for row in source]
    measured = utility_of(tmp_path, source, release, "age")
    assert measured["columns"]["ill"]["total_variation"] == 1
    assert measured["pmse"] == pytest.approx(0.25, abs=1e-4)
    alike = utility_of(tmp_path, [{**row, "ill": "a"} for row in source], release, "age")
    assert alike["pmse"] == pytest.approx(0.25, abs=1e-4)  # of a column of one value, too


@pytest.mark.slow
def test_ranges_hold_numbers_of_32_bits_to_their_ends(tmp_path: Path) -> None:
    """0.1 of 32 bits is more than 0.1 of 64 bits, 0.7 is less."""
    with attached() as connection:
        rows = "SELECT CAST(i % 8 / 10.0 AS FLOAT) AS age, i % 3 AS score FROM range(48) AS t(i)"
        connection.sql(rows).write_parquet(str(tmp_path / "in.parquet"))
    write_csv(tmp_path / "out.csv", [["age", "score"], *[["0.0-0.3", "1"]] * 24, *[["0.4-0.7", "1"]] * 24])
    measured = kanon_sql.utility(
        {
            "source": str(tmp_path / "in.parquet"),
            "target": str(tmp_path / "out.csv"),
            "quasi_identifiers": {"age": {}},
            "insensitive": ["score"],
            "algorithm": "mondrian",
            "privacy": {"k": 2},
        }
    )
    assert measured["columns"]["age"]["total_variation"] == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_an_outlier_that_is_suppressed_hides_no_association(tmp_path: Path) -> None:
    near: list[Row] = [{"age": str(n), "pay": str(3 * n), "ill": "low" if n < 10 else "high"} for n in range(20)]
    far: Row = {"age": "1000000000", "pay": "3000000000", "ill": "high"}
    pairs = associations(utility_of(tmp_path, [*near, far], near, "age"))
    itself = {name: {row[name]: [row[name]] for row in near} for name in far}
    both = Both(near, near, itself, frozenset({"age", "pay"}))
    assert pairs["age", "pay"][1] == pytest.approx(1)
    assert pairs["age", "ill"][1] == pytest.approx(both.association("age", "ill")[0])


def test_a_release_without_rows_is_compared_with_nothing(tmp_path: Path) -> None:
    measured = utility_of(tmp_path, [{"age": "1", "ill": "flu"}, {"age": "2", "ill": "cold"}], [], "age")
    assert measured["columns"] == {} and measured["pairs"] == []
    assert measured["queries"] is None and measured["pmse"] is None and measured["prediction"] is None
    assert measured["warnings"] == ["the release has no rows: there is nothing to compare"]


def test_steps_that_would_go_to_and_fro_for_ever_reach_the_end() -> None:
    """Of three kinds of rows each is told apart from the others, and whole steps of Newton's end nowhere."""
    rows = [(18.0, 0.0, [1.0] + [0.0] * 6), (32.0, 0.0, [1.0, 0, 0, 0, 0, 1.0, 0]), (2.0, 1.0, [1.0] + [0.25] * 6)]
    share, size = 2 / 52, 7

    def fitted(beta: list[float]) -> tuple[float, float, list[float], list[list[float]]]:
        distance = likelihood = 0.0
        gradient, matrix = [0.0] * size, [[0.0] * size for _ in range(size)]
        for count, side, parts in rows:
            score = sum(part * value for part, value in zip(parts, beta, strict=True))
            told_by = 1 / (1 + exp(-max(min(score, 35), -35)))
            distance += count * (told_by - share) ** 2 / 52
            likelihood += count * log(told_by if side else 1 - told_by)
            for i, part in enumerate(parts):
                gradient[i] += count * (side - told_by) * part
                for j, other_part in enumerate(parts):
                    matrix[i][j] += count * told_by * (1 - told_by) * part * other_part
        return distance, likelihood, gradient, matrix

    error = largest(fitted, [log(share / (1 - share)), *[0.0] * 6], 52)
    assert error == pytest.approx(share * (1 - share), abs=1e-5)


@pytest.mark.slow
@pytest.mark.tool
@pytest.mark.parametrize("seed", range(3))
def test_pmse_is_that_of_a_regression_by_scikit_learn(tmp_path: Path, seed: int) -> None:
    """Each row is spread over the values that its labels stand for, but for the first one of each column."""
    linear_model = pytest.importorskip("sklearn.linear_model")
    random = Random(seed)
    ages, jobs = [str(age) for age in range(6)], ["a", "b", "c", "d"]
    ranges = {"0-2": ages[:3], "3-5": ages[3:], "*": ages}
    sets = {"{a, b}": jobs[:2], "c": ["c"], "d": ["d"], "*": jobs}
    stands = {
        "age": {age: [age] for age in ages} | ranges,
        "job": {job: [job] for job in jobs} | sets,
        "ill": {ill: [ill] for ill in ("flu", "cold", "gout")},
    }

    def drawn(labels: Sequence[Sequence[str]], count: int) -> list[Row]:
        weights = [[random.random() ** 2 for _ in listed] for listed in labels]
        columns = [random.choices(listed, own, k=count) for listed, own in zip(labels, weights, strict=True)]
        return [dict(zip(stands, row, strict=True)) for row in zip(*columns, strict=True)]

    every: list[Row] = [
        {"age": age, "job": job, "ill": ill}
        for age, job, ill in zip(ages, jobs * 2, [*stands["ill"]] * 2, strict=False)
    ]
    source = every + drawn([ages, jobs, [*stands["ill"]]], 50)
    release = drawn([[*ranges], [*sets], [*stands["ill"]]], 40)
    shares = []
    for row in source + release:
        values_below = [stands[name][str(row[name])] for name in stands]
        domains = (ages, jobs, [*stands["ill"]])
        shares.append(
            [(v in below) / len(below) for below, all_ in zip(values_below, domains, strict=True) for v in all_[1:]]
        )
    sides = [0] * len(source) + [1] * len(release)
    model = linear_model.LogisticRegression(C=1e8 / len(sides), solver="newton-cholesky", tol=1e-8, max_iter=1000)
    propensities = model.fit(shares, sides).predict_proba(shares)[:, 1]
    share = len(release) / len(sides)
    expected = sum((propensity - share) ** 2 for propensity in propensities) / len(sides)
    assert expected > 0.001
    assert utility_of(tmp_path, source, release, "age", "job")["pmse"] == pytest.approx(expected, abs=1e-5)
