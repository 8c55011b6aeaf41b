"""Tables of a lake as sources and targets; in place nothing of the replaced rows stays, wherever a run is killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import pytest
from lakes import PACKAGE, SECRET, lay_out, opened
from tables import configuration

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError
from kanon_sql.sql.connection import Engine


def real_lake(test: Callable[..., None]) -> Any:
    """A test of a real lake, where DuckLake is installed."""
    missing = pytest.mark.skipif(find_spec(PACKAGE) is None, reason="No module named DuckLake: .[lake]")
    return pytest.mark.lake(missing(test))


def lake(path: Path, rows: int = 300, table: str = "people", options: str = "") -> Path:
    """A lake with a table of people that has a history: files, rows in the catalog itself, deleted and changed rows."""
    with opened(path, options) as connection:
        connection.execute(
            f"CREATE SCHEMA IF NOT EXISTS lake.{table.partition('.')[0]}" if "." in table else "SELECT 1"
        )
        lay_out(connection, rows, table)
    return path


def job(path: Path, target: Any = "in-place", table: str = "people", **more: Any) -> dict[str, Any]:
    return configuration({"database": f"ducklake:{path}", "table": table}, target, identifiers=["name"], **more)


def holding(folder: Path, text: str = SECRET) -> list[str]:
    """The files below a folder in which a text stands."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return [str(file.relative_to(folder)) for file in files if text.encode() in file.read_bytes()]


def smallest(path: Path, table: str = "people", options: str = "(READ_ONLY)") -> tuple[int, int]:
    """(rows of the smallest class, rows) of a table of a lake, counted by a query of its own."""
    with opened(path, options) as connection:
        counted = f"SELECT count(*) AS n FROM lake.{table} GROUP BY sex, age, zip"
        least, rows = connection.execute(f"SELECT min(n), sum(n) FROM ({counted})").fetchall()[0]
    return int(least), int(rows)


@real_lake
@pytest.mark.parametrize("table", ["people", '"Ärzte und"."the ""people"""'])
def test_in_place_nothing_of_the_replaced_rows_stays(tmp_path: Path, table: str) -> None:
    path = lake(tmp_path / "meta.ducklake", table=table)
    with opened(path) as connection:
        connection.execute("CREATE TABLE lake.visits AS SELECT 1 AS visit, 'a text of a visit' AS text")
    assert {Path(name).parts[0] for name in holding(tmp_path)} == {"meta.ducklake", "meta.ducklake.files"}
    result = kanon_sql.run(job(path, table=table))
    assert holding(tmp_path) == []
    least, rows = smallest(path, table)
    assert least >= 5 and rows == result.released
    forgotten = result.report["forgotten"]
    assert forgotten["snapshots"] >= 5 and forgotten["files"] >= 1 and forgotten["found"] == 0
    assert forgotten["searched"] > path.stat().st_size
    with opened(path) as connection:
        assert connection.execute("SELECT count(*) FROM ducklake_snapshots('lake')").fetchall() == [(1,)]
        assert connection.execute("SELECT text FROM lake.visits").fetchall() == [("a text of a visit",)]
        # The lake goes on as any other: written, read and cleaned up by DuckLake.
        connection.execute(f"INSERT INTO lake.{table} SELECT * FROM lake.{table} LIMIT 1")
        connection.execute("SELECT count(*) FROM ducklake_cleanup_old_files('lake', cleanup_all => true)")
    assert smallest(path, table)[1] == result.released + 1
    assert [file.name for file in tmp_path.iterdir() if "kanon" in file.name] == []


@real_lake
def test_a_table_of_another_lake_or_of_the_same_is_made(tmp_path: Path) -> None:
    path = lake(tmp_path / "meta.ducklake")
    before = sorted(holding(tmp_path))
    result = kanon_sql.run(job(path, {"database": f"ducklake:{tmp_path / 'new.ducklake'}", "table": "shared.people"}))
    assert smallest(tmp_path / "new.ducklake", "shared.people")[0] >= 5 and "forgotten" not in result.report
    (tmp_path / "jobs").mkdir()
    (tmp_path / "others").mkdir()
    second_lake = lake(tmp_path / "others" / "other.ducklake", table="visits")
    elsewhere = job(path, {"database": f"ducklake:{second_lake}", "table": "people"})
    (tmp_path / "jobs" / "config.json").write_text(json.dumps(elsewhere))
    assert kanon_sql.run(tmp_path / "jobs" / "config.json").status == "released"
    assert smallest(second_lake)[0] >= 5 and smallest(second_lake, "visits")[1] == 300
    shutil.rmtree(tmp_path / "others")
    assert holding(tmp_path) == before
    again = job(path, {"database": f"ducklake:{path}", "table": "released"})
    assert "still holds the source's table" in kanon_sql.run(again).report["warnings"][-1]
    assert smallest(path, "released")[0] >= 5 and smallest(path, "people")[1] == 300
    with pytest.raises(ConfigurationError, match=r"released exists already; name another or set overwrite"):
        kanon_sql.run(again)
    again["target"]["overwrite"] = True
    assert kanon_sql.run(again).status == "released"


