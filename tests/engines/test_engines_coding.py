"""PostgreSQL and Spark (by Sail) treat numbers, dates and free texts as DuckDB does; so does what is compiled."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from engine_jobs import same
from engine_places import ENGINES, MARKS, Start, as_parquet, counted, spark_session, starting

import kanon_sql
from kanon_sql.errors import ConfigurationError

pytestmark = MARKS

Json = dict[str, Any]
COLUMNS = {
    "sex": "VARCHAR",
    "age": "INTEGER",
    "cost": "VARCHAR",
    "price": "DECIMAL(12, 3)",
    "weight": "DOUBLE",
    "day": "DATE",
    "moment": "TIMESTAMP",
    "born": "VARCHAR",
    "note": "VARCHAR",
}
READ: Json = {"cost": {"decimal": ",", "thousands": "."}, "born": {"type": "date"}}
TRANSFORM: Json = {
    "age": {"bottom": "3%", "top": "10%"},
    "cost": {"round": "0.5", "bottom": -1, "top": "2%"},
    "price": {"round": "0.05"},
    "weight": {"decimals": 1, "top": 150},
    "day": {"cut": "month"},
    "moment": {"cut": "day"},
    "born": {"cut": "year"},
    "note": {"redact": ["email", "phone", "date", "name", "id"]},
}
NOTES = [
    "call 030 1234567\n",
    "a.b@c.de and jürgen@müller.de",
    "Anna Berg, 3.4.2020",
    "no 123-45-6789",
    "",
    None,
    "x\r",
]


def rows() -> list[list[Any]]:
    draw = random.Random(4)
    begun = datetime(1999, 12, 30, 13, 14, 15)
    table: list[list[Any]] = []
    for i in range(300):
        moment = begun + timedelta(hours=i * 31)
        cost = draw.choice(["1.234,5", "+0,25", "-0,75", "01,50", "?", None, "7", f"{i},25"])
        price = Decimal(draw.randrange(-40_000, 40_000)) / 1000 if i % 9 else None
        weight = draw.choice([draw.randrange(20_000) / 100, 2.25, 0.35, -1.05, 1e-7, 200.0])
        born = str(date(1950, 1, 1) + timedelta(days=i * 50))
        table.append(
            ["mf"[i % 2], draw.randrange(100), cost, price, weight, moment.date(), moment, born, draw.choice(NOTES)]
        )
    return table


def configuration(folder: Path, **more: Any) -> Json:
    as_parquet(folder / "here.parquet", COLUMNS, rows())
    return {
        "source": {"path": str(folder / "here.parquet"), "missing": ["?"], "columns": READ},
        "target": {"path": str(folder / "out.parquet"), "overwrite": True},
        "quasi_identifiers": {"sex": {"builtin": "suppress"}},
        "unlisted": "insensitive",
        "privacy": {"k": 5},
        "transform": TRANSFORM,
        **more,
    }


def released_here(config: Json) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        return connection.execute(f"FROM '{config['target']['path']}'").fetchall()


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Starts an engine when it is first asked for."""
    with starting(tmp_path_factory.mktemp) as start:
        yield start


@ENGINES
def test_every_treatment_leaves_the_same(tmp_path: Path, start: Start, engine: str) -> None:
    place, config = start(engine), configuration(tmp_path)
    here = kanon_sql.run(config).report
    remote = place.configured(config, place.put(COLUMNS, rows()))
    remote["source"]["columns"] = READ
    report = kanon_sql.run(remote).report
    same(report, here)
    assert report["treatments"] == here["treatments"]
    released, mine = place.released(remote), released_here(config)
    assert released is not None
    for position, name in enumerate(COLUMNS):
        assert counted([row[position : position + 1] for row in released]) == counted(
            [row[position : position + 1] for row in mine]
        ), name
    assert counted(released) == counted(mine)
    assert place.leftovers() == []


@ENGINES
def test_what_is_compiled_treats_alike(tmp_path: Path, start: Start, engine: str) -> None:
    place, config = start(engine), configuration(tmp_path, release={"order": "none"})
    kanon_sql.run(config)
    remote = place.configured(config, place.put(COLUMNS, rows()))
    remote["source"]["columns"] = READ
    table = "treated" if engine == "spark" else remote["source"]["table"]
    compiled = kanon_sql.compile(remote, dialect=engine, source_table=table).rstrip().rstrip(";")
    if engine == "spark":
        with spark_session(place.url, {}) as session:
            session.read.parquet(remote["source"]["path"]).createOrReplaceTempView(table)
            released = [tuple(row) for row in session.sql(compiled).collect()]
    else:
        import psycopg

        with psycopg.connect(place.url) as connection:
            released = connection.execute(compiled.encode()).fetchall()
    assert counted(released) == counted(released_here(config))


@ENGINES
def test_what_cannot_be_treated_is_refused_alike(tmp_path: Path, start: Start, engine: str) -> None:
    place = start(engine)
    config = configuration(tmp_path, transform={"note": {"round": 5}})
    table = [[*row[:1], 2_000_000_001 if i % 2 else -1_900_000_000, *row[2:]] for i, row in enumerate(rows())]
    remote = place.configured(config, place.put(COLUMNS, table))
    remote["source"]["columns"] = READ
    with pytest.raises(ConfigurationError, match="of column 'note' are invalid"):
        kanon_sql.run(remote)
    remote["transform"] = {"age": {"round": 1_200_000_000}}
    with pytest.raises(ConfigurationError, match="column 'age': 300 values have more digits"):
        kanon_sql.run(remote)
