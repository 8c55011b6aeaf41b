"""Tables of SQLite as sources: no value is read as another one, and the file is the only one that is read."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tables import configuration, people, smallest_class

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.settings.source import SourceConfig
from kanon_sql.source.opening import open_described
from kanon_sql.sql.connection import EngineOptions, open_engine

PACKAGE = "duckdb_extension_sqlite_scanner"


def real_sqlite(test: Callable[..., None]) -> Any:
    """A test of real databases, where DuckDB's extension is installed."""
    return pytest.mark.lake(pytest.mark.skipif(find_spec(PACKAGE) is None, reason=f"No module named {PACKAGE}")(test))


def database(path: Path, script: str, *rows: tuple[Any, ...]) -> Path:
    """A database with the table t, or what a script makes."""
    connection = sqlite3.connect(path)
    connection.executescript(script)
    if rows:
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(rows[0]))})", rows)
    connection.commit()
    connection.close()
    return path


def read(path: Path, table: str = "t") -> tuple[list[tuple[str, str]], list[Any]]:
    """((name, type) of columns, rows) of a table, as the program has them."""
    with open_engine(EngineOptions()) as engine:
        source = open_described(engine, SourceConfig(database=str(path), table=table), Path(), [], "source")
        return [(column.name, column.type) for column in source.columns], engine.run(source.relation)


@real_sqlite
def test_values_are_those_that_sqlite_has(tmp_path: Path) -> None:
    script = 'CREATE TABLE t (i INTEGER, r REAL, "odd "" \' name" TEXT, b BLOB, u, v, d DECIMAL(10, 2), f BOOLEAN)'
    rows = [
        (2**63 - 1, 0.1 + 0.2, "02139", b"\x00\xff", "x", 7, 1.5, 1),
        (-(2**63), 1e-310, "a\0b", b"", "é", 2**60, 3, 0),
        (None, float("inf"), "", None, None, None, 2**53, None),
        (0, -0.0, None, b"'", "'", -1, None, 1),
    ]
    path = database(tmp_path / "odd [1] * name.sqlite", script, *rows)
    columns, values = read(path)
    assert [kind for _, kind in columns] == [
        *("BIGINT", "DOUBLE", "VARCHAR", "BLOB", "VARCHAR", "BIGINT", "DOUBLE", "BIGINT"),
    ]
    assert columns[2][0] == "odd \" ' name" and values == rows
    _, empty = read(database(tmp_path / "empty.db", script))
    assert empty == []


@real_sqlite
@pytest.mark.parametrize(
    ("kind", "values", "words"),
    [
        ("INTEGER", [1, "old"], "integers and texts"),
        ("INTEGER", [1, 1.5], "integers and fractions"),
        ("REAL", [1.5, "x"], "fractions and texts"),
        ("DECIMAL", [2**53 + 1], r"integers of more than 15 digits"),
        ("TEXT", ["x", b"y"], "texts and bytes"),
        ("BLOB", [b"x", 1], "integers and bytes"),
        ("", [1, "x"], "integers and texts"),
        ("", [1.5], "fractions"),
        ("DATE", ["2026-01-31", "31.1.2026"], r"texts that are no dates as 2026-01-31"),
        ("DATE", ["2026-01-31 12:00:00"], r"texts that are no dates"),
        ("DATE", ["0000-01-01"], r"texts that are no dates"),
        ("DATE", [2461000], "integers"),
        ("TIMESTAMP", ["2026-01-31 24:00:00"], r"texts that are no timestamps"),
        ("TIMESTAMP", ["0000-01-31 12:30:00"], r"texts that are no timestamps"),
        ("TIMESTAMP", ["2026-01-31 12:00:00+02:00"], r"texts that are no timestamps"),
        ("DATETIME", [1700000000], "integers"),
    ],
)
def test_what_the_engine_would_read_as_something_else_is_refused(
    kind: str, values: list[Any], words: str, tmp_path: Path
) -> None:
    path = database(tmp_path / "t.sqlite", f"CREATE TABLE t (x {kind})", *((value,) for value in values))
    with pytest.raises(
        ConfigurationError, match=f"column 'x' of t, .* holds {words}.*; expected one kind: name a view"
    ):
        read(path)
    database(path, "CREATE VIEW as_text AS SELECT CAST(x AS TEXT) AS x FROM t")
    _, rows = read(path, "as_text")
    assert len(rows) == len(values) and all(isinstance(value, str) for (value,) in rows)


