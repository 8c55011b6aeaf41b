"""The search where the rows are, with DuckDB in the place of an engine beside it: it finds what is found otherwise."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from shared_engine import shared

import kanon_sql
from kanon_sql.api.opening import open_prepared
from kanon_sql.config.load import from_mapping
from kanon_sql.search import mondrian
from kanon_sql.search.full_domain import pushdown
from kanon_sql.settings.algorithms import ENGINES
from kanon_sql.source.duckdb import DuckDB

PEOPLE = """
    SELECT
        CAST(20 + i * 7 % 40 AS VARCHAR) AS age,
        i % 13 AS zip,
        CASE WHEN i % 5 > 0 THEN chr(CAST(97 + i % 3 AS INTEGER)) END AS sex
    FROM range(90) AS t (i)
"""


def searched(config: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """(the nodes of the lattice, what is found for some k and limits)."""
    points = kanon_sql.sweep(config, k=[2, 4, 9], limits=[0, "10%"])["points"]
    return kanon_sql.lattice(config)["nodes"], [{**point, "seconds": None} for point in points]


def searched_alike(config: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a search finds, which is the same where the combinations are and in DuckDB."""
    here = searched(config)
    monkeypatch.setattr(DuckDB, "abilities", replace(DuckDB.abilities, pushdown=True))
    monkeypatch.setattr(pushdown, "MOST_IN_DUCKDB", 0)
    with open_prepared(from_mapping(config), None, None) as (_, prepared):
        assert prepared.describe_engine()["search_in"] == "engine"
    assert searched(config) == here
    return here


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("cuts", "many", "models"),
    [
        ({}, 0, {}),
        ({}, 200_000, {"l_diversity": {"column": "illness", "l": 3}}),
        ({"dimension": "widest", "cut": "strict-le"}, 200_000, {"t_closeness": {"column": "illness", "t": 0.3}}),
    ],
    ids=str,
)
def test_cuts_are_made_where_the_combinations_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cuts: dict[str, Any], many: int, models: dict[str, Any]
) -> None:
    # Of so many tuples on finished ones are set apart.
    monkeypatch.setattr(mondrian, "_MANY", many)
    with shared() as connection:
        ill = f"SELECT *, age[2:] AS illness FROM ({PEOPLE})"
        connection.execute(f"COPY ({ill}) TO '{tmp_path / 'in'}.parquet'")
    config: dict[str, Any] = {
        "source": str(tmp_path / "in.parquet"),
        "quasi_identifiers": {"age": {}, "zip": {"builtin": "intervals", "widths": [4]}, "sex": {}},
        "sensitive": ["illness"],
        "privacy": {"k": 4, **models},
        "algorithm": {"name": "mondrian", **cuts},
    }

    def solutions() -> list[Any]:
        points = kanon_sql.sweep(config, k=[15, 30], limits=[0])["points"]
        return [{**point, "seconds": None} for point in points]

    here = solutions()
    monkeypatch.setattr(DuckDB, "abilities", replace(DuckDB.abilities, pushdown=True))
    monkeypatch.setitem(ENGINES, "duckdb", DuckDB.abilities)
    config["search_in"] = "engine"
    with open_prepared(from_mapping(config), None, None) as (_, prepared):
        assert prepared.describe_engine()["search_in"] == "engine"
    assert solutions() == here
    assert len({point["lm"] for point in here}) == 2


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["optimal", "samarati", "minimal"])
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_combinations_are_searched_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algorithm: str, suffix: str
) -> None:
    with shared() as connection:
        connection.execute(f"COPY ({PEOPLE}) TO '{tmp_path / 'in'}.{suffix}'")
    config: dict[str, Any] = {
        "source": str(tmp_path / f"in.{suffix}"),
        "target": {"path": str(tmp_path / "out.parquet"), "overwrite": True},
        "quasi_identifiers": {
            "age": {"builtin": "prefix", "keep": [1]},
            "zip": {"builtin": "suppress"} if suffix == "csv" else {"builtin": "intervals", "widths": [4]},
            "sex": {"builtin": "suppress"},
        },
        "privacy": {"k": 4},
        "suppression": {"limit": "5%"},
        "algorithm": algorithm,
    }
    here = searched_alike(config, monkeypatch)
    assert "released" in {point["status"] for point in here[1]}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "models",
    [
        {"l_diversity": {"column": "illness", "l": 3}},
        {"l_diversity": [{"column": "illness", "l": 2.5, "variant": "entropy"}, {"column": "zip", "l": 2}]},
        {"alpha_k": {"column": "illness", "alpha": 0.4}},
        {"t_closeness": [{"column": "illness", "t": 0.15}, {"column": "zip", "t": 0.6}]},
        {"beta": {"column": "illness", "beta": 0.8}},
        {"beta": {"column": "illness", "beta": 0.8, "variant": "basic"}},
        {"delta_disclosure": {"column": "illness", "delta": 0.9}},
    ],
)
def test_models_are_judged_where_the_combinations_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models: dict[str, Any]
) -> None:
    ill = f"SELECT *, CASE WHEN hash(zip, age) % 7 > 0 THEN hash(zip) % 4 + zip % 2 END AS illness FROM ({PEOPLE})"
    with shared() as connection:
        connection.execute(f"COPY ({ill}) TO '{tmp_path / 'in.parquet'}'")
    config: dict[str, Any] = {
        "source": str(tmp_path / "in.parquet"),
        "target": {"path": str(tmp_path / "out.parquet"), "overwrite": True},
        "quasi_identifiers": {"age": {"builtin": "prefix", "keep": [1]}, "sex": {"builtin": "suppress"}},
        "sensitive": ["illness", "zip"],
        "privacy": {"k": 4, **models},
        "suppression": {"limit": "30%"},
    }
    here = searched_alike(config, monkeypatch)
    assert len({node["suppressed"] for node in here[0]}) > 1


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, None),
        ({"algorithm": "mondrian"}, None),
        ({"algorithm": "local"}, "local searches in DuckDB alone"),
        ({"algorithm": {"name": "mondrian", "cut": "relaxed"}}, "cut: relaxed deals out rows of the same values"),
        ({"algorithm": {"name": "mondrian", "dimension": "random"}}, "a hash that DuckDB alone has"),
        (
            {"privacy": {"k": 2, "average_risk": {"at_most": "10%"}}},
            "average_risk of the whole table is judged in DuckDB alone",
        ),
        ({"quasi_identifiers": {f"c{i}": {} for i in range(63)}, "algorithm": "mondrian"}, "at most 62"),
    ],
    ids=str,
)
def test_what_only_duckdb_searches_is_refused(more: dict[str, Any], reason: str | None) -> None:
    config = {
        "engine": {"postgres": "postgresql://host/db"},
        "source": {"table": "t"},
        "quasi_identifiers": {"age": {"builtin": "suppress"}},
        "privacy": {"k": 2},
        **more,
    }
    reason_told = pushdown.refusal(from_mapping(config).config)
    assert (reason_told is None) if reason is None else (reason in str(reason_told))
