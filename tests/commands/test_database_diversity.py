"""l-diversity and t-closeness of values that persons hold in other tables, counted in plain Python in what was released."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner
from effort import tries
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from small_databases import written

import kanon_sql
from kanon_sql.cli.main import cli
from kanon_sql.errors import ConfigurationError, NoReleaseError, VerificationError

Json = dict[str, Any]
Rows = list[tuple[Any, ...]]
Values = Mapping[str, set[str | None]]
TYPES = {
    "person": {"person_id": "INTEGER", "sex": "VARCHAR", "ward": "VARCHAR"},
    "visit": {"visit_id": "INTEGER", "person_id": "INTEGER", "kind": "VARCHAR"},
    "diagnosis": {"visit_id": "INTEGER", "code": "VARCHAR"},
}


@st.composite
def databases(draw: st.DrawFn) -> dict[str, Rows]:
    """Persons with visits, and diagnoses of these: several, repeated ones, missing ones, none, and of no visit."""
    persons = [
        (i, draw(st.sampled_from("fm")), draw(st.sampled_from(["aa", "ab", "ba", None])))
        for i in range(draw(st.integers(2, 14)))
    ]
    visits = [
        (v, draw(st.sampled_from(persons))[0], draw(st.sampled_from("pq"))) for v in range(draw(st.integers(1, 20)))
    ]
    numbers = st.integers(0, len(visits))
    codes = st.sampled_from(["x", "y", "z", None])
    return {
        "person": persons,
        "visit": visits,
        "diagnosis": [(draw(numbers), draw(codes)) for _ in range(draw(st.integers(0, 24)))],
    }


def configuration(database: dict[str, Rows], folder: Path, kind: str, privacy: Json, **more: Any) -> Json:
    """Writes the tables; gives a configuration of them."""
    source, target = written(database, TYPES, folder, kind)
    return {
        "source": source,
        "target": target,
        "unit": {"table": "person", "key": "person_id"},
        "keys": {"visit_id": "renumber"},
        "tables": {
            "person": {
                "quasi_identifiers": {"sex": {"builtin": "suppress"}, "ward": {"builtin": "prefix", "keep": [1]}}
            },
            "visit": {"link": "person_id", "insensitive": ["kind"]},
            "diagnosis": {"link": {"visit_id": "visit"}, "sensitive": ["code"]},
        },
        "privacy": privacy,
        "suppression": {"persons": 3},
        **more,
    }


def values_of(tables: Mapping[str, Iterable[tuple[Any, ...]]]) -> dict[Any, set[str | None]]:
    """The values of each person, None where one is missing or she has no diagnosis."""
    owners = {visit: person for visit, person, _ in tables["visit"]}
    held: dict[Any, set[str | None]] = defaultdict(set)
    for visit, code in tables["diagnosis"]:
        if visit in owners:
            held[owners[visit]].add(code)
    return {person: held.get(person) or {None} for person, *_ in tables["person"]}


def pairs(persons: Iterable[Any], values: Mapping[Any, set[str | None]]) -> Counter[str | None]:
    return Counter(value for person in persons for value in values[person])


def measure(model: str, entry: Json, counted: Counter[str | None], everybody: Counter[str | None]) -> float:
    """What the pairs of one class reach of a model, by its definition."""
    there = [count for value, count in counted.items() if value is not None]
    if model == "t_closeness":
        n, of_all = sum(counted.values()), sum(everybody.values())
        shares = (Fraction(counted[value], n) - Fraction(everybody[value], of_all) for value in counted | everybody)
        return float(sum(map(abs, shares)) / 2)
    if entry.get("variant") == "entropy":
        return math.exp(-sum(c / sum(there) * math.log(c / sum(there)) for c in there)) if there else 0
    return len(there)


def holds(model: str, entry: Json, counted: Counter[str | None], everybody: Counter[str | None]) -> bool:
    reached = measure(model, entry, counted, everybody)
    return reached <= entry["t"] + 1e-9 if model == "t_closeness" else reached >= entry["l"] * (1 - 1e-9)


def node_classes(persons: Rows, sex_level: int, ward_level: int) -> list[list[Any]]:
    """The classes of persons at a node of the lattice."""
    classes: dict[Any, list[Any]] = defaultdict(list)
    for person, sex, ward in persons:
        place = "*" if ward_level == 2 else None if ward is None else ward[: 2 - ward_level]
        classes[sex if sex_level == 0 else "*", place].append(person)
    return list(classes.values())


def read(folder: Path, kind: str) -> dict[str, list[tuple[Any, ...]]]:
    """The tables that were released, every value as text, what is missing as None."""
    tables = {}
    with duckdb.connect() as connection:
        if kind == "duckdb":
            connection.execute(f"ATTACH '{folder / 'out.duckdb'}' AS released (READ_ONLY)")
        for name, types in TYPES.items():
            place = f"released.{name}" if kind == "duckdb" else f"'{folder / 'out' / name}.{kind}'"
            heads = ", ".join(f"nullif(CAST({column} AS VARCHAR), '') AS {column}" for column in types)
            tables[name] = connection.execute(f"SELECT {heads} FROM {place}").fetchall()
    return tables


MODELS: list[tuple[str, Json]] = [
    ("l_diversity", {"column": "diagnosis.code", "l": 2}),
    ("l_diversity", {"column": "diagnosis.code", "l": 3}),
    ("l_diversity", {"column": "diagnosis.code", "l": 1.7, "variant": "entropy"}),
    ("t_closeness", {"column": "diagnosis.code", "t": 0.25}),
    ("t_closeness", {"column": "diagnosis.code", "t": 0.5}),
]


@settings(phases=[Phase.generate], max_examples=tries(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    databases(),
    st.sampled_from(["parquet", "csv", "duckdb"]),
    st.integers(1, 3),
    st.sampled_from(MODELS),
    st.sampled_from(["optimal", "samarati", "mondrian", "local"]),
)
def test_every_class_of_persons_holds_the_model(
    tmp_path_factory: pytest.TempPathFactory,
    database: dict[str, Rows],
    kind: str,
    k: int,
    asked: tuple[str, Json],
    algorithm: str,
) -> None:
    """And there is no release only where no node of the lattice has few enough persons in classes that do not."""
    folder = tmp_path_factory.mktemp("diversity")
    model, entry = asked
    config = configuration(database, folder, kind, {"k": k, model: entry}, algorithm=algorithm)
    in_source = values_of(database)
    everybody = pairs(in_source, in_source)
    suppressed = {
        node: sum(
            len(members)
            for members in node_classes(database["person"], *node)
            if len(members) < k or not holds(model, entry, pairs(members, in_source), everybody)
        )
        for node in product(range(2), range(3))
    }
    allowed = [node for node, count in suppressed.items() if count <= min(3, len(in_source) - 1)]
    try:
        report = kanon_sql.run(config, progress=None).report
    except NoReleaseError:
        # k persons must be left of all, whatever the classes.
        left = [node for node in allowed if len(in_source) - suppressed[node] >= k]
        assert not left or algorithm in ("mondrian", "local")
        return
    released = read(folder, kind)
    values = values_of(released)
    classes: dict[Any, list[Any]] = defaultdict(list)
    for person, *of_person in released["person"]:
        classes[tuple(of_person)].append(person)
    assert all(len(members) >= k for members in classes.values())
    reached = [measure(model, entry, pairs(members, values), everybody) for members in classes.values()]
    assert all(holds(model, entry, pairs(members, values), everybody) for members in classes.values())
    actual = max(reached) if model == "t_closeness" else min(reached)
    assert report["privacy"][model]["actual"] == pytest.approx(actual)
    assert report["privacy"][model]["column"] == "diagnosis.code"
    if algorithm == "optimal":
        node = (report["solution"]["levels"]["sex"], report["solution"]["levels"]["ward"])
        assert report["persons"]["suppressed"] == suppressed[node] <= 3
    checked = kanon_sql.check(config, folder / ("out.duckdb" if kind == "duckdb" else "out"), progress=None)
    own = pairs(values, values)
    assert (checked["status"] == "satisfied") == all(
        holds(model, entry, pairs(members, values), own) for members in classes.values()
    )
