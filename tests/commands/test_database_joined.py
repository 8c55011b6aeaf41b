"""Quasi-identifiers of persons in other tables: what was released is joined and counted in plain Python."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from effort import tries
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shared_engine import attached, shared
from small_databases import written

import kanon_sql
from kanon_sql.commands.database import joined as joined_tables
from kanon_sql.errors import ConfigurationError, NoReleaseError, VerificationError

Json = dict[str, Any]
Rows = list[tuple[Any, ...]]
TYPES = {
    "person": {"person_id": "INTEGER", "sex": "VARCHAR", "location_id": "INTEGER"},
    "location": {"location_id": "INTEGER", "region": "VARCHAR", "size": "INTEGER"},
    "demography": {"person_id": "INTEGER", "born": "INTEGER", "note": "VARCHAR"},
    "visit": {"visit_id": "INTEGER", "person_id": "INTEGER", "kind": "VARCHAR"},
}


@st.composite
def databases(draw: st.DrawFn) -> dict[str, Rows]:
    """Persons, some without a location or with one that is not there, and what is known of most in a table apart."""
    places = [
        (i, draw(st.sampled_from(["aa", "ab", "ba", "bb", None])), draw(st.sampled_from([1, 2, 30, None])))
        for i in range(draw(st.integers(1, 6)))
    ]
    persons = [
        (i, draw(st.sampled_from("fm")), draw(st.sampled_from([*range(len(places) + 1), None])))
        for i in range(draw(st.integers(3, 16)))
    ]
    demography = [(i, draw(st.integers(1950, 1962)), draw(st.sampled_from("xy"))) for i, *_ in persons[1:]]
    visits = [
        (v, draw(st.sampled_from(persons))[0], draw(st.sampled_from("pq"))) for v in range(draw(st.integers(0, 14)))
    ]
    return {"person": persons, "location": places, "demography": [*demography, (99, 1900, "z")], "visit": visits}


def configuration(
    database: dict[str, Rows], folder: Path, kind: str, k: int, *, by_class: bool = False, **more: Any
) -> Json:
    """Writes the tables; gives a configuration of them."""
    source, target = written(database, TYPES, folder, kind)
    return {
        "source": source,
        "target": target,
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"person_id": "keep", "visit_id": "renumber"},
        "tables": {
            "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}},
            "location": {
                "via": "location_id",
                "quasi_identifiers": {
                    "region": {"builtin": "prefix", "keep": [1]},
                    "size": {"builtin": "intervals", "widths": [10]},
                },
            },
            "demography": {
                "via": "person_id",
                "quasi_identifiers": {"born": {"builtin": "intervals", "widths": [5], "origin": 0}},
                "insensitive": ["note"],
            },
            "visit": {"facts": {"kind": {}}},
        },
        "privacy": {"k": k, "facts": {"known": 2, "with": "quasi_identifiers" if by_class else "nothing"}},
        "suppression": {"persons": 3},
        **more,
    }


def read(folder: Path, kind: str) -> dict[str, list[Json]]:
    """The tables that were released, every value as text, what is missing as None."""
    tables = {}
    with attached(folder / "out.duckdb" if kind == "duckdb" else ":memory:") as connection:
        for name, types in TYPES.items():
            place = name if kind == "duckdb" else f"'{folder / 'out' / name}.{kind}'"
            heads = ", ".join(f"nullif(CAST({column} AS VARCHAR), '') AS {column}" for column in types)
            cursor = connection.execute(f"SELECT {heads} FROM {place}")
            tables[name] = [dict(zip(types, row, strict=True)) for row in cursor.fetchall()]
    return tables


def covers(label: str | None, value: str | int | None) -> bool:
    """Whether a released value is right for one of the source: the value itself, or what it was generalized to."""
    if label is None or value is None:
        return (label is None and value is None) or label == "*"
    if "-" in label and label[0].isdigit():
        first, last = map(int, label.split("-"))
        return first <= int(value) <= last
    text = str(value)
    return (len(label) == len(text) and all(a in (b, "*") for a, b in zip(label, text, strict=True))) or label == "*"


@pytest.mark.slow
@settings(max_examples=tries(25), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    databases(),
    st.sampled_from(["parquet", "csv", "duckdb"]),
    st.integers(1, 4),
    st.sampled_from(["optimal", "mondrian", "local"]),
    st.booleans(),
)
def test_classes_hold_k_persons_wherever_their_quasi_identifiers_stand(
    tmp_path_factory: pytest.TempPathFactory,
    database: dict[str, Rows],
    kind: str,
    k: int,
    algorithm: str,
    by_class: bool,
) -> None:
    folder = tmp_path_factory.mktemp("joined")
    config = configuration(database, folder, kind, k, by_class=by_class, algorithm=algorithm)
    try:
        report = kanon_sql.run(config, progress=None).report
    except NoReleaseError:
        assert k > 1
        return
    released = read(folder, kind)
    places = {row["location_id"]: row for row in released["location"]}
    demographies = {row["person_id"]: row for row in released["demography"]}
    # One row of each, whoever had none in the source too; rows of the same values are one row.
    assert len(places) == len(released["location"]) == len({(r["region"], r["size"]) for r in places.values()})
    assert len(demographies) == len(released["demography"])
    assert {row["location_id"] for row in released["person"]} == set(places)
    assert {row["person_id"] for row in released["person"]} == set(demographies)
    assert set(places) == {str(i + 1) for i in range(len(places))}
    # Every value is right for the person.
    source = {str(i): (sex, place) for i, sex, place in database["person"]}
    of_place = {row[0]: row[1:] for row in database["location"]}
    of_person = {str(row[0]): row[1:] for row in database["demography"]}
    classes: dict[str, tuple[Any, ...]] = {}
    for row in released["person"]:
        person, place, demography = row["person_id"], places[row["location_id"]], demographies[row["person_id"]]
        sex, there = source[person]
        region, size = of_place.get(there, (None, None))
        born, note = of_person.get(person, (None, None))
        assert covers(row["sex"], sex) and covers(place["region"], region) and covers(place["size"], size)
        assert covers(demography["born"], born) and demography["note"] == note
        classes[person] = (row["sex"], place["region"], place["size"], demography["born"])
    # Persons: k in each class, and none is told apart within it by the row that others share.
    assert min(Counter(classes.values()).values()) >= k
    assert report["privacy"]["k"]["actual"] == min(Counter(classes.values()).values())
    assert report["classes"]["count"] == len(set(classes.values()))
    # Facts, with the quasi-identifiers where they are known with them.
    sets: Counter[Any] = Counter()
    for person, of_class in classes.items():
        facts = sorted({row["kind"] for row in released["visit"] if row["person_id"] == person})
        for chosen in ((fact,) for fact in facts):
            sets[of_class if by_class else None, chosen] += 1
        if len(facts) == 2:
            sets[of_class if by_class else None, tuple(facts)] += 1
    assert min(sets.values(), default=k) >= k
    assert report["facts"]["actual"] == min(sets.values(), default=None)
    rows = report["tables"]["location"]["rows"]
    persons_of = {place: {str(i) for i, _, there in database["person"] if there == place} for place in of_place}
    assert rows == {
        "source": len(of_place),
        "orphans": sum(not held for held in persons_of.values()),
        "suppressed": sum(bool(held) and not held & classes.keys() for held in persons_of.values()),
        "released": len(places),
    }
    data = folder / ("out.duckdb" if kind == "duckdb" else "out")
    checked = kanon_sql.check(config, data, progress=None)
    assert checked["status"] == "satisfied" and checked["classes"]["count"] == len(set(classes.values()))


def _plain(**more: Any) -> dict[str, Rows]:
    return {
        "person": [(i, "f", i % 4) for i in range(8)],
        "location": [(i, "ab"[i // 2] * 2, 1) for i in range(4)],
        "demography": [(i, 1950, "x") for i in range(8)],
        "visit": [],
        **more,
    }


def test_rows_that_persons_share_are_one_of_each_value(tmp_path: Path) -> None:
    """Four places with two regions are two rows; how many persons share which place is told by nobody."""
    report = kanon_sql.run(configuration(_plain(), tmp_path, "parquet", 4), progress=None).report
    released = read(tmp_path, "parquet")
    assert sorted(row["region"] for row in released["location"]) == ["aa", "bb"]
    assert Counter(row["location_id"] for row in released["person"]) == {"1": 4, "2": 4}
    assert report["solution"]["levels"] == {
        "sex": 0, "location.region": 0, "location.size": 0, "demography.born": 0,
    }  # fmt: skip
    assert report["tables"]["location"]["is"] == "quasi-identifiers"
    assert report["tables"]["location"]["via"] == {"column": "location_id", "key": "location_id"}


@pytest.mark.slow
def test_an_empty_text_and_none_are_one_row_of_a_csv_file(tmp_path: Path) -> None:
    database = _plain(location=[(1, "", 1), (2, None, 1), (3, "a", 1)])
    database["person"] = [(i, "f", i % 4) for i in range(16)]
    config = configuration(database, tmp_path, "parquet", 2, target={"path": str(tmp_path / "out"), "format": "csv"})
    config["tables"]["location"]["quasi_identifiers"] = {
        "region": {"builtin": "prefix", "keep": [1], "max_level": 0},
    }
    config["tables"]["location"]["unlisted"] = "drop"
    kanon_sql.run(config, progress=None)
    with shared() as connection:
        rows = connection.execute(
            f"SELECT region FROM read_csv('{tmp_path}/out/location.csv', all_varchar = true)"
        ).fetchall()
    assert Counter(region or "" for (region,) in rows) == Counter(["", "a"])


def test_the_source_of_such_a_table_is_measured(tmp_path: Path) -> None:
    database = _plain(location=[(0, "aa", 1), (1, "ab", 1), (2, "bb", 1), (3, "bb", 1)])
    config = configuration(database, tmp_path, "csv", 3)
    risk = kanon_sql.risk(config, progress=None)
    assert risk["source"]["quasi_identifiers"]["smallest_class"] == 2
    assert risk["source"]["quasi_identifiers"]["below_k"] == 4
    checked = kanon_sql.check(config, progress=None)
    assert checked["violations"] == [
        "2 rows of location have the quasi-identifiers of another row: persons of one class are told apart by which "
        "they have",
        "4 persons are in classes of fewer than k = 3",
    ]


@pytest.mark.slow
def test_the_column_of_persons_may_have_another_name(tmp_path: Path) -> None:
    config = configuration(_plain(), tmp_path, "duckdb", 4)
    with attached(config["source"]["database"]) as connection:
        connection.execute("ALTER TABLE location RENAME location_id TO id")
        connection.execute("ALTER TABLE demography RENAME person_id TO pid")
    config["tables"]["location"]["via"] = {"location_id": "id"}
    config["tables"]["demography"]["via"] = {"person_id": "pid"}
    kanon_sql.run(config, progress=None)
    with attached(tmp_path / "out.duckdb") as connection:
        rows = connection.execute(
            "SELECT region, count(*) FROM person JOIN location ON id = location_id JOIN demography ON pid = person_id "
            "GROUP BY region ORDER BY region"
        ).fetchall()
    assert rows == [("aa", 4), ("bb", 4)]


def test_rows_that_are_not_made_anew_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of each person beside the values of others is found by the recount."""

    def apart(tables: Any, table: Any, released: Any, rows: str | None = None) -> Any:
        key = released.column("person_id").key
        return duckdb_column(key, rows)

    def duckdb_column(key: str, rows: str | None) -> Any:
        from sqlglot import exp

        return exp.cast(exp.column(key, table=rows, quoted=True), "VARCHAR")

    monkeypatch.setattr(joined_tables.JoinedTables, "shared_key", apart)
    with pytest.raises(VerificationError, match="8 rows of location have the quasi-identifiers of another row"):
        kanon_sql.run(configuration(_plain(), tmp_path, "parquet", 4), progress=None)


