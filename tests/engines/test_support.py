"""The tables of docs/engines.md: made of the registries, and true of runs and of what is refused."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support_matrix import ABILITIES, ASKED, PAGE, allowed, written

import kanon_sql
from kanon_sql.config.load import from_mapping
from kanon_sql.engines.opening import JOBS
from kanon_sql.engines.spark.engine import local_path
from kanon_sql.errors import ConfigurationError
from kanon_sql.search.full_domain.pushdown import refusal
from kanon_sql.settings.algorithms import ALGORITHMS, ENGINES, MEASURES

Json = dict[str, Any]
# What is asked for in a way that the table below satisfies.
ENTRIES: Json = {
    "entity": "person",
    "l_diversity": {"column": "s", "l": 1},
    "t_closeness": {"column": "s", "t": 1},
    "alpha_k": {"column": "s", "alpha": 1},
    "beta": {"column": "s", "beta": 1000},
    "delta_disclosure": {"column": "s", "delta": 1000},
    "delta_presence": {"population": "people.parquet", "max": 1},
    "k_map": {"population": "people.parquet", "k": 1},
}


def configuration(folder: Path, model: str, search: str) -> Json:
    population = {"population": str(folder / "people.parquet")}
    entry = ENTRIES.get(model)
    if isinstance(entry, dict) and "population" in entry:
        entry = {**entry, **population}
    return {
        "source": str(folder / "people.parquet"),
        "target": {"path": str(folder / "out.parquet"), "overwrite": True},
        "identifiers": [] if model == "entity" else ["person"],
        "quasi_identifiers": {"n": {}} if ALGORITHMS[search].numeric else {"x": {"builtin": "suppress"}},
        "sensitive": ["s"],
        "unlisted": "drop",
        "privacy": {"k": 2, **({} if entry is None else {model: entry})},
        "algorithm": search,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("support")
    with duckdb.connect() as connection:
        rows = "SELECT i AS person, CAST(n AS VARCHAR) AS x, n, CAST(i % 2 AS VARCHAR) AS s FROM numbered"
        connection.execute("CREATE TABLE numbered AS SELECT i, i % 3 AS n FROM range(12) AS t(i)")
        connection.execute(f"COPY ({rows}) TO '{path / 'people.parquet'}'")
    return path


def test_the_page_is_made_of_the_registries() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == written(page)
    assert set(JOBS) == set(ENGINES)
    assert {ability.name for ability in fields(next(iter(ENGINES.values())))} == {"name", *ABILITIES}


@pytest.mark.few(2)
@pytest.mark.parametrize("model", ASKED)
@pytest.mark.parametrize("search", ALGORITHMS)
def test_a_search_judges_what_the_page_says(folder: Path, model: str, search: str) -> None:
    config = configuration(folder, model, search)
    fits, note = allowed(model, search)
    if fits:
        assert kanon_sql.run(config).status == "released"
    else:
        with pytest.raises(ConfigurationError, match="counts classes of a population"):
            kanon_sql.run(config)
    searched_there = refusal(from_mapping(config).config) is None
    assert searched_there == ("¹" in note)
    if "²" in note:
        with pytest.raises(ConfigurationError, match="a relaxed cut deals out rows"):
            kanon_sql.run({**config, "algorithm": {"name": search, "cut": "relaxed"}})


ASKING: dict[str, Json] = {
    "files": {},
    "databases": {"source": {"table": "t", "database": "a.duckdb"}},
    "settings": {"config": {"spark.executor.memory": "1g"}},
    "formulas": {"target": {"path": "out.csv", "csv": {"formulas": "escape"}}},
    "in_place": {"target": "in-place"},
    "pushdown": {"search_in": "engine"},
}


@pytest.mark.parametrize("ability", ASKING)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_an_engine_is_not_declared_to_do_is_refused(ability: str, engine: str) -> None:
    options = dict(ASKING[ability])
    named = {"name": "duckdb"} if engine == "duckdb" else {engine: "url"}
    reads = {"path": "in.csv"} if ability == "files" or ENGINES[engine].files else {"table": "t"}
    config: Json = {
        "source": reads,
        "target": {"path": "out.csv"},
        "quasi_identifiers": {"x": {"builtin": "suppress"}},
        "privacy": {"k": 2},
        "engine": {**named, "config": options.pop("config", {})} if ability == "settings" else named,
        **options,
    }
    if getattr(ENGINES[engine], ability):
        from_mapping(config)
    else:
        with pytest.raises(ConfigurationError):
            from_mapping(config)


def test_what_the_page_says_of_commands_is_of_commands_that_there_are() -> None:
    assert set(MEASURES) <= set(dir(kanon_sql)) | {"report"}
    assert all(set(engines) <= set(ENGINES) for engines in MEASURES.values())


@pytest.mark.parametrize(
    ("path", "local"),
    [
        ("/data/of #3", Path("/data/of #3")),
        ("here", Path("here")),
        ("file:///data/a", Path("/data/a")),
        ("hdfs://node/a", None),
    ],
)
def test_a_path_of_spark_is_one_of_this_machine_or_none(path: str, local: Path | None) -> None:
    assert local_path(path) == local
