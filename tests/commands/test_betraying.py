"""Released columns that tell a quasi-identifier more exactly than it is released are warned of."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from shared_engine import shared

import kanon_sql

ALGORITHMS = ["optimal", "mondrian", "local"]


def config(folder: Path, select: str, rows: int = 2_000, **more: Any) -> dict[str, Any]:
    """Persons of an age and a sex, and the other columns that `select` makes of i and age."""
    path = folder / "people.parquet"
    with shared() as connection:
        connection.execute(
            f"COPY (SELECT *, {select} FROM (SELECT i, CAST(20 + hash(i) % 40 AS INTEGER) AS age, "
            f"CASE WHEN hash(i + 9) % 20 = 0 THEN 'f' ELSE 'm' END AS sex FROM range({rows}) AS r(i))) TO '{path}'"
        )
    return {
        "source": str(path),
        "target": {"path": str(folder / "out.parquet"), "overwrite": True},
        "identifiers": ["i"],
        "quasi_identifiers": {
            "age": {"builtin": "intervals", "widths": [5, 10, 20], "min_level": 2, "max_level": 2},
            "sex": {"builtin": "suppress"},
        },
        "unlisted": "insensitive",
        "privacy": {"k": 60},
        **more,
    }


def warned(configured: dict[str, Any]) -> list[str]:
    return [text for text in kanon_sql.run(configured).warnings if "more exactly" in text]


@pytest.mark.few(1)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("role", ["sensitive", "insensitive"])
def test_a_copy_of_a_quasi_identifier(tmp_path: Path, algorithm: str, role: str) -> None:
    configured = config(tmp_path, "age AS age_copy, hash(i + 1) % 5 AS other", algorithm=algorithm)
    if algorithm != "optimal":
        configured["quasi_identifiers"]["age"] = {}
    configured[role] = ["age_copy"]
    (said,) = warned(configured)
    assert said.startswith(f"{role} column 'age_copy' tells more exactly than it is released: 'age' in 100% of 2,000 ")


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_columns_that_have_nothing_to_do_with_it(tmp_path: Path, algorithm: str) -> None:
    """Small groups, skewed ones (19 of 20 persons are m), and values of their own."""
    others = "hash(i + 1) % 900 AS many, hash(i + 2) % 3 AS few, hash(i + 3) % 12 AS some, i % 700 AS three, 'x' AS one"
    loose: dict[str, Any] = {"privacy": {"k": 10}, "suppression": {"limit": "60%"}}
    for rows in (40, 300, 2_000):
        assert warned(config(tmp_path, others, rows, algorithm=algorithm, **loose)) == []


def test_two_columns_together(tmp_path: Path) -> None:
    (said,) = warned(config(tmp_path, "age // 7 AS sevenths, age % 7 AS rest, hash(i + 1) % 5 AS other"))
    assert said.startswith("columns 'rest' and 'sevenths' together tell") or said.startswith(
        "columns 'sevenths' and 'rest' together tell"
    )
    assert "'age' in 100% of 2,000 rows" in said


@pytest.mark.slow
def test_the_figures(tmp_path: Path) -> None:
    """Six in ten persons have their age, the others a number that says nothing: counted here once more."""
    configured = config(tmp_path, "CASE WHEN i % 10 < 6 THEN age ELSE 1000 + i % 3 END AS mostly")
    (said,) = warned(configured)
    assert "'age' in 60% of 2,000 rows (by chance 0%)" in said


@pytest.mark.slow
def test_what_is_released_as_it_is_or_has_nothing_below(tmp_path: Path) -> None:
    configured = config(tmp_path, "age AS age_copy, CASE WHEN age < 30 THEN 'young' ELSE 'old' END AS group_of_age")
    configured["quasi_identifiers"]["age"] = {"builtin": "suppress", "max_level": 0}
    configured["privacy"] = {"k": 2}
    assert warned(configured) == []
    # The next finer level of an interval of 10 is one of 5: what is coarser than both tells nothing.
    configured = config(tmp_path, "CASE WHEN age < 40 THEN 'young' ELSE 'old' END AS group_of_age")
    assert warned(configured) == []


@pytest.mark.slow
def test_it_is_the_same_each_time(tmp_path: Path) -> None:
    configured = config(tmp_path, "CASE WHEN i % 10 < 6 THEN age ELSE 1000 + i % 3 END AS mostly", rows=150_000)
    first = warned(configured)
    assert len(first) == 1
    assert re.search(r"'age' in 60% of [\d,]+ rows looked at", first[0])
    assert warned(configured) == first


@pytest.mark.slow
def test_values_that_are_rare_in_a_large_table(tmp_path: Path) -> None:
    """Three rows of each value, of which a part of the rows seldom holds two."""
    (said,) = warned(config(tmp_path, "age || '-' || (i % 1000) AS many", rows=120_000))
    assert said.startswith("insensitive column 'many' tells")


def test_a_sensitive_column_of_values_of_their_own(tmp_path: Path) -> None:
    configured = config(tmp_path, "i AS number, CASE WHEN i % 10 < 4 THEN -i ELSE 1 END AS fewer")
    said = kanon_sql.run({**configured, "sensitive": ["number", "fewer"]}).warnings
    assert [text.split(":")[0] for text in said] == [
        "sensitive column 'number' holds a value of its own in 2,000 of 2,000 rows"
    ]


def test_no_value_is_named(tmp_path: Path) -> None:
    configured = config(tmp_path, "'secret ' || age AS age_copy")
    assert "secret" not in str(kanon_sql.run(configured).warnings)
