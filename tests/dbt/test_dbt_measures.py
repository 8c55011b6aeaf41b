"""What the tests of the dbt package count, compared with the definitions; and what incremental models get."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from class_measures import (
    MISSING,
    Bad,
    Cell,
    N,
    Row,
    S,
    T,
    equal_distance,
    farther,
    no_text,
    number,
    ordered_distance,
    rows_of,
    violates,
)
from dbt_projects import dbt, project, real_dbt

QUASI = ["a b", 'q"x', "ref('z')"]
ABOUT_S: dict[str, Any] = {"sensitive": "s", "missing": MISSING}
ORDERED: dict[str, Any] = {"distance": "ordered", "reference": "ref('everyone')"}
# (test, arguments, whether a class violates, which rows of everyone count)
ASKED: list[tuple[str, dict[str, Any], Bad, Callable[[Row], bool]]] = [
    ("k_anonymous", {"k": 12}, lambda rows, _: len(rows) < 12, bool),
    ("l_diverse", {**ABOUT_S, "l": 5}, violates("l_diversity", {"l": 5}), bool),
    (
        "l_diverse",
        {**ABOUT_S, "l": 3.6, "variant": "entropy"},
        violates("l_diversity", {"l": 3.6, "variant": "entropy"}),
        bool,
    ),
    *[
        (
            "l_diverse",
            {**ABOUT_S, "l": at_least, "variant": "recursive", "c": c},
            violates("l_diversity", {"l": at_least, "variant": "recursive", "c": c}),
            bool,
        )
        for at_least, c in ((2, 0.5), (3, "1.25"), (3, 1), (4, 3))
    ],
    ("t_close", {**ABOUT_S, "t": 0.2}, violates("t_closeness", {"t": 0.2}), bool),
    (
        "t_close",
        {**ABOUT_S, "t": 0.3, "reference": "ref('everyone')", "complete": ["n", "s"]},
        lambda rows, everything: (
            equal_distance([no_text(row[S]) for row in rows], [no_text(row[S]) for row in everything]) > Fraction("0.3")
        ),
        lambda row: row[N] is not None and no_text(row[S]) is not None,
    ),
    ("t_close", {**ABOUT_S, **ORDERED, "t": 0.1, "order": "number"}, farther("0.1", S, number), bool),
    (
        "t_close",
        {"sensitive": "n", **ORDERED, "t": 0.12},
        farther("0.12", N, lambda value: value, texts=False),
        bool,
    ),
    (
        "t_close",
        {"sensitive": "w", **ORDERED, "t": "0.11", "order": "text", "complete": ["n"]},
        farther("0.11", T, lambda value: value.encode(), texts=False),
        lambda row: row[N] is not None,
    ),
]


@real_dbt
def test_each_test_returns_the_classes_that_violate(tmp_path: Path) -> None:
    dbt_project = project(tmp_path / "project")
    tables = {f"table_{seed}": rows_of(seed) for seed in range(3)}
    everyone = [row for rows in tables.values() for row in rows] + rows_of(9, 40)
    tests: dict[str, list[Any]] = {}
    with duckdb.connect(str(dbt_project / "hospital.duckdb")) as connection:
        for name, rows in {**tables, "everyone": everyone}.items():
            names = [*QUASI, "s", "n", "w"]
            columns = ", ".join(
                '"' + column.replace('"', '""') + ('" INTEGER' if column == "n" else '" VARCHAR') for column in names
            )
            connection.execute(f"CREATE TABLE raw_{name} ({columns})")
            connection.executemany(f"INSERT INTO raw_{name} VALUES (?, ?, ?, ?, ?, ?)", [list(row) for row in rows])
            (dbt_project / "models" / f"{name}.sql").write_text(f"select * from main.raw_{name}")
            tests[name] = [
                {f"kanon_sql.{test}": {"name": f"{name}_asked_{i}", "arguments": {"quasi_identifiers": KEYS, **more}}}
                for i, (test, more, _, _) in enumerate(ASKED)
                if name in tables
            ]
    models = [{"name": name, "data_tests": data_tests} for name, data_tests in tests.items()]
    (dbt_project / "models" / "schema.yml").write_text(yaml.safe_dump({"version": 2, "models": models}))
    dbt(dbt_project, "deps")
    dbt(dbt_project, "run")
    dbt(dbt_project, "compile")
    failed = Counter[int]()
    with duckdb.connect(str(dbt_project / "hospital.duckdb")) as connection:
        for name, rows in tables.items():
            classes: dict[tuple[Cell, ...], list[Row]] = {}
            for row in rows:
                classes.setdefault(row[:3], []).append(row)
            for i, (test, arguments, bad, counts) in enumerate(ASKED):
                text = next((dbt_project / "target" / "compiled").rglob(f"{name}_asked_{i}.sql")).read_text()
                sizes_of = Counter(int(row[0]) for row in connection.execute(text).fetchall())
                compared = everyone if "reference" in arguments else rows
                compared = [row for row in compared if counts(row)]
                expected = [len(members) for members in classes.values() if bad(members, compared)]
                assert sizes_of == Counter(expected), (test, arguments)
                failed[i] += len(expected)
    # Every test fails for some classes and not for all.
    assert all(0 < failed[i] < 3 * len(classes) for i in range(len(ASKED))), failed


# A name that dbt would take for a call is given as text of Jinja; the model writer does so too.
KEYS = ["a b", 'q"x', "{{ 'ref' }}('z')"]


def test_the_distance_of_the_reference_is_that_of_the_paper() -> None:
    """Li, Li and Venkatasubramanian, section 5.1: salaries 3k to 11k, classes {3k, 4k, 5k} and {6k, 8k, 11k}."""
    salaries = list(range(3, 12))
    assert float(ordered_distance([3, 4, 5], salaries, number_of)) == 0.375
    assert float(ordered_distance([6, 8, 11], salaries, number_of)) == pytest.approx(0.1667, abs=1e-4)


def number_of(value: int) -> int:
    return value


@real_dbt
def test_incremental_models_are_refused(tmp_path: Path) -> None:
    dbt_project = project(tmp_path / "project")
    models = dbt_project / "models"
    (models / "raw.sql").write_text("select 1 as a, 's' as s from range(5)")
    written = "{{ config(materialized='%s') }}\n{{ kanon_sql.refuse_incremental() }}\nselect * from {{ ref('raw') }}"
    (models / "release.sql").write_text(written % "incremental")
    (models / "more.sql").write_text("{{ config(materialized='incremental') }}\nselect * from {{ ref('raw') }}")
    tests = [{"kanon_sql.k_anonymous": {"arguments": {"quasi_identifiers": ["a"], "k": 2}}}]
    schema = {"version": 2, "models": [{"name": "more", "data_tests": tests}]}
    (models / "schema.yml").write_text(yaml.safe_dump(schema))
    dbt(dbt_project, "deps")
    said = " ".join(dbt(dbt_project, "build", status=1, quiet=False).split())
    assert "kanon_sql: release is materialized as incremental; a release is anonymous as a whole" in said
    # Of a table that may be no release, a test warns and counts.
    assert "kanon_sql: more is incremental, and only its state of now is tested" in said
    assert "PASS kanon_sql_k_anonymous_more" in said
    with duckdb.connect(str(dbt_project / "hospital.duckdb")) as connection:
        assert connection.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("more",)]
    (models / "release.sql").write_text(written % "table")
    dbt(dbt_project, "build")
