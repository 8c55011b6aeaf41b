"""What is left of facts, rows and dates of a whole database, counted as by hand."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from effort import some, whole_runs
from hypothesis import given
from hypothesis import strategies as st
from shared_engine import attached
from small_databases import released_rows, written

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.errors import ConfigurationError, NoReleaseError

Json = dict[str, Any]
Rows = list[tuple[Any, ...]]

TYPES = {
    "person": {"person_id": "INTEGER", "sex": "VARCHAR"},
    "visit": {"visit_id": "INTEGER", "person_id": "INTEGER", "admitted": "DATE", "left_on": "DATE"},
    "diagnosis": {"visit_id": "INTEGER", "code": "VARCHAR"},
    "drug": {"person_id": "INTEGER", "name": "VARCHAR"},
}
CODES = ["I1", "I2", "J1", "J2", None]


def clinic(folder: Path, kind: str, persons: int, seed: int) -> tuple[dict[str, Rows], Json]:
    """Invented persons, with rows of nobody among those of their visits, and a configuration."""
    draw = random.Random(seed)
    visits = [
        (i, draw.randrange(persons + 2), f"2024-01-{1 + i % 20:02}", f"2024-01-{1 + i % 20 + draw.randrange(5):02}")
        for i in range(3 * persons)
    ]
    database: dict[str, Rows] = {
        "person": [(i, draw.choice("fm")) for i in range(persons)],
        "visit": visits,
        "diagnosis": [(draw.randrange(len(visits) + 3), draw.choice(CODES)) for _ in range(5 * persons)],
        "drug": [(draw.randrange(persons), draw.choice(["a", "b", "NA"])) for _ in range(persons)],
    }
    source, target = written(database, TYPES, folder, kind)
    return database, {
        "source": source,
        "target": target,
        "unit": {"table": "person", "key": "person_id"},
        "tables": {
            "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}},
            "visit": {"link": "person_id", "dates": ["admitted", "left_on"]},
            "diagnosis": {"link": {"visit_id": "visit"}, "facts": {"code": {"builtin": "prefix", "keep": [1]}}},
            "drug": {"link": "person_id", "facts": {"name": {}}, "source": {"missing": ["NA"]}},
        },
        "shift": {"days": 30, "key": "${SHIFT}"},
        "privacy": {"k": 3, "facts": {"known": 2}},
        "suppression": {"persons": 2},
    }


def label_of(code: str | None, level: int) -> str | None:
    """The label of a code at a level of its prefixes; no code has none below the top."""
    return "*" if level == 2 else code if level == 0 or code is None else f"{code[:1]}*"


def facts_of(database: dict[str, Rows], level: int) -> dict[Any, set[tuple[str, Any]]]:
    """The facts of each person, codes generalized to a level."""
    facts: dict[Any, set[tuple[str, Any]]] = {person: set() for person, *_ in database["person"]}
    owners = {visit: person for visit, person, *_ in database["visit"]}
    for visit, code in database["diagnosis"]:
        if owners.get(visit) in facts:
            facts[owners[visit]].add(("diagnosis", label_of(code, level)))
    for person, name in database["drug"]:
        if person in facts:
            facts[person].add(("drug", None if name == "NA" else name))
    return facts


def sets_of(facts: dict[Any, set[tuple[str, Any]]], size: int) -> Counter[Any]:
    return Counter(
        frozenset(members) for of_person in facts.values() for members in combinations(sorted(of_person, key=str), size)
    )


def apart(source: Counter[Any], release: Counter[Any]) -> float:
    return (
        sum(
            abs(source[key] / source.total() - release[key] / release.total()) for key in source.keys() | release.keys()
        )
        / 2
    )


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHIFT", "0f" * 32)


@pytest.mark.slow
@whole_runs(20)
@given(st.sampled_from(["parquet", "csv", "duckdb"]), st.integers(6, 14), st.integers(0, 99))
def test_what_is_left_of_facts_is_counted_as_by_hand(
    tmp_path_factory: pytest.TempPathFactory, kind: str, persons: int, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    database, config = clinic(folder, kind, persons, seed)
    try:
        level = kanon_sql.run(config, progress=None).report["facts"]["levels"]["diagnosis.code"]
    except NoReleaseError:
        return
    released = released_rows(TYPES, folder, kind)
    report = kanon_sql.utility(config, progress=None)
    before, after = facts_of(database, level), facts_of(released, 0)
    for size, entry in enumerate(report["facts"], 1):
        source, release = sets_of(before, size), sets_of(after, size)
        assert (entry["together"], entry["source"], entry["release"]) == (size, source.total(), release.total())
        assert entry["kept"] == (release.total() / source.total() if source else None)
        expected = apart(source, release) if source and release else None
        assert entry["total_variation"] == (None if expected is None else pytest.approx(expected))
    for name in ("visit", "diagnosis", "drug"):
        assert report["tables"][name]["rows"] == {"source": len(database[name]), "release": len(released[name])}


def days_of(rows: Rows) -> Counter[int]:
    dates = [(date.fromisoformat(first[:10]), date.fromisoformat(second[:10])) for *_, first, second in rows]
    return Counter((second - first).days for first, second in dates)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_days_between_the_dates_of_a_row_are_those_of_the_rows(tmp_path: Path, kind: str) -> None:
    database, config = clinic(tmp_path, kind, 12, 3)
    kanon_sql.run(config, progress=None)
    report = kanon_sql.utility(config, progress=None)
    before, after = days_of(database["visit"]), days_of(released_rows(TYPES, tmp_path, kind)["visit"])
    assert before != after
    means = [sum(days * rows for days, rows in side.items()) / side.total() for side in (before, after)]
    (entry,) = report["tables"]["visit"]["days"]
    assert entry["columns"] == ["admitted", "left_on"]
    assert [entry["mean"]["source"], entry["mean"]["release"]] == pytest.approx(means)
    assert entry["total_variation"] == pytest.approx(apart(before, after))
    assert report["tables"]["diagnosis"]["days"] == report["tables"]["drug"]["days"] == []


@pytest.mark.slow
def test_a_release_of_other_facts_is_refused(tmp_path: Path) -> None:
    _, config = clinic(tmp_path, "parquet", 12, 3)
    kanon_sql.run(config, progress=None)
    with attached() as connection:
        connection.execute(f"COPY (SELECT 1 AS visit_id, 'Z9' AS code) TO '{tmp_path}/out/diagnosis.parquet'")
    with pytest.raises(ConfigurationError, match="code"):
        kanon_sql.utility(config, progress=None)


@pytest.mark.slow
def test_people_read_what_is_left(tmp_path: Path) -> None:
    _, config = clinic(tmp_path, "parquet", 12, 3)
    kanon_sql.run(config, progress=None)
    (tmp_path / "database.yaml").write_text(yaml.safe_dump(config))
    shown = CliRunner().invoke(cli, ["utility", str(tmp_path / "database.yaml")]).output
    report = kanon_sql.utility(config, progress=None)
    rows = report["tables"]["diagnosis"]["rows"]
    assert f"table diagnosis: {rows['release']} of {rows['source']} rows" in shown
    assert f"{100 * report['facts'][1]['kept']:.1f} %" in shown
    assert "days from admitted to left_on" in shown


SHIFTED = {"days": 30, "key": "${SHIFT}"}
STAYS = {
    "format": ("VARCHAR", "VARCHAR", ["05.01.2024", "31.12.2023"], ["07.01.2024", "01.01.2024"], [2, 1]),
    "texts": ("VARCHAR", "VARCHAR", ["2024-01-05 evening", "2023-12-31"], ["2024-01-07", "2024-01-01 T"], [2, 1]),
    # In New York both lie on one day.
    "moments": ("TIMESTAMPTZ", "TIMESTAMPTZ", ["2024-01-05 22:30+00"], ["2024-01-06 03:30+00"], [1, 1]),
    "infinite": ("DATE", "DATE", ["2024-01-05", "2024-01-05"], ["2024-01-09", "infinity"], [4, 4]),
}


@pytest.fixture
def far_away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine in New York."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("far_away")
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("case", some(["moments", "format", "texts", "infinite"], 1))
def test_days_are_those_of_the_dates_however_these_are_written(tmp_path: Path, case: str, kind: str) -> None:
    begins, ends, first, second, days = STAYS[case]
    types = {"person": {"person_id": "INTEGER"}, "visit": {"person_id": "INTEGER", "a": begins, "b": ends}}
    rows = [(i, first[i % len(first)], second[i % len(second)]) for i in range(8)]
    source, target = written({"person": [(i,) for i in range(8)], "visit": rows}, types, tmp_path, "parquet")
    stay: Json = {"link": "person_id", "dates": ["a", "b"] if case in ("format", "texts") else []}
    if case == "format":
        stay["source"] = {"columns": {name: {"type": "date", "format": "%d.%m.%Y"} for name in "ab"}}
    config = {
        "source": source,
        "target": {**target, "format": kind},
        "unit": {"table": "person", "key": "person_id"},
        "tables": {"person": {}, "visit": {**stay, **({} if stay["dates"] else {"insensitive": ["a", "b"]})}},
        "privacy": {"k": 2},
        **({"shift": SHIFTED} if stay["dates"] else {}),
    }
    kanon_sql.run(config, progress=None)
    (entry,) = kanon_sql.utility(config, progress=None)["tables"]["visit"]["days"]
    mean = sum(days) / len(days)
    assert entry == {"columns": ["a", "b"], "mean": {"source": mean, "release": mean}, "total_variation": 0}


AWKWARD: dict[int, list[str | None]] = {
    0: ["I1", "I2", "I*", "*", "", "NA", None] * 4,
    1: ["I1", "I2", "I3", "I*", "J1", "J2", "J3", "J*"],  # of prefixes alone three persons have each
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("level", [0, 1])
def test_values_that_read_like_labels_or_are_empty_are_compared_as_they_were_released(
    tmp_path: Path, kind: str, level: int
) -> None:
    types = {"person": {"person_id": "INTEGER"}, "drug": {"person_id": "INTEGER", "code": "VARCHAR"}}
    rows: Rows = [*enumerate(AWKWARD[level])]
    source, target = written({"person": [(i,) for i in range(len(rows))], "drug": rows}, types, tmp_path, "parquet")
    facts = {"code": {"builtin": "prefix", "keep": [1]}}
    config = {
        "source": source,
        "target": {**target, "format": kind},
        "unit": {"table": "person", "key": "person_id"},
        "tables": {"person": {}, "drug": {"link": "person_id", "facts": facts, "source": {"missing": ["NA"]}}},
        "privacy": {"k": 3, "facts": {"known": 1}},
    }
    assert kanon_sql.run(config, progress=None).report["facts"]["levels"] == {"drug.code": level}
    entry = kanon_sql.utility(config, progress=None)["facts"][0]
    assert (entry["source"], entry["release"], entry["total_variation"]) == (len(rows), len(rows), 0)
