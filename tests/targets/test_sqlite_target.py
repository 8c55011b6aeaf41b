"""Tables of SQLite as targets: other tables and values stay as they are, in place nothing of the rows before stays."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from shared_engine import attached
from tables import configuration, people, simple

import kanon_sql
from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.targets import sqlite as sqlite_target
from kanon_sql.targets.sqlite import open_sqlite
from kanon_sql.targets.sqlite_file import alone, bytes_of_texts, number_last, opened, refuse_unsettled

PACKAGE = "duckdb_extension_sqlite_scanner"
SECRET = "Named Secretly"  # in every name, which no release holds
TABLE = "CREATE TABLE people (name TEXT, sex TEXT, age INTEGER, zip TEXT, diagnosis TEXT, cost REAL)"


def real_sqlite(test: Callable[..., None]) -> Any:
    """A test of real databases, where DuckDB's extension is installed."""
    return pytest.mark.lake(pytest.mark.skipif(find_spec(PACKAGE) is None, reason=f"No module named {PACKAGE}")(test))


def database(path: Path, *statements: str, journal: str = "wal") -> Path:
    """A database with a table of people that has deleted rows, and a table of visits."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.execute(TABLE)
        rows = [(f"{SECRET} {i}", *row) for i, row in enumerate(people())]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.execute("CREATE TABLE visits (visit INTEGER PRIMARY KEY, text)")
        connection.execute("INSERT INTO visits VALUES (7, 'a text of a visit')")
        for statement in statements:
            connection.execute(statement)
        connection.execute("DELETE FROM people WHERE rowid % 7 = 0")
        connection.commit()
    return path


def job(path: Path, target: Any = "in-place", **more: Any) -> dict[str, Any]:
    return configuration({"database": str(path), "table": "people"}, target, identifiers=["name"], **more)


def ask(path: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


def smallest(path: Path, table: str = "people") -> tuple[int, int]:
    """(rows of the smallest class, rows) of a table, counted by SQLite."""
    counted = f"SELECT count(*) AS n FROM {table} GROUP BY sex, age, zip"
    least, rows = ask(path, f"SELECT min(n), sum(n) FROM ({counted})")[0]
    return int(least), int(rows)


@real_sqlite
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_in_place_nothing_of_the_replaced_rows_stays(tmp_path: Path, journal: str) -> None:
    more = ["CREATE INDEX by_name ON people (name)", "ANALYZE", "PRAGMA user_version = 41"]
    path = database(tmp_path / "odd [1] ' name", *more, "CREATE VIEW ages AS SELECT age FROM people", journal=journal)
    path.chmod(0o640)
    assert SECRET.encode() in path.read_bytes()
    result = kanon_sql.run(job(path), html=tmp_path / "page.html", advice=False)
    assert SECRET.encode() not in path.read_bytes()
    assert smallest(path)[0] >= 5 and smallest(path)[1] == result.released
    assert ask(path, "SELECT * FROM visits") == [(7, "a text of a visit")] and len(ask(path, "SELECT * FROM ages")) > 0
    assert ask(path, "PRAGMA user_version") == [(41,)] and ask(path, "PRAGMA journal_mode") == [(journal,)]
    assert ask(path, "PRAGMA integrity_check") == [("ok",)]
    assert result.report["forgotten"]["searched"] > 10_000 and result.report["forgotten"]["found"] == 0
    assert "not kept of the replaced table: index 'by_name'" in result.report["warnings"]
    assert "written anew without the rows before" in (tmp_path / "page.html").read_text()
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name, "page.html"]
    assert path.stat().st_mode & 0o777 == 0o640


@real_sqlite
def test_what_is_not_kept_is_said_and_other_rows_keep_their_numbers(tmp_path: Path) -> None:
    notes = [
        "CREATE TABLE notes (text)",
        "INSERT INTO notes VALUES ('a'), ('b'), ('c'), ('d')",
        "DELETE FROM notes WHERE text IN ('a', 'c')",
    ]
    path = database(tmp_path / "people.sqlite", *notes)
    columns = (
        "name TEXT NOT NULL, sex TEXT CHECK (sex <> ''), age INTEGER, zip TEXT DEFAULT '0', "
        "diagnosis TEXT COLLATE nocase, cost REAL, id INTEGER PRIMARY KEY"
    )
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE p ({columns})")
        connection.execute("INSERT INTO p SELECT *, rowid FROM people")
        connection.execute("DROP TABLE people")
        connection.execute("ALTER TABLE p RENAME TO people")
        connection.commit()
    result = kanon_sql.run({**job(path), "identifiers": ["name", "id"]}, advice=False)
    lost = "its collations, its constraints, its default values, its keys"
    assert f"not kept of the replaced table: {lost}" in result.report["warnings"]
    assert ask(path, "SELECT rowid, text FROM notes") == [(2, "b"), (4, "d")]


@pytest.mark.parametrize("left", ["-wal", "-journal"])
def test_what_an_earlier_database_left_does_not_get_into_a_new_one(left: str, tmp_path: Path) -> None:
    """SQLite brings the changes of a log or a journal into any database of the name."""
    path = database(tmp_path / "people.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {'wal' if left == '-wal' else 'persist'}")
        connection.execute("UPDATE people SET name = name || ' again'")
        connection.commit()
        kept = path.with_name(path.name + left).read_bytes()
    path.unlink()
    beside = path.with_name(path.name + left)
    beside.write_bytes(kept)
    with (
        pytest.raises(EngineError, match=rf"people\.sqlite{left}: changes of a database that is no longer there"),
        alone(path, "here"),
    ):
        pytest.fail("a log that is there")
    name, target = ("main", "people"), TargetConfig(database=str(path), table="people")
    with (
        pytest.raises(EngineError, match=rf"people\.sqlite{left}: changes of a database that is no longer there"),
        open_sqlite(path, name, target, "here"),
    ):
        pytest.fail("a log that is there")
    assert list(tmp_path.iterdir()) == [beside] and beside.read_bytes() == kept
    path.write_bytes(b"a database")
    with pytest.raises(EngineError, match=r"are not in its file; close the programs .*, or run PRAGMA "):
        refuse_unsettled(path)


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_texts_of_each_encoding_are_searched(encoding: str, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection:
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.execute("CREATE TABLE t (a)")
        connection.executemany("INSERT INTO t VALUES (?)", [(f"{'x' * i}, Müller Ж 😀",) for i in range(4)])
        connection.commit()
    content = (tmp_path / "t.sqlite").read_bytes()
    parts = list(bytes_of_texts(content, encoding))
    assert parts[0] == content
    for i in range(4):
        assert any(f"{'x' * i}, Müller Ж 😀".encode() in part for part in parts)


@real_sqlite
@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le"])
def test_remains_are_found(encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy that kept what was deleted is told from one that did not."""
    with closing(sqlite3.connect(tmp_path / "people.sqlite")) as connection:
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.execute("CREATE TABLE empty (i)")
    path = database(tmp_path / "people.sqlite")

    def leaves(connection: sqlite3.Connection, name: str) -> None:
        number_last(connection, name)
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("CREATE TABLE left_over (name)")
        connection.executemany("INSERT INTO left_over VALUES (?)", [(f"{SECRET} {i}",) for i in range(300)])
        connection.execute("DROP TABLE left_over")

    monkeypatch.setattr(sqlite_target, "number_last", leaves)
    monkeypatch.setattr(sqlite_target, "_PART", 5_000)
    result = kanon_sql.run(job(path), advice=False)
    assert result.report["forgotten"]["found"] > 100
    assert "of the values that the table held before were found in people.sqlite" in result.report["warnings"][-1]


