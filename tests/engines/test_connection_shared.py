"""Runs on one connection at the same time: their tables do not meet, and each drops its own."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest
from sqlglot import exp

import kanon_sql
from kanon_sql.engines.duckdb.connection import drop_state
from kanon_sql.errors import NoReleaseError
from kanon_sql.sql.connection import Engine, Row

ROWS = """
    SELECT
        CAST(18 + (i * 37 + {seed}) % 60 AS INTEGER) AS kanon_sql_frequency,
        'kanon_sql_' || (i * i + {seed}) % 7 AS "kanon_sql_1_ codes",
        ['kanon_sql_tuples', 'kanon_sql1_tuples', '"kanon_sql_holders"', 'x'][1 + (i * 11 + {seed}) % 4] AS diagnosis
    FROM range(240) AS rows(i)
"""
COMMON: dict[str, Any] = {
    "quasi_identifiers": {
        "kanon_sql_frequency": {"builtin": "intervals", "widths": [5, 20]},
        "kanon_sql_1_ codes": {"builtin": "suppress"},
    },
    "sensitive": ["diagnosis"],
    "privacy": {"k": 4, "l_diversity": {"column": "diagnosis", "l": 2}},
}
JOBS: dict[str, dict[str, Any]] = {
    "first": {"suppression": {"limit": "10%"}},
    "second": {"suppression": {"limit": "30%"}, "privacy": {"k": 11}},
    "mondrian": {"algorithm": "mondrian"},
    "local": {"algorithm": {"name": "local", "seed": 3}},
}


class Turns:
    """Lets threads run statements by turns; one that waits in vain for another, which waits for it, goes on."""

    def __init__(self, number: int) -> None:
        self.waiting = threading.Condition()
        self.started = threading.Barrier(number)
        self.last = 0
        self.met = 0

    def take(self) -> None:
        me = threading.get_ident()
        with self.waiting:
            self.met += self.waiting.wait_for(lambda: self.last != me, timeout=0.002)
            self.last = me
            self.waiting.notify_all()


def filled() -> duckdb.DuckDBPyConnection:
    # One thread adds numbers in one order: losses are the same to the last digit.
    connection = duckdb.connect(config={"threads": 1})
    for seed, name in enumerate(JOBS):
        connection.execute(f"CREATE TABLE rows_{name} AS {ROWS.format(seed=seed)}")
    connection.execute("CREATE TEMP TABLE kanon_sqlite AS SELECT 1 AS one")
    return connection


def objects(connection: duckdb.DuckDBPyConnection) -> set[str]:
    queries = (
        "SELECT table_name FROM duckdb_tables()",
        "SELECT view_name FROM duckdb_views() WHERE NOT internal",
        "SELECT type_name FROM duckdb_types() WHERE NOT internal",
    )
    return {row[0] for query in queries for row in connection.execute(query).fetchall()}


def released(connection: duckdb.DuckDBPyConnection, name: str) -> list[Row]:
    described = connection.execute(f"DESCRIBE out_{name}").fetchall()
    return [*described, *sorted(connection.execute(f"FROM out_{name}").fetchall(), key=repr)]


def run(connection: duckdb.DuckDBPyConnection, name: str, source: Any) -> dict[str, Any]:
    config = {**COMMON, **JOBS[name]}
    report = kanon_sql.run(config, connection=connection, source=source, target=f"out_{name}").report
    return {key: report[key] for key in ("rows", "classes", "loss", "search", "solution")}


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Turns:
    alternating, original = Turns(len(JOBS)), Engine.run

    def run_by_turns(self: Engine, statement: exp.Expr | str, values: Mapping[str, Any] | None = None) -> list[Row]:
        if threading.current_thread() is not threading.main_thread():
            alternating.take()
        return original(self, statement, values)

    monkeypatch.setattr(Engine, "run", run_by_turns)
    return alternating


@pytest.mark.slow
def test_runs_on_one_connection_do_not_meet(turns: Turns) -> None:
    alone, shared = filled(), filled()
    expected = {name: (run(alone, name, f"rows_{name}"), released(alone, name)) for name in JOBS}
    relations = {name: shared.table(f"rows_{name}") for name in ("second", "local")}
    given = {name: relations.get(name, f"rows_{name}") for name in JOBS}
    before = objects(shared)

    def at_once(name: str) -> dict[str, Any]:
        turns.started.wait()
        return run(shared, name, given[name])

    with ThreadPoolExecutor(len(JOBS)) as threads:
        reports = dict(zip(JOBS, threads.map(at_once, JOBS), strict=True))
    assert turns.met > 100
    assert {name: (reports[name], released(shared, name)) for name in JOBS} == expected
    assert objects(shared) == before | {f"out_{name}" for name in JOBS}
    values = shared.execute("SELECT DISTINCT diagnosis FROM out_first").fetchall()
    assert {value for (value,) in values} >= {"kanon_sql_tuples", "kanon_sql1_tuples", '"kanon_sql_holders"'}


@pytest.mark.slow
def test_risks_in_two_populations_on_one_connection_do_not_meet(turns: Turns, tmp_path: Path) -> None:
    shared = filled()
    names = ("first", "second")
    populations = {name: tmp_path / f"{name}.csv" for name in names}
    for times, path in zip((2, 3), populations.values(), strict=True):
        shared.execute(f"COPY (SELECT rows_first.* FROM rows_first, range({times})) TO '{path}'")
    turns.started = threading.Barrier(2)
    config = {"quasi_identifiers": {key: {} for key in COMMON["quasi_identifiers"]}, "privacy": {"k": 2}}

    data = {name: shared.table("rows_first") for name in names}

    def journalist(name: str) -> Any:
        report = kanon_sql.risk(config, data=data[name], connection=shared, population=populations[name])
        return report["before"]["journalist"]

    def at_once(name: str) -> Any:
        turns.started.wait()
        return journalist(name)

    before, expected = objects(shared), {name: journalist(name) for name in names}
    assert expected["first"] != expected["second"]
    with ThreadPoolExecutor(2) as threads:
        measured = dict(zip(names, threads.map(at_once, names), strict=True))
    assert measured == expected
    assert objects(shared) == before


def test_what_cannot_be_dropped_keeps_nothing_else() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TEMP TYPE kanon_sql_a AS ENUM ('x'); CREATE TEMP TYPE kanon_sql_b AS ENUM ('y')")
    connection.execute("CREATE TEMP TABLE mine (c kanon_sql_a); CREATE TEMP TABLE kanon_sql_keyed_0 (c kanon_sql_b)")
    drop_state(Engine(connection, owned=False))
    assert objects(connection) == {"mine", "kanon_sql_a"}


def test_a_run_that_fails_takes_nothing_from_another(turns: Turns) -> None:
    shared = filled()
    turns.started = threading.Barrier(2)

    def at_once(name: str, k: int) -> Any:
        turns.started.wait()
        config = {**COMMON, "privacy": {"k": k}}
        return kanon_sql.run(config, connection=shared, source=f"rows_{name}", target=f"out_{name}").released

    before = objects(shared)
    with ThreadPoolExecutor(2) as threads:
        good, bad = threads.submit(at_once, "first", 5), threads.submit(at_once, "second", 1000)
        assert good.result() == 240
        with pytest.raises(NoReleaseError):
            bad.result()
    assert objects(shared) == before | {"out_first"}
