"""Whole databases of persons: what was released is counted in plain Python, on small random databases."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner
from effort import some, tries
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shared_engine import attached, insert

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.commands.database import released as database_released
from kanon_sql.commands.database import run as database_run
from kanon_sql.commands.database.recount import recount_tables
from kanon_sql.errors import ConfigurationError, EngineError, KanonError, NoReleaseError, VerificationError, WarnedError
from kanon_sql.report.charts.tables import draw_tables
from kanon_sql.search.facts.suppression import KeptFacts
from kanon_sql.targets.tables import TablesTarget

Json = dict[str, Any]
Rows = list[tuple[Any, ...]]

COLUMNS = {
    "person": ["person_id", "sex", "name"],
    "visit": ["visit_id", "pid", "kind", "day"],
    "diagnosis": ["visit_id", "code"],
    "drug": ["person_id", "visit_id", "drug"],
    "drugs": ["drug", "label"],
}
_OF_STAYS = {
    "person": {"person": "INTEGER"},
    "ward": {"ward": "INTEGER", "person": "INTEGER", "kind": "VARCHAR"},
    "stay": {"stay": "INTEGER", "ward": "INTEGER", "kind": "VARCHAR"},
    "note": {"stay": "INTEGER", "word": "VARCHAR"},
}
TYPES = {"person_id": "INTEGER", "pid": "INTEGER", "visit_id": "BIGINT", "day": "DATE"}


@st.composite
def databases(draw: st.DrawFn) -> dict[str, Rows]:
    """The rows of five tables: persons, their visits, diagnoses of visits, drugs of persons, and what drugs are."""
    n = draw(st.integers(2, 14))
    persons = [(100 - i, draw(st.sampled_from("fm")), f"name {i}") for i in range(n)]
    ids = [row[0] for row in persons]
    visits = [
        (v, draw(st.sampled_from([*ids, 7, None])), draw(st.sampled_from("ab")), f"2024-01-{1 + v % 9:02}")
        for v in range(draw(st.integers(0, 16)))
    ]
    diagnoses = [
        (draw(st.integers(0, 17)), draw(st.sampled_from(["x", "y", "z", None])))
        for _ in range(draw(st.integers(0, 25)))
    ]
    drugs = [
        (
            draw(st.sampled_from([*ids, 7])),
            draw(st.one_of(st.none(), st.integers(0, 17))),
            draw(st.sampled_from("pqrs")),
        )
        for _ in range(draw(st.integers(0, 30)))
    ]
    return {
        "person": persons,
        "visit": visits,
        "diagnosis": diagnoses,
        "drug": drugs,
        "drugs": [(code, f"drug {code}") for code in "pqrs"],
    }


def write(database: dict[str, Rows], folder: Path, kind: str) -> Json:
    """Writes the tables, gives the source of a configuration."""
    path = folder / "clinic.duckdb"
    source = folder / "source"
    source.mkdir()
    with attached(path if kind == "duckdb" else ":memory:") as connection:
        for name, rows in database.items():
            columns = ", ".join(f"{column} {TYPES.get(column, 'VARCHAR')}" for column in COLUMNS[name])
            connection.execute(f"CREATE TABLE {name} ({columns})")
            insert(connection, name, rows)
            if kind != "duckdb":
                connection.execute(f"COPY {name} TO '{source}/{name}.{kind}'")
    return {"database": str(path)} if kind == "duckdb" else {"path": str(source)}


def read(folder: Path, kind: str) -> dict[str, list[dict[str, Any]]]:
    """The tables that were released."""
    tables = {}
    with attached(folder / "out.duckdb" if kind == "duckdb" else ":memory:") as connection:
        if kind == "duckdb":
            relations = {name: name for (name,) in connection.execute("SHOW TABLES").fetchall()}
        else:
            relations = {path.stem: f"'{path}'" for path in (folder / "out").iterdir()}
        for name, relation in relations.items():
            cursor = connection.execute(f"SELECT * FROM {relation}")
            heads = [column[0] for column in cursor.description]
            tables[name] = [dict(zip(heads, row, strict=True)) for row in cursor.fetchall()]
    return tables


def configuration(source: Json, folder: Path, kind: str, k: int, known: int, among: str, **more: Any) -> Json:
    target = {"database": str(folder / "out.duckdb")} if kind == "duckdb" else {"path": str(folder / "out")}
    return {
        "source": source,
        "target": target,
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"person_id": "renumber", "visit_id": "renumber"},
        "tables": {
            "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}, "identifiers": ["name"]},
            "visit": {"link": {"column": "pid"}, "facts": {"kind": {"builtin": "suppress"}}, "unlisted": "drop"},
            "diagnosis": {"link": {"visit_id": "visit"}, "facts": {"code": {}}},
            "drug": {"link": "person_id", "facts": {"drug": {"builtin": "suppress"}}},
            "drugs": "keep",
        },
        "privacy": {"k": k, "facts": {"known": known, "with": among}},
        "suppression": {"persons": 3, "facts": "100%"},
        **more,
    }


def facts_of(released: dict[str, list[dict[str, Any]]]) -> dict[Any, set[tuple[str, Any]]]:
    """The facts of each person in a release, by the person's new key."""
    facts: dict[Any, set[tuple[str, Any]]] = {row["person_id"]: set() for row in released["person"]}
    owners = {row["visit_id"]: row["pid"] for row in released["visit"]}
    for row in released["visit"]:
        facts[row["pid"]].add(("visit", row["kind"]))
    for row in released["diagnosis"]:
        facts[owners[row["visit_id"]]].add(("diagnosis", row["code"]))
    for row in released["drug"]:
        facts[row["person_id"]].add(("drug", row["drug"]))
    return facts


def counts(facts: dict[Any, set[tuple[str, Any]]], classes: dict[Any, Any], known: int) -> Iterator[int]:
    """How many persons of a class have each set of facts that one of them has."""
    persons: Counter[Any] = Counter()
    for person, held in facts.items():
        for size in range(1, known + 1):
            persons.update((classes[person], chosen) for chosen in combinations(sorted(held, key=str), size))
    yield from persons.values()


@settings(max_examples=tries(25), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    databases(),
    st.sampled_from(["parquet", "csv", "duckdb"]),
    st.integers(1, 4),
    st.integers(1, 3),
    st.sampled_from(["nothing", "quasi_identifiers"]),
)
def test_a_release_holds_what_was_asked_for(
    tmp_path_factory: pytest.TempPathFactory, database: dict[str, Rows], kind: str, k: int, known: int, among: str
) -> None:
    folder = tmp_path_factory.mktemp("database")
    config = configuration(write(database, folder, kind), folder, kind, k, known, among)
    try:
        report = kanon_sql.run(config, progress=None).report
    except NoReleaseError:
        assert len(database["person"]) < 2 * k + 3 or k > 1
        assert not (folder / "out").exists()
        assert not (folder / "out.duckdb").exists()
        return
    released = read(folder, kind)
    assert set(released) == set(COLUMNS)
    # Persons: k in each class; all numbered anew from 1.
    people = {row["person_id"]: row["sex"] for row in released["person"]}
    assert sorted(people) == list(range(1, len(people) + 1))
    assert len(people) >= len(database["person"]) - 3
    assert min(Counter(people.values()).values()) >= k
    # Keys: none leads nowhere, and no orphan is there.
    visits = {row["visit_id"] for row in released["visit"]}
    assert {row["pid"] for row in released["visit"]} <= set(people)
    assert {row["visit_id"] for row in released["diagnosis"]} <= visits
    assert {row["visit_id"] for row in released["drug"]} - {None} <= visits
    assert {row["person_id"] for row in released["drug"]} <= set(people)
    assert len(released["visit"]) <= sum(row[1] in {p[0] for p in database["person"]} for row in database["visit"])
    assert released["drugs"] == [dict(zip(COLUMNS["drugs"], row, strict=True)) for row in database["drugs"]]
    # Facts: every set of at most so many is had by k persons.
    classes = people if among == "quasi_identifiers" else dict.fromkeys(people)
    sets = list(counts(facts_of(released), classes, known))
    assert min(sets, default=k) >= k
    assert report["facts"]["actual"] == min(sets, default=None)
    assert report["persons"] == {
        "source": len(database["person"]),
        "suppressed": len(database["person"]) - len(people),
        "released": len(people),
    }
    for name, rows in released.items():
        entry = report["tables"][name]["rows"]
        assert entry["released"] == len(rows)
        assert entry["source"] == len(database[name]) == entry["orphans"] + entry["suppressed"] + entry["released"]
    assert report["facts"]["bound"] <= report["facts"]["loss"] + 1e-9