REFUSED: list[tuple[Any, str]] = [
    (lambda c: c["tables"]["location"].pop("quasi_identifiers"), "tables.location has no quasi_identifiers"),
    (lambda c: c["tables"]["location"].update(via=["location_id"]), "expected the column of person that holds the key"),
    (lambda c: c["tables"]["location"].update(via={"location_id": "person_id"}), "'person_id' is the key of persons"),
    (lambda c: c["tables"]["location"].update(facts={"region": {}}), "tables.location: unknown key 'facts'"),
    (lambda c: c["tables"]["location"].update(via="place"), "'location_id'|has no column 'place'|names no"),
    (lambda c: c["tables"]["location"]["quasi_identifiers"].pop("size"), "no list names 'size'"),
    (
        lambda c: c["tables"]["location"].update(quasi_identifiers={"region": "region.csv"}, unlisted="drop"),
        "location.region|region.csv",
    ),
    (
        lambda c: c["tables"]["location"].update(quasi_identifiers={"region": {}}, insensitive=["size"]),
        "released as one, and 'size' would tell them apart",
    ),
    (lambda c: c["keys"].update(location_id="keep"), "'location_id' is renumbered"),
    (lambda c: c["tables"]["visit"].update(link={"location_id": "location"}), "'location' is no table that is rel"),
    (lambda c: c["tables"]["person"].update(identifiers=["location_id"]), "'location_id' leads persons to"),
    (
        lambda c: c["tables"]["person"]["quasi_identifiers"].update(location_id={"builtin": "suppress"}),
        "'location_id' joins persons with 'location' as it stands, .*; remove it from quasi_identifiers",
    ),
    (
        lambda c: c["tables"]["location"]["quasi_identifiers"].update(location_id={"builtin": "suppress"}),
        "'location_id' joins persons with 'location' as it stands, .*; remove it from quasi_identifiers",
    ),
    (
        lambda c: c["tables"]["person"].update(transform={"location_id": {"round": 10}}),
        "'location_id' joins persons .*; remove it from transform",
    ),
    (
        lambda c: c["tables"]["location"].update(source={"columns": {"location_id": {"trim": True}}}),
        "'location_id' joins persons .*; remove it from source.columns",
    ),
    (
        lambda c: c["tables"]["person"].update(source={"columns": {"person_id": {"type": "number"}}}),
        "'person_id' joins persons with 'demography' .*; remove it from source.columns",
    ),
    (lambda c: c["tables"]["person"].update(sensitive=["location_id"]), "'location_id' .*; remove it from sensitive"),
    (
        lambda c: (
            c["privacy"]["facts"].update(confidence=0.5)
            or c["tables"]["demography"].update(insensitive=[], sensitive=["note"])
        ),
        "confidence does not bound what facts tell of columns of 'demography'",
    ),
    (
        lambda c: c["tables"].update(
            {"Location.size": {"via": "person_id", "quasi_identifiers": ["b"]}}
            | {"location": c["tables"]["location"] | {"quasi_identifiers": ["region", "size.b"]}}
        ),
        "the quasi-identifiers of several tables would be called 'location.size.b'",
    ),
    (lambda c: c["privacy"].update(known_columns=1), "a database counts whole classes of persons"),
]