@real_sqlite
def test_values_are_those_released(tmp_path: Path) -> None:
    values = (
        "i % 2 = 0 AS b, i::TINYINT AS i, 9223372036854775807 - i AS w, 0.1::FLOAT AS f, 0.1 + i / 3.0 AS d, "
        "(i / 7)::DECIMAL(10, 4) AS n, '0213' || chr((i + 48)::INTEGER) AS t, DATE '2026-01-31' AS g, "
        "TIMESTAMP '2026-01-31 12:30:00.25' AS s, 'a'::BLOB AS x, NULL::INTEGER AS e, [i, 1] AS l"
    )
    with attached() as connection:
        connection.execute(f"COPY (SELECT 'f' AS sex, {values} FROM range(20) r(i)) TO '{tmp_path}/a.parquet'")
        expected = connection.execute(
            "SELECT b::INTEGER, i, w, f::DOUBLE, d, n::VARCHAR, t, g::VARCHAR, s::VARCHAR, x, e, l::VARCHAR "
            f"FROM '{tmp_path}/a.parquet' ORDER BY i"
        ).fetchall()
    target = {"database": str(tmp_path / "new.sqlite"), "table": '"odd "" name"'}
    kanon_sql.run(simple(tmp_path / "a.parquet", target, "sex"), advice=False)
    rows = ask(tmp_path / "new.sqlite", 'SELECT b, i, w, f, d, n, t, g, s, x, e, l FROM "odd "" name" ORDER BY i')
    assert rows == expected
    assert (tmp_path / "new.sqlite").read_bytes().startswith(b"SQLite format 3\0")
    with pytest.raises(ConfigurationError, match=r"exists already; name another or set overwrite"):
        kanon_sql.run(simple(tmp_path / "a.parquet", target, "sex"))
    again = simple(tmp_path / "a.parquet", {**target, "overwrite": True}, "sex")
    assert kanon_sql.run(again, advice=False).status == "released"
    assert ask(tmp_path / "new.sqlite", "SELECT count(*) FROM sqlite_master") == [(1,)]
    assert ask(tmp_path / "new.sqlite", 'SELECT count(*) FROM "odd "" name"') == [(20,)]


