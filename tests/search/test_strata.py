"""Strata of microaggregation: groups never mix their values, and what is left of them is counted again in Python."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import duckdb
import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from mondrian_jobs import Json, read, write

import kanon_sql
from kanon_sql.config.load import from_mapping
from kanon_sql.errors import ConfigurationError, NoReleaseError

Row = tuple[str, ...]
NAMES = ("age", "pay", "sex", "region", "id")


def people(seed: int, rows: int) -> list[Row]:
    """Persons of strata of different sizes."""
    draw = random.Random(seed)
    return [
        (
            str(draw.randrange(18, 90)),
            str(draw.randrange(1000, 9000)),
            draw.choice("ffmm "),
            draw.choice(["north", "north", "north", "south", "07"]),
            str(number),
        )
        for number in range(rows)
    ]


def config(source: Path, **more: Any) -> Json:
    return {
        "source": str(source),
        "target": {"path": str(source.with_name("out.csv")), "overwrite": True},
        "quasi_identifiers": {"age": {}, "pay": {}},
        "insensitive": ["id"],
        "privacy": {"k": 3},
        "algorithm": {"name": "microaggregation", "strata": ["sex", "region"]},
        **more,
    }


def released_of(folder: Path, rows: Sequence[Row], **more: Any) -> tuple[Json, dict[str, Row]]:
    """The report, and what is released by the number of the row."""
    source = write(folder / "people.csv", NAMES, rows)
    report = kanon_sql.run(config(source, **more), advice=False).report
    return report, {row[-1]: tuple(row[:-1]) for row in read(folder / "out.csv")}


def share_of(rows: Mapping[str, Row], kept: Mapping[str, Row], column: int) -> float:
    """SSE/SST of a column: the values from the mean of their class, those of suppressed rows from the mean of all."""
    values = {number: float(row[column]) for number, row in rows.items()}
    middle = fmean(values.values())
    held: dict[Row, list[float]] = defaultdict(list)
    for number, row in kept.items():
        held[row].append(values[number])
    within = sum((value - fmean(group)) ** 2 for group in held.values() for value in group)
    within += sum((value - middle) ** 2 for number, value in values.items() if number not in kept)
    return within / sum((value - middle) ** 2 for value in values.values())


@pytest.mark.slow
@settings(max_examples=tries(12))
@given(seed=st.integers(0, 10_000), count=st.integers(30, 90), k=st.integers(2, 6))
def test_k_holds_in_each_stratum_and_what_is_lost_is_found_again(
    tmp_path_factory: pytest.TempPathFactory, seed: int, count: int, k: int
) -> None:
    rows = people(seed, count)
    report, kept = released_of(tmp_path_factory.mktemp("strata"), rows, privacy={"k": k}, suppression={"limit": "99%"})
    by_number = {row[-1]: row[:-1] for row in rows}
    strata = Counter(row[2:4] for row in rows)
    assert set(kept) == {row[-1] for row in rows if strata[row[2:4]] >= k}
    assert all(kept[number][2:4] == by_number[number][2:4] for number in kept)
    sizes = Counter(kept.values())
    assert min(sizes.values()) >= k
    assert report["rows"]["suppressed"] == count - len(kept)
    assert report["classes"]["count"] == len(sizes)
    assert report["privacy"]["k"]["actual"] == min(sizes.values())
    suppressed = count - len(kept)
    assert report["loss"]["discernibility"] == sum(n * n for n in sizes.values()) + suppressed * count
    assert report["loss"]["attributes"]["sex"] == pytest.approx(suppressed / count)
    shares = [share_of(by_number, kept, column) for column in (0, 1)]
    assert report["loss"]["sse"] == pytest.approx(sum(shares) / 2, abs=1e-9)


def test_groups_hold_rows_of_one_stratum_that_are_near_there(tmp_path: Path) -> None:
    # Nearest neighbours are of the other sex: by values alone each group would mix them.
    rows = [(str(10 * (i // 2)), "0", "fm"[i % 2], "north", str(i)) for i in range(24)]
    report, kept = released_of(tmp_path, rows, algorithm={"name": "microaggregation", "strata": ["sex"]},
                               insensitive=["id", "region"])  # fmt: skip
    groups = defaultdict(list)
    for number, row in kept.items():
        groups[row[0], row[2]].append(int(rows[int(number)][0]))
    assert all(len(group) == 3 and max(group) - min(group) == 20 for group in groups.values())
    assert len(groups) == 8
    assert report["solution"] == {"partitions": 8}


@pytest.mark.slow
def test_strata_that_are_too_small_need_a_limit(tmp_path: Path) -> None:
    rows = [*((str(i), str(i), "f", "north", str(i)) for i in range(9)), ("1", "1", "m", "north", "9")]
    with pytest.raises(NoReleaseError) as refused:
        released_of(tmp_path, rows)
    assert refused.value.problems == [
        "no release keeps the strata 'sex', 'region' apart: 1 of them hold fewer than 3, with 1 of 10 rows; the limit "
        "is 0: set suppression.limit: 1, or name fewer columns as strata"
    ]
    report, kept = released_of(tmp_path, rows, suppression={"limit": 1})
    assert report["rows"]["suppressed"] == 1
    assert "9" not in kept
    with pytest.raises(NoReleaseError, match="10 of 10 rows; name fewer columns as strata"):
        released_of(tmp_path, rows, suppression={"limit": "100%"}, privacy={"k": 10})


@pytest.mark.slow
def test_other_models_hold_in_each_stratum(tmp_path: Path) -> None:
    rows = [*people(3, 60)]
    marked = [(*row[:4], "a" if row[2] == "f" else "abc"[int(row[4]) % 3]) for row in rows]
    names = (*NAMES[:4], "sick")
    source = write(tmp_path / "people.csv", names, marked)
    job = config(
        source,
        insensitive=[],
        sensitive=["sick"],
        privacy={"k": 2, "l_diversity": {"column": "sick", "l": 2}},
        suppression={"limit": "90%"},
    )
    job["algorithm"]["strata"] = ["sex"]
    job["insensitive"] = ["region"]
    report = kanon_sql.run(job).report
    released = read(tmp_path / "out.csv")
    assert {row[2] for row in released} == {row[2] for row in marked} - {"f"}
    assert report["rows"]["suppressed"] == sum(row[2] == "f" for row in marked)
    held = defaultdict(set)
    for row in released:
        held[tuple(row[:3])].add(row[4])
    assert min(map(len, held.values())) >= 2


@pytest.mark.slow
def test_typed_strata_keep_their_type_and_missing_ones_are_a_stratum(tmp_path: Path) -> None:
    source = tmp_path / "s.parquet"
    duckdb.connect().sql(
        "SELECT i AS age, CASE WHEN i % 4 < 3 THEN DATE '2024-01-01' + (i % 4)::INTEGER END AS seen, i % 2 = 0 AS flag "
        "FROM range(64) AS numbers(i)"
    ).write_parquet(str(source))
    job = {
        "source": str(source),
        "target": str(tmp_path / "out.parquet"),
        "quasi_identifiers": {"age": {}},
        "strata": ["seen", "flag"],
        "privacy": {"k": 4},
        "algorithm": "microaggregation",
    }
    result = kanon_sql.run(job)
    written = duckdb.read_parquet(str(tmp_path / "out.parquet"))
    assert dict(zip(written.columns, map(str, written.types), strict=True)) == {
        "age": "VARCHAR",
        "seen": "DATE",
        "flag": "BOOLEAN",
    }
    counted = Counter(written.fetchall())
    assert min(counted.values()) >= 4
    assert Counter(row[1:] for row in counted.elements()) == Counter(
        duckdb.read_parquet(str(source)).select("seen, flag").fetchall()
    )
    assert result.report["configuration"]["algorithm"] == {"name": "microaggregation", "strata": ["seen", "flag"]}
    assert result.report["configuration"]["quasi_identifiers"].keys() == {"age", "seen", "flag"}
    assert kanon_sql.check(job, tmp_path / "out.parquet")["status"] == "satisfied"
    statement = kanon_sql.compile(job)
    assert Counter(duckdb.connect().execute(statement).fetchall()) == counted


def loaded(**more: Any) -> Any:
    return from_mapping(
        {
            "source": "s.csv",
            "quasi_identifiers": {"age": {}},
            "privacy": {"k": 2},
            "algorithm": "microaggregation",
            **more,
        }
    ).config


def test_strata_stand_beside_the_algorithm_or_in_it() -> None:
    for config in (
        loaded(strata=["sex"]),
        loaded(algorithm={"name": "microaggregation", "strata": ["sex"]}),
        loaded(strata=["sex"], quasi_identifiers={"age": {}, "sex": {}}),
        loaded(strata=["sex"], quasi_identifiers=["age", "sex"]),
    ):
        assert config.algorithm.strata == ["sex"]
        assert list(config.quasi_identifiers) == ["age", "sex"]
        assert config.strata == []


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"strata": ["sex"], "algorithm": "local"}, "strata does not go with name: local; remove it"),
        (
            {"strata": ["sex"], "algorithm": None},
            "strata goes with name: microaggregation, not with optimal; remove it",
        ),
        ({"strata": ["age"]}, "no quasi-identifier is left to make groups of"),
        ({"strata": "sex"}, "expected a list, got text 'sex'"),
        (
            {"strata": ["sex"], "sensitive": ["sex"]},
            "column 'sex' is in sensitive, too; a stratum is a quasi-identifier",
        ),
        (
            {"strata": ["sex"], "algorithm": {"name": "microaggregation", "strata": ["age"]}},
            "the algorithm has other strata; keep one of the lists",
        ),
        (
            {"strata": ["sex"], "quasi_identifiers": {"age": {}, "sex": {"builtin": "suppress"}}},
            "strata are released as they are; remove builtin, or take the column out of strata",
        ),
    ],
)
def test_strata_that_cannot_be(more: Json, problem: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        loaded(**more)
    assert any(problem in text for text in refused.value.problems)


def test_strata_are_set_on_a_command_line() -> None:
    config_loaded = from_mapping(
        {"source": "s.csv", "quasi_identifiers": {"age": {}}, "privacy": {"k": 2}, "strata": ["sex"]},
        overrides=[("algorithm", "microaggregation"), ("strata", "[region]")],
    ).config
    assert config_loaded.algorithm.strata == ["region"]
    assert list(config_loaded.quasi_identifiers) == ["age", "region"]
