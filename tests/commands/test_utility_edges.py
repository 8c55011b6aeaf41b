"""Utility where tables are odd: many texts, foreign labels, 32-bit numbers, an outlier that is gone, no rows at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest
from reference_utility import Both, Row, Value
from table_files import write_csv

import kanon_sql

Json = dict[str, Any]


def told(folder: Path, source: Sequence[Row], release: Sequence[Row], quasi: str, **more: Any) -> Json:
    """The figures of a release that is written by hand, of all columns of which `quasi` is the quasi-identifier."""
    names = list(source[0])
    write_csv(folder / "in.csv", [names, *([row[name] for name in names] for row in source)])
    write_csv(folder / "out.csv", [names, *([row[name] for name in names] for row in release)])
    found: Json = kanon_sql.utility(
        {
            "source": str(folder / "in.csv"),
            "target": str(folder / "out.csv"),
            "quasi_identifiers": {quasi: {}},
            "insensitive": [name for name in names if name != quasi],
            "algorithm": "mondrian",
            "privacy": {"k": 2},
            **more,
        }
    )
    return found


def associations(found: Json) -> dict[tuple[str, ...], tuple[float, float]]:
    return {tuple(pair["columns"]): (pair["source"], pair["release"]) for pair in found["pairs"]}


def folded(source: Sequence[Row], release: Sequence[Row], name: str, others: Sequence[str]) -> Both:
    """Of a column the 99 most frequent texts of the source alone, its others as one, and foreign ones as one."""
    counts = Counter(row[name] for row in source)
    alone = {text for text, _ in sorted(counts.items(), key=lambda one: (-one[1], str(one[0])))[:99]}

    def fold(text: Value) -> Value:
        return text if text in alone else "its others" if text in counts else "foreign"

    sides = [[{**row, name: fold(row[name])} for row in side] for side in (source, release)]
    stands = {column: {row[column]: [row[column]] for side in sides for row in side} for column in [name, *others]}
    return Both(*sides, stands, frozenset({"age"}))


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
    found = told(tmp_path, source, release, "age")
    both = folded(source, release, "word", ["age", "ill"])
    pairs = associations(found)
    for names in (("age", "word"), ("word", "ill")):
        assert pairs[names] == pytest.approx(both.association(*names), abs=1e-9), names
    if not foreign:
        assert found["queries"]["p95_relative_error"] == 0
        assert found["pmse"] == 0


def test_ranges_hold_numbers_of_32_bits_to_their_ends(tmp_path: Path) -> None:
    """0.1 of 32 bits is more than 0.1 of 64 bits, 0.7 is less."""
    with duckdb.connect() as connection:
        rows = "SELECT CAST(i % 8 / 10.0 AS FLOAT) AS age, i % 3 AS score FROM range(48) AS t(i)"
        connection.sql(rows).write_parquet(str(tmp_path / "in.parquet"))
    write_csv(tmp_path / "out.csv", [["age", "score"], *[["0.0-0.3", 1]] * 24, *[["0.4-0.7", 1]] * 24])
    found = kanon_sql.utility(
        {
            "source": str(tmp_path / "in.parquet"),
            "target": str(tmp_path / "out.csv"),
            "quasi_identifiers": {"age": {}},
            "insensitive": ["score"],
            "algorithm": "mondrian",
            "privacy": {"k": 2},
        }
    )
    assert found["columns"]["age"]["total_variation"] == pytest.approx(0, abs=1e-12)


def test_an_outlier_that_is_suppressed_hides_no_association(tmp_path: Path) -> None:
    near: list[Row] = [{"age": str(n), "pay": str(3 * n), "ill": "low" if n < 10 else "high"} for n in range(20)]
    far: Row = {"age": "1000000000", "pay": "3000000000", "ill": "high"}
    found = associations(told(tmp_path, [*near, far], near, "age"))
    itself = {name: {row[name]: [row[name]] for row in near} for name in far}
    both = Both(near, near, itself, frozenset({"age", "pay"}))
    assert found["age", "pay"][1] == pytest.approx(1)
    assert found["age", "ill"][1] == pytest.approx(both.association("age", "ill")[0])


def test_a_release_without_rows_is_compared_with_nothing(tmp_path: Path) -> None:
    found = told(tmp_path, [{"age": "1", "ill": "flu"}, {"age": "2", "ill": "cold"}], [], "age")
    assert found["columns"] == {} and found["pairs"] == []
    assert found["queries"] is None and found["pmse"] is None and found["prediction"] is None
    assert found["warnings"] == ["the release has no rows: there is nothing to compare"]
