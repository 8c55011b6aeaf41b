"""What a run writes beside its target can be read by nobody else at any moment."""

from __future__ import annotations

import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from shared_engine import attached
from tables import configuration, fill_table, write

import kanon_sql
from kanon_sql.sql.connection import Engine
from kanon_sql.targets.database import TableSink
from kanon_sql.targets.staging import Staged, StagedFolder


def entries(folder: Path, before: set[Path], closed: bool = False) -> Iterator[tuple[Path, bool]]:
    """(path, whether others may open it) of every new file below a folder: one closed to them closes all in it."""
    for path in list(folder.iterdir()):
        # Files come and go meanwhile.
        with suppress(OSError):
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                yield from entries(path, before, closed or not mode & 0o077)
            elif path not in before and not path.name.endswith(".lock"):
                yield path, not closed and bool(mode & 0o077)


@contextmanager
def watched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bool]]:
    """The names of files that appear while the block runs, with whether others could ever open one of that name.

    Until the release is verified: it then gets the rights of what it replaces, or those of the umask.
    """
    before, seen, done = {*folder.rglob("*")}, dict[str, bool](), threading.Event()
    for kind in (Staged, StagedFolder):
        commit = kind.commit

        def verified(staged: Any, commit: Any = commit, **options: Any) -> None:
            done.set()
            thread.join()
            commit(staged, **options)

        monkeypatch.setattr(kind, "commit", verified)

    def look() -> None:
        while not done.is_set():
            time.sleep(0.0005)
            with suppress(OSError):
                for path, is_open in entries(folder, before):
                    seen[path.name] = is_open or seen.get(path.name, False)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


def database(path: Path, rows: int = 300, table: str = "people") -> Path:
    with attached(path) as connection:
        connection.execute("BEGIN")
        fill_table(connection, table, rows)
        connection.execute("COMMIT")
        # Enough beside it for the engine to write its log before the end.
        connection.execute("CREATE TABLE other AS SELECT i, repeat('x', 100) AS t FROM range(20000) AS r(i)")
    path.chmod(0o600)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("how", ["in place", "new", "existing", "csv", "parquet", "folder"])
def test_no_file_of_a_run_can_be_read_by_others(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warehouse = database(tmp_path / "warehouse.duckdb")
    source: Any = {"database": str(warehouse), "table": "people"}
    target: Any = {"database": str(tmp_path / "new.duckdb"), "table": "released"}
    if how == "in place":
        target = "in-place"
    elif how == "existing":
        database(tmp_path / "new.duckdb", table="released")
        target["overwrite"] = True
    elif how in ("csv", "parquet"):
        target = str(tmp_path / f"out.{how}")
    elif how == "folder":
        folder = write(tmp_path / "f", options="FORMAT parquet, PARTITION_BY (sex)")
        folder.chmod(0o700)
        source, target = str(folder), "in-place"
    with watched(tmp_path, monkeypatch) as seen:
        kanon_sql.run(configuration(source, target))
    assert [name for name, is_open in seen.items() if is_open] == []
    assert seen, "nothing was seen at work"
    if how in ("in place", "new", "existing"):
        assert any(name.endswith(".wal") for name in seen), "the log was never seen"


@pytest.mark.slow
def test_the_log_of_a_database_that_is_written_itself_is_as_private_as_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warehouse, target = database(tmp_path / "warehouse.duckdb"), database(tmp_path / "new.duckdb", table="released")
    commit, modes = TableSink.commit, list[int]()

    def committed(sink: TableSink, engine: Engine) -> None:
        commit(sink, engine)
        modes.append((tmp_path / "new.duckdb.wal").stat().st_mode & 0o777)

    monkeypatch.setattr(TableSink, "commit", committed)
    to = {"database": str(target), "table": "released", "overwrite": True, "allow_remanence": True}
    kanon_sql.run(configuration({"database": str(warehouse), "table": "people"}, to))
    assert modes == [0o600]
