"""Utility where columns were treated: numbers and dates are compared with what they were, pseudonyms are not."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from shared_engine import attached
from table_files import write_csv

import kanon_sql
from kanon_sql.cli.main import main

Json = dict[str, Any]
KEY = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"
ROWS = [
    (str(i % 5), str(i * 7 % 41), f"2024-{1 + i % 3:02}-{1 + i * 5 % 28:02}", f"p{i % 9}", str(100 + i % 4))
    for i in range(80)
]
NAMES = ["age", "cost", "day", "person", "ward"]
TREATED: Json = {
    "quasi_identifiers": {"ward": {}},
    "insensitive": ["age", "cost", "day", "person"],
    "transform": {"cost": {"round": 10, "top": 30}, "day": {"cut": "month"}},
    "algorithm": "mondrian",
    "privacy": {"k": 2},
}


def distances(source: Sequence[Any], released: Sequence[Any]) -> tuple[float, float]:
    """Total variation, and the earth mover's distance over the values of both in their order."""
    before, after = Counter(source), Counter(released)
    domain = sorted({*before, *after})
    gaps = [Fraction(before[value], len(source)) - Fraction(after[value], len(released)) for value in domain]
    moved, carried = Fraction(0), Fraction(0)
    for gap in gaps:
        carried += gap
        moved += abs(carried)
    return float(sum(map(abs, gaps)) / 2), float(moved / (len(domain) - 1))


def release_made(folder: Path, suffix: str, **more: Any) -> tuple[Json, list[dict[str, Any]]]:
    """(the configuration of a release that was made, its rows)"""
    source = folder / f"in{suffix}"
    if suffix == ".csv":
        write_csv(source, [NAMES, *ROWS])
    else:
        values = ", ".join(str(row) for row in ROWS)
        types = "age::INT AS age, cost::INT AS cost, day::DATE AS day, person, ward"
        with attached() as connection:
            connection.sql(f"SELECT {types} FROM (VALUES {values}) AS t({', '.join(NAMES)})").write_parquet(str(source))
    target = folder / "out.csv"
    config = {**TREATED, "source": str(source), "target": {"path": str(target), "overwrite": True}, **more}
    kanon_sql.run(config, advice=False)
    with target.open(newline="") as file:
        return config, list(csv.DictReader(file))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_treated_numbers_and_dates_are_compared_with_what_they_were(tmp_path: Path, suffix: str) -> None:
    config, rows = release_made(tmp_path, suffix)
    figures = kanon_sql.utility(config)["columns"]
    expected = {
        "cost": distances([int(row[1]) for row in ROWS], [int(row["cost"]) for row in rows]),
        "day": distances([row[2] for row in ROWS], [row["day"][:10] for row in rows]),
    }
    for name, (varied, moved) in expected.items():
        assert varied > 0.5, name
        assert figures[name]["total_variation"] == pytest.approx(varied), name
        assert figures[name]["earth_mover"] == pytest.approx(moved), name
        assert figures[name]["compared_with"] == "untreated"
    assert figures["age"] == {"total_variation": 0, "earth_mover": 0}


@pytest.mark.slow
def test_pseudonyms_are_compared_with_themselves_and_the_summary_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KEY", KEY)
    config, rows = release_made(
        tmp_path,
        ".csv",
        identifiers=["person"],
        insensitive=["age", "cost", "day"],
        transform={**TREATED["transform"], "person": {"pseudonym": {"key": "${KEY}"}}},
    )
    written = tmp_path / "config.json"
    written.write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["utility", str(written)])
    assert not ended.value.code
    said = capsys.readouterr().out
    assert "cost, day: compared with the values before their treatments" in said
    figures = kanon_sql.utility(config)["columns"]
    varied, moved = distances([int(row[1]) for row in ROWS], [int(row["cost"]) for row in rows])
    assert (figures["cost"]["total_variation"], figures["cost"]["earth_mover"]) == pytest.approx((varied, moved))
    assert figures.get("person", {"compared_with": "treated"})["compared_with"] == "treated"


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, "20%"])
def test_the_report_of_a_run_with_a_page_compares_treated_values(tmp_path: Path, limit: Any) -> None:
    """How far values lie beyond an end, or from a multiple, may be one person's: a page does not tell it."""
    lone = ("3", "999", "2025-01-01", "p1", "777")
    write_csv(tmp_path / "in.csv", [NAMES, *ROWS, *([lone] if limit else [])])
    config = {
        **TREATED,
        "source": str(tmp_path / "in.csv"),
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {"ward": {"builtin": "suppress", "max_level": 0}},
        "algorithm": "optimal",
        "suppression": {"limit": limit},
    }
    report = kanon_sql.run(config, html=tmp_path / "page.html", advice=False).report
    assert report["rows"]["suppressed"] == (1 if limit else 0)
    figures = report["utility"]["columns"]["cost"]
    assert (figures["total_variation"], figures["compared_with"]) == (0, "treated")


@pytest.mark.slow
def test_a_rounded_quasi_identifier_is_compared_with_the_values_below_its_labels(tmp_path: Path) -> None:
    """Of 20-29 each value that the source holds, rounded or not, has an equal share."""
    config, rows = release_made(
        tmp_path,
        ".csv",
        quasi_identifiers={"cost": "intervals:20", "ward": {}},
        insensitive=["age", "day", "person"],
        transform={"cost": {"round": 2}},
    )
    figures = kanon_sql.utility(config)["columns"]["cost"]
    assert figures["compared_with"] == "untreated"
    assert 0 < figures["total_variation"] < 1
    assert len(rows) == len(ROWS)


@pytest.mark.slow
def test_a_hierarchy_of_listed_values_is_compared_with_the_treated_ones(tmp_path: Path) -> None:
    write_csv(tmp_path / "costs.csv", [(str(cost), "low" if cost < 20 else "high") for cost in range(0, 31, 10)])
    config, _ = release_made(
        tmp_path,
        ".csv",
        quasi_identifiers={"cost": {"hierarchy": str(tmp_path / "costs.csv")}, "ward": {}},
        insensitive=["age", "day", "person"],
    )
    figures = kanon_sql.utility(config)["columns"]
    assert figures["cost"]["compared_with"] == "treated"
    assert figures["day"]["compared_with"] == "untreated"
