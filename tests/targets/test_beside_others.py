"""Targets beside other connections, threads and runs: locks that stay, tables that are not lost."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tables import configuration, fill_table, write

import kanon_sql
from kanon_sql.errors import EngineError
from kanon_sql.source.duckdb import attach
from kanon_sql.sql.connection import EngineOptions, open_engine
from kanon_sql.targets import opening
from kanon_sql.targets.files import sha256
from kanon_sql.targets.staging import Staged, stage_file
from kanon_sql.targets.staging_permissions import mask_of


def written_elsewhere(path: Path) -> bool:
    """Whether another program can write a database."""
    program = f"import duckdb; duckdb.connect({str(path)!r}).execute('CREATE OR REPLACE TABLE other AS SELECT 1')"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0


@pytest.mark.slow
def test_a_digest_does_not_end_the_lock_on_a_database(tmp_path: Path) -> None:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people AS SELECT 1 AS one")
    with open_engine(EngineOptions()) as engine:
        attach(engine, path)
        sha256(path, engine.held)
        assert not written_elsewhere(path)
    assert written_elsewhere(path)


@pytest.mark.slow
def test_no_digest_of_a_database_that_the_user_has_open(tmp_path: Path) -> None:
    path = tmp_path / "people.duckdb"
    source = {"database": str(path), "table": "people"}
    ledger = {"path": str(tmp_path / "ledger.duckdb")}
    with duckdb.connect(str(path)) as connection:
        fill_table(connection, "people")
        connection.execute("CHECKPOINT")
        config = configuration(source, {"path": str(tmp_path / "out.csv")}, releases=ledger)
        report = kanon_sql.run(config, connection=connection).report
        assert not written_elsewhere(path)
    assert report["source"]["sha256"] is None
    assert report["release"]["sha256"] == sha256(tmp_path / "out.csv")


def test_threads_leave_the_mask_as_it_was(tmp_path: Path) -> None:
    before = os.umask(0o022)
    entered, leave = threading.Event(), threading.Event()

    def second() -> None:
        with mask_of(tmp_path / "b"):
            entered.set()
            leave.wait()

    thread = threading.Thread(target=second)
    try:
        with mask_of(tmp_path / "a"):
            thread.start()
            assert not entered.wait(0.1)
        leave.set()
        thread.join()
        assert os.umask(0o022) == 0o022
    finally:
        leave.set()
        os.umask(before)


@pytest.mark.slow
def test_a_database_made_just_before_the_run_has_the_lock_keeps_its_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, path = write(tmp_path / "people.csv"), tmp_path / "all.duckdb"

    @contextmanager
    def late(target: Path, **given: Any) -> Iterator[Staged]:
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE other AS SELECT 42 AS answer")
        with stage_file(target, **given) as staged:
            yield staged

    monkeypatch.setattr(opening, "stage_file", late)
    kanon_sql.run(configuration(str(source), {"database": str(path), "table": "released"}))
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("SELECT answer FROM other").fetchall() == [(42,)]
        assert len(connection.execute("SELECT * FROM released LIMIT 9").fetchall()) == 9


def test_a_database_made_in_the_place_of_a_new_one_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, path = write(tmp_path / "people.csv"), tmp_path / "all.duckdb"
    path.touch()
    original = Staged.commit

    def late(self: Staged, **given: Any) -> None:
        path.write_text("another program's")
        original(self, **given)

    monkeypatch.setattr(Staged, "commit", late)
    with pytest.raises(EngineError, match=r"all\.duckdb was changed by another program during the run"):
        kanon_sql.run(configuration(str(source), {"database": str(path), "table": "released"}))
    assert path.read_text() == "another program's"


def test_a_database_that_the_program_has_open_elsewhere_is_told_so(tmp_path: Path) -> None:
    source, path = write(tmp_path / "people.csv"), tmp_path / "all.duckdb"
    target = {"database": str(path), "table": "released", "allow_remanence": True}
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE other AS SELECT 42 AS answer; CHECKPOINT")
        with pytest.raises(EngineError, match="another connection of this program has the database open"):
            kanon_sql.run(configuration(str(source), target))
