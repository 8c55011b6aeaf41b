"""A database file around a released table: written anew, all else kept, untouched by runs that fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from shared_engine import attached
from tables import configuration, fill_table

import kanon_sql
from kanon_sql.errors import (
    ConfigurationError,
    EngineError,
    InterruptedRunError,
    KanonError,
    NoReleaseError,
    VerificationError,
)
from kanon_sql.targets.staging import Staged

CATALOG = {
    "duckdb_schemas": "schema_name, comment",
    "duckdb_tables": "schema_name, table_name, comment, sql",
    "duckdb_columns": "schema_name, table_name, column_name, data_type, is_nullable, column_default, comment",
    "duckdb_views": "schema_name, view_name, comment, sql",
    "duckdb_indexes": "schema_name, index_name, table_name, is_unique, comment, sql",
    "duckdb_constraints": "schema_name, table_name, constraint_type, constraint_text",
    "duckdb_functions": "schema_name, function_name, comment, macro_definition",
    "duckdb_types": "schema_name, type_name, logical_type, labels, comment",
    "duckdb_sequences": "schema_name, sequence_name, start_value, increment_by, cycle, comment, sql",
}
WITHOUT_INTERNAL = ("duckdb_indexes", "duckdb_constraints", "duckdb_sequences")


def people_database(path: Path, *statements: str, storage: str = "v1.2.0") -> Path:
    """A database of an older storage version with people, a primary key and an identifier, and what is asked for."""
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{path}' AS made (STORAGE_VERSION '{storage}'); USE made; BEGIN")
        fill_table(connection, "raw")
        connection.execute(
            "CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR UNIQUE, sex VARCHAR NOT NULL,"
            " age INTEGER DEFAULT 7, zip VARCHAR,"
            " diagnosis VARCHAR NOT NULL DEFAULT 'none', cost DOUBLE DEFAULT 1.5, CHECK (age > 0));"
            "INSERT INTO people SELECT row_number() OVER () AS n, 'person ' || n, * FROM raw; DROP TABLE raw;"
            "CREATE INDEX by_cost ON people (cost, diagnosis); CREATE UNIQUE INDEX by_age ON people (age, id);"
            "COMMENT ON TABLE people IS 'it''s people'; COMMENT ON COLUMN people.age IS 'years';"
            "COMMENT ON COLUMN people.name IS 'who'; COMMENT ON INDEX by_cost IS 'fast'"
        )
        for statement in statements:
            connection.execute(statement)
        connection.execute("COMMIT; USE memory; DETACH made")
    return path


OTHERS = (
    "CREATE SCHEMA s; CREATE TYPE mood AS ENUM ('low', 'high'); CREATE TYPE s.pair AS STRUCT (a INTEGER, m mood)",
    "CREATE SEQUENCE s.numbers START 5 INCREMENT 2 MAXVALUE 99 CYCLE; SELECT nextval('s.numbers')",
    "CREATE TABLE s.towns (id INTEGER PRIMARY KEY, m mood, p s.pair, n INTEGER DEFAULT nextval('s.numbers'))",
    "CREATE TABLE s.streets (town INTEGER REFERENCES s.towns (id), g INTEGER GENERATED ALWAYS AS (town + 1) VIRTUAL)",
    "INSERT INTO s.towns VALUES (1, 'low', {'a': 1, 'm': 'high'}, 3), (2, 'high', NULL, 4)",
    "INSERT INTO s.streets (town) VALUES (1), (2); CREATE UNIQUE INDEX u ON s.streets (town)",
    "CREATE MACRO twice(a) AS a * 2; CREATE MACRO s.all_towns() AS TABLE SELECT * FROM s.towns",
    "CREATE MACRO dear() AS TABLE SELECT cost FROM people; CREATE VIEW costs AS SELECT sum(cost) AS c FROM people",
    "CREATE VIEW s.many AS SELECT count(*) AS n FROM s.towns; COMMENT ON VIEW s.many IS 'how many'",
    "COMMENT ON TABLE s.towns IS 'towns'; COMMENT ON COLUMN s.towns.m IS 'their mood'",
    "COMMENT ON TYPE mood IS 'a mood'",
    "COMMENT ON SEQUENCE s.numbers IS 'odd'; COMMENT ON MACRO twice IS 'doubles';",
)


def catalog(path: Path) -> dict[str, list[Any]]:
    """All that the catalog tells of a file, and how the file is written."""
    by_function: dict[str, list[Any]] = {}
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{path}' AS w (READ_ONLY)")
        for function, columns in CATALOG.items():
            internal = "" if function in WITHOUT_INTERNAL else "AND NOT internal"
            by_function[function] = connection.execute(
                f"SELECT {columns} FROM {function}() WHERE database_name = 'w' {internal} ORDER BY ALL"
            ).fetchall()
        by_function["storage"] = connection.execute(
            "SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name = 'w'"
        ).fetchall()
    return by_function


def of(path: Path) -> dict[str, Any]:
    return {"database": str(path), "table": "people"}


def settings(source: Path, target: Any, **more: Any) -> dict[str, Any]:
    return configuration(of(source), target, identifiers=["id", "name"], **more)


@pytest.mark.slow
def test_in_place_keeps_all_that_the_file_holds_beside_the_table(tmp_path: Path) -> None:
    path = people_database(tmp_path / "w.duckdb", *OTHERS)
    before = catalog(path)
    result = kanon_sql.run(settings(path, "in-place"))
    after = catalog(path)

    def others(by_function: dict[str, list[Any]]) -> dict[str, list[Any]]:
        return {key: [row for row in rows if "people" not in row] for key, rows in by_function.items()}

    assert others(after) == others(before)
    assert after["storage"] == [("v1.2.0+",)]
    with attached(path) as connection:
        assert connection.execute("SELECT * FROM s.towns ORDER BY id").fetchall() == [
            (1, "low", {"a": 1, "m": "high"}, 3),
            (2, "high", None, 4),
        ]
        assert connection.execute("SELECT town, g FROM s.streets ORDER BY 1").fetchall() == [(1, 2), (2, 3)]
        assert connection.execute("SELECT nextval('s.numbers'), twice(4)").fetchall() == [(7, 8)]
        assert connection.execute("SELECT count(*) FROM dear()").fetchall() == [(result.released,)]
    # Of the table itself: what still fits it, and a warning that names the rest.
    columns = {row[2]: row[3:] for row in after["duckdb_columns"] if row[1] == "people"}
    assert columns["age"] == ("VARCHAR", True, None, "years")
    assert columns["diagnosis"] == ("VARCHAR", False, "'none'", None)
    assert columns["sex"][1] is False
    assert columns["cost"][2] == "1.5"
    assert [row[1:5] for row in after["duckdb_indexes"] if row[2] == "people"] == [("by_cost", "people", False, "fast")]
    assert [row[2] for row in after["duckdb_tables"] if row[1] == "people"] == ["it's people"]
    lost = next(warning for warning in result.warnings if warning.startswith("not kept"))
    for name in ("the default of 'age'", "PRIMARY KEY(id)", "UNIQUE", "CHECK of age", "index 'by_age'"):
        assert name in lost
    assert "by_cost" not in lost and "age > 0" not in lost
    assert any(warning.startswith("macros that name") and "main.dear" in warning for warning in result.warnings)
    assert any(warning.startswith("types that stay") and "main.mood, s.pair" in warning for warning in result.warnings)


@pytest.mark.slow
def test_a_unique_index_and_a_primary_key_stay_where_they_hold(tmp_path: Path) -> None:
    path = people_database(
        tmp_path / "w.duckdb",
        "CREATE TABLE p2 AS SELECT * FROM people; DROP TABLE people; ALTER TABLE p2 RENAME TO people",
        "ALTER TABLE people ADD PRIMARY KEY (id); CREATE UNIQUE INDEX by_name ON people (name)",
        "CREATE TABLE other (a INTEGER)",
    )
    job = configuration(of(path), "in-place", insensitive=["id", "name", "cost"])
    result = kanon_sql.run(job)
    after = catalog(path)
    assert ("main", "people", "PRIMARY KEY", "PRIMARY KEY(id)") in after["duckdb_constraints"]
    assert [row[1:4] for row in after["duckdb_indexes"]] == [("by_name", "people", True)]
    assert not any(warning.startswith("not kept") for warning in result.warnings)


BREAKING = {
    "view main.names": "CREATE VIEW names AS SELECT name FROM people",
    "view main.older": "CREATE VIEW older AS SELECT age + 1 AS a FROM people",
    "foreign key of main.visits": "CREATE TABLE visits (person INTEGER REFERENCES people (id), "
    "n INTEGER NOT NULL DEFAULT 3)",
    "macro main.m": "CREATE TYPE sexes AS ENUM ('f', 'm'); CREATE MACRO m(a) AS a::sexes;"
    "CREATE TABLE p2 AS SELECT id, name, sex::sexes AS sex, age, zip, diagnosis, cost FROM people;"
    "DROP TABLE people; ALTER TABLE p2 RENAME TO people",
}


@pytest.mark.slow
@pytest.mark.parametrize("what", BREAKING)
def test_what_would_break_is_refused_unless_it_is_allowed(what: str, tmp_path: Path) -> None:
    path = people_database(tmp_path / "w.duckdb", *BREAKING[what].split(";"))
    if "visits" in what:
        with attached(path) as connection:
            connection.execute("INSERT INTO visits (person) VALUES (1), (2)")
            connection.execute("CREATE TABLE bills (v INTEGER); COMMENT ON COLUMN visits.n IS 'times'")
    before = path.read_bytes()
    with pytest.raises(ConfigurationError, match=f"{what}.*target.allow_broken: true"):
        kanon_sql.run(settings(path, "in-place"))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    result = kanon_sql.run(settings(path, {"in_place": True, "allow_broken": True}))
    assert any(warning.startswith("no longer works") and what in warning for warning in result.warnings)
    if "visits" in what:
        after = catalog(path)
        with duckdb.connect(str(path), read_only=True) as connection:
            assert connection.execute("SELECT * FROM visits ORDER BY 1").fetchall() == [(1, 3), (2, 3)]
        assert ("main", "visits", "n", "INTEGER", False, "3", "times") in after["duckdb_columns"]
        assert not [row for row in after["duckdb_constraints"] if row[2] == "FOREIGN KEY"]


@pytest.mark.slow
def test_types_go_with_the_table_that_alone_used_them(tmp_path: Path) -> None:
    path = people_database(
        tmp_path / "w.duckdb",
        "CREATE TYPE names AS ENUM (SELECT 'nameofaperson ' || id FROM people)",
        "CREATE TYPE pair AS STRUCT (n names, i INTEGER); CREATE TYPE towns AS ENUM ('townofaperson', 'other')",
        "CREATE TABLE places AS SELECT 'other'::towns AS t",
        "CREATE TABLE p2 AS SELECT id, ('nameofaperson ' || id)::names AS name, sex, age, zip, diagnosis,"
        " 'townofaperson'::towns AS cost FROM people",
        "DROP TABLE people; ALTER TABLE p2 RENAME TO people",
    )
    assert b"nameofaperson" in path.read_bytes()
    result = kanon_sql.run(settings(path, "in-place"))
    assert [row[1] for row in catalog(path)["duckdb_types"]] == ["towns"]
    assert b"nameofaperson" not in path.read_bytes()
    assert any(warning.startswith("types that stay") and "towns" in warning for warning in result.warnings)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["not verified", "no release", "interrupted", "changed", "not checkpointed"])
@pytest.mark.parametrize("table", ["released", "new"])
def test_a_run_that_fails_leaves_an_existing_database_byte_for_byte(
    how: str, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, path = people_database(tmp_path / "w.duckdb"), tmp_path / "t.duckdb"
    with attached(path) as connection:
        connection.execute("CREATE TABLE released AS SELECT 1 AS a; CREATE TABLE other AS SELECT 2 AS b")
    before = path.read_bytes()
    target = {"database": str(path), "table": table, "overwrite": True}
    job = settings(source, target)
    error: type[KanonError] = EngineError
    if how == "no release":
        job, error = settings(source, target, privacy={"k": 1000}), NoReleaseError
    elif how == "changed":
        commit = Staged.commit

        def changed(staged: Staged, **options: Any) -> None:
            os.utime(path)
            commit(staged, **options)

        monkeypatch.setattr(Staged, "commit", changed)
    elif how == "not checkpointed":
        (tmp_path / "t.duckdb.wal").write_bytes(b"some changes")
    else:
        error = VerificationError if how == "not verified" else InterruptedRunError

        def verify(*_: Any) -> None:
            raise VerificationError("no") if how == "not verified" else KeyboardInterrupt

        monkeypatch.setattr("kanon_sql.commands.run.pipeline.verify", verify)
    with pytest.raises(error):
        kanon_sql.run(job)
    assert path.read_bytes() == before
    assert {path_left.name for path_left in tmp_path.iterdir()} - {"t.duckdb.wal"} == {"w.duckdb", "t.duckdb"}


@pytest.mark.slow
def test_an_overwritten_table_leaves_no_row_and_the_other_tables_stay(tmp_path: Path) -> None:
    source = people_database(tmp_path / "w.duckdb")
    path = people_database(
        tmp_path / "t.duckdb",
        "CREATE TABLE other AS SELECT 'keepthis' AS b; CREATE TABLE Released AS FROM people",
        "UPDATE released SET diagnosis = 'forbiddentext'",
    )
    assert b"forbiddentext" in path.read_bytes()
    target = {"database": str(path), "table": "released"}
    with pytest.raises(ConfigurationError, match="exists already"):
        kanon_sql.run(settings(source, target))
    kanon_sql.run(settings(source, {**target, "overwrite": True}))
    assert b"forbiddentext" not in path.read_bytes()
    assert catalog(path)["storage"] == [("v1.2.0+",)]
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("SELECT b FROM other").fetchall() == [("keepthis",)]
        assert connection.execute("SELECT count(*) > 0 FROM released").fetchall() == [(True,)]


@pytest.mark.slow
def test_a_reader_of_the_old_file_reads_on(tmp_path: Path) -> None:
    source, path = people_database(tmp_path / "w.duckdb"), people_database(tmp_path / "t.duckdb")
    code = (
        "import sys, duckdb; c = duckdb.connect(sys.argv[1], read_only=True); print('open', flush=True)\n"
        "sys.stdin.readline(); print(c.execute('SELECT count(id) FROM people').fetchall()[0][0])"
    )
    reader = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert reader.stdout is not None
    assert reader.stdout.readline() == "open\n"
    kanon_sql.run(settings(source, {"database": str(path), "table": "people", "overwrite": True}))
    assert reader.communicate("\n")[0] == "300\n"
    writer = subprocess.Popen(
        [sys.executable, "-c", code.replace(", read_only=True", "").replace("id", "*"), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "open\n"
    before = path.read_bytes()
    with pytest.raises(EngineError):
        kanon_sql.run(settings(source, {"database": str(path), "table": "people", "overwrite": True}))
    assert path.read_bytes() == before
    writer.communicate("\n")
