"""Databases of SQLite as Python's own module has them: copies without a table, locks, types. No extension of DuckDB."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from queried import answers

from kanon_sql.config.model import TargetConfig
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.source.model import Column
from kanon_sql.sql.connection import Engine
from kanon_sql.targets import sqlite, sqlite_file
from kanon_sql.targets.database import StagedDatabase
from kanon_sql.targets.sqlite import open_sqlite
from kanon_sql.targets.sqlite_file import (
    alone,
    bytes_of_texts,
    copy_without,
    held_type,
    make_table,
    number_last,
    opened,
)

ROWS = "CREATE TABLE People (name TEXT, zip TEXT)", "INSERT INTO People VALUES ('Ann', '02139'), ('Bob', '02140')"

NO_ENGINE = cast(Engine, None)  # which a commit of SQLite does not use


def made(path: Path, *statements: str, journal: str = "delete") -> Path:
    """A database with a table of people, and what statements make."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        for statement in (*ROWS, *statements):
            connection.execute(statement)
        connection.commit()
    return path


def rows_of(path: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


@contextmanager
def sink(path: Path, table: str = "people", **said: Any) -> Iterator[StagedDatabase]:
    """The sink of a table of a database."""
    target = TargetConfig.model_validate(
        said if said.get("in_place") else {"database": str(path), "table": table, **said}
    )
    with open_sqlite(path, ("main", table), target, "target") as opened_sink:
        yield opened_sink


def test_a_copy_says_what_it_leaves_out_and_what_no_longer_works(tmp_path: Path) -> None:
    path = made(
        tmp_path / "p.sqlite",
        "CREATE INDEX by_zip ON People (zip)",
        "CREATE TRIGGER counted AFTER INSERT ON People BEGIN SELECT 1; END",
        "CREATE TABLE bills (person REFERENCES PEOPLE (name))",
        "CREATE VIEW names AS SELECT name FROM people",
        "CREATE VIEW zips AS SELECT zip FROM people",
        "CREATE TABLE notes (text)",
        "INSERT INTO notes VALUES ('a'), ('b'), ('c')",
        "DELETE FROM notes WHERE text = 'b'",
    )
    without = copy_without(path, tmp_path / "new.sqlite", "people", ["zip"], "here")
    assert without.lost == ("index 'by_zip'", "trigger 'counted'")
    assert without.broken == ("view names", "a foreign key of bills")
    assert rows_of(tmp_path / "new.sqlite", "SELECT rowid, text FROM notes") == [(1, "a"), (3, "c")]
    kept = [("bills",), ("names",), ("notes",), ("zips",)]
    assert rows_of(tmp_path / "new.sqlite", "SELECT name FROM sqlite_master ORDER BY 1") == kept
    assert b"02140" not in (tmp_path / "new.sqlite").read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["new.sqlite", "p.sqlite"]


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_copy_keeps_its_journal(journal: str, tmp_path: Path) -> None:
    copy_without(made(tmp_path / "p.sqlite", journal=journal), tmp_path / "new.sqlite", "people", ["zip"], "here")
    assert rows_of(tmp_path / "new.sqlite", "PRAGMA journal_mode") == [(journal,)]


def test_the_last_row_gets_another_number_where_the_engine_would_lose_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_file, "_PART", 3)
    with opened(tmp_path / "t.sqlite", "here") as connection:
        make_table(connection, "t", {"i": "BIGINT"})
        numbers = []
        for number in range(1, 7):
            connection.execute("INSERT INTO t (rowid, i) VALUES (?, ?)", (number, number))
            number_last(connection, "t")
            numbers.append(connection.execute("SELECT max(rowid) FROM t").fetchone()[0])
            connection.execute("UPDATE t SET rowid = ? WHERE i = ?", (number, number))
        assert numbers == [1, 2, 4, 4, 5, 7]
        assert connection.execute("SELECT i FROM t ORDER BY rowid").fetchall() == [(i,) for i in range(1, 7)]


def test_values_are_held_as_they_are_or_as_texts() -> None:
    """SQLite's integers have 64 bits with a sign: larger numbers would be others."""
    kinds = {
        "BIGINT": ["BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"],
        "DOUBLE": ["FLOAT", "DOUBLE"],
        "DATE": ["DATE"],
        "BLOB": ["BLOB"],
        "VARCHAR": ["VARCHAR", "UBIGINT", "HUGEINT", "DECIMAL(9,2)", "TIMESTAMP", "TIME", "INTEGER[]", "ENUM('a')"],
    }
    for held, types in kinds.items():
        assert [held_type(kind) for kind in types] == [held] * len(types)


