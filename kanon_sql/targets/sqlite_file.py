"""Database files of SQLite as SQLite itself handles them: what stands in one, a copy without a table, who has it open.

No row passes through here but inside of SQLite. A copy is made by VACUUM INTO, which writes live rows alone: pages that
are free, and what stood in the log or the journal, do not come along.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from sqlglot import exp

from kanon_sql.errors import EngineError
from kanon_sql.sql import template
from kanon_sql.sql.template import quoted

_LOG, _JOURNAL = "-wal", "-journal"
# Files that hold what is not in the database yet, or rows of before, and what ends them.
_BESIDE = {
    _LOG: "close the programs that have it open, or run PRAGMA wal_checkpoint(TRUNCATE)",
    _JOURNAL: "close the programs that have it open, or run PRAGMA journal_mode = DELETE",
}
_WAIT = 5.0  # seconds for another program to end its transaction
_PART = 122_880  # rows by which DuckDB reads a table: of one that ends with such a part it loses the last row
_WHOLE = ("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_TYPES = {"BIGINT": "INTEGER", "DOUBLE": "REAL", "VARCHAR": "TEXT", "DATE": "DATE", "BLOB": "BLOB"}


@dataclass(frozen=True)
class Without:
    """What is not carried over to a new table in the place of another one, and what no longer works with it."""

    lost: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


@contextmanager
def opened(path: Path, place: str) -> Iterator[sqlite3.Connection]:
    """A connection of SQLite to a file, each statement a transaction of its own. Raises EngineError."""
    try:
        # A statement that is kept would tell of the tables that were there when it was made.
        connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, cached_statements=0)
        try:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute("PRAGMA trusted_schema = OFF")
            yield connection
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise EngineError(f"{place}: {path}: SQLite: {error}") from None


def kind_of(connection: sqlite3.Connection, name: str) -> str | None:
    """table, view, index or virtual table; None where there is nothing of a name."""
    for kind, sql in _ask(connection, "named", {"name": name}):
        return "virtual table" if _is_virtual(sql) else str(kind)
    return None


def virtual_tables(connection: sqlite3.Connection) -> list[str]:
    """Tables that a module of SQLite keeps, such as an index of texts, in a form of its own."""
    return [name for _, name, sql in _ask(connection, "objects") if _is_virtual(sql)]


def refuse_unsettled(path: Path) -> None:
    """Raises EngineError for a database that has changes beside its file.

    Where there is no database too: SQLite would bring those of an earlier one into a new one of its name.
    """
    there = path.exists() and path.stat().st_size > 0
    for suffix, remedy in _BESIDE.items():
        beside = path.with_name(path.name + suffix)
        with suppress(FileNotFoundError):
            if beside.stat().st_size:
                raise EngineError(
                    f"{beside}: the database has changes that are not in its file; {remedy}"
                    if there
                    else f"{beside}: changes of a database that is no longer there; remove it, or name another target"
                )


def copy_without(path: Path, new: Path, name: str, columns: Sequence[str], place: str) -> Without:
    """Copies all of a database but one table, for a table of `columns` in its place. Raises EngineError."""
    whole = new.with_name("whole")
    with opened(path, place) as connection:
        connection.execute("VACUUM INTO ?", (str(whole),))
        journal = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
    without = Without()
    with opened(whole, place) as connection:
        if kind_of(connection, name) is not None:
            without = _drop(connection, name, columns)
        # Into a third file: VACUUM alone gives rows of other tables new numbers, by which yet others may name them.
        connection.execute("VACUUM INTO ?", (str(new),))
    whole.unlink()
    if journal == "wal":
        with opened(new, place) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
    return without


def _drop(connection: sqlite3.Connection, name: str, columns: Sequence[str]) -> Without:
    """Drops a table; says what goes with it, and what would not work with a table of `columns` in its place."""
    beside = _ask(connection, "beside", {"name": name})
    lost = [f"{kind} {other!r}" for kind, other, sql in beside if kind in ("index", "trigger") and sql is not None]
    lost += [f"its {kind}" for (kind,) in _ask(connection, "constraints", {"name": name})]
    working = _working(connection, name)
    referring = [f"a foreign key of {other}" for (other,) in _ask(connection, "referring", {"name": name})]
    connection.execute(f"DROP TABLE {_name(name)}")
    make_table(connection, name, dict.fromkeys(columns, "VARCHAR"))
    left = _working(connection, name)
    connection.execute(f"DROP TABLE {_name(name)}")
    broken = dict.fromkeys(of for statement, of in working.items() if statement not in left)
    return Without(tuple(lost), (*broken, *referring))


def make_table(connection: sqlite3.Connection, name: str, types: Mapping[str, str]) -> None:
    """An empty table of columns with types of DuckDB."""
    columns = ", ".join(f"{_name(column)} {_TYPES[kind]}" for column, kind in types.items())
    connection.execute(f"CREATE TABLE {_name(name)} ({columns})")


def number_last(connection: sqlite3.Connection, name: str) -> None:
    """Gives the last row another number where DuckDB would lose it."""
    rows = exp.Table(this=quoted(name))
    last = connection.execute(exp.select("max(rowid)").from_(rows).sql("sqlite")).fetchone()[0]
    if last and last % _PART == 0:
        moved = exp.update(rows, {"rowid": last + 1}, where=exp.column("rowid").eq(last))
        connection.execute(moved.sql("sqlite"))


@contextmanager
def alone(path: Path, place: str) -> Iterator[None]:
    """In the block nobody else reads or writes a database, and nothing of it is beside its file. Raises EngineError."""
    if not path.exists() or not path.stat().st_size:
        refuse_unsettled(path)
        yield
        return
    with opened(path, place) as connection:
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            raise EngineError(
                f"{place}: another program has {path} open; nothing was replaced: close it there, and run again"
            ) from None
        refuse_unsettled(path)
        # Empty ones, by this connection: left there they would count as those of the file that takes its place.
        for suffix in (*_BESIDE, "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        yield


def bytes_of_texts(content: bytes, encoding: str) -> Iterator[bytes]:
    """A part of a database as it is, and where its texts stand in pairs of bytes, these as UTF-8."""
    yield content
    if encoding != "UTF-8":
        for start in (0, 1):
            yield content[start:].decode(encoding, "ignore").encode()


def shown_columns(connection: sqlite3.Connection) -> list[exp.Select]:
    """Statements for SQLite that give all that rows, names and definitions show."""
    tables = [name for kind, name, sql in _ask(connection, "objects") if kind == "table" and not _is_virtual(sql)]
    every = [exp.select("*").from_(exp.Table(this=quoted(name))) for name in tables]
    return [*every, exp.select("name", "sql").from_("sqlite_master")]


def _working(connection: sqlite3.Connection, name: str) -> dict[str, str]:
    """Statements that need views, or the triggers of tables but one, and work; by each what it needs."""
    needed = {}
    for kind, other, _ in _ask(connection, "objects"):
        if kind == "view":
            rows = exp.select("*").from_(exp.Table(this=quoted(other))).sql("sqlite")
            needed[rows] = f"view {other}"
    for other, columns in groupby(_ask(connection, "triggered", {"name": name}), key=itemgetter(0)):
        alike = [exp.EQ(this=exp.column(quoted(own)), expression=exp.column(quoted(own))) for _, own in columns]
        table = exp.Table(this=quoted(other))
        changes = (
            exp.Insert(this=table.copy(), default=True),
            exp.Update(this=table.copy(), expressions=alike),
            exp.Delete(this=table.copy()),
        )
        needed.update({change.sql("sqlite"): f"triggers of {other}" for change in changes})
    return {statement: needs for statement, needs in needed.items() if _works(connection, statement)}


def _works(connection: sqlite3.Connection, statement: str) -> bool:
    """Whether all that a statement needs is there; it is not run."""
    with suppress(sqlite3.OperationalError):
        connection.execute(f"EXPLAIN {statement}").fetchall()
        return True
    return False


def _ask(connection: sqlite3.Connection, query: str, values: Mapping[str, str] | None = None) -> list[tuple[str, ...]]:
    statement = template.fill(f"targets/sqlite/{query}", names={"sqlite_master": exp.to_table("sqlite_master")})
    return connection.execute(statement.sql("sqlite"), dict(values or {})).fetchall()


def _is_virtual(sql: str | None) -> bool:
    return sql is not None and sql.upper().startswith("CREATE VIRTUAL TABLE")


def _name(name: str) -> str:
    return quoted(name).sql("sqlite")


def held_type(kind: str) -> str:
    """The type in which SQLite holds the values of a type of DuckDB: as they are, or as texts."""
    if kind in _WHOLE:
        return "BIGINT"
    held = "DOUBLE" if kind == "FLOAT" else kind
    return held if held in _TYPES else "VARCHAR"