def test_nothing_is_lost_without_a_need(tmp_path: Path) -> None:
    persons = [(i, "f", f"n{i}") for i in range(6)]
    database: dict[str, Rows] = {
        "person": persons,
        "visit": [(i, i, "a", "2024-01-01") for i in range(6)],
        "diagnosis": [(i, "x") for i in range(6)],
        "drug": [(i, i, "p") for i in range(6)],
        "drugs": [("p", "drug p")],
    }
    config = configuration(write(database, tmp_path, "parquet"), tmp_path, "parquet", 3, 3, "quasi_identifiers")
    report = kanon_sql.run(config, progress=None).report
    assert report["facts"]["kept"] == 1 and report["facts"]["loss"] == 0 == report["facts"]["bound"]
    assert report["facts"]["pairs"] == 18 and report["facts"]["actual"] == 6
    released = read(tmp_path, "parquet")
    assert [len(released[name]) for name in ("person", "visit", "diagnosis", "drug")] == [6, 6, 6, 6]
    assert report["solution"]["levels"] == {"sex": 0}


@pytest.mark.slow
def test_facts_are_generalized_where_that_loses_less(tmp_path: Path) -> None:
    """Each day has one person, each month all of them: the month is released, no fact goes."""
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(8)],
        "visit": [(i, i, "a", f"2024-01-{1 + i:02}") for i in range(8)],
        "diagnosis": [],
        "drug": [],
        "drugs": [],
    }
    config = configuration(write(database, tmp_path, "csv"), tmp_path, "csv", 4, 2, "nothing")
    config["tables"]["visit"] |= {"facts": {"kind": {}, "day": {"builtin": "date", "levels": ["month", "year"]}}}
    report = kanon_sql.run(config, progress=None).report
    assert report["facts"]["levels"]["visit.day"] == 1
    assert report["facts"]["kept"] == 1
    assert {row["day"] for row in read(tmp_path, "csv")["visit"]} == {"2024-01"}
    assert 0 < report["facts"]["loss"] == pytest.approx(report["facts"]["bound"])


@pytest.mark.slow
def test_dates_of_a_person_move_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHIFT", "0f" * 32)
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(6)],
        "visit": [(v, v % 6, "a", f"2024-01-{1 + v:02}") for v in range(12)],
        "diagnosis": [],
        "drug": [],
        "drugs": [],
    }
    for kind in ("parquet", "csv"):
        folder = tmp_path / kind
        folder.mkdir()
        config = configuration(write(database, folder, kind), folder, kind, 2, 1, "nothing")
        config["tables"]["visit"] |= {"dates": ["day"], "insensitive": ["kind"]}
        config["tables"]["visit"].pop("facts")
        config["shift"] = {"days": 300, "key": "${SHIFT}"}
        report = kanon_sql.run(config, progress=None).report
        assert report["facts"]["pairs"] == 0 and report["facts"]["actual"] is None
        days = defaultdict(set)
        for row in read(folder, kind)["visit"]:
            days[row["pid"]].add(duckdb.execute("SELECT CAST(? AS DATE)", [str(row["day"])]).fetchall()[0][0])
        assert {(max(held) - min(held)).days for held in days.values()} == {6}
        assert len({min(held) for held in days.values()}) > 2
        assert "0f" * 32 not in json.dumps(report, default=str)


@pytest.mark.slow
def test_pseudonyms_and_kept_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "ab" * 32)
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [(v, v, "a", "2024-01-01") for v in range(4)],
        "diagnosis": [(v, "x") for v in range(5)],
        "drug": [(p, 9, "q") for p in range(4)],
        "drugs": [],
    }
    config = configuration(write(database, tmp_path, "parquet"), tmp_path, "parquet", 2, 2, "nothing")
    config["keys"] = {"person_id": {"pseudonym": {"key": "${KEY}", "length": 12}}, "visit_id": "keep"}
    kanon_sql.run(config, progress=None)
    released = read(tmp_path, "parquet")
    names = {row["person_id"] for row in released["person"]}
    assert {len(name) for name in names} == {12}
    assert {row["pid"] for row in released["visit"]} == names == {row["person_id"] for row in released["drug"]}
    assert {row["visit_id"] for row in released["visit"]} == {0, 1, 2, 3}
    assert {row["visit_id"] for row in released["drug"]} == {None}  # a visit that is not there


REFUSED: list[tuple[Any, str]] = [
    (lambda c: c["tables"].pop("drugs"), "no line names table 'drugs' of the source"),
    (lambda c: c["tables"].update(nothing="drop"), "the source has no table 'nothing'"),
    (lambda c: c["tables"].update(drug="keep"), "table 'drug' has the key of persons, 'person_id'"),
    (lambda c: c["tables"].update(person="keep"), "the table of persons is neither kept nor dropped"),
    (
        lambda c: (c["unit"].update(key="no"), c["keys"].clear(), c["tables"]["person"].update(unlisted="drop")),
        "has no column 'no'",
    ),
    (lambda c: c["unit"].update(table="no"), "tables has no 'no'"),
    (lambda c: c["privacy"].pop("facts"), "facts is missing, expected {known: 2}"),
    (lambda c: c["tables"]["drug"].update(link={"visit_id": "drugs"}), "'drugs' is no table that is released"),
    (lambda c: c["tables"]["visit"].update(link={"visit_id": "visit"}), "the links run in a circle"),
    (lambda c: c["tables"]["drug"].update(link={"person_id": "person"}), "'person' is the table of persons itself"),
    (lambda c: c["keys"].update(pid="renumber"), "'pid' holds the key 'person_id' here, and is a key of its own"),
    (lambda c: c["tables"]["visit"].update(dates=["day"]), "dates move by shift, which is missing"),
    (lambda c: c["tables"]["visit"].update(colour=1), "tables.visit: unknown key 'colour'"),
    (lambda c: c["tables"]["drug"].update(facts=["drug"]), "tables.drug.facts: expected a mapping"),
    (lambda c: c["tables"]["diagnosis"].update(facts={"no": {}}), "there is no column 'no'"),
    (lambda c: c.update(colour=1), "unknown key 'colour' in the configuration of a database"),
    (lambda c: c["keys"].update(visit_id={"pseudonym": {"key": "secret"}}), "a key is never written here"),
    (lambda c: c.update(target=c["source"]), "the target is the source itself"),
    (lambda c: c.pop("target"), "there is no target"),
    (lambda c: c["tables"]["visit"].pop("unlisted"), "no list names 'day'"),
    (
        lambda c: c["tables"]["visit"].update(identifiers=["visit_id"]),
        "the release would not tell whose facts those of 'diagnosis' are",
    ),
]


