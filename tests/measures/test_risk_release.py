"""Risk before and after: releases of every kind, and a population seen through their hierarchies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cases import Case, cases
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import Cell, Hierarchy, participants
from shared_engine import attached, shared
from table_files import write_csv, write_parquet
from tables import configuration, people
from tables import write as write_people

import kanon_sql
from kanon_sql.errors import ConfigurationError, EngineError, NoReleaseError

Json = dict[str, Any]


def persons_under(
    released: Counter[tuple[Cell, ...]], persons: Sequence[tuple[Cell, ...]], hierarchies: Sequence[Hierarchy]
) -> dict[tuple[Cell, ...], int]:
    """How many persons fall under each class: each column at its lowest level that knows all released values."""
    levels = []
    for place, hierarchy in enumerate(hierarchies):
        values = {key[place] for key in released} - {None, "*"}
        here = {person[place] for person in persons}
        labels: list[set[Cell]] = [here]
        for level in range(1, hierarchy.top + 1):
            labels.append({row[level] for row in hierarchy.rows})
        levels.append(next(level for level, labels_of_level in enumerate(labels) if values <= labels_of_level))

    def falls(person: tuple[Cell, ...], key: tuple[Cell, ...]) -> bool:
        return all(
            label == "*" or (hierarchy.generalize(value, level) if level else value) == label
            for value, label, hierarchy, level in zip(person, key, hierarchies, levels, strict=True)
        )

    return {key: sum(falls(person, key) for person in persons) for key in released}


@pytest.mark.slow
@settings(max_examples=tries(50))
@given(case=cases(), masks=st.booleans(), data=st.data())
def test_after_is_measured_on_the_release(folder: Path, case: Case, masks: bool, data: st.DataObject) -> None:
    columns, hierarchies = case.problem.columns, list(case.problem.hierarchies.values())
    config = case.config(folder, release={"suppressed": "mask" if masks else "drop"})
    try:
        kanon_sql.run(config)
    except NoReleaseError:
        case.target(folder).unlink(missing_ok=True)
        return
    leaves = [st.sampled_from([None, *(row[0] for row in hierarchy.rows)]) for hierarchy in hierarchies]
    more = data.draw(st.lists(st.tuples(*leaves), max_size=10))
    persons = [*(tuple(row[c] for c in columns) for row in case.problem.rows), *more]
    write_csv(folder / "register.csv", [columns, *persons], quote=True)
    released = Counter(tuple(row[c] for c in columns) for row in case.released(folder))
    n = sum(released.values())
    plain = kanon_sql.risk(config)["after"]
    assert plain["rows"]["measured"] == n
    assert (plain["classes"]["count"], plain["classes"]["min"]) == (len(released), min(released.values()))
    assert plain["prosecutor"]["highest"] <= 1 / case.problem.k
    persons_of_class = persons_under(released, persons, hierarchies)
    if any(persons_of_class[key] < size for key, size in released.items()):
        return  # a label that is a value as well: see the test of labels that are read in two ways
    after = kanon_sql.risk(config, population=folder / "register.csv")["after"]
    assert after["journalist"]["highest"] == pytest.approx(1 / min(persons_of_class.values()))
    expected = sum((Fraction(size, persons_of_class[key]) for key, size in released.items()), Fraction())
    assert after["marketer"]["rows"] == pytest.approx(float(expected))
    before = kanon_sql.risk(config, population=folder / "register.csv")["before"]
    kept = participants(case.problem.rows, columns, case.problem.missing)
    assert before["rows"]["measured"] == len(kept)
    everyone = Counter(persons)
    risks = [Fraction(1, everyone[tuple(row[c] for c in columns)]) for row in kept]
    assert before["journalist"]["average"] == pytest.approx(float(sum(risks, Fraction()) / len(kept)))


def write_register(path: Path, persons: Sequence[tuple[str, int, str, str, float]]) -> None:
    write_csv(path, [["sex", "age", "zip"], *([sex, str(age), code] for sex, age, code, *_ in persons)])


def rows_of(path: str) -> list[tuple[Any, ...]]:
    with shared() as connection:
        return connection.execute(f"SELECT sex, age, zip FROM '{path}'").fetchall()


@pytest.fixture
def released(tmp_path: Path) -> Json:
    """A configuration over 300 persons, of whom a register knows 700 more."""
    write_people(tmp_path / "people.csv")
    write_register(tmp_path / "register.csv", [*people(), *people(700, 2)])
    return configuration(str(tmp_path / "people.csv"), str(tmp_path / "out.csv"))


def labels_match(row: tuple[Any, ...], person: tuple[Any, ...]) -> bool:
    (sex, age, zipcode), (own_sex, own_age, own_zip) = row, person
    low, _, high = age.partition("-")
    return (
        sex in ("*", own_sex)
        and (age == "*" or int(low) <= own_age <= int(high or low))
        and (zipcode == "*" or all(c in ("*", own) for c, own in zip(zipcode, own_zip, strict=True)))
    )


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "local", "mondrian"])
@pytest.mark.parametrize("target", ["out.csv", "out.parquet", "table"])
def test_generalized_values_stand_for_all_below(released: Json, tmp_path: Path, algorithm: str, target: str) -> None:
    place: Any = str(tmp_path / target)
    if target == "table":
        place = {"database": str(tmp_path / "out.duckdb"), "table": "released"}
    config = {**released, "target": place, "algorithm": algorithm}
    kanon_sql.run(config)
    data = kanon_sql.risk(config, population=tmp_path / "register.csv")
    if target == "table":
        with attached(tmp_path / "out.duckdb") as connection:
            rows = connection.execute("SELECT sex, age, zip FROM released").fetchall()
    else:
        rows = rows_of(place)
    persons = [row[:3] for row in [*people(), *people(700, 2)]]
    classes = Counter(rows)
    falling = {key: sum(labels_match(key, person) for person in persons) for key in classes}
    after = data["after"]
    assert after["rows"]["measured"] == len(rows)
    assert after["journalist"]["highest"] == pytest.approx(1 / min(falling.values()))
    assert after["journalist"]["average"] == pytest.approx(sum(1 / falling[row] for row in rows) / len(rows))
    assert after["marketer"]["rows"] == pytest.approx(sum(size / falling[key] for key, size in classes.items()))
    assert [size_range["from"] for size_range in data["before"]["sizes"]] == [
        size_range["from"] for size_range in after["sizes"]
    ]
    assert data["before"]["prosecutor"]["highest"] == 1 and after["prosecutor"]["highest"] <= 0.2


@pytest.mark.slow
def test_ranges_without_hierarchy_are_not_matched(released: Json, tmp_path: Path) -> None:
    more = {"quasi_identifiers": ["age", "zip"], "algorithm": "mondrian", "unlisted": "drop"}
    config = {**released, **more, "release": {"ranges": "columns"}, "sensitive": [], "insensitive": []}
    kanon_sql.run(config, overrides=[("quasi_identifiers", {"age": {"type": "number"}, "zip": {"type": "text"}})])
    data = kanon_sql.risk(config, population=tmp_path / "register.csv")
    assert data["before"]["journalist"]["highest"] == 1
    assert (data["after"]["journalist"], data["after"]["marketer"]) == (None, None)
    assert data["after"]["quasi_identifiers"] == ["age_lower", "age_upper", "zip"]
    assert "'age', 'zip' without hierarchy" in data["warnings"][0]


@pytest.mark.slow
def test_masked_rows_are_one_class_that_everybody_falls_under(released: Json, tmp_path: Path) -> None:
    fixed = {"sex": 0, "age": 1, "zip": 1}
    levels = [(f"quasi_identifiers.{c}.{end}_level", level) for c, level in fixed.items() for end in ("min", "max")]
    config = {**released, "release": {"suppressed": "mask"}, "privacy": {"k": 12}, "suppression": {"limit": "100%"}}
    masked = kanon_sql.run(config, overrides=levels).report["rows"]["masked"]
    assert 12 <= masked < 288
    after = kanon_sql.risk(config, population=tmp_path / "register.csv")["after"]
    assert after["rows"]["measured"] == 300
    rows = rows_of(str(config["target"]))
    persons = [row[:3] for row in [*people(), *people(700, 2)]]
    assert Counter(rows)["*", "*", "*"] == masked
    expected = sum(1 / sum(labels_match(row, person) for person in persons) for row in rows)
    assert after["marketer"]["rows"] == pytest.approx(expected)


@pytest.mark.slow
def test_a_release_is_read_as_it_was_written(released: Json, tmp_path: Path) -> None:
    csv = {"delimiter": ";", "header": False, "quote": "'"}
    config = {**released, "target": {"path": str(tmp_path / "out.txt"), "format": "csv", "csv": csv}}
    kanon_sql.run(config)
    data = kanon_sql.risk(config, all_columns=True)
    assert data["after"]["subsets"]["columns"] == ["sex", "age", "zip", "diagnosis", "cost"]
    assert data["after"]["classes"]["min"] >= 5


@pytest.mark.slow
def test_there_is_no_release(released: Json, tmp_path: Path) -> None:
    assert kanon_sql.risk(released)["after"] is None
    assert kanon_sql.risk(released, overrides=[("target", "in-place")])["after"] is None
    with attached(tmp_path / "other.duckdb") as connection:
        connection.execute("CREATE TABLE other (x INTEGER)")
    for database in ("other.duckdb", "none.duckdb"):
        target = {"database": str(tmp_path / database), "table": "released"}
        assert kanon_sql.risk({**released, "target": target})["after"] is None
    (tmp_path / "out.csv").write_text("age,zip\n20-24,021**\n")
    with pytest.raises(ConfigurationError, match=r"there is no column 'sex' in .*expected a release"):
        kanon_sql.risk(released)


@pytest.mark.slow
def test_a_release_alone_is_matched_by_the_hierarchies_too(released: Json, tmp_path: Path) -> None:
    kanon_sql.run(released)
    after = kanon_sql.risk(released, population=tmp_path / "register.csv")["after"]
    alone = {**released, "source": released["target"], "target": None}
    before = kanon_sql.risk(alone, population=tmp_path / "register.csv")["before"]
    for key in ("classes", "prosecutor", "journalist", "marketer", "unique"):
        assert before[key] == after[key]


def test_a_population_beyond_the_hierarchy(tmp_path: Path) -> None:
    write_csv(tmp_path / "h.csv", [["x", "letter"], ["y", "letter"], ["1", "digit"]])
    write_csv(tmp_path / "t.csv", [["a"], ["x"], ["y"], ["1"], ["1"]])
    config = {
        "source": str(tmp_path / "t.csv"),
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {"a": {"hierarchy": str(tmp_path / "h.csv"), "min_level": 1, "max_level": 1}},
        "privacy": {"k": 2},
    }
    kanon_sql.run(config)
    write_csv(tmp_path / "p.csv", [["a"], *[["x"]] * 3, ["y"], *[["1"]] * 2, *[["z"]] * 4])
    data = kanon_sql.risk(config, population=tmp_path / "p.csv")
    assert data["after"]["journalist"]["highest"] == 1 / 2
    assert data["after"]["marketer"]["rows"] == 2 / 4 + 2 / 2
    assert data["warnings"] == [
        "4 rows of the population hold values of 'a' that its hierarchy does not cover; of released values they fall "
        "under * and their own text alone"
    ]


def test_missing_values_match_whatever_the_release_writes_for_them(tmp_path: Path) -> None:
    rows: list[list[Cell]] = [["x", "1"], [None, "1"], [None, None], [None, None]]
    write_parquet(tmp_path / "t.parquet", ["a", "b"], rows)
    write_csv(tmp_path / "p.csv", [["b", "a"], *(row[::-1] for row in rows)])
    suppress = {"builtin": "suppress", "max_level": 0}
    config = {
        "source": str(tmp_path / "t.parquet"),
        "target": str(tmp_path / "out.csv"),
        "quasi_identifiers": {"a": suppress, "b": suppress},
        "privacy": {"k": 1},
    }
    kanon_sql.run(config)
    data = kanon_sql.risk(config, population=tmp_path / "p.csv")
    assert data["before"]["marketer"]["rows"] == data["after"]["marketer"]["rows"] == 3


@pytest.mark.parametrize(
    ("values", "persons"),
    [
        (["g"], {"g": 1}),  # a value, and the label above it and h: the lowest level that all values have
        (["g", "m", "x", "y"], {"g": 2, "m": 4, "x": 1, "y": 2}),  # no level has all: the highest of each
        (["g", "*"], {"g": 1, "*": 9}),
    ],
)
def test_labels_that_can_be_read_in_two_ways(tmp_path: Path, values: list[str], persons: dict[str, int]) -> None:
    write_csv(tmp_path / "h.csv", [["g", "g"], ["h", "g"], ["x", "y"], ["z", "y"], ["m", "m"], ["n", "m"]])
    write_csv(tmp_path / "t.csv", [["a"], *([value] for value in values)])
    write_csv(tmp_path / "p.csv", [["a"], *([value] for value in "zxnnnmhg*")])
    config = {
        "source": str(tmp_path / "t.csv"),
        "quasi_identifiers": {"a": {"hierarchy": str(tmp_path / "h.csv")}},
        "privacy": {"k": 1},
    }
    part = kanon_sql.risk(config, population=tmp_path / "p.csv")["before"]
    assert part["journalist"]["highest"] == 1 / min(persons.values())
    assert part["marketer"]["rows"] == pytest.approx(sum(1 / matching for matching in persons.values()))


@pytest.mark.slow
def test_both_tables_are_held_against_the_population(released: Json, tmp_path: Path) -> None:
    kanon_sql.run(released)
    write_register(tmp_path / "few.csv", people()[:50])
    with pytest.raises(EngineError) as raised:
        kanon_sql.risk(released, population=tmp_path / "few.csv")
    assert len(raised.value.problems) == 2 and raised.value.exit_status == 3
