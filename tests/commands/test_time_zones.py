"""A release does not depend on the time zone of the machine that makes it."""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest
from servers import missing_postgres, missing_sail, postgres, sail
from shared_engine import shared

import kanon_sql
from kanon_sql.engines.duckdb.connection import open_duckdb
from kanon_sql.sql.connection import EngineOptions

ZONES = ("America/New_York", "Asia/Kathmandu", "UTC")
KEY = "0123456789abcdef0123456789abcdef"


def _source(path: Path) -> Path:
    with shared() as connection:
        connection.execute(
            "COPY (SELECT 20 + i % 2 AS age, TIMESTAMPTZ '2024-03-10 06:30:00+00' + to_hours(i % 4) AS seen, "
            "TIMESTAMPTZ '2024-12-31 23:45:00+00' + to_minutes(i) AS moment, "
            "TIMESTAMPTZ '2024-07-01 03:00:00+00' + to_days(CAST(i // 2 AS INTEGER)) AS visit "
            f"FROM range(40) AS t(i)) TO '{path}'"
        )
    return path


def _released_in(zone: str, config: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> str:
    """A digest of what a run writes where the machine is in a zone."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        kanon_sql.run(config, advice=False)
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()
    return hashlib.sha256(Path(config["target"]).read_bytes()).hexdigest()


@pytest.mark.few(1)
@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "parquet"])
def test_the_same_bytes_in_every_zone(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Moments that are passed on, that a query makes texts of, and that are a quasi-identifier with texts as labels."""
    monkeypatch.setenv("KEY", KEY)
    texts = {f"2024-03-10 {hour:02}:30:00+00": ["early" if hour < 8 else "late", "*"] for hour in range(6, 10)}
    (tmp_path / "seen.csv").write_text("".join(f"{text},{','.join(labels)}\n" for text, labels in texts.items()))
    reading = f"SELECT * REPLACE (CAST(visit AS VARCHAR) AS visit) FROM '{_source(tmp_path / 'source.parquet')}'"
    config: dict[str, Any] = {
        "source": {"query": reading, "allow": [str(tmp_path)]},
        "target": "",
        "quasi_identifiers": {"age": {"builtin": "suppress"}, "seen": str(tmp_path / "seen.csv")},
        "identifiers": ["visit"],
        "insensitive": ["moment"],
        "transform": {"visit": {"pseudonym": {"key": "${KEY}"}}},
        "privacy": {"k": 10},
        "release": {"order": "none"},
    }
    digests = set()
    for number, zone in enumerate(ZONES):
        config["target"] = str(tmp_path / f"{number}.{suffix}")
        digests.add(_released_in(zone, config, monkeypatch))
    assert len(digests) == 1
    if suffix == "csv":
        assert "2024-12-31 23:45:00+00" in (tmp_path / "0.csv").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["local", {"name": "mondrian", "cut": "relaxed"}], ids=["local", "mondrian"])
def test_ranges_of_moments_are_the_same_in_every_zone(
    algorithm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config: dict[str, Any] = {
        "source": str(_source(tmp_path / "source.parquet")),
        "quasi_identifiers": {
            "moment": {"builtin": "date", "levels": ["day", "month"]} if algorithm == "local" else {}
        },
        "insensitive": ["visit"],
        "unlisted": "drop",
        "privacy": {"k": 5},
        "algorithm": algorithm,
        "release": {"order": "none"},
    }
    ways = [{**config, "target": str(tmp_path / f"{number}.csv")} for number in range(len(ZONES))]
    digests = {_released_in(zone, way, monkeypatch) for zone, way in zip(ZONES, ways, strict=True)}
    assert len(digests) == 1


def test_a_connection_that_is_handed_in_keeps_its_zone() -> None:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'Asia/Kathmandu'")
        with open_duckdb(EngineOptions(), connection) as engine:
            assert engine.run("SELECT current_setting('TimeZone')") == [("Asia/Kathmandu",)]
        assert connection.execute("SELECT current_setting('TimeZone')").fetchall() == [("Asia/Kathmandu",)]
    with open_duckdb(EngineOptions()) as engine:
        assert engine.run("SELECT current_setting('TimeZone')") == [("UTC",)]


@pytest.mark.slow
def test_classes_of_a_connection_in_another_zone_are_the_same_elsewhere(tmp_path: Path) -> None:
    """The release was made in a connection of another zone, and is checked by its report in one of our own."""
    source, report = str(_source(tmp_path / "source.parquet")), tmp_path / "report.json"
    config: dict[str, Any] = {
        "source": source,
        "target": str(tmp_path / "out.parquet"),
        "quasi_identifiers": {"seen": {"builtin": "suppress"}},
        "unlisted": "drop",
        "privacy": {"k": 10},
    }
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'Asia/Kathmandu'")
        kanon_sql.run(config, connection=connection, report=report, advice=False)
        assert kanon_sql.check(config, connection=connection, manifest=report)["status"] == "satisfied"
    assert kanon_sql.check(config, manifest=report)["status"] == "satisfied"
    written = "".join(
        sorted(hashlib.sha256(f"22:2024-03-10 {hour:02}:30:00+00=10".encode()).hexdigest() for hour in range(6, 10))
    )
    assert json.loads(report.read_text())["classes"]["digest"] == hashlib.sha256(written.encode()).hexdigest()


@pytest.mark.engine
@pytest.mark.skipif(missing_postgres() is not None, reason=missing_postgres() or "")
def test_a_server_writes_moments_in_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it libpq would ask for the zone of the environment."""
    from kanon_sql.engines.postgres.engine import open_connection

    monkeypatch.setenv("PGTZ", "Asia/Kathmandu")
    with postgres() as url, closing(open_connection(url)) as connection:
        query = "SELECT CAST(TIMESTAMPTZ '2024-07-01 00:00:00+02' AS text)"
        assert connection.execute(query.encode()).fetchall() == [("2024-06-30 22:00:00+00",)]


@pytest.mark.engine
@pytest.mark.skipif(missing_sail() is not None, reason=missing_sail() or "")
@pytest.mark.filterwarnings("ignore::FutureWarning")  # of pandas
def test_a_session_writes_moments_in_utc() -> None:
    from kanon_sql.engines.spark.connection import open_session

    query = "SELECT CAST(TIMESTAMP '2024-07-01 00:00:00+02:00' AS STRING) AS text"
    with sail() as url:
        for config, text in (({}, "2024-06-30 22:00:00"), ({"spark.sql.session.timeZone": "Asia/Kathmandu"}, "")):
            session, is_new = open_session(url, config)
            shown = session.sql(query).collect()[0].text
            assert not is_new or shown == (text or "2024-07-01 03:45:00")
            session.stop()
