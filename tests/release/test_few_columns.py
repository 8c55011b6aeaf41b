"""Releases of which an attacker knows few columns, and of households: counted again, checked, compiled, told."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_engine import attached, insert, shared
from sqlglot import exp

import kanon_sql
from kanon_sql.commands.projects.checks import Check, checks_of
from kanon_sql.config.load import from_mapping
from kanon_sql.errors import ConfigurationError
from kanon_sql.recount.counting import GroupCounts
from kanon_sql.recount.statement import Table
from kanon_sql.release.verify import Groups
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import column

QUASI = {"a": {"builtin": "suppress"}, "b": {"builtin": "prefix", "keep": [1]}, "c": {"builtin": "suppress"}}
_ROWS = st.lists(st.tuples(st.sampled_from([None, "g", "h", "i"]), st.booleans()), max_size=8)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    draw = random.Random(5)
    rows = [
        (draw.choice("xyz"), f"{draw.choice('12')}{draw.choice('123')}", draw.choice("uvw"), f"h{i // 3}")
        for i in range(90)
    ]
    rows += [("q", "99", "u", "h1"), ("x", "99", "u", "")]
    path = tmp_path / "people.csv"
    path.write_text("a,b,c,house\n" + "".join(",".join(row) + "\n" for row in rows))
    return path


def config(people: Path, **more: Any) -> dict[str, Any]:
    models = {"quasi_identifiers": QUASI, "privacy": {"k": 4, "known_columns": 2}, "suppression": {"limit": "40%"}}
    target = {"path": str(people.parent / "out.csv"), "overwrite": True}
    return {"source": str(people), "target": target, "unlisted": "drop", "algorithm": "optimal", **models, **more}


def written(folder: Path) -> list[tuple[Any, ...]]:
    with shared() as connection:
        return connection.execute("FROM read_csv(?, all_varchar = true)", [str(folder / "out.csv")]).fetchall()


def smallest(rows: list[tuple[Any, ...]], known: int) -> int:
    return min(
        min(Counter(tuple(row[i] for i in places) for row in rows).values()) for places in combinations(range(3), known)
    )


@pytest.mark.slow
@pytest.mark.parametrize("suppressed", ["drop", "mask"])
@pytest.mark.parametrize("known", [1, 2, 3, 4])
def test_a_release_holds_k_in_few_columns(people: Path, known: int, suppressed: str) -> None:
    job = config(people, privacy={"k": 4, "known_columns": known}, release={"suppressed": suppressed})
    report = kanon_sql.run(job).report
    rows = written(people.parent)
    counted = min(known, 3)
    assert report["privacy"]["known_columns"] == {"required": known, "actual": known}
    assert report["privacy"]["k"]["actual"] == smallest(rows, counted) >= 4
    starred = Counter(rows)[("*", "*", "*")] if report["rows"]["masked"] else 0
    assert report["classes"]["count"] == len(set(rows)) - (starred > 0)
    measured = kanon_sql.check(job, people.parent / "out.csv")
    assert (measured["status"], measured["privacy"]) == ("satisfied", report["privacy"])


@pytest.mark.slow
def test_groups_are_released_together(people: Path) -> None:
    report = kanon_sql.run(config(people, group="house", insensitive=["house"])).report
    released = Counter(row[3] for row in written(people.parent))
    there = Counter([*(f"h{i // 3}" for i in range(90)), "h1", None])
    assert 0 < len(released) < len(there)
    assert all(released[house] == there[house] for house in released)
    assert report["rows"]["groups"] == {"taking_part": len(there), "released": len(released), "split": 0}


@given(_ROWS)
def test_groups_that_are_split_are_counted(rows: list[tuple[str | None, bool]]) -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE there (v VARCHAR, g VARCHAR, kept BOOLEAN)")
    if rows:
        insert(connection, "there", [("v", *row) for row in rows])
    every, kept = exp.to_table("there"), exp.select("v", "g").from_("there").where("kept")
    released = Table(kept, [column("v")], entity=column("g"))
    groups = Groups(Table(every, (), entity=column("g")), released, released)
    group_counts, problems = groups.count(Engine(connection), Table(kept, [column("v")]))

    houses: dict[Any, list[bool]] = defaultdict(list)
    for number, (house, stays) in enumerate(rows):
        houses[number if house is None else house].append(stays)
    split = sum(any(stays_of_house) and not all(stays_of_house) for stays_of_house in houses.values())
    assert group_counts == GroupCounts(len(houses), sum(map(any, houses.values())), split)
    assert problems == ([f"{split} groups are released in part"] if split else [])
    assert groups.count(Engine(connection), Table(every, [column("v")]))[1][len(problems) :] == (
        [] if all(stays for _, stays in rows) else ["1 equivalence classes are not those of the source"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, "40%"])
def test_what_is_compiled_is_what_a_run_releases(people: Path, limit: Any) -> None:
    job = config(people, suppression={"limit": limit})
    kanon_sql.run(job)
    statement = kanon_sql.compile(job, source_table="people")
    check = kanon_sql.compile(job, source_table="people", check=True)
    stored = kanon_sql.compile(job, source_table="people", check=True, release_table="made")
    with attached() as connection:
        connection.execute("CREATE TABLE people AS FROM read_csv(?, all_varchar = true)", [str(people)])
        rows = connection.execute(statement).fetchall()
        assert Counter(rows) == Counter(written(people.parent))
        assert connection.execute(check).fetchall() == []
        connection.execute(f"CREATE TABLE made AS {statement.rstrip(';')}")
        assert connection.execute(stored).fetchall() == []
        connection.execute("INSERT INTO made VALUES ('x', 'never', 'u'), ('x', 'never', 'u')")
        assert set(connection.execute(stored).fetchall()) == {("k", 2, 2.0)}
    with pytest.raises(ConfigurationError, match="would have to name every group"):
        kanon_sql.compile({**job, "group": "house"}, source_table="people")


def test_each_set_of_columns_is_a_check_of_its_own() -> None:
    names = [f"q{i}" for i in range(16)]
    for columns, known, expected in ((names[:4], 2, 6), (names[:3], 5, 1), (names, 2, 0)):
        checks, unsaid = _checks(columns, known)
        column_sets = [check.arguments["quasi_identifiers"] for check in checks if check.name == "k_anonymous"]
        assert (
            column_sets
            == [list(column_set) for column_set in combinations(columns, min(known, len(columns)))][:expected]
        )
        assert len(column_sets) == expected
        assert [line for line in unsaid if "120 sets of 2 columns" in line] == unsaid[: not expected]


def _checks(columns: list[str], known: int) -> tuple[list[Check], list[str]]:
    from types import SimpleNamespace

    loaded = from_mapping(
        {
            "source": "t.csv",
            "quasi_identifiers": {name: {"builtin": "suppress"} for name in columns},
            "privacy": {"k": 3, "known_columns": known},
            "release": {"suppressed": "mask"},
        }
    )
    released = [SimpleNamespace(name=name, is_quasi_identifier=True) for name in columns]
    compiled: Any = SimpleNamespace(body=SimpleNamespace(released=released), source=SimpleNamespace(missing=()))
    return checks_of(loaded, compiled, "t")


@pytest.mark.slow
def test_the_page_says_what_few_columns_tell(people: Path) -> None:
    page = people.parent / "page.html"
    kanon_sql.run(config(people, group="house", report={"html": str(page), "for": "hipaa-expert"}))
    text = page.read_text()
    assert "By any 2 columns of a, b and c every row looks like at least" in text
    assert "whoever knows any 2 quasi-identifiers of a person" in text
    assert "the rows of a group are released or suppressed together" in text
