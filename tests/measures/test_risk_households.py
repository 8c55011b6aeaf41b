"""The risk of households: every figure against plain loops over the rows of small random tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import pytest
from effort import tries
from hypothesis import given, settings
from hypothesis import strategies as st
from table_files import write_csv

import kanon_sql

Json = dict[str, Any]
Row = tuple[str | None, ...]

VALUES = [None, "a", "b", "A", "02", "2"]
HOUSEHOLDS = [None, "1", "2", "3", "03"]


def expected(
    rows: Sequence[Row], households: Sequence[str | None], risks: Sequence[Fraction], threshold: float
) -> Json:
    """The figures of one kind of risk, from the definitions."""
    members = defaultdict(list)
    for i, household in enumerate(households):
        members[("alone", i) if household is None else household].append(risks[i])
    n = len(rows)

    def figures(of_household: dict[Any, Fraction]) -> Json:
        above = {household: float(risk) > threshold for household, risk in of_household.items()}
        rows_above = sum(len(members[household]) for household in above if above[household])
        return {
            "highest": pytest.approx(float(max(of_household.values()))),
            "average": pytest.approx(
                float(sum(len(members[household]) * risk for household, risk in of_household.items()) / n)
            ),
            "above": {
                "households": sum(above.values()),
                "rows": rows_above,
                "share": pytest.approx(rows_above / n),
            },
        }

    most = {household: max(member_risks) for household, member_risks in members.items()}
    any_found = {
        household: 1 - prod((1 - risk for risk in member_risks), start=Fraction(1))
        for household, member_risks in members.items()
    }
    alone = [household for household in members if most[household] == 1]
    rows_alone = sum(len(members[household]) for household in alone)
    return {
        "count": len(members),
        "largest": max(map(len, members.values())),
        "unique": {"households": len(alone), "rows": rows_alone, "share": pytest.approx(rows_alone / n)},
        "risk": {**figures(most), "any_found": figures(any_found)},
    }


def write(path: Path, names: Sequence[str], rows: Sequence[Row]) -> None:
    write_csv(path, [names, *(["" if value is None else value for value in row] for row in rows)], quote=True)


@st.composite
def random_tables(draw: st.DrawFn) -> tuple[int, list[Row]]:
    """(number of quasi-identifiers, rows with the household last)."""
    width = draw(st.integers(1, 3))
    values = st.sampled_from(VALUES[: draw(st.integers(1, len(VALUES)))])
    row = st.tuples(*(values for _ in range(width)), st.sampled_from(HOUSEHOLDS))
    return width, draw(st.lists(row, min_size=1, max_size=14))


@pytest.mark.slow
@settings(max_examples=tries(50))
@given(
    table=random_tables(),
    others=st.lists(st.tuples(*[st.sampled_from(VALUES)] * 3), max_size=8),
    threshold=st.sampled_from([0.15, 0.23, 0.45, 0.6]),
    with_population=st.booleans(),
)
def test_households_have_the_risk_of_their_most_exposed_member(
    folder: Path, table: tuple[int, list[Row]], others: list[Row], threshold: float, with_population: bool
) -> None:
    width, held = table
    names = [f"c{i}" for i in range(width)]
    write(folder / "t.csv", [*names, "home"], held)
    rows, households = [row[:-1] for row in held], [row[-1] for row in held]
    persons = [*rows, *(row[:width] for row in others)]
    write(folder / "p.csv", names, persons)
    config = {
        "source": str(folder / "t.csv"),
        "target": str(folder / "none.csv"),
        "quasi_identifiers": names,
        "privacy": {"k": 1},
        "group": "home",
    }
    population = folder / "p.csv" if with_population else None
    part = kanon_sql.risk(config, threshold=threshold, subsets=0, population=population)["before"]
    sizes, everyone = Counter(rows), Counter(persons)
    measured = part["households"]
    wanted = expected(rows, households, [Fraction(1, sizes[row]) for row in rows], threshold)
    assert {key: measured[key] for key in ("count", "largest", "unique")} == {
        key: wanted[key] for key in ("count", "largest", "unique")
    }
    assert measured["prosecutor"] == wanted["risk"]
    assert measured["prosecutor"]["average"] >= part["prosecutor"]["average"] - 1e-9
    named = [Fraction(1, everyone[row]) for row in rows]
    assert measured["journalist"] == (expected(rows, households, named, threshold)["risk"] if population else None)


def test_a_column_of_groups_that_is_not_there(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", ["a", "home"], [("x", "1"), ("x", "1"), ("y", "2")])
    config = {"source": str(tmp_path / "t.csv"), "quasi_identifiers": ["a"], "privacy": {"k": 1}}
    measured = kanon_sql.risk({**config, "group": "house"}, subsets=0)
    assert measured["before"]["households"] is None
    assert "has no column 'house': the risk of its groups is not measured" in measured["warnings"][0]
    assert kanon_sql.risk(config, subsets=0)["before"]["households"] is None


def test_a_release_that_has_the_column_of_groups(tmp_path: Path) -> None:
    write(tmp_path / "t.csv", ["a", "home"], [("x", "1"), ("y", "1"), ("y", "2")])
    write(tmp_path / "r.csv", ["a", "home"], [("*", "1"), ("*", "1"), ("*", None)])
    config = {
        "source": str(tmp_path / "t.csv"),
        "target": str(tmp_path / "r.csv"),
        "quasi_identifiers": ["a"],
        "insensitive": ["home"],
        "privacy": {"k": 1},
        "group": "home",
    }
    measured = kanon_sql.risk(config, subsets=0)
    assert [measured[word]["households"]["count"] for word in ("before", "after")] == [2, 2]
    assert measured["before"]["households"]["prosecutor"]["average"] == pytest.approx((1 + 1 + 0.5) / 3)
    assert measured["after"]["households"]["prosecutor"]["average"] == pytest.approx(1 / 3)
    assert measured["after"]["households"]["prosecutor"]["any_found"]["highest"] == pytest.approx(1 - (2 / 3) ** 2)