@pytest.mark.parametrize(("change", "text"), REFUSED, ids=[text[:30] for _, text in REFUSED])
def test_what_is_refused(tmp_path: Path, change: Any, text: str) -> None:
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [(v, v, "a", "2024-01-01") for v in range(4)],
        "diagnosis": [(1, "x")],
        "drug": [(1, 1, "q")],
        "drugs": [],
    }
    config = configuration(write(database, tmp_path, "parquet"), tmp_path, "parquet", 2, 2, "nothing")
    change(config)
    with pytest.raises(ConfigurationError) as refused:
        kanon_sql.run(config, progress=None)
    assert text in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_a_key_without_new_values_is_never_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [(v, v, "a", "2024-01-01") for v in range(4)],
        "diagnosis": [(1, "x")],
        "drug": [(1, 1, "q")],
        "drugs": [],
    }
    config = configuration(write(database, tmp_path, "parquet"), tmp_path, "parquet", 2, 2, "nothing")
    monkeypatch.setattr(database_released, "homes", lambda *_: {"person_id": ("person",)})
    with pytest.raises(ConfigurationError, match="column 'visit_id' of table 'visit' holds the key 'visit_id', which"):
        kanon_sql.run(config, progress=None)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_in_place_replaces_all_tables(tmp_path: Path) -> None:
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [(v, v, "a", "2024-01-01") for v in range(4)],
        "diagnosis": [(1, "x")],
        "drug": [(1, 1, "q")],
        "drugs": [],
    }
    for kind in ("parquet", "duckdb"):
        folder = tmp_path / kind
        folder.mkdir()
        config = configuration(write(database, folder, kind), folder, kind, 2, 2, "nothing", target="in-place")
        config["tables"]["diagnosis"] = "drop"
        report = kanon_sql.run(config, progress=None).report
        assert report["status"] == "released"
        if kind == "duckdb":
            names = duckdb.connect(str(folder / "clinic.duckdb")).execute("SHOW TABLES").fetchall()
            assert {row[0] for row in names} == set(COLUMNS) - {"diagnosis"}
        else:
            assert {path.stem for path in (folder / "source").iterdir()} == set(COLUMNS) - {"diagnosis"}
        assert report["tables"]["drug"]["rows"]["released"] == 0  # one person's fact


@pytest.mark.slow
def test_in_place_a_database_keeps_what_its_tables_had_beside_rows(tmp_path: Path) -> None:
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [(v, v, "a", "2024-01-01") for v in range(4)],
        "diagnosis": [(1, "x")],
        "drug": [(1, 1, "q")],
        "drugs": [("q", "drug q")],
    }
    config = configuration(write(database, tmp_path, "duckdb"), tmp_path, "duckdb", 2, 2, "nothing", target="in-place")
    file = str(tmp_path / "clinic.duckdb")
    with duckdb.connect(file) as connection:
        for statement in (
            "ALTER TABLE drugs ADD PRIMARY KEY (drug)",
            "CREATE INDEX by_label ON drugs (label)",
            "CREATE INDEX by_name ON person (name)",
            "ALTER TABLE drugs ALTER COLUMN label SET DEFAULT upper(NULL)",
        ):
            connection.execute(statement)
    report = kanon_sql.run(config, progress=None).report
    assert [text for text in report["warnings"] if "not kept" in text] == [
        "not kept of the replaced tables: main.person: index 'by_name'"
    ]
    with duckdb.connect(file) as connection:
        assert connection.execute("SELECT index_name FROM duckdb_indexes()").fetchall() == [("by_label",)]
        kinds = connection.execute("SELECT constraint_type FROM duckdb_constraints() WHERE table_name = 'drugs'")
        assert ("PRIMARY KEY",) in kinds.fetchall()
        defaults = connection.execute("SELECT column_default FROM duckdb_columns() WHERE column_name = 'label'")
        assert "upper" in str(defaults.fetchall())


@pytest.mark.slow
def test_in_place_the_catalog_of_a_database_tells_no_value(tmp_path: Path) -> None:
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [(v, v, "a", "2024-01-01") for v in range(4)],
        "diagnosis": [(1, "x")],
        "drug": [(1, 1, "q")],
        "drugs": [("q", "drug q")],
    }
    config = configuration(write(database, tmp_path, "duckdb"), tmp_path, "duckdb", 2, 2, "nothing", target="in-place")
    file = str(tmp_path / "clinic.duckdb")
    with duckdb.connect(file) as connection:
        for statement in (
            "CREATE INDEX by_b20 ON drugs ((label || 'B20'))",
            "COMMENT ON TABLE person IS 'B20 is of 17'",
            "COMMENT ON COLUMN person.sex IS 'not B20'",
            "CREATE INDEX by_label ON drugs (label)",
            "COMMENT ON INDEX by_label IS 'as B20'",
            "ALTER TABLE drugs ALTER COLUMN label SET DEFAULT 'secretward'",
        ):
            connection.execute(statement)
    report = kanon_sql.run(config, progress=None).report
    (lost,) = [text for text in report["warnings"] if "not kept" in text]
    assert "B20" not in lost
    for name in (
        "person: the comment of 'sex'",
        "person: its comment",
        "drugs: the default of 'label'",
        "drugs: index 'by_b20'",
        "drugs: the comment of index 'by_label'",
    ):
        assert name in lost
    with attached(file) as connection:
        catalog = [
            connection.execute(f"SELECT * FROM duckdb_{kind}()").fetchall()
            for kind in ("indexes", "constraints", "columns", "tables")
        ]
        assert "by_label" in str(catalog)
        assert "B20" not in str(catalog)
        assert "secretward" not in str(catalog)


@pytest.mark.slow
def test_in_place_a_primary_key_that_gets_nulls_is_lost(tmp_path: Path) -> None:
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [(v, v, "a", "2024-01-01") for v in range(4)],
        "diagnosis": [],
        "drug": [(0, 77, "q"), (1, 1, "q"), (2, 2, "q")],
        "drugs": [("q", "drug q")],
    }
    config = configuration(write(database, tmp_path, "duckdb"), tmp_path, "duckdb", 2, 2, "nothing", target="in-place")
    with attached(tmp_path / "clinic.duckdb") as connection:
        connection.execute("ALTER TABLE drug ADD PRIMARY KEY (visit_id)")
    report = kanon_sql.run(config, progress=None).report
    (lost,) = [text for text in report["warnings"] if "not kept" in text]
    assert "drug: PRIMARY KEY" in lost


@pytest.mark.parametrize("target", ["in-place", "out.duckdb"])
def test_a_table_stays_in_its_schema_and_keeps_a_dot_in_its_name(tmp_path: Path, target: str) -> None:
    file = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            'CREATE SCHEMA s; CREATE TABLE s.person AS SELECT i AS person_id, 1 AS "é" FROM range(4) AS t(i);'
            'CREATE TABLE "s.list" AS SELECT 1 AS one'
        )
    config: Json = {
        "source": {"database": str(file)},
        "target": target if target == "in-place" else {"database": str(tmp_path / target)},
        "unit": {"table": "s.person", "key": "person_id"},
        "tables": {"s.person": {"unlisted": "insensitive"}, "s.list": "keep"},
        "privacy": {"k": 2},
    }
    kanon_sql.run(config, progress=None)
    places = "SELECT schema_name, table_name FROM duckdb_tables() ORDER BY ALL"
    with duckdb.connect(str(file if target == "in-place" else tmp_path / target)) as connection:
        assert connection.execute(places).fetchall() == [("main", "s.list"), ("s", "person")]
        connection.execute("CREATE OR REPLACE TABLE s.list AS SELECT 2 AS two")
    with pytest.raises(ConfigurationError, match=r"two tables are called 's\.list', one with a dot in its name"):
        kanon_sql.check(config, str(file if target == "in-place" else tmp_path / target))