@real_sqlite
def test_dates_timestamps_and_generated_columns(tmp_path: Path) -> None:
    script = "CREATE TABLE t (d DATE, s TIMESTAMP)"
    path = database(tmp_path / "t.sqlite", script, ("1600-02-29", "2026-01-31 12:30:01"), (None, "2026-01-31T00:00:00"))
    columns, rows = read(path)
    assert columns == [("d", "DATE"), ("s", "TIMESTAMP")]
    assert [tuple(map(str, row)) for row in rows] == [
        ("1600-02-29", "2026-01-31 12:30:01"),
        ("None", "2026-01-31 00:00:00"),
    ]
    path = database(tmp_path / "g.sqlite", "CREATE TABLE t (a INTEGER, b INTEGER GENERATED ALWAYS AS (a * 2))")
    database(path, "INSERT INTO t (a) VALUES (1); CREATE VIEW v AS SELECT a, b FROM t")
    with pytest.raises(ConfigurationError, match=r"column 'b' of t is a generated one, which is not read; name a view"):
        read(path)
    assert read(path, "v")[1] == [(1, 2)]
    with pytest.raises(EngineError, match=r"g\.sqlite: table nobody: "):
        read(path, "nobody")
    path = database(tmp_path / "b.sqlite", "CREATE TABLE t (d DATE)", ("2026-02-31",))
    with pytest.raises(EngineError, match=r"b\.sqlite: table t: "):
        read(path)
    path = database(tmp_path / "u.sqlite", "CREATE TABLE t (x TEXT); INSERT INTO t VALUES (CAST(x'ff' AS TEXT))")
    with pytest.raises(EngineError, match=r"refused a value"):
        read(path)


@real_sqlite
def test_rows_that_the_engine_would_lose_are_refused(tmp_path: Path) -> None:
    """It reads a table in parts by the numbers of its rows, and takes a column of that name for them."""
    path = database(
        tmp_path / "named.sqlite", "CREATE TABLE t (rowid INTEGER, x TEXT)", (5, "a"), (None, "c"), (1, "d")
    )
    with pytest.raises(ConfigurationError, match=r"of the 3 rows of t the engine reads 2; name a view of all its"):
        read(path)
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 122880) SELECT i FROM n"
    path = database(tmp_path / "t.sqlite", f"CREATE TABLE t (x INTEGER); INSERT INTO t {numbers}")
    with pytest.raises(ConfigurationError, match=r"of the 122,880 rows of t the engine reads 122,879"):
        read(path)
    database(path, "CREATE VIEW v AS SELECT x FROM t")
    assert sorted(read(path, "v")[1]) == [(i,) for i in range(1, 122_881)]