@real_lake
def test_another_format_to_and_from_a_lake(tmp_path: Path) -> None:
    path = lake(tmp_path / "meta.ducklake")
    kanon_sql.run(job(path, str(tmp_path / "release.parquet")))
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT * FROM '{tmp_path}/release.parquet') TO '{tmp_path}/people.csv'")
    config = configuration(str(tmp_path / "people.csv"), {"database": f"ducklake:{tmp_path / 'new'}", "table": "p"})
    config["quasi_identifiers"]["age"] = config["quasi_identifiers"]["zip"] = {"builtin": "suppress"}
    kanon_sql.run(config)
    assert smallest(tmp_path / "new", "p")[0] >= 5
    query = {"database": f"ducklake:{path}", "query": "SELECT * FROM people WHERE age >= 30"}
    assert kanon_sql.run(configuration(query, str(tmp_path / "old.csv"), identifiers=["name"])).status == "released"


@real_lake
def test_a_release_that_fails_leaves_the_lake_as_it_was(tmp_path: Path) -> None:
    path = lake(tmp_path / "meta.ducklake")
    with opened(path) as connection:
        connection.execute("CREATE VIEW lake.names AS SELECT name FROM lake.people")
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    with pytest.raises(ConfigurationError, match=r"no longer works with the released table: view main.names"):
        kanon_sql.run(job(path))
    with pytest.raises(kanon_sql.errors.NoReleaseError):
        kanon_sql.run(job(path, {"in_place": True, "allow_broken": True}, privacy={"k": 1000}))
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before
    broken = kanon_sql.run(job(path, {"in_place": True, "allow_broken": True}))
    assert broken.status == "released" and holding(tmp_path) == []


@real_lake
def test_what_a_table_made_anew_has_not_is_said(tmp_path: Path) -> None:
    path = lake(tmp_path / "meta.ducklake")
    with opened(path) as connection:
        connection.execute("ALTER TABLE lake.people SET PARTITIONED BY (sex)")
        connection.execute("COMMENT ON COLUMN lake.people.age IS 'in years'")
    assert "not kept of the replaced table: comments, partitions" in kanon_sql.run(job(path)).report["warnings"]


