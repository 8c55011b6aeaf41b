"""Killed commands, drivers and executors of a Spark cluster; a short form of `scripts/faults spark`.

It needs a catalogue that sessions share: `scripts/spark-cluster run --catalog -- python -m pytest -n0 -m cluster`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from trials import spark
from trials.spark import URL, Cluster, Fault

SHARED = "hive.metastore.uris"


def _shares_tables() -> bool:
    settings = Path(os.environ.get("SPARK_CONF_DIR", ""), "spark-defaults.conf")
    return URL in os.environ and settings.is_file() and SHARED in settings.read_text(encoding="utf-8")


pytestmark = [
    pytest.mark.cluster,
    pytest.mark.slow,
    pytest.mark.skipif(not _shares_tables(), reason="needs scripts/spark-cluster run --catalog"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def here() -> Iterator[Cluster]:
    with spark.cluster(5_000) as started:
        yield started


def test_a_command_that_is_killed_between_two_renames_loses_no_table(here: Cluster) -> None:
    outcome = spark.attempt(here, Fault("table", "SIGKILL of the command", None, spark.KINDS[0]))
    assert not outcome.wrong
    assert outcome.how.startswith(("killed", "released"))


def test_a_driver_that_is_killed_leaves_the_old_folder(here: Cluster) -> None:
    outcome = spark.attempt(here, Fault("folder", "SIGKILL of the driver", 0.9, spark.KINDS[1]))
    assert not outcome.wrong


def test_a_release_that_no_run_has_made_is_reported(here: Cluster) -> None:
    k, other = spark.KINDS
    without = replace(here, releases={("folder", k): (0, 0, 0), ("folder", other): here.releases["folder", other]})
    wrong = spark.attempt(without, Fault("folder", "SIGKILL of the executors", 2.0, k)).wrong
    assert any("the target holds" in fault for fault in wrong)
