"""Dates as distances: what was released is counted from each person's first date in plain Python."""

from __future__ import annotations

import time
from collections import Counter
from datetime import date, datetime, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from effort import tries
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shared_engine import attached, shared

import kanon_sql
from kanon_sql.errors import ConfigurationError

Json = dict[str, Any]
START = date(2024, 1, 1)


def configuration(visits: list[tuple[int, int | None]], folder: Path, kind: str, k: int, since: str) -> Json:
    """Writes six persons, admitted on days of their own, and their visits; gives a configuration."""
    source = folder / "source"
    source.mkdir()
    day = "TIMESTAMP" if kind == "parquet" else "DATE"
    with attached() as connection:
        connection.execute("CREATE TABLE person (person_id INTEGER, sex VARCHAR, admitted DATE)")
        connection.executemany(
            "INSERT INTO person VALUES (?, 'f', ?)", [(i, START - timedelta(10 * i)) for i in range(6)]
        )
        connection.execute(f"CREATE TABLE visit (number INTEGER, person_id INTEGER, day {day})")
        rows = [(n, i, None if d is None else START + timedelta(d)) for n, (i, d) in enumerate(visits)]
        if rows:
            connection.executemany("INSERT INTO visit VALUES (?, ?, ?)", rows)
        for name in ("person", "visit"):
            connection.execute(f"COPY {name} TO '{source}/{name}.{kind}'")
    return {
        "source": str(source),
        "target": str(folder / "out"),
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"person_id": "keep"},
        "tables": {
            "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}, "identifiers": ["admitted"]},
            "visit": {
                "since": {"day": since},
                "facts": {"day": {"builtin": "intervals", "widths": [10, 100], "origin": 0}},
                "insensitive": ["number"],
            },
        },
        "privacy": {"k": k, "facts": {"known": 2}},
    }


@pytest.mark.slow
@settings(max_examples=tries(20), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.one_of(st.none(), st.integers(0, 40))), max_size=25),
    st.sampled_from(["csv", "parquet"]),
    st.integers(1, 3),
    st.sampled_from(["first", "admitted"]),
)
def test_days_are_counted_from_the_first_of_the_person(
    tmp_path_factory: pytest.TempPathFactory, visits: list[tuple[int, int | None]], kind: str, k: int, since: str
) -> None:
    folder = tmp_path_factory.mktemp("distances")
    report = kanon_sql.run(configuration(visits, folder, kind, k, since), progress=None).report
    with shared() as connection:
        rows = connection.execute(
            f"SELECT CAST(number AS INTEGER), CAST(person_id AS INTEGER), nullif(CAST(day AS VARCHAR), '') "
            f"FROM '{folder}/out/visit.{kind}'"
        ).fetchall()
    firsts = {
        person: min((d for p, d in visits if p == person and d is not None), default=0)
        if since == "first"
        else -10 * person
        for person in range(6)
    }
    level = report["facts"]["levels"].get("visit.day", 0)
    for number, person, label in rows:
        assert person == visits[number][0]
        there = visits[number][1]
        distance = None if there is None else there - firsts[person]
        if distance is None:
            assert label == ("*" if level == 3 else None)
        elif level == 0:
            assert label == str(distance)
        elif level < 3:
            first, last = map(int, label.split("-"))
            assert first <= distance <= last and last - first == (9, 99)[level - 1]
    facts: dict[int, set[str | None]] = {}
    for _, person, label in rows:
        facts.setdefault(person, set()).add(label)
    counts = Counter(
        chosen for held in facts.values() for size in (1, 2) for chosen in combinations(sorted(held, key=str), size)
    )
    assert min(counts.values(), default=k) >= k
    assert report["facts"]["actual"] == min(counts.values(), default=None)


@pytest.mark.slow
def test_first_dates_are_alike(tmp_path: Path) -> None:
    """Everybody has a first day and another a week later: as distances all facts are kept, as dates none."""
    visits: list[tuple[int, int | None]] = [(i, 3 * i + d) for i in range(6) for d in (0, 7)]
    config = configuration(visits, tmp_path, "parquet", 6, "first")
    report = kanon_sql.run(config, progress=None).report
    assert report["facts"]["kept"] == 1 and report["facts"]["loss"] == 0
    with shared() as connection:
        days = connection.execute(f"SELECT DISTINCT day FROM '{tmp_path}/out/visit.parquet' ORDER BY day").fetchall()
    assert days == [(0,), (7,)]


@pytest.mark.parametrize(
    "since, text",
    [
        (["day"], "expected columns with first, or a date of person"),
        ({"day": "no"}, "'person' has no column 'no'"),
        ({"day": "sex"}, "column 'sex' is of type VARCHAR|do not begin with a date|hold"),
        ({"number": "first"}, "column 'number' is of type INTEGER, which is no date"),
        ({"nothing": "first"}, "there is no column 'nothing'"),
    ],
)
def test_what_is_no_distance_is_refused(tmp_path: Path, since: Any, text: str) -> None:
    config = configuration([(0, 1)], tmp_path, "parquet", 1, "first")
    config["tables"]["visit"] |= {"since": since, "insensitive": [], "unlisted": "drop"}
    with pytest.raises(ConfigurationError, match=text):
        kanon_sql.run(config, progress=None)


