"""PostgreSQL and Spark warn of the columns that DuckDB warns of, in the same words."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
from elsewhere import Elsewhere, ElsewhereJob, configured
from engine_places import ENGINES, Json, Start, as_parquet, starting
from queried import answers
from shared_engine import attached, insert
from sqlglot import exp

import kanon_sql
from kanon_sql.commands.run import drawing, warnings
from kanon_sql.engines import opening
from kanon_sql.source.roles import Roles
from kanon_sql.sql.connection import Engine
from kanon_sql.sql.template import state

COLUMNS = {
    "age": "INTEGER",
    "zip": "VARCHAR",
    "town": "VARCHAR",  # tells zip
    "half": "VARCHAR",  # tells age with `rest`
    "rest": "DOUBLE",
    "other": "DOUBLE",
    "seen": "VARCHAR",
    "left": "VARCHAR",
    "s": "VARCHAR",
}
SHIFT = {"shift": {"days": 30, "by": "zip", "key": "${SHIFT_KEY}"}}


def people(rows: int) -> list[tuple[Any, ...]]:
    draw = random.Random(1)
    table = []
    for _ in range(rows):
        age, code = draw.randint(20, 59), f"{draw.randint(100, 199)}"
        town, half = None if code == "100" else f"town {code}", "" if age // 7 == 5 else str(age // 7)
        day = f"2024-01-{draw.randint(1, 28):02}"
        later = f"{draw.randint(1, 28):02}.02.2024"
        table.append((age, code, town, half, float(age % 7), float(draw.randint(0, 3)), day, later, draw.choice("xyz")))
    return table


def config(folder: Path, algorithm: str, **more: Any) -> Json:
    age = {"builtin": "intervals", "widths": [10, 20]} if algorithm == "optimal" else {}
    code = {"builtin": "prefix", "keep": [2, 1]} if algorithm == "optimal" else {}
    return {
        "source": "people.parquet",
        "target": str(folder / "out.parquet"),
        "quasi_identifiers": {"age": age, "zip": code},
        "sensitive": ["s"],
        "insensitive": ["town", "half", "rest", "other", "seen", "left"],
        "privacy": {"k": 30},
        "algorithm": algorithm,
        **more,
    }


def warned(configuration: Json) -> list[str]:
    return list(kanon_sql.run(configuration, advice=False).report["warnings"])


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    with starting(tmp_path_factory.mktemp) as started:
        yield started


def test_as_many_rows_are_looked_at_as_were_drawn_there() -> None:
    brought = ("q0 INTEGER, c1 VARCHAR, drawn_rows BIGINT", [(1, "a", 6), (2, "b", 3), (7, "b", 5)])
    lists = {"seen": [{"code": "c1"}], "qi": [{"finer": "finer", "code": "q0"}]}
    rows = answers(
        "commands/run/sample_brought",
        {"brought": brought},
        names={"unit": 3},
        lists=lists,
        listed={"finer": ("value INTEGER, code INTEGER", [(1, 10), (2, 20)])},
        then="SELECT c1, q0 FROM kanon_sql_run_sample ORDER BY ALL",
    )
    assert rows == [("a", 10), ("a", 10), ("b", 20), ("b", None)]
    names = {"drawn_value": "q0", "unit": 3}
    assert sorted(answers("commands/run/drawn", {"brought": brought}, names=names)) == [(1,), (1,), (2,), (7,)]


def drawn_there(rows: list[tuple[Any, ...]], step: int) -> tuple[list[int], Counter[tuple[Any, ...]]]:
    """(the parts of combinations that were asked for in turn, the rows drawn of each combination)."""
    parts = []

    def bring(*given: Any) -> exp.Select:
        parts.append(given[-1])
        return bring_rows(*given)

    bring_rows = drawing._bring_rows
    with attached() as server, attached() as connection, pytest.MonkeyPatch.context() as patched:
        patched.setattr(drawing, "_bring_rows", bring)
        engine = Engine(connection)
        server.execute("CREATE TABLE people (kind INTEGER, number INTEGER)")
        insert(server, "people", rows)
        source = Elsewhere(server).opened("people")
        prepared = SimpleNamespace(source=source, roles=Roles({}, (), source.columns), n=len(rows))
        looking = drawing.Looking([source.columns[1]], {"finer": source.columns[0]}, step, "keep")
        engine.run(f"CREATE TABLE finer AS SELECT unnest(range({len(rows)})) AS value, value AS code")
        drawing.draw_rows(engine, prepared, looking)  # type: ignore[arg-type]
        return parts, Counter(connection.execute(f"SELECT q0, c1 FROM {state('run_sample')}").fetchall())


@pytest.mark.parametrize("copies", [1, 3, 30])
def test_combinations_that_are_drawn_stand_for_all(copies: int) -> None:
    rows = [(i % 7, i) for i in range(6000 // copies) for _ in range(copies)]
    parts, drawn = drawn_there(rows, 20)
    assert parts == ([4] if copies < 4 else [4, 20])
    assert 240 < drawn.total() < 360  # 300 are expected
    assert max(drawn.values()) <= -(-copies // parts[-1]) + 1
    kinds = Counter(kind for kind, _ in drawn.elements())
    assert set(kinds) == set(range(7))
    assert max(kinds.values()) < 0.3 * drawn.total()


def test_rows_of_few_combinations_are_drawn_by_their_share() -> None:
    parts, drawn = drawn_there([(i % 7, i % 2) for i in range(6000)], 20)
    assert parts == [4, 20]
    assert len(drawn) == 14
    assert all(abs(count - 6000 / 14 / 20) <= 1 for count in drawn.values())


@pytest.mark.parametrize("number", range(6))
def test_a_combination_that_all_rows_have_is_drawn(number: int) -> None:
    parts, drawn = drawn_there([(number, 0)] * 6000, 20)
    assert parts == [4, 20]
    assert drawn.total() in (300, 301)


@pytest.mark.slow
@pytest.mark.few(1)
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "local"])
def test_another_engine_warns_in_the_same_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    path = as_parquet(tmp_path / "people.parquet", COLUMNS, people(1000))
    here = warned(config(tmp_path, algorithm, source=str(path)))
    assert any("column 'town' tells more exactly" in text for text in here)
    assert any("together tell" in text for text in here)
    with duckdb.connect() as server:
        server.execute(f"CREATE TABLE people AS FROM '{path}'")
        monkeypatch.setattr(ElsewhereJob, "server", server, raising=False)
        monkeypatch.setitem(opening.JOBS, "postgres", ElsewhereJob)
        there = config(tmp_path, algorithm)
        assert warned({**there, **configured()}) == here


@ENGINES
@pytest.mark.engine
@pytest.mark.filterwarnings("ignore:::pyspark", "ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_columns_that_betray_are_those_of_duckdb(start: Start, engine: str, algorithm: str, tmp_path: Path) -> None:
    place, rows = start(engine), people(1000)
    path = as_parquet(tmp_path / "people.parquet", COLUMNS, rows)
    here = warned(config(tmp_path, algorithm, source=str(path)))
    assert any("column 'town' tells more exactly" in text for text in here)
    there = place.configured(config(tmp_path, algorithm), place.put(COLUMNS, rows))
    assert warned(there) == here
    if algorithm == "optimal":
        assert warned({**there, "target": place.configured(there, {})["target"], "search_in": "engine"}) == here


@ENGINES
@pytest.mark.engine
@pytest.mark.filterwarnings("ignore:::pyspark", "ignore::FutureWarning", "ignore::DeprecationWarning")
def test_some_rows_of_a_large_table_tell_as_much(
    start: Start, engine: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(warnings, "_SAMPLE", 500)
    monkeypatch.setattr(warnings, "_MOST_VALUES", 60)
    place = start(engine)
    said = []
    rows = people(6000)
    for order in (rows, rows[::-1]):
        there = place.configured(config(tmp_path, "optimal", privacy={"k": 150}), place.put(COLUMNS, order))
        said.append([text for text in warned(there) if "more exactly" in text])
    assert said[0] == said[1], "the order of the rows has a bearing"
    found = "column 'town' tells more exactly than it is released: 'zip' in (9.|100)% of [0-9]{3} rows looked at"
    assert any(re.search(found, text) for text in said[0])
    assert not any("'other'" in text for text in said[0])


@ENGINES
@pytest.mark.engine
@pytest.mark.filterwarnings("ignore:::pyspark", "ignore::FutureWarning", "ignore::DeprecationWarning")
def test_texts_that_hold_days_are_found_beside_shifted_dates(
    start: Start, engine: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SHIFT_KEY", "0f" * 32)
    place, rows = start(engine), people(1000)
    columns = {**COLUMNS, "seen": "DATE"}
    path = as_parquet(tmp_path / "people.parquet", columns, rows)
    more: Json = {"transform": {"seen": SHIFT}}
    here = warned(config(tmp_path, "optimal", source=str(path), **more))
    assert any("released as they are beside shifted dates ('seen'): 'left'" in text for text in here)
    assert warned(place.configured(config(tmp_path, "optimal", **more), place.put(columns, rows))) == here