@pytest.mark.slow
def test_in_place_what_stands_on_sequences_and_macros_is_lost_and_named(tmp_path: Path) -> None:
    file = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            "CREATE SEQUENCE s START 10; CREATE TYPE mood AS ENUM ('m');"
            "CREATE MACRO next(a) AS a + 1, (a, b) AS a + b;"
            "CREATE TABLE person (person_id BIGINT PRIMARY KEY DEFAULT nextval('s'), sex VARCHAR DEFAULT 'f',"
            " age INTEGER DEFAULT next(20), zip VARCHAR, CHECK (zip <> 'secret' AND zip <> sex));"
            "CREATE UNIQUE INDEX by_next ON person (next(age), person_id);"
            "INSERT INTO person (zip) SELECT 'z' FROM range(4)"
        )
    config = {
        "source": {"database": str(file)},
        "target": "in-place",
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"person_id": "keep"},
        "tables": {"person": {"quasi_identifiers": {"zip": {"builtin": "suppress"}}, "unlisted": "insensitive"}},
        "privacy": {"k": 2},
    }
    result = kanon_sql.run(config, progress=None)
    assert [text for text in result.warnings if "not kept" in text] == [
        "not kept of the replaced tables: main.person: the default of 'person_id', main.person: the default of 'sex', "
        "main.person: the default of 'age', main.person: CHECK of zip, sex, main.person: index 'by_next', "
        "sequence main.s, macro main.next, type main.mood"
    ]
    with duckdb.connect(str(file)) as connection:
        assert connection.execute("SELECT person_id, sex, age FROM person ORDER BY ALL").fetchall() == [
            (number, "f", 21) for number in range(10, 14)
        ]
        kept = connection.execute("SELECT column_default FROM duckdb_columns() WHERE table_name = 'person'").fetchall()
        assert all(default is None for (default,) in kept)


@pytest.mark.slow
def test_the_result_of_a_database_shows_itself(tmp_path: Path) -> None:
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [(v, v, "a", "2024-01-01") for v in range(4)],
        "diagnosis": [(v, "x") for v in range(4)],
        "drug": [],
        "drugs": [],
    }
    config = configuration(write(database, tmp_path, "duckdb"), tmp_path, "duckdb", 2, 2, "nothing")
    result = kanon_sql.run(config, progress=None)
    assert repr(result).splitlines()[0] == f"released 4 of 4 persons in 5 tables to {result.target}"
    html = result._repr_html_()
    assert "released 4 of 4 persons" in html and "<table" in html and "diagnosis" in html


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    database: dict[str, Rows] = {
        "person": [(i, "fm"[i % 2], "n") for i in range(8)],
        "visit": [(v, v % 8, "ab"[v % 2], "2024-01-01") for v in range(16)],
        "diagnosis": [(v, "xy"[v % 2]) for v in range(16)],
        "drug": [(p, p, "q") for p in range(8)],
        "drugs": [("q", "drug q")],
    }
    config = configuration(write(database, tmp_path, "parquet"), tmp_path, "parquet", 2, 2, "quasi_identifiers")
    path = tmp_path / "database.yaml"
    path.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
    dry = CliRunner().invoke(cli, ["run", str(path), "--dry-run", "--json"])
    assert dry.exit_code == 0, dry.output
    assert json.loads(dry.stdout)["status"] == "dry-run"
    assert not (tmp_path / "out").exists()
    page = tmp_path / "page.html"
    ended = CliRunner().invoke(cli, ["run", str(path), "--report", str(tmp_path / "report.json"), "--html", str(page)])
    assert ended.exit_code == 0, ended.output
    assert "released 8 of 8 persons in 5 tables" in ended.stdout
    assert json.loads((tmp_path / "report.json").read_text())["facts"]["known"] == 2
    assert page.stat().st_mode & 0o777 == 0o600
    text = page.read_text(encoding="utf-8")
    assert "any 2 facts or fewer of a person, over all tables together, finds at least" in text
    assert all(f">{name}<" in text for name in COLUMNS)  # the tables are drawn
    config["report"] = {"json": str(tmp_path / "second.json"), "html": str(tmp_path / "second.html")}
    config["target"]["overwrite"] = True
    kanon_sql.run(config, progress=None)
    assert (tmp_path / "second.html").is_file() and (tmp_path / "second.json").is_file()
    with pytest.raises(ConfigurationError, match="expected json or html alone"):
        kanon_sql.run({**config, "report": {"html": "page.html", "recipient": "a partner"}})
    inside = CliRunner().invoke(
        cli, ["run", str(path), "--overwrite", "--html", str(tmp_path / "source" / "page.html")]
    )
    assert isinstance(inside.exception, ConfigurationError) and "the page would lie in" in str(inside.exception)
    again = CliRunner().invoke(cli, ["run", str(path)])
    assert isinstance(again.exception, ConfigurationError) and "holds files already" in str(again.exception)
    assert CliRunner().invoke(cli, ["run", str(path), "--set", "target.overwrite=true"]).exit_code == 0
    options = ["--overwrite", "--k", "3", "--algorithm", "mondrian", "-o", str(tmp_path / "out.duckdb"), "--json"]
    changed = json.loads(CliRunner().invoke(cli, ["run", str(path), *options]).stdout)
    assert changed["privacy"]["k"]["required"] == 3 and changed["algorithm"]["name"] == "mondrian"
    assert (tmp_path / "out.duckdb").is_file()
    refused = CliRunner().invoke(cli, ["run", str(path), "--group", "x"])
    assert refused.exit_code == 2 and "goes with a configuration of one table" in refused.output


@pytest.mark.slow
def test_odd_names_and_values(tmp_path: Path) -> None:
    """Names with quotes, dots, spaces and letters of any script, of tables, columns and values; NULL, empty texts."""
    source = tmp_path / "so urce"
    source.mkdir()
    connection = duckdb.connect()
    people = [(f"p'{i}", 'a"b' if i % 2 else None) for i in range(8)]
    connection.execute('CREATE TABLE a ("per son" VARCHAR, "q""i" VARCHAR)')
    connection.executemany("INSERT INTO a VALUES (?, ?)", people)
    connection.execute('CREATE TABLE b ("per son" VARCHAR, person VARCHAR, "fact,x" VARCHAR, "Ü" DOUBLE)')
    facts = [(f"p'{i}", "own", value, 1.5) for i in range(8) for value in ("it's", "", None, "\u00e4;")]
    connection.executemany("INSERT INTO b VALUES (?, ?, ?, ?)", facts)
    connection.execute(f"COPY a TO '{source}/Pers \"on.parquet'")
    connection.execute(f"COPY b TO '{source}/fäcts.parquet'")
    connection.close()
    config = {
        "source": str(source),
        "target": {"path": str(tmp_path / "out"), "format": "csv"},
        "unit": {"table": 'Pers "on', "key": "per son"},
        "tables": {
            'Pers "on': {"quasi_identifiers": {'q"i': {"builtin": "suppress"}}},
            "fäcts": {"facts": {"fact,x": {}, "Ü": {"builtin": "intervals", "widths": [2]}}, "insensitive": ["person"]},
        },
        "privacy": {"k": 4, "facts": {"known": 2, "with": "quasi_identifiers"}},
    }
    report = kanon_sql.run(config, progress=None).report
    assert report["facts"]["kept"] == 1 and report["facts"]["actual"] == 4
    assert {path.name for path in (tmp_path / "out").iterdir()} == {'Pers "on.csv', "fäcts.csv"}
    statement = f"SELECT DISTINCT \"fact,x\" FROM read_csv('{tmp_path}/out/fäcts.csv', all_varchar = true)"
    assert {row[0] for row in duckdb.execute(statement).fetchall()} >= {"it's", "\u00e4;"}


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ({"database": "ducklake:meta.ducklake"}, "the tables of a whole database are not written into a lake"),
        ("s3://clinic/released/", "s3:// is not reachable from here"),
    ],
)
def test_where_no_whole_database_goes(target: Any, message: str, tmp_path: Path) -> None:
    rows: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(6)],
        **{name: [] for name in ("visit", "diagnosis", "drug", "drugs")},
    }
    config = configuration(write(rows, tmp_path, "parquet"), tmp_path, "parquet", 3, 2, "nothing")
    with pytest.raises(ConfigurationError, match=message):
        kanon_sql.run({**config, "target": target}, progress=None)