def _released_days(folder: Path) -> list[tuple[Any, ...]]:
    with shared() as connection:
        rows = connection.execute(f"SELECT CAST(number AS INTEGER), day FROM '{folder}/out/visit.parquet' ORDER BY 1")
        return rows.fetchall()


@pytest.mark.few(1)
@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_the_day_of_a_moment_is_that_in_utc(zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = configuration([(0, 0), (0, 1)], tmp_path, "parquet", 1, "first")
    config["tables"]["visit"] |= {"facts": {}, "insensitive": ["number"]}
    with shared() as connection:
        connection.execute(
            "COPY (SELECT * FROM (VALUES (0, 0, TIMESTAMPTZ '2024-03-01 01:00:00+00'), "
            "(1, 0, TIMESTAMPTZ '2024-03-01 23:00:00+00'), (2, 0, TIMESTAMPTZ '2024-03-03 01:00:00+00')) "
            f"AS rows (number, person_id, day)) TO '{tmp_path}/source/visit.parquet'"
        )
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        kanon_sql.run(config, progress=None)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert _released_days(tmp_path) == [(0, 0), (1, 0), (2, 2)]


def test_a_moment_moves_by_days_of_utc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Noon stays noon in UTC, also over the change to summer time where the machine is."""
    monkeypatch.setenv("SHIFT", "0f" * 32)
    monkeypatch.setenv("TZ", "America/New_York")
    config = configuration([(0, 0)], tmp_path, "parquet", 1, "first")
    config["shift"] = {"days": 200, "key": "${SHIFT}"}
    visit = config["tables"]["visit"]
    del visit["since"]
    visit |= {"facts": {}, "dates": ["day"]}
    with shared() as connection:
        connection.execute(
            "COPY (SELECT i AS number, i % 6 AS person_id, TIMESTAMPTZ '2024-03-01 12:00:00+00' AS day "
            f"FROM range(6) AS rows (i)) TO '{tmp_path}/source/visit.parquet'"
        )
    time.tzset()
    try:
        kanon_sql.run(config, progress=None)
    finally:
        monkeypatch.undo()
        time.tzset()
    with shared() as connection:
        seconds = connection.execute(
            f"SELECT CAST(epoch(day) AS BIGINT) % 86400 FROM '{tmp_path}/out/visit.parquet'"
        ).fetchall()
    assert seconds == [(43200,)] * 6


@pytest.mark.slow
def test_dates_are_read_by_their_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHIFT", "0f" * 32)
    config = configuration([(0, 0), (0, 1)], tmp_path, "parquet", 1, "first")
    visit = config["tables"]["visit"]
    visit |= {"facts": {}, "insensitive": ["number"]}
    visit["source"] = {"columns": {"day": {"type": "date", "format": "%d.%m.%Y"}}}
    with shared() as connection:
        connection.execute(
            "COPY (SELECT * FROM (VALUES (0, 0, '28.02.2024'), (1, 0, '01.03.2024'), (2, 0, NULL)) "
            f"AS rows (number, person_id, day)) TO '{tmp_path}/source/visit.parquet'"
        )
    kanon_sql.run(config, progress=None)
    assert _released_days(tmp_path) == [(0, "0"), (1, "2"), (2, None)]
    del visit["since"]
    config |= {"shift": {"days": 60, "key": "${SHIFT}"}, "target": {"path": str(tmp_path / "out"), "overwrite": True}}
    visit |= {"dates": ["day"], "insensitive": ["number"]}
    kanon_sql.run(config, progress=None)
    first, second, missing = (day for _, day in _released_days(tmp_path))
    moved = [datetime.strptime(text, "%d.%m.%Y") for text in (first, second)]
    assert moved[1] - moved[0] == timedelta(2)
    assert missing is None
    visit["source"]["columns"]["day"]["format"] = "%d.%m.%y"
    with pytest.raises(ConfigurationError):
        kanon_sql.run(config, progress=None)


def test_a_distance_does_not_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHIFT", "0f" * 32)
    config = configuration([(0, 1)], tmp_path, "parquet", 1, "first")
    config["shift"] = {"days": 60, "key": "${SHIFT}"}
    config["tables"]["visit"]["dates"] = ["day"]
    with pytest.raises(ConfigurationError, match="a date that becomes a distance does not move"):
        kanon_sql.run(config, progress=None)


@pytest.mark.slow
def test_dates_of_the_table_of_persons_move_with_those_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHIFT", "0f" * 32)
    config = configuration([(i, 5) for i in range(6)], tmp_path, "csv", 2, "first")
    config["shift"] = {"days": 300, "key": "${SHIFT}"}
    config["tables"]["person"] = {"quasi_identifiers": {"sex": {"builtin": "suppress"}}, "dates": ["admitted"]}
    config["tables"]["visit"] = {"dates": ["day"], "insensitive": ["number"]}
    del config["privacy"]["facts"]
    kanon_sql.run(config, progress=None)
    with shared() as connection:
        rows = connection.execute(
            f"SELECT p.person_id, p.admitted, v.day - p.admitted FROM '{tmp_path}/out/person.csv' AS p "
            f"JOIN '{tmp_path}/out/visit.csv' AS v ON v.person_id = p.person_id ORDER BY p.person_id"
        ).fetchall()
    assert [apart for *_, apart in rows] == [5 + 10 * i for i in range(6)]
    assert len({(admitted - (START - timedelta(10 * i))).days for i, admitted, _ in rows}) > 2