def test_changes_that_a_killed_program_left_are_seen_when_nobody_else_is_there(tmp_path: Path) -> None:
    """SQLite reads them of a log as soon as the database is locked."""
    path = made(tmp_path / "p.sqlite", journal="wal")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE people SET zip = '0'")
        connection.commit()
        left = tmp_path / "left.sqlite"
        shutil.copy(path, left)
        shutil.copy(f"{path}-wal", f"{left}-wal")
    with pytest.raises(EngineError, match=r"left\.sqlite-wal: the database has changes"), alone(left, "here"):
        pytest.fail("changes beside the file")


@pytest.mark.parametrize(
    ("statement", "table", "said", "problem"),
    [
        ("CREATE VIEW v AS SELECT 1", "v", {"overwrite": True}, "v is a view, which no release replaces"),
        ("CREATE INDEX i ON people (zip)", "I", {"overwrite": True}, "I is an index, which no release replaces"),
        ("CREATE TABLE t (a)", "T", {}, "table T exists already; name another or set overwrite"),
        ("CREATE VIRTUAL TABLE w USING fts5(x)", "w", {"overwrite": True}, "w is a virtual table, which no release"),
        ("CREATE VIRTUAL TABLE w USING fts5(x)", "people", {"in_place": True}, "'w' is a virtual table, such as an"),
        ("SELECT 1", "sqlite_stat1", {}, "one schema, main, and no names such as sqlite_"),
        ("SELECT 1", "new", {"allow_remanence": True}, "allow_remanence goes with a database file of DuckDB; remove"),
    ],
)
def test_what_no_release_replaces_is_refused(
    statement: str, table: str, said: Any, problem: str, tmp_path: Path
) -> None:
    path = made(tmp_path / "p.sqlite", statement)
    before = path.read_bytes()
    with pytest.raises(ConfigurationError, match=problem), sink(path, table, **said):
        pytest.fail("a table that is taken")
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_names_of_row_numbers_are_refused_in_whatever_letters(tmp_path: Path) -> None:
    with sink(tmp_path / "new.sqlite") as opened_sink:
        for name in ("rowid", "_ROWID_", "Oid"):
            with pytest.raises(ConfigurationError, match=f"column '{name}' is what SQLite calls the numbers of rows"):
                opened_sink.refuse([Column("a", "a", "VARCHAR"), Column(name, name, "VARCHAR")], "target")
        opened_sink.refuse([Column("rowids", "rowids", "VARCHAR")], "target")


@pytest.mark.parametrize("changes", [True, False])
def test_a_database_that_changed_meanwhile_is_not_replaced(changes: bool, tmp_path: Path) -> None:
    path = made(tmp_path / "p.sqlite")
    with sink(path, in_place=True) as opened_sink:
        shutil.copy(made(tmp_path / "other.sqlite", "DELETE FROM people"), opened_sink.staged.path)
        if changes:
            made_later = "INSERT INTO people VALUES ('Cid', '1')"
            with closing(sqlite3.connect(path)) as connection:
                connection.execute(made_later)
                connection.commit()
            with pytest.raises(EngineError, match="changed"):
                opened_sink.commit(NO_ENGINE)
        else:
            opened_sink.commit(NO_ENGINE)
    assert rows_of(path, "SELECT count(*) FROM people") == [(3 if changes else 0,)]


def test_a_file_is_searched_in_parts_that_hold_every_value_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "_PART", 50)
    monkeypatch.setattr(sqlite, "_OVERLAP", 10)
    content = bytes(range(251))
    for size in (0, 49, 50, 51, 90, 91, 251):
        (tmp_path / "f").write_bytes(content[:size])
        parts = list(sqlite._parts(tmp_path / "f"))
        assert parts[0] == content[: min(size, 50)] and parts[-1] == content[:size][-len(parts[-1]) :]
        assert all(before[-10:] == after[:10] for before, after in pairwise(parts))
        assert all(any(content[at : at + 10] in part for part in parts) for at in range(size - 9))


def test_texts_of_five_letters_are_sought_and_shorter_ones_are_not() -> None:
    rows = ("name VARCHAR, zip VARCHAR", [("Annas", "02139"), ("Ann", "021"), ("Annas", None), ("Anna", "021390")])
    lists = {"item": [{"text": "name"}, {"text": "zip"}]}
    then = "SELECT value, is_hit FROM before_values ORDER BY value"
    sought = [("02139", False), ("021390", False), ("Annas", False)]
    for most, least in ((10, 3), (2, 2)):
        names, values = {"before_values": "before_values"}, {"most": most}
        found = answers(
            "targets/sqlite/remembered", {"source": rows}, names=names, lists=lists, values=values, then=then
        )
        assert len(found) == least and set(found) <= set(sought)


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
def test_texts_of_two_bytes_a_letter_are_sought_from_even_and_from_odd_places(encoding: str) -> None:
    for before in (b"", b"\1", b"\1\2"):
        parts = list(bytes_of_texts(before + "Müller Ж".encode(encoding), encoding))
        assert any("Müller Ж".encode() in part for part in parts[1:])
