"""A real Spark cluster of two workers executes the job (scripts/spark-cluster run -- python -m pytest -m cluster)."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from compiled_cases import CASES, COLUMNS, DEALT, HOSTILE, source_rows
from compiled_cases import configuration as case_configuration
from engine_jobs import same, small
from engine_places import InSpark, counted, spark_session

import kanon_sql
from kanon_sql.engines.spark.engine import Spark
from kanon_sql.engines.spark.target import _Hadoop
from kanon_sql.errors import ConfigurationError, EngineError, VerificationError
from kanon_sql.sql.writing import Listing

URL = os.environ.get("KANON_SQL_TEST_SPARK_CLUSTER", "")
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(not URL, reason="needs scripts/spark-cluster run"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"),
]


class OnCluster(InSpark):
    """The cluster, by one session of all tests."""

    def __init__(self, session: Any, folder: Path) -> None:
        super().__init__(URL, folder)
        self.session = session

    def run(self, config: dict[str, Any]) -> kanon_sql.RunResult:
        return kanon_sql.run({key: part for key, part in config.items() if key != "engine"}, connection=self.session)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnCluster]:
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    }
    with spark_session(URL, settings) as session:
        yield OnCluster(session, tmp_path_factory.mktemp("cluster"))


@pytest.fixture(scope="module")
def source(place: OnCluster) -> dict[str, Any]:
    return place.put(COLUMNS, source_rows())


@pytest.mark.parametrize("case", CASES)
def test_every_search_gives_what_duckdb_gives(place: OnCluster, source: dict[str, Any], case: str) -> None:
    Path(source["path"]).rename(place.folder / "people.parquet")
    try:
        config = case_configuration(place.folder, case)
        here = kanon_sql.run(config).report
    finally:
        (place.folder / "people.parquet").rename(source["path"])
    remote = place.configured(config, source)
    same(place.run(remote).report, here)
    rows = place.released(remote)
    with duckdb.connect() as connection:
        mine = connection.execute(f"FROM '{config['target']['path']}'").fetchall()
    assert rows is not None and len(rows) == len(mine)
    if case not in DEALT:  # which of a tuple's rows a class takes is drawn anew
        assert counted(rows) == counted(mine)
    assert place.leftovers() == []


def test_tables_of_the_catalog(place: OnCluster, source: dict[str, Any]) -> None:
    remote = place.configured(small(), source)
    first = place.run({**remote, "target": {"table": "released"}})
    with pytest.raises(ConfigurationError, match="exists already"):
        place.run({**remote, "target": {"table": "released"}})
    assert place.session.table("released").count() == first.released
    again = place.run({**remote, "privacy": {"k": 20}, "target": {"table": "released", "overwrite": True}})
    assert place.session.table("released").count() == again.released
    grouped = place.session.table("released").groupBy(f"`{HOSTILE}`", "age").count()
    assert min(row["count"] for row in grouped.collect()) == again.smallest_class >= 20
    assert [table.name for table in place.session.catalog.listTables() if "kanon" in table.name] == []


def test_folders_that_only_the_cluster_reaches_are_moved_by_hadoop(place: OnCluster) -> None:
    path = str(place.folder / "by-hadoop.parquet")
    home = Spark(place.session, URL, owned=False, show_values=False)
    for number in (1, 2):
        files = _Hadoop(home, f"file://{path}", "target", overwrite=True)
        beside = files.beside()
        assert files.exists() == (number > 1)
        place.session.sql(f"SELECT {number} AS a").write.parquet(beside)
        assert files.names() == [files.staged]
        files.put(beside)
    assert [row[0] for row in place.session.read.parquet(path).collect()] == [2]
    assert files.names() == []
    assert place.leftovers() == []
    over_connect = Spark(place.session, "sc://host", owned=False, show_values=False)
    with pytest.raises(ConfigurationError, match="over Spark Connect"):
        _Hadoop(over_connect, "s3a://bucket/path", "target", overwrite=True)


def test_values_that_are_loaded_are_few_for_spark_too(place: OnCluster) -> None:
    home = Spark(place.session, URL, owned=False, show_values=False)
    listing = Listing("mapping", "mapping", (("value", "VARCHAR"), ("code", "INTEGER")), (("a", 1), (None, 2)))
    name = home.load("mapping", listing).sql("spark")
    loaded = place.session.table(name)
    assert [tuple(row) for row in loaded.collect()] == [("a", 1, 0), ("", 2, 1)]
    joined = place.session.sql(f"SELECT * FROM range(9) AS r LEFT JOIN {name} AS m ON r.id = m.code")
    # Without a size that Spark knows both sides would be exchanged.
    plan = joined._jdf.queryExecution().executedPlan().toString()
    assert "BroadcastHashJoin" in plan and "SortMergeJoin" not in plan
    home.close()


def test_the_number_of_jobs_does_not_follow_the_nodes(place: OnCluster, source: dict[str, Any]) -> None:
    def jobs(**more: Any) -> tuple[int, int]:
        tracker = place.session.sparkContext.statusTracker()
        before = set(tracker.getJobIdsForGroup(None))
        report = place.run(place.configured(small(**more), source)).report
        return len(set(tracker.getJobIdsForGroup(None)) - before), report["search"]["checked"]

    few, checked = jobs()
    base, many = jobs(algorithm={"name": "optimal", "objective": "discernibility"}, privacy={"k": 2})
    assert many > checked
    assert base <= few + 1


def test_a_lost_executor_is_made_up_for(place: OnCluster, source: dict[str, Any]) -> None:
    expected = place.run(place.configured(small(), source)).report
    listing = subprocess.run(
        ["pgrep", "-f", "CoarseGrainedExecutorBackend"], capture_output=True, text=True, check=True
    )
    os.kill(int(listing.stdout.split()[0]), signal.SIGKILL)
    remote = place.configured(small(), source)
    same(place.run(remote).report, expected)
    rows = place.released(remote)
    assert rows is not None and len(rows) == expected["rows"]["released"]


def test_files_that_change_during_the_run_are_noticed(place: OnCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine_places import as_parquet

    from kanon_sql.engines.remote import RemoteSink

    source = place.put(COLUMNS, source_rows())
    remote = place.configured(small(), source)
    write = RemoteSink.make

    def changed(*arguments: Any) -> None:
        as_parquet(Path(source["path"]), COLUMNS, source_rows()[:-9])
        write(*arguments)

    monkeypatch.setattr(RemoteSink, "make", changed)
    with pytest.raises((VerificationError, EngineError)):
        place.run(remote)
    assert place.released(remote) is None
    assert place.leftovers() == []
