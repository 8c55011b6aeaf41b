"""A connection that is locked down reads what was named and nothing else, and stays so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from kanon_sql.errors import EngineError
from kanon_sql.sql.connection import Engine, EngineOptions, lock_down, open_engine


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine(EngineOptions(threads=1)) as opened:
        yield opened


def read(engine: Engine, path: Path) -> bool:
    """Whether a file can be read."""
    try:
        engine.run(f"SELECT * FROM read_text('{path}')")
    except EngineError:
        return False
    return True


def test_only_named_files_and_folders_are_read(engine: Engine, tmp_path: Path) -> None:
    named, unnamed, inside = tmp_path / "a[1].txt", tmp_path / "b.txt", tmp_path / "in" / "c.txt"
    beside = tmp_path / "inner.txt"  # begins as the folder does
    inside.parent.mkdir()
    for path in (named, unnamed, inside, beside):
        path.write_text("x", encoding="utf-8")
    lock_down(engine, [named], [inside.parent])
    assert read(engine, tmp_path / "a[[]1].txt")
    assert read(engine, inside)
    assert not read(engine, unnamed)
    assert not read(engine, beside)


@pytest.mark.parametrize(
    "statement",
    [
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "SET threads = 2",
        "ATTACH '/tmp/kanon-sql-other.duckdb'",
        "INSTALL httpfs",
        "COPY (SELECT 1) TO '/tmp/kanon-sql-other.csv'",
    ],
)
def test_nothing_unlocks_it_again(engine: Engine, statement: str) -> None:
    lock_down(engine, [], [])
    with pytest.raises(EngineError):
        engine.run(statement)


def test_it_spills_into_a_folder_of_its_own(engine: Engine) -> None:
    folder = engine.own_folder()
    lock_down(engine, [], [])
    (folder / "x.txt").write_text("x", encoding="utf-8")
    assert read(engine, folder / "x.txt")
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_connection_of_the_user_keeps_its_settings(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    with duckdb.connect() as connection:
        engine = Engine(connection, owned=False)
        lock_down(engine, [], [])
        assert read(engine, tmp_path / "a.txt")


def test_no_extension_comes_from_elsewhere(engine: Engine) -> None:
    for name in ("autoinstall_known_extensions", "autoload_known_extensions", "allow_community_extensions"):
        assert engine.run(f"SELECT current_setting('{name}')") == [(False,)], name


def test_the_order_of_a_source_is_not_exchanged_for_that_of_a_small_table(engine: Engine) -> None:
    assert engine.run("SELECT current_setting('disabled_optimizers')") == [("build_side_probe_side",)]


def test_bounds_are_set(tmp_path: Path) -> None:
    options = EngineOptions(threads=1, memory_limit="300MB", temp_directory=tmp_path)
    with open_engine(options) as engine:
        assert engine.run("SELECT current_setting('threads')") == [(1,)]
        assert str(engine.run("SELECT current_setting('memory_limit')")[0][0]).startswith("286")
        assert tmp_path in engine.own_folder().parents
