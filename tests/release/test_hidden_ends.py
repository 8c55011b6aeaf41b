"""Ends that were found for shares of the rows: values of the source, told only where a release shows them."""

from __future__ import annotations

import csv
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from shared_engine import attached, shared

import kanon_sql
from kanon_sql.settings.treatments import FoundEnd, TreatmentConfig
from kanon_sql.source.treatments.numbers import Top

Json = dict[str, Any]
HEAD = ("who", "town", "cost")
# Four rows of towns of their own, with the greatest costs: the top of 4 % is one of theirs, and they are suppressed.
HIDDEN = 88_177


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [(f"p{i}", "AB"[i % 2], 100 + i) for i in range(96)]
    rows += [(f"q{i}", f"far{i}", HIDDEN + 11 * i) for i in range(4)]
    with (tmp_path / "in.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEAD, *rows])
    with shared() as connection:
        connection.execute(f"COPY (FROM '{tmp_path}/in.csv') TO '{tmp_path}/in.parquet'")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configured(**more: Any) -> Json:
    return {
        "source": "in.csv",
        "target": "out.csv",
        "identifiers": ["who"],
        "quasi_identifiers": {"town": {"builtin": "suppress", "max_level": 0}},
        "insensitive": ["cost"],
        "transform": {"cost": {"top": "4%", "bottom": "5%"}},
        "privacy": {"k": 3},
        "suppression": {"limit": 4},
        **more,
    }


def costs(rows: list[tuple[Any, ...]]) -> list[str]:
    return sorted(str(row[-1]) for row in rows)


@pytest.mark.parametrize("source", ["in.csv", pytest.param("in.parquet", marks=pytest.mark.slow)])
def test_an_end_that_only_suppressed_rows_hold_is_told_nowhere(source: str) -> None:
    config = configured(source=source, releases={"path": "ledger.duckdb"}, report="r.json")
    report = kanon_sql.run(config, html="p.html").report
    assert report["rows"]["suppressed"] == 4
    assert report["treatments"]["cost"] == {
        "bottom": {"value": 104, "share": 0.05},
        "top": {"value": None, "share": 0.04},
    }
    with duckdb.connect("ledger.duckdb") as ledger:
        tables = ledger.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        kept = "".join(str(ledger.execute(f'FROM "{name}"').fetchall()) for (name,) in tables)
    compiled = kanon_sql.compile(config)
    outputs = [Path("r.json").read_text(), Path("p.html").read_text(), kept, compiled]
    assert not [text for text in outputs if str(HIDDEN) in text or f"{HIDDEN:,}" in text]
    assert "104" in compiled


@pytest.mark.parametrize(
    ("source", "transform", "entity"),
    [
        ("in.csv", {"top": "4%"}, False),
        pytest.param("in.parquet", {"top": "4%"}, True, marks=pytest.mark.slow),
        pytest.param("double.parquet", {"top": "4%", "bottom": 120}, False, marks=pytest.mark.slow),
        pytest.param("in.csv", {"decimals": 1, "top": "4%"}, True, marks=pytest.mark.slow),
    ],
)
def test_the_statement_finds_the_end_that_it_does_not_hold(source: str, transform: Json, entity: bool) -> None:
    with shared() as connection:
        connection.execute("COPY (SELECT who, town, CAST(cost AS DOUBLE) AS cost FROM 'in.csv') TO 'double.parquet'")
    more: Json = {"privacy": {"k": 3, "entity": "who"}, "identifiers": []} if entity else {}
    # The four greatest costs are one class only where all are the end, which is in the range of the first of them.
    columns = {"cost": {"builtin": "intervals", "widths": [10], "min_level": 1, "max_level": 1}}
    config = configured(
        source=source, transform={"cost": transform}, quasi_identifiers=columns, unlisted="drop", insensitive=[], **more
    )
    kanon_sql.run(config)
    with shared() as connection:
        released = connection.execute("FROM read_csv('out.csv', all_varchar = true)").fetchall()
    assert costs(released).count("88170-88179") == 4
    compiled = kanon_sql.compile(config)
    # The mapping lists what is generalized, which the statement says; it is the end of nothing there.
    assert compiled.count(str(HIDDEN)) <= 1 and "Ends that no released row shows" in compiled
    with attached() as connection:
        assert costs(connection.execute(compiled).fetchall()) == costs(released)


def test_what_verification_says_tells_no_end() -> None:
    end = FoundEnd(Decimal(HIDDEN), Fraction(1, 25))
    treatment = TreatmentConfig.model_construct(top=end, bottom=None)
    assert Top().broken(treatment) == "are above the top that was found"
    end.shown = True
    assert Top().broken(treatment) == f"are above {HIDDEN}"