@pytest.mark.slow
@pytest.mark.parametrize("column", ["home", "pid"])
def test_a_key_of_another_name_is_named_by_its_own(tmp_path: Path, column: str) -> None:
    """Its column would be a key of its own too, which no table has: as it is it must never be released."""
    config = configuration(_plain(), tmp_path, "duckdb", 2)
    with attached(config["source"]["database"]) as connection:
        connection.execute("ALTER TABLE person RENAME location_id TO home")
        connection.execute("ALTER TABLE demography RENAME person_id TO pid")
    config["tables"]["location"]["via"] = {"home": "location_id"}
    config["tables"]["demography"]["via"] = {"person_id": "pid"}
    kanon_sql.run(config, progress=None)
    config["keys"][column] = "renumber"
    config["target"]["overwrite"] = True
    with pytest.raises(ConfigurationError, match=f"'{column}' holds the key '.*' here, and is a key of its own"):
        kanon_sql.run(config, progress=None)


@pytest.mark.slow
def test_rows_that_nobody_finds_are_warned_of(tmp_path: Path) -> None:
    database = _plain(location=[(i + 50, "aa", 1) for i in range(4)])
    report = kanon_sql.run(configuration(database, tmp_path, "parquet", 2), progress=None).report
    assert [text for text in report["warnings"] if "no person" in text] == [
        "table 'location': no person finds a row by 'location_id'; its quasi-identifiers are missing of all"
    ]


