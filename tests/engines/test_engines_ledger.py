"""A ledger of releases by PostgreSQL and Spark: it knows and refuses what one of releases by DuckDB does."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from elsewhere import Elsewhere
from engine_places import Json, Place, Start, as_parquet, marked, starting
from shared_engine import insert
from sqlglot import exp

import kanon_sql
from kanon_sql.api import load
from kanon_sql.engines.opening import job_of
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.ledger.known_sources import TablePrint, printed
from kanon_sql.source.duckdb import opened
from kanon_sql.source.model import Source
from kanon_sql.sql.connection import EngineOptions, open_engine

COLUMNS = {"name": "VARCHAR", "sex": "VARCHAR", "zip": "VARCHAR", "diagnosis": "VARCHAR", "ward": "VARCHAR"}
# A column of each type that engines hold alike, of few values and of many.
KINDS = {
    "id": "BIGINT",
    "numeral": "VARCHAR",
    "name": "VARCHAR",
    "sex": "VARCHAR",
    "number": "DOUBLE",
    "cost": "DECIMAL(9,2)",
    "day": "DATE",
    "moment": "TIMESTAMP",
    "well": "BOOLEAN",
}


def people(rows: int = 400, seed: int = 1) -> list[tuple[str, ...]]:
    draw = random.Random(seed)
    return [
        (f"secret{i}", draw.choice("fm"), f"021{draw.randint(30, 49)}", draw.choice(["flu", "cold"]), draw.choice("AB"))
        for i in range(rows)
    ]


def of_all_kinds(rows: int) -> list[tuple[Any, ...]]:
    draw = random.Random(1)
    midnight = datetime(2020, 1, 1)
    return [
        (
            i,
            str(i),
            f"näme \U0001f600 {draw.randrange(rows)}",
            draw.choice(["m", "f", None, "", "it's"]),
            draw.choice([1.0, 0.25, 0.0, None, 1e-3, -123456.0]),
            draw.choice([1, 2.5, 100]),
            date(2020, 1, 1) + timedelta(days=i),
            midnight if i % 2 else midnight + timedelta(seconds=i, microseconds=500_000),
            draw.random() < 0.3,
        )
        for i in range(rows)
    ]


def configuration(folder: Path, **more: Any) -> Json:
    return {
        "source": "unnamed.parquet",
        "target": str(folder / f"release{random.random()}.parquet"),
        "identifiers": ["name"],
        "quasi_identifiers": {"sex": {"builtin": "suppress"}, "zip": {"builtin": "prefix", "keep": [4, 3]}},
        "sensitive": ["diagnosis"],
        "unlisted": "drop",
        "privacy": {"k": 40},
        "releases": {"path": str(folder / "ledger.duckdb")},
        **more,
    }


def prints_of(config: Json) -> tuple[str, TablePrint]:
    """By what the source of a configuration is known again."""
    with job_of(load(config)).read(EngineOptions()) as (engine, source):
        overview, columns = printed(engine, source, "ab" * 16)
        return overview.fingerprint, columns


def prints_elsewhere(rows: list[tuple[Any, ...]], width: int = 1) -> tuple[Any, Any]:
    """By what a table is known that DuckDB holds, and the same one that another connection holds."""

    def prints(source: Source) -> tuple[str, TablePrint]:
        overview, columns = printed(engine, source, "cd" * 16)
        return overview.fingerprint, columns

    with duckdb.connect() as server, open_engine(EngineOptions()) as engine:
        for connection in (server, engine.connection):
            names = ", ".join(f'"{name}{i}" {kind}' for i in range(width) for name, kind in KINDS.items())
            connection.execute(f"CREATE TABLE people ({names})")
            insert(connection, "people", [row * width for row in rows])
        here = opened(engine, exp.to_table("people"), "people", "people", ())
        return prints(here), prints(Elsewhere(server).opened("people"))


def test_a_table_elsewhere_has_the_fingerprints_that_duckdb_gives_it() -> None:
    here, there = prints_elsewhere(of_all_kinds(30), width=7)
    assert there == here


@pytest.mark.slow
def test_so_has_one_of_many_values() -> None:
    here, there = prints_elsewhere(of_all_kinds(2500))
    assert there == here
    assert {name: there[1].columns[name].bits for name in ("id0", "numeral0", "day0", "name0")} == {
        "id0": 0,
        "numeral0": 0,
        "day0": 0,
        "name0": 64,
    }


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    with starting(tmp_path_factory.mktemp) as started:
        yield started


@marked
def test_the_fingerprints_are_those_of_duckdb(start: Start, engine: str, tmp_path: Path) -> None:
    place, rows = start(engine), of_all_kinds(2500)
    config = {
        "source": str(as_parquet(tmp_path / "people.parquet", KINDS, rows)),
        "target": str(tmp_path / "release.parquet"),
        "quasi_identifiers": ["sex"],
        "unlisted": "drop",
        "privacy": {"k": 2},
        "algorithm": "mondrian",
    }
    assert prints_of(place.configured(config, place.put(KINDS, rows))) == prints_of(config)


def entry_of(folder: Path, number: int) -> Json:
    entry: Json = kanon_sql.list_releases(folder / "ledger.duckdb")["releases"][number - 1]
    return entry


def kept(entry: Json) -> Json:
    """What of an entry does not say where and when it was made."""
    details = {key: entry["details"][key] for key in ("solution", "columns", "rows", "classes", "privacy")}
    same = ("id", "origin", "built_on", "source_fingerprint", "release_fingerprint", "quasi_identifiers", "released")
    return {**{key: entry[key] for key in same}, **details, "state": entry["state"]}


def in_turn(folder: Path, place: Place | None, changes: list[Json]) -> tuple[list[Json], list[str]]:
    """Releases the same people again and again; what the ledger then holds, and what was refused."""
    if place is None:
        source: Json = {"path": str(as_parquet(folder / "people.parquet", COLUMNS, people()))}
    else:
        source = place.put(COLUMNS, people())
    problems = []
    for change in changes:
        config = configuration(folder, **change)
        config = {**config, "source": source} if place is None else place.configured(config, source)
        try:
            report = kanon_sql.run(config).report
            problems.append(str(report["ledger"] | {"path": ""}))
        except NoReleaseError as error:
            problems.append(str(error).replace(str(folder), ""))
    return kanon_sql.list_releases(folder / "ledger.duckdb")["releases"], problems


AGAIN: list[Json] = [
    {},
    {},  # the same release once more
    {"sensitive": ["diagnosis", "ward"]},  # by another column; what was sensitive is known now
    {"quasi_identifiers": {"sex": {"builtin": "suppress"}, "ward": {"builtin": "suppress"}}, "privacy": {"k": 60}},
]


@marked
def test_releases_in_turn_are_recorded_and_refused_as_by_duckdb(start: Start, engine: str, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    entries, problems = in_turn(tmp_path / "here", None, AGAIN)
    remote, found = in_turn(tmp_path / "there", start(engine), AGAIN)
    assert found == problems
    assert any("fewer than" in problem for problem in problems), "none was refused"
    assert [kept(entry) for entry in remote] == [kept(entry) for entry in entries]
    assert {entry["state"] for entry in remote} == {"released"}


@marked
def test_a_release_is_known_when_it_is_the_source_and_so_is_a_changed_source(
    start: Start, engine: str, tmp_path: Path
) -> None:
    place = start(engine)
    source = place.put(COLUMNS, people())
    first = place.configured(configuration(tmp_path), source)
    kanon_sql.run(first)
    coarser = {"sex": {"builtin": "suppress", "min_level": 1}, "zip": {"builtin": "suppress"}}
    config = configuration(tmp_path, identifiers=[], quasi_identifiers=coarser)
    again = kanon_sql.run(place.configured(config, first["target"])).report
    assert again["ledger"]["built_on"] == 1
    # With the original as the source of the recorded configuration the release is no source that fits.
    with pytest.raises(ConfigurationError, match="is release 1 of the ledger"):
        kanon_sql.run(place.configured(configuration(tmp_path), first["target"]))
    entry = entry_of(tmp_path, 1)
    assert place.url not in entry["source"] or "@" not in place.url
    assert place.leftovers() == []


@marked
def test_rows_of_one_engine_are_known_in_another(start: Start, engine: str, tmp_path: Path) -> None:
    place = start(engine)
    rows = people()
    kanon_sql.run(place.configured(configuration(tmp_path), place.put(COLUMNS, rows)))
    moved = str(as_parquet(tmp_path / "moved.parquet", COLUMNS, rows))
    with pytest.raises(NoReleaseError, match="holds release 1 of the same source"):
        kanon_sql.run(configuration(tmp_path, source=moved, **AGAIN[-1]))


@marked
def test_an_open_release_is_looked_for_where_it_was_put(start: Start, engine: str, tmp_path: Path) -> None:
    place = start(engine)
    source = place.put(COLUMNS, people())
    for number in (1, 2):
        kanon_sql.run(place.configured(configuration(tmp_path), source))
        with duckdb.connect(str(tmp_path / "ledger.duckdb")) as ledger:  # as if the run had died at its end
            ledger.execute(
                "UPDATE kanon_sql_releases SET details = json_merge_patch(details, '{\"open\": []}') WHERE id = ?",
                [number],
            )
    assert [entry["state"] for entry in kanon_sql.list_releases(tmp_path / "ledger.duckdb")["releases"]] == [
        "released",
        "open",
    ]


@marked
def test_a_dry_run_finds_the_conflict_and_records_nothing(start: Start, engine: str, tmp_path: Path) -> None:
    place = start(engine)
    source = place.put(COLUMNS, people())
    kanon_sql.run(place.configured(configuration(tmp_path), source))
    other = place.configured(configuration(tmp_path, **AGAIN[-1]), source)
    with pytest.raises(NoReleaseError, match="fewer than 60 rows"):
        kanon_sql.run(other, dry_run=True)
    assert len(kanon_sql.list_releases(tmp_path / "ledger.duckdb")["releases"]) == 1


@marked
def test_a_table_is_known_by_its_place_when_its_rows_have_changed(start: Start, engine: str, tmp_path: Path) -> None:
    place = start(engine)
    rows = people()
    source = place.put(COLUMNS, rows)
    kanon_sql.run(place.configured(configuration(tmp_path), source))
    if engine == "postgres":
        with psycopg_of(place) as connection:
            connection.execute(f"DELETE FROM {source['table']} WHERE name = 'secret1'".encode())
        columns = "name, sex, zip, diagnosis, ward"
        source = {"query": f"SELECT {columns} FROM (SELECT * FROM {source['table']}) AS t"}
    else:
        as_parquet(Path(source["path"]), COLUMNS, rows[:1] + rows[2:])
    with pytest.raises(NoReleaseError, match="holds release 1 of the same source"):
        kanon_sql.run(place.configured(configuration(tmp_path, **AGAIN[-1]), source))


def psycopg_of(place: Place) -> Any:
    import psycopg

    return psycopg.connect(place.url, autocommit=True)


@pytest.mark.engine
def test_the_ledger_keeps_no_password(start: Start, tmp_path: Path) -> None:
    place = start("postgres")
    config = place.configured(configuration(tmp_path), place.put(COLUMNS, people()))
    before, _, rest = place.url.partition("@")
    url = f"{before}:very-secret@{rest}"
    kanon_sql.run({**config, "engine": {"postgres": url}})
    entry = entry_of(tmp_path, 1)
    assert "very-secret" not in str(entry)
    assert entry["source"].startswith("postgresql://")
    assert b"very-secret" not in (tmp_path / "ledger.duckdb").read_bytes()
