"""The source replaced by its release: file, folder, table; all or nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from shared_engine import attached
from tables import configuration, fill_table, people, smallest_class, write

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError, KanonError, VerificationError


@pytest.mark.few(1)
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"people{suffix}")
    path.chmod(0o640)
    result = kanon_sql.run(configuration(str(path), "in-place"))
    assert result.released + result.suppressed == 300
    assert smallest_class(f"'{path}'") >= 5
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.slow
def test_a_partitioned_folder_is_replaced_with_its_partitions(tmp_path: Path) -> None:
    folder = write(tmp_path / "people", options="FORMAT parquet, PARTITION_BY (sex)")
    result = kanon_sql.run(configuration(str(folder), "in-place"))
    files = [p.relative_to(folder) for p in folder.rglob("*.parquet")]
    level = result.levels["sex"]
    assert {p.parts[0] for p in files} == ({"sex=f", "sex=m"} if level == 0 else {"sex=%2A"} if level else set())
    relation = f"read_parquet('{folder}/**/*.parquet', hive_partitioning=true)"
    assert smallest_class(relation) >= 5
    assert [p.name for p in tmp_path.iterdir()] == ["people"]


def test_a_flat_folder_tells_nothing_of_its_files(tmp_path: Path) -> None:
    folder = tmp_path / "people"
    folder.mkdir()
    for part in range(3):
        write(folder / f"part-{part}.csv", rows=100)
    result = kanon_sql.run(configuration(str(folder), "in-place"))
    assert result.released + result.suppressed == 300
    assert smallest_class(f"'{folder}/*.csv'") >= 5
    assert len(list(folder.iterdir())) == 1


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "people", options="FORMAT parquet, PARTITION_BY (sex)")
    (folder / "README.txt").write_text("keep me")
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    with pytest.raises(ConfigurationError, match="1 other file"):
        kanon_sql.run(configuration(str(folder), "in-place"))
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before


@pytest.mark.slow
def test_a_table_is_replaced_and_its_file_holds_no_deleted_text(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    with duckdb.connect(str(path)) as connection:
        fill_table(connection, "people")
        connection.execute("CREATE SCHEMA s; CREATE TABLE s.other AS SELECT 42 AS answer; CREATE SEQUENCE q START 7")
        connection.execute("CREATE VIEW v AS SELECT count(*) AS n FROM people; COMMENT ON TABLE s.other IS 'kept'")
        connection.execute("UPDATE people SET diagnosis = 'rare disease of ' || 'one person' WHERE rowid = 0")
        connection.execute("UPDATE people SET diagnosis = 'flu' WHERE rowid = 0; CHECKPOINT")
    source = {"database": str(path), "table": "people"}
    result = kanon_sql.run(configuration(source, "in-place"))
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("SELECT answer FROM s.other").fetchall() == [(42,)]
        assert connection.execute("SELECT n FROM v").fetchall() == [(result.released,)]
        assert connection.execute("SELECT comment FROM duckdb_tables() WHERE table_name = 'other'").fetchall() == [
            ("kept",)
        ]
        counted = connection.execute("SELECT min(n) FROM (SELECT count(*) AS n FROM people GROUP BY sex, age, zip)")
        assert counted.fetchall()[0][0] >= 5
        types = dict(connection.execute("SELECT column_name, data_type FROM duckdb_columns()").fetchall())
        assert types["cost"] == "DOUBLE"
    assert b"rare disease" not in path.read_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["warehouse.duckdb"]


@pytest.mark.slow
def test_a_table_beside_the_source_is_made_in_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "warehouse.duckdb"
    with attached(path) as connection:
        fill_table(connection, "people")
    source = {"database": str(path), "table": "people"}
    target = {"database": str(path), "table": "released"}
    with pytest.raises(ConfigurationError, match="source itself"):
        kanon_sql.run(configuration(source, {"database": str(path), "table": "People", "overwrite": True}))
    result = kanon_sql.run(configuration(source, target))
    assert any("do not share the file" in warning for warning in result.warnings)
    result = kanon_sql.run(configuration(source, {**target, "allow_remanence": True, "overwrite": True}))
    assert any("do not share the file" in warning for warning in result.warnings)
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM released").fetchall() == [(result.released,)]
        assert connection.execute("SELECT count(*) FROM people").fetchall() == [(300,)]


def test_a_release_that_does_not_verify_is_withdrawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kanon_sql.release.full_domain import FullDomainRelease

    path = write(tmp_path / "people.csv")
    before = path.read_bytes()
    monkeypatch.setattr(
        FullDomainRelease, "list_suppressed", lambda self: _no_class(self.engine, self.problem.frequency.mappings)
    )
    with pytest.raises(VerificationError) as caught:
        kanon_sql.run(configuration(str(path), "in-place", privacy={"k": 40}, suppression={"limit": "40%"}))
    assert caught.value.exit_status == 4
    assert any("hold fewer than 40 rows" in problem for problem in caught.value.problems)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["people.csv"]


def _no_class(engine, mappings) -> None:  # type: ignore[no-untyped-def]
    """Forgets to suppress: the table of suppressed classes stays empty."""
    columns = ", ".join(
        f"CAST(NULL AS INTEGER) AS q{m.index}_{level}" for m in mappings for level in range(m.height + 1)
    )
    engine.run(
        f"CREATE OR REPLACE TEMP TABLE kanon_sql_suppressed_classes AS SELECT {columns}, true AS is_suppressed LIMIT 0"
    )


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.25, 0.45, 0.6, 0.8, 1.2])
def test_a_killed_run_leaves_the_old_or_the_new_file(tmp_path: Path, after: float) -> None:
    path = write(tmp_path / "people.parquet", rows=20_000)
    before = path.read_bytes()
    config = tmp_path / "config.yaml"
    config.write_text(yaml.safe_dump(configuration(str(path), "in-place")))
    spill = tmp_path / "spill"
    spill.mkdir()
    command = [sys.executable, "-m", "kanon_sql", "run", str(config), "--temp-directory", str(spill)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if path.read_bytes() != before:
        assert smallest_class(f"'{path}'") >= 5
    assert [p.name for p in tmp_path.glob("*.parquet")] == ["people.parquet"], "no glob matches what was left"
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    # A second run on a release finds texts where there were numbers: it may refuse them, but it clears up.
    assert again.returncode in (0, 2), again.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["config.yaml", "people.parquet", "spill"]
    assert list(spill.iterdir()) == []


def test_two_runs_on_one_target_exclude_each_other(tmp_path: Path) -> None:
    from kanon_sql.targets.staging import stage_file

    path = write(tmp_path / "people.csv")
    with stage_file(path, overwrite=True, place="first"), pytest.raises(EngineError, match="another run"):
        kanon_sql.run(configuration(str(path), "in-place"))
    assert kanon_sql.run(configuration(str(path), "in-place")).status == "released"


@pytest.mark.parametrize("how", ["same", "link", "hard link", "relative"])
def test_the_source_is_no_target_by_another_name(tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "people.csv")
    before = path.read_bytes()
    monkeypatch.chdir(tmp_path)
    target = {
        "same": path,
        "link": tmp_path / "l.csv",
        "hard link": tmp_path / "h.csv",
        "relative": Path("./people.csv"),
    }[how]
    if how == "link":
        target.symlink_to(path)
    elif how == "hard link":
        os.link(path, target)
    with pytest.raises(ConfigurationError, match="source itself"):
        kanon_sql.run(configuration(str(path), {"path": str(target), "overwrite": True}))
    assert path.read_bytes() == before


def test_a_glob_or_a_query_cannot_be_replaced(tmp_path: Path) -> None:
    write(tmp_path / "a.csv")
    write(tmp_path / "b.csv")
    for source in (str(tmp_path / "*.csv"), {"query": f"SELECT * FROM '{tmp_path}/a.csv'"}):
        with pytest.raises(KanonError) as caught:
            kanon_sql.run(configuration(source, "in-place"))
        assert caught.value.exit_status == 2


@pytest.mark.parametrize(
    "target",
    [
        "in-place",
        {"database": "raw.duckdb", "table": "Shown", "overwrite": True, "allow_remanence": True},
        {"database": "other.duckdb", "table": "shown", "overwrite": True},
    ],
)
def test_a_view_cannot_be_replaced(tmp_path: Path, target: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("raw.duckdb", "other.duckdb"):
        with attached(name) as connection:
            fill_table(connection, "people")
            connection.execute("CREATE VIEW shown AS FROM people; CREATE VIEW seen AS FROM people")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    source = {"database": "raw.duckdb", "table": "SHOWN" if target == "in-place" else "seen"}
    with pytest.raises(ConfigurationError, match="is a view, which no release replaces; name a table"):
        kanon_sql.run(configuration(source, target))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_people_are_as_expected() -> None:
    assert len({row[:3] for row in people()}) > 250, "the table must need generalization"