@pytest.mark.slow
def test_a_failed_run_leaves_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written wrongly, or what fails on the way, replaces nothing and leaves nothing behind."""
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(6)],
        "visit": [(i, i, "a", "2024-01-01") for i in range(6)],
        "diagnosis": [(i, "x") for i in range(6)],
        "drug": [(i, i, "p") for i in range(6)],
        "drugs": [],
    }
    config = configuration(write(database, tmp_path, "parquet"), tmp_path, "parquet", 3, 2, "nothing")
    config["target"]["overwrite"] = True
    kanon_sql.run(config, progress=None)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with monkeypatch.context() as patched:
        # Rare facts are not suppressed: the recount must find them.
        patched.setattr(KeptFacts, "suppress", lambda *_: None)
        patched.setattr(KeptFacts, "_rare_holders", lambda *_: 0)
        config["privacy"]["k"] = 5
        config["tables"]["drug"]["facts"]["drug"] = {}
        rare = {**database, "drug": [(i, i, "pq"[i // 3]) for i in range(6)]}
        again = tmp_path / "again"
        again.mkdir()
        config["source"] = write(rare, again, "parquet")
        with pytest.raises(VerificationError, match="a set of facts is had by 3 persons, fewer than k = 5"):
            kanon_sql.run(config, progress=None)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert {path.name for path in tmp_path.iterdir() if path.name.startswith(".")} <= {".out.kanon-sql.lock"}


@pytest.mark.slow
def test_the_same_database_gives_the_same_facts(tmp_path: Path) -> None:
    """Whatever the order of rows and the threads: the same facts of the same persons, by the old keys."""
    draw = random.Random(3)
    database: dict[str, Rows] = {
        "person": [(i, draw.choice("fm"), "n") for i in range(40)],
        "visit": [(v, v % 40, draw.choice("ab"), "2024-01-01") for v in range(80)],
        "diagnosis": [(draw.randrange(80), draw.choice("uvwxyz")) for _ in range(150)],
        "drug": [(draw.randrange(40), None, draw.choice("pqrstu")) for _ in range(120)],
        "drugs": [],
    }
    released = []
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        config = configuration(write(database, folder, "csv"), folder, "csv", 5, 2, "nothing")
        config["keys"] = {"person_id": "keep", "visit_id": "keep"}
        options = kanon_sql.EngineOptions(threads=1 + number)
        report = kanon_sql.run(config, options=options, progress=None).report
        tables = {name: sorted(map(repr, rows)) for name, rows in read(folder, "csv").items()}
        released.append((tables, {k: v for k, v in report["facts"].items() if k != "seconds"}))
        database = {name: draw.sample(rows, len(rows)) for name, rows in database.items()}
    assert released[0] == released[1] == released[2]
    assert 0 < released[0][1]["kept"] < 1


@pytest.mark.slow
def test_check_and_risk(tmp_path: Path) -> None:
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(6)],
        "visit": [(i, i, "ab"[i // 5], "2024-01-01") for i in range(6)],
        "diagnosis": [(i, "x") for i in range(6)],
        "drug": [(i, 9, "p") for i in range(6)],
        "drugs": [],
    }
    config = configuration(write(database, tmp_path, "parquet"), tmp_path, "parquet", 3, 2, "nothing")
    config["tables"]["visit"]["facts"] = {"kind": {}}
    checked = kanon_sql.check(config)
    assert checked["status"] == "violated"
    assert checked["facts"]["actual"] == 1
    assert checked["violations"] == [
        "6 values of 'visit_id' in drug lead to no row of visit",
        "a set of facts is had by 1 person, fewer than k = 3",
    ]
    before = kanon_sql.risk(config)
    assert before["release"] is None
    assert [entry["below_k"] for entry in before["source"]["facts"]] == [1, 1, 1]
    kanon_sql.run(config, progress=None)
    assert kanon_sql.check(config, tmp_path / "out")["status"] == "satisfied"
    after = kanon_sql.risk(config)["release"]
    assert [entry["below_k"] for entry in after["facts"]] == [0, 0, 0]
    path = tmp_path / "database.yaml"
    path.write_text(json.dumps(config), encoding="utf-8")
    ended = CliRunner().invoke(cli, ["check", str(path), str(tmp_path / "out")])
    assert ended.exit_code == 0 and "satisfies k = 3" in ended.stdout
    assert CliRunner().invoke(cli, ["check", str(path)]).exit_code == 1
    assert "3 facts" in CliRunner().invoke(cli, ["risk", str(path)]).stdout
    for words in (["check", str(path), "--k", "3"], ["risk", str(path), "--threshold", "0.1"], ["lattice", str(path)]):
        assert CliRunner().invoke(cli, words).exit_code != 0


@pytest.mark.slow
def test_a_fact_of_exactly_k_persons_stays(tmp_path: Path) -> None:
    """Beside a rarer one, which goes."""
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(6)],
        "visit": [],
        "diagnosis": [],
        "drug": [(i, None, "p" if i < 3 else "q") for i in range(5)],
        "drugs": [],
    }
    config = configuration(write(database, tmp_path, "parquet"), tmp_path, "parquet", 3, 1, "nothing")
    config["tables"]["drug"]["facts"] = {"drug": {}}
    report = kanon_sql.run(config, progress=None).report
    assert [row["drug"] for row in read(tmp_path, "parquet")["drug"]] == ["p"] * 3
    assert report["facts"]["kept"] == pytest.approx(0.6)
    assert report["facts"]["loss"] == pytest.approx(0.4) == report["facts"]["bound"]


def test_a_suppressed_person_is_gone_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are written in an order that is drawn, but those about nobody."""
    write_table, orders = TablesTarget.write, dict[str, str]()

    def noting(target: Any, engine: Any, name: str, release: Any, *more: Any) -> None:
        orders[name] = str(release.args.get("order"))
        write_table(target, engine, name, release, *more)

    monkeypatch.setattr(TablesTarget, "write", noting)
    database: dict[str, Rows] = {
        "person": [(i, "m" if i == 5 else "f", "n") for i in range(6)],
        "visit": [(i, i, "a", "2024-01-01") for i in range(6)],
        "diagnosis": [(i, "x") for i in range(6)],
        "drug": [(i, i, "p") for i in range(6)],
        "drugs": [],
    }
    config = configuration(write(database, tmp_path, "parquet"), tmp_path, "parquet", 3, 2, "nothing")
    config["tables"]["person"]["quasi_identifiers"] = {"sex": {"builtin": "suppress", "max_level": 0}}
    config["suppression"]["persons"] = 1
    report = kanon_sql.run(config, progress=None).report
    assert report["persons"] == {"source": 6, "suppressed": 1, "released": 5}
    assert {name for name, order in orders.items() if "RAND" in order.upper()} == {
        "person",
        "visit",
        "diagnosis",
        "drug",
    }
    assert {name: len(rows) for name, rows in read(tmp_path, "parquet").items()} == {
        "person": 5, "visit": 5, "diagnosis": 5, "drug": 5, "drugs": 0,
    }  # fmt: skip
    assert report["facts"]["pairs"] == 18 and report["facts"]["kept"] == pytest.approx(15 / 18)


@pytest.mark.slow
def test_numbers_of_rows_that_tell_somebody_apart_are_warned_of(tmp_path: Path) -> None:
    """One of six persons has three visits, through which she has three diagnoses; all have one drug."""
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(6)],
        "visit": [(v, v if v < 6 else 2, "a", "2024-01-01") for v in range(8)],
        "diagnosis": [(v, "x") for v in range(8)],
        "drug": [(i, None, "p") for i in range(6)],
        "drugs": [],
    }
    config = configuration(write(database, tmp_path, "csv"), tmp_path, "csv", 3, 1, "nothing")
    report = kanon_sql.run(config, progress=None).report
    warnings = [text for text in report["warnings"] if "number of rows" in text]
    assert [text.partition(" persons have")[0] for text in warnings] == ["table 'visit': 1", "table 'diagnosis': 1"]
    config["target"] = {"path": str(tmp_path / "strict")}
    with pytest.raises(WarnedError, match="number of rows"):
        kanon_sql.run(config, strict=True, progress=None)
    assert not (tmp_path / "strict").exists()


