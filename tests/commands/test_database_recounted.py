"""What the recount of a database finds in tables as they stand, at the bounds; and how keys get their new values."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import duckdb
import pytest
from small_databases import written

import kanon_sql
from kanon_sql.commands.database.keys import CountedKey, _first, make_key_map, may_be_home
from kanon_sql.config.database import load_database, share_of
from kanon_sql.errors import ConfigurationError, NoReleaseError
from kanon_sql.sql.connection import EngineOptions, open_engine

Json = dict[str, Any]
Rows = list[tuple[Any, ...]]
TYPES = {
    "person": {"person_id": "INTEGER", "sex": "VARCHAR"},
    "visit": {"visit_id": "INTEGER", "person_id": "INTEGER", "kind": "VARCHAR", "result": "VARCHAR"},
    "bill": {"visit_id": "INTEGER", "price": "VARCHAR"},
}
# Each class has three persons, each kind of visit and each price three; half of those with a kind have a result.
HELD: dict[str, Rows] = {
    "person": [(i, "fm"[i // 3]) for i in range(6)],
    "visit": [(10 + i, i, "ab"[i % 2], "xyz"[i // 2]) for i in range(6)],
    "bill": [(10 + i, "pq"[i % 2]) for i in range(6)],
}


def configuration(database: dict[str, Rows], folder: Path, **privacy: Any) -> Json:
    source, target = written(database, TYPES, folder, "duckdb")
    return {
        "source": source,
        "target": target,
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"visit_id": "renumber"},
        "tables": {
            "person": {"quasi_identifiers": {"sex": {"builtin": "suppress"}}},
            "visit": {"link": "person_id", "facts": {"kind": {}}, "sensitive": ["result"]},
            "bill": {"link": {"visit_id": "visit"}, "facts": {"price": {}}},
        },
        "privacy": {"k": 3, "facts": {"known": 1, "confidence": 0.5}, **privacy},
    }


def checked(folder: Path, **changed: Rows) -> list[str]:
    """What a check finds in the tables."""
    violations: list[str] = kanon_sql.check(configuration({**HELD, **changed}, folder))["violations"]
    return violations


def test_what_is_at_its_bounds_holds(tmp_path: Path) -> None:
    assert checked(tmp_path) == []


def test_each_fault_of_a_release_is_found_by_itself(tmp_path: Path) -> None:
    database = {
        "person": [*HELD["person"], (6, "d")],
        "visit": [*HELD["visit"][:5], (15, 5, "b", "y"), (16, 6, "a", "w")],
        "bill": [*HELD["bill"][:5], (15, "r"), (16, "p"), (99, "p"), (None, "p")],
    }
    assert checked(tmp_path, **database) == [
        "1 values of 'visit_id' in bill lead to no row of visit",
        "1 person is in classes of fewer than k = 3",
        "2 sets of facts tell a sensitive value: more than 50 % of the persons who have the set have it",
        "a set of facts is had by 1 person, fewer than k = 3",
    ]


def test_a_set_of_facts_of_one_person_too_few_is_found(tmp_path: Path) -> None:
    visits = [(10 + i, i, "abbbbb"[i] if i else "b", "xyz"[i // 2]) for i in range(6)]
    visits += [(16, 0, "c", "x"), (17, 2, "c", "y")]
    assert checked(tmp_path, visit=visits) == ["a set of facts is had by 2 persons, fewer than k = 3"]


def test_models_of_values_in_other_tables_are_counted(tmp_path: Path) -> None:
    model = {"l_diversity": {"column": "visit.result", "l": 2}}
    privacy = {"k": 3, **model}
    visits = [(10 + i, i, "a", "x" if i < 3 else "yz"[i % 2]) for i in range(6)]
    config = configuration({**HELD, "visit": visits}, tmp_path)
    config["privacy"] = privacy
    config["tables"]["visit"].pop("facts")
    config["tables"]["bill"] = {"link": {"visit_id": "visit"}, "unlisted": "drop"}
    violations = ["1 classes of persons violate l_diversity of visit.result"]
    assert kanon_sql.check(config)["violations"] == violations


def test_a_key_is_of_the_tables_whose_rows_may_go_with_a_fact() -> None:
    assert _first([]) == ()
    assert _first([(-1, -9, "c"), (-2, -5, "b"), (-2, -5, "a"), (-2, -4, "d")]) == ("a", "b")
    assert _first([(-1, -5, "b"), (-1, -5, "a"), (0, -9, "c")]) == ("a",)


def test_a_key_is_of_a_table_with_another_value_in_each_row_or_else_with_most_values() -> None:
    whole, twice, lacking, few, empty = (
        CountedKey(*counted) for counted in [(3, 3, True), (5, 4, True), (4, 4, False), (1, 1, False), (0, 0, True)]
    )
    for columns, at_home in (
        ([whole, lacking], [whole]),
        ([empty, twice, lacking, few], [lacking]),
        ([empty, twice, few], []),
        ([empty, empty], []),
    ):
        assert [counted for counted in columns if may_be_home(counted, columns)] == at_home


def test_no_two_runs_number_keys_in_one_order(tmp_path: Path) -> None:
    """Who knows the order of one release, or how it was made, would know whose key is which in the other."""
    loaded = load_database(configuration(HELD, tmp_path))
    with open_engine(EngineOptions()) as engine:
        engine.run("CREATE TEMP TABLE key_values AS SELECT CAST(range AS VARCHAR) AS key FROM range(50)")
        orders = []
        for _ in range(2):
            name = make_key_map(engine, loaded, "visit_id", "key_values")
            orders.append(engine.run(f'SELECT key FROM "{name}" ORDER BY new_value'))
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])


def test_limits_are_floors_of_shares() -> None:
    assert [share_of(limit, 199) for limit in (3, "0%", "1%", "1.5%", "50%", "100%")] == [3, 0, 1, 2, 99, 199]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(i // 2, "f") for i in range(6)], "but 0 rows have no 'person_id' and 3 have that of another row"),
        (
            [*((i, "f") for i in range(5)), (None, "f")],
            "but 1 rows have no 'person_id' and 0 have that of another",
        ),
    ],
)
def test_rows_that_are_no_persons_of_their_own_are_refused(rows: Rows, message: str, tmp_path: Path) -> None:
    config = configuration({**HELD, "person": rows}, tmp_path)
    with pytest.raises(ConfigurationError) as refused:
        kanon_sql.run(config, progress=None)
    assert message in str(refused.value)
    assert not (tmp_path / "out.duckdb").exists()


@pytest.mark.slow
def test_a_key_to_go_through_stands_in_one_row(tmp_path: Path) -> None:
    visits = [*HELD["visit"], (10, 4, "a", "z")]
    with pytest.raises(ConfigurationError, match="1 values of 'visit_id' stand in several rows of 'visit'"):
        kanon_sql.run(configuration({**HELD, "visit": visits}, tmp_path), progress=None)
    with duckdb.connect(str(tmp_path / "source.duckdb"), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM visit").fetchall() == [(7,)]


@pytest.mark.slow
def test_fewer_than_k_persons_without_quasi_identifiers_are_not_released(tmp_path: Path) -> None:
    config = configuration({**HELD, "person": HELD["person"][:2]}, tmp_path)
    config["tables"] = {"person": {"insensitive": ["sex"]}, "visit": "drop", "bill": "drop"}
    config["privacy"] = {"k": 3}
    with pytest.raises(NoReleaseError, match="fewer than k = 3 persons"):
        kanon_sql.run(config, progress=None)


def test_a_column_of_persons_leads_to_one_table(tmp_path: Path) -> None:
    config = configuration(HELD, tmp_path)
    place = {"via": {"home": "place_id"}, "quasi_identifiers": {"city": {"builtin": "suppress"}}}
    flat = {"via": {"home": "flat_id"}, "quasi_identifiers": {"floor": {"builtin": "suppress"}}}
    config["tables"] = {"person": config["tables"]["person"], "place": place, "flat": flat}
    config["privacy"] = {"k": 3}
    with pytest.raises(ConfigurationError, match="leads to another table for 'flat'; a key belongs to one table"):
        load_database(config)
    del config["tables"]["flat"]
    assert set(load_database(config).shared) == {"home"}


TEXTS = {
    "person": "person_id,home_id,sex\n1,h,f\n2,h,f\n3,?,m\n4,?,m\n",
    "home": "home_id,region\nh,north\n?,south\n?,west\n",
    "visit": "visit_id,person_id,kind\nv1,1,a\nv2,2,a\n?,3,b\nv4,4,b\n",
    "test": "visit_id,result\nv1,x\nv2,x\n?,rare\nv4,y\n",
}


def _with_missing(key: str, folder: Path) -> Json:
    """A configuration of tables in which keys are missing by this text."""
    (folder / "source").mkdir(parents=True)
    for name, rows in TEXTS.items():
        (folder / "source" / f"{name}.csv").write_text(rows.replace("?", key), encoding="utf-8")
    missing = {"source": {"missing": ["?", ""]}}
    return {
        "source": str(folder / "source"),
        "target": str(folder / "out"),
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"visit_id": "renumber"},
        "tables": {
            "person": {**missing, "quasi_identifiers": {"sex": {"builtin": "suppress"}}},
            "home": {**missing, "via": "home_id", "quasi_identifiers": {"region": {"builtin": "suppress"}}},
            "visit": {**missing, "link": "person_id", "facts": {"kind": {}}},
            "test": {**missing, "link": {"visit_id": "visit"}, "facts": {"result": {}}, "sensitive": []},
        },
        "privacy": {"k": 2, "facts": {"known": 1}},
    }


def test_a_check_of_a_source_joins_no_keys_that_are_missing_by_a_text(tmp_path: Path) -> None:
    config = _with_missing("?", tmp_path)
    assert kanon_sql.check(config)["violations"] == ["a set of facts is had by 1 person, fewer than k = 2"]


@pytest.mark.slow
def test_a_key_that_is_missing_by_a_text_is_counted_as_one_that_is_missing(tmp_path: Path) -> None:
    """By ? no home is that of two persons, and no test that of a visit, in whatever reads the source."""
    reports = []
    for key in ("?", ""):
        config = _with_missing(key, tmp_path / f"missing{key or 'none'}".replace("?", "text"))
        before = kanon_sql.check(config)
        run = kanon_sql.run(config, progress=None).report
        after = [kanon_sql.risk(config), kanon_sql.attack(config, attacks=9), kanon_sql.utility(config)]
        parts = {
            "check": (before["violations"], before["facts"], before["classes"], before["persons"]),
            "run": (run["facts"], run["persons"], run["tables"]),
            "risk": [{k: v for k, v in after[0][side].items() if k != "database"} for side in ("source", "release")],
            "attack": after[1]["facts"],
            "utility": (after[2]["columns"], after[2]["tables"], after[2]["facts"]),
        }
        reports.append(parts)
    for name, of_none in reports[1].items():
        assert reports[0][name] == of_none, name


@pytest.mark.slow
def test_a_model_compares_with_values_that_keys_that_are_missing_do_not_join(tmp_path: Path) -> None:
    """Each visit has one test, but for those of which the key is missing, which are tests of nobody."""
    privacy = {"k": 2, "t_closeness": {"column": "test.result", "t": 0.6}}
    actual = []
    for key in ("?", ""):
        config = _with_missing(key, tmp_path / ("text" if key else "none"))
        config["tables"]["test"] = {**config["tables"]["test"], "facts": {}, "sensitive": ["result"]}
        config["tables"]["visit"] = {**config["tables"]["visit"], "facts": {}, "insensitive": ["kind"]}
        config["tables"] |= {"home": "drop", "person": {**config["tables"]["person"], "identifiers": ["home_id"]}}
        actual.append(kanon_sql.run({**config, "privacy": privacy}, progress=None).report["privacy"]["t_closeness"])
    assert actual[0] == actual[1]


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("part", "change", "column", "meant"),
    [
        ("unit", {"key": "persn_id"}, "table 'person' has no column 'persn_id'", "did you mean 'person_id'?"),
        (
            "unit",
            {"key": "citizen"},
            "table 'person' has no column 'citizen'",
            "name the column that tells persons apart",
        ),
        ("visit", {"link": "persn_id"}, "table 'visit' has no column 'persn_id'", "did you mean 'person_id'?"),
        ("visit", {"link": "citizen"}, "table 'visit' has no column 'citizen'", "say how its rows find their person"),
        ("visit", {"facts": {"kidn": {}}, "unlisted": "drop"}, "there is no column 'kidn'", "did you mean 'kind'?"),
    ],
)
def test_a_column_that_is_not_there_is_told_once(
    part: str, change: Json, column: str, meant: str, tmp_path: Path
) -> None:
    config = configuration(HELD, tmp_path)
    place = config["unit"] if part == "unit" else config["tables"][part]
    place.update(change)
    with pytest.raises(ConfigurationError) as refused:
        kanon_sql.run(config, progress=None)
    (line,) = [line for line in str(refused.value).splitlines() if column in line]
    assert meant in line
    with pytest.raises(ConfigurationError) as refused:
        kanon_sql.check(config)
    name = column.rpartition(" ")[2]
    (line,) = [line for line in str(refused.value).splitlines() if f"has no column {name}" in line]
    assert name == "'citizen'" or meant in line


def _released_with(folder: Path, seed: int, how: str) -> tuple[dict[str, Rows], dict[str, Rows]]:
    """Tables in each of which a key stands twice, as they were and as they are released: (tag, key, person)."""
    draw = random.Random(seed)
    before: dict[str, Rows] = {"person": [(i, "ffmmx"[i % 5]) for i in range(9)]}
    for name in ("visit", "bill"):
        rows = [(f"{name}{i}", draw.choice([*range(8), None]), draw.randrange(9), draw.choice("aab")) for i in range(9)]
        before[name] = [*rows, (f"{name}9", rows[0][1] or 1, 0, "a"), (f"{name}10", rows[0][1] or 1, 1, "a")]
    held = {"tag": "VARCHAR", "visit_id": "INTEGER", "person_id": "INTEGER", "kind": "VARCHAR"}
    types = {"person": {"person_id": "INTEGER", "sex": "VARCHAR"}, "visit": held, "bill": held}
    source, target = written(before, types, folder, "duckdb")
    about = {"link": "person_id", "facts": {"kind": {}}, "insensitive": ["tag"]}
    config: Json = {
        "source": source,
        "target": target,
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"visit_id": how},
        "tables": {
            "person": {"quasi_identifiers": {"sex": {"builtin": "suppress", "max_level": 0}}},
            "visit": about,
            "bill": about,
        },
        "privacy": {"k": 2, "facts": {"known": 1}},
        "suppression": {"persons": 3},
    }
    kanon_sql.run(config, progress=None)
    assert kanon_sql.check(config, Path(target["database"]))["status"] == "satisfied"
    with duckdb.connect(str(target["database"]), read_only=True) as connection:
        after = {name: connection.execute(f"SELECT tag, visit_id FROM {name}").fetchall() for name in ("visit", "bill")}
    return before, after


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", [3, 4, 6, 8, 11, 13])  # in which a key of one table led to rows that went
def test_a_key_that_every_table_has_twice_leads_to_no_row_that_went(seed: int, tmp_path: Path) -> None:
    """What stays are the values of which each table that had them has a row still, whatever row may be meant."""
    how = "keep" if seed % 2 == 0 else "renumber"
    before, after = _released_with(tmp_path, seed, how)
    keys = {row[0]: row[1] for name in ("visit", "bill") for row in before[name]}
    left = {name: {keys[tag] for tag, _ in rows} for name, rows in after.items()}
    had = {name: {row[1] for row in before[name]} for name in after}
    assert any(
        key in left[n] and key not in left[m] and key in had[m] for key in keys.values() for n in left for m in left
    )
    led = {key for key in set(keys.values()) - {None} if all(key in left[n] or key not in had[n] for n in after)}
    new: dict[Any, Any] = {}
    for tag, key in [row for rows in after.values() for row in rows]:
        assert (key is not None) == (keys[tag] in led)
        assert how != "keep" or key in (None, keys[tag])
        assert new.setdefault(keys[tag], key) == key
    assert len({*new.values()} - {None}) == len({*new} & led)
