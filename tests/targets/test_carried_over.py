"""What a database that is written anew keeps of its catalog, by hand: two catalogs in memory, without a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from shared_engine import attached

from kanon_sql.errors import NoRoomError
from kanon_sql.sql.connection import Engine
from kanon_sql.targets.database_copy import Catalogs, Constraint, DatabaseCopy

OLD = (
    "CREATE TABLE people (id INTEGER PRIMARY KEY, age INTEGER DEFAULT 7 CHECK (age > 17), seen DATE DEFAULT today(),"
    " name VARCHAR NOT NULL, zip VARCHAR NOT NULL, cost INTEGER DEFAULT (random() * 2), twice INTEGER AS (age * 2));"
    "CREATE INDEX by_name ON people (name); CREATE UNIQUE INDEX by_seen ON people (seen);"
    "CREATE INDEX by_cost ON people (cost); CREATE INDEX by_grown ON people ((age > 17));"
    "COMMENT ON TABLE people IS 'of Ada'; COMMENT ON COLUMN people.name IS 'such as Ada';"
    "COMMENT ON INDEX by_name IS 'for Ada'; CREATE SEQUENCE numbers; CREATE MACRO grown(a) AS a > 17;"
    "CREATE TYPE mood AS ENUM ('low')"
)
# A release: a column of another type, a missing value where there was none, and one day in both rows.
NEW = (
    "CREATE TABLE people AS SELECT i AS id, 3 AS age, DATE '2024-01-01' AS seen, 'x' AS name,"
    " CASE WHEN i = 1 THEN 'z' END AS zip, '*' AS cost, 6 AS twice FROM range(1, 3) r(i);"
    "ALTER TABLE people ALTER id TYPE INTEGER"
)


@contextmanager
def catalogs(old: str, new: str) -> Iterator[tuple[Engine, str, str]]:
    """An engine with two databases in memory, and their names."""
    with attached() as connection, attached() as other:
        for place, statements in ((connection, old), (other, new)):
            place.execute(statements)
        names = [place.execute("SELECT current_database()").fetchall()[0][0] for place in (connection, other)]
        yield Engine(other), *names


def told_of(engine: Engine, name: str) -> dict[str, Any]:
    """Of the columns of a database whether they may be missing and their defaults; its indexes and comments."""
    rows = engine.run(
        "SELECT column_name, is_nullable, column_default, comment FROM duckdb_columns() "
        f"WHERE database_name = '{name}' AND table_name = 'people'"
    )
    indexes = f"SELECT index_name, is_unique, comment FROM duckdb_indexes() WHERE database_name = '{name}'"
    keys = "SELECT constraint_type FROM duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY'"
    tables = f"SELECT comment FROM duckdb_tables() WHERE database_name = '{name}' AND table_name = 'people'"
    return {
        "required": {column for column, nullable, *_ in rows if not nullable},
        "defaults": {column: default for column, _, default, _ in rows if default is not None},
        "comments": [*(comment for *_, comment in rows if comment), *(row[0] for row in engine.run(tables) if row[0])],
        "indexes": sorted(engine.run(indexes)),
        "keys": len(engine.run(f"{keys} AND database_name = '{name}'")),
    }


def test_of_a_whole_database_nothing_comes_along_that_tells_a_value() -> None:
    with catalogs(OLD, NEW) as (engine, old, new):
        lost = Catalogs(engine, old, new).carry_over()
        assert told_of(engine, new) == {
            "required": {"id", "name"},
            "defaults": {"seen": "today()"},
            "comments": [],
            "indexes": [("by_name", False, None), ("by_seen", False, None)],
            "keys": 1,
        }
        assert lost == [
            *(f"main.people: {loss}" for loss in ("the default of 'age'", "the comment of 'name'")),
            *(f"main.people: {loss}" for loss in ("NOT NULL of 'zip'", "the default of 'cost'")),
            *(f"main.people: {loss}" for loss in ("that column 'twice' is computed", "CHECK of age")),
            *(f"main.people: {loss}" for loss in ("the comment of index 'by_name'", "that index 'by_seen' is unique")),
            *(f"main.people: {loss}" for loss in ("index 'by_cost'", "index 'by_grown'", "its comment")),
            *("sequence main.numbers", "macro main.grown", "type main.mood"),
        ]


def test_beside_a_released_table_defaults_and_comments_stay_as_they_were() -> None:
    with catalogs(OLD, NEW) as (engine, old, new):
        copy = DatabaseCopy(engine, old, new, ("main", "PEOPLE"))
        assert copy.name == ("main", "people")
        lost = copy.carry_over(copy.name)
        told = told_of(engine, new)
        assert told["defaults"] == {"age": "7", "seen": "today()"}
        assert sorted(told["comments"]) == ["of Ada", "such as Ada"]
        assert ("by_name", False, "for Ada") in told["indexes"] and ("by_seen", False, None) in told["indexes"]
        assert not any("comment" in loss or "'age'" in loss for loss in lost)


def test_a_key_is_none_where_it_repeats_is_missing_or_is_of_another_type() -> None:
    for column, keys in (("i", 1), ("1", 0), ("CASE WHEN i = 1 THEN 1 END", 0), ("CAST(i AS VARCHAR)", 0)):
        made = f"CREATE TABLE people AS SELECT {column} AS id FROM (SELECT unnest([1, 2])::INTEGER) r(i)"
        with catalogs("CREATE TABLE people (id INTEGER PRIMARY KEY)", made) as (engine, old, new):
            lost = Catalogs(engine, old, new).carry_over()
            assert told_of(engine, new)["keys"] == keys, column
            assert ("main.people: PRIMARY KEY(id)" in lost) is (keys == 0)


def test_what_a_constraint_is_tells_no_value() -> None:
    assert Constraint("CHECK", "CHECK((name <> 'Ada'))", ("name",), None).describe() == "CHECK of name"
    assert Constraint("CHECK", "CHECK((1 > 0))", (), None).describe() == "CHECK"
    assert Constraint("UNIQUE", "UNIQUE(a)", ("a",), None).describe() == "UNIQUE(a)"


OTHERS = (
    "CREATE TYPE mood AS ENUM ('low'); CREATE TYPE zips AS ENUM ('02138');"
    "CREATE TABLE people (id INTEGER PRIMARY KEY, m mood, z zips);"
    "CREATE TABLE visits (id INTEGER PRIMARY KEY, who INTEGER REFERENCES people (id), n INTEGER DEFAULT 3);"
    "CREATE TABLE drugs (visit INTEGER REFERENCES visits (id));"
    "CREATE TABLE towns (id INTEGER PRIMARY KEY, m mood, g INTEGER AS (id + 1));"
    "CREATE TABLE streets (town INTEGER REFERENCES towns (id));"
    "INSERT INTO people VALUES (1, 'low', '02138'); INSERT INTO visits VALUES (5, 1, 2); INSERT INTO drugs VALUES (5);"
    "INSERT INTO towns (id, m) VALUES (8, 'low'); INSERT INTO streets VALUES (8);"
    "CREATE VIEW v AS SELECT id FROM people; CREATE VIEW w AS SELECT id FROM towns;"
    "CREATE MACRO near(a) AS a::zips; CREATE MACRO twice(a) AS a * 2"
)


def test_other_tables_stay_and_those_that_lead_to_the_released_one_lose_that() -> None:
    with catalogs(OTHERS, "SELECT 1") as (engine, old, new):
        copy = DatabaseCopy(engine, old, new, ("main", "people"))
        assert copy.rebuilt == [("main", "drugs"), ("main", "visits")]
        assert (copy.types, copy.dropped_types) == ([("main", "mood")], [("main", "zips")])
        copy.copy_schema()
        engine.run(f"CREATE TABLE {new}.people AS SELECT '*' AS zip")
        lost = copy.copy_rows()
        assert lost == [
            "main.visits: FOREIGN KEY (who) REFERENCES people(id)",
            "main.drugs: FOREIGN KEY (visit) REFERENCES visits(id)",
        ]
        rows = {"visits": [(5, 1, 2)], "drugs": [(5,)], "towns": [(8, "low", 9)], "streets": [(8,)]}
        assert {name: engine.run(f"FROM {new}.{name}") for name in rows} == rows
        broken = ["foreign key of main.drugs", "foreign key of main.visits", "view main.v", "macro main.near"]
        assert copy.broken() == broken
        engine.run(f"INSERT INTO {new}.visits (id) VALUES (6)")
        assert engine.run(f"SELECT n FROM {new}.visits WHERE id = 6") == [(3,)]


def test_what_has_no_room_is_no_loss_but_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with catalogs("CREATE TABLE people (d DATE DEFAULT today())", "CREATE TABLE people (d DATE)") as (engine, old, new):
        run = engine.run

        def full(statement: Any, *more: Any) -> Any:
            if "SET DEFAULT" in str(statement):
                raise NoRoomError("no space left")
            return run(statement, *more)

        monkeypatch.setattr(engine, "run", full)
        with pytest.raises(NoRoomError):
            Catalogs(engine, old, new).carry_over()
