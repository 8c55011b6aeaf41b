"""Database files of SQLite as SQLite itself handles them: what stands in one, a copy without a table, who has it open.

No row passes through here but inside of SQLite. A copy is made by VACUUM INTO, which writes live rows alone: pages that
are free, and what stood in the log or the journal, do not come along.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from kanon_sql.errors import EngineError
from kanon_sql.sql import template
from kanon_sql.sql.template import quoted

_BESIDE = ("-wal", "-journal")  # files that hold what is not in the database yet
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
    """table, view or virtual table; None where there is nothing of a name."""
    for kind, other, sql in _ask(connection, "objects"):
        if other.casefold() == name.casefold():
            return "virtual table" if _is_virtual(sql) else str(kind)
    return None


def virtual_tables(connection: sqlite3.Connection) -> list[str]:
    """Tables that a module of SQLite keeps, such as an index of texts, in a form of its own."""
    return [name for _, name, sql in _ask(connection, "objects") if _is_virtual(sql)]


def refuse_unsettled(path: Path) -> None:
    """Raises EngineError for a database that has changes beside its file."""
    for suffix in _BESIDE:
        beside = path.with_name(path.name + suffix)
        with suppress(FileNotFoundError):
            if beside.stat().st_size:
                raise EngineError(
                    f"{beside}: the database has changes that are not in its file; close the programs that have it "
                    "open, or run PRAGMA wal_checkpoint(TRUNCATE)"
                )


def copy_without(path: Path, new: Path, name: str, columns: Sequence[str], place: str) -> Without:
    """Copies all of a database but one table, for a table of `columns` in its place. Raises EngineError."""
    with opened(path, place) as connection:
        connection.execute("VACUUM INTO ?", (str(new),))
        journal = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
    without = Without()
    with opened(new, place) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        if kind_of(connection, name) is not None:
            without = _drop(connection, name, columns)
            connection.execute("VACUUM")
        if journal == "wal":
            connection.execute("PRAGMA journal_mode = WAL")
    return without


def _drop(connection: sqlite3.Connection, name: str, columns: Sequence[str]) -> Without:
    """Drops a table; says what goes with it, and what would not work with a table of `columns` in its place."""
    beside = _ask(connection, "beside", {"name": name})
    lost = [f"{kind} {other!r}" for kind, other, sql in beside if kind in ("index", "trigger") and sql is not None]
    lost += ["its keys and constraints"] * any(kind == "index" and sql is None for kind, _, sql in beside)
    working = _views(connection)
    referring = [f"a foreign key of {other}" for (other,) in _ask(connection, "referring", {"name": name})]
    connection.execute(f"DROP TABLE {_name(name)}")
    make_table(connection, name, dict.fromkeys(columns, "VARCHAR"))
    left = _views(connection)
    connection.execute(f"DROP TABLE {_name(name)}")
    return Without(tuple(lost), (*(f"view {view}" for view in working if view not in left), *referring))


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


def shown_columns(connection: sqlite3.Connection) -> list[exp.Select]:
    """Statements for SQLite that give all that rows, names and definitions show."""
    tables = [name for kind, name, sql in _ask(connection, "objects") if kind == "table" and not _is_virtual(sql)]
    every = [exp.select("*").from_(exp.Table(this=quoted(name))) for name in tables]
    return [*every, exp.select("name", "sql").from_("sqlite_master")]


def _views(connection: sqlite3.Connection) -> list[str]:
    """The views whose tables and columns are there."""
    views = []
    for kind, name, _ in _ask(connection, "objects"):
        if kind == "view":
            with suppress(sqlite3.OperationalError):
                rows = exp.select("*").from_(exp.Table(this=quoted(name))).sql("sqlite")
                connection.execute(f"EXPLAIN {rows}").fetchall()
                views.append(str(name))
    return views


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