@real_sqlite
def test_another_table_of_the_same_file(tmp_path: Path) -> None:
    path = database(tmp_path / "people.db")
    result = kanon_sql.run(job(path, {"database": str(path), "table": "released"}), advice=False)
    assert smallest(path, "released")[0] >= 5 and len(ask(path, "SELECT * FROM visits")) == 1
    assert "still holds the source's table: do not share the file" in result.report["warnings"][-1]
    released = configuration({"database": str(path), "table": "released"}, "in-place")
    assert kanon_sql.check(released)["status"] == "satisfied"
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 122880) SELECT i FROM n"
    with opened(tmp_path / "t.sqlite", "here") as connection:
        connection.execute("CREATE TABLE t (i INTEGER)")
        connection.execute(f"INSERT INTO t {rows}")
        number_last(connection, "T")
        assert connection.execute("SELECT max(rowid), count(*), max(i) FROM t").fetchone() == (122881, 122880, 122880)


@real_sqlite
@pytest.mark.parametrize(
    ("statement", "more", "message"),
    [
        ("CREATE VIEW names AS SELECT name FROM people", {}, r"no longer works with the released table: view names"),
        (
            "CREATE TRIGGER noted AFTER INSERT ON visits BEGIN UPDATE people SET name = '' WHERE age = new.visit; END",
            {},
            r"no longer works with the released table: triggers of visits",
        ),
        ("CREATE INDEX released ON people (zip)", {"target": "released"}, r"released is an index, which no release"),
        (
            "CREATE TABLE bills (person REFERENCES people (name))",
            {},
            r"no longer works with the released table: a foreign key of bills",
        ),
        ("CREATE VIRTUAL TABLE words USING fts5(text)", {}, r"'words' is a virtual table, .*allow_remanence: true"),
        ("ALTER TABLE people RENAME cost TO oid", {"insensitive": ["oid"]}, r"column 'oid' is what SQLite calls the"),
        (
            "ALTER TABLE people RENAME TO p",
            {"table": "p", "view": True},
            r"people is a view, which no release replaces",
        ),
    ],
)
def test_what_cannot_be_replaced_is_refused(statement: str, more: Any, message: str, tmp_path: Path) -> None:
    is_view = "view" in more
    views = ["CREATE VIEW people AS SELECT * FROM p"] if is_view else []
    path = database(tmp_path / "people.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        for each in (statement, *views):
            connection.execute(each)
        connection.commit()
    before = path.read_bytes()
    target = {"database": str(path), "table": more["target"]} if "target" in more else "in-place"
    config = {**job(path, target), **{key: value for key, value in more.items() if key == "insensitive"}}
    with pytest.raises(ConfigurationError, match=message):
        kanon_sql.run(config)
    assert path.read_bytes() == before
    if "broken" in message or "works" in message:
        config["target"] = {"in_place": True, "allow_broken": True}
        result = kanon_sql.run(config, advice=False)
        assert any(re.search(message, warning) for warning in result.report["warnings"])


@real_sqlite
def test_a_database_that_others_have_open_is_not_replaced(tmp_path: Path) -> None:
    path = database(tmp_path / "people.sqlite")
    with closing(sqlite3.connect(path)) as reader:
        reader.execute("SELECT count(*) FROM visits").fetchall()
        with pytest.raises(EngineError, match=r"another program has .*people\.sqlite open; nothing was replaced"):
            kanon_sql.run(job(path), advice=False)
        reader.execute("INSERT INTO visits VALUES (8, 'another')")
        reader.commit()
        with pytest.raises(EngineError, match=r"people\.sqlite-wal: the database has changes that are not in its file"):
            kanon_sql.run(job(path), advice=False)
    assert smallest(path)[1] == 258 and len(ask(path, "SELECT * FROM visits")) == 2
    assert [file.name for file in tmp_path.iterdir() if "kanon" in file.name] == []


def test_a_lock_holds_until_the_end(tmp_path: Path) -> None:
    for journal in ("wal", "delete"):
        path = database(tmp_path / f"{journal}.sqlite", journal=journal)
        with alone(path, "here"):
            with (
                closing(sqlite3.connect(path, timeout=0)) as second_connection,
                pytest.raises(sqlite3.OperationalError, match="locked"),
            ):
                second_connection.execute("INSERT INTO visits VALUES (8, 'another')")
            assert sorted(file.name for file in tmp_path.glob(f"{journal}*")) == [path.name]


@real_sqlite
@pytest.mark.slow
def test_a_killed_run_leaves_the_old_or_the_new_rows(tmp_path: Path) -> None:
    """After a kill the database is whole, and the next run clears up what is left beside it."""
    draw = random.Random(int(os.environ.get("KANON_SQL_TEST_SEED", "7")))
    longest = 2.5
    for number in range(int(os.environ.get("KANON_SQL_TEST_KILLS", "4"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = database(folder / "people.sqlite", journal=draw.choice(["wal", "delete"]))
        (folder / "config.json").write_text(json.dumps(job(path)))
        words = [sys.executable, "-m", "kanon_sql", "run", str(folder / "config.json"), "--no-advice"]
        began = time.monotonic()
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0.2, longest))
        process.send_signal(signal.SIGKILL)
        process.wait()
        least, rows = smallest(path)
        replaced = least >= 5
        assert replaced or rows == 258
        began = time.monotonic()
        again = subprocess.run(words, capture_output=True, text=True, check=False)
        longest = max(longest, time.monotonic() - began) if not replaced else longest
        # A second run on a release finds texts where there were numbers: it may refuse them, but it clears up.
        assert again.returncode in (0, 2), again.stderr
        assert replaced or again.returncode == 0
        assert smallest(path)[0] >= 5
        left = [file.name for file in folder.rglob("*") if file.is_file() and SECRET.encode() in file.read_bytes()]
        assert left == [] and [file.name for file in folder.iterdir() if "kanon" in file.name] == []
