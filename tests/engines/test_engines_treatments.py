"""PostgreSQL and Spark (by Sail) make the pseudonyms and move the dates that DuckDB does, row for row; so does what is
compiled for them, with the key where the session has it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine_jobs import same
from engine_places import ENGINES, MARKS, Start, as_parquet, counted, spark_session, starting

import kanon_sql

pytestmark = MARKS

Json = dict[str, Any]
COLUMNS = {
    "patient": "BIGINT",
    "name": "VARCHAR",
    "price": "DECIMAL(9,2)",
    "day": "DATE",
    "moment": "TIMESTAMP",
    "iso": "VARCHAR",
    "age": "INTEGER",
}
KEY = "00112233445566778899aabbccddeeff00112233"


def keyed(kind: str, **more: Any) -> Json:
    return {kind: {"key": "${KEY}", **more}}


TRANSFORM = {
    "patient": keyed("pseudonym", length=64),
    "name": keyed("pseudonym", length=20, prefix="it's ", context="ü"),
    "price": keyed("pseudonym", length=16),
    "day": keyed("shift", days=60, by="patient"),
    "moment": keyed("shift", days=60, by="patient"),
    "iso": keyed("shift", days=100, by="name", weeks=True),
}


def rows() -> list[list[Any]]:
    draw = random.Random(3)
    table: list[list[Any]] = []
    for i in range(120):
        day = date(1999, 12, 1) + timedelta(draw.randrange(4000))
        moment = datetime(1960, 1, 1, 12, 30, 5, 250000) + timedelta(draw.randrange(20000))
        iso = draw.choice([str(day), f"{day}T23:59:59.5+01:00", None])
        values = [draw.choice([None, -1, *range(30)]), draw.choice([None, "", "ä", "Z 'x'", "ab"]), i % 7 + 0.5]
        table.append([*values, draw.choice([day, None]), draw.choice([moment, None]), iso, i % 4])
    return table


def configuration(folder: Path) -> Json:
    as_parquet(folder / "stays.parquet", COLUMNS, rows())
    return {
        "source": str(folder / "stays.parquet"),
        "target": {"path": str(folder / "here.parquet"), "overwrite": True},
        "identifiers": ["patient", "name", "price"],
        "quasi_identifiers": {"age": {"builtin": "suppress"}},
        "unlisted": "insensitive",
        "transform": TRANSFORM,
        "accept": ["day", "moment", "iso"],
        "privacy": {"k": 5, "entity": "patient"},
    }


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", KEY)


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    with starting(tmp_path_factory.mktemp) as begin:
        yield begin


def released_here(config: Json) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        return connection.execute(f"FROM '{config['target']['path']}'").fetchall()


@ENGINES
def test_rows_are_treated_alike(engine: str, start: Start, tmp_path: Path) -> None:
    place, config = start(engine), configuration(tmp_path)
    here = kanon_sql.run(config).report
    remote = place.configured(config, place.put(COLUMNS, rows()))
    report = kanon_sql.run(remote).report
    same(report, here)
    assert report["treatments"] == here["treatments"]
    released, mine = place.released(remote), released_here(config)
    assert released is not None and len(mine) == 120
    for position, name in enumerate(COLUMNS):
        assert counted([row[position : position + 1] for row in released]) == counted(
            [row[position : position + 1] for row in mine]
        ), name
    assert counted(released) == counted(mine)
    assert place.leftovers() == []


@ENGINES
def test_what_is_compiled_treats_alike(engine: str, start: Start, tmp_path: Path) -> None:
    place, config = start(engine), configuration(tmp_path)
    kanon_sql.run(config)
    remote = place.configured(config, place.put(COLUMNS, rows()))
    table = "stays" if engine == "spark" else remote["source"]["table"]
    compiled = kanon_sql.compile(remote, dialect=engine, source_table=table).rstrip().rstrip(";")
    assert KEY not in compiled
    if engine == "spark":
        # Sail has no variables of a session.
        compiled = compiled.replace("`system`.`session`.`KEY`", f"'{KEY}'")
        with spark_session(place.url, {}) as session:
            session.read.parquet(remote["source"]["path"]).createOrReplaceTempView(table)
            released = [tuple(row) for row in session.sql(compiled).collect()]
    else:
        import psycopg

        with psycopg.connect(place.url) as connection:
            connection.execute(f"SET kanon_sql.KEY = '{KEY}'")
            released = connection.execute(compiled.encode()).fetchall()
    assert counted(released) == counted(released_here(config))


# A column of each kind of format, and what dates of it look like.
FORMATS: dict[str, tuple[str, Callable[[datetime], str]]] = {
    "plain": ("%d.%m.%Y", lambda at: f"{at.day}.{at.month}.{at.year}"),
    "padded": ("%Y%m%d", lambda at: f"{at:%Y%m%d}"),
    "short": ("%m/%d/%y", lambda at: f"{at:%m/%d/%y}"),
    "spelled": ("%d %B %Y", lambda at: f"{at:%d %B %Y}".lower()),
    "named": ("%d-%b-%Y %I:%M %p", lambda at: f"{at.day}-{at:%b-%Y} {at:%I:%M %p}".lower()),
    "exact": ("%Y-%m-%d %H:%M:%S.%f", lambda at: f"{at:%Y-%m-%d} {at.hour}:{at:%M:%S}.{at.microsecond // 1000:03}"),
    "months": ("%m/%Y", lambda at: f"{at.month}/{at.year}"),
}


def of_formats(**transform: Json) -> tuple[dict[str, str], list[list[Any]], Json]:
    """(columns, rows, configuration without its source and target) of texts in all formats, treated."""
    draw = random.Random(5)
    table: list[list[Any]] = []
    for i in range(150):
        at = datetime(1970, 3, 1) + timedelta(draw.randrange(17000), draw.randrange(86400), 1000 * draw.randrange(1000))
        at = draw.choice([at, datetime(2000, 2, 29), datetime(1999, 12, 31, 12), datetime(1969, 9, 1)])
        texts = [draw.choice([written(at), written(at), None, "?"]) for _, written in FORMATS.values()]
        table.append([draw.choice([None, f"p{i % 20}"]), str(i % 4), *texts])
    read = {name: {"type": "timestamp" if "%M" in of else "date", "format": of} for name, (of, _) in FORMATS.items()}
    config: Json = {
        "source": {"columns": read, "missing": ["?", ""]},
        "identifiers": ["who"],
        "quasi_identifiers": {"q": {"builtin": "suppress"}},
        "unlisted": "insensitive",
        "accept": list(FORMATS),
        "privacy": {"k": 5},
        "transform": transform,
    }
    return dict.fromkeys(["who", "q", *FORMATS], "VARCHAR"), table, config


TREATED: dict[str, dict[str, Json]] = {
    "shifted": {name: keyed("shift", days=60, by="who") for name in FORMATS if name != "months"},
    **{unit: {name: {"cut": unit} for name in FORMATS} for unit in ("day", "month", "year")},
}


@ENGINES
@pytest.mark.parametrize("treated", TREATED)
def test_dates_in_formats_are_treated_as_by_duckdb(start: Start, engine: str, treated: str, tmp_path: Path) -> None:
    columns, table, config = of_formats(**TREATED[treated])
    path = str(as_parquet(tmp_path / "dates.parquet", columns, table))
    here = {**config, "source": {"path": path, **config["source"]}, "target": str(tmp_path / "here.parquet")}
    expected = kanon_sql.run(here, advice=False).report
    place = start(engine)
    there = place.configured(config, place.put(columns, table))
    there["source"] |= config["source"]
    same(kanon_sql.run(there, advice=False).report, expected)
    with duckdb.connect() as connection:
        mine = connection.execute(f"FROM '{here['target']}'").fetchall()
    released = place.released(there)
    assert released is not None
    assert counted(released) == counted(mine)
    assert any(text not in (None, "?") for row in mine for text in row[1:])
