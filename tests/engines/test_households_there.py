"""Households (`group`) where another engine holds the rows: the releases and figures that DuckDB gives, to the row."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from elsewhere import ElsewhereJob
from engine_places import Json, Rows, Start, as_parquet, counted, marked, starting
from shared_engine import insert, shared

import kanon_sql
from kanon_sql.engines import opening

COLUMNS = {"house": "BIGINT", "sex": "VARCHAR", "age": "BIGINT", "problem": "VARCHAR"}


def people(seed: int, rows: int = 160, *, house: str = "BIGINT") -> Rows:
    draw = random.Random(seed)

    def named(number: int) -> Any:
        return {"BIGINT": number, "VARCHAR": f"it's {number}" if number else "", "DOUBLE": number / 4}[house]

    return [
        (
            None if draw.random() < 0.08 else named(draw.randrange(rows // 2)),
            draw.choice(["f", "m", None]),
            draw.choices([20, 21, 25, 30, 38, 44, 61], [6, 6, 6, 6, 2, 1, 1])[0],
            draw.choice(["flu", "cold", None]),
        )
        for _ in range(rows)
    ]


def configuration(folder: Path, **more: Any) -> Json:
    return {
        "source": "unnamed.parquet",
        "target": str(folder / "release.parquet"),
        "group": "house",
        "quasi_identifiers": {
            "sex": {"builtin": "suppress", "max_level": 0},
            "age": {"builtin": "intervals", "widths": [5], "max_level": 1},
        },
        "sensitive": ["problem"],
        "insensitive": ["house"],
        "privacy": {"k": 4},
        "suppression": {"limit": "90%"},
        **more,
    }


def facts(report: Json) -> Json:
    """What the reports of both engines agree in."""
    keys = ("status", "rows", "solution", "classes", "privacy", "loss", "warnings")
    return {key: report[key] for key in keys}


def kept_whole(rows: Rows, released: Counter[tuple[Any, ...]], place: int = 0) -> None:
    """Each household is released with all of its rows or with none, and some are not released."""
    there = Counter(row[place] for row in rows if row[place] is not None)
    here: Counter[Any] = Counter()
    for row, count in released.items():
        here[row[place]] += count
    del here[None]
    assert 0 < len(here) < len(there)
    names = {repr(house): house for house in there}
    assert all(there[names.get(house, house)] == count for house, count in here.items())


def in_duckdb(folder: Path, columns: dict[str, str], rows: Rows, config: Json) -> tuple[Any, Json]:
    source = as_parquet(folder / "people.parquet", columns, rows)
    report = kanon_sql.run({**config, "source": str(source)}, advice=False).report
    with shared() as connection:
        return counted(connection.execute(f"FROM '{folder / 'release.parquet'}'").fetchall()), facts(report)


VARIANTS: list[tuple[str, Json]] = [
    ("BIGINT", {}),
    ("VARCHAR", {"privacy": {"k": 3, "l_diversity": {"column": "problem", "l": 2}}}),
    ("DOUBLE", {"privacy": {"k": 12, "known_columns": 1}, "release": {"suppressed": "mask"}}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("house", "more"), VARIANTS[:2])
def test_households_elsewhere(house: str, more: Json, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server, columns, rows = duckdb.connect(), {**COLUMNS, "house": house}, people(1, house=house)
    server.execute(f"CREATE TABLE people ({', '.join(f'{n} {t}' for n, t in columns.items())})")
    insert(server, "people", rows)
    monkeypatch.setattr(ElsewhereJob, "server", server, raising=False)
    monkeypatch.setitem(opening.JOBS, "postgres", ElsewhereJob)
    config = configuration(tmp_path, **more)
    expected, report = in_duckdb(tmp_path, columns, rows, config)
    parts = {"engine": {"postgres": "elsewhere"}, "source": {"table": "people"}, "target": {"table": "released"}}
    there = kanon_sql.run({**config, **parts}, advice=False).report
    assert facts(there) == report
    assert counted(server.execute("FROM released").fetchall()) == expected
    kept_whole(rows, expected)


# The one row alone is of the household of both zeros.
ZEROS: Rows = [
    *((house, "f", 20, None) for house in (0.0, -0.0, -0.0)),
    *((None, "f", 20, None) for _ in range(6)),
]


@pytest.mark.slow
@pytest.mark.parametrize("lone", [0.0, -0.0])
@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
def test_both_zeros_name_one_household(kind: str, lone: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = duckdb.connect()
    server.execute(f"CREATE TABLE people (house {kind}, sex VARCHAR, age BIGINT, problem VARCHAR)")
    insert(server, "people", [(lone, "m", 20, None), *ZEROS])
    monkeypatch.setattr(ElsewhereJob, "server", server, raising=False)
    monkeypatch.setitem(opening.JOBS, "postgres", ElsewhereJob)
    parts = {"engine": {"postgres": "elsewhere"}, "source": {"table": "people"}, "target": {"table": "released"}}
    report = kanon_sql.run({**configuration(tmp_path), **parts}, advice=False).report
    assert report["rows"]["suppressed"] == 4 and report["rows"]["groups"]["split"] == 0
    assert server.execute("SELECT DISTINCT house FROM released").fetchall() == [(None,)]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    with starting(tmp_path_factory.mktemp) as started:
        yield started


@marked
def test_both_zeros_name_one_household_there(start: Start, engine: str, tmp_path: Path) -> None:
    place, columns, rows = start(engine), {**COLUMNS, "house": "DOUBLE"}, [(-0.0, "m", 20, None), *ZEROS]
    config = configuration(tmp_path)
    expected, report = in_duckdb(tmp_path, columns, rows, config)
    there = place.configured(config, place.put(columns, rows))
    assert kanon_sql.run(there, advice=False).report["rows"] == report["rows"]
    released = counted(place.released(there) or [])
    assert released == expected and {row[0] for row in released} == {None}


@marked
@pytest.mark.parametrize(("house", "more"), VARIANTS)
def test_households_there(start: Start, engine: str, house: str, more: Json, tmp_path: Path) -> None:
    place, columns, rows = start(engine), {**COLUMNS, "house": house}, people(2, house=house)
    config = configuration(tmp_path, **more)
    expected, report = in_duckdb(tmp_path, columns, rows, config)
    there = place.configured(config, place.put(columns, rows))
    result = kanon_sql.run(there, advice=False)
    assert facts(result.report) == report
    released = counted(place.released(there) or [])
    assert released == expected
    assert report["rows"]["groups"]["split"] == 0 and report["rows"]["suppressed"]
    if not report["rows"]["masked"]:
        kept_whole(rows, released)
    here = {**config, "source": str(tmp_path / "people.parquet")}
    measured: list[tuple[Any, Json]] = [
        (kanon_sql.check, {}),
        (kanon_sql.lattice, {}),
        (kanon_sql.risk, {}),
        (kanon_sql.sweep, {"k": [2, 6], "limits": ["20%"], "algorithms": ["optimal"]}),
    ]
    for command, options in measured:
        results = [_figures(command(configured, **options)) for configured in (here, there)]
        assert results[0] == results[1], command.__name__


def _figures(report: Any) -> Any:
    """A report without times, and without what names its table."""
    left = {"seconds", "table", "source", "engine", "search", "release", "configuration", "created", "target"}
    if isinstance(report, dict):
        return {key: _figures(value) for key, value in report.items() if key not in left}
    if isinstance(report, list):
        return [_figures(value) for value in report]
    # Sums in another order differ in their last digits.
    return round(report, 9) if isinstance(report, float) else report