def test_a_key_belongs_to_the_table_where_it_is_single(tmp_path: Path) -> None:
    """That of a table which no link goes through, as that of drugs, which are about nobody."""
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(6)],
        "visit": [],
        "diagnosis": [],
        "drug": [(i, None, "pz"[i // 4]) for i in range(6)],
        "drugs": [("p", "one"), ("q", "two")],
    }
    config = configuration(write(database, tmp_path, "parquet"), tmp_path, "parquet", 2, 1, "nothing")
    config["keys"]["drug"] = "renumber"
    config["tables"]["drug"] = {"link": "person_id"}
    config["tables"]["diagnosis"] = "drop"
    kanon_sql.run(config, progress=None)
    released = read(tmp_path, "parquet")
    labels = {row["drug"]: row["label"] for row in released["drugs"]}
    assert set(labels) == {1, 2}
    assert [labels.get(row["drug"]) for row in released["drug"]].count("one") == 4
    assert [row["drug"] for row in released["drug"]].count(None) == 2  # z leads nowhere


@pytest.mark.few(1)
@pytest.mark.parametrize("facts", [{}, {"price": {}}], ids=["bills stay", "bills go"])
def test_a_key_of_two_tables_leads_to_a_row_of_both(tmp_path: Path, facts: Json) -> None:
    """Bills come before visits in the order of names, and have as many rows: a visit that is suppressed is gone there,
    and where a bill may be suppressed too its visit does not lead to it.
    """
    source = str(tmp_path / "source.duckdb")
    with attached(source) as connection:
        connection.execute("CREATE TABLE person AS SELECT range AS person_id FROM range(6)")
        connection.execute("CREATE TABLE visit (visit_id INTEGER, person_id INTEGER, kind VARCHAR)")
        connection.execute("CREATE TABLE bill (visit_id INTEGER, person_id INTEGER, price INTEGER)")
        connection.executemany("INSERT INTO visit VALUES (?, ?, ?)", [(v, v, "aaaaab"[v]) for v in range(6)])
        connection.executemany("INSERT INTO bill VALUES (?, ?, ?)", [(v, v, 2 if v == 0 else 1) for v in range(6)])
    config: Json = {
        "source": {"database": source},
        "target": {"database": str(tmp_path / "out.duckdb")},
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"visit_id": "renumber"},
        "tables": {
            "person": {},
            "bill": {"facts": facts} if facts else {"insensitive": ["price"]},
            "visit": {"facts": {"kind": {}}},
        },
        "privacy": {"k": 2, "facts": {"known": 1}},
    }
    kanon_sql.run(config, progress=None)
    with attached(tmp_path / "out.duckdb") as connection:
        visits, bills = (
            connection.execute(f"SELECT visit_id FROM {name} ORDER BY visit_id").fetchall()
            for name in ("visit", "bill")
        )
    of_both = 4 if facts else 5
    assert visits == [(v + 1,) for v in range(of_both)] + [(None,)] * (5 - of_both)
    assert bills == [(v + 1,) for v in range(of_both)] + [(None,)]
    assert kanon_sql.check(config, tmp_path / "out.duckdb", progress=None)["status"] == "satisfied"


def test_a_key_that_a_row_lacks_leads_nowhere_else(tmp_path: Path) -> None:
    """One visit has no key, and the key of visits is still theirs: that of a suppressed one and that of an orphan are
    gone elsewhere.
    """
    source = str(tmp_path / "source.duckdb")
    with duckdb.connect(source) as connection:
        connection.execute("CREATE TABLE person AS SELECT range AS person_id FROM range(6)")
        connection.execute("CREATE TABLE visit (visit_id INTEGER, person_id INTEGER, kind VARCHAR)")
        connection.execute("CREATE TABLE bill (visit_id INTEGER, person_id INTEGER)")
        visits = [*((v, v, "aaaaab"[v]) for v in range(6)), (6, 99, "a"), (None, 0, "a")]
        connection.executemany("INSERT INTO visit VALUES (?, ?, ?)", visits)
        connection.executemany("INSERT INTO bill VALUES (?, ?)", [(v, v % 6) for v in [*range(7), 0]])
    config: Json = {
        "source": {"database": source},
        "target": {"database": str(tmp_path / "out.duckdb")},
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"visit_id": "renumber"},
        "tables": {"person": {}, "visit": {"facts": {"kind": {}}}, "bill": {}},
        "privacy": {"k": 2, "facts": {"known": 1}},
    }
    kanon_sql.run(config, progress=None)
    with duckdb.connect(str(tmp_path / "out.duckdb")) as connection:
        bills = connection.execute("SELECT b.visit_id, v.visit_id FROM bill b LEFT JOIN visit v USING (visit_id)")
        found = bills.fetchall()
    assert sorted(map(str, found)).count("(None, None)") == 2
    assert len(found) == 8
    assert all(key == visit for key, visit in found)


