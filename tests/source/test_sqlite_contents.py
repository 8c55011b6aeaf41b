"""What columns of SQLite hold, asked of SQLite itself: what DuckDB would read as something else is found."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from kanon_sql.errors import ConfigurationError
from kanon_sql.source import sqlite
from kanon_sql.source.sqlite import is_sqlite
from kanon_sql.sql import template
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import Item, column


def holds(values: list[Any]) -> int:
    """What a column without a type holds, as the query file says it."""
    lists: dict[str, list[Item]] = {"held": [{"value": column("x"), "key": "c0"}]}
    statement = template.fill("source/sqlite/contents", names={"sqlite_table": "t"}, lists=lists)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
        return int(connection.execute(statement.sql("sqlite")).fetchone()[0])


@pytest.mark.parametrize(
    ("kind", "values", "why"),
    [
        ("BIGINT", [1, None], ""),
        ("BIGINT", [1, "a"], "integers and texts"),
        ("BIGINT", [1, 1.5], "integers and fractions"),
        ("DOUBLE", [1, 1.5], ""),
        ("DOUBLE", [2**53, -(2**53)], ""),
        ("DOUBLE", [2**53 + 1], "integers of more than 15 digits and fractions"),
        ("DOUBLE", [-(2**53) - 1], "integers of more than 15 digits and fractions"),
        ("VARCHAR", ["a", None], ""),
        ("VARCHAR", ["a", 1], "integers and texts"),
        ("VARCHAR", ["a", b"a"], "texts and bytes"),
        ("BLOB", [b"a"], ""),
        ("BLOB", ["a"], ""),
        ("BLOB", [2**62], ""),
        ("BLOB", [1, "a"], "integers and texts"),
        ("BLOB", [1.5], "fractions"),
        ("DATE", ["2026-01-31", "1600-02-29", None], ""),
        *(
            ("DATE", ["2026-01-31", other], "texts that are no dates as 2026-01-31")
            for other in ("31.1.2026", "0000-01-01", "2026-1-31", "2026-01-31 12:00:00", "")
        ),
        ("DATE", [2_461_000], "integers"),
        ("TIMESTAMP", ["2026-01-31 12:30:00", "2026-01-31T23:59:59", None], ""),
        *(
            ("TIMESTAMP", ["2026-01-31 12:30:00", other], "texts that are no timestamps as 2026-01-31 12:30:00")
            for other in ("2026-01-31 24:00:00", "0000-01-31 12:30:00", "2026-01-31", "2026-01-31 12:00:00+02:00")
        ),
        ("TIME", ["12:30:00"], "texts"),
    ],
)
def test_a_column_is_read_where_its_type_fits_all_that_it_holds(kind: str, values: list[Any], why: str) -> None:
    held = sqlite._Held("x", kind, holds(values))
    assert (held.value() is None) is bool(why)
    if why:
        assert held.why() == why


def test_what_lies_in_a_column_without_a_type_is_decoded() -> None:
    for value, read in (("a", "DECODE(x, 'utf-8')"), (1, "CAST(DECODE(x, 'utf-8') AS BIGINT)")):
        expression = sqlite._Held("x", "BLOB", holds([value])).value()
        assert expression is not None
        assert expression.sql("duckdb").replace('"', "").upper().startswith(read.split("(x")[0].upper())


class Reader:
    """An engine that gives numbers one after the other."""

    def __init__(self, *numbers: int) -> None:
        self.numbers = list(numbers)

    def run(self, statement: object) -> list[tuple[int]]:
        return [(self.numbers.pop(0),)]


def test_rows_that_the_engine_loses_are_refused() -> None:
    for read, is_lost in ((9, True), (10, False), (11, True)):
        reader = cast(Engine, Reader(10, read))
        if is_lost:
            with pytest.raises(ConfigurationError, match=f"of the 10 rows of t the engine reads {read}; name a view"):
                sqlite._refuse_lost(reader, "t", Path("t.parquet"), "source")
        else:
            sqlite._refuse_lost(reader, "t", Path("t.parquet"), "source")


def test_a_writer_changes_the_database_or_the_log_beside_it(tmp_path: Path) -> None:
    path, log = tmp_path / "p.sqlite", tmp_path / "p.sqlite-wal"
    path.write_bytes(b"SQLite format 3\0")
    (tmp_path / "link.sqlite").symlink_to(path)
    assert is_sqlite(path) and not is_sqlite(tmp_path)
    log.touch()
    assert sqlite._written(path) == [path]
    log.write_bytes(b"changes")
    assert sqlite._written(path) == [path, log]
    assert sqlite._written(tmp_path / "link.sqlite") == [tmp_path / "link.sqlite", log]