@real_lake
def test_a_value_that_stays_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the second copy the pages of the catalog still hold what was replaced."""
    import kanon_sql.targets.lake as module

    copied = module._copy_catalog

    def copied_once(engine: Engine, catalog: str, path: Path) -> None:
        if catalog == module._OTHER:
            path.write_bytes(path.with_name("before").read_bytes())
        else:
            copied(engine, catalog, path)

    monkeypatch.setattr(module, "_copy_catalog", copied_once)
    result = kanon_sql.run(job(lake(tmp_path / "meta.ducklake")))
    assert result.report["forgotten"]["found"] > 0
    assert any("were found in it again" in warning for warning in result.report["warnings"])


@real_lake
def test_values_that_other_rows_of_the_lake_hold_are_none_that_stayed(tmp_path: Path) -> None:
    path = lake(tmp_path / "meta.ducklake")
    with opened(path) as connection:
        connection.execute("CREATE TABLE lake.staff AS SELECT name AS clerk FROM lake.people")
    result = kanon_sql.run(job(path))
    assert "meta.ducklake" in holding(tmp_path), "the catalog has the least and the greatest clerk"
    assert result.report["forgotten"]["found"] == 0


@real_lake
def test_a_lake_elsewhere_is_read_where_that_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "catalog").mkdir()
    rows = tmp_path / "rows"
    path = lake(tmp_path / "catalog" / "meta.ducklake", options=f"(DATA_PATH '{rows}')")
    config = job(path, str(tmp_path / "release.csv"))
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "config.yaml").write_text(json.dumps(config))
    with pytest.raises(ConfigurationError, match=r"the rows of the lake stand in .*/rows.*; add it to source.allow"):
        kanon_sql.run(tmp_path / "jobs" / "config.yaml")
    config["source"]["allow"] = [str(rows)]
    (tmp_path / "jobs" / "config.yaml").write_text(json.dumps(config))
    assert kanon_sql.run(tmp_path / "jobs" / "config.yaml").status == "released"


@real_lake
def test_a_folder_of_rows_that_is_told_from_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = lake(Path("meta.ducklake"), options="(DATA_PATH 'rows/')")
    assert kanon_sql.run(job(path)).status == "released"
    assert smallest(path)[0] >= 5 and holding(tmp_path) == []


@real_lake
def test_an_encrypted_lake(tmp_path: Path) -> None:
    """DuckDB writes one with httpfs alone, or says that its own way is no secure one."""
    with opened(tmp_path / "meta.ducklake", "(ENCRYPTED)") as connection:
        connection.execute("SET force_mbedtls_unsafe = 'true'")
        connection.execute("CREATE TABLE lake.people AS SELECT 'f' AS sex, 30 AS age, '02131' AS zip FROM range(300)")
    path = tmp_path / "meta.ducklake"
    config = configuration({"database": f"ducklake:{path}", "table": "people"}, str(tmp_path / "release.csv"))
    del config["sensitive"], config["insensitive"]
    assert kanon_sql.run(config).released == 300
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    with pytest.raises(EngineError):
        kanon_sql.run({**config, "target": "in-place"})
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


@real_lake
def test_a_view_of_a_lake_reads_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    path = lake(tmp_path / "inside" / "meta.ducklake")
    (tmp_path / "other.csv").write_text("name,sex,age,zip,diagnosis,cost\na,f,30,02131,flu,1\n")
    with opened(path) as connection:
        connection.execute(f"CREATE VIEW lake.other AS SELECT * FROM read_csv('{tmp_path}/other.csv')")
        connection.execute(f"COPY (SELECT * FROM lake.people) TO '{tmp_path}/other.parquet'")
        connection.execute("CREATE TABLE lake.more AS SELECT * FROM lake.people")
        connection.execute(f"CALL ducklake_add_data_files('lake', 'more', '{tmp_path}/other.parquet')")
        connection.execute("CREATE VIEW lake.told AS SELECT *, current_query() AS q FROM lake.people")
    config = job(path, str(tmp_path / "release.csv"), table="other")
    (tmp_path / "inside" / "config.json").write_text(json.dumps(config))
    with pytest.raises(EngineError, match=r"reads .*other.csv, which is not in the configuration's folder"):
        kanon_sql.run(tmp_path / "inside" / "config.json")
    config["source"]["table"] = "more"
    with pytest.raises(EngineError, match=r"file system operations are disabled"):
        kanon_sql.run(config)
    with pytest.raises(
        ConfigurationError, match=r"the lake reads 1 files outside of its folder.*allow_remanence: true"
    ):
        kanon_sql.run({**config, "target": "in-place"})
    calling = "SELECT * FROM people WHERE 1 = (SELECT count(*) FROM ducklake_expire_snapshots('meta', dry_run => true))"
    with pytest.raises(ConfigurationError, match=r"calls ducklake_expire_snapshots\(\)"):
        kanon_sql.run({**config, "source": {"database": f"ducklake:{path}", "query": calling}})
    with pytest.raises(ConfigurationError, match=r"calls current_query\(\)"):
        kanon_sql.run(job(path, str(tmp_path / "release.csv"), table="told", unlisted="insensitive"))


@real_lake
def test_names_that_do_not_fit(tmp_path: Path) -> None:
    path = lake(tmp_path / "meta.ducklake")
    config = job(path, str(tmp_path / "release.csv"))
    config["source"]["database"] = str(path)
    with pytest.raises(ConfigurationError, match=r"is the catalog of a lake; expected ducklake:"):
        kanon_sql.run(config)
    with duckdb.connect(tmp_path / "plain.duckdb") as connection:
        connection.execute("CREATE TABLE people AS SELECT 1 AS name")
    config["source"]["database"] = f"ducklake:{tmp_path / 'plain.duckdb'}"
    with pytest.raises(ConfigurationError, match=r"no catalog of a lake; leave ducklake: out"):
        kanon_sql.run(config)
    with pytest.raises(ConfigurationError, match=r"is a lake whose only table is people; expected --table"):
        kanon_sql.init(f"ducklake:{path}")
    proposal = kanon_sql.init(f"ducklake:{path}", table="people", known=["age", "sex", "zip"])
    assert "ducklake:" in proposal.yaml


@real_lake
def test_a_run_that_ends_between_the_exchange_and_the_removal(tmp_path: Path) -> None:
    """The next run removes what is left, also where it releases nothing itself."""
    path = lake(tmp_path / "meta.ducklake")
    (tmp_path / "config.json").write_text(json.dumps(job(path)))
    dies = "import os, kanon_sql.targets.lake as lake; lake._remove = lambda files: os._exit(9)"
    code = f"{dies}\nimport kanon_sql; kanon_sql.run({str(tmp_path / 'config.json')!r}, advice=False)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    assert smallest(path)[0] >= 5
    assert holding(tmp_path), "without a file that is left the test tells nothing"
    assert all(name.startswith("meta.ducklake.files") for name in holding(tmp_path))
    with pytest.raises(ConfigurationError):
        kanon_sql.run(tmp_path / "config.json")
    assert holding(tmp_path) == [] and smallest(path)[0] >= 5


@real_lake
@pytest.mark.slow
def test_a_killed_run_leaves_the_old_or_the_new_rows(tmp_path: Path) -> None:
    """After a kill the lake is whole; where the new rows stand, the next run removes what is left of the old ones."""
    seed = int(os.environ.get("KANON_SQL_TEST_SEED", "7"))
    draw = random.Random(seed)
    for number in range(int(os.environ.get("KANON_SQL_TEST_KILLS", "4"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = lake(folder / "meta.ducklake")
        (folder / "config.json").write_text(json.dumps(job(path)))
        words = [sys.executable, "-m", "kanon_sql", "run", str(folder / "config.json"), "--no-advice"]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0.5, 2.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
        least, rows = smallest(path)
        replaced = least >= 5
        assert replaced or rows == 300
        again = subprocess.run(words, capture_output=True, text=True, check=False)
        # A second run on a release finds texts where there were numbers: it may refuse them, but it clears up.
        assert again.returncode in (0, 2), again.stderr
        assert replaced or again.returncode == 0
        assert holding(folder) == [] and smallest(path)[0] >= 5
        assert [file.name for file in folder.iterdir() if "kanon" in file.name] == []


def test_without_the_extension_one_line_says_what_to_do(tmp_path: Path) -> None:
    """A database with the table that tells a catalog."""
    if find_spec(PACKAGE) is not None:
        pytest.skip("DuckLake is installed")
    with duckdb.connect(tmp_path / "meta.ducklake") as connection:
        connection.execute("CREATE TABLE ducklake_metadata (key VARCHAR, value VARCHAR, scope VARCHAR)")
        connection.execute("INSERT INTO ducklake_metadata VALUES ('data_path', 'rows/', NULL)")
    config = job(tmp_path / "meta.ducklake", str(tmp_path / "release.csv"))
    with pytest.raises(
        ConfigurationError, match=r"^[^\n]*pip install 'kanon-sql\[lake\]'[^\n]*INSTALL ducklake[^\n]*$"
    ):
        kanon_sql.run(config)
    config["target"] = {"database": f"ducklake:{tmp_path / 'new'}", "table": "people"}
    config["source"] = {
        "query": "SELECT 'f' AS sex, 1 AS age, '02131' AS zip, 'flu' AS diagnosis, 1.0 AS cost, 'a' AS name"
    }
    with pytest.raises(ConfigurationError, match=r"pip install 'kanon-sql\[lake\]'"):
        kanon_sql.run(config)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["meta.ducklake"]


def test_rows_of_a_lake_elsewhere_are_refused(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "meta.ducklake") as connection:
        connection.execute("CREATE TABLE ducklake_metadata (key VARCHAR, value VARCHAR, scope VARCHAR)")
        connection.execute("INSERT INTO ducklake_metadata VALUES ('data_path', 's3://bucket/rows/', NULL)")
    with pytest.raises(ConfigurationError, match=r"the rows of the lake stand at s3://, which is not reachable"):
        kanon_sql.run(job(tmp_path / "meta.ducklake", str(tmp_path / "release.csv")))
    target = {"database": str(tmp_path / "meta.ducklake"), "table": "t", "allow_remanence": True}
    config = {**job(tmp_path, target), "source": {"query": "SELECT 1 AS a"}}
    with pytest.raises(ConfigurationError, match=r"meta.ducklake is the catalog of a lake; expected ducklake:meta"):
        kanon_sql.run(config)
    config = job(tmp_path / "meta.ducklake", {"database": "ducklake:x", "table": "t", "allow_remanence": True})
    config["source"] = {"query": "SELECT 1 AS a"}
    with pytest.raises(ConfigurationError, match=r"allow_remanence goes with a database file or a lake in place"):
        kanon_sql.run(config)