def test_a_key_that_is_missing_by_its_text_joins_nothing(tmp_path: Path) -> None:
    """One visit and several bills and tests have ? for a key: these are no bills and tests of that visit."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "person.csv").write_text("person_id\n" + "\n".join("abcd") + "\n", encoding="utf-8")
    (folder / "visit.csv").write_text("visit_id,person_id\n?,a\nv1,b\nv2,c\n", encoding="utf-8")
    (folder / "test.csv").write_text("visit_id,result\n?,r\n?,s\nv1,r\n", encoding="utf-8")
    (folder / "bill.csv").write_text("visit_id,person_id\n?,d\nv2,c\n", encoding="utf-8")
    missing = {"source": {"missing": ["?"]}}
    config: Json = {
        "source": str(folder),
        "target": str(tmp_path / "out"),
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"visit_id": "keep", "vist_id": "keep"},
        "tables": {
            "person": {},
            "visit": missing,
            "test": {**missing, "link": {"visit_id": "visit"}, "sensitive": ["result"]},
            "bill": missing,
        },
        "privacy": {"k": 2},
    }
    report = kanon_sql.run(config, progress=None).report
    assert report["tables"]["test"]["rows"] == {"source": 3, "orphans": 2, "suppressed": 0, "released": 1}
    assert "no released table has a column 'vist_id', which keys names; correct or remove it" in report["warnings"]
    for name, keys in (("visit", ["", "v1", "v2"]), ("test", ["v1"]), ("bill", ["", "v2"])):
        rows = (tmp_path / "out" / f"{name}.csv").read_text(encoding="utf-8").splitlines()[1:]
        assert sorted(row.split(",")[0].strip('"') for row in rows) == keys


@pytest.mark.slow
def test_what_is_missing_in_one_table_is_no_key_of_another(tmp_path: Path) -> None:
    """A person and a visit have ? for a key, which in other tables stands for none: their rows are not of these."""
    folder = tmp_path / "source"
    folder.mkdir()
    rows = {
        "person": "person_id\na\nb\n?",
        "visit": "visit_id,person_id\n?,a\nv1,b\nv2,?",
        "test": "visit_id,result\n?,r\nv1,r",
        "drug": "person_id,visit_id\n?,v1\na,?\nb,v1",
    }
    for name, text in rows.items():
        (folder / f"{name}.csv").write_text(f"{text}\n", encoding="utf-8")
    missing = {"source": {"missing": ["?"]}}
    config: Json = {
        "source": str(folder),
        "target": str(tmp_path / "out"),
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"visit_id": "renumber"},
        "tables": {
            "person": {},
            "visit": {},
            "test": {**missing, "link": {"visit_id": "visit"}, "sensitive": ["result"]},
            "drug": missing,
        },
        "privacy": {"k": 2},
    }
    tables = kanon_sql.run(config, progress=None).report["tables"]
    orphans = {name: table["rows"]["orphans"] for name, table in tables.items()}
    assert orphans == {"person": 0, "visit": 0, "test": 1, "drug": 1}
    assert sorted(row["visit_id"] is None for row in read(tmp_path, "csv")["drug"]) == [False, True]
    assert kanon_sql.check(config, tmp_path / "out", progress=None)["status"] == "satisfied"


@pytest.mark.slow
def test_a_table_may_be_gone_through_by_several(tmp_path: Path) -> None:
    """Links through a table that itself goes through one, by keys in any order, one of them not released."""
    source = tmp_path / "source"
    source.mkdir()
    connection = duckdb.connect()
    for name, rows in {
        "person": "SELECT i AS person_id, 'f' AS sex FROM range(6) r(i)",
        "case": "SELECT i % 6 AS person_id, 100 + i AS case_id FROM range(12) r(i)",
        "stay": "SELECT 100 + i AS case_id, 200 + i AS stay_id, 300 + i AS stay_no FROM range(12) r(i)",
        "test": "SELECT 200 + i AS stay_id, 'x' AS code FROM range(14) r(i)",
        "bill": "SELECT 300 + i AS stay_no, 1 AS amount FROM range(13) r(i)",
    }.items():
        connection.execute(f"COPY ({rows}) TO '{source}/{name}.parquet'")
    connection.close()
    config = {
        "source": str(source),
        "target": str(tmp_path / "out"),
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"stay_id": "renumber"},  # others that links go through are, too
        "tables": {
            "test": {"link": {"stay_id": "stay"}, "facts": {"code": {}}},
            "bill": {"link": {"stay_no": "stay"}, "insensitive": ["amount"], "unlisted": "drop"},
            "stay": {"link": {"case_id": "case"}, "identifiers": ["stay_no"]},
            "case": {"link": "person_id"},
            "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}},
        },
        "privacy": {"k": 6, "facts": {"known": 2}},
    }
    report = kanon_sql.run(config, progress=None).report
    assert report["facts"]["kept"] == 1 and report["facts"]["actual"] == 6
    released = read(tmp_path, "parquet")
    assert {name: len(rows) for name, rows in released.items()} == {
        "person": 6, "case": 12, "stay": 12, "test": 12, "bill": 12,
    }  # fmt: skip
    assert [report["tables"][name]["rows"]["orphans"] for name in ("test", "bill")] == [2, 1]
    assert {row["stay_no"] for row in released["bill"]} == set(range(1, 13))  # new ones, which lead nowhere
    assert (
        {row["case_id"] for row in released["stay"]}
        == set(range(1, 13))
        == {row["case_id"] for row in released["case"]}
    )
    assert {row["stay_id"] for row in released["test"]} == {row["stay_id"] for row in released["stay"]}


def _stays(draw: random.Random, folder: Path) -> tuple[Json, dict[str, Rows]]:
    """Wards of persons, stays in these wards, and notes of the stays, each with facts; (configuration, rows)."""
    persons = range(draw.randint(4, 9))
    wards = [(w, draw.choice(persons), draw.choice("abc")) for w in range(draw.randint(4, 18))]
    stays = [(s, draw.choice(wards)[0], draw.choice("xy")) for s in range(draw.randint(4, 24))]
    notes = [(draw.choice(stays)[0], draw.choice("pq")) for _ in range(draw.randint(4, 30))]
    rows: dict[str, Rows] = {"person": [(p,) for p in persons], "ward": wards, "stay": stays, "note": notes}
    path = folder / "stays.duckdb"
    with attached(path) as connection:
        for name, types in _OF_STAYS.items():
            connection.execute(f"CREATE TABLE {name} ({', '.join(f'{head} {kind}' for head, kind in types.items())})")
            connection.executemany(
                f"INSERT INTO {name} VALUES ({', '.join('?' * len(types))})", sorted(set(rows[name]))
            )
    config: Json = {
        "source": {"database": str(path)},
        "target": {"database": str(folder / "out.duckdb")},
        "unit": {"table": "person", "key": "person"},
        "keys": {"person": "renumber", "ward": "renumber", "stay": "renumber"},
        "tables": {
            "person": {"quasi_identifiers": {}},
            "ward": {"link": "person", "facts": {"kind": {}}},
            "stay": {"link": {"ward": "ward"}, "facts": {"kind": {}}},
            "note": {"link": {"stay": "stay"}, "facts": {"word": {}}},
        },
        "privacy": {"k": draw.randint(2, 3), "facts": {"known": draw.randint(1, 3), "with": "nothing"}},
        "suppression": {"facts": "100%"},
    }
    return config, rows


def _facts_of_stays(released: dict[str, list[dict[str, Any]]]) -> dict[Any, set[tuple[str, Any]]]:
    facts: dict[Any, set[tuple[str, Any]]] = {row["person"]: set() for row in released["person"]}
    of_ward = {row["ward"]: row["person"] for row in released["ward"]}
    of_stay = {row["stay"]: of_ward[row["ward"]] for row in released["stay"]}
    for row in released["ward"]:
        facts[row["person"]].add(("ward", row["kind"]))
    for row in released["stay"]:
        facts[of_ward[row["ward"]]].add(("stay", row["kind"]))
    for row in released["note"]:
        facts[of_stay[row["stay"]]].add(("note", row["word"]))
    return facts


@pytest.mark.few(1)
@pytest.mark.parametrize("number", some([18, 27, 66, *range(8)]))
def test_facts_that_go_with_the_rows_above_them_are_counted(tmp_path: Path, number: int) -> None:
    """A suppressed fact takes its row, which takes the rows that go through it, and the facts that only they tell."""
    config, rows = _stays(random.Random(number), tmp_path)
    report = kanon_sql.run(config, progress=None).report
    facts = _facts_of_stays(read(tmp_path, "duckdb"))
    sets = list(counts(facts, dict.fromkeys(facts), config["privacy"]["facts"]["known"]))
    assert min(sets, default=config["privacy"]["k"]) >= config["privacy"]["k"]
    assert report["facts"]["actual"] == min(sets, default=None)
    before = _facts_of_stays(
        {name: [dict(zip(_OF_STAYS[name], row, strict=True)) for row in rows[name]] for name in rows}
    )
    assert report["facts"]["pairs"] == sum(map(len, before.values()))
    assert report["facts"]["kept"] * report["facts"]["pairs"] == pytest.approx(sum(map(len, facts.values())))


@pytest.mark.slow
def test_facts_that_go_with_the_rows_above_them_would_be_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a look at them the search of the first of these tests ends too early, and the recount says so."""
    monkeypatch.setattr(database_run, "read_carriers", lambda *_: None)
    config, _ = _stays(random.Random(18), tmp_path)
    with pytest.raises(VerificationError, match="a set of facts is had by 1 person"):
        kanon_sql.run(config, progress=None)


def test_the_key_of_persons_is_new_under_every_name(tmp_path: Path) -> None:
    """Beside the column by which rows find their person: there it is of somebody else."""
    source = tmp_path / "source"
    source.mkdir()
    connection = duckdb.connect()
    connection.execute(f"COPY (SELECT 50 + i AS id, 'f' AS sex FROM range(6) r(i)) TO '{source}/person.csv'")
    connection.execute(
        f"COPY (SELECT 50 + i AS patient, 50 + (i + 1) % 7 AS id FROM range(6) r(i)) TO '{source}/visit.csv'"
    )
    connection.close()
    config = {
        "source": str(source),
        "target": str(tmp_path / "out"),
        "unit": {"table": "person", "key": "id"},
        "tables": {
            "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}},
            "visit": {"link": {"column": "patient"}},
        },
        "privacy": {"k": 3},
    }
    report = kanon_sql.run(config, progress=None).report
    assert report["facts"] is None and report["verification"]["keys"] == 2
    released = read(tmp_path, "csv")
    people = {row["id"] for row in released["person"]}
    assert people == set(range(1, 7)) == {row["patient"] for row in released["visit"]}
    others = [row["id"] for row in released["visit"]]
    assert others.count(None) == 1 and {int(number) for number in others if number is not None} < people


