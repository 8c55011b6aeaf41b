"""Mondrian on larger tables: what the literature's rule loses is never exceeded by the default."""

from __future__ import annotations

import json
import runpy
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tables
from effort import needs, with_marks
from places import ROOT
from reference_mondrian import Cell, Mondrian, Ordered, Partition, Row, Words
from table_files import read_csv, read_parquet, write_csv

import kanon_sql

Json = dict[str, Any]

SHARED = ROOT.parent / "shared"
ADULT = SHARED / "data" / "adult" / "adult.csv"
ORACLE = SHARED / "oracles" / "mondrian.json"
COLUMNS = {
    "age_edu": ["age", "education_num"],
    "qi8": [
        "age",
        "work_class",
        "education_num",
        "marital_status",
        "occupation",
        "race",
        "sex",
        "native_country",
    ],
}
CUTS = {"strict_disc_le": "strict-le", "strict_disc_either": "strict", "relaxed": "relaxed"}
NUMBERS = ("age", "education_num", "cost")
DRAWN = ["sex", "age", "race", "marital_status", "education", "native_country", "work_class", "occupation"]

needs_adult = with_marks(needs(ORACLE, ADULT))


def oracle(*modes: str) -> list[Any]:
    """The oracle's results under some modes; nothing where it is absent and the tests are skipped."""
    results = json.loads(ORACLE.read_text(encoding="utf-8"))["results"] if ORACLE.is_file() else []
    return [pytest.param(r, id=f"{r['qi']}-{r['mode']}-k{r['k']}") for r in results if r["mode"] in modes]


def reference(rows: Sequence[Row], columns: Sequence[str], k: int) -> Mondrian:
    def cells(column: str) -> list[Cell]:
        return [row[column] for row in rows]

    return Mondrian(rows, {c: Ordered(cells(c), "number") if c in NUMBERS else Words(cells(c)) for c in columns}, k)


@cache
def adult() -> list[Row]:
    """The rows of Adult without missing values."""
    return [row for row in read_csv(ADULT) if not {"?", None} & set(row.values())]


@cache
def adult_partitions(columns: str, cut: str, k: int) -> tuple[Mondrian, list[Partition], int]:
    """The reference's partitions and their depth."""
    problem = reference(adult(), COLUMNS[columns], k)
    final = problem.partitions(cut)
    return problem, [partition for partition, _ in final], max(depth for _, depth in final)


def adult_run(folder: Path, columns: str, k: int, **algorithm: str) -> Json:
    config = {
        "source": {"path": str(ADULT), "missing": ["?", ""]},
        "target": str(folder / "out.parquet"),
        "quasi_identifiers": {c: {} if c in NUMBERS else {"type": "text"} for c in COLUMNS[columns]},
        "unlisted": "drop",
        "missing": "drop-any",
        "privacy": {"k": k},
        "algorithm": {"name": "mondrian", **algorithm},
    }
    return kanon_sql.run(config).report


def sizes(folder: Path, columns: Sequence[str]) -> Counter[tuple[Cell, ...]]:
    """The classes of what was written."""
    return Counter(tuple(row[column] for column in columns) for row in read_parquet(folder / "out.parquet"))


@needs_adult
@pytest.mark.parametrize("expected", oracle(*CUTS))
def test_the_reference_agrees_with_the_oracle(expected: Json) -> None:
    """The oracle's relaxed cuts share out equal values by row number, which loses more."""
    problem, partitions, _ = adult_partitions(expected["qi"], CUTS[expected["mode"]], expected["k"])
    assert len(adult()) == 30162
    assert problem.bound == expected["bound_2d_k1_plus_m"]
    if expected["mode"] == "relaxed":
        assert len(partitions) <= expected["classes"]
        assert problem.ncp(partitions) < expected["NCP_pct_mixed"]
        return
    class_sizes = [partition.total() for partition in partitions]
    assert (len(class_sizes), min(class_sizes), max(class_sizes)) == tuple(
        expected[c] for c in ("classes", "min_class", "max_class")
    )
    assert problem.ncp(partitions) == pytest.approx(expected["NCP_pct_mixed"], rel=1e-9)


@needs_adult
@pytest.mark.parametrize("expected", oracle(*CUTS))
def test_the_widest_dimension_on_adult(expected: Json, tmp_path: Path) -> None:
    """The same classes as the reference's, and the oracle's loss."""
    cut = CUTS[expected["mode"]]
    problem, partitions, depth = adult_partitions(expected["qi"], cut, expected["k"])
    report = adult_run(tmp_path, expected["qi"], expected["k"], cut=cut, dimension="widest")
    assert sizes(tmp_path, COLUMNS[expected["qi"]]) == problem.released(partitions)
    assert report["rows"]["missing"] == 2399
    assert report["solution"] == {"partitions": len(partitions), "depth": depth}
    assert report["loss"]["ncp"] == pytest.approx(problem.ncp(partitions), rel=1e-9)
    if expected["mode"] != "relaxed":
        assert report["classes"]["count"] == expected["classes"]
        assert report["loss"]["ncp"] == pytest.approx(expected["NCP_pct_mixed"], rel=1e-9)
        assert report["loss"]["discernibility"] == expected["dm"]
        assert report["loss"]["c_avg"] == pytest.approx(expected["c_avg"])