def of_people(path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("CREATE TABLE people (sex TEXT, age INTEGER, zip TEXT, diagnosis TEXT, cost REAL)")
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", people())
    connection.commit()
    connection.close()
    return path


@real_sqlite
def test_a_release_of_a_table_of_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = of_people(tmp_path / "people.sqlite")
    config = configuration({"database": str(path), "table": "people"}, str(tmp_path / "release.parquet"))
    config["releases"] = {"path": str(tmp_path / "ledger.json")}
    result = kanon_sql.run(config, report=tmp_path / "report.json", html=tmp_path / "page.html")
    assert result.report["rows"]["source"] == 300 and result.report["source"]["table"] == "people in people.sqlite"
    assert smallest_class(f"'{tmp_path}/release.parquet'") >= 5
    from kanon_sql.source import remote, sqlite

    copy = remote.copy_rows

    def changed(*given: Any, **more: Any) -> None:
        copy(*given, **more)
        writer = sqlite3.connect(path)
        writer.execute("DELETE FROM people")
        writer.commit()

    monkeypatch.setattr(sqlite, "copy_rows", changed)
    config["target"] = str(tmp_path / "other.parquet")
    with pytest.raises(EngineError, match=r"was changed by another program during the run"):
        kanon_sql.run(config)


@real_sqlite
def test_no_query_reads_another_file_of_sqlite(tmp_path: Path) -> None:
    """The extension opens files by itself: where queries and views run it is not."""
    (tmp_path / "secret").mkdir()
    secret = of_people(tmp_path / "secret" / "people.sqlite")
    own = of_people(tmp_path / "own.sqlite")
    folder = tmp_path / "jobs"
    folder.mkdir()
    call = f"sqlite_scan('{secret}', 'people')"
    sources: list[Any] = [
        {"query": f"SELECT * FROM {call}"},
        {"query": f"SELECT * FROM sqlite_query('{secret}', 'SELECT * FROM people')"},
        {"query": f"SELECT * FROM '{secret}'"},
        {"database": str(own), "query": f"SELECT * FROM {call}"},
        {"database": str(own), "table": call},
    ]
    for source in sources:
        target = folder / "release.csv"
        population = {"privacy": {"k_map": {"k": 2, "population": {"database": str(own), "table": "people"}}}}
        for more in ({}, population):
            with pytest.raises((ConfigurationError, EngineError)):
                kanon_sql.run(configuration(source, str(target), **more))
        assert not target.exists()


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("a.csv", {"database": "t.sqlite", "table": "other.t"}, r"t\.sqlite has one schema, main"),
        ("a.csv", {"database": "t.sqlite", "table": "sqlite_t"}, r"no names such as sqlite_"),
        ("a.csv", {"database": "t.sqlite", "table": "t"}, r"table t exists already; name another or set overwrite"),
        ({"database": "t.sqlite", "query": "SELECT 1"}, "b.csv", r"where no query is run; make a view there"),
        ({"database": "ducklake:t.sqlite", "table": "t"}, "b.csv", r"is an SQLite database; leave ducklake: out"),
    ],
)
def test_what_is_refused(
    source: Any, target: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    database(tmp_path / "t.sqlite", "CREATE TABLE t (x TEXT)", ("a",))
    (tmp_path / "a.csv").write_text("sex,age,zip,diagnosis,cost\nf,1,1,a,1\n")
    before = (tmp_path / "t.sqlite").read_bytes()
    with pytest.raises(ConfigurationError, match=message):
        kanon_sql.run(configuration(source, target))
    assert (tmp_path / "t.sqlite").read_bytes() == before


def test_a_whole_database_of_sqlite_is_refused(tmp_path: Path) -> None:
    path = database(tmp_path / "t.sqlite", "CREATE TABLE person (x TEXT)")
    before = path.read_bytes()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "person.csv").write_text("person_id\n1\n")
    whole = {"unit": {"table": "person", "key": "person_id"}, "tables": {"person": {}}, "privacy": {"k": 1}}
    for source, target, message in [
        ({"database": str(path)}, str(tmp_path / "out"), r"t\.sqlite is an SQLite database, of which single tables"),
        ({"database": str(path)}, "in-place", r"t\.sqlite is an SQLite database"),
        (str(tmp_path / "folder"), {"database": str(path), "overwrite": True}, r"t\.sqlite is an SQLite database"),
    ]:
        with pytest.raises(ConfigurationError, match=message):
            kanon_sql.run({**whole, "source": source, "target": target})
    assert path.read_bytes() == before