@pytest.mark.slow
def test_what_would_be_lost_is_refused(tmp_path: Path) -> None:
    """Other files and tables of the target, and a report in the place of a table."""
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [], "diagnosis": [], "drug": [], "drugs": [],
    }  # fmt: skip
    for kind in ("csv", "duckdb"):
        folder = tmp_path / kind
        folder.mkdir()
        config = configuration(write(database, folder, kind), folder, kind, 2, 1, "nothing")
        config["target"]["overwrite"] = True
        kanon_sql.run(config, progress=None)
        kanon_sql.run(config, progress=None)
        if kind == "csv":
            (folder / "out" / "thesis.txt").write_text("mine", encoding="utf-8")
        else:
            with attached(folder / "out.duckdb") as connection:
                connection.execute("CREATE TABLE thesis (mine INTEGER)")
        with pytest.raises(ConfigurationError, match="holds 1 other things, first 'thesis"):
            kanon_sql.run(config, progress=None)
    config = configuration({"path": str(tmp_path / "csv" / "source")}, tmp_path, "csv", 2, 1, "nothing")
    with pytest.raises(ConfigurationError, match="the report would lie in"):
        kanon_sql.run(config, report=tmp_path / "csv" / "source" / "person.csv", progress=None)
    config["tables"]["person"]["identifiers"] = ["name", "person_id"]
    with pytest.raises(ConfigurationError, match="take it out of the identifiers of 'person'"):
        kanon_sql.run(config, progress=None)


@pytest.mark.slow
def test_a_source_that_changes_during_the_run_is_not_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [], "diagnosis": [], "drug": [], "drugs": [],
    }  # fmt: skip
    config = configuration(write(database, tmp_path, "csv"), tmp_path, "csv", 2, 1, "nothing")

    def changing(*_: Any) -> Any:
        (tmp_path / "source" / "drugs.csv").write_text("drug,label\nz,new\n", encoding="utf-8")
        return recount_tables(*_)

    monkeypatch.setattr(database_run, "recount_tables", changing)
    with pytest.raises(EngineError, match=r"drugs.csv was changed by another program during the run"):
        kanon_sql.run(config, progress=None)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["csv", "duckdb"])
def test_a_date_that_means_no_day_does_not_tell_the_shift(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHIFT", "0f" * 32)
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [(i, i, "a", "2024-01-01" if i else "9999-12-31") for i in range(4)],
        "diagnosis": [], "drug": [], "drugs": [],
    }  # fmt: skip
    config = configuration(write(database, tmp_path, kind), tmp_path, kind, 2, 2, "nothing")
    config["shift"] = {"days": 60, "key": "${SHIFT}"}
    config["tables"] |= dict.fromkeys(["diagnosis", "drug"], "drop")
    config["tables"]["visit"] = {"link": {"column": "pid"}, "dates": ["day"], "unlisted": "drop"}
    with pytest.raises(ConfigurationError, match=r"'visit': column 'day' holds 1 dates within 60 days of the first or"):
        kanon_sql.run(config, progress=None)


def test_a_shift_without_dates_and_facts_of_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a configuration says beforehand of columns that no table names is no error."""
    monkeypatch.setenv("SHIFT", "0f" * 32)
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [(i, i, "a", "2024-01-01") for i in range(4)],
        "diagnosis": [], "drug": [], "drugs": [],
    }  # fmt: skip
    config = configuration(write(database, tmp_path, "csv"), tmp_path, "csv", 2, 2, "nothing")
    config["shift"] = {"days": 60, "key": "${SHIFT}"}
    config["tables"] |= dict.fromkeys(["diagnosis", "drug"], "drop")
    config["tables"]["visit"] = {"link": {"column": "pid"}, "dates": [], "sensitive": [], "unlisted": "drop"}
    report = kanon_sql.run(config, progress=None).report
    assert report["facts"] == {
        "known": 2, "with": "nothing", "required": 2, "actual": None, "pairs": 0, "kept": None, "loss": 0.0,
        "bound": 0.0, "levels": {}, "nodes": {"lattice": 0, "evaluated": 0},
    }  # fmt: skip
    assert any("privacy.facts asks for something of facts, and no table names any" in t for t in report["warnings"])
    assert {tuple(row) for row in read(tmp_path, "csv")["visit"]} == {("visit_id", "pid")}


@pytest.mark.slow
def test_persons_without_quasi_identifiers(tmp_path: Path) -> None:
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(6)],
        "visit": [(i, i, "ab"[i // 4], "2024-01-01") for i in range(6)],
        "diagnosis": [], "drug": [], "drugs": [],
    }  # fmt: skip
    config = configuration(write(database, tmp_path, "csv"), tmp_path, "csv", 3, 2, "nothing")
    config["tables"]["person"] = {"unlisted": "drop"}
    config["tables"]["visit"]["facts"] = {"kind": {}}
    report = kanon_sql.run(config, progress=None).report
    assert report["persons"]["suppressed"] == 0
    assert report["privacy"] == {"k": {"required": 3, "actual": 6}} and report["classes"]["min"] == 6
    assert report["facts"]["kept"] == pytest.approx(4 / 6)
    assert {tuple(row) for row in read(tmp_path, "csv")["person"]} == {("person_id",)}
    config["target"] = {"path": str(tmp_path / "none")}
    for privacy, text in (
        ({"k": 3, "l_diversity": {"column": "kind", "l": 2}}, "l_diversity"),
        ({}, "k is missing"),
        ({"k": "many"}, "privacy.k: expected a whole number"),
    ):
        with pytest.raises(ConfigurationError, match=text):
            kanon_sql.run({**config, "privacy": {**privacy, "facts": {"known": 2}}}, progress=None)
    config["privacy"]["k"] = 7
    with pytest.raises(NoReleaseError, match="fewer than k = 7 persons"):
        kanon_sql.run(config, progress=None)


@pytest.mark.slow
def test_a_view_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "clinic.duckdb"
    with attached(path) as connection:
        connection.execute("CREATE TABLE person AS SELECT i AS person_id, i % 2 AS sex FROM range(8) AS numbers(i)")
        connection.execute("CREATE VIEW seen AS SELECT person_id FROM person")
    config: Json = {
        "source": {"database": str(path)},
        "target": {"database": str(tmp_path / "out.duckdb")},
        "unit": {"table": "person", "key": "person_id"},
        "tables": {"person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}}},
        "privacy": {"k": 2},
    }
    report = kanon_sql.run(config, progress=None).report
    assert report["warnings"] == ["views are not released: 'seen'; make them anew"]
    config["tables"]["seen"] = "drop"
    with pytest.raises(ConfigurationError, match="'seen' is a view, and only tables are released"):
        kanon_sql.run(config, progress=None)


def test_outputs_that_cannot_be_written_are_refused_before_anything_is(tmp_path: Path) -> None:
    database: dict[str, Rows] = {
        "person": [(i, "f", "n") for i in range(4)],
        "visit": [],
        "diagnosis": [],
        "drug": [],
        "drugs": [],
    }
    config = configuration(write(database, tmp_path, "parquet"), tmp_path, "parquet", 2, 2, "nothing")
    path = tmp_path / "database.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    (tmp_path / "nowhere.html").symlink_to(tmp_path / "gone.html")
    for option, place, text in (
        ("--html", "missing/page.html", "its folder does not exist"),
        ("--report", "missing/report.json", "its folder does not exist"),
        ("--html", "database.json", "would replace the configuration"),
        ("--report", "database.json", "would replace the configuration"),
        ("--html", "nowhere.html", "link"),
    ):
        ended = CliRunner().invoke(cli, ["run", str(path), option, str(tmp_path / place)])
        assert isinstance(ended.exception, KanonError) and text in str(ended.exception), (option, place)
        assert not (tmp_path / "out").exists()
    assert json.loads(path.read_text()) == config


def test_a_table_that_goes_through_the_persons_is_drawn_below_them() -> None:
    """Its link may name the table of persons, which is where others go without a word."""
    entry: Json = {"facts": [], "columns": ["person_id"], "rows": {"released": 1}}
    tables = {
        "visit": {**entry, "is": "persons", "link": {"column": "person_id", "through": "person"}},
        "test": {**entry, "is": "persons", "link": {"column": "visit_id", "through": "visit"}},
        "person": {**entry, "is": "unit", "link": None},
    }
    assert [row[0] for row in draw_tables(tables, "person").rows] == ["person", "visit", "test"]