@pytest.mark.parametrize("change, text", REFUSED)
def test_what_cannot_be_joined_is_refused(tmp_path: Path, change: Any, text: str) -> None:
    config = configuration(_plain(), tmp_path, "parquet", 2)
    change(config)
    with pytest.raises(ConfigurationError, match=text):
        kanon_sql.run(config, progress=None)
    assert not (tmp_path / "out").exists()


def test_persons_with_several_rows_are_counted(tmp_path: Path) -> None:
    database = _plain(location=[(0, "aa", 1), (0, "bb", 1), (1, "aa", 1)], demography=[(3, 1950, "x")] * 2)
    config = configuration(database, tmp_path, "parquet", 2)
    with pytest.raises(ConfigurationError, match="2 persons have several rows in 'location' by 'location_id'"):
        kanon_sql.run(config, progress=None)
    with pytest.raises(ConfigurationError, match="2 persons have several rows in 'location' by 'location_id'"):
        kanon_sql.risk(config, progress=None)
    config["tables"] |= {"location": "drop", "person": {"unlisted": "drop"}}
    with pytest.raises(ConfigurationError, match="1 person has several rows in 'demography' by 'person_id'"):
        kanon_sql.run(config, progress=None)


def test_a_table_that_only_another_one_leads_to_is_refused(tmp_path: Path) -> None:
    database: dict[str, Rows] = {"person": [(1, "f", 1)], "location": [(1, "aa", 7)], "demography": [], "visit": []}
    config = configuration(database, tmp_path, "parquet", 1)
    led = {"via": {"size": "born"}, "quasi_identifiers": {"note": {"builtin": "suppress"}}, "unlisted": "drop"}
    config["tables"]["demography"] = led
    with pytest.raises(
        ConfigurationError, match="'person' has no column 'size', by which persons find their row of 'dem"
    ):
        kanon_sql.run(config, progress=None)