@needs_adult
@pytest.mark.parametrize("expected", oracle("strict_disc_either"))
def test_the_default_loses_no_more_than_the_oracle(expected: Json, tmp_path: Path) -> None:
    report = adult_run(tmp_path, expected["qi"], expected["k"])
    assert report["loss"]["ncp"] <= expected["NCP_pct_mixed"] * (1 + 1e-12)
    class_sizes = sizes(tmp_path, COLUMNS[expected["qi"]]).values()
    assert min(class_sizes) >= expected["k"]
    assert max(class_sizes) <= expected["bound_2d_k1_plus_m"]


@needs_adult
@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("k", [2, 5, 20, 100, 500])
def test_the_default_loses_no_more_than_the_reference(columns: str, k: int, tmp_path: Path) -> None:
    """At settings that the oracle does not have."""
    problem, partitions, _ = adult_partitions(columns, "strict", k)
    report = adult_run(tmp_path, columns, k)
    assert report["loss"]["ncp"] <= problem.ncp(partitions) * (1 + 1e-12)
    class_sizes = sizes(tmp_path, COLUMNS[columns]).values()
    assert k <= min(class_sizes) <= max(class_sizes) <= problem.bound


def medium_tables(folder: Path) -> dict[str, tuple[list[str], list[list[Cell]]]]:
    """Header and rows: some like Adult's, drawn from the sample in this repository, and some of invented persons."""
    make_table = runpy.run_path(str(ROOT / "benchmarks" / "make_table.py"))["make_table"]
    make_table(6000, folder / "drawn.csv")
    rows = read_csv(folder / "drawn.csv")
    people: list[list[Cell]] = [[*map(str, person)] for person in tables.people(2000)]
    return {
        "drawn": (DRAWN, [[row[column] for column in DRAWN] for row in rows]),
        "people": (["sex", "age", "zip", "diagnosis", "cost"], people),
    }


@pytest.fixture(scope="module")
def medium(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[list[str], list[list[Cell]]]]:
    return medium_tables(tmp_path_factory.mktemp("medium"))


def medium_run(folder: Path, columns: Sequence[str], rows: Sequence[Sequence[Cell]], k: int, **algorithm: str) -> Json:
    write_csv(folder / "source.csv", [columns, *rows])
    config = {
        "source": str(folder / "source.csv"),
        "target": {"path": str(folder / "out.parquet"), "overwrite": True},
        "quasi_identifiers": {c: {} if c in NUMBERS else {"type": "text"} for c in columns},
        "privacy": {"k": k},
        "algorithm": {"name": "mondrian", **algorithm},
    }
    return kanon_sql.run(config).report


@pytest.mark.slow
@pytest.mark.parametrize("table", ["drawn", "people"])
@pytest.mark.parametrize("k", [2, 5, 20, 100, 400])
def test_the_default_loses_no_more_on_medium_tables(
    medium: Mapping[str, tuple[list[str], list[list[Cell]]]], table: str, k: int, tmp_path: Path
) -> None:
    columns, rows = medium[table]
    problem = reference([dict(zip(columns, row, strict=True)) for row in rows], columns, k)
    partitions = [partition for partition, _ in problem.partitions("strict")]
    default = medium_run(tmp_path, columns, rows, k)
    assert default["algorithm"] == {"name": "mondrian", "cut": "strict", "dimension": "loss"}
    assert k <= min(sizes(tmp_path, columns).values())
    assert max(sizes(tmp_path, columns).values()) <= problem.bound
    widest = medium_run(tmp_path, columns, rows, k, dimension="widest")
    assert sizes(tmp_path, columns) == problem.released(partitions)
    assert widest["loss"]["ncp"] == pytest.approx(problem.ncp(partitions), rel=1e-9)
    assert default["loss"]["ncp"] <= problem.ncp(partitions) * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 10, 50])
@pytest.mark.parametrize("dimension", ["loss", "widest"])
def test_hierarchies_lose_less_than_the_full_domain_optimum(k: int, dimension: str, tmp_path: Path) -> None:
    """The same hierarchies and k, no row suppressed."""
    source = tables.write(tmp_path / "people.parquet", rows=2000)
    losses = []
    for algorithm in ({"name": "optimal"}, {"name": "mondrian", "dimension": dimension}):
        target = {"path": str(tmp_path / "out.parquet"), "overwrite": True}
        config = tables.configuration(str(source), target, privacy={"k": k}, suppression={"limit": 0})
        losses.append(kanon_sql.run({**config, "algorithm": algorithm}).report["loss"]["lm"])
        assert tables.smallest_class(f"'{tmp_path / 'out.parquet'}'") >= k
    assert losses[1] < losses[0]


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 10, 100])
def test_hierarchies_of_the_example(k: int, tmp_path: Path) -> None:
    """Adult in this repository with its hierarchy files: below the full-domain optimum too."""
    example = ROOT / "examples" / "adult"
    files = {"native_country": "country.csv", "work_class": "work-class.csv"}
    losses = []
    for name in ("optimal", "mondrian"):
        config = {
            "source": {"path": str(example / "adult.parquet"), "missing": ["?"]},
            "target": {"path": str(tmp_path / "out.parquet"), "overwrite": True},
            "quasi_identifiers": {
                "sex": {"builtin": "suppress"},
                "age": {"builtin": "intervals", "widths": [5, 10, 20]},
                "race": {"builtin": "suppress"},
                "marital_status": "marital-status",
                **{column: str(example / "hierarchies" / file) for column, file in files.items()},
            },
            "unlisted": "drop",
            "privacy": {"k": k},
            "algorithm": name,
        }
        losses.append(kanon_sql.run(config).report["loss"]["lm"])
    assert losses[1] < losses[0]
